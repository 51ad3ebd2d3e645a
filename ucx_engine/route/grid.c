/*
 * grid.c - geometry of grids; see grid.h.  irr_grid_level takes O(levels) time, irr_grid_cut O(columns), and all other
 * functions O(1).
 */
#include "route/grid.h"

#include "route/route.h"

const irr_route_t irr_route_grid = { .name = "grid" };

int irr_grid_square_columns(int ranks)
{
    int floor = 1, ceil;

    while ((floor + 1) * (floor + 1) <= ranks) {
        floor++;
    }
    ceil = floor * floor < ranks ? floor + 1 : floor;
    return ranks == ceil * floor - 1 ? floor : ceil;
}

static void lay_out(irr_grid_level_t *level, int columns)
{
    level->rows.columns = columns < level->size ? columns : level->size;
    level->rows.rows = (level->size + level->rows.columns - 1) / level->rows.columns;
    level->rows.rest = level->size % level->rows.columns;
}

irr_grid_level_t irr_grid_level(const irr_grid_t *grid, int ranks, int number, int rank)
{
    irr_grid_level_t level = { .base = 0, .stride = 1, .size = ranks };

    for (int i = 0; i <= number; i++) {
        int columns = i == grid->levels - 1 ? level.size : grid->columns[i];

        lay_out(&level, columns);
        if (i < number) {
            int column = irr_grid_member(&level, rank) % level.rows.columns;
            int size = irr_grid_column_size(&level, column);

            level.base += column * level.stride;
            level.stride *= level.rows.columns;
            level.size = size;
        }
    }
    return level;
}

int irr_grid_column_size(const irr_grid_level_t *level, int column)
{
    return level->rows.rest == 0 || column < level->rows.rest ? level->rows.rows : level->rows.rows - 1;
}

int irr_grid_hop(const irr_grid_level_t *level, int member, int column)
{
    int row = member / level->rows.columns, to = row * level->rows.columns + column;

    if (to < level->size) {
        return to;
    }
    /* if the user has set the columns, there may be more senders than complete rows: use rows again from the first */
    return member % level->rows.columns % (level->rows.rows - 1) * level->rows.columns + column;
}

/*
 * Share k goes to column (destination / stride + k) mod columns.  The length of a share is proportional to the size of
 * its column, rounded down to a multiple of slice_min; the last share gets the remainder.  The column of the first
 * share depends on the destination, and differs from dimension to dimension.  The remainders of many short messages are
 * therefore spread over the columns.  Figure 11 of Liu, Wang and Prasanna does this by the initial values of counters.
 */
void irr_grid_cut(const irr_grid_level_t *level, int destination, size_t length, size_t slice_min, size_t *cuts)
{
    size_t granule = slice_min > 0 ? slice_min : 1, whole = (size_t)level->size, members = 0;

    cuts[0] = 0;
    for (int k = 0; k < level->rows.columns; k++) {
        members += (size_t)irr_grid_column_size(level, irr_grid_cut_column(level, destination, k));
        /* length * members / whole without overflow */
        cuts[k + 1] = length / whole * members + length % whole * members / whole;
        cuts[k + 1] -= cuts[k + 1] % granule;
    }
    cuts[level->rows.columns] = length;
}
