/*
 * irr_fleet.h - a world whose ranks run plans that a test has made, without communicators.
 *
 * Each rank has an executor, and a spy between the executor and the transport.  In each round of a run every rank
 * progresses once.  The number of rounds is bounded, so a hang is a failure, not a time-out.
 */
#ifndef IRR_FLEET_H
#define IRR_FLEET_H

#include "irr_world.h"

#include "exec/exec.h"

#define IRR_FLEET_CHANNEL 9

typedef struct irr_fleet_rank {
    irr_spy_t      *spy;
    irr_peer_t    **peers;
    irr_page_t     *pages;
    irr_channel_t  *channel;   /* has all ranks and the id IRR_FLEET_CHANNEL */
    irr_plan_t      plan;      /* plan that irr_fleet_start runs */
    irr_exec_t      exec;
    irr_counters_t  counters;
    void           *scratch;
    bool            running;
    irr_status_t    result;    /* result of the last run */
} irr_fleet_rank_t;

typedef struct irr_fleet {
    int               ranks;
    irr_world_t       world;       /* the transports of the ranks */
    irr_fleet_rank_t *rank;
    irr_compose_t     compose;
    size_t            window_messages, window_bytes;
} irr_fleet_t;

/* Creates a fleet; seed and eager_max as for irr_fabric_create. */
irr_fleet_t *irr_fleet_create(int ranks, uint64_t seed, size_t eager_max);

/* Creates a fleet with a fault transport between the spy of each rank and its transport. faults: one fault per rank. */
irr_fleet_t *irr_fleet_create_faulty(int ranks, uint64_t seed, size_t eager_max, const irr_fault_t *faults);

void         irr_fleet_destroy(irr_fleet_t *fleet);

/* Starts the plan of one rank. */
void irr_fleet_start(irr_fleet_t *fleet, int rank, const void *input, void *output);

/* Progresses all ranks for `rounds` rounds. */
void irr_fleet_progress(irr_fleet_t *fleet, int rounds);

/* Progresses all ranks until no rank runs. Returns false if ranks still run after the maximum number of rounds. */
bool irr_fleet_run(irr_fleet_t *fleet);

/*
 * Progresses all ranks in a run where a rank may fail. If a rank has failed, ranks that still run after some rounds end
 * in IRR_ERR_PEER, as if they had been notified. Returns false if ranks still run although no rank has failed.
 */
bool irr_fleet_run_failing(irr_fleet_t *fleet);

#endif
