/*
 * schedules_keep.c - what a rank keeps of a schedule: its own part, in each way that the schedule may run; see
 * schedules_learn.h.
 *
 * Ways of a route share a schedule: one of the messages as they are, and one of what the ranks of hosts forward.
 */
#include "comm/schedules_learn.h"

#include "core/alloc.h"

void irr_schedules_tune(const irr_schedules_t *schedules, irr_tune_t *tune)
{
    irr_tune_init(tune, schedules->ways, schedules->favourite);
    if (!schedules->timed) {
        irr_tune_settle(tune);
    }
}

void irr_schedules_drop(const irr_schedules_t *schedules, int route, irr_tune_t *tune)
{
    for (int i = 0; i < schedules->ways; i++) {
        if (irr_schedules_needs(schedules, i, route)) {
            irr_tune_drop(tune, i);
        }
    }
}

/* Makes room to run a plan of such bounds. */
static irr_status_t reserve(irr_schedules_t *schedules, irr_plan_bounds_t bounds, size_t scratch)
{
    irr_status_t status = irr_plan_reserve(schedules->plan, bounds);

    if (status == IRR_OK) {
        status = irr_exec_reserve(schedules->exec, bounds);
    }
    return status == IRR_OK ? irr_grow(&schedules->scratch, &schedules->scratch_max, scratch, 1) : status;
}

/* forward: empty, unless the way forwards. */
static irr_status_t keep_share(irr_schedules_t *schedules, const irr_excerpt_t *excerpt, const irr_forward_t *forward,
                              const irr_way_t *way, irr_share_t *share)
{
    irr_status_t status = irr_share_init(share, way, excerpt, schedules->rank);

    return status != IRR_OK ? status : reserve(schedules, irr_way_bounds(way, schedules->ranks, 0, share, forward),
                                               irr_way_forwards(way) ? irr_forward_scratch(forward) : 0);
}

irr_status_t irr_schedules_keep(irr_schedules_t *schedules, irr_assignment_t *assignment, irr_cache_entry_t *entry)
{
    irr_status_t status;

    for (int route = 0; route < IRR_ASSIGNS; route++) {
        if (!assignment->given[route]) {
            irr_schedules_drop(schedules, route, &entry->tune);
        }
    }
    status = entry->tune.left > 0 ? IRR_OK : IRR_ERR_PROTOCOL;
    entry->forward = assignment->forward;
    assignment->forward = (irr_forward_t){ .step = NULL };
    for (int i = 0; i < schedules->ways && status == IRR_OK; i++) {
        const irr_way_t *way = &schedules->way[i];
        const int route = irr_way_forwards(way) ? IRR_ASSIGNS_FORWARDED : IRR_ASSIGNS_DIRECT;

        if (irr_tune_has(&entry->tune, i) && irr_way_is_scheduled(way)) {
            status = keep_share(schedules, &assignment->excerpt[route], &entry->forward, way, &entry->share[i]);
        }
    }
    return status;
}
