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
    grid.direct_from = 0;   /* the relay alone runs here */
    return grid;
}

/* Creates a fleet with the fault of the params. */
static irr_fleet_t *open_fleet(const irr_relays_params_t *params)
{
    irr_fault_t *faults = irr_test_array((size_t)params->ranks, sizeof(*faults));
    irr_fleet_t *fleet;

    for (int r = 0; r < params->ranks && params->fault != NULL; r++) {
        if (params->faulty == r || params->faulty < 0) {
            faults[r] = *params->fault;
            faults[r].seed += (uint64_t)r;
        }
    }
    fleet = irr_fleet_create_faulty(params->ranks, params->seed, params->eager_max,
                                    params->fault != NULL ? faults : NULL);
    free(faults);
    fleet->compose = params->compose;
    fleet->window_messages = params->window_messages;
    fleet->window_bytes = params->window_bytes;
    for (int r = 0; r < params->ranks; r++) {
        fleet->rank[r].spy->super.caps.zero_copy_min = params->zero_copy_min > 0 ? params->zero_copy_min : SIZE_MAX;
    }
    return fleet;
}

static irr_status_t make_nodes(int ranks, int per_node, irr_nodes_t *nodes)
{
    irr_status_t status;
    int *labels;

    if (per_node == 0) {
        return irr_plan_all_nodes(ranks, nodes);
    }
    labels = irr_test_array((size_t)ranks, sizeof(*labels));
    for (int r = 0; r < ranks; r++) {
        labels[r] = r / per_node;
    }
    status = irr_nodes_init(nodes, ranks, labels);
    free(labels);
    return status;
}

irr_relays_t *irr_relays_create(const irr_relays_params_t *params)
{
    irr_relays_t *relays = irr_test_array(1, sizeof(*relays));
    irr_grid_t grid;

    relays->params = *params;
    relays->rank = irr_test_array((size_t)params->ranks, sizeof(*relays->rank));
    irr_test_must(make_nodes(params->ranks, params->per_node, &relays->nodes));
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
        irr_grid_plan_fini(&relays->rank[r].frozen);
        irr_relay_fini(&relays->rank[r].relay);
    }
    irr_nodes_fini(&relays->nodes);
    free(relays->rank);
    free(relays);
}

/* ---- exchanges ---- */

static irr_exec_env_t begin(irr_relays_t *relays, const irr_job_t *job, int rank)
{
    memset(&relays->rank[rank].member->counters, 0, sizeof(irr_counters_t));
    relays->fleet->tag_base = irr_tag_base(relays->sequence);
    return irr_fleet_begin(relays->fleet, rank, irr_job_input(job, rank), irr_job_output(job, rank));
}

void irr_relays_start(irr_relays_t *relays, const irr_job_t *job, int rank)
{
    irr_exec_env_t env = begin(relays, job, rank);

    irr_relay_start(&relays->rank[rank].relay, &job->problems[rank], &env);
}

static void start_frozen(irr_relays_t *relays, const irr_job_t *job, int rank)
{
    irr_exec_t *exec = &relays->rank[rank].member->exec;

    exec->env = begin(relays, job, rank);
    irr_exec_start(exec, &relays->rank[rank].frozen.plan);
}

/* Fills the job with new bytes and starts it on all ranks.  The first ranks run alone for a while. */
static void start_all(irr_relays_t *relays, irr_job_t *job,
                      void (*start)(irr_relays_t *relays, const irr_job_t *job, int rank))
{
    job->salt++;
    irr_job_fill(job);
    for (int r = 0; r < job->ranks; r++) {
        start(relays, job, r);
        if (r == job->ranks / 2) {
            irr_fleet_progress(relays->fleet, 10);
        }
    }
    relays->sequence++;
}

bool irr_relays_exchange(irr_relays_t *relays, irr_job_t *job)
{
    start_all(relays, job, irr_relays_start);
    return irr_fleet_run(relays->fleet);
}

irr_status_t irr_relays_freeze(irr_relays_t *relays, const irr_job_t *job)
{
    for (int r = 0; r < job->ranks; r++) {
        irr_relays_rank_t *rank = &relays->rank[r];
        irr_grid_plan_t frozen;
        irr_status_t status = irr_relay_freeze(&rank->relay, &job->problems[r], &frozen);

        if (status != IRR_OK) {
            return status;
        }
        irr_grid_plan_fini(&rank->frozen);
        rank->frozen = frozen;
        free(rank->member->scratch);
        rank->member->scratch = irr_test_array(frozen.plan.scratch_bytes, 1);
        status = irr_exec_reserve(&rank->member->exec, irr_plan_size(&frozen.plan));
        if (status != IRR_OK) {
            return status;
        }
    }
    return IRR_OK;
}

bool irr_relays_exchange_frozen(irr_relays_t *relays, irr_job_t *job)
{
    start_all(relays, job, start_frozen);
    return irr_fleet_run(relays->fleet);
}

/* ---- results ---- */

int irr_relays_untrue(const irr_relays_t *relays, const irr_job_t *job)
{
    int untrue = 0;

    for (int r = 0; r < job->ranks; r++) {
        untrue += relays->rank[r].member->result == IRR_OK && !irr_job_verify(job, r);
    }
    return untrue;
}

int irr_relays_wrong(const irr_relays_t *relays, const irr_job_t *job)
{
    int wrong = 0;

    for (int r = 0; r < job->ranks; r++) {
        wrong += relays->rank[r].member->result != IRR_OK || !irr_job_verify(job, r);
    }
    return wrong;
}
