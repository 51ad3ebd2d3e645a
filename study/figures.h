/* figures.h - the cost of the plans of all ranks.  Local steps, such as copies, are not counted. */
#ifndef IRR_FIGURES_H
#define IRR_FIGURES_H

#include "study/plans.h"

typedef struct irr_figures {
    int      stages;
    size_t   steps;               /* sum over the stages of the largest step number */
    size_t   sent_max, received_max;
    size_t   message_bytes_max;
    size_t   scratch_bytes_max;
    uint64_t traffic_bytes_max;
    size_t   contention;          /* number of (rank, stage, step) in which messages from several ranks arrive */
} irr_figures_t;

/* Counts the figures.  The plans need not be valid.  O(m log m) for m messages.  May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_figures_count(const irr_plans_t *plans, irr_figures_t *figures);

#endif
