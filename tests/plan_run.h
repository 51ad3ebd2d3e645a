/*
 * plan_run.h - runs the plans of all ranks on real bytes in one process, in a random order that the rules allow.
 *
 * It shares no code with the executor or the checker, so the three can be held against each other.
 */
#ifndef IRR_PLAN_RUN_H
#define IRR_PLAN_RUN_H

#include "plan/plan.h"

/*
 * Sends are rendezvous or eager at random, as many at a time as a random window lets.  The plans must have the
 * shape that irr_plan_check demands.  Returns false if some step never ends.
 */
bool irr_plan_run(const irr_plan_t *plans, int ranks, unsigned char *const *input, unsigned char *const *output,
                  uint64_t *random);

#endif
