/*
 * deadline.h - until when a computation may take, by a clock that the caller has: pure code knows none.
 */
#ifndef IRR_DEADLINE_H
#define IRR_DEADLINE_H

#include "irr.h"

struct irr_deadline {
    uint64_t (*now_ns)(void *context);
    void      *context;
    uint64_t   end_ns;   /* of that clock */
};

/* NULL is none. */
static inline bool irr_deadline_passed(const irr_deadline_t *deadline)
{
    return deadline != NULL && deadline->now_ns(deadline->context) >= deadline->end_ns;
}

#endif
