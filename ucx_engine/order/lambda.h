/*
 * lambda.h - how many bytes of a message a step of random-heap sends: Ranka, Wang and Kumar, sections 6 and 7.
 *
 * In a step of m messages, the threshold is the length of the k-th shortest.  k messages go whole, and of each other
 * one as many bytes as the threshold.  A rule chooses lambda = k / m:
 *
 *     fixed:L         L in all steps (6.1); "one" is fixed:1, no message is ever split
 *     proportional:F  F * d, at most 1, where d is the mean number of messages that a rank has left (6.2)
 *     incremental:L   from L up, while a larger lambda saves more start-ups than it idles (6.3 and 7.1)
 *     search          the best of several fixed ones, by trial (6.1); see random_heap.c
 *
 * Two phases (section 7): lambda is 1 once a rank has at most 2 messages left on average, or a 16th of its messages. So
 * the paper's example proportional:0.8 splits nothing; factors below 1/2 do.  All arithmetic is in integers, so all
 * ranks compute the same.
 */
#ifndef IRR_LAMBDA_H
#define IRR_LAMBDA_H

#include "irr.h"

/* A step without its threshold. */
typedef struct irr_lambda_step {
    uint64_t *lengths;   /* the remaining lengths of its messages; irr_lambda_threshold sorts them */
    size_t    count;     /* messages of the step, at least 1 */
    size_t    left;      /* messages left after the step, if all of the step go whole */
    size_t    total;     /* messages before the first step */
    size_t    ranks;
    uint64_t  latency;   /* bytes that travel in the time of a start-up, the paper's tau / phi; below 2^40 */
} irr_lambda_step_t;

/* Returns the bytes that a message may send in this step.  At least one message goes whole. */
uint64_t irr_lambda_threshold(irr_lambda_t lambda, const irr_lambda_step_t *step);

#endif
