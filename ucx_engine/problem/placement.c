/*
 * placement.c - finds the host of each rank in a topology, and the subtree that the ranks use; see placement.h.
 *
 * A host is used if it has ranks.  To find the subtree, mark() walks up from each used host until it reaches a vertex
 * that is already marked.  Then lower_top() moves the top to its child switch as long as all used hosts are below this
 * one child.
 */
#include "problem/placement.h"

#include "core/alloc.h"

#include <string.h>

irr_status_t irr_placement(const irr_topology_t *topology, const char *const *names, int ranks, int *host_of,
                           char *reason, size_t size)
{
    irr_hosts_t hosts;
    irr_status_t status = irr_hosts_init(topology, &hosts);

    if (status != IRR_OK) {
        snprintf(reason, size, "not enough memory for %d hosts", topology->hosts);
        return status;
    }
    for (int r = 0; status == IRR_OK && r < ranks; r++) {
        host_of[r] = irr_topology_find(&hosts, names[r]);
        if (host_of[r] < 0) {
            snprintf(reason, size, "host '%.100s' of rank %d %s", names[r], r, host_of[r] == IRR_HOST_NONE ?
                     "is not in the topology" : "may be any of several in the topology");
            status = IRR_ERR_NOT_SUPPORTED;
        }
    }
    irr_hosts_fini(&hosts);
    return status;
}

/* ---- cutting a topology ---- */

typedef struct cut {
    const irr_topology_t *whole;
    int                   top;
    int                  *children;  /* by vertex: number of its children that are used, or above a used host */
    bool                 *used;      /* by vertex: true if it is used, or above a used host; after lower_top(): true if
                                        it is in the subtree */
    int                  *number;    /* by used vertex: its number in the result */
} cut_t;

/* Marks all used hosts and all switches above them.  Returns false if a host does not exist, or there are no ranks. */
static bool mark(cut_t *cut, int ranks, const int *host_of)
{
    const irr_topology_t *whole = cut->whole;

    for (int r = 0; r < ranks; r++) {
        if (host_of[r] < 0 || host_of[r] >= whole->hosts) {
            return false;
        }
        for (int v = host_of[r]; !cut->used[v]; v = whole->parent[v]) {
            cut->used[v] = true;
            if (whole->parent[v] < 0) {
                cut->top = v;
                break;
            }
            cut->children[whole->parent[v]]++;
        }
    }
    return ranks > 0;
}

/* Removes the top as long as all ranks are below one of its child switches: no message uses its links then. */
static void lower_top(cut_t *cut)
{
    const irr_topology_t *whole = cut->whole;

    for (int v = whole->vertices - 1; v >= 0; v--) {
        cut->number[v] = -1;
    }
    for (int v = whole->hosts; v < whole->vertices; v++) {
        const int parent = whole->parent[v];

        if (cut->used[v] && parent >= 0 && cut->children[parent] == 1) {
            cut->number[parent] = v;
        }
    }
    while (cut->number[cut->top] >= 0) {
        cut->used[cut->top] = false;
        cut->top = cut->number[cut->top];
    }
}

/* Numbers the remaining vertices, hosts first, and counts them. */
static void number_all(const cut_t *cut, irr_topology_t *result)
{
    int next = 0;

    for (int v = 0; v < cut->whole->vertices; v++) {
        cut->number[v] = cut->used[v] ? next : -1;
        next += cut->used[v];
        result->hosts += cut->used[v] && v < cut->whole->hosts;
    }
    result->vertices = next;
}

static irr_status_t copy_vertex(const cut_t *cut, int v, irr_topology_t *result)
{
    const irr_topology_t *whole = cut->whole;
    const int to = cut->number[v];
    const size_t bytes = strlen(whole->names[v]) + 1;

    result->parent[to] = v == cut->top ? -1 : cut->number[whole->parent[v]];
    result->speed[to] = irr_topology_speed(whole, v);
    result->names[to] = irr_alloc(bytes, 1);
    if (result->names[to] == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    memcpy(result->names[to], whole->names[v], bytes);
    return IRR_OK;
}

static irr_status_t copy_used(const cut_t *cut, irr_topology_t *result)
{
    irr_status_t status;

    number_all(cut, result);
    status = irr_topology_init(result);
    for (int v = 0; status == IRR_OK && v < cut->whole->vertices; v++) {
        status = cut->used[v] ? copy_vertex(cut, v, result) : IRR_OK;
    }
    if (status != IRR_OK) {
        irr_topology_fini(result);
    }
    return status;
}

irr_status_t irr_topology_cut(const irr_topology_t *topology, int ranks, int *host_of, irr_topology_t *subtree)
{
    const size_t vertices = (size_t)topology->vertices;
    cut_t cut = { .whole = topology, .top = -1 };
    const irr_array_t arrays[] = {
        IRR_ARRAY(cut.children, vertices), IRR_ARRAY(cut.number, vertices), IRR_ARRAY(cut.used, vertices)
    };
    irr_topology_t result = { .node_speeds = topology->node_speeds };
    irr_status_t status = IRR_ALLOC_ARRAYS(arrays);

    if (status == IRR_OK && !mark(&cut, ranks, host_of)) {
        status = IRR_ERR_BAD_PARAM;
    }
    if (status == IRR_OK) {
        lower_top(&cut);
        status = copy_used(&cut, &result);
    }
    for (int r = 0; status == IRR_OK && r < ranks; r++) {
        host_of[r] = cut.number[host_of[r]];
    }
    if (status == IRR_OK) {
        *subtree = result;
    }
    irr_free(cut.children);   /* frees the other arrays too */
    return status;
}
