/*
 * scheduled.c - the table of the orders that compute a schedule; see scheduled.h.
 */
#include "order/scheduled.h"

#include <string.h>

static const irr_scheduled_t rows[] = {
    { "lp", irr_scheduled_lp, IRR_PACE_LOOSE, false,
      "linear permutation: in step k rank i sends to i xor k, or to (i + k) mod P where P is no power of two" },
    { "rs_n", irr_scheduled_rs_n, IRR_PACE_LOOSE, false,
      "random scheduling: in each step the ranks, from a random one on, take a receiver that is free" },
    { "rs_n_sort", irr_scheduled_rs_n_sort, IRR_PACE_LOOSE, false,
      "random scheduling; each rank looks at its longest messages first" },
    { "rs_nh", irr_scheduled_rs_nh, IRR_PACE_LOOSE, false,
      "random scheduling with heaps: the longest message that has a free receiver goes, and long ones are split" },
    { "optimal", irr_scheduled_optimal, IRR_PACE_GRANT, false,
      "preemptive open shop: messages are split so that the busiest port never waits" },
    { "redist", irr_scheduled_redist, IRR_PACE_LOOSE, false,
      "block-cyclic redistribution: steps in which messages are equally long, or ranks send equally much" },
    { "aapc", irr_scheduled_aapc, IRR_PACE_SYNC, true,
      "no two messages of a step on one link of a tree of switches (Faraj, Yuan), for any counts" },
};

#define ROWS ((int)(sizeof(rows) / sizeof(rows[0])))

const irr_scheduled_t *irr_scheduled_at(int i)
{
    return i >= 0 && i < ROWS ? &rows[i] : NULL;
}

const irr_scheduled_t *irr_scheduled_find(const char *name)
{
    for (int i = 0; i < ROWS; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

irr_status_t irr_scheduled_build(const irr_scheduled_t *row, const irr_matrix_t *matrix,
                                 const irr_scheduled_params_t *params, irr_schedule_t *schedule)
{
    irr_schedule_t made = { .ranks = matrix->ranks };
    irr_status_t status = row->build(matrix, params, &made);

    if (status != IRR_OK) {
        irr_schedule_fini(&made);
        return status;
    }
    *schedule = made;
    return IRR_OK;
}
