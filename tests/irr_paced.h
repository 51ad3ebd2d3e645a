/*
 * irr_paced.h - a fleet that runs a job under a pacing, and a watch over all its messages.
 *
 * The watch knows the plans. It knows of the executor only which steps are complete. The watch counts violations of the
 * pacing:
 *
 *   all     a send that is not the next send of the plan; more sends in flight than the window allows
 *   loose   a send of a step while an earlier step of its rank is open
 *   grant   a grant that is not for the next receive, or has bytes; more receives granted and open, or sends in
 *           flight, than grants; a message that was not granted
 */
#ifndef IRR_PACED_H
#define IRR_PACED_H

#include "irr_fleet.h"
#include "irr_job.h"

/* A random schedule: a message is split into transmissions, and a step has any number of transmissions. */
#define IRR_PACED_ANY (-1)

typedef struct irr_paced_params {
    int          algorithm;         /* a direct row of the algorithm table; or IRR_PACED_ANY */
    irr_pacing_kind_t pacing;       /* not auto */
    irr_pacing_kind_t watched;      /* the pacing that the watch checks */
    size_t       grants;
    size_t       window_messages;
    uint64_t     seed;              /* seed of the fabric, the schedule, the holds and the late starts; 0: messages
                                       arrive in order */
    size_t       eager_max;
    unsigned     hold_percent;      /* percentage of sends that are held back, for up to hold_rounds */
    size_t       hold_rounds;
    int          failing;           /* rank whose send number fail_send fails with `failure`; see irr_fault_t */
    size_t       fail_send;
    irr_status_t failure;
} irr_paced_params_t;

typedef struct irr_paced irr_paced_t;

typedef struct irr_paced_rank {
    irr_paced_t *paced;
    int          rank;
    size_t      *sends, *recvs;     /* steps of the plan that send or receive */
    size_t       nsends, nrecvs;
    size_t       sent, granted;     /* numbers of sent and of granted messages */
    size_t      *sent_to, *granted_to;
} irr_paced_rank_t;

struct irr_paced {
    irr_paced_params_t params;
    irr_fleet_t       *fleet;
    irr_paced_rank_t  *rank;
    uint32_t           sequence;
    size_t             broken;      /* violations that the watch has counted */
};

/* Creates the fleet with the plans of a filled job. */
irr_paced_t *irr_paced_create(irr_job_t *job, const irr_paced_params_t *params);
void         irr_paced_destroy(irr_paced_t *paced);

/* Checks the plans with their pacings by the checker of study/. */
irr_status_t irr_paced_check(const irr_paced_t *paced, const irr_job_t *job, char *reason, size_t size);

/* Starts all ranks, some of them late. */
void irr_paced_start(irr_paced_t *paced, const irr_job_t *job);

/* Prepares the next exchange: fills the job again, and resets the counters. */
void irr_paced_renew(irr_paced_t *paced, irr_job_t *job);

#endif
