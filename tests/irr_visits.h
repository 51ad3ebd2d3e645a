/* irr_visits.h - counts how often basic blocks run, in the files that are compiled with VISITS_CFLAGS. */
#ifndef IRR_VISITS_H
#define IRR_VISITS_H

#include <stdbool.h>
#include <stdint.h>

extern uint64_t irr_visits;
extern bool     irr_visits_count;   /* true: basic blocks are counted */

/* The compiler inserts a call into each basic block. */
void __sanitizer_cov_trace_pc(void);

#endif
