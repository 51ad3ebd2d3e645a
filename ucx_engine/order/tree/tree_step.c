/* tree_step.c - the messages of a step on a tree, and the walks that find them; see tree_step.h. */
#include "order/tree/tree_step.h"

#include "core/alloc.h"

#include <string.h>

void irr_tree_step_fini(irr_tree_step_t *step)
{
    irr_free(step->changes);
    irr_free(step->left);   /* frees the other arrays too */
    memset(step, 0, sizeof(*step));
}

/* Returns the number of lanes of all directed edges; an edge has as many lanes as its capacity. */
static size_t count_lanes(const irr_tree_t *tree)
{
    size_t lanes = 0;

    for (int v = 0; v < tree->vertices; v++) {
        lanes += 2 * (size_t)tree->capacity[v];
    }
    return lanes;
}

static irr_status_t allocate(irr_tree_step_t *step)
{
    const size_t ranks = (size_t)step->tree->ranks, vertices = (size_t)step->tree->vertices;
    const irr_array_t arrays[] = {
        IRR_ARRAY(step->left, ranks * ranks), IRR_ARRAY(step->bytes, 2 * vertices),
        IRR_ARRAY(step->loads, 2 * vertices), IRR_ARRAY(step->chosen, ranks), IRR_ARRAY(step->room, 2 * vertices),
        IRR_ARRAY(step->lanes, 2 * vertices), IRR_ARRAY(step->user, count_lanes(step->tree)),
        IRR_ARRAY(step->goal, 2 * vertices), IRR_ARRAY(step->first, vertices + 2),
        IRR_ARRAY(step->children, vertices), IRR_ARRAY(step->senders, ranks), IRR_ARRAY(step->receivers, ranks),
        IRR_ARRAY(step->stack, vertices), IRR_ARRAY(step->came_from, vertices),
        IRR_ARRAY(step->path, (size_t)step->tree->longest)
    };

    return IRR_ALLOC_ARRAYS(arrays);
}

/*
 * Lists the children of all vertices by counting sort.  While children are entered, first[v + 1] is the index for the
 * next child of v; when all are entered, it is the end of v's list.
 */
static void list_children(irr_tree_step_t *step)
{
    const irr_tree_t *tree = step->tree;

    for (int v = 0; v < tree->vertices; v++) {
        if (tree->parent[v] >= 0) {
            step->first[tree->parent[v] + 2]++;
        }
    }
    for (int v = 0; v <= tree->vertices; v++) {
        step->first[v + 1] += step->first[v];
    }
    for (int v = 0; v < tree->vertices; v++) {
        if (tree->parent[v] >= 0) {
            step->children[step->first[tree->parent[v] + 1]++] = v;
        }
    }
}

static void begin_edges(irr_tree_step_t *step)
{
    size_t lanes = 0;

    for (int e = 0; e < 2 * step->tree->vertices; e++) {
        step->loads[e] = irr_tree_load(step->tree, e, step->bytes[e]);
        step->lanes[e] = lanes;
        lanes += (size_t)step->tree->capacity[e / 2];
    }
}

irr_status_t irr_tree_step_init(irr_tree_step_t *step, const irr_tree_t *tree, const irr_matrix_t *matrix)
{
    const size_t ranks = (size_t)tree->ranks;
    irr_tree_step_t made = { .tree = tree };
    irr_status_t status = allocate(&made);

    if (status == IRR_OK) {
        status = irr_tree_loads(tree, matrix, made.bytes);
    }
    if (status != IRR_OK) {
        irr_tree_step_fini(&made);
        return status;
    }
    memcpy(made.left, matrix->entries, ranks * ranks * sizeof(*made.left));
    for (size_t r = 0; r < ranks; r++) {
        made.left[r * ranks + r] = 0;
    }
    begin_edges(&made);
    list_children(&made);
    *step = made;
    return IRR_OK;
}

void irr_tree_step_begin(irr_tree_step_t *step, uint64_t urgent_load)
{
    step->number++;
    step->count = 0;
    step->urgent_load = urgent_load;
    step->tries = IRR_TREE_TRIES;
    for (int e = 0; e < 2 * step->tree->vertices; e++) {
        step->room[e] = step->tree->capacity[e / 2];
    }
}

/* ---- walks ---- */

typedef struct walk {
    irr_tree_step_t *step;
    bool             inward;   /* true: against the direction of messages */
    int              top;      /* number of vertices on the stack */
} walk_t;

static bool is_closed(const irr_tree_step_t *step, int edge)
{
    bool closed = irr_tree_step_is_full(step, edge);

    for (int lane = 0; closed && step->repairs && lane < step->tree->capacity[edge / 2]; lane++) {
        closed = step->chosen[irr_tree_step_user(step, edge, lane)].kept;
    }
    return closed;
}

