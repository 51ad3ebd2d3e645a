/*
 * lambda.h - limits the bytes of each message in a step of the algorithm random-heap.  Ranka, Wang, Kumar, sections 6
 * and 7.
 *
 * In a step of m messages, the threshold is the length of the k-th shortest message.  The step sends k messages whole,
 * and of each other message as many bytes as the threshold.  A rule chooses lambda = k / m:
 *
 *     fixed:L         L in all steps (6.1); "one" is fixed:1, with which no message is split
 *     proportional:F  F * d, at most 1, where d is the mean number of messages that a rank has left (6.2)
 *     incremental:L   begins with L, and rises as long as the start-up time that an increase saves is longer than the
 *                     time for which it makes senders idle (6.3, 7.1)
 *     search          random_heap.c tries several values, each for all steps, and keeps the shortest schedule (6.1)
 *
 * There are two phases (section 7).  The second phase begins when the mean number d is at most 2, or when at most a
 * 16th of all messages is left.  In this phase lambda is 1.  The paper's example proportional:0.8 therefore splits no
 * message, because in the first phase F * d is above 1; only factors below 1/2 split messages.  All arithmetic is in
 * integers, so all ranks compute the same result.
 */
#ifndef IRR_LAMBDA_H
#define IRR_LAMBDA_H

#include "irr.h"

/* The messages of a step whose threshold is to be computed. */
typedef struct irr_lambda_step {
    uint64_t *lengths;   /* remaining lengths of the messages of the step; irr_lambda_threshold sorts them */
    size_t    count;     /* number of messages of the step, at least 1 */
    size_t    left;      /* number of messages of all ranks that are left after the step if the step splits no
                            message */
    size_t    total;     /* number of messages of all ranks before the first step */
    size_t    ranks;
    uint64_t  latency;   /* number of bytes that a rank sends in the time of a start-up (the paper's tau / phi); below
                            2^40 */
} irr_lambda_step_t;

/* Returns the threshold of this step in bytes.  It is at least the length of the shortest message. */
uint64_t irr_lambda_threshold(irr_lambda_t lambda, const irr_lambda_step_t *step);

#endif
