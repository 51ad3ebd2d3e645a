/*
 * irr_visits.h - how much code runs: basic blocks, counted in the files that are compiled with VISITS_CFLAGS.
 */
#ifndef IRR_VISITS_H
#define IRR_VISITS_H

#include <stdbool.h>
#include <stdint.h>

extern uint64_t irr_visits;
extern bool     irr_visits_count;   /* from now on */

/* The compiler calls it at each one. */
void __sanitizer_cov_trace_pc(void);

#endif
