/*
 * priority.c - the revised R-schedule.  In each row of a grid the order is rotate.  If the last row is incomplete, its
 * messages for columns in which it has no member have priority.
 *
 * In step k a member of column c sends to column c + k, modulo the number of columns.  Members of the incomplete row do
 * so as if the row were complete.  Their messages for the missing members of the row (pseudo-nodes) go to members of
 * the first complete rows instead.  There they would arrive in the same step as messages of the complete row.  In
 * complete row m < rest, the member whose message would arrive in the same step therefore stalls: it sends nothing in
 * this step, and sends each later message one step later.  Its next message would then arrive in the same step as a
 * message of the next member of the row, which therefore stalls, too, and so on along the row.
 *
 * The steps follow figure 10 of the JPDC paper; the printed formula has steps that are too high by one.  With C columns
 * and r members in the incomplete row, column (m + C - k) mod C of complete row m stalls in step r - m + k, for
 * 0 <= k <= C - r + m.  There are C steps; a member's message to itself takes no step.  O(1).
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
