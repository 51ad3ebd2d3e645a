/*
 * irr_relays.h - a fleet whose ranks run exchanges on a grid route, each with a relay.
 */
#ifndef IRR_RELAYS_H
#define IRR_RELAYS_H

#include "irr_fleet.h"
#include "irr_job.h"

typedef struct irr_relays_params {
    const char        *algorithm;      /* name of a grid row */
    int                ranks;
    uint64_t           seed;           /* seed and eager_max as for irr_fabric_create */
    size_t             eager_max;
    size_t             zero_copy_min;  /* member of the transport's caps; 0: SIZE_MAX */
    size_t             slice_min;
    irr_overlap_t      overlap;
    irr_compose_t      compose;
    size_t             window_messages, window_bytes;   /* both 0: pacing free */
} irr_relays_params_t;

typedef struct irr_relays_rank {
    irr_fleet_rank_t *member;
    irr_relay_t       relay;
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

/*
 * Fills the job with new bytes, and starts the exchange on all ranks. The first ranks run alone for a while. Returns
 * false if the exchange does not end.
 */
bool irr_relays_exchange(irr_relays_t *relays, irr_job_t *job);

/* Freezes the plans of all ranks after an exchange of this job.  Returns IRR_OK or the first error. */
irr_status_t irr_relays_freeze(const irr_relays_t *relays, const irr_job_t *job);

/* Returns the number of ranks that did not end in IRR_OK with every byte right. */
int irr_relays_wrong(const irr_relays_t *relays, const irr_job_t *job);

#endif
