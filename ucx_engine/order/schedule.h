/*
 * schedule.h - a schedule: who sends what to whom in which step, computed from the count matrix.
 *
 * In a step a rank sends at most one message and receives at most one, unless the order that made it says
 * otherwise.  A long message may be split over steps.  The message of a rank to itself is in none.  All ranks
 * compute the same schedule from the same matrix and seed.
 */
#ifndef IRR_SCHEDULE_H
#define IRR_SCHEDULE_H

#include "problem/matrix.h"

/* Bytes [offset, offset + length) of the message from one rank to another; length is not 0. */
typedef struct irr_transmission {
    int      step;          /* from 1 */
    int      from, to;
    uint64_t offset, length;
    int      more;          /* steps after that one in which it goes on */
} irr_transmission_t;

/* Zeroed is empty. */
typedef struct irr_schedule {
    int                 ranks;
    int                 steps;     /* the last step; some may be empty, even the last */
    irr_transmission_t *list;      /* by step, then by sender */
    size_t              count, max;
    uint64_t            merged;    /* its makespan, if parts were merged, else 0 */
} irr_schedule_t;

/* The last step of a transmission. */
static inline int irr_transmission_last(const irr_transmission_t *t)
{
    return t->step + t->more;
}

void irr_schedule_fini(irr_schedule_t *schedule);

/* Appends; in any order, irr_schedule_sort puts them in theirs.  Fails with IRR_ERR_NO_MEMORY. */
irr_status_t irr_schedule_add(irr_schedule_t *schedule, irr_transmission_t transmission);
void         irr_schedule_sort(irr_schedule_t *schedule);

/*
 * Is each byte of the matrix sent once, and none else, and does no rank send, or receive, twice in a step?
 * IRR_ERR_INVALID_PLAN, and what is wrong in reason (size bytes, may be NULL); IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_schedule_check(const irr_schedule_t *schedule, const irr_matrix_t *matrix, char *reason,
                                size_t size);

/* What is wrong with a schedule, and the first transmission that shows it. */
typedef struct irr_schedule_fault {
    size_t index;        /* in the list; its count: no single one does */
    char   reason[160];
} irr_schedule_fault_t;

/*
 * The same without a matrix: each message is sent from byte 0 on, without a gap or an overlap, and all together
 * have at most INT64_MAX bytes.  Anything may stand in the list.  IRR_ERR_INVALID_PLAN, with which alone the fault
 * is set; IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_schedule_check_alone(const irr_schedule_t *schedule, irr_schedule_fault_t *fault);

/*
 * The matrix that a schedule delivers, which has passed irr_schedule_check_alone; nothing for a rank itself.
 * IRR_ERR_BAD_PARAM: no ranks; IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_schedule_matrix(const irr_schedule_t *schedule, irr_matrix_t *matrix);

/*
 * Makes one of the parts of a message that go one behind the other, of a sorted schedule in which none is.  That takes
 * no longer, step by step.  O(n) time for n transmissions; IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_schedule_merge(irr_schedule_t *schedule);

/* When a step begins, and when it ends on all ranks: so many bytes go by, one after the other. */
typedef struct irr_step_time {
    uint64_t begin, end;
} irr_step_time_t;

/*
 * times[i]: of the step in which transmission i begins, of a sorted schedule; *makespan: when all are over.
 * O(n log n) time for n transmissions, however late their steps are; IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_schedule_times(const irr_schedule_t *schedule, irr_step_time_t *times, uint64_t *makespan);

/* The time, if steps do not overlap: the sum of the longest transmission in each, before parts were merged. */
uint64_t irr_schedule_makespan(const irr_schedule_t *schedule);

/* Most bytes that one rank sends or receives, its message to itself left out: no schedule takes less. */
uint64_t irr_schedule_bound(const irr_matrix_t *matrix);

/* Transmissions beyond one a message. */
size_t irr_schedule_splits(const irr_schedule_t *schedule, const irr_matrix_t *matrix);

/*
 * The transmissions that a rank sends or receives, in their order, cut evenly in pieces of at most so many bytes, 0
 * for whole ones: the pieces of one follow each other and have its step.  The caller's to irr_schedule_fini.
 * IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_schedule_own(const irr_schedule_t *schedule, int rank, uint64_t piece_max, irr_schedule_t *own);

#endif
