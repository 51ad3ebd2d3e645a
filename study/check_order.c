/*
 * check_order.c - two phases of the plan checker.  One proves rule 1: each message has a send and a receive.  The other
 * proves rule 5: no exchange with these plans waits for ever.
 *
 * Rule 1: the sends of all ranks, and the receives, are sorted by (stage, sender, receiver) and position in the plan.
 * Then both lists must agree entry by entry.  So must the lists of signals (empty messages that let other steps start)
 * and of waits for them.
 *
 * Rule 5: in a simulated exchange, a send or signal is complete only when its receive or wait has started.  Receives
 * and waits are posted in the order of the plan, each when its dependencies are complete.  Signals are started in the
 * same way.  Sends and local steps start in the order of the plan, one at a time: each when its dependencies and the
 * previous send or local step are complete.
 *
 * An executor may have several sends in progress, up to a limit, its window.  One at a time is the smallest window, and
 * no other window needs to be tried:  a step waits for all of a fixed set of events (dependencies, the previous step,
 * its other end), never for one of several.  The exchange therefore ends if and only if these waits have no cycle.  An
 * executor that keeps the order of the plan waits for fewer events: it starts a send at the latest when the
 * dependencies of the send and all sends before it are complete.  Each cycle of its waits would therefore be a cycle of
 * the simulation, too.  The proof therefore holds for an executor with any window or with none.  It also holds for any
 * pacing (a rule that delays messages), because a pacing consists of dependencies, signals and waits.  It does not hold
 * for an executor that sends out of the order of the plan while its window is full; exec.c does not do this.
 *
 * If plans are checked in batches (study/plans_prove.c), the simulation of a batch starts with all steps of earlier
 * batches complete.
 *
 * Cost: O(m log m) for m messages.  A dependency is read once, and again only while its step waits for it.
 */
#include "study/check.h"

#include "core/alloc.h"

#include <stdlib.h>

/* ---- rule 1 ---- */

/* One end of a message. */
typedef struct end {
    int    stage, from, to;
    size_t id;
} end_t;

static int compare_ends(const end_t *a, const end_t *b)
{
    if (a->stage != b->stage) {
        return a->stage < b->stage ? -1 : 1;
    }
    if (a->from != b->from) {
        return a->from < b->from ? -1 : 1;
    }
    return (a->to > b->to) - (a->to < b->to);
}

static int by_end(const void *a, const void *b)
{
    const end_t *x = a, *y = b;
    int order = compare_ends(x, y);

    return order != 0 ? order : (x->id > y->id) - (x->id < y->id);
}

/* Lists the steps of all ranks that have this kind, sorted, and returns their number.  The kind must not be local. */
static size_t list_ends(const irr_check_t *check, irr_step_kind_t kind, end_t *ends)
{
    const bool goes_out = kind == IRR_STEP_SEND || kind == IRR_STEP_SIGNAL;
    size_t count = 0;

    for (size_t id = 0; id < check->base[check->ranks]; id++) {
        const irr_check_step_t *at = &check->steps[id];

        if (at->step->kind == kind) {
            ends[count++] = (end_t){
                .stage = at->step->stage,
                .from = goes_out ? at->rank : at->step->peer,
                .to = goes_out ? at->step->peer : at->rank,
                .id = id
            };
        }
    }
    qsort(ends, count, sizeof(*ends), by_end);
    return count;
}

/* Returns the bytes of the part of a message that begins with piece *i, and advances *i past it; 0 at the end. */
static size_t next_part(const irr_step_t *step, const irr_piece_t *pieces, size_t *i)
{
    size_t bytes = 0;

    for (bool more = *i < step->pieces; more; more = *i < step->pieces && pieces[*i].joined) {
        bytes += pieces[(*i)++].length;
    }
    return bytes;
}

/* Returns true if both ends of a message have parts of equal lengths.  Sets *part_p to the first part that differs. */
static bool same_parts(const irr_check_t *check, const end_t *send, const end_t *recv, size_t *part_p)
{
    const irr_step_t *from = check->steps[send->id].step, *to = check->steps[recv->id].step;
    const irr_piece_t *sent = &check->plans[send->from].pieces[from->first_piece];
    const irr_piece_t *expected = &check->plans[recv->to].pieces[to->first_piece];
    size_t i = 0, j = 0;

    for (*part_p = 0; i < from->pieces && j < to->pieces; ++*part_p) {
        if (next_part(from, sent, &i) != next_part(to, expected, &j)) {
            return false;
        }
    }
    return i == from->pieces && j == to->pieces;
}

