/*
 * switch_paths.c - builds the tree of switches from the path of each rank, such as top/leaf0/n3; see switch_paths.h.
 *
 * All names of all paths are sorted, so equal names are adjacent.  A name that occurs several times must be a node in
 * all of its paths or a switch in all of its paths, and must always be below the same switch.  All paths must begin
 * with the same name.  The paths then form a tree.
 */
#include "problem/switch_paths.h"

#include "core/alloc.h"
#include "problem/names.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Where an error message is written. */
typedef struct reason {
    char  *text;
    size_t size;
} reason_t;

__attribute__((format(printf, 2, 3)))
static irr_status_t refuse(const reason_t *reason, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    vsnprintf(reason->text, reason->size, format, values);
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

/*
 * Replaces the first `switches` periods by slashes.  Later periods are in the name of the node.  Returns false if there
 * are fewer periods.
 */
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
    const reason_t why = { reason, size };
    const int switches = count_switches(pattern);
    char copy[IRR_SWITCH_PATH_MAX], *names[IRR_SWITCH_PATH_DEPTH + 1];

    path[0] = '\0';
    if (switches < 0 || switches > IRR_SWITCH_PATH_DEPTH) {
        return refuse(&why, "the pattern must be 'node' after at most %d times 'switch.'", IRR_SWITCH_PATH_DEPTH);
    }
    if (strnlen(address, IRR_SWITCH_PATH_MAX) == IRR_SWITCH_PATH_MAX) {
        return refuse(&why, "the address has more than %d bytes", IRR_SWITCH_PATH_MAX - 1);
    }
    if (switches == 0) {
        return IRR_OK;
    }
    snprintf(copy, sizeof(copy), "%s", address);
    if (strchr(copy, '/') != NULL) {
        return refuse(&why, "a name in the address contains a slash");
    }
    if (!replace_periods(copy, switches)) {
        return refuse(&why, "the address has fewer names than the pattern");
    }
    snprintf(path, IRR_SWITCH_PATH_MAX, "%s", copy);
    if (split(copy, names) != switches + 1) {
        path[0] = '\0';
        return refuse(&why, "a name in the address is empty, too long, or has a character that is not allowed");
    }
    return IRR_OK;
}

/* ---- the tree of all paths ---- */

/* A name of a path. */
typedef struct entry {
    int  parent;  /* entry of the switch above, which is the previous name of the path; -1: this name is the first */
    bool node;    /* true: this name is the last of its path */
    int  same;    /* the first entry with the same name */
    int  vertex;  /* vertex of the tree */
} entry_t;

/* The names of all paths. */
typedef struct entries {
    char    *text;    /* all paths, cut into names */
    char   **names;   /* by entry */
    entry_t *list;
    int     *node;    /* by rank: the entry of its node */
    int      count;
} entries_t;

