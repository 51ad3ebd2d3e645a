/*
 * schedule_same.h - compares two schedules, for tests.
 */
#ifndef IRR_SCHEDULE_SAME_H
#define IRR_SCHEDULE_SAME_H

#include "order/schedule.h"

static inline bool irr_schedule_same(const irr_schedule_t *a, const irr_schedule_t *b)
{
    bool equal = a->ranks == b->ranks && a->steps == b->steps && a->count == b->count;

    for (size_t i = 0; equal && i < a->count; i++) {
        const irr_transmission_t *x = &a->list[i], *y = &b->list[i];

        equal = x->step == y->step && x->from == y->from && x->to == y->to && x->offset == y->offset &&
                x->length == y->length && x->more == y->more;
    }
    return equal;
}

#endif
