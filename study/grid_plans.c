/*
 * grid_plans.c - carries the slices (ranges of blocks) of all ranks through the stages of a grid, and builds their
 * plans.
 *
 * For each stage, the plan of every rank gets its sends first.  Then it gets its receives: the sends of the other ranks
 * to this rank, in the order of the schedule.  See grid_plan.c for the plan of a rank.
 */
#include "study/grid_plans.h"

#include "core/alloc.h"
#include "route/grid_plan.h"

typedef struct rank {
    irr_stages_t    stages;
    irr_grid_plan_t build;
} rank_t;

/* Adds the receives of a rank in a stage. */
static irr_status_t receive(rank_t *all, int rank, int number)
{
    const irr_stage_t *stage = &all[rank].stages.stage[number - 1];
    irr_status_t status = IRR_OK;

    for (int i = 0; i < stage->senders && status == IRR_OK; i++) {
        const rank_t *from = &all[stage->sender[i]];
        const irr_grid_plan_t *build = &from->build;
        int slot = irr_stage_slot(&from->stages.stage[number - 1], rank);
        size_t step = build->send_steps[build->slot_base + (size_t)slot];

        if (step != IRR_NO_STEP) {
            status = irr_grid_plan_receive(&all[rank].build, number, i, irr_grid_plan_slices(build, step), NULL,
                                           build->plan.steps[step].pieces);
        }
    }
    return status;
}

/* Runs a stage.  The memory of a distribution is as large as the data of a rank, so it is not kept for all ranks. */
static irr_status_t run_stage(rank_t *all, int ranks, int number)
{
    irr_status_t status = IRR_OK;

    for (int r = 0; r < ranks && status == IRR_OK; r++) {
        status = irr_grid_plan_sends(&all[r].build, number);
        irr_distribution_fini(&all[r].build.distribution);
    }
    for (int r = 0; r < ranks && status == IRR_OK; r++) {
        status = receive(all, r, number);
    }
    for (int r = 0; r < ranks && status == IRR_OK; r++) {
        status = irr_grid_plan_end_stage(&all[r].build, number);
    }
    return status;
}

static irr_status_t start(rank_t *rank, const irr_grid_t *grid, size_t slice_min, irr_overlap_t overlap,
                          const irr_problem_t *problem)
{
    irr_status_t status = irr_stages_init(&rank->stages, grid, problem->ranks, problem->rank);

    if (status == IRR_OK) {
        status = irr_grid_plan_init(&rank->build, &rank->stages);
    }
    if (status == IRR_OK) {
        status = irr_grid_plan_begin(&rank->build, problem, slice_min, overlap);
    }
    return status;
}

irr_status_t irr_grid_plans_build(const irr_grid_t *grid, size_t slice_min, irr_overlap_t overlap,
                                  const irr_problem_t *problems, int ranks, irr_plan_t *plans)
{
    rank_t *all = irr_alloc_zero((size_t)ranks, sizeof(*all));
    irr_status_t status = all != NULL ? IRR_OK : IRR_ERR_NO_MEMORY;

    for (int r = 0; r < ranks && status == IRR_OK; r++) {
        status = start(&all[r], grid, slice_min, overlap, &problems[r]);
    }
    for (int number = 1; status == IRR_OK && number <= irr_grid_stages(grid); number++) {
        status = run_stage(all, ranks, number);
    }
    for (int r = 0; r < ranks && status == IRR_OK; r++) {
        status = irr_grid_plan_finish(&all[r].build);
    }
    for (int r = 0; all != NULL && r < ranks; r++) {
        if (status == IRR_OK) {
            irr_plan_fini(&plans[r]);
            plans[r] = all[r].build.plan;
            irr_plan_init(&all[r].build.plan);
        }
        irr_grid_plan_fini(&all[r].build);
        irr_stages_fini(&all[r].stages);
    }
    irr_free(all);
    return status;
}
