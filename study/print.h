/*
 * print.h - a plan as text.
 */
#ifndef IRR_PRINT_H
#define IRR_PRINT_H

#include "plan/plan.h"

/* Prints one line for each step.  Returns IRR_ERR_IO if the stream has an error. */
irr_status_t irr_plan_print(const irr_plan_t *plan, FILE *stream);

#endif
