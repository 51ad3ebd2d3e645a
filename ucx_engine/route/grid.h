/*
 * grid.h - ranks in a grid of any number of dimensions, for any number of ranks.
 *
 * A group of n members is laid out row by row in `columns` columns.  Each column is a group of the next dimension and
 * is laid out in the same way; in the last dimension the group is a single row.  If columns does not divide n, the last
 * row is incomplete: only its first `rest` places have a member.  The missing members are called pseudo-nodes.  Instead
 * of a message to the pseudo-node in column j >= rest, the member in column i of that row sends a message to the member
 * in row i of column j, which exists (JPDC 3.2.2 A).  This rule adds no traffic, and different members replace the
 * pseudo-node of a column for different senders.
 *
 * A message travels along one dimension in a stage.  A stage that collects takes a message to the column of its
 * destination.  A balanced route has stages that spread, one for each dimension, before the stages that collect.  A
 * stage that spreads divides a message among all columns in proportion to their sizes.  Long messages may be sent
 * directly instead, in a separate stage that does not wait for other stages.
 */
#ifndef IRR_GRID_H
#define IRR_GRID_H

#include "order/priority.h"
#include "route/nodes.h"

#include <stdbool.h>
#include <stddef.h>

#define IRR_GRID_LEVELS_MAX IRR_DIMS_MAX

/*
 * A grid.  If nodes is set, the first dimension is inside the nodes, and `columns` is not used; see stages.c.  With two
 * dimensions, a slice (a range of a block that travels separately) is sent to a rank of its source's node, and then to
 * its destination.  With three dimensions, a slice for the same node is sent to its destination.  A slice for another
 * node is sent to a leader of its source's node, then to a leader of the destination's node, and then to its
 * destination.
 */
typedef struct irr_grid {
    int  levels;                        /* number of dimensions */
    int  columns[IRR_GRID_LEVELS_MAX];  /* number of columns of each dimension; unused for the last dimension */
    bool balanced;
    size_t direct_from;                 /* shortest message that is sent directly; 0: no message is sent directly */
    const irr_nodes_t *nodes;           /* borrowed; NULL: rows and columns by rank number */
} irr_grid_t;

/* Returns the number of stages without direct messages: one for each dimension, or two for each if balanced. */
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

/* A rank's group in one dimension.  Member t is rank base + t * stride. */
typedef struct irr_grid_level {
    int        base, stride, size;
    irr_rows_t rows;
} irr_grid_level_t;

/*
 * Returns the number of columns of a square grid: ceil(sqrt P), or floor(sqrt P) if the rule for pseudo-nodes requires
 * it (JPDC 3.2.2).
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

/* Returns the number of members of a column. */
int irr_grid_column_size(const irr_grid_level_t *level, int column);

/* Returns the member to which a member sends its message for a column: in its row, or by the rule for pseudo-nodes. */
int irr_grid_hop(const irr_grid_level_t *level, int member, int column);

/*
 * Sets cuts[columns + 1] to the bounds of shares of `length` bytes in proportion to the sizes of columns; see grid.c.
 */
void irr_grid_cut(const irr_grid_level_t *level, int destination, size_t length, size_t slice_min, size_t *cuts);

/* Returns the column to which the k-th share is sent. */
static inline int irr_grid_cut_column(const irr_grid_level_t *level, int destination, int k)
{
    return (destination / level->stride % level->rows.columns + k) % level->rows.columns;
}

#endif
