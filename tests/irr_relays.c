/*
 * irr_relays.c - see irr_relays.h.
 */
#include "irr_relays.h"

#include "irr_test.h"

#include "plan/way.h"
#include "plan_all.h"

#include <stdlib.h>
#include <string.h>

/* ---- life ---- */

irr_grid_t irr_relays_grid(const irr_relays_t *relays)
{
    const irr_relays_params_t *params = &relays->params;
    const irr_way_t *way = irr_algorithm_way(irr_algorithm_find(params->algorithm));
    irr_grid_t grid;

    irr_test_must(irr_way_grid(way, params->ranks, &relays->nodes, &grid));
    grid.direct_from = 0;   /* nothing runs beside the relay here */
    return grid;
}

static void connect_to(irr_relays_t *relays, int rank, int to)
{
    irr_transport_t *from = &relays->rank[rank].spy->super, *other = &relays->rank[to].spy->super;
    const void *address;
    size_t length;

    if (relays->rank[rank].peers[to] == NULL) {
        irr_test_must(other->ops->address(other, &address, &length));
        irr_test_must(from->ops->connect(from, address, length, &relays->rank[rank].peers[to]));
    }
}

static void connect_stages(irr_relays_t *relays, int rank)
{
    const irr_stages_t *stages = &relays->rank[rank].relay.stages;

    for (int s = 0; s < stages->count; s++) {
        const irr_stage_t *stage = &stages->stage[s];

        for (int slot = 0; slot < stage->slots; slot++) {
            if (slot != stage->own) {
                connect_to(relays, rank, stage->peer[slot]);
            }
        }
    }
    for (int distance = 1; distance < relays->params.ranks; distance *= 2) {
        if (relays->params.overlap == IRR_OVERLAP_BLOCKING) {
            connect_to(relays, rank, (rank + distance) % relays->params.ranks);
        }
    }
}

static void open_transport(irr_relays_t *relays, int index)
{
    const irr_relays_params_t *params = &relays->params;
    irr_relays_rank_t *rank = &relays->rank[index];
    irr_transport_t *transport;

    irr_test_must(irr_loopback_open(relays->fabric, index, &transport));
    if (params->fault != NULL && (params->faulty == index || params->faulty < 0)) {
        irr_fault_t fault = *params->fault;

        fault.seed += (uint64_t)index;
        irr_test_must(irr_fault_open(transport, &fault, &transport));
    }
    rank->spy = irr_spy_create(transport);
    rank->spy->super.caps.zero_copy_min = params->zero_copy_min > 0 ? params->zero_copy_min : SIZE_MAX;
    rank->peers = irr_test_array((size_t)params->ranks, sizeof(irr_peer_t *));
    irr_test_must(rank->spy->super.ops->open_channel(&rank->spy->super, IRR_RELAYS_CHANNEL, params->ranks, index,
                                                     rank->peers, &rank->channel));
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
    irr_test_must(irr_fabric_create(params->ranks, params->seed, params->eager_max, &relays->fabric));
    for (int r = 0; r < params->ranks; r++) {
        open_transport(relays, r);
        irr_exec_init(&relays->rank[r].exec);
        irr_test_must(irr_relay_init(&relays->rank[r].relay, &grid, params->ranks, r, params->slice_min,
                            params->overlap));
    }
    for (int r = 0; r < params->ranks; r++) {
        connect_stages(relays, r);
    }
    return relays;
}

void irr_relays_destroy(irr_relays_t *relays)
{
    for (int r = 0; r < relays->params.ranks; r++) {
        irr_relays_rank_t *rank = &relays->rank[r];

        rank->spy->super.ops->close_channel(rank->channel);
        rank->spy->super.ops->free(&rank->spy->super);
        irr_grid_plan_fini(&rank->frozen);
        irr_exec_fini(&rank->exec);
        irr_relay_fini(&rank->relay);
        free(rank->scratch);
        free(rank->peers);
    }
    irr_fabric_destroy(relays->fabric);
    irr_nodes_fini(&relays->nodes);
    free(relays->rank);
    free(relays);
}

/* ---- exchanges ---- */

