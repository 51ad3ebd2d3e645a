/*
 * irr_crew.h - the processes of a job as threads of one process, of which exactly one runs at a time.
 *
 * The running thread holds the baton.  It passes the baton on where a process would wait: in the out-of-band
 * collectives of a group, and while an exchange is open.  The baton passes in rank order, so a run is deterministic,
 * and the loopback transport, which needs one thread at a time, is safe.
 *
 * If the baton keeps going round and nothing happens, the crew is stuck.  From then on no member waits, and
 * irr_crew_run returns false.  A hang is therefore a failure, not a time-out.
 *
 * Members must not use CUnit's fatal assertions, which jump.
 */
#ifndef IRR_CREW_H
#define IRR_CREW_H

#include "irr.h"

#define IRR_CREW_MAX       18
#define IRR_CREW_BYTES_MAX 256

/* Runs member once for each rank of the job.  Returns false if the crew was stuck. */
bool irr_crew_run(int ranks, void (*member)(int rank, void *context), void *context);

/* Returns the rank that runs. */
int irr_crew_self(void);

/*
 * Passes the baton on, and returns when it is back.  Returns false if the crew is stuck: the caller must stop waiting.
 */
bool irr_crew_yield(void);

/* Records that something happened, so that the crew does not count as stuck. */
void irr_crew_moved(void);

/* The members of a communicator, and their out-of-band collectives. */
typedef struct irr_crew_group {
    int        ranks;
    int        members[IRR_CREW_MAX];       /* rank in the job, by rank in the group */
    size_t     fail_call;                   /* number of the collective that fails on all members, from 1; 0: none */
    size_t     gathers, reduces;            /* completed collectives */
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

/* Makes the group of all ranks of a job, in their order. */
void irr_crew_group_all(irr_crew_group_t *group, int ranks);

/* Adds a rank of the job to a group, which begins zeroed. */
void irr_crew_group_add(irr_crew_group_t *group, int rank);

/* Returns the number in the group of the rank that runs; -1 if it is no member. */
int irr_crew_group_self(const irr_crew_group_t *group);

/* Returns the host's collectives for a group. */
irr_oob_t irr_crew_oob(irr_crew_group_t *group);

/* Returns the name of the process of a rank of the job. */
uint64_t irr_crew_name(int rank);

#endif
