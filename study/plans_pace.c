/*
 * plans_pace.c - see plans.h: the pace of a job's plans, as its ranks would add it.
 */
#include "study/plans.h"

#include "order/tree/syncs.h"
#include "pace/pace.h"
#include "route/schedule_plans.h"
#include "route/schedule_syncs.h"

/* As a job has them: those of the tree if no two messages of a step meet there, else those of one switch. */
static irr_status_t find_syncs(const irr_schedule_t *schedule, const irr_tree_t *tree, irr_syncs_t *syncs)
{
    irr_status_t status = tree != NULL ? irr_tree_check(tree, schedule, NULL) : IRR_ERR_INVALID_PLAN;
    irr_tree_t star;

    if (status == IRR_OK) {
        return irr_syncs_find(tree, schedule, NULL, syncs);
    }
    if (status == IRR_ERR_INVALID_PLAN) {
        status = irr_tree_init_star(&star, schedule->ranks);
    }
    if (status == IRR_OK) {
        status = irr_syncs_find(&star, schedule, NULL, syncs);
        irr_tree_fini(&star);
    }
    return status;
}

/* Whole messages, and no lead, which would let some go earlier. */
static irr_status_t add_syncs(irr_plan_t *plan, const irr_schedule_t *schedule, const irr_syncs_t *syncs)
{
    irr_schedule_syncs_t mine = { 0 };
    const irr_pace_params_t params = { .syncs = &mine };
    irr_schedule_t own;
    irr_status_t status = irr_schedule_own(schedule, plan->rank, 0, &own);

    if (status != IRR_OK) {
        return status;
    }
    status = irr_schedule_syncs_build(schedule, syncs, plan->rank, &own, 0, &mine);
    if (status == IRR_OK) {
        status = irr_pace_add(&irr_pace_sync, &params, plan);
    }
    irr_schedule_syncs_fini(&mine);
    irr_schedule_fini(&own);
    return status;
}

irr_status_t irr_plans_pace(irr_plans_t *plans, irr_pacing_t pacing, size_t grants, const irr_schedule_t *schedule,
                            const irr_tree_t *tree)
{
    const irr_pace_params_t params = { .grants = grants };
    const bool syncs = pacing == IRR_PACE_SYNC;
    irr_syncs_t found = { 0 };
    irr_status_t status = syncs ? find_syncs(schedule, tree, &found) : IRR_OK;

    for (int r = 0; r < plans->ranks && status == IRR_OK; r++) {
        status = syncs ? add_syncs(&plans->plans[r], schedule, &found)
                       : irr_pace_add(irr_pace_of(pacing), &params, &plans->plans[r]);
    }
    irr_syncs_fini(&found);
    return status;
}
