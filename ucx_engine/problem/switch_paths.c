/*
 * switch_paths.c - see switch_paths.h.
 *
 * All names of all paths are sorted, so equal names are adjacent.  Equal names must be all hosts or all switches, below
 * the same switch.  All paths must begin with the same name, so the result is a tree.
 */
#include "problem/switch_paths.h"

#include "core/alloc.h"
#include "problem/names.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct text {
    char  *to;
    size_t size;
} text_t;

__attribute__((format(printf, 2, 3)))
static irr_status_t refuse(const text_t *reason, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    vsnprintf(reason->to, reason->size, format, values);
    va_end(values);
    return IRR_ERR_FORMAT;
}

/* ---- one path ---- */

/* Returns the number of switches in a pattern of the form "switch.switch.node"; -1: the pattern has another form. */
static int count_switches(const char *pattern)
{
    static const char word[] = "switch.";
    int count = 0;

    while (strncmp(pattern, word, sizeof(word) - 1) == 0) {
        pattern += sizeof(word) - 1;
        count++;
    }
    return strcmp(pattern, "node") == 0 ? count : -1;
}

/* Replaces the first period after each switch by a slash.  Returns false if there are fewer periods than switches. */
static bool replace_periods(char *path, int switches)
{
    char *at = path;

    for (int i = 0; i < switches; i++) {
        at = strchr(at, '.');
        if (at == NULL) {
            return false;
        }
        *at++ = '/';
    }
    return true;
}

/* Cuts a path at its slashes into names.  Returns their number, or 0 if the path is not valid. */
static int split(char *path, char *names[IRR_SWITCH_PATH_DEPTH + 1])
{
    int count = 0;

    for (char *next = path; next != NULL; count++) {
        char *name = next;

        next = strchr(name, '/');
        if (next != NULL) {
            *next++ = '\0';
        }
        if (count > IRR_SWITCH_PATH_DEPTH || !irr_name_is_good(name)) {
            return 0;
        }
        names[count] = name;
    }
    return count > 1 ? count : 0;
}

irr_status_t irr_switch_path(const char *address, const char *pattern, char path[IRR_SWITCH_PATH_MAX], char *reason,
                             size_t size)
{
    const text_t why = { reason, size };
    const int switches = count_switches(pattern);
    char copy[IRR_SWITCH_PATH_MAX], *names[IRR_SWITCH_PATH_DEPTH + 1];

    path[0] = '\0';
    if (switches < 0 || switches > IRR_SWITCH_PATH_DEPTH) {
        return refuse(&why, "its pattern is not at most %d times 'switch' and then 'node', separated by periods",
                      IRR_SWITCH_PATH_DEPTH);
    }
    if (strnlen(address, IRR_SWITCH_PATH_MAX) == IRR_SWITCH_PATH_MAX) {
        return refuse(&why, "it has more than %d bytes", IRR_SWITCH_PATH_MAX - 1);
    }
    if (switches == 0) {
        return IRR_OK;
    }
    snprintf(copy, sizeof(copy), "%s", address);
    if (strchr(copy, '/') != NULL || !replace_periods(copy, switches)) {
        return refuse(&why, "it has not as many names as its pattern");
    }
    snprintf(path, IRR_SWITCH_PATH_MAX, "%s", copy);
    if (split(copy, names) != switches + 1) {
        path[0] = '\0';
        return refuse(&why, "it has what is no name of a switch or node");
    }
    return IRR_OK;
}

/* ---- the tree of all paths ---- */

/* A name of a path. */
typedef struct entry {
    int  above;   /* the previous entry of the path, which is the switch above; -1: the entry is the first */
    bool host;    /* true: the entry is the last of its path */
    int  same;    /* the first entry with the same name */
    int  vertex;  /* vertex of the tree */
} entry_t;

typedef struct forest {
    char    *text;    /* all paths, cut into names */
    char   **names;   /* by entry */
    entry_t *entries;
    int     *last;    /* by rank: the entry of its host */
    int      count;
} forest_t;

