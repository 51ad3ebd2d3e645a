/* irr_visits.c - see irr_visits.h. This file must be compiled without VISITS_CFLAGS, because it defines the counter. */
#include "irr_visits.h"

uint64_t irr_visits;
bool     irr_visits_count;

void __sanitizer_cov_trace_pc(void)
{
    irr_visits += irr_visits_count;
}
