/* relay.c - init and fini of a relay, and start, stages and end of an exchange; relay.h explains the terms. */
#include "exec/relay.h"

#include "core/alloc.h"
#include "route/reduction.h"

#include <assert.h>
#include <string.h>

/* ---- creation and end ---- */

static irr_status_t make_plans(irr_relay_t *relay)
{
    irr_status_t status = IRR_OK;

    for (int i = 0; i < 2 && status == IRR_OK; i++) {
        status = irr_grid_plan_init(&relay->plans[i], &relay->stages);
        relay->plans[i].placed = true;
        relay->plans[i].blank = (uintptr_t)&relay->blank;
    }
    return status;
}

static irr_status_t prepare_barrier(irr_relay_t *relay)
{
    irr_own_plan_t *barrier = irr_alloc_zero(1, sizeof(*barrier));
    irr_status_t status;
    size_t done;

    if (barrier == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    relay->barrier = barrier;
    status = irr_own_plan_init(barrier, relay->stages.ranks, relay->stages.rank, (irr_plan_room_t){ .steps = 0 });
    if (status == IRR_OK) {
        status = irr_reduction_add(&barrier->plan, &(irr_reduction_t){ .stage = 1, .number = 1 }, &done);
    }
    return status == IRR_OK ? irr_exec_reserve(&barrier->exec, irr_plan_size(&barrier->plan)) : status;
}

/* Reserves the room for an exchange in which all received data is discarded. */
static irr_status_t reserve(irr_relay_t *relay)
{
    const irr_plan_room_t bounds = irr_relay_least_room(relay);
    irr_status_t status = irr_plan_reserve(&relay->grown, bounds);

    return status == IRR_OK ? irr_exec_reserve(&relay->exec, bounds) : status;
}

static irr_status_t allocate(irr_relay_t *relay)
{
    const irr_stages_t *stages = &relay->stages;
    const size_t slots = (size_t)stages->slots, senders = (size_t)stages->senders;
    const irr_plan_room_t one = { .steps = 1, .pieces = 1 };
    irr_status_t status;

    relay->slots = irr_alloc_zero(slots, sizeof(*relay->slots));
    relay->senders = irr_alloc_zero(senders, sizeof(*relay->senders));
    relay->received = irr_alloc_zero(senders, sizeof(*relay->received));
    if (relay->slots == NULL || relay->senders == NULL || relay->received == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < slots; i++) {
        relay->slots[i].messages = 1;
    }
    for (size_t i = 0; i < senders; i++) {
        relay->senders[i].messages = 1;
    }
    status = make_plans(relay);
    if (status == IRR_OK) {
        status = irr_inbox_init(relay);
    }
    if (status == IRR_OK) {
        status = irr_own_plan_init(&relay->outbox.moves, stages->ranks, stages->rank, one);
    }
    if (status == IRR_OK && relay->overlap == IRR_OVERLAP_BLOCKING) {
        status = prepare_barrier(relay);
    }
    return status == IRR_OK ? reserve(relay) : status;
}

irr_status_t irr_relay_init(irr_relay_t *relay, const irr_grid_t *grid, int ranks, int rank, size_t slice_min,
                            irr_overlap_t overlap)
{
    irr_status_t status;

    memset(relay, 0, sizeof(*relay));
    irr_exec_init(&relay->exec);
    irr_plan_init(&relay->grown);
    relay->slice_min = slice_min;
    relay->overlap = overlap;
    relay->plan = &relay->plans[0];
    relay->last = &relay->plans[1];
    status = irr_stages_init(&relay->stages, grid, ranks, rank);
    if (status == IRR_OK) {
        status = allocate(relay);
    }
    if (status != IRR_OK) {
        irr_relay_fini(relay);
    }
    return status;
}

void irr_relay_fini(irr_relay_t *relay)
{
    if (relay->barrier != NULL) {
        irr_own_plan_fini(relay->barrier);
        irr_free(relay->barrier);
    }
    irr_own_plan_fini(&relay->outbox.moves);
    irr_inbox_fini(&relay->inbox);
    irr_exec_fini(&relay->exec);
    irr_plan_fini(&relay->grown);
    irr_grid_plan_fini(&relay->plans[1]);
    irr_grid_plan_fini(&relay->plans[0]);
    irr_blocks_memory_fini(&relay->blocks);
    irr_free(relay->received);
    for (int i = 0; relay->senders != NULL && i < relay->stages.senders; i++) {
        irr_free(relay->senders[i].memory);
    }
    irr_free(relay->senders);
    for (int i = 0; relay->slots != NULL && i < relay->stages.slots; i++) {
        irr_free(relay->slots[i].header);
    }
    irr_free(relay->slots);
    irr_stages_fini(&relay->stages);
    memset(relay, 0, sizeof(*relay));
}

/* ---- failures ---- */

void irr_relay_keep(irr_relay_t *relay, irr_status_t status)
{
    if (status != IRR_OK && relay->status == IRR_OK) {
        relay->status = status;
    }
}

void irr_relay_break(irr_relay_t *relay, irr_status_t status)
{
    irr_relay_keep(relay, status);
    if (status == IRR_OK || relay->broken) {
        return;
    }
    relay->broken = true;
    relay->plan = relay->last;
    for (int i = 0; i < relay->stages.senders; i++) {
        relay->senders[i].known = relay->senders[i].known && !relay->senders[i].changed;
    }
}

/* ---- steps ---- */

irr_status_t irr_relay_commit(irr_relay_t *relay, const irr_plan_mark_t *mark, irr_status_t status)
{
    if (status == IRR_OK) {
        status = irr_exec_grow(&relay->exec);
    }
    if (status != IRR_OK) {
        irr_plan_cut(relay->run, mark);
    }
    return status;
}

irr_status_t irr_relay_add(irr_relay_t *relay, const irr_step_params_t *params)
{
    irr_plan_mark_t mark = irr_plan_mark(relay->run);

    return irr_relay_commit(relay, &mark, irr_plan_add(relay->run, params));
}

/* ---- stages ---- */

void irr_relay_enter_stage(irr_relay_t *relay, int number)
{
    relay->stage = number;
    relay->slot_base = 0;
    relay->sender_base = 0;
    for (int s = 0; s < number - 1; s++) {
        relay->slot_base += (size_t)relay->stages.stage[s].slots;
        relay->sender_base += (size_t)relay->stages.stage[s].senders;
    }
    relay->stage_steps = relay->run->nsteps;
    relay->not_received = irr_relay_stage(relay)->senders;
    memset(relay->received, 0, (size_t)relay->not_received * sizeof(*relay->received));
}

/*
 * Returns true if all receives of this stage are complete. If the overlap demands it, all sends must be complete, too.
 */
static bool steps_are_over(const irr_relay_t *relay)
{
    const bool sends = relay->overlap == IRR_OVERLAP_SINGLE || relay->overlap == IRR_OVERLAP_BLOCKING;

    for (size_t i = relay->stage_steps; i < relay->run->nsteps; i++) {
        if ((sends || relay->run->steps[i].kind == IRR_STEP_RECV) &&
            irr_exec_state(&relay->exec, i) != IRR_EXEC_COMPLETE) {
            return false;
        }
    }
    return true;
}

/* Returns true if all sends before this stage are complete, or the overlap does not demand it. */
static bool sends_are_over(const irr_relay_t *relay)
{
    return relay->overlap != IRR_OVERLAP_SINGLE || irr_exec_sent(&relay->exec, relay->stage_steps);
}

/*
 * Runs the barrier after a stage, if the overlap is `blocking`. Returns true when it is over. All stages use the same
 * tags for it, because messages of one sender with one tag arrive in order.
 */
static bool pass_barrier(irr_relay_t *relay)
{
    irr_status_t status;

    if (relay->overlap != IRR_OVERLAP_BLOCKING) {
        return true;
    }
    if (!relay->barrier_open) {
        irr_exec_env_t env = relay->exec.env;

        env.tag_kind = IRR_TAG_SYNC;
        irr_own_plan_start(relay->barrier, &env);
        relay->barrier_open = true;
    }
    status = irr_exec_progress(&relay->barrier->exec);
    if (status == IRR_IN_PROGRESS) {
        return false;
    }
    relay->barrier_open = false;
    irr_relay_keep(relay, status);
    return true;
}

/* Returns true if the current stage is over, apart from the barrier. */
static bool is_over(const irr_relay_t *relay)
{
    const irr_outbox_t *outbox = &relay->outbox;

    return relay->not_received == 0 && relay->inbox.state == IRR_INBOX_FREE && !outbox->busy &&
           outbox->next >= irr_relay_stage(relay)->slots && steps_are_over(relay) && sends_are_over(relay);
}

/* Ends the current stage in the new plan. At the last stage, adds the copies of this rank's message to itself. */
static irr_status_t end_planned(irr_relay_t *relay)
{
    irr_status_t status = irr_grid_plan_end_stage(relay->plan, relay->stage);

    return status == IRR_OK && relay->stage == relay->stages.count
               ? irr_plan_add_self(relay->problem, &relay->plan->plan) : status;
}

/*
 * If the current stage is over, enters the next stage and returns true. After the last stage relay->stage is the number
 * of stages plus 1.
 */
static bool end_stage(irr_relay_t *relay)
{
    if (!(relay->barrier_open || is_over(relay)) || !pass_barrier(relay)) {
        return false;
    }
    if (!irr_relay_following(relay)) {
        irr_relay_break(relay, end_planned(relay));
    }
    if (relay->stage == relay->stages.count) {
        relay->stage++;
        irr_exec_expect(&relay->exec, false);
    } else {
        irr_relay_enter_stage(relay, relay->stage + 1);
        irr_relay_send_stage(relay);
    }
    return true;
}

/* ---- the exchange ---- */

/*
 * Copies data of this rank from memory of the relay to OUTPUT. This data was not received in OUTPUT, because it belongs
 * in several blocks.
 */
static void copy_landed(const irr_relay_t *relay, const irr_item_t *item)
{
    const irr_block_t place = { .offset = (ptrdiff_t)item->at, .length = item->slice.length };
    irr_blocks_cursor_t from = irr_blocks_at((irr_blocks_t){ .list = &place, .count = 1 }, 0);
    irr_blocks_cursor_t to = irr_blocks_at(irr_blocks_of(relay->problem->recv, item->slice.source), item->slice.offset);
    irr_block_t source, target;

    while (irr_blocks_pair(&from, &to, &source, &target) && target.length > 0) {
        memcpy((char *)relay->exec.env.output + target.offset, (const char *)(uintptr_t)source.offset, target.length);
        relay->exec.env.counters->bytes_staged += target.length;
    }
}

/*
 * Starts with a clean state after an exchange with errors (Errors in relay.h). If all ranks know that layouts were
 * lost, this rank will send a HEADER for each layout. If it was broken itself, it will send the flag `lost`.
 */
static void recover(irr_relay_t *relay)
{
    if (relay->lost) {
        for (int i = 0; i < relay->stages.slots; i++) {
            relay->slots[i].known = false;
        }
    }
    relay->lost = relay->broken;
    relay->broken = false;
    relay->status = IRR_OK;
}

/* Starts the previous plan. Returns false if memory for it is missing or this rank is broken. */
static bool start_following(irr_relay_t *relay)
{
    irr_plan_t *plan = &relay->last->plan;

    if (relay->broken || (relay->run != plan && irr_relay_settle(relay) != IRR_OK)) {
        return false;
    }
    relay->run = plan;
    relay->stage = 0;
    irr_exec_start(&relay->exec, plan);
    return true;
}

/* Starts a plan that grows stage by stage. It begins with the predicted receives. */
static void start_growing(irr_relay_t *relay)
{
    irr_plan_mark_t mark;

    relay->follows = false;
    relay->run = &relay->grown;
    irr_plan_reset(relay->run, relay->problem);
    if (!relay->broken) {
        irr_relay_break(relay, irr_relay_begin(relay));
    }
    irr_relay_reserve_predicted(relay);
    irr_exec_start(&relay->exec, relay->run);
    irr_exec_expect(&relay->exec, true);
    irr_relay_post_predicted(relay);
    irr_relay_enter_stage(relay, 1);
    irr_relay_send_stage(relay);
    mark = irr_plan_mark(relay->run);
    irr_relay_break(relay, irr_relay_commit(relay, &mark, irr_plan_add_self(relay->problem, relay->run)));
}

void irr_relay_start(irr_relay_t *relay, const irr_problem_t *problem, const irr_exec_env_t *env)
{
    const bool repeats = irr_blocks_repeat(&relay->blocks, problem);

    relay->last = relay->plan;
    relay->problem = problem;
    relay->exec.env = *env;
    relay->exec.env.sourced = true;
    relay->exec.env.scratch = NULL;   /* offsets are addresses */
    if (relay->overlap == IRR_OVERLAP_BLOCKING) {
        relay->exec.env.window_messages = 1;
    }
    recover(relay);
    if (!repeats) {
        irr_relay_break(relay, irr_blocks_remember(&relay->blocks, problem));
    }
    /* a plan has no barriers between stages, so with the overlap `blocking` no exchange follows a plan */
    if (!repeats || !relay->follows || relay->overlap == IRR_OVERLAP_BLOCKING || !start_following(relay)) {
        start_growing(relay);
    }
    (void)irr_exec_progress(&relay->exec);
}

int irr_relay_awaited(const irr_relay_t *relay)
{
    return relay->inbox.state != IRR_INBOX_FREE ? irr_exec_awaited(&relay->inbox.moves.exec)
                                                : irr_exec_awaited(&relay->exec);
}

static irr_status_t end(irr_relay_t *relay)
{
    if (relay->stage > 0 && relay->run != &relay->grown) {
        irr_plan_cut(relay->run, &relay->mark);
    }
    relay->follows = !irr_relay_announces(relay) && !relay->plan->truncated;
    if (relay->status != IRR_OK) {
        /* broken peers have not stored the layouts of this exchange */
        for (int i = 0; i < relay->stages.slots; i++) {
            relay->slots[i].known = false;
        }
        return relay->status;
    }
    for (size_t i = 0; i < relay->plan->landed.count; i++) {
        copy_landed(relay, &relay->plan->landed.array[i]);
    }
    return relay->plan->truncated ? IRR_ERR_TRUNCATE : relay->exec.result;
}

/* Stores an error of the executor, except IRR_ERR_TRUNCATE, which concerns only this rank's message to itself. */
static void take_result(irr_relay_t *relay)
{
    const irr_status_t result = relay->exec.result;

    if (relay->exec.failed) {
        irr_relay_break(relay, result);
    }
    irr_relay_keep(relay, result != IRR_ERR_TRUNCATE ? result : IRR_OK);
}

irr_status_t irr_relay_progress(irr_relay_t *relay)
{
    irr_status_t status;
    bool moved;

    do {
        moved = false;
        status = irr_exec_progress(&relay->exec);
        take_result(relay);
        if (status != IRR_IN_PROGRESS) {
            return end(relay);
        }
        if (relay->stage == 0 && relay->exec.held > 0) {
            irr_relay_leave(relay);
        }
        if (relay->stage > 0 && relay->stage <= relay->stages.count) {
            moved = irr_outbox_progress(relay);
            moved = irr_inbox_progress(relay) || moved;
            moved = irr_relay_receive(relay) || moved;
            moved = end_stage(relay) || moved;
        }
    } while (moved);
    return IRR_IN_PROGRESS;
}
