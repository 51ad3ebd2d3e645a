/*
 * irr_relays.h - a fleet whose ranks run exchanges on a grid route, each with a relay.
 *
 * A fault transport may wrap the transport of a rank.
 */
#ifndef IRR_RELAYS_H
#define IRR_RELAYS_H

#include "irr_fleet.h"
#include "irr_job.h"

typedef struct irr_relays_params {
    const char        *algorithm;      /* name of a grid row */
    int                ranks;
    int                per_node;       /* ranks of a node, in their order; 0: nodes of irr_plan_all_nodes */
    uint64_t           seed;           /* of the fabric, as irr_fabric_create has it, and so is eager_max */
    size_t             eager_max;
    size_t             zero_copy_min;  /* of caps; 0: never */
    size_t             slice_min;
    irr_overlap_t      overlap;
    irr_compose_t      compose;
    size_t             window_messages, window_bytes;   /* both 0: pacing free */
    const irr_fault_t *fault;          /* NULL: none */
    int                faulty;         /* the rank with the fault; -1: all, each with a seed of its own */
} irr_relays_params_t;

typedef struct irr_relays_rank {
    irr_fleet_rank_t *member;
    irr_relay_t       relay;
    irr_grid_plan_t   frozen;
} irr_relays_rank_t;

typedef struct irr_relays {
    irr_relays_params_t params;
    irr_nodes_t         nodes;
    irr_fleet_t        *fleet;
    uint32_t            sequence;   /* of exchanges, also the one to come */
    irr_relays_rank_t  *rank;
} irr_relays_t;

irr_relays_t *irr_relays_create(const irr_relays_params_t *params);
void          irr_relays_destroy(irr_relays_t *relays);

/* The grid of the params; relays->nodes must be made. */
irr_grid_t irr_relays_grid(const irr_relays_t *relays);

/* Starts the relay of one rank on a filled job. */
void irr_relays_start(irr_relays_t *relays, const irr_job_t *job, int rank);

/* Fills the job with new bytes and starts it on all ranks, the first of which run alone for a while. */
void irr_relays_start_all(irr_relays_t *relays, irr_job_t *job);

/* The same, and progresses until none runs.  False: they did not come to an end. */
bool irr_relays_exchange(irr_relays_t *relays, irr_job_t *job);

/* Freezes all ranks after an exchange of this job: IRR_OK or the first error. */
irr_status_t irr_relays_freeze(irr_relays_t *relays, const irr_job_t *job);

/* As irr_relays_exchange, with the frozen plans. */
bool irr_relays_exchange_frozen(irr_relays_t *relays, irr_job_t *job);

/* How many ranks did not end in IRR_OK with every byte right. */
int irr_relays_wrong(const irr_relays_t *relays, const irr_job_t *job);

/* How many ended in IRR_OK, but have a byte that is not right. */
int irr_relays_untrue(const irr_relays_t *relays, const irr_job_t *job);

#endif
