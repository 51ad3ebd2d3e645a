/* schedules_keep.c - converts a rank's part of a schedule to an entry of the cache; see schedules_learn.h. */
#include "comm/schedules_learn.h"

#include "core/alloc.h"

irr_status_t irr_schedules_keep(irr_schedules_t *schedules, irr_assignment_t *assignment, irr_cache_entry_t *entry)
{
    const irr_strategy_t *strategy = &schedules->strategy;
    irr_status_t status = irr_share_init(&entry->share, strategy, &assignment->local, schedules->rank);

    entry->forward = assignment->forward;
    assignment->forward = (irr_forward_t){ .step = NULL };
    if (status == IRR_OK && irr_strategy_forwards(strategy)) {
        status = irr_grow(&schedules->scratch, &schedules->scratch_max, irr_forward_scratch(&entry->forward), 1);
    }
    return status;
}
