/*
 * lambda.h - the number of bytes of a message that a step of random-heap sends.  Ranka, Wang, Kumar, sections 6 and 7.
 *
 * In a step of m messages, the threshold is the length of the k-th shortest message.  The step sends k messages whole,
 * and of each other message as many bytes as the threshold.  A rule chooses lambda = k / m:
 *
 *     fixed:L         L in all steps (6.1); "one" is fixed:1, no message is ever split
 *     proportional:F  F * d, at most 1, where d is the mean number of messages that a rank has left (6.2)
 *     incremental:L   from L up, as long as a larger lambda saves more time for start-ups than ports idle (6.3, 7.1)
 *     search          the value that gives the fastest schedule, of several values for all steps (6.1); random_heap.c
 *
 * There are two phases (section 7).  In the second phase lambda is 1: a rank has at most 2 messages left on average, or
 * at most a 16th of its messages.  The paper's example proportional:0.8 therefore splits no message; factors below 1/2
 * do.  All arithmetic is in integers, so all ranks compute the same result.
 */
#ifndef IRR_LAMBDA_H
#define IRR_LAMBDA_H

#include "irr.h"

/* A step without its threshold. */
typedef struct irr_lambda_step {
    uint64_t *lengths;   /* remaining lengths of the messages of the step; irr_lambda_threshold sorts them */
    size_t    count;     /* number of messages of the step, at least 1 */
    size_t    left;      /* number of messages left after the step if it sends all its messages whole */
    size_t    total;     /* number of messages before the first step */
    size_t    ranks;
    uint64_t  latency;   /* bytes that travel in the time of a start-up, the paper's tau / phi; below 2^40 */
} irr_lambda_step_t;

/* Returns the largest number of bytes of a message in this step.  At least one message is sent whole. */
uint64_t irr_lambda_threshold(irr_lambda_t lambda, const irr_lambda_step_t *step);

#endif