static irr_status_t join_ends(irr_check_t *check, const end_t *send, const end_t *recv)
{
    size_t sent = check->steps[send->id].step->bytes, expected = check->steps[recv->id].step->bytes, part;

    if (sent != expected) {
        return irr_check_fail(check, "rank %d step %zu sends %zu bytes to rank %d in stage %d, whose step %zu "
                              "receives %zu", send->from, irr_check_index(check, send->id), sent, send->to,
                              send->stage, irr_check_index(check, recv->id), expected);
    }
    if (!same_parts(check, send, recv, &part)) {
        return irr_check_fail(check, "rank %d step %zu and rank %d step %zu differ in part %zu of their message",
                              send->from, irr_check_index(check, send->id), recv->to,
                              irr_check_index(check, recv->id), part);
    }
    check->steps[send->id].partner = recv->id;
    check->steps[recv->id].partner = send->id;
    return IRR_OK;
}

/* The kinds of the two ends of a message, and their names in error messages. */
typedef struct ends {
    irr_step_kind_t send, recv;
    const char     *sends, *receives, *send_noun, *recv_noun;
} ends_t;

static const ends_t all_ends[] = {
    { IRR_STEP_SEND, IRR_STEP_RECV, "sends to", "receives from", "send", "receive" },
    { IRR_STEP_SIGNAL, IRR_STEP_WAIT, "signals", "waits for", "signal", "wait" }
};

static irr_status_t pair_ends(irr_check_t *check, const ends_t *kind, const end_t *sends, size_t nsends,
                              const end_t *recvs, size_t nrecvs)
{
    size_t i = 0, j = 0;
    irr_status_t status = IRR_OK;

    while (status == IRR_OK && (i < nsends || j < nrecvs)) {
        int order = i == nsends ? 1 : j == nrecvs ? -1 : compare_ends(&sends[i], &recvs[j]);

        if (order < 0) {
            return irr_check_fail(check, "rank %d step %zu %s rank %d in stage %d, which has no %s for it",
                                  sends[i].from, irr_check_index(check, sends[i].id), kind->sends, sends[i].to,
                                  sends[i].stage, kind->recv_noun);
        }
        if (order > 0) {
            return irr_check_fail(check, "rank %d step %zu %s rank %d in stage %d, which has no %s for it",
                                  recvs[j].to, irr_check_index(check, recvs[j].id), kind->receives, recvs[j].from,
                                  recvs[j].stage, kind->send_noun);
        }
        status = join_ends(check, &sends[i++], &recvs[j++]);
    }
    return status;
}

irr_status_t irr_check_messages(irr_check_t *check)
{
    size_t total = check->base[check->ranks];
    end_t *sends = NULL, *recvs;
    irr_status_t status = IRR_ALLOC_ARRAYS(((irr_array_t[]){ IRR_ARRAY(sends, total), IRR_ARRAY(recvs, total) }));

    for (size_t i = 0; i < sizeof(all_ends) / sizeof(all_ends[0]) && status == IRR_OK; i++) {
        size_t nsends = list_ends(check, all_ends[i].send, sends);
        size_t nrecvs = list_ends(check, all_ends[i].recv, recvs);

        status = pair_ends(check, &all_ends[i], sends, nsends, recvs, nrecvs);
    }
    irr_free(sends);   /* also frees the other list */
    return status;
}

/* ---- rule 5 ---- */

typedef enum state { WAITING, STARTED, COMPLETE } state_t;

/* The steps of a rank in a lane start in the order of the plan.  The order between lanes is free. */
typedef enum lane { RECEIVES, SENDS, SIGNALS, LANES } lane_t;

static lane_t lane_of(irr_step_kind_t kind)
{
    static const lane_t lanes[] = {
        [IRR_STEP_SEND] = SENDS, [IRR_STEP_COPY] = SENDS, [IRR_STEP_RECV] = RECEIVES, [IRR_STEP_WAIT] = RECEIVES,
        [IRR_STEP_SIGNAL] = SIGNALS, [IRR_STEP_REDUCE] = SENDS
    };

    return lanes[kind];
}

/* The next step of a rank in a lane. */
typedef struct cursor {
    size_t next;
    size_t deps_complete;  /* number of its dependencies that are known to be complete */
} cursor_t;

typedef struct simulation {
    irr_check_t   *check;
    unsigned char *state;      /* by id */
    size_t         complete;   /* number of complete ids */
    cursor_t      *cursors;    /* one for each rank and lane */
    int           *queue;      /* ranks that may be able to act, each once */
    bool          *queued;
    int            first, count;
} simulation_t;

static cursor_t *cursor_of(const simulation_t *simulation, int rank, lane_t lane)
{
    return &simulation->cursors[(size_t)rank * LANES + lane];
}

static void wake(simulation_t *simulation, int rank)
{
    if (!simulation->queued[rank]) {
        simulation->queued[rank] = true;
        simulation->queue[(simulation->first + simulation->count++) % simulation->check->ranks] = rank;
    }
}

static int next_rank(simulation_t *simulation)
{
    int rank = simulation->queue[simulation->first];

    simulation->first = (simulation->first + 1) % simulation->check->ranks;
    simulation->count--;
    simulation->queued[rank] = false;
    return rank;
}

