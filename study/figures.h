/* figures.h - counts the messages and bytes of the plans of all ranks.  Local steps, such as copies, do not count. */
#ifndef IRR_FIGURES_H
#define IRR_FIGURES_H

#include "study/plans.h"

typedef struct irr_figures {
    int      stages;
    size_t   steps;               /* the largest step number of each stage, summed over the stages */
    size_t   sent_max;            /* messages of the rank that sends most */
    size_t   received_max;        /* messages of the rank that receives most */
    size_t   message_bytes_max;   /* bytes of the longest message */
    size_t   scratch_bytes_max;   /* largest buffer of a rank for bytes that it forwards */
    uint64_t traffic_bytes_max;   /* bytes sent by the rank that sends most */
    size_t   contention;          /* number of (rank, stage, step) in which several ranks send to the rank */
} irr_figures_t;

/* Counts the figures.  The plans need not be valid.  O(m log m) for m messages.  May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_figures_count(const irr_plans_t *plans, irr_figures_t *figures);

#endif