static irr_exec_env_t make_env(irr_relays_t *relays, const irr_job_t *job, int index)
{
    const irr_relays_params_t *params = &relays->params;
    irr_relays_rank_t *rank = &relays->rank[index];

    memset(&rank->counters, 0, sizeof(rank->counters));
    relays->now = index;
    rank->running = true;
    rank->result = IRR_IN_PROGRESS;
    return (irr_exec_env_t){
        .channel = rank->channel,
        .tag_base = irr_tag_base(relays->sequence),
        .input = irr_job_input(job, index),
        .output = irr_job_output(job, index),
        .scratch = rank->scratch,
        .compose = params->compose,
        .window_messages = params->window_messages,
        .window_bytes = params->window_bytes,
        .counters = &rank->counters
    };
}

void irr_relays_start(irr_relays_t *relays, const irr_job_t *job, int rank)
{
    irr_exec_env_t env = make_env(relays, job, rank);

    irr_relay_start(&relays->rank[rank].relay, &job->problems[rank], &env);
}

static void start_frozen(irr_relays_t *relays, const irr_job_t *job, int rank)
{
    irr_exec_t *exec = &relays->rank[rank].exec;

    exec->env = make_env(relays, job, rank);
    irr_exec_start(exec, &relays->rank[rank].frozen.plan);
}

/* A relay is at rest until its first exchange, and an executor knows whether it runs. */
static irr_status_t progress_rank(irr_relays_rank_t *rank)
{
    return rank->exec.plan != NULL ? irr_exec_progress(&rank->exec) : irr_relay_progress(&rank->relay);
}

bool irr_relays_progress(irr_relays_t *relays, int rounds)
{
    bool busy = true;

    for (int round = 0; round < rounds && busy; round++) {
        busy = false;
        for (int r = 0; r < relays->params.ranks; r++) {
            irr_relays_rank_t *rank = &relays->rank[r];

            relays->now = r;
            rank->spy->super.ops->progress(&rank->spy->super);
            if (rank->running) {
                rank->result = progress_rank(rank);
                rank->running = rank->result == IRR_IN_PROGRESS;
            }
            busy = busy || rank->running || rank->spy->repairing;
        }
    }
    return !busy;
}

static void start_all(irr_relays_t *relays, irr_job_t *job,
                      void (*start)(irr_relays_t *relays, const irr_job_t *job, int rank))
{
    job->salt++;
    irr_job_fill(job);
    for (int r = 0; r < job->ranks; r++) {
        start(relays, job, r);
        if (r == job->ranks / 2) {
            irr_relays_progress(relays, 10);
        }
    }
    relays->sequence++;
}

void irr_relays_start_all(irr_relays_t *relays, irr_job_t *job)
{
    start_all(relays, job, irr_relays_start);
}

bool irr_relays_exchange(irr_relays_t *relays, irr_job_t *job)
{
    irr_relays_start_all(relays, job);
    return irr_relays_progress(relays, IRR_RELAYS_ROUNDS);
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
        free(rank->scratch);
        rank->scratch = irr_test_array(frozen.plan.scratch_bytes, 1);
        status = irr_exec_reserve(&rank->exec, (irr_plan_bounds_t){
            .steps = frozen.plan.nsteps, .pieces = frozen.plan.npieces
        });
        if (status != IRR_OK) {
            return status;
        }
    }
    return IRR_OK;
}

bool irr_relays_exchange_frozen(irr_relays_t *relays, irr_job_t *job)
{
    start_all(relays, job, start_frozen);
    return irr_relays_progress(relays, IRR_RELAYS_ROUNDS);
}

/* ---- results ---- */

int irr_relays_untrue(const irr_relays_t *relays, const irr_job_t *job)
{
    int untrue = 0;

    for (int r = 0; r < job->ranks; r++) {
        untrue += relays->rank[r].result == IRR_OK && !irr_job_verify(job, r);
    }
    return untrue;
}

int irr_relays_wrong(const irr_relays_t *relays, const irr_job_t *job)
{
    int wrong = 0;

    for (int r = 0; r < job->ranks; r++) {
        wrong += relays->rank[r].result != IRR_OK || !irr_job_verify(job, r);
    }
    return wrong;
}
