/*
 * priority.c - the revised R-schedule: in each row of a grid the members rotate, and messages of the incomplete last
 * row to the columns that this row lacks have priority.
 *
 * In step k a member sends to the column k places ahead.  Members of the incomplete row do so as if the row were
 * complete.  Their messages for its missing members (pseudo-nodes) go to the first complete rows.  There they would
 * collide with messages of the complete row.  In complete row m < rest, the member whose message would collide
 * therefore stalls: it sends nothing in this step, and each later message one step later.  Its next message would then
 * collide with a message of the next member, which therefore stalls, too, and so on along the row.
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
