/*
 * irr_crew.h - runs the processes of a job as threads of one process. Exactly one thread runs at a time.
 *
 * The running thread holds the baton. The thread passes the baton on where a process would wait: in the out-of-band
 * collectives of a group, and while an exchange is open. The baton passes in rank order, so a run is deterministic, and
 * the loopback transport, which needs one thread at a time, is safe.
 *
 * If the baton goes round many times and nothing happens, the crew is stuck. From then on no member waits, and
 * irr_crew_run returns false. A hang is therefore reported as a failure, not by a time-out.
 *
 * Members must not use CUnit's fatal assertions, because these leave the function by longjmp.
 */
#ifndef IRR_CREW_H
#define IRR_CREW_H

#include "irr.h"

#define IRR_CREW_MAX       18
#define IRR_CREW_BYTES_MAX 256

/* Calls `member` once for each rank of the job.  Returns false if the crew was stuck. */
bool irr_crew_run(int ranks, void (*member)(int rank, void *context), void *context);

/* Returns the rank that runs. */
int irr_crew_self(void);

/*
 * Passes the baton on, and returns when the caller has the baton again. Returns false if the crew is stuck; the caller
 * must then stop waiting.
 */
bool irr_crew_yield(void);

/* Records progress, so that the crew does not count as stuck. */
void irr_crew_moved(void);

/* The members of a communicator, and their out-of-band collectives. */
typedef struct irr_crew_group {
    int        ranks;
    int        members[IRR_CREW_MAX];       /* rank in the job, by rank in the group */
    size_t     fail_call;                   /* number of the collective that fails on all members, from 1; 0: none */
    size_t     gathers, reduces;            /* numbers of completed collectives */
    bool       misused;                     /* members called different collectives */

    /* The collective in progress. */
    size_t        calls[IRR_CREW_MAX];      /* by rank in the group: number of entered collectives */
    unsigned      round;
    int           arrived;
    bool          gather;
    size_t        bytes;
    unsigned char input[IRR_CREW_MAX][IRR_CREW_BYTES_MAX];
    unsigned char result[IRR_CREW_MAX][IRR_CREW_BYTES_MAX];
} irr_crew_group_t;

/* Makes the group of all ranks of a job, in their order. */
void irr_crew_group_all(irr_crew_group_t *group, int ranks);

/* Adds a rank of the job to a group. A zeroed group is empty. */
void irr_crew_group_add(irr_crew_group_t *group, int rank);

/* Returns the group rank of the running rank; -1: the running rank is no member. */
int irr_crew_group_self(const irr_crew_group_t *group);

/* Returns the out-of-band collectives of a group. */
irr_oob_t irr_crew_oob(irr_crew_group_t *group);

/* Returns the name of the process of a rank of the job. */
uint64_t irr_crew_name(int rank);

#endif
