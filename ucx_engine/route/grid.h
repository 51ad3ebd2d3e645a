/*
 * grid.h - ranks in a grid of any number of dimensions, for any number of ranks.
 *
 * A group of n members is laid out row by row in `columns` columns; each column is a group again, laid out by
 * the next dimension, and the last dimension has as many columns as members are left.  Where columns does not
 * divide n, the last row is incomplete: its first `rest` places are taken.  What a member of that row in column
 * i would send to its pseudo-node in column j >= rest goes to row i of column j instead, which exists (JPDC
 * 3.2.2 A); then no traffic is added and no node is chosen for all.
 *
 * A message travels one dimension a stage.  Collecting takes it to its destination's column of each dimension in
 * turn; a balanced route spreads it before, in one stage a dimension, over all columns by their sizes.  Long messages
 * may go directly instead, beside all that: as those of one more stage, which waits for no other one.
 */
#ifndef IRR_GRID_H
#define IRR_GRID_H

#include "order/priority.h"
#include "route/nodes.h"

#include <stdbool.h>
#include <stddef.h>

#define IRR_GRID_LEVELS_MAX IRR_DIMS_MAX

/*
 * A grid with nodes, which are borrowed, has no columns; see stages.c.  With two dimensions a slice goes to a rank of
 * the own node first, and then to its destination.  With three it goes to its destination at once if that is on the own
 * node, and else to a leader of the own node, to the leader of the other node, and to its destination.
 */
typedef struct irr_grid {
    int  levels;                        /* dimensions */
    int  columns[IRR_GRID_LEVELS_MAX];  /* of each, the last one takes what is left */
    bool balanced;
    size_t direct_from;                 /* messages of so many bytes, or more, go directly; 0: none */
    const irr_nodes_t *nodes;           /* NULL: rows and columns by rank number */
} irr_grid_t;

/* Stages that a slice passes: one a dimension, and one more if it is spread before. */
static inline int irr_grid_stages(const irr_grid_t *grid)
{
    return grid->balanced ? 2 * grid->levels : grid->levels;
}

/* With nodes: does one rank of a node send to another node for all? */
static inline bool irr_grid_has_leaders(const irr_grid_t *grid)
{
    return grid->nodes != NULL && grid->levels == 3;
}

/* The number of the stage that messages which go directly are of, behind all others. */
static inline int irr_grid_direct_stage(const irr_grid_t *grid)
{
    return irr_grid_stages(grid) + 1;
}

/* Does a message of so many bytes go directly? */
static inline bool irr_grid_goes_directly(const irr_grid_t *grid, size_t bytes)
{
    return grid->direct_from > 0 && bytes >= grid->direct_from;
}

/* One dimension as one rank sees it: the group it is in.  Member t is rank base + t * stride. */
typedef struct irr_grid_level {
    int        base, stride, size;
    irr_rows_t rows;
} irr_grid_level_t;

/* C = ceil(sqrt P) columns; floor(sqrt P) where the rule for pseudo-nodes needs it (JPDC 3.2.2). */
int irr_grid_square_columns(int ranks);

/* The group of a rank in a dimension, which counts from 0. */
irr_grid_level_t irr_grid_level(const irr_grid_t *grid, int ranks, int level, int rank);

static inline int irr_grid_member(const irr_grid_level_t *level, int rank)
{
    return (rank - level->base) / level->stride;
}

static inline int irr_grid_rank(const irr_grid_level_t *level, int member)
{
    return level->base + member * level->stride;
}

/* How many members a column has. */
int irr_grid_column_size(const irr_grid_level_t *level, int column);

/* The member that a member's message for a column goes to: in its own row, or by the rule for pseudo-nodes. */
int irr_grid_hop(const irr_grid_level_t *level, int member, int column);

/* Cuts length bytes for a destination over the columns by their sizes; see grid.c.  cuts has columns + 1 places. */
void irr_grid_cut(const irr_grid_level_t *level, int destination, size_t length, size_t slice_min, size_t *cuts);

/* The column that the k-th part of a cut goes to. */
static inline int irr_grid_cut_column(const irr_grid_level_t *level, int destination, int k)
{
    return (destination / level->stride % level->rows.columns + k) % level->rows.columns;
}

#endif
