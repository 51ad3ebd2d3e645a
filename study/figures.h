/*
 * figures.h - what the plans of all ranks cost, without what stays on a rank.
 */
#ifndef IRR_FIGURES_H
#define IRR_FIGURES_H

#include "study/plans.h"

typedef struct irr_figures {
    int      stages;
    size_t   steps;               /* the largest step of each stage, added up */
    size_t   sent_max, received_max;
    size_t   message_bytes_max;
    size_t   scratch_bytes_max;
    uint64_t traffic_bytes_max;
    size_t   contention;          /* cases of a rank, stage and step with more than one message received */
} irr_figures_t;

/* The plans may be wrong.  O(m log m) for m messages; IRR_ERR_NO_MEMORY. */
irr_status_t irr_figures_count(const irr_plans_t *plans, irr_figures_t *figures);

#endif
