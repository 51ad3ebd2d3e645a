/* priority.h - the order of a stage in a group whose members are arranged in rows.  The last row may be incomplete. */
#ifndef IRR_PRIORITY_H
#define IRR_PRIORITY_H

/* A group of members, numbered row by row.  rest: number of members of the last row if it is incomplete, else 0. */
typedef struct irr_rows {
    int columns;
    int rows;
    int rest;
} irr_rows_t;

/*
 * Returns the step, counted from 1, in which a member sends its message for another column.  No member receives two
 * messages in a step if rest <= rows - 1.
 */
int irr_priority_step(irr_rows_t rows, int member, int column);

#endif
