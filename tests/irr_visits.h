/*
 * irr_visits.h - measures how much code runs: counts basic blocks of the files compiled with VISITS_CFLAGS.
 */
#ifndef IRR_VISITS_H
#define IRR_VISITS_H

#include <stdbool.h>
#include <stdint.h>

extern uint64_t irr_visits;
extern bool     irr_visits_count;   /* true: count from now on */

/* The compiler inserts a call into each basic block. */
void __sanitizer_cov_trace_pc(void);

#endif
