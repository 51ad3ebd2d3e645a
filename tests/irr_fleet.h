/*
 * irr_fleet.h - N ranks in one process and one thread that run plans or relays over a loopback fabric.
 *
 * Each rank has an executor, and a spy between it and its transport.  A run takes rounds, in which every
 * rank progresses once; their number is bounded, so an exchange that hangs is a failure and not a time-out.
 */
#ifndef IRR_FLEET_H
#define IRR_FLEET_H

#include "irr_spy.h"

#include "exec/exec.h"
#include "exec/relay.h"
#include "pacing/signals.h"
#include "study/fabric.h"

#define IRR_FLEET_CHANNEL 9

typedef struct irr_fleet_rank {
    irr_spy_t      *spy;
    irr_peer_t    **peers;
    irr_channel_t  *channel;   /* of all ranks, with id IRR_FLEET_CHANNEL */
    irr_plan_t      plan;      /* what start runs */
    irr_exec_t      exec;
    irr_relay_t    *relay;     /* NULL, or what start_relay runs; the caller's */
    irr_counters_t  counters;
    void           *scratch;
    irr_failure_t  *failure;   /* as in irr_exec_env_t; NULL until a test sets it */
    bool            running;
    irr_status_t    result;    /* of the last run */
} irr_fleet_rank_t;

typedef struct irr_fleet {
    int               ranks;
    irr_fabric_t     *fabric;
    irr_fleet_rank_t *rank;
    irr_compose_t     compose;
    size_t            window_messages, window_bytes;
    uint16_t          tag_base;                       /* a new one for each exchange */
    int               now;    /* the rank that runs, so that a test knows which rank allocates */
} irr_fleet_t;

/* Seed and eager_max as irr_fabric_create has them. */
irr_fleet_t *irr_fleet_create(int ranks, uint64_t seed, size_t eager_max);

/* The same with a fault between the spy of each rank and its transport; one a rank. */
irr_fleet_t *irr_fleet_create_faulty(int ranks, uint64_t seed, size_t eager_max, const irr_fault_t *faults);

void         irr_fleet_destroy(irr_fleet_t *fleet);

/*
 * Adds a pacing to the plan of one rank, which stays within the bounds that are told for it; signals: of the pacing
 * sync, or NULL.
 */
void irr_fleet_pacing(irr_fleet_t *fleet, int rank, irr_pacing_kind_t pacing, size_t grants,
                      const irr_signals_t *signals);

/* Starts the plan of one rank. */
void irr_fleet_start(irr_fleet_t *fleet, int rank, const void *input, void *output);

/* The same without a plan: marks the rank as running, and returns what an executor or a relay runs with. */
irr_exec_env_t irr_fleet_begin(irr_fleet_t *fleet, int rank, const void *input, void *output);

/* Progresses all ranks so many times. */
void irr_fleet_progress(irr_fleet_t *fleet, int rounds);

/* Progresses all ranks until none runs.  False: they did not come to an end, or not in so many rounds. */
bool irr_fleet_run(irr_fleet_t *fleet);
bool irr_fleet_run_for(irr_fleet_t *fleet, int rounds);

/*
 * The same where a rank may fail: when one has, and nothing moves any more, those that still run have heard of it, and
 * end in IRR_ERR_PEER.  False: ranks wait for each other though none has failed.
 */
bool irr_fleet_run_failing(irr_fleet_t *fleet);

#endif
