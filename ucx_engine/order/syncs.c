/*
 * syncs.c - see syncs.h.
 *
 * Two messages of different steps contend if they share a directed edge of a link; the later one must wait for
 * the earlier.  Ranks do their own steps in order: a rank begins a send when all that it sent and received in the
 * steps before is over.  So nothing has to tell the rank that sent the earlier message.  What the receiver of the
 * later one does in order holds nobody back.
 *
 * Redundant ones are removed (the transitive reduction of the paper's dependence graph).  The users of an edge
 * are in one order, so only the last user before a message can be left; all earlier ones follow.  It is redundant
 * if it is over before the sender may begin anyhow, or before the last user of another edge of the path.  A clock
 * per rank and per edge knows that: how many sends of each rank are over when this rank has done its steps so
 * far, or when the edge's last user is over.
 *
 * How many there were: the edges that two messages share are in a row, so the pairs of users of each edge, less
 * the pairs of users of each two successive edges, count each pair once.
 *
 * O(n * depth * (P + log n)) time for n transmissions of P ranks, O((links + P) * P + n * depth) memory.
 */
#include "order/syncs.h"

#include "core/alloc.h"

#include <stdlib.h>
#include <string.h>

typedef struct graph {
    const irr_tree_t     *tree;
    const irr_schedule_t *schedule;
    size_t                ranks;
    int                  *known;     /* by rank, a clock: what is over when its next send may begin */
    int                  *done;      /* by rank, a clock: what is over when its send of this step is */
    int                  *over;      /* by edge, a clock: what is over when its last user is */
    int                  *turn;      /* by edge: how many sends its sender had begun with the last user */
    size_t               *last;      /* by edge: its last user, counted from 1 */
    int                  *path;
    int                   length;    /* of path, links only */
    irr_syncs_t          *syncs;
} graph_t;

void irr_syncs_fini(irr_syncs_t *syncs)
{
    irr_free(syncs->list);
    memset(syncs, 0, sizeof(*syncs));
}

static void graph_fini(graph_t *graph)
{
    irr_free(graph->path);
    irr_free(graph->last);
    irr_free(graph->turn);
    irr_free(graph->over);
    irr_free(graph->done);
    irr_free(graph->known);
}

static irr_status_t graph_init(graph_t *graph)
{
    const size_t edges = 2 * (size_t)graph->tree->links, ranks = graph->ranks;

    graph->known = irr_alloc_zero(ranks * ranks, sizeof(*graph->known));
    graph->done = irr_alloc_zero(ranks * ranks, sizeof(*graph->done));
    graph->over = irr_alloc_zero(edges * ranks, sizeof(*graph->over));
    graph->turn = irr_alloc_zero(edges, sizeof(*graph->turn));
    graph->last = irr_alloc_zero(edges, sizeof(*graph->last));
    graph->path = irr_alloc((size_t)graph->tree->longest, sizeof(*graph->path));
    if (graph->known == NULL || graph->done == NULL || graph->over == NULL || graph->turn == NULL ||
        graph->last == NULL || graph->path == NULL) {
        graph_fini(graph);
        return IRR_ERR_NO_MEMORY;
    }
    return IRR_OK;
}

/* The links of a transmission's path: all but the edges of its ranks, and none within a host. */
static void find_links(graph_t *graph, const irr_transmission_t *t)
{
    const int edges = irr_tree_path(graph->tree, t->from, t->to, graph->path);

    graph->length = 0;
    for (int k = 0; k < edges; k++) {
        if (graph->path[k] < 2 * graph->tree->links) {
            graph->path[graph->length++] = graph->path[k];
        }
    }
}

/* ---- what has to wait ---- */

static int *clock_of(const graph_t *graph, int *clocks, int i)
{
    return &clocks[(size_t)i * graph->ranks];
}

static void merge(const graph_t *graph, int *clock, const int *other)
{
    for (size_t r = 0; r < graph->ranks; r++) {
        clock[r] = other[r] > clock[r] ? other[r] : clock[r];
    }
}

/* Is the last user of an edge of the path told by no other, and known to the sender in no other way? */
static bool must_tell(const graph_t *graph, int from, int edge)
{
    const size_t user = graph->last[edge];
    const int sender = user > 0 ? graph->schedule->list[user - 1].from : 0;

    if (user == 0 || clock_of(graph, graph->known, from)[sender] >= graph->turn[edge]) {
        return false;
    }
    for (int k = 0; k < graph->length; k++) {
        const int other = graph->path[k];

        if (other != edge && graph->last[other] == user) {
            if (other < edge) {
                return false;   /* the same user, told on behalf of that edge */
            }
        } else if (other != edge && clock_of(graph, graph->over, other)[sender] >= graph->turn[edge]) {
            return false;
        }
    }
    return true;
}

