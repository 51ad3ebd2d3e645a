/*
 * syncs.c - the messages of a schedule that must wait for each other, so that no link carries more messages than its
 * capacity; see syncs.h.
 *
 * Lanes.  A link has two edges, one for each direction.  The capacity of an edge is the number of messages that it may
 * carry at a time; it has as many lanes.  In the order of the schedule, each message gets the next lane of each edge of
 * its path, and after the last lane the first one again.  Lanes of messages of earlier steps that continue in this step
 * are skipped.  The messages of a step on an edge are at most as many as the edge has lanes, so no two of them get the
 * same lane.  Of two messages with the same lane, the later one must wait for the earlier one.  Each edge therefore
 * carries at most as many messages as it has lanes, and a message waits for the earliest possible message.
 *
 * Order.  Each rank keeps its steps in order: it begins a send after its earlier sends have begun, and after its
 * receives of earlier steps are complete.  A rank therefore needs no signal about a message that it received itself.
 * It needs a signal about a message that it sent, because its transport may accept messages faster than the link
 * carries them; two messages on the same link would then both be late.  The receiver of the later message also receives
 * in order, but this does not delay the start of the message.
 *
 * Removal.  Redundant synchronisations are left out (in the paper, by transitive reduction of the dependence graph).
 * The users of a lane are the messages that got the lane.  They follow each other, so a message waits only for the user
 * directly before it, the last user.  This wait is redundant in two cases: if another reason delays the sender until
 * the last user has ended, or if the last user of another lane of the message's path ends later.
 *
 * Clocks.  A clock records which messages have ended at some time.  It has an entry for each lane that leads up from a
 * host: the number of users of this lane that have ended.  The clock of a rank is the one at the time at which the rank
 * may begin its next send.  The clock of a lane is the one at the end of the last user of the lane.  Each message on
 * links first uses a lane up from a host, and ends before the next user of this lane begins.  The number of users that
 * have ended therefore shows which messages have ended.  The sends of a rank cannot be counted in this way: its next
 * send may use another lane, or none, and end earlier.
 *
 * Count.  The number of redundant synchronisations, `removed`, follows from the number of all of them.  The edges that
 * the paths of two messages share are consecutive.  The number of pairs of users of each lane, minus the number of
 * pairs of users of each two successive lanes, therefore counts each pair of messages once.  If links have several
 * lanes, two messages may get the same lane, then different lanes, and then the same lane again; such a pair is counted
 * more than once.
 *
 * O(n * depth * (P + log n)) time for n transmissions of P ranks, O((lanes + P) * P + n * depth) memory.
 */
#include "order/tree/syncs.h"

#include "core/alloc.h"
#include "core/deadline.h"

#include <stdlib.h>
#include <string.h>

/* A transmission that got a lane. */
typedef struct user {
    size_t number;   /* its index in the schedule + 1; 0: the lane had no user yet */
    int    origin;   /* the first lane of its path */
    int    number_on_lane;     /* its number among the users of `origin`, from 1 */
} user_t;

/* The use of a lane by a transmission. */
typedef struct use {
    int lane;
    int before;   /* lane of the transmission on the link before this one; -1: this link is the first */
} use_t;

typedef struct graph {
    const irr_tree_t     *tree;
    const irr_schedule_t *schedule;
    size_t                ranks;     /* number of ranks; also entries of a clock: lanes up from hosts are not more */
    int                  *known;     /* by rank: the clock at which its next send may begin */
    int                  *done;      /* by rank: the clock at the end of its send of this step */
    int                  *over;      /* by lane: the clock at the end of its last user */
    user_t               *last;      /* by lane: its last user */
    int                  *lanes;     /* by edge: its first lane; lanes up from hosts with ranks come first */
    size_t               *entered;   /* by edge: number of lanes that were given or skipped */
    int                  *until;     /* by lane: the last step of its last user */
    size_t               *going;     /* transmissions of earlier steps that have not ended for their receivers */
    size_t                goes;
    use_t                *uses;      /* all uses of lanes */
    size_t                nuses;
    int                  *path;      /* lanes of the current transmission, on links only */
    int                   length;    /* number of lanes in path */
    size_t                nlanes;
    irr_syncs_t          *syncs;
} graph_t;

void irr_syncs_fini(irr_syncs_t *syncs)
{
    irr_free(syncs->list);
    memset(syncs, 0, sizeof(*syncs));
}

static void graph_fini(graph_t *graph)
{
    irr_free(graph->known);   /* frees the other arrays too */
    irr_free(graph->lanes);
}

static void number_lanes_of(graph_t *graph, int edge, int *count)
{
    if (graph->lanes[edge] < 0) {
        graph->lanes[edge] = *count;
        *count += graph->tree->capacity[edge / 2];
    }
}

