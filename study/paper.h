/*
 * paper.h - the plans of all ranks for a way with boards, on paper: what goes over a board is a message that is
 * marked (irr_step_t), so that it is listed and proved with the others.
 */
#ifndef IRR_PAPER_H
#define IRR_PAPER_H

#include "plan/way.h"

/*
 * Builds plans[r] for problems[r], of one block a rank, which agree with each other; plans are initialised or reset.
 * IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_paper_build(const irr_way_t *way, const irr_nodes_t *nodes, const irr_problem_t *problems,
                             irr_plan_t *plans);

#endif
