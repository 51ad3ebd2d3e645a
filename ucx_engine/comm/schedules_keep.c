/*
 * schedules_keep.c - makes a cache entry of an assignment, and room to run it; see schedules_learn.h.
 */
#include "comm/schedules_learn.h"

#include "core/alloc.h"

/* Makes room to run a plan of these bounds. */
static irr_status_t reserve(irr_schedules_t *schedules, irr_plan_bounds_t bounds, size_t scratch)
{
    irr_status_t status = irr_plan_reserve(schedules->plan, bounds);

    if (status == IRR_OK) {
        status = irr_exec_reserve(schedules->exec, bounds);
    }
    return status == IRR_OK ? irr_grow(&schedules->scratch, &schedules->scratch_max, scratch, 1) : status;
}

irr_status_t irr_schedules_keep(irr_schedules_t *schedules, irr_assignment_t *assignment, irr_cache_entry_t *entry)
{
    const irr_strategy_t *strategy = &schedules->strategy;
    irr_status_t status = irr_share_init(&entry->share, strategy, &assignment->local, schedules->rank);

    entry->forward = assignment->forward;
    assignment->forward = (irr_forward_t){ .step = NULL };
    if (status != IRR_OK) {
        return status;
    }
    return reserve(schedules, irr_strategy_bounds(strategy, schedules->ranks, 0, &entry->share, &entry->forward),
                   irr_strategy_forwards(strategy) ? irr_forward_scratch(&entry->forward) : 0);
}
