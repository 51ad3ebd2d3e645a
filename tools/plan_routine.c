/*
 * plan_routine.c - the phases of an all-to-all exchange on a tree, by rank: its messages, waits and signals.
 *
 *     Faraj, Yuan: Message scheduling for all-to-all personalized communication on Ethernet switched clusters,
 *     section 5
 *
 * The schedule is sorted by phase.  A message is in a step of its sender and in one of its receiver; a rank that sends
 * and receives in one phase has one step for both.  A synchronisation is an entry of the waiting step, and another one
 * of the signalling step.
 *
 * Needs O(P * P) memory for P ranks, and as much time besides that of phases.c and syncs.c.
 */
#include "plan.h"

#include "core/alloc.h"
#include "order/tree/phases.h"
#include "order/tree/syncs.h"

#include <string.h>

typedef struct maker {
    const irr_schedule_t *schedule;
    const irr_syncs_t    *syncs;
    irr_tool_routine_t   *routine;
    irr_tool_step_t     **sends;     /* by transmission: the step of its sender */
    irr_tool_step_t     **receives;  /* the same of its receiver */
} maker_t;

void irr_tool_routine_fini(irr_tool_routine_t *routine)
{
    irr_free(routine->entries);
    irr_free(routine->steps);
    irr_free(routine->count);
    memset(routine, 0, sizeof(*routine));
}

static irr_status_t routine_init(irr_tool_routine_t *routine, const irr_schedule_t *schedule,
                                 const irr_syncs_t *syncs)
{
    const size_t ranks = (size_t)schedule->ranks;

    routine->ranks = schedule->ranks;
    routine->phases = schedule->steps;
    routine->room = 2 * (ranks - 1);
    routine->syncs = syncs->count;
    routine->removed = syncs->removed;
    routine->count = irr_alloc_zero(ranks, sizeof(*routine->count));
    routine->steps = irr_alloc(ranks * routine->room, sizeof(*routine->steps));
    routine->entries = irr_alloc(2 * syncs->count, sizeof(*routine->entries));
    if (routine->count == NULL || routine->steps == NULL || routine->entries == NULL) {
        irr_tool_routine_fini(routine);
        return IRR_ERR_NO_MEMORY;
    }
    return IRR_OK;
}

/* Returns the step of a rank in a phase, a new one if needed; phases come in ascending order. */
static irr_tool_step_t *step_of(irr_tool_routine_t *routine, int rank, int phase)
{
    irr_tool_step_t *steps = &routine->steps[(size_t)rank * routine->room];
    int *count = &routine->count[rank];

    if (*count == 0 || steps[*count - 1].phase != phase) {
        steps[(*count)++] = (irr_tool_step_t){ .phase = phase, .to = IRR_TOOL_NOBODY, .from = IRR_TOOL_NOBODY };
    }
    return &steps[*count - 1];
}

static void make_steps(maker_t *maker)
{
    for (size_t i = 0; i < maker->schedule->count; i++) {
        const irr_transmission_t *t = &maker->schedule->list[i];

        maker->sends[i] = step_of(maker->routine, t->from, t->step);
        maker->sends[i]->to = t->to;
        maker->receives[i] = step_of(maker->routine, t->to, t->step);
        maker->receives[i]->from = t->from;
    }
}

/* Assigns a range of entries to each step, rank by rank. */
static void count_entries(maker_t *maker)
{
    irr_tool_routine_t *routine = maker->routine;
    const irr_syncs_t *syncs = maker->syncs;
    size_t entry = 0;

    for (size_t i = 0; i < syncs->count; i++) {
        maker->sends[syncs->list[i].before]->waits++;
        maker->receives[syncs->list[i].after]->signals++;
    }
    for (int r = 0; r < routine->ranks; r++) {
        int signals = 0;

        for (int k = 0; k < routine->count[r]; k++) {
            irr_tool_step_t *step = &routine->steps[(size_t)r * routine->room + (size_t)k];

            step->sync = entry;
            entry += (size_t)(step->waits + step->signals);
            signals += step->signals;
            routine->waits_max = step->waits > routine->waits_max ? step->waits : routine->waits_max;
            step->waits = step->signals = 0;
        }
        routine->signals_max = signals > routine->signals_max ? signals : routine->signals_max;
        routine->steps_max = routine->count[r] > routine->steps_max ? routine->count[r] : routine->steps_max;
    }
}

/* Fills the entries.  In a step the waits precede the signals, so all waits are stored before the first signal. */
static void make_entries(maker_t *maker)
{
    const irr_syncs_t *syncs = maker->syncs;
    irr_tool_entry_t *entries = maker->routine->entries;

    count_entries(maker);
    for (size_t i = 0; i < syncs->count; i++) {
        const irr_sync_t *sync = &syncs->list[i];
        irr_tool_step_t *step = maker->sends[sync->before];

        entries[step->sync + (size_t)step->waits++] = (irr_tool_entry_t){ sync->from, step->phase };
    }
    for (size_t i = 0; i < syncs->count; i++) {
        const irr_sync_t *sync = &syncs->list[i];
        irr_tool_step_t *step = maker->receives[sync->after];

        entries[step->sync + (size_t)(step->waits + step->signals++)] =
            (irr_tool_entry_t){ sync->to, maker->sends[sync->before]->phase };
    }
}

static irr_status_t make(const irr_schedule_t *schedule, const irr_syncs_t *syncs, irr_tool_routine_t *routine)
{
    maker_t maker = { .schedule = schedule, .syncs = syncs, .routine = routine };
    irr_status_t status = routine_init(routine, schedule, syncs);

    if (status != IRR_OK) {
        return status;
    }
    maker.sends = irr_alloc(schedule->count, sizeof(*maker.sends));
    maker.receives = irr_alloc(schedule->count, sizeof(*maker.receives));
    if (maker.sends != NULL && maker.receives != NULL) {
        make_steps(&maker);
        make_entries(&maker);
    } else {
        irr_tool_routine_fini(routine);
        status = IRR_ERR_NO_MEMORY;
    }
    irr_free(maker.receives);
    irr_free(maker.sends);
    return status;
}

/* Makes the phases of tree's schedule.  The syncs rely on steps without contention, so this is checked. */
static irr_status_t make_from(const irr_tree_t *tree, const irr_schedule_t *schedule, irr_tool_routine_t *routine)
{
    irr_syncs_t syncs;
    irr_status_t status = irr_tree_check(tree, schedule, NULL);

    if (status == IRR_OK) {
        status = irr_syncs_find(tree, schedule, NULL, &syncs);
    }
    if (status == IRR_OK) {
        status = make(schedule, &syncs, routine);
        irr_syncs_fini(&syncs);
    }
    return status;
}

irr_status_t irr_tool_routine_make(const irr_tree_t *tree, irr_tool_routine_t *routine)
{
    irr_tool_routine_t made = { .ranks = 0 };
    irr_schedule_t schedule;
    irr_status_t status = irr_tree_all_to_all(tree, 1, &schedule);

    if (status != IRR_OK) {
        return status;
    }
    status = make_from(tree, &schedule, &made);
    irr_schedule_fini(&schedule);
    if (status == IRR_OK) {
        *routine = made;
    }
    return status;
}
