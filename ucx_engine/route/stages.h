/*
 * stages.h - the stages of a grid route for one rank: the ranks that it sends to, and those that send to it.
 *
 * These tables contain all that planning and running a stage need of the geometry.  A stage has a slot for each rank
 * that a slice can go to; one of the slots is this rank itself.
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
    int               slots, own;   /* own: the slot of slices that stay on this rank */
    int              *peer;         /* by slot */
    int              *number;       /* by slot: the step of the message; 0 for own */
    int               senders;
    int              *sender;       /* ranks that send to this one, by step */
    int              *sender_number;
    int              *node_slot;    /* with nodes, second of two dimensions: first slot of each node */
} irr_stage_t;

typedef struct irr_stages {
    irr_grid_t   grid;
    int          ranks, rank;
    int          count;
    int          slots, senders;   /* sums over all stages */
    irr_stage_t *stage;            /* stage s is stage[s - 1] */
} irr_stages_t;

/*
 * Computes the stages, which must not be moved and must not outlive the grid's nodes.  IRR_ERR_NO_MEMORY.  O(P) each.
 */
irr_status_t irr_stages_init(irr_stages_t *stages, const irr_grid_t *grid, int ranks, int rank);
void         irr_stages_fini(irr_stages_t *stages);

/* Returns the slot that leads to a rank (and, unless the stage spreads, to all destinations behind it); -1: none. */
int irr_stage_slot(const irr_stage_t *stage, int destination);

/* Returns whether this rank can forward what arrives in this stage for a destination. */
bool irr_stage_accepts(const irr_stage_t *stage, int destination);

#endif
