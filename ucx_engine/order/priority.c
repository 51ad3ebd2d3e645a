/*
 * priority.c - the revised R-schedule of Liu, Wang, Prasanna: the order of messages in a row of a grid whose last row
 * may be incomplete.
 *
 * Let the grid have C columns, and the incomplete row r members.  In step k a member of column c sends to column c + k,
 * modulo C (order/rotate.c).  The members of the incomplete row do so as if their row were complete.  Their messages
 * for the C - r missing members (the paper's pseudo-nodes) go to members of the complete rows 0 to r - 1 instead.
 * These messages have priority.  If a member of the complete row would send to the same receiver in the same step, that
 * member stalls: it sends nothing in this step, and each of its later messages one step later.  In the next step the
 * member of the column before it would send to the same receiver, and therefore stalls as well.  The stall thus moves
 * from column to column, one per step.
 *
 * The steps follow figure 10 of the paper; the steps of the printed formula are too high by one.  The member in column
 * (m + C - i) mod C of complete row m stalls in step r - m + i, for 0 <= i <= C - r + m.  There are C steps; a member's
 * message to itself takes no step.  The step of a message is computed in O(1) time.
 */
#include "order/priority.h"

#include "order/order.h"

const irr_order_t irr_order_priority = { .name = "priority" };

/* Returns the step in which the member of a column of a complete row stalls; 0: it does not stall. */
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
