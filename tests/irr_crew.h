/*
 * irr_crew.h - the processes of a job as threads of one process, of which exactly one runs at a time.
 *
 * The one that runs holds the baton, and hands it on where a process would wait: in the out-of-band
 * collectives of a group, and while an exchange is open.  It goes round in rank order, so a run is
 * deterministic, and the loopback transport, which wants one thread at a time, is safe.
 *
 * When the baton goes round and round and nothing happens, the crew is stuck: from then on nobody waits any
 * more, and irr_crew_run returns false.  So a hang is a failure and not a time-out.
 *
 * Members must not use CUnit's fatal assertions, which jump.
 */
#ifndef IRR_CREW_H
#define IRR_CREW_H

#include "irr.h"

#define IRR_CREW_MAX       18
#define IRR_CREW_BYTES_MAX 256

/* Runs member once for each rank of the job.  False if the crew was stuck. */
bool irr_crew_run(int ranks, void (*member)(int rank, void *context), void *context);

/* The rank that runs. */
int irr_crew_self(void);

/* Hands the baton on, and returns when it is back.  False if the crew is stuck: stop waiting. */
bool irr_crew_yield(void);

/* Something happened, so waiting is not in vain yet. */
void irr_crew_moved(void);

/* The members of a communicator, and what they do out of band. */
typedef struct irr_crew_group {
    int        ranks;
    int        members[IRR_CREW_MAX];       /* rank in the job, by rank in the group */
    size_t     fail_call;                   /* number of the collective that fails on all, from 1; 0: none */
    size_t     gathers, reduces;            /* collectives that were completed */
    bool       misused;                     /* members called different collectives */

    /* The collective in progress. */
    size_t        calls[IRR_CREW_MAX];      /* by rank in the group: collectives entered */
    unsigned      round;
    int           arrived;
    bool          gather;
    size_t        bytes;
    unsigned char input[IRR_CREW_MAX][IRR_CREW_BYTES_MAX];
    unsigned char result[IRR_CREW_MAX][IRR_CREW_BYTES_MAX];
} irr_crew_group_t;

/* All ranks of a job, in their order. */
void irr_crew_group_all(irr_crew_group_t *group, int ranks);

/* Adds a rank of the job to a group that was zeroed. */
void irr_crew_group_add(irr_crew_group_t *group, int rank);

/* The rank that runs, in the group; -1 if it is no member. */
int irr_crew_group_self(const irr_crew_group_t *group);

/* The host's collectives for a group. */
irr_oob_t irr_crew_oob(irr_crew_group_t *group);

/* The name of the process behind a rank of the job. */
uint64_t irr_crew_name(int rank);

#endif
