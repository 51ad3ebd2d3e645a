/*
 * stages.h - the stages of a grid route for one rank: the ranks to which it sends, and the ranks that send to it.
 *
 * In a stage, a rank sends slices along one dimension of the grid.  A slice is a range of a block that travels
 * separately.  A rank has a slot for each rank to which it can send slices in the stage, and one slot for itself, for
 * slices that stay.  The code that plans and runs a stage uses only these tables, not the grid.
 */
#ifndef IRR_STAGES_H
#define IRR_STAGES_H

#include "route/grid.h"

typedef struct irr_stage {
    const irr_grid_t *grid;
    int               rank;
    int               dimension;    /* from 0 */
    bool              spreading;    /* true: the stage spreads slices over all slots; false: it collects (grid.h) */
    irr_grid_level_t  level;        /* the group of this rank; used without nodes */
    int               slots, own;   /* number of slots; the slot of this rank itself */
    int              *peer;         /* by slot: the rank */
    int              *number;       /* by slot: the step in which its message is sent; 0 for slot `own` */
    int               senders;      /* number of ranks that send to this rank */
    int              *sender;       /* these ranks, sorted by step */
    int              *sender_number;   /* by sender: the step of its message */
    int              *node_slot;    /* by node: its first slot; used only in the second dimension of a grid with nodes
                                       and two dimensions */
} irr_stage_t;

typedef struct irr_stages {
    irr_grid_t   grid;
    int          ranks, rank;
    int          count;
    int          slots, senders;   /* sums over all stages */
    irr_stage_t *stage;            /* stage s, counted from 1, is stage[s - 1] */
} irr_stages_t;

/*
 * Computes the stages.  *stages must not be moved, and must be freed before the nodes of the grid.  May return
 * IRR_ERR_NO_MEMORY.  O(P) time for each stage.
 */
irr_status_t irr_stages_init(irr_stages_t *stages, const irr_grid_t *grid, int ranks, int rank);
void         irr_stages_fini(irr_stages_t *stages);

/* Returns the slot to which data for a destination goes; -1: this rank cannot forward data to this destination. */
int irr_stage_slot(const irr_stage_t *stage, int destination);

/* Returns whether this rank may receive data for a destination in this stage. */
bool irr_stage_accepts(const irr_stage_t *stage, int destination);

#endif
