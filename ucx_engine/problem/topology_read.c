/*
 * topology_read.c - builds the tree of switches of a topology.conf from the lines of topology_lines.c.
 *
 * Each host must be below one switch, each switch except the top below one other switch, and no switch below itself.
 * No name may appear twice.  Slurm also accepts a host below two switches, and several trees; the engine cannot model
 * them, because its topology is one tree.
 *
 * Names are sorted, so equal names are adjacent, and children are found by bisection.  O(n log n) for n bytes of names.
 */
#include "problem/topology.h"

#include "core/alloc.h"
#include "problem/topology_lines.h"

#include <string.h>

#define LINE_BYTES (64 * 1024)  /* bytes of a line; a continued line may be longer */

typedef struct reader {
    irr_lines_t          lines;
    irr_topology_lines_t read;
    irr_sorted_name_t   *sorted;   /* the switches */
    int                 *parent;   /* by switch */
} reader_t;

static irr_status_t no_memory(reader_t *reader)
{
    reader->lines.line = 0;
    return irr_lines_refuse(&reader->lines, IRR_ERR_NO_MEMORY, "not enough memory for the topology");
}

static irr_status_t sort_names(reader_t *reader, const irr_names_t *names, irr_sorted_name_t **sorted)
{
    *sorted = irr_alloc(names->count, sizeof(**sorted));
    if (*sorted == NULL) {
        return no_memory(reader);
    }
    irr_names_sort(names->list, names->count, *sorted);
    return IRR_OK;
}

/* Sets the current line to the line of a switch, for an error message. */
static const irr_lines_t *at_switch(reader_t *reader, int i)
{
    reader->lines.line = reader->read.switches[i].line;
    return &reader->lines;
}

static irr_status_t check_names(reader_t *reader)
{
    irr_status_t status = sort_names(reader, &reader->read.names, &reader->sorted);

    for (size_t i = 1; status == IRR_OK && i < reader->read.names.count; i++) {
        const irr_sorted_name_t *one = &reader->sorted[i - 1], *next = &reader->sorted[i];

        if (strcmp(one->name, next->name) == 0) {
            const size_t before = reader->read.switches[one->index].line;

            status = irr_lines_refuse(at_switch(reader, next->index), IRR_ERR_FORMAT,
                                      "switch '%.64s' was already given in line %zu", next->name, before);
        }
    }
    return status;
}

/* Checks two adjacent children of the sorted list: no child may be below two switches, or twice below one switch. */
static irr_status_t check_pair(reader_t *reader, const char *kind, const irr_topology_children_t *children,
                               const irr_sorted_name_t *pair)
{
    const int first = children->parent[pair[0].index], second = children->parent[pair[1].index];

    if (strcmp(pair[0].name, pair[1].name) != 0) {
        return IRR_OK;
    }
    if (first == second) {
        return irr_lines_refuse(at_switch(reader, second), IRR_ERR_FORMAT, "%s '%.64s' is given twice", kind,
                                pair[1].name);
    }
    return irr_lines_refuse(at_switch(reader, second), IRR_ERR_FORMAT, "%s '%.48s' is also connected to switch '%.48s'",
                            kind, pair[1].name, reader->read.names.list[first]);
}

static irr_status_t check_children(reader_t *reader, const char *kind, const irr_topology_children_t *children)
{
    irr_sorted_name_t *sorted = NULL;
    irr_status_t status = sort_names(reader, &children->names, &sorted);

    for (size_t i = 1; status == IRR_OK && i < children->names.count; i++) {
        status = check_pair(reader, kind, children, &sorted[i - 1]);
    }
    irr_free(sorted);
    return status;
}

static irr_status_t link_switches(reader_t *reader)
{
    const irr_topology_children_t *below = &reader->read.below;
    const size_t count = reader->read.names.count;

    reader->parent = irr_alloc(count, sizeof(*reader->parent));
    if (reader->parent == NULL) {
        return no_memory(reader);
    }
    for (size_t i = 0; i < count; i++) {
        reader->parent[i] = -1;
    }
    for (size_t i = 0; i < below->names.count; i++) {
        const char *name = below->names.list[i];
        const int child = irr_names_find(reader->sorted, count, name, strlen(name));

        if (child < 0) {
            return irr_lines_refuse(at_switch(reader, below->parent[i]), IRR_ERR_FORMAT,
                                    "child switch '%.64s' has no line of its own", name);
        }
        reader->parent[child] = below->parent[i];
    }
    return IRR_OK;
}