static irr_status_t add(irr_syncs_t *syncs, irr_sync_t sync)
{
    void *list = syncs->list;
    irr_status_t status = irr_grow(&list, &syncs->max, syncs->count + 1, sizeof(*syncs->list));

    syncs->list = list;
    if (status == IRR_OK) {
        syncs->list[syncs->count++] = sync;
    }
    return status;
}

static irr_status_t tell(graph_t *graph, size_t i)
{
    const irr_transmission_t *t = &graph->schedule->list[i];
    irr_status_t status = IRR_OK;

    for (int k = 0; status == IRR_OK && k < graph->length; k++) {
        const int edge = graph->path[k];

        if (must_tell(graph, t->from, edge)) {
            const size_t after = graph->last[edge] - 1;

            status = add(graph->syncs, (irr_sync_t){
                .after = after, .before = i, .from = graph->schedule->list[after].to, .to = t->from });
        }
    }
    return status;
}

/* The transmission is over: so is what it waited for. */
static void advance(graph_t *graph, size_t i)
{
    const irr_transmission_t *t = &graph->schedule->list[i];
    int *clock = clock_of(graph, graph->known, t->from);

    for (int k = 0; k < graph->length; k++) {
        merge(graph, clock, clock_of(graph, graph->over, graph->path[k]));
    }
    clock[t->from]++;
    for (int k = 0; k < graph->length; k++) {
        const int edge = graph->path[k];

        memcpy(clock_of(graph, graph->over, edge), clock, graph->ranks * sizeof(*clock));
        graph->turn[edge] = clock[t->from];
        graph->last[edge] = i + 1;
    }
    memcpy(clock_of(graph, graph->done, t->from), clock, graph->ranks * sizeof(*clock));
}

/* Receivers know of a step only in their next one. */
static irr_status_t reduce(graph_t *graph)
{
    const irr_schedule_t *schedule = graph->schedule;
    irr_status_t status = IRR_OK;

    for (size_t i = 0, end; status == IRR_OK && i < schedule->count; i = end) {
        for (end = i; end < schedule->count && schedule->list[end].step == schedule->list[i].step; end++) {
            find_links(graph, &schedule->list[end]);
            status = status == IRR_OK ? tell(graph, end) : status;
            advance(graph, end);
        }
        for (size_t k = i; k < end; k++) {
            const irr_transmission_t *t = &schedule->list[k];

            merge(graph, clock_of(graph, graph->known, t->to), clock_of(graph, graph->done, t->from));
        }
    }
    return status;
}

/* ---- how many there were ---- */

static int by_key(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Pairs of equal keys. */
static uint64_t count_pairs(uint64_t *keys, size_t count)
{
    uint64_t pairs = 0, equal = 0;

    qsort(keys, count, sizeof(*keys), by_key);
    for (size_t i = 1; i < count; i++) {
        equal = keys[i] == keys[i - 1] ? equal + 1 : 0;
        pairs += equal;
    }
    return pairs;
}

/* Pairs that contend and have different senders: those of one sender share the link of their host. */
static irr_status_t count_all(graph_t *graph, uint64_t *pairs_p)
{
    const irr_schedule_t *schedule = graph->schedule;
    const size_t room = schedule->count * (size_t)graph->tree->longest;
    uint64_t *users = irr_alloc(room, sizeof(*users));
    uint64_t *others = irr_alloc(room + schedule->count, sizeof(*others));   /* pairs not to be counted */
    size_t used = 0, left_out = 0;

    if (users == NULL || others == NULL) {
        irr_free(others);
        irr_free(users);
        return IRR_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < schedule->count; i++) {
        find_links(graph, &schedule->list[i]);
        for (int k = 0; k < graph->length; k++) {
            const uint64_t edge = (uint64_t)graph->path[k];

            users[used++] = edge;
            others[left_out++] = k > 0 ? (uint64_t)graph->path[k - 1] << 32 | edge
                                       : UINT64_MAX - (uint64_t)schedule->list[i].from;
        }
    }
    *pairs_p = count_pairs(users, used) - count_pairs(others, left_out);
    irr_free(others);
    irr_free(users);
    return IRR_OK;
}

irr_status_t irr_syncs_find(const irr_tree_t *tree, const irr_schedule_t *schedule, irr_syncs_t *syncs)
{
    irr_syncs_t made = { 0 };
    graph_t graph = { .tree = tree, .schedule = schedule, .ranks = (size_t)tree->ranks, .syncs = &made };
    irr_status_t status = schedule->ranks == tree->ranks ? graph_init(&graph) : IRR_ERR_BAD_PARAM;
    uint64_t pairs = 0;

    if (status != IRR_OK) {
        return status;
    }
    status = reduce(&graph);
    if (status == IRR_OK) {
        status = count_all(&graph, &pairs);
    }
    graph_fini(&graph);
    if (status != IRR_OK) {
        irr_syncs_fini(&made);
        return status;
    }
    made.removed = pairs - made.count;
    *syncs = made;
    return IRR_OK;
}
