/*
 * syncs.c - see syncs.h.
 *
 * A directed edge of a link has as many lanes as its capacity.  Its messages take them in turn, in the order of
 * the schedule; a step has no more than there are lanes, so no two of them take the same.  Two messages that share
 * a lane contend, and the later one must wait for the earlier: so there are never more on a link than it carries,
 * and each waits for one as early as possible.  Ranks do their own steps in order: a rank begins a send when all
 * that it sent and received in the steps before is over.  So nothing has to tell the rank that sent the earlier
 * message.  What the receiver of the later one does in order holds nobody back.
 *
 * Redundant ones are removed (the transitive reduction of the paper's dependence graph).  The users of a lane
 * are in one order, so only the last user before a message can be left; all earlier ones follow.  It is redundant
 * if it is over before the sender may begin anyhow, or before the last user of another lane of the path.  A clock
 * per rank and per lane knows that: how many sends of each rank are over when this rank has done its steps so
 * far, or when the lane's last user is over.
 *
 * How many there were: the edges that two messages share are in a row, so the pairs of users of each lane, less
 * the pairs of users of each two successive lanes, count each pair once; or more often if it parts and meets
 * again, as it can where links have several lanes.
 *
 * O(n * depth * (P + log n)) time for n transmissions of P ranks, O((lanes + P) * P + n * depth) memory.
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
    int                  *over;      /* by lane, a clock: what is over when its last user is */
    int                  *turn;      /* by lane: how many sends its sender had begun with the last user */
    size_t               *last;      /* by lane: its last user, counted from 1 */
    int                  *lanes;     /* by edge: the first of its lanes; behind the last edge: how many */
    size_t               *entered;   /* by edge: transmissions that took a lane */
    int                  *path;      /* lanes */
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
    irr_free(graph->entered);
    irr_free(graph->lanes);
    irr_free(graph->last);
    irr_free(graph->turn);
    irr_free(graph->over);
    irr_free(graph->done);
    irr_free(graph->known);
}

/* No edge has more lanes than there are ranks on a side of it, so an int counts them. */
static void number_lanes(graph_t *graph)
{
    const int edges = 2 * graph->tree->links;

    graph->lanes[0] = 0;
    for (int e = 0; e < edges; e++) {
        graph->lanes[e + 1] = graph->lanes[e] + graph->tree->capacity[e / 2];
    }
}