static void complete(simulation_t *simulation, size_t id)
{
    simulation->state[id] = COMPLETE;
    simulation->complete++;
    wake(simulation, simulation->check->steps[id].rank);
}

static void start(simulation_t *simulation, size_t id)
{
    irr_check_t *check = simulation->check;
    size_t partner = check->steps[id].partner;

    simulation->state[id] = STARTED;
    if (lane_of(check->steps[id].step->kind) == SENDS) {
        check->started[check->nstarted++] = id;
    }
    if (partner == IRR_CHECK_NONE) {
        complete(simulation, id);
    } else if (simulation->state[partner] == STARTED) {
        complete(simulation, id);
        complete(simulation, partner);
    }
}

static bool deps_complete(const simulation_t *simulation, size_t id, cursor_t *cursor)
{
    const irr_check_step_t *at = &simulation->check->steps[id];
    const size_t *deps = simulation->check->plans[at->rank].deps + at->step->first_dep;
    const size_t first = simulation->check->rank[at->rank].first;

    while (cursor->deps_complete < at->step->deps &&
           (deps[cursor->deps_complete] < first || simulation->state[
                irr_check_id(simulation->check, at->rank, deps[cursor->deps_complete])] == COMPLETE)) {
        cursor->deps_complete++;
    }
    return cursor->deps_complete == at->step->deps;
}

/* Starts all steps of a rank's lane that may start now. */
static void advance(simulation_t *simulation, int rank, lane_t lane)
{
    const irr_plan_t *plan = &simulation->check->plans[rank];
    cursor_t *cursor = cursor_of(simulation, rank, lane);

    for (; cursor->next < plan->nsteps; cursor->next++, cursor->deps_complete = 0) {
        size_t id = irr_check_id(simulation->check, rank, cursor->next);

        if (lane_of(plan->steps[cursor->next].kind) != lane) {
            continue;
        }
        if (simulation->state[id] == WAITING && deps_complete(simulation, id, cursor)) {
            start(simulation, id);
        }
        if (simulation->state[id] == WAITING || (lane == SENDS && simulation->state[id] != COMPLETE)) {
            return;
        }
    }
}

/* Returns an incomplete step that an incomplete step waits for. */
static size_t blocker(const simulation_t *simulation, size_t id)
{
    const irr_check_step_t *at = &simulation->check->steps[id];
    const irr_check_t *check = simulation->check;
    const cursor_t *cursor = cursor_of(simulation, at->rank, lane_of(at->step->kind));

    if (simulation->state[id] == STARTED) {
        return at->partner;
    }
    if (irr_check_id(check, at->rank, cursor->next) != id) {
        return irr_check_id(check, at->rank, cursor->next);
    }
    return irr_check_id(check, at->rank, check->plans[at->rank].deps[at->step->first_dep + cursor->deps_complete]);
}

/* Follows the waits from an incomplete step until the walk must be on a cycle, and reports a wait there. */
static irr_status_t report_deadlock(const simulation_t *simulation)
{
    irr_check_t *check = simulation->check;
    size_t id = 0, total = check->base[check->ranks], next;

    while (simulation->state[id] == COMPLETE) {
        id++;
    }
    for (size_t i = 0; i < total; i++) {
        id = blocker(simulation, id);
    }
    next = blocker(simulation, id);
    return irr_check_fail(check, "deadlock: %zu steps never end; rank %d step %zu waits for rank %d step %zu",
                          total - simulation->complete, check->steps[id].rank, irr_check_index(check, id),
                          check->steps[next].rank, irr_check_index(check, next));
}

static void simulate(simulation_t *simulation)
{
    for (int r = 0; r < simulation->check->ranks; r++) {
        for (int lane = 0; lane < (int)LANES; lane++) {
            cursor_of(simulation, r, (lane_t)lane)->next = simulation->check->rank[r].first;
        }
        wake(simulation, r);
    }
    while (simulation->count > 0) {
        int rank = next_rank(simulation);

        for (int lane = 0; lane < (int)LANES; lane++) {
            advance(simulation, rank, (lane_t)lane);
        }
    }
}

irr_status_t irr_check_ends(irr_check_t *check)
{
    size_t ranks = (size_t)check->ranks, total = check->base[check->ranks];
    simulation_t simulation = { .check = check };
    const irr_array_t arrays[] = {
        IRR_ARRAY(simulation.cursors, ranks * LANES), IRR_ARRAY(simulation.queue, ranks),
        IRR_ARRAY(simulation.queued, ranks), IRR_ARRAY(simulation.state, total)
    };
    irr_status_t status = IRR_ALLOC_ARRAYS(arrays);

    if (status == IRR_OK) {
        simulate(&simulation);
        status = simulation.complete == total ? IRR_OK : report_deadlock(&simulation);
    }
    irr_free(simulation.cursors);   /* also frees the other arrays */
    return status;
}