/* Numbers the lanes and returns their number.  An int suffices, because an edge has at most as many lanes as ranks. */
static int number_lanes(graph_t *graph)
{
    const int edges = 2 * graph->tree->links;
    int count = 0;

    for (int e = 0; e < edges; e++) {
        graph->lanes[e] = -1;
    }
    for (int r = 0; r < graph->tree->ranks; r++) {
        number_lanes_of(graph, 2 * graph->tree->parent[irr_tree_leaf(graph->tree, r)], &count);
    }
    for (int e = 0; e < edges; e++) {
        number_lanes_of(graph, e, &count);
    }
    return count;
}

static irr_status_t graph_init(graph_t *graph)
{
    const size_t edges = 2 * (size_t)graph->tree->links, ranks = graph->ranks;

    graph->lanes = irr_alloc(edges, sizeof(*graph->lanes));
    if (graph->lanes == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    graph->nlanes = (size_t)number_lanes(graph);
    return IRR_ALLOC_ARRAYS(((irr_array_t[]){
        IRR_ARRAY(graph->known, ranks * ranks), IRR_ARRAY(graph->done, ranks * ranks),
        IRR_ARRAY(graph->over, graph->nlanes * ranks), IRR_ARRAY(graph->last, graph->nlanes),
        IRR_ARRAY(graph->entered, edges), IRR_ARRAY(graph->until, graph->nlanes),
        IRR_ARRAY(graph->going, graph->schedule->count), IRR_ARRAY(graph->path, (size_t)graph->tree->longest),
        IRR_ARRAY(graph->uses, graph->schedule->count * (size_t)graph->tree->longest) }));
}

/* Returns the next lane of an edge, round-robin, that no transmission of an earlier step still uses. */
static int take_lane(graph_t *graph, int edge, const irr_transmission_t *t)
{
    const int capacity = graph->tree->capacity[edge / 2];
    int lane = graph->lanes[edge] + (int)(graph->entered[edge]++ % (size_t)capacity);

    for (int i = 1; i < capacity && graph->until[lane] >= t->step; i++) {
        lane = graph->lanes[edge] + (int)(graph->entered[edge]++ % (size_t)capacity);
    }
    graph->until[lane] = irr_transmission_last(t);
    return lane;
}

/* Gives a transmission a lane on each link of its path.  A path inside a host has no links. */
static void enter_links(graph_t *graph, const irr_transmission_t *t)
{
    graph->length = irr_tree_link_path(graph->tree, t->from, t->to, graph->path);
    for (int k = 0; k < graph->length; k++) {
        const int lane = take_lane(graph, graph->path[k], t);

        graph->uses[graph->nuses++] = (use_t){ lane, k > 0 ? graph->path[k - 1] : -1 };
        graph->path[k] = lane;
    }
}

/* ---- synchronisations ---- */

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

static bool is_over(const int *clock, const user_t *user)
{
    return clock[user->origin] >= user->number_on_lane;
}

/* Returns whether the sender needs a signal about the last user of the k-th lane of the path. */
static bool must_signal(const graph_t *graph, int from, int k)
{
    const user_t *user = &graph->last[graph->path[k]];

    if (user->number == 0 || is_over(clock_of(graph, graph->known, from), user)) {
        return false;
    }
    for (int i = 0; i < graph->length; i++) {
        const int other = graph->path[i];

        if (graph->last[other].number == user->number) {
            if (i < k) {
                return false;   /* an earlier lane of the path has the same last user: one signal is enough */
            }
        } else if (is_over(clock_of(graph, graph->over, other), user)) {
            return false;
        }
    }
    return true;
}

static irr_status_t add(irr_syncs_t *syncs, irr_sync_t sync)
{
    irr_status_t status = IRR_GROW(syncs->list, syncs->max, syncs->count + 1);

    if (status == IRR_OK) {
        syncs->list[syncs->count++] = sync;
    }
    return status;
}

static irr_status_t signal(graph_t *graph, size_t i)
{
    const irr_transmission_t *t = &graph->schedule->list[i];
    irr_status_t status = IRR_OK;

    for (int k = 0; status == IRR_OK && k < graph->length; k++) {
        if (must_signal(graph, t->from, k)) {
            const size_t after = graph->last[graph->path[k]].number - 1;

            status = add(graph->syncs, (irr_sync_t){
                .after = after, .before = i, .from = graph->schedule->list[after].to, .to = t->from });
        }
    }
    return status;
}

/*
 * Makes the transmission the last user of its lanes.  *clock: the clock at its start; on return, the clock at its end.
 */
static void use_lanes(graph_t *graph, size_t i, int *clock)
{
    const int origin = graph->path[0], number_on_lane = ++clock[origin];

    for (int k = 0; k < graph->length; k++) {
        const int lane = graph->path[k];

        memcpy(clock_of(graph, graph->over, lane), clock, graph->ranks * sizeof(*clock));
        graph->last[lane] = (user_t){ .number = i + 1, .origin = origin, .number_on_lane = number_on_lane };
    }
}

/*
 * Updates the clocks of the sender.  When this transmission begins, all transmissions for which it waits have ended.
 * The next users of its lanes begin when this transmission has ended.
 */
static void advance(graph_t *graph, size_t i)
{
    const int from = graph->schedule->list[i].from;
    int *known = clock_of(graph, graph->known, from), *done = clock_of(graph, graph->done, from);

    for (int k = 0; k < graph->length; k++) {
        merge(graph, known, clock_of(graph, graph->over, graph->path[k]));
    }
    memcpy(done, known, graph->ranks * sizeof(*done));
    if (graph->length > 0) {
        use_lanes(graph, i, done);
    }
}

/* Updates the clocks of receivers: after the last step of a transmission, its receiver knows that it has ended. */
static void settle(graph_t *graph, int step)
{
    size_t left = 0;

    for (size_t k = 0; k < graph->goes; k++) {
        const irr_transmission_t *t = &graph->schedule->list[graph->going[k]];

        if (irr_transmission_last(t) >= step) {
            graph->going[left++] = graph->going[k];
        } else {
            merge(graph, clock_of(graph, graph->known, t->to), clock_of(graph, graph->done, t->from));
        }
    }
    graph->goes = left;
}

static irr_status_t reduce(graph_t *graph, const irr_deadline_t *deadline)
{
    const irr_schedule_t *schedule = graph->schedule;
    irr_status_t status = IRR_OK;

    for (size_t i = 0, end; status == IRR_OK && i < schedule->count; i = end) {
        settle(graph, schedule->list[i].step);
        for (end = i; end < schedule->count && schedule->list[end].step == schedule->list[i].step; end++) {
            enter_links(graph, &schedule->list[end]);
            status = status == IRR_OK ? signal(graph, end) : status;
            advance(graph, end);
        }
        for (size_t k = i; k < end; k++) {
            graph->going[graph->goes++] = k;
        }
        status = status == IRR_OK && irr_deadline_passed(deadline) ? IRR_ERR_TIMEOUT : status;
    }
    return status;
}

/* ---- number of all synchronisations ---- */

static int compare(int x, int y)
{
    return (x > y) - (x < y);
}

static int by_before(const void *a, const void *b)
{
    const use_t *x = a, *y = b;

    return x->lane != y->lane ? compare(x->lane, y->lane) : compare(x->before, y->before);
}

/* Returns the number of pairs of transmissions that share a lane and do not share the previous lane. */
static uint64_t count_pairs(graph_t *graph)
{
    uint64_t pairs = 0, lane = 0, both = 0;   /* users of the lane, and of both lanes, before this use */

    qsort(graph->uses, graph->nuses, sizeof(*graph->uses), by_before);
    for (size_t i = 1; i < graph->nuses; i++) {
        const use_t *last = &graph->uses[i - 1], *use = &graph->uses[i];
        const bool same = use->lane == last->lane;

        lane = same ? lane + 1 : 0;
        both = same && use->before >= 0 && use->before == last->before ? both + 1 : 0;
        pairs += lane - both;
    }
    return pairs;
}

irr_status_t irr_syncs_find(const irr_tree_t *tree, const irr_schedule_t *schedule, const irr_deadline_t *deadline,
                            irr_syncs_t *syncs)
{
    irr_syncs_t made = { 0 };
    graph_t graph = { .tree = tree, .schedule = schedule, .ranks = (size_t)tree->ranks, .syncs = &made };
    irr_status_t status = schedule->ranks == tree->ranks ? graph_init(&graph) : IRR_ERR_BAD_PARAM;

    if (status == IRR_OK) {
        status = reduce(&graph, deadline);
    }
    if (status == IRR_OK) {
        made.removed = count_pairs(&graph) - made.count;
        *syncs = made;
    } else {
        irr_syncs_fini(&made);
    }
    graph_fini(&graph);
    return status;
}

irr_status_t irr_syncs_find_any(const irr_tree_t *tree, const irr_schedule_t *schedule,
                                const irr_deadline_t *deadline, irr_syncs_t *syncs)
{
    irr_status_t status = tree != NULL ? irr_tree_check(tree, schedule, NULL) : IRR_ERR_INVALID_PLAN;
    irr_tree_t star;

    if (status == IRR_OK) {
        return irr_syncs_find(tree, schedule, deadline, syncs);
    }
    if (status == IRR_ERR_INVALID_PLAN) {
        status = irr_tree_init_star(&star, schedule->ranks);
    }
    if (status == IRR_OK) {
        status = irr_syncs_find(&star, schedule, deadline, syncs);
        irr_tree_fini(&star);
    }
    return status;
}
