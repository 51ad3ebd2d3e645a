/*
 * irr_relays.h - a fleet whose ranks run exchanges on a grid route, each with a relay.
 *
 * A rank's transport may be wrapped in a fault transport.
 */
#ifndef IRR_RELAYS_H
#define IRR_RELAYS_H

#include "irr_fleet.h"
#include "irr_job.h"

typedef struct irr_relays_params {
    const char        *algorithm;      /* name of a grid row */
    int                ranks;
    int                per_node;       /* consecutive ranks of a node; 0: nodes of irr_plan_all_nodes */
    uint64_t           seed;           /* seed and eager_max as for irr_fabric_create */
    size_t             eager_max;
    size_t             zero_copy_min;  /* of the transport's caps; 0: never */
    size_t             slice_min;
    irr_overlap_t      overlap;
    irr_compose_t      compose;
    size_t             window_messages, window_bytes;   /* both 0: pacing free */
    const irr_fault_t *fault;          /* NULL: none */
    int                faulty;         /* the rank with the fault; -1: all ranks, each with its own seed */
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
    uint32_t            sequence;   /* number of the next exchange */
    irr_relays_rank_t  *rank;
} irr_relays_t;

irr_relays_t *irr_relays_create(const irr_relays_params_t *params);
void          irr_relays_destroy(irr_relays_t *relays);

/* Returns the grid of the params. relays->nodes must have been made. */
irr_grid_t irr_relays_grid(const irr_relays_t *relays);

/* Starts the relay of one rank on a filled job. */
void irr_relays_start(irr_relays_t *relays, const irr_job_t *job, int rank);

/* Runs an exchange of the job, filled with new bytes, until no rank runs.  Returns false if they did not finish. */
bool irr_relays_exchange(irr_relays_t *relays, irr_job_t *job);

/* Freezes the plans of all ranks after an exchange of this job.  Returns IRR_OK or the first error. */
irr_status_t irr_relays_freeze(irr_relays_t *relays, const irr_job_t *job);

/* Runs an exchange as irr_relays_exchange does, with the frozen plans. */
bool irr_relays_exchange_frozen(irr_relays_t *relays, irr_job_t *job);

/* Returns the number of ranks that did not end in IRR_OK with every byte right. */
int irr_relays_wrong(const irr_relays_t *relays, const irr_job_t *job);

/* Returns the number of ranks that ended in IRR_OK but have a wrong byte. */
int irr_relays_untrue(const irr_relays_t *relays, const irr_job_t *job);

#endif
