/*
 * plan_run.h - runs the plans of all ranks with real bytes in one process, in a random order that the rules allow.
 *
 * It shares no code with the executor or the checker, so the three verify each other.
 */
#ifndef IRR_PLAN_RUN_H
#define IRR_PLAN_RUN_H

#include "plan/plan.h"

/*
 * Runs the plans.  Sends are rendezvous or eager at random; a random window limits how many are in flight.  The plans
 * must have the shape that irr_plan_check requires.  Returns false if a step never ends.
 */
bool irr_plan_run(const irr_plan_t *plans, int ranks, unsigned char *const *input, unsigned char *const *output,
                  uint64_t *random);

#endif
