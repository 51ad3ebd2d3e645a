/*
 * grid.h - ranks in a grid of any number of dimensions, for any number of ranks.
 *
 * In the first dimension all ranks are one group.  A group of n members has a number of columns, and its members fill
 * the grid row by row.  In the next dimension each column is a group of its own, with rows and columns.  In the last
 * dimension a group is a single row.  If the number of columns does not divide n, the last row is incomplete: it has
 * only `rest` members.  The missing members are called pseudo-nodes.  The member in column i of the last row cannot
 * send to a pseudo-node in column j >= rest; instead it sends to the member in row i of column j, which exists (Liu,
 * Wang, Prasanna 3.2.2 A).  This rule adds no traffic, and different senders use different members in place of a
 * pseudo-node.
 *
 * In a stage, messages travel along one dimension.  In a stage that collects, a rank sends data to the column of its
 * destination.  In a stage that spreads, a rank divides its data among all columns in proportion to their sizes.  A
 * route has one stage that collects for each dimension.  A balanced route begins with one stage that spreads for each
 * dimension.  Long messages may be sent directly instead, in a separate stage that does not wait for other stages.
 */
#ifndef IRR_GRID_H
#define IRR_GRID_H

#include "order/priority.h"
#include "route/nodes.h"

#include <stdbool.h>
#include <stddef.h>

#define IRR_GRID_LEVELS_MAX IRR_DIMS_MAX

/*
 * A grid.  If `nodes` is set, the first dimension lies inside the nodes, and `columns` is unused (stages.c).  A slice
 * is a range of a block that travels separately.  With nodes and two dimensions, a slice travels from its source to a
 * rank of the same node, and then to its destination.  With nodes and three dimensions, a slice for another node
 * travels from its source to a leader of the source's node, to a leader of the destination's node, and to its
 * destination; a slice for the same node travels directly.
 */
typedef struct irr_grid {
    int  levels;                        /* number of dimensions */
    int  columns[IRR_GRID_LEVELS_MAX];  /* by dimension, except the last: its number of columns */
    bool balanced;
    size_t direct_from;                 /* shortest message that is sent directly; 0: no message is sent directly */
    const irr_nodes_t *nodes;           /* borrowed; NULL: ranks fill the grid in the order of their numbers */
} irr_grid_t;

/* Returns the number of stages, without the stage of direct messages: one for each dimension, or two if balanced. */
static inline int irr_grid_stages(const irr_grid_t *grid)
{
    return grid->balanced ? 2 * grid->levels : grid->levels;
}

/* Returns whether the grid has leaders: ranks that send to another node for all ranks of their node. */
static inline bool irr_grid_has_leaders(const irr_grid_t *grid)
{
    return grid->nodes != NULL && grid->levels == 3;
}

/* Returns the number of the stage of direct messages, which is the last stage. */
static inline int irr_grid_direct_stage(const irr_grid_t *grid)
{
    return irr_grid_stages(grid) + 1;
}

/* Returns whether a message of this length is sent directly. */
static inline bool irr_grid_goes_directly(const irr_grid_t *grid, size_t bytes)
{
    return grid->direct_from > 0 && bytes >= grid->direct_from;
}

/* The group of a rank in one dimension.  Member t of the group is rank base + t * stride. */
typedef struct irr_grid_level {
    int        base, stride, size;
    irr_rows_t rows;
} irr_grid_level_t;

/*
 * Returns the number of columns of a square grid of P ranks: ceil(sqrt P).  If P + 1 is ceil(sqrt P) * floor(sqrt P),
 * returns floor(sqrt P), because the rule for pseudo-nodes requires that.
 */
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

int irr_grid_column_size(const irr_grid_level_t *level, int column);

/* Returns the member to which a member sends its data for a column: in its row, or by the rule for pseudo-nodes. */
int irr_grid_hop(const irr_grid_level_t *level, int member, int column);

/*
 * Divides `length` bytes for a destination among the columns, in proportion to their sizes, in units of slice_min
 * bytes.  Share k begins with byte cuts[k], and ends before byte cuts[k + 1].  See grid.c.
 */
void irr_grid_cut(const irr_grid_level_t *level, int destination, size_t length, size_t slice_min, size_t *cuts);

/* Returns the column to which share k is sent. */
static inline int irr_grid_cut_column(const irr_grid_level_t *level, int destination, int k)
{
    return (destination / level->stride % level->rows.columns + k) % level->rows.columns;
}

#endif
