/*
 * grid.h - ranks in a grid of any number of dimensions, for any number of ranks.
 *
 * A group of n members is laid out row by row in `columns` columns.  Each column is a group again, laid out by the next
 * dimension; the last dimension has as many columns as members are left.  If columns does not divide n, the last row is
 * incomplete: only its first `rest` places are taken.  A member of that row in column i would send to its pseudo-node
 * in column j >= rest; this message goes to row i of column j instead, which exists (JPDC 3.2.2 A).  So no traffic is
 * added, and no single node replaces all pseudo-nodes.
 *
 * A message travels one dimension in a stage.  Collecting takes it to its destination's column of each dimension in
 * turn. A balanced route first spreads it, in one stage for each dimension, over all columns in proportion to their
 * sizes.  Long messages may go directly instead, in a stage of their own that waits for no other one.
 */
#ifndef IRR_GRID_H
#define IRR_GRID_H

#include "order/priority.h"
#include "route/nodes.h"

#include <stdbool.h>
#include <stddef.h>

#define IRR_GRID_LEVELS_MAX IRR_DIMS_MAX

/*
 * A grid.  With nodes, which are borrowed, it has no columns; see stages.c.  In two dimensions a slice goes to a rank
 * of its own node first, and then to its destination.  In three it goes directly to a destination on its own node, and
 * otherwise to a leader of its own node, to the leader of the other node, and to its destination.
 */
typedef struct irr_grid {
    int  levels;                        /* number of dimensions */
    int  columns[IRR_GRID_LEVELS_MAX];  /* of each dimension; the last one takes the rest */
    bool balanced;
    size_t direct_from;                 /* shortest message that goes directly; 0: none does */
    const irr_nodes_t *nodes;           /* NULL: rows and columns by rank number */
} irr_grid_t;

/* Returns the number of stages of a slice: one for each dimension, and as many again if it is spread first. */
static inline int irr_grid_stages(const irr_grid_t *grid)
{
    return grid->balanced ? 2 * grid->levels : grid->levels;
}

/* Returns whether, with nodes, one rank of a node sends to another node for all ranks. */
static inline bool irr_grid_has_leaders(const irr_grid_t *grid)
{
    return grid->nodes != NULL && grid->levels == 3;
}

/* Returns the number of the stage of direct messages, which comes after all others. */
static inline int irr_grid_direct_stage(const irr_grid_t *grid)
{
    return irr_grid_stages(grid) + 1;
}

/* Returns whether a message of this length goes directly. */
static inline bool irr_grid_goes_directly(const irr_grid_t *grid, size_t bytes)
{
    return grid->direct_from > 0 && bytes >= grid->direct_from;
}

/* A rank's group in one dimension.  Member t is rank base + t * stride. */
typedef struct irr_grid_level {
    int        base, stride, size;
    irr_rows_t rows;
} irr_grid_level_t;

/* Returns C = ceil(sqrt P) columns, or floor(sqrt P) where the rule for pseudo-nodes needs it (JPDC 3.2.2). */
int irr_grid_square_columns(int ranks);

/* Returns the group of a rank in a dimension, counted from 0. */
irr_grid_level_t irr_grid_level(const irr_grid_t *grid, int ranks, int level, int rank);

static inline int irr_grid_member(const irr_grid_level_t *level, int rank)
{
    return (rank - level->base) / level->stride;
}

static inline int irr_grid_rank(const irr_grid_level_t *level, int member)
{
    return level->base + member * level->stride;
}

/* Returns the number of members of a column. */
int irr_grid_column_size(const irr_grid_level_t *level, int column);

/* Returns the member to which a member's message for a column goes: in its row, or by the rule for pseudo-nodes. */
int irr_grid_hop(const irr_grid_level_t *level, int member, int column);

/* Cuts `length` bytes for a destination in proportion to the sizes of columns; see grid.c.  cuts[columns + 1]. */
void irr_grid_cut(const irr_grid_level_t *level, int destination, size_t length, size_t slice_min, size_t *cuts);

/* Returns the column that the k-th share of a cut goes to. */
static inline int irr_grid_cut_column(const irr_grid_level_t *level, int destination, int k)
{
    return (destination / level->stride % level->rows.columns + k) % level->rows.columns;
}

#endif
