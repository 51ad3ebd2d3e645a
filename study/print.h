/*
 * print.h - a plan as text.
 */
#ifndef IRR_PRINT_H
#define IRR_PRINT_H

#include "plan/plan.h"

/* One line a step, for people.  Returns IRR_ERR_IO if the stream fails. */
irr_status_t irr_plan_print(const irr_plan_t *plan, FILE *stream);

#endif
