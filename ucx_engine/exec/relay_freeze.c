/*
 * relay_freeze.c - copies the plan of an exchange so that it can run without the relay (a frozen plan), and frees
 * memory.
 *
 * The frozen plan has the same messages in the same order. Data to forward, for which the relay has separate memory per
 * sender and stage, gets offsets in one buffer, SCRATCH. The data of a message is contiguous in SCRATCH, and usually
 * one piece.
 *
 * Memory is freed on two occasions. When an exchange runs the previous plan unchanged for the first time, the relay
 * frees what only building a plan needs. When all ranks have a frozen plan, the relay also frees its own plan and
 * forgets the layouts (lists of slices) of all messages; the next exchange then describes them again.
 *
 * Cost: O(n log n) for n slices.
 */
#include "exec/relay.h"

#include "core/alloc.h"

#include <string.h>

/* ---- memory ---- */

/*
 * Frees what only building a plan needs, except the room that irr_relay_init has reserved. An array that cannot be
 * shrunk stays as it is. unused: the plan that is not needed any more.
 */
static void free_learning(irr_relay_t *relay, irr_grid_plan_t *unused)
{
    const irr_plan_room_t least = irr_relay_least_room(relay);
    irr_inbox_t *inbox = &relay->inbox;

    irr_grid_plan_clear(unused, relay->problem);
    for (int i = 0; i < relay->stages.slots; i++) {
        (void)IRR_TRIM(relay->slots[i].header, relay->slots[i].header_max, 0);
    }
    (void)IRR_TRIM(relay->grown.steps, relay->grown.steps_max, least.steps);
    (void)IRR_TRIM(relay->grown.pieces, relay->grown.pieces_max, least.pieces);
    (void)IRR_TRIM(inbox->bytes, inbox->bytes_max, IRR_HEADER_MAX);
    (void)IRR_TRIM(inbox->slices, inbox->slices_max, 0);
    (void)IRR_TRIM(inbox->pieces, inbox->pieces_max, 0);
}

irr_status_t irr_relay_settle(irr_relay_t *relay)
{
    free_learning(relay, &relay->plans[relay->last == &relay->plans[0]]);
    irr_grid_plan_trim(relay->last);
    return irr_exec_fit(&relay->exec, irr_exec_size(&relay->exec.env, &relay->last->plan));
}

void irr_relay_forget(irr_relay_t *relay)
{
    free_learning(relay, &relay->plans[0]);
    irr_grid_plan_clear(&relay->plans[1], relay->problem);
    for (int i = 0; i < relay->stages.slots; i++) {
        relay->slots[i].known = false;
    }
    for (int i = 0; i < relay->stages.senders; i++) {
        irr_relay_sender_t *from = &relay->senders[i];

        from->known = false;
        (void)IRR_TRIM(from->memory, from->memory_max, 0);
    }
    relay->scratch_bytes = 0;
    relay->follows = false;
    irr_blocks_memory_fini(&relay->blocks);
    (void)irr_exec_fit(&relay->exec, irr_relay_least_room(relay));
}

/* ---- freeze ---- */

/* Returns true if this rank knows the layouts of all messages that it receives. */
static bool all_known(const irr_relay_t *relay)
{
    for (int i = 0; i < relay->stages.senders; i++) {
        if (!relay->senders[i].known) {
            return false;
        }
    }
    return true;
}

/* Returns true if a message that this rank expected directly, because it is long, came through the grid. */
static bool some_came(const irr_relay_t *relay)
{
    const bool *came = relay->plan->came;

    return came != NULL && memchr(came, true, (size_t)relay->stages.ranks) != NULL;
}

/* Returns true if the second piece follows the first one in memory. */
static bool continues(const irr_piece_t *first, const irr_piece_t *second)
{
    return second->buffer == first->buffer && second->offset == first->offset + (ptrdiff_t)first->length;
}

/*
 * Joins the pieces of each message, so that they stay one message, and merges pieces that are adjacent in memory.
 * Leaves steps of several messages unchanged, because both ends must divide them in the same way.
 */
static void merge(const irr_exec_env_t *env, irr_plan_t *plan)
{
    size_t kept = 0;

    for (size_t i = 0; i < plan->nsteps; i++) {
        irr_step_t *step = &plan->steps[i];
        const irr_piece_t *pieces = &plan->pieces[step->first_piece];
        const size_t count = step->pieces;
        const bool merges = irr_step_parts(step) > 0 && irr_exec_parts(env, plan, step) == 0;

        step->first_piece = (uint32_t)kept;
        for (size_t k = 0; k < count; k++) {
            if (merges && k > 0 && continues(&plan->pieces[kept - 1], &pieces[k])) {
                plan->pieces[kept - 1].length += pieces[k].length;
            } else {
                plan->pieces[kept] = pieces[k];
                plan->pieces[kept++].joined = merges ? k > 0 : pieces[k].joined;
            }
        }
        step->pieces = (uint32_t)(kept - step->first_piece);
    }
    plan->npieces = kept;
}

irr_status_t irr_relay_freeze(const irr_relay_t *relay, const irr_problem_t *problem, irr_plan_t *frozen)
{
    irr_grid_plan_t build;
    irr_status_t status;

    if (problem != relay->problem || relay->status != IRR_OK || relay->exec.result != IRR_OK ||
        relay->plan->truncated || some_came(relay) || !all_known(relay)) {
        return IRR_ERR_BAD_PARAM;
    }
    status = irr_grid_plan_init(&build, &relay->stages);
    if (status != IRR_OK) {
        return status;
    }
    status = irr_grid_plan_begin(&build, problem, relay->slice_min, relay->overlap);
    for (int number = 1; number <= relay->stages.count && status == IRR_OK; number++) {
        status = irr_relay_repeat_stage(relay->plan, number, &build);
    }
    if (status == IRR_OK) {
        status = irr_grid_plan_finish(&build);
    }
    if (status == IRR_OK) {
        merge(&relay->exec.env, &build.plan);
        status = irr_plan_trim(&build.plan);
    }
    if (status == IRR_OK) {
        *frozen = build.plan;
        irr_plan_init(&build.plan);
    }
    irr_grid_plan_fini(&build);
    return status;
}
