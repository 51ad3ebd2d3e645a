/*
 * priority.c - the revised R-schedule: rotation along the rows, with priority for the messages of the incomplete row to
 * the columns that this row lacks.
 *
 * In step k a member sends to the column k places ahead.  Members of the incomplete row do so as if the row were
 * complete: the messages for its missing members (pseudo-nodes) go to the first complete rows, where they would collide
 * with the messages of the row itself.  In complete row m < rest the sender that would collide therefore stalls for a
 * step.  This delays its other sends by one and makes the next member stall, and so on along the row.
 *
 * Figure 10 of the JPDC paper is authoritative (the printed formula counts the steps one too high): in complete row m
 * the stall of column (m + C - k) mod C falls in step r - m + k, 0 <= k <= C - r + m.  There are C steps, without the
 * step of a member's message to itself.  O(1).
 */
#include "order/priority.h"

#include "order/order.h"

const irr_order_t irr_order_priority = { .name = "priority" };

/* Returns the step in which a column of a complete row stalls; 0: none. */
static int stall(irr_rows_t rows, int row, int column)
{
    int k = (row + rows.columns - column) % rows.columns;

    if (row >= rows.rest || row >= rows.rows - 1 || k > rows.columns - rows.rest + row) {
        return 0;
    }
    return rows.rest - row + k;
}

int irr_priority_step(irr_rows_t rows, int member, int column)
{
    int own = member % rows.columns, step = (column - own + rows.columns) % rows.columns;
    int stalled = stall(rows, member / rows.columns, own);

    return stalled > 0 && step >= stalled ? step + 1 : step;
}
