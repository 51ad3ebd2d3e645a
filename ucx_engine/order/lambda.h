/*
 * lambda.h - how much of a message a step of RS_NH sends: Ranka, Wang and Kumar, section 6 and 7.
 *
 * In a step of m messages, the threshold is the length of the k-th shortest: k messages go whole, of the others
 * so many bytes.  lambda = k / m is chosen by a rule:
 *
 *     fixed:L         L in all steps (6.1); "one" is fixed:1, no message is ever split
 *     proportional:F  F * d, at most 1, where d is how many messages a rank has left on average (6.2)
 *     incremental:L   from L up, as long as a larger lambda saves more start-ups than it idles (6.3 and 7.1)
 *     search          the best of several fixed ones, by trial (6.1); see rs_nh.c
 *
 * Two phases (section 7): once a rank has no more than 2 messages left on average, or a 16th of those that it
 * had, lambda is 1.  So the paper's example proportional:0.8 splits nothing; factors below 1/2 do.  All
 * arithmetic is in integers, so all ranks agree.
 */
#ifndef IRR_LAMBDA_H
#define IRR_LAMBDA_H

#include "irr.h"

/* A step before its threshold is known. */
typedef struct irr_lambda_step {
    uint64_t *lengths;   /* of its messages, what is left of each; are sorted */
    size_t    count;     /* at least 1 */
    size_t    left;      /* messages that are left if all of the step go whole */
    size_t    total;     /* messages before the first step */
    size_t    ranks;
    uint64_t  latency;   /* bytes that travel in the time of a start-up: the paper's tau / phi; below 2^40 */
} irr_lambda_step_t;

/* Bytes that a message may send in this step, at least one message in full. */
uint64_t irr_lambda_threshold(irr_lambda_t lambda, const irr_lambda_step_t *step);

#endif