static irr_status_t init(forest_t *forest, const char *paths, size_t stride, int ranks)
{
    const size_t most = (size_t)ranks * (IRR_SWITCH_PATH_DEPTH + 1);

    forest->text = irr_alloc((size_t)ranks, stride);
    forest->names = irr_alloc(most, sizeof(*forest->names));
    forest->entries = irr_alloc(most, sizeof(*forest->entries));
    forest->last = irr_alloc((size_t)ranks, sizeof(*forest->last));
    if (forest->text == NULL || forest->names == NULL || forest->entries == NULL || forest->last == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    memcpy(forest->text, paths, (size_t)ranks * stride);
    return IRR_OK;
}

static void fini(forest_t *forest)
{
    irr_free(forest->text);
    irr_free(forest->names);
    irr_free(forest->entries);
    irr_free(forest->last);
}

static irr_status_t read_all(forest_t *forest, size_t stride, int ranks, const text_t *reason)
{
    for (int r = 0; r < ranks; r++) {
        char *path = forest->text + (size_t)r * stride, **names = forest->names + forest->count;
        const int count = memchr(path, '\0', stride) != NULL ? split(path, names) : 0;

        if (count == 0) {
            return refuse(reason, "the path of rank %d is not the names of switches and a node", r);
        }
        for (int i = 0; i < count; i++) {
            forest->entries[forest->count] =
                (entry_t){ .above = i > 0 ? forest->count - 1 : -1, .host = i + 1 == count };
            forest->count++;
        }
        forest->last[r] = forest->count - 1;
    }
    return IRR_OK;
}

/* Returns the name of the switch above; "none" at the top. */
static const char *above(const forest_t *forest, int entry)
{
    const int at = forest->entries[entry].above;

    return at >= 0 ? forest->names[at] : "none";
}

/* Checks that two entries with the same name are of one kind and below the same switch. */
static irr_status_t check_pair(const forest_t *forest, int one, int other, const text_t *reason)
{
    const entry_t *x = &forest->entries[one], *y = &forest->entries[other];

    if (x->host != y->host) {
        return refuse(reason, "'%.64s' is a switch and a node", forest->names[one]);
    }
    if ((x->above < 0) != (y->above < 0) || strcmp(above(forest, one), above(forest, other)) != 0) {
        return refuse(reason, "'%.64s' is below switch '%.64s' and below '%.64s'", forest->names[one],
                      above(forest, one), above(forest, other));
    }
    return IRR_OK;
}

static irr_status_t find_same(forest_t *forest, const text_t *reason)
{
    irr_sorted_name_t *sorted = irr_alloc((size_t)forest->count, sizeof(*sorted));
    irr_status_t status = sorted != NULL ? IRR_OK : IRR_ERR_NO_MEMORY;

    if (sorted != NULL) {
        irr_names_sort(forest->names, (size_t)forest->count, sorted);
    }
    for (int i = 0; status == IRR_OK && i < forest->count; i++) {
        const int entry = sorted[i].index;
        const bool again = i > 0 && strcmp(sorted[i].name, sorted[i - 1].name) == 0;

        forest->entries[entry].same = again ? forest->entries[sorted[i - 1].index].same : entry;
        status = again ? check_pair(forest, forest->entries[entry].same, entry, reason) : IRR_OK;
    }
    irr_free(sorted);
    return status;
}

static irr_status_t check_top(const forest_t *forest, const text_t *reason)
{
    for (int i = 0; i < forest->count; i++) {
        if (forest->entries[i].above < 0 && forest->entries[i].same != 0) {
            return refuse(reason, "'%.64s' and '%.64s' are at the top, and only one may be", forest->names[0],
                          forest->names[i]);
        }
    }
    return IRR_OK;
}

/* Numbers the vertices of the tree: all hosts, then all switches. */
static void number(forest_t *forest, irr_topology_t *topology)
{
    for (int hosts = 1; hosts >= 0; hosts--) {
        for (int i = 0; i < forest->count; i++) {
            entry_t *entry = &forest->entries[i];

            if (entry->same == i && entry->host == (hosts == 1)) {
                entry->vertex = topology->vertices++;
                topology->hosts += hosts;
            }
        }
    }
}

static int vertex_of(const forest_t *forest, int entry)
{
    return entry >= 0 ? forest->entries[forest->entries[entry].same].vertex : -1;
}

static irr_status_t fill(const forest_t *forest, irr_topology_t *topology)
{
    for (int i = 0; i < forest->count; i++) {
        const entry_t *entry = &forest->entries[i];
        const size_t bytes = strlen(forest->names[i]) + 1;

        if (entry->same != i) {
            continue;
        }
        topology->parent[entry->vertex] = vertex_of(forest, entry->above);
        topology->speed[entry->vertex] = 1;
        topology->names[entry->vertex] = irr_alloc(bytes, 1);
        if (topology->names[entry->vertex] == NULL) {
            return IRR_ERR_NO_MEMORY;
        }
        memcpy(topology->names[entry->vertex], forest->names[i], bytes);
    }
    return IRR_OK;
}

irr_status_t irr_switch_paths_tree(const char *paths, size_t stride, int ranks, irr_topology_t *topology, int *host_of,
                                   char *reason, size_t size)
{
    const text_t why = { reason, size };
    irr_topology_t made = { .hosts = 0 };
    forest_t forest = { .count = 0 };
    irr_status_t status = init(&forest, paths, stride, ranks);

    status = status == IRR_OK ? read_all(&forest, stride, ranks, &why) : status;
    status = status == IRR_OK ? find_same(&forest, &why) : status;
    status = status == IRR_OK ? check_top(&forest, &why) : status;
    if (status == IRR_OK) {
        number(&forest, &made);
        status = irr_topology_init(&made);
    }
    status = status == IRR_OK ? fill(&forest, &made) : status;
    for (int r = 0; status == IRR_OK && r < ranks; r++) {
        host_of[r] = vertex_of(&forest, forest.last[r]);
    }
    fini(&forest);
    if (status == IRR_OK) {
        *topology = made;
    } else {
        irr_topology_fini(&made);
    }
    return status;
}
