/*
 * schedule.h - a schedule: the sender, the receiver and the step of each message.
 *
 * A schedule is computed from the count matrix, the table of the bytes that each rank sends to each other rank.  In a
 * step a rank sends at most one message and receives at most one message.  A long message may be split into
 * transmissions in several steps.  Messages of ranks to themselves are left out.
 */
#ifndef IRR_SCHEDULE_H
#define IRR_SCHEDULE_H

#include "problem/matrix.h"

/* Bytes [offset, offset + length) of the message from one rank to another; length is not 0. */
typedef struct irr_transmission {
    int      step;          /* first step, from 1 */
    int      from, to;
    uint64_t offset, length;
    int      more;          /* number of further steps in which the transmission is sent */
} irr_transmission_t;

/* Zeroed: empty. */
typedef struct irr_schedule {
    int                 ranks;
    int                 steps;     /* number of steps; any step may be empty, even the last */
    irr_transmission_t *list;      /* sorted by step, then by sender */
    size_t              count, max;
    uint64_t            merged;    /* makespan before irr_schedule_merge; 0: no merge */
} irr_schedule_t;

static inline int irr_transmission_last(const irr_transmission_t *t)
{
    return t->step + t->more;
}

void irr_schedule_fini(irr_schedule_t *schedule);

/* Appends a transmission, in any order; irr_schedule_sort sorts them afterwards.  May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_schedule_add(irr_schedule_t *schedule, irr_transmission_t transmission);
void         irr_schedule_sort(irr_schedule_t *schedule);

/*
 * Checks that a schedule sends each byte of the matrix once and no other byte, and that no rank sends twice or receives
 * twice in a step.  After IRR_ERR_INVALID_PLAN, reason[size] describes the fault; reason may be NULL.  May return
 * IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_schedule_check(const irr_schedule_t *schedule, const irr_matrix_t *matrix, char *reason,
                                size_t size);

/* A fault of a schedule, and the first transmission that shows it. */
typedef struct irr_schedule_fault {
    size_t index;        /* index in the list, or the length of the list if no single transmission is at fault */
    char   reason[160];
} irr_schedule_fault_t;

/*
 * Checks a schedule without a matrix.  Each message must be sent from byte 0 on, without a gap or an overlap, and all
 * messages together may have at most INT64_MAX bytes.  The list is not trusted: it may contain any values.  After
 * IRR_ERR_INVALID_PLAN *fault is set; after IRR_ERR_NO_MEMORY it is unchanged.
 */
irr_status_t irr_schedule_check_alone(const irr_schedule_t *schedule, irr_schedule_fault_t *fault);

/*
 * Returns the matrix of a schedule that has passed irr_schedule_check_alone; its diagonal is 0.  Returns
 * IRR_ERR_BAD_PARAM if the schedule has no ranks.  May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_schedule_matrix(const irr_schedule_t *schedule, irr_matrix_t *matrix);

/*
 * Merges successive transmissions of a message, if they are in consecutive steps, into one transmission of several
 * steps.  The schedule must be sorted, and not merged before.  The makespan does not grow.  O(n) time for n
 * transmissions.  May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_schedule_merge(irr_schedule_t *schedule);

/* The time of a step: its start, and its end on all ranks.  The unit is the time in which a rank sends one byte. */
typedef struct irr_step_time {
    uint64_t begin, end;
} irr_step_time_t;

/*
 * Computes the times of a sorted schedule: times[i] is the time of the step in which transmission i begins, and
 * *makespan is the end of the last step.  O(n log n) time for n transmissions and any number of steps.  May return
 * IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_schedule_times(const irr_schedule_t *schedule, irr_step_time_t *times, uint64_t *makespan);

/*
 * Returns the makespan of a sorted schedule, in the unit above: its duration if a step begins when the previous step
 * has ended.  The makespan is the sum of the longest transmissions of the steps.  A merge does not change it.
 */
uint64_t irr_schedule_makespan(const irr_schedule_t *schedule);

/*
 * Returns the largest number of bytes that a rank sends or receives, without messages to itself.  No schedule has a
 * shorter makespan.
 */
uint64_t irr_schedule_bound(const irr_matrix_t *matrix);

/* Returns the number of transmissions minus the number of messages. */
size_t irr_schedule_splits(const irr_schedule_t *schedule, const irr_matrix_t *matrix);

/*
 * Returns the transmissions that a rank sends or receives, in their order.  A transmission of more than piece_max bytes
 * is divided into pieces of about equal length, of at most piece_max bytes each; if piece_max is 0, none is divided.
 * The pieces of a transmission are adjacent in *own and have the same step.  The caller frees *own with
 * irr_schedule_fini.  May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_schedule_own(const irr_schedule_t *schedule, int rank, uint64_t piece_max, irr_schedule_t *own);

#endif
