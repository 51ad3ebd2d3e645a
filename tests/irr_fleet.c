/*
 * irr_fleet.c - see irr_fleet.h.
 */
#include "irr_fleet.h"

#include "irr_test.h"

#include <stdlib.h>

#define ROUNDS_MAX 20000
#define ROUNDS_FAILING 1000

static void connect_all(irr_fleet_t *fleet, int rank)
{
    irr_transport_t *transport = &fleet->rank[rank].spy->super;

    for (int i = 0; i < fleet->ranks; i++) {
        irr_transport_t *other = &fleet->rank[i].spy->super;
        const void *address;
        size_t length;

        irr_test_must(other->ops->address(other, &address, &length));
        irr_test_must(transport->ops->connect(transport, address, length, &fleet->rank[rank].peers[i]));
    }
    irr_test_must(transport->ops->open_channel(transport, IRR_FLEET_CHANNEL, fleet->ranks, rank,
                                               fleet->rank[rank].pages, &fleet->rank[rank].channel));
}

irr_fleet_t *irr_fleet_create(int ranks, uint64_t seed, size_t eager_max)
{
    return irr_fleet_create_faulty(ranks, seed, eager_max, NULL);
}

irr_fleet_t *irr_fleet_create_faulty(int ranks, uint64_t seed, size_t eager_max, const irr_fault_t *faults)
{
    irr_fleet_t *fleet = irr_test_array(1, sizeof(*fleet));

    irr_world_open_faulty(&fleet->world, ranks, seed, eager_max, faults);
    fleet->ranks = ranks;
    fleet->rank = irr_test_array((size_t)ranks, sizeof(*fleet->rank));
    fleet->compose = IRR_COMPOSE_AUTO;
    for (int r = 0; r < ranks; r++) {
        fleet->rank[r].spy = fleet->world.spies[r];
        fleet->rank[r].peers = irr_world_array(&fleet->world, ranks, sizeof(irr_peer_t *));
        fleet->rank[r].pages = irr_world_array(&fleet->world, ranks, sizeof(irr_page_t));
        irr_channel_cut(fleet->rank[r].peers, ranks, fleet->rank[r].pages);
        irr_plan_init(&fleet->rank[r].plan);
        irr_exec_init(&fleet->rank[r].exec);
    }
    for (int r = 0; r < ranks; r++) {
        connect_all(fleet, r);
    }
    return fleet;
}

void irr_fleet_destroy(irr_fleet_t *fleet)
{
    for (int r = 0; r < fleet->ranks; r++) {
        fleet->rank[r].spy->super.ops->close_channel(fleet->rank[r].channel);
        irr_engine_close(fleet->world.engines[r]);
    }
    (void)irr_world_drain(&fleet->world);   /* messages of a failed rank may be left */
    for (int r = 0; r < fleet->ranks; r++) {
        irr_exec_fini(&fleet->rank[r].exec);
        irr_plan_fini(&fleet->rank[r].plan);
        free(fleet->rank[r].scratch);
    }
    free(fleet->rank);
    free(fleet);
}

void irr_fleet_start(irr_fleet_t *fleet, int index, const void *input, void *output)
{
    irr_fleet_rank_t *rank = &fleet->rank[index];

    free(rank->scratch);
    rank->scratch = rank->plan.scratch_bytes > 0 ? irr_test_array(rank->plan.scratch_bytes, 1) : NULL;
    rank->running = true;
    rank->result = IRR_IN_PROGRESS;
    rank->exec.env = (irr_exec_env_t){
        .channel = rank->channel, .input = input, .output = output,
        .scratch = rank->scratch, .compose = fleet->compose, .window_messages = fleet->window_messages,
        .window_bytes = fleet->window_bytes, .counters = &rank->counters
    };
    irr_test_must(irr_exec_reserve(&rank->exec, irr_plan_size(&rank->plan)));
    irr_exec_start(&rank->exec, &rank->plan);
}

/* Progresses all ranks once. Returns true if a rank still runs. */
static bool progress_once(irr_fleet_t *fleet)
{
    bool busy = false;

    for (int r = 0; r < fleet->ranks; r++) {
        irr_fleet_rank_t *rank = &fleet->rank[r];

        rank->spy->super.ops->progress(&rank->spy->super);
        if (rank->running) {
            rank->result = irr_exec_progress(&rank->exec);
            rank->running = rank->result == IRR_IN_PROGRESS;
        }
        busy = busy || rank->running;
    }
    return busy;
}

void irr_fleet_progress(irr_fleet_t *fleet, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        progress_once(fleet);
    }
}

bool irr_fleet_run_failing(irr_fleet_t *fleet)
{
    bool failed = false;

    irr_fleet_progress(fleet, ROUNDS_FAILING);
    for (int r = 0; r < fleet->ranks; r++) {
        failed = failed || fleet->rank[r].exec.failed || fleet->rank[r].exec.held > 0;
    }
    for (int r = 0; r < fleet->ranks && failed; r++) {
        irr_fleet_rank_t *rank = &fleet->rank[r];

        rank->result = rank->running ? IRR_ERR_PEER : rank->result;
        rank->running = false;
    }
    return failed || irr_fleet_run(fleet);
}

bool irr_fleet_run(irr_fleet_t *fleet)
{
    for (int round = 0; round < ROUNDS_MAX; round++) {
        if (!progress_once(fleet)) {
            return true;
        }
    }
    return false;
}