static irr_status_t graph_init(graph_t *graph)
{
    const size_t edges = 2 * (size_t)graph->tree->links, ranks = graph->ranks;
    size_t lanes;

    graph->lanes = irr_alloc(edges + 1, sizeof(*graph->lanes));
    if (graph->lanes == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    number_lanes(graph);
    lanes = (size_t)graph->lanes[edges];
    graph->entered = irr_alloc_zero(edges, sizeof(*graph->entered));
    graph->known = irr_alloc_zero(ranks * ranks, sizeof(*graph->known));
    graph->done = irr_alloc_zero(ranks * ranks, sizeof(*graph->done));
    graph->over = irr_alloc_zero(lanes * ranks, sizeof(*graph->over));
    graph->turn = irr_alloc_zero(lanes, sizeof(*graph->turn));
    graph->last = irr_alloc_zero(lanes, sizeof(*graph->last));
    graph->path = irr_alloc((size_t)graph->tree->longest, sizeof(*graph->path));
    if (graph->known == NULL || graph->done == NULL || graph->over == NULL || graph->turn == NULL ||
        graph->last == NULL || graph->entered == NULL || graph->path == NULL) {
        graph_fini(graph);
        return IRR_ERR_NO_MEMORY;
    }
    return IRR_OK;
}

/* Takes lanes for a transmission, of the links of its path: all but the edges of its ranks, none within a host. */
static void enter_links(graph_t *graph, const irr_transmission_t *t)
{
    const int edges = irr_tree_path(graph->tree, t->from, t->to, graph->path);

    graph->length = 0;
    for (int k = 0; k < edges; k++) {
        const int edge = graph->path[k];

        if (edge < 2 * graph->tree->links) {
            const size_t turn = graph->entered[edge]++ % (size_t)graph->tree->capacity[edge / 2];

            graph->path[graph->length++] = graph->lanes[edge] + (int)turn;
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

/* Is the last user of a lane of the path told by no other, and known to the sender in no other way? */
static bool must_tell(const graph_t *graph, int from, int lane)
{
    const size_t user = graph->last[lane];
    const int sender = user > 0 ? graph->schedule->list[user - 1].from : 0;

    if (user == 0 || clock_of(graph, graph->known, from)[sender] >= graph->turn[lane]) {
        return false;
    }
    for (int k = 0; k < graph->length; k++) {
        const int other = graph->path[k];

        if (other != lane && graph->last[other] == user) {
            if (other < lane) {
                return false;   /* the same user, told on behalf of that lane */
            }
        } else if (other != lane && clock_of(graph, graph->over, other)[sender] >= graph->turn[lane]) {
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
        const int lane = graph->path[k];

        if (must_tell(graph, t->from, lane)) {
            const size_t after = graph->last[lane] - 1;

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
        const int lane = graph->path[k];

        memcpy(clock_of(graph, graph->over, lane), clock, graph->ranks * sizeof(*clock));
        graph->turn[lane] = clock[t->from];
        graph->last[lane] = i + 1;
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
            enter_links(graph, &schedule->list[end]);
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

/* A transmission on a lane. */
typedef struct use {
    int lane;
    int before;   /* its lane of the link before; -1: none */
    int sender;
} use_t;

static int compare(int x, int y)
{
    return (x > y) - (x < y);
}

static int by_before(const void *a, const void *b)
{
    const use_t *x = a, *y = b;

    return x->lane != y->lane ? compare(x->lane, y->lane) : compare(x->before, y->before);
}

static int by_sender(const void *a, const void *b)
{
    const use_t *x = a, *y = b;

    return x->lane != y->lane       ? compare(x->lane, y->lane)
           : x->sender != y->sender ? compare(x->sender, y->sender)
                                    : compare(x->before, y->before);
}

/* Pairs that share a lane, less those that share the one before, too; all, or those of one sender. */
static uint64_t count_pairs(const use_t *uses, size_t count, bool one_sender)
{
    uint64_t pairs = 0, lane = 0, both = 0;   /* others so far */

    for (size_t i = 1; i < count; i++) {
        const use_t *last = &uses[i - 1], *use = &uses[i];
        const bool same = use->lane == last->lane && (!one_sender || use->sender == last->sender);

        lane = same ? lane + 1 : 0;
        both = same && use->before >= 0 && use->before == last->before ? both + 1 : 0;
        pairs += lane - both;
    }
    return pairs;
}

/* Pairs that have to keep apart and have different senders: a sender keeps its own in order. */
static irr_status_t count_all(graph_t *graph, uint64_t *pairs_p)
{
    const irr_schedule_t *schedule = graph->schedule;
    use_t *uses = irr_alloc(schedule->count * (size_t)graph->tree->longest, sizeof(*uses));
    uint64_t pairs;
    size_t used = 0;

    if (uses == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    memset(graph->entered, 0, 2 * (size_t)graph->tree->links * sizeof(*graph->entered));
    for (size_t i = 0; i < schedule->count; i++) {
        enter_links(graph, &schedule->list[i]);
        for (int k = 0; k < graph->length; k++) {
            uses[used++] = (use_t){ graph->path[k], k > 0 ? graph->path[k - 1] : -1, schedule->list[i].from };
        }
    }
    qsort(uses, used, sizeof(*uses), by_before);
    pairs = count_pairs(uses, used, false);
    qsort(uses, used, sizeof(*uses), by_sender);
    *pairs_p = pairs - count_pairs(uses, used, true);
    irr_free(uses);
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
