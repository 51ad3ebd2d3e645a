/* tree.c - a tree of switches with ranks as leaves; see tree.h.  Creating a tree is O(vertices * depth). */
#include "order/tree/tree.h"

#include "core/alloc.h"
#include "order/messages.h"

#include <string.h>

__extension__ typedef unsigned __int128 wide_t;

irr_status_t irr_tree_init_star(irr_tree_t *tree, int ranks)
{
    irr_topology_t topology = { .hosts = ranks, .vertices = ranks + 1 };
    irr_status_t status;

    if (ranks < 1) {
        return IRR_ERR_BAD_PARAM;
    }
    topology.parent = irr_alloc((size_t)ranks + 1, sizeof(*topology.parent));
    if (topology.parent == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    for (int i = 0; i < ranks; i++) {
        topology.parent[i] = ranks;
    }
    topology.parent[ranks] = -1;
    status = irr_tree_init(tree, &topology, NULL, ranks);
    irr_free(topology.parent);
    return status;
}

void irr_tree_fini(irr_tree_t *tree)
{
    irr_free(tree->parent);   /* frees the other arrays too */
    memset(tree, 0, sizeof(*tree));
}

/*
 * Checks that each host is below a switch, each switch except one is below another switch, and each rank is on a host.
 */
static bool is_valid(const irr_topology_t *topology, const int *host_of, int ranks)
{
    int tops = 0;

    if (ranks < 1 || topology->hosts < 1 || ranks > INT32_MAX / 2 - topology->vertices) {
        return false;
    }
    for (int v = 0; v < topology->vertices; v++) {
        const int parent = topology->parent[v];

        tops += parent == -1;
        if (parent < -1 || parent >= topology->vertices || (parent >= 0 && parent < topology->hosts) ||
            irr_topology_speed(topology, v) == 0) {
            return false;
        }
    }
    for (int r = 0; r < ranks; r++) {
        const int host = host_of != NULL ? host_of[r] : r;

        if (host < 0 || host >= topology->hosts) {
            return false;
        }
    }
    return tops == 1;
}

/* Returns the number of edges from a vertex up to the top; -1 if the parents form a ring. */
static int climb(const irr_tree_t *tree, int vertex)
{
    int depth = 0;

    for (int v = tree->parent[vertex]; v >= 0; v = tree->parent[v]) {
        if (++depth > tree->vertices) {
            return -1;
        }
    }
    return depth;
}

static irr_status_t measure(irr_tree_t *tree)
{
    int deepest = 0;

    for (int v = 0; v < tree->vertices; v++) {
        tree->depth[v] = climb(tree, v);
        if (tree->depth[v] < 0) {
            return IRR_ERR_BAD_PARAM;
        }
        deepest = tree->depth[v] > deepest ? tree->depth[v] : deepest;
    }
    tree->longest = 2 * deepest;
    for (int r = 0; r < tree->ranks; r++) {
        for (int v = irr_tree_leaf(tree, r); v >= 0; v = tree->parent[v]) {
            tree->below[v]++;
        }
    }
    return IRR_OK;
}

/* Returns the base speed: the speed of the slowest link of a host with ranks. */
static uint64_t find_base(const irr_tree_t *tree, const irr_topology_t *topology)
{
    uint64_t base = UINT64_MAX;

    for (int r = 0; r < tree->ranks; r++) {
        const uint64_t speed = irr_topology_speed(topology, tree->parent[irr_tree_leaf(tree, r)]);

        base = speed < base ? speed : base;
    }
    return base;
}

/*
 * Sets speeds and capacities.  A rank sends one message at a time and receives one at a time.  The capacity of an edge
 * is therefore at most the number of ranks on the side with fewer ranks.
 */
static void find_capacities(irr_tree_t *tree, const irr_topology_t *topology)
{
    tree->base = find_base(tree, topology);
    for (int v = 0; v < tree->vertices; v++) {
        const int below = tree->below[v], above = tree->ranks - below, most = below < above ? below : above;
        uint64_t capacity;

        tree->speed[v] = v < tree->links ? irr_topology_speed(topology, v) : tree->base;
        capacity = irr_tree_width(tree, 2 * v);
        tree->capacity[v] = most < 1 ? 1 : capacity < (uint64_t)most ? (int)capacity : most;
    }
}

static irr_status_t allocate(irr_tree_t *tree)
{
    const size_t vertices = (size_t)tree->vertices;
    const irr_array_t arrays[] = {
        IRR_ARRAY(tree->parent, vertices), IRR_ARRAY(tree->depth, vertices), IRR_ARRAY(tree->below, vertices),
        IRR_ARRAY(tree->capacity, vertices), IRR_ARRAY(tree->speed, vertices)
    };

    return IRR_ALLOC_ARRAYS(arrays);
}

irr_status_t irr_tree_init(irr_tree_t *tree, const irr_topology_t *topology, const int *host_of, int ranks)
{
    irr_tree_t made = { .ranks = ranks, .hosts = topology->hosts, .links = topology->vertices };
    irr_status_t status;

    if (!is_valid(topology, host_of, ranks)) {
        return IRR_ERR_BAD_PARAM;
    }
    made.vertices = made.links + ranks;
    status = allocate(&made);
    if (status != IRR_OK) {
        return status;
    }
    memcpy(made.parent, topology->parent, (size_t)made.links * sizeof(*made.parent));
    for (int r = 0; r < ranks; r++) {
        made.parent[irr_tree_leaf(&made, r)] = host_of != NULL ? host_of[r] : r;
    }
    status = measure(&made);
    if (status != IRR_OK) {
        irr_tree_fini(&made);
        return status;
    }
    find_capacities(&made, topology);
    *tree = made;
    return IRR_OK;
}

uint64_t irr_tree_width(const irr_tree_t *tree, int edge)
{
    const uint64_t speed = tree->speed[edge / 2];

    return speed > tree->base ? speed / tree->base : 1;
}

uint64_t irr_tree_at_base(const irr_tree_t *tree, int edge, uint64_t bytes)
{
    const uint64_t speed = tree->speed[edge / 2];
    const wide_t product = (wide_t)bytes * tree->base, load = product / speed + (product % speed != 0);

    return load < UINT64_MAX ? (uint64_t)load : UINT64_MAX;
}

uint64_t irr_tree_load(const irr_tree_t *tree, int edge, uint64_t bytes)
{
    const uint64_t capacity = (uint64_t)tree->capacity[edge / 2];

    if (capacity > 1) {
        return bytes / capacity + (bytes % capacity != 0);
    }
    return tree->speed[edge / 2] < tree->base ? irr_tree_at_base(tree, edge, bytes) : bytes;
}

int irr_tree_path(const irr_tree_t *tree, int from, int to, int *path)
{
    int up = irr_tree_leaf(tree, from), down = irr_tree_leaf(tree, to), count = 0, length;

    for (int u = up, d = down; u != d;) {
        const bool climbs = tree->depth[u] >= tree->depth[d];

        *(climbs ? &u : &d) = tree->parent[climbs ? u : d];
        count++;
    }
    length = count;
    for (int head = 0; up != down;) {
        if (tree->depth[up] >= tree->depth[down]) {
            path[head++] = 2 * up;
            up = tree->parent[up];
        } else {
            path[--count] = 2 * down + 1;
            down = tree->parent[down];
        }
    }
    return length;
}

int irr_tree_link_path(const irr_tree_t *tree, int from, int to, int *path)
{
    const int edges = irr_tree_path(tree, from, to, path);
    int links = 0;

    for (int i = 0; i < edges; i++) {
        if (path[i] < 2 * tree->links) {
            path[links++] = path[i];
        }
    }
    return links;
}

irr_status_t irr_tree_loads(const irr_tree_t *tree, const irr_matrix_t *matrix, uint64_t *loads)
{
    irr_messages_sum_t sum;
    int *path;

    if (matrix->ranks != tree->ranks || irr_messages_sum(matrix, &sum) != IRR_OK) {
        return IRR_ERR_BAD_PARAM;
    }
    path = irr_alloc((size_t)tree->longest, sizeof(*path));
    if (path == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    memset(loads, 0, 2 * (size_t)tree->vertices * sizeof(*loads));
    for (int i = 0; i < tree->ranks; i++) {
        for (int j = 0; j < tree->ranks; j++) {
            const uint64_t length = *irr_matrix_at(matrix, i, j);
            const int edges = i != j && length > 0 ? irr_tree_path(tree, i, j, path) : 0;

            for (int k = 0; k < edges; k++) {
                loads[path[k]] += length;
            }
        }
    }
    irr_free(path);
    return IRR_OK;
}

/*
 * Returns true if edge `one` takes longer for its bytes than edge `other`.  Compares exact products, because times are
 * rounded and may be equal although one edge takes longer.
 */
static bool is_busier(const irr_tree_t *tree, const uint64_t *bytes, int one, int other)
{
    return (wide_t)bytes[one] * tree->speed[other / 2] > (wide_t)bytes[other] * tree->speed[one / 2];
}

int irr_tree_busiest(const irr_tree_t *tree, const uint64_t *bytes, int edges)
{
    int busiest = 0;

    for (int e = 1; e < edges; e++) {
        busiest = is_busier(tree, bytes, e, busiest) ? e : busiest;
    }
    return busiest;
}

irr_status_t irr_tree_bound(const irr_tree_t *tree, const irr_matrix_t *matrix, irr_tree_bound_t *bound)
{
    uint64_t *loads = irr_alloc(2 * (size_t)tree->vertices, sizeof(*loads));
    irr_status_t status = loads != NULL ? irr_tree_loads(tree, matrix, loads) : IRR_ERR_NO_MEMORY;

    if (status == IRR_OK) {
        bound->edge = irr_tree_busiest(tree, loads, 2 * tree->vertices);
        bound->bytes = irr_tree_at_base(tree, bound->edge, loads[bound->edge]);
    }
    irr_free(loads);
    return status;
}

/* The transmissions over an edge in its latest step. */
typedef struct user {
    size_t last;     /* the latest transmission: its index in the list + 1 */
    int    step;
    int    count;    /* number of transmissions in this step */
} user_t;

static irr_status_t use(const irr_tree_t *tree, const irr_schedule_t *schedule, size_t i, int step, user_t *users,
                        int *path, irr_tree_clash_t *clash)
{
    const irr_transmission_t *t = &schedule->list[i];
    const int links = irr_tree_link_path(tree, t->from, t->to, path);

    for (int k = 0; k < links; k++) {
        user_t *user = &users[path[k]];
        const size_t before = user->last;

        *user = (user_t){ i + 1, step, before > 0 && user->step == step ? user->count + 1 : 1 };
        if (user->count > tree->capacity[path[k] / 2]) {
            *clash = (irr_tree_clash_t){ before - 1, i, path[k] };
            return IRR_ERR_INVALID_PLAN;
        }
    }
    return IRR_OK;
}

/*
 * Adds the transmissions of each step to the edges of their paths: first those of earlier steps that continue, then
 * those that begin in this step.  active: room for the indices of all transmissions.
 */
static irr_status_t use_all(const irr_tree_t *tree, const irr_schedule_t *schedule, user_t *users, int *path,
                            size_t *active, irr_tree_clash_t *clash)
{
    irr_status_t status = IRR_OK;
    size_t next = 0, count = 0;

    for (int step = 1; step <= schedule->steps && status == IRR_OK; step++) {
        size_t left = 0;

        for (size_t k = 0; k < count; k++) {
            if (irr_transmission_last(&schedule->list[active[k]]) >= step) {
                active[left++] = active[k];
            }
        }
        for (count = left; next < schedule->count && schedule->list[next].step == step; next++) {
            active[count++] = next;
        }
        for (size_t k = 0; k < count && status == IRR_OK; k++) {
            status = use(tree, schedule, active[k], step, users, path, clash);
        }
    }
    return status;
}

irr_status_t irr_tree_check(const irr_tree_t *tree, const irr_schedule_t *schedule, irr_tree_clash_t *clash)
{
    irr_status_t status = schedule->ranks == tree->ranks ? IRR_OK : IRR_ERR_BAD_PARAM;
    irr_tree_clash_t unseen;
    size_t *active;
    user_t *users = NULL;
    int *path;

    if (status == IRR_OK) {
        status = IRR_ALLOC_ARRAYS(((irr_array_t[]){
            IRR_ARRAY(users, 2 * (size_t)tree->vertices), IRR_ARRAY(path, (size_t)tree->longest),
            IRR_ARRAY(active, schedule->count) }));
    }
    if (status == IRR_OK) {
        status = use_all(tree, schedule, users, path, active, clash != NULL ? clash : &unseen);
    }
    irr_free(users);
    return status;
}