static irr_status_t init(entries_t *entries, const char *paths, size_t stride, int ranks)
{
    const size_t most = (size_t)ranks * (IRR_SWITCH_PATH_DEPTH + 1);

    entries->text = irr_alloc((size_t)ranks, stride);
    entries->names = irr_alloc(most, sizeof(*entries->names));
    entries->list = irr_alloc(most, sizeof(*entries->list));
    entries->node = irr_alloc((size_t)ranks, sizeof(*entries->node));
    if (entries->text == NULL || entries->names == NULL || entries->list == NULL || entries->node == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    memcpy(entries->text, paths, (size_t)ranks * stride);
    return IRR_OK;
}

static void fini(entries_t *entries)
{
    irr_free(entries->text);
    irr_free(entries->names);
    irr_free(entries->list);
    irr_free(entries->node);
}

static irr_status_t read_all(entries_t *entries, size_t stride, int ranks, const reason_t *reason)
{
    for (int r = 0; r < ranks; r++) {
        char *path = entries->text + (size_t)r * stride, **names = entries->names + entries->count;
        const int count = memchr(path, '\0', stride) != NULL ? split(path, names) : 0;

        if (count == 0) {
            return refuse(reason, "the path of rank %d is not a list of switches and a node", r);
        }
        for (int i = 0; i < count; i++) {
            entries->list[entries->count] =
                (entry_t){ .parent = i > 0 ? entries->count - 1 : -1, .node = i + 1 == count };
            entries->count++;
        }
        entries->node[r] = entries->count - 1;
    }
    return IRR_OK;
}

/* Returns the name of the switch above; "none" at the top. */
static const char *parent_name(const entries_t *entries, int entry)
{
    const int at = entries->list[entry].parent;

    return at >= 0 ? entries->names[at] : "none";
}

/* Checks that two entries with the same name are of one kind and below the same switch. */
static irr_status_t check_pair(const entries_t *entries, int one, int other, const reason_t *reason)
{
    const entry_t *x = &entries->list[one], *y = &entries->list[other];

    if (x->node != y->node) {
        return refuse(reason, "'%.64s' is both a switch and a node", entries->names[one]);
    }
    if ((x->parent < 0) != (y->parent < 0) || strcmp(parent_name(entries, one), parent_name(entries, other)) != 0) {
        return refuse(reason, "'%.64s' is below switch '%.64s' and below '%.64s'", entries->names[one],
                      parent_name(entries, one), parent_name(entries, other));
    }
    return IRR_OK;
}

static irr_status_t find_same(entries_t *entries, const reason_t *reason)
{
    irr_sorted_name_t *sorted = irr_alloc((size_t)entries->count, sizeof(*sorted));
    irr_status_t status = sorted != NULL ? IRR_OK : IRR_ERR_NO_MEMORY;

    if (sorted != NULL) {
        irr_names_sort(entries->names, (size_t)entries->count, sorted);
    }
    for (int i = 0; status == IRR_OK && i < entries->count; i++) {
        const int entry = sorted[i].index;
        const bool again = i > 0 && strcmp(sorted[i].name, sorted[i - 1].name) == 0;

        entries->list[entry].same = again ? entries->list[sorted[i - 1].index].same : entry;
        status = again ? check_pair(entries, entries->list[entry].same, entry, reason) : IRR_OK;
    }
    irr_free(sorted);
    return status;
}

static irr_status_t check_top(const entries_t *entries, const reason_t *reason)
{
    for (int i = 0; i < entries->count; i++) {
        if (entries->list[i].parent < 0 && entries->list[i].same != 0) {
            return refuse(reason, "'%.64s' and '%.64s' are at the top; only one switch may be there",
                          entries->names[0], entries->names[i]);
        }
    }
    return IRR_OK;
}

/* Numbers the vertices of the tree: first all nodes, which are the hosts of the topology, then all switches. */
static void number_vertices(entries_t *entries, irr_topology_t *topology)
{
    for (int hosts = 1; hosts >= 0; hosts--) {
        for (int i = 0; i < entries->count; i++) {
            entry_t *entry = &entries->list[i];

            if (entry->same == i && entry->node == (hosts == 1)) {
                entry->vertex = topology->vertices++;
                topology->hosts += hosts;
            }
        }
    }
}

static int vertex_of(const entries_t *entries, int entry)
{
    return entry >= 0 ? entries->list[entries->list[entry].same].vertex : -1;
}

static irr_status_t fill(const entries_t *entries, irr_topology_t *topology)
{
    for (int i = 0; i < entries->count; i++) {
        const entry_t *entry = &entries->list[i];
        const size_t bytes = strlen(entries->names[i]) + 1;

        if (entry->same != i) {
            continue;
        }
        topology->parent[entry->vertex] = vertex_of(entries, entry->parent);
        topology->speed[entry->vertex] = 1;
        topology->names[entry->vertex] = irr_alloc(bytes, 1);
        if (topology->names[entry->vertex] == NULL) {
            return IRR_ERR_NO_MEMORY;
        }
        memcpy(topology->names[entry->vertex], entries->names[i], bytes);
    }
    return IRR_OK;
}

irr_status_t irr_switch_paths_tree(const char *paths, size_t stride, int ranks, irr_topology_t *topology, int *host_of,
                                   char *reason, size_t size)
{
    const reason_t why = { reason, size };
    irr_topology_t made = { .hosts = 0 };
    entries_t entries = { .count = 0 };
    irr_status_t status = init(&entries, paths, stride, ranks);

    status = status == IRR_OK ? read_all(&entries, stride, ranks, &why) : status;
    status = status == IRR_OK ? find_same(&entries, &why) : status;
    status = status == IRR_OK ? check_top(&entries, &why) : status;
    if (status == IRR_OK) {
        number_vertices(&entries, &made);
        status = irr_topology_init(&made);
    }
    status = status == IRR_OK ? fill(&entries, &made) : status;
    for (int r = 0; status == IRR_OK && r < ranks; r++) {
        host_of[r] = vertex_of(&entries, entries.node[r]);
    }
    fini(&entries);
    if (status == IRR_OK) {
        *topology = made;
    } else {
        irr_topology_fini(&made);
    }
    return status;
}
