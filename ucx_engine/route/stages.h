/*
 * stages.h - the stages of a grid route as one rank sees them: where it can send, and who sends to it.
 *
 * This is all that planning and running a stage know of the geometry.  A stage has a slot for each place that a
 * slice can go to; one of them is this rank itself.
 */
#ifndef IRR_STAGES_H
#define IRR_STAGES_H

#include "route/grid.h"

typedef struct irr_stage {
    const irr_grid_t *grid;
    int               rank;
    int               dimension;    /* from 0 */
    bool              spreading;
    irr_grid_level_t  level;        /* without nodes */
    int               slots, own;   /* own: the slot of what stays here */
    int              *peer;         /* by slot */
    int              *number;       /* by slot: the step of the message; 0 for own */
    int               senders;
    int              *sender;       /* ranks that send to this one, by step */
    int              *sender_number;
    int              *node_slot;    /* second of two dimensions with nodes: first slot of each node */
} irr_stage_t;

typedef struct irr_stages {
    irr_grid_t   grid;
    int          ranks, rank;
    int          count;
    int          slots, senders;   /* of all stages */
    irr_stage_t *stage;            /* stage s is stage[s - 1] */
} irr_stages_t;

/*
 * Fails with IRR_ERR_NO_MEMORY.  The nodes that the grid borrows must outlive the stages, which may not be moved.
 * O(P) a stage.
 */
irr_status_t irr_stages_init(irr_stages_t *stages, const irr_grid_t *grid, int ranks, int rank);
void         irr_stages_fini(irr_stages_t *stages);

/*
 * The slot that leads to a rank, in a stage that does not spread also to all destinations behind it; -1 if this
 * rank has none.
 */
int irr_stage_slot(const irr_stage_t *stage, int destination);

/* Can what arrives in this stage for a destination go on from here?  No: it is not from a rank of ours. */
bool irr_stage_accepts(const irr_stage_t *stage, int destination);

#endif
