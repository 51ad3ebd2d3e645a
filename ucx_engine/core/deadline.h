/*
 * deadline.h - a time limit for a computation. The caller provides the function that reads a clock, because the code
 * that computes schedules and plans must not read a clock itself.
 */
#ifndef IRR_DEADLINE_H
#define IRR_DEADLINE_H

#include "irr.h"

struct irr_deadline {
    uint64_t (*now_ns)(void *context);
    void      *context;
    uint64_t   end_ns;   /* value of now_ns at which the time is over */
};

/* Returns true if the deadline has passed; NULL means no deadline. */
static inline bool irr_deadline_passed(const irr_deadline_t *deadline)
{
    return deadline != NULL && deadline->now_ns(deadline->context) >= deadline->end_ns;
}

#endif
