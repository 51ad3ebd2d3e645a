/*
 * irr_relays.c - see irr_relays.h.
 */
#include "irr_relays.h"

#include "irr_test.h"

#include "plan/strategy.h"
#include "plan_all.h"

#include <stdlib.h>
#include <string.h>

/* ---- life ---- */

irr_grid_t irr_relays_grid(const irr_relays_t *relays)
{
    const irr_relays_params_t *params = &relays->params;
    const irr_strategy_t *strategy = irr_algorithm_strategy(irr_algorithm_find(params->algorithm));
    irr_grid_t grid;

    irr_test_must(irr_strategy_grid(strategy, params->ranks, &relays->nodes, &grid));
    grid.direct_from = 0;   /* only the relay runs here */
    return grid;
}

static irr_fleet_t *open_fleet(const irr_relays_params_t *params)
{
    irr_fleet_t *fleet = irr_fleet_create(params->ranks, params->seed, params->eager_max);

    fleet->compose = params->compose;
    fleet->window_messages = params->window_messages;
    fleet->window_bytes = params->window_bytes;
    for (int r = 0; r < params->ranks; r++) {
        fleet->rank[r].spy->super.caps.zero_copy_min = params->zero_copy_min > 0 ? params->zero_copy_min : SIZE_MAX;
    }
    return fleet;
}

irr_relays_t *irr_relays_create(const irr_relays_params_t *params)
{
    irr_relays_t *relays = irr_test_array(1, sizeof(*relays));
    irr_grid_t grid;

    relays->params = *params;
    relays->rank = irr_test_array((size_t)params->ranks, sizeof(*relays->rank));
    irr_test_must(irr_plan_all_nodes(params->ranks, &relays->nodes));
    grid = irr_relays_grid(relays);
    relays->fleet = open_fleet(params);
    for (int r = 0; r < params->ranks; r++) {
        irr_relays_rank_t *rank = &relays->rank[r];

        irr_test_must(irr_relay_init(&rank->relay, &grid, params->ranks, r, params->slice_min, params->overlap));
        rank->member = &relays->fleet->rank[r];
        rank->member->relay = &rank->relay;
    }
    return relays;
}

void irr_relays_destroy(irr_relays_t *relays)
{
    irr_fleet_destroy(relays->fleet);
    for (int r = 0; r < relays->params.ranks; r++) {
        irr_relay_fini(&relays->rank[r].relay);
    }
    irr_nodes_fini(&relays->nodes);
    free(relays->rank);
    free(relays);
}

/* ---- exchanges ---- */

void irr_relays_start(irr_relays_t *relays, const irr_job_t *job, int rank)
{
    irr_exec_env_t env;

    memset(&relays->rank[rank].member->counters, 0, sizeof(irr_counters_t));
    relays->fleet->tag_base = irr_tag_base(relays->sequence);
    env = irr_fleet_begin(relays->fleet, rank, irr_job_input(job, rank), irr_job_output(job, rank));
    irr_relay_start(&relays->rank[rank].relay, &job->problems[rank], &env);
}

bool irr_relays_exchange(irr_relays_t *relays, irr_job_t *job)
{
    job->salt++;
    irr_job_fill(job);
    for (int r = 0; r < job->ranks; r++) {
        irr_relays_start(relays, job, r);
        if (r == job->ranks / 2) {
            irr_fleet_progress(relays->fleet, 10);
        }
    }
    relays->sequence++;
    return irr_fleet_run(relays->fleet);
}

irr_status_t irr_relays_freeze(const irr_relays_t *relays, const irr_job_t *job)
{
    irr_status_t status = IRR_OK;

    for (int r = 0; r < job->ranks && status == IRR_OK; r++) {
        irr_grid_plan_t frozen;

        status = irr_relay_freeze(&relays->rank[r].relay, &job->problems[r], &frozen);
        if (status == IRR_OK) {
            irr_grid_plan_fini(&frozen);
        }
    }
    return status;
}

int irr_relays_wrong(const irr_relays_t *relays, const irr_job_t *job)
{
    int wrong = 0;

    for (int r = 0; r < job->ranks; r++) {
        wrong += relays->rank[r].member->result != IRR_OK || !irr_job_verify(job, r);
    }
    return wrong;
}