/*
 * Checks that no switch is below itself.  Walks up from each switch until it reaches a switch that was visited before,
 * or a switch without a parent.  If the same walk has visited that switch, there is a ring.  Each switch has at most
 * one parent, so switches without rings form one tree or several; check_top() refuses several trees.
 */
static irr_status_t check_rings(reader_t *reader)
{
    int *walk = irr_alloc_zero(reader->read.names.count, sizeof(*walk));
    irr_status_t status = IRR_OK;

    if (walk == NULL) {
        return no_memory(reader);
    }
    for (int i = 0; status == IRR_OK && i < (int)reader->read.names.count; i++) {
        int at = i;

        while (at >= 0 && walk[at] == 0) {
            walk[at] = i + 1;
            at = reader->parent[at];
        }
        if (at >= 0 && walk[at] == i + 1) {
            status = irr_lines_refuse(at_switch(reader, at), IRR_ERR_FORMAT,
                                      "switch '%.64s' is below itself", reader->read.names.list[at]);
        }
    }
    irr_free(walk);
    return status;
}

static irr_status_t check_top(reader_t *reader)
{
    int top = -1;

    for (int i = 0; i < (int)reader->read.names.count; i++) {
        if (reader->parent[i] >= 0) {
            continue;
        }
        if (top >= 0) {
            return irr_lines_refuse(at_switch(reader, i), IRR_ERR_FORMAT,
                                    "'%.48s' and '%.48s' are at the top; only one switch may be there",
                                    reader->read.names.list[i], reader->read.names.list[top]);
        }
        top = i;
    }
    return IRR_OK;
}

static irr_status_t check(reader_t *reader)
{
    irr_status_t status = check_names(reader);

    status = status == IRR_OK ? check_children(reader, "host", &reader->read.hosts) : status;
    status = status == IRR_OK ? check_children(reader, "switch", &reader->read.below) : status;
    status = status == IRR_OK ? link_switches(reader) : status;
    status = status == IRR_OK ? check_rings(reader) : status;
    return status == IRR_OK ? check_top(reader) : status;
}

/* ---- the result ---- */

/* Moves the names out of a list to the array `to`. */
static void take_names(irr_names_t *names, char **to)
{
    memcpy(to, names->list, names->count * sizeof(*to));
    names->count = 0;
}

static irr_status_t make(reader_t *reader, irr_topology_t *topology)
{
    const size_t hosts = reader->read.hosts.names.count, vertices = hosts + reader->read.names.count;
    irr_topology_t result = {
        .hosts = (int)hosts, .vertices = (int)vertices, .node_speeds = reader->read.node_speeds
    };

    if (irr_topology_init(&result) != IRR_OK) {
        return no_memory(reader);
    }
    for (size_t v = 0; v < vertices; v++) {
        const int parent = v < hosts ? reader->read.hosts.parent[v] : reader->parent[v - hosts];

        result.parent[v] = parent < 0 ? -1 : parent + (int)hosts;
        result.speed[v] = v < hosts ? reader->read.switches[parent].node_speed
                                    : reader->read.switches[v - hosts].speed;
    }
    take_names(&reader->read.hosts.names, result.names);
    take_names(&reader->read.names, result.names + hosts);
    *topology = result;
    return IRR_OK;
}

irr_status_t irr_topology_read(const char *path, irr_topology_t *topology, irr_file_error_t *error)
{
    reader_t reader = { .lines = { .error = error } };
    char *text = irr_alloc(LINE_BYTES, 1);
    irr_status_t status;

    if (text == NULL) {
        return no_memory(&reader);
    }
    status = irr_lines_open(&reader.lines, path, text, LINE_BYTES, error);
    if (status != IRR_OK) {
        goto free_text;
    }
    status = irr_topology_lines_read(&reader.lines, &reader.read);
    status = status == IRR_OK ? check(&reader) : status;
    status = status == IRR_OK ? make(&reader, topology) : status;
    irr_lines_close(&reader.lines);
    irr_topology_lines_fini(&reader.read);
    irr_free(reader.parent);
    irr_free(reader.sorted);
free_text:
    irr_free(text);
    return status;
}