/* Puts a neighbour on the stack if the edge to it has a load and may be used. */
static void push(walk_t *walk, int vertex, int neighbour, int urgent)
{
    irr_tree_step_t *step = walk->step;
    const bool above = neighbour == step->tree->parent[vertex];
    const int edge = above ? 2 * vertex + walk->inward : 2 * neighbour + !walk->inward;

    if (step->loads[edge] > 0 && !is_closed(step, edge)) {
        urgent += step->loads[edge] >= step->urgent_load;
        step->stack[walk->top] = (irr_tree_reach_t){ neighbour, urgent };
        step->came_from[walk->top++] = vertex;
    }
}

int irr_tree_step_reach(irr_tree_step_t *step, int start, int not_by, bool inward, irr_tree_reach_t *ranks)
{
    const irr_tree_t *tree = step->tree;
    walk_t walk = { step, inward, 1 };
    int count = 0;

    step->stack[0] = (irr_tree_reach_t){ start, 0 };
    step->came_from[0] = not_by;
    while (walk.top > 0) {
        const irr_tree_reach_t at = step->stack[--walk.top];
        const int vertex = at.rank, from = step->came_from[walk.top];

        if (vertex >= tree->links) {
            ranks[count++] = (irr_tree_reach_t){ vertex - tree->links, at.urgent };
            continue;
        }
        if (tree->parent[vertex] >= 0 && tree->parent[vertex] != from) {
            push(&walk, vertex, tree->parent[vertex], at.urgent);
        }
        for (int k = step->first[vertex]; k < step->first[vertex + 1]; k++) {
            if (step->children[k] != from) {
                push(&walk, vertex, step->children[k], at.urgent);
            }
        }
    }
    return count;
}

/* ---- messages ---- */

/* Returns the lane on which message chosen[index] uses an edge. */
static int *find_user(irr_tree_step_t *step, int edge, int index)
{
    int *user = &step->user[step->lanes[edge]];

    while (*user != index) {
        user++;
    }
    return user;
}

/* Moves the last chosen message to another index, and stores the new index in the lanes that it uses. */
static void move_last(irr_tree_step_t *step, int index)
{
    const irr_tree_chosen_t message = step->chosen[step->count];
    const int edges = irr_tree_path(step->tree, message.from, message.to, step->path);

    for (int k = 0; k < edges; k++) {
        *find_user(step, step->path[k], step->count) = index;
    }
    step->chosen[index] = message;
}

void irr_tree_step_choose(irr_tree_step_t *step, int from, int to)
{
    const int edges = irr_tree_path(step->tree, from, to, step->path);

    for (int k = 0; k < edges; k++) {
        const int edge = step->path[k], lane = irr_tree_step_users(step, edge);

        step->user[step->lanes[edge] + (size_t)lane] = step->count;
        step->room[edge]--;
    }
    step->chosen[step->count++] = (irr_tree_chosen_t){ from, to, false };
}

void irr_tree_step_drop(irr_tree_step_t *step, int index)
{
    const irr_tree_chosen_t message = step->chosen[index];
    const int edges = irr_tree_path(step->tree, message.from, message.to, step->path);

    for (int k = 0; k < edges; k++) {
        const int edge = step->path[k], last = irr_tree_step_users(step, edge) - 1;

        step->room[edge]++;
        *find_user(step, edge, index) = irr_tree_step_user(step, edge, last);
    }
    step->count--;
    if (index < step->count) {
        move_last(step, index);
    }
}

bool irr_tree_step_cover(irr_tree_step_t *step, int edge)
{
    const int below = edge / 2, above = step->tree->parent[below];
    const int tail = edge % 2 == 0 ? below : above, head = edge % 2 == 0 ? above : below;
    const int senders = irr_tree_step_reach(step, tail, head, true, step->senders);
    const int receivers = senders > 0 ? irr_tree_step_reach(step, head, tail, false, step->receivers) : 0;
    irr_tree_chosen_t best = { 0, 0, false };
    uint64_t longest = 0;
    int most = 0;

    for (int i = 0; i < senders; i++) {
        const irr_tree_reach_t from = step->senders[i];

        for (int j = 0; j < receivers; j++) {
            const irr_tree_reach_t to = step->receivers[j];
            const uint64_t left = *irr_tree_step_left(step, from.rank, to.rank);
            const int urgent = from.urgent + to.urgent;

            if (left > 0 && (urgent > most || (urgent == most && left > longest))) {
                best = (irr_tree_chosen_t){ from.rank, to.rank, false };
                longest = left;
                most = urgent;
            }
        }
    }
    if (longest > 0) {
        irr_tree_step_choose(step, best.from, best.to);
    }
    return longest > 0;
}

void irr_tree_step_send(irr_tree_step_t *step, uint64_t bytes)
{
    for (int i = 0; i < step->count; i++) {
        const irr_tree_chosen_t message = step->chosen[i];
        uint64_t *left = irr_tree_step_left(step, message.from, message.to);
        const uint64_t sent = *left < bytes ? *left : bytes;
        const int edges = irr_tree_path(step->tree, message.from, message.to, step->path);

        for (int k = 0; k < edges; k++) {
            const int edge = step->path[k];

            step->bytes[edge] -= sent;
            step->loads[edge] = irr_tree_load(step->tree, edge, step->bytes[edge]);
        }
        *left -= sent;
    }
}
