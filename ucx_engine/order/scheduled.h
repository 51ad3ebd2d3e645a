/*
 * scheduled.h - the orders that compute a schedule from the count matrix: one table.
 *
 * All are pure: the same matrix, parameters and seed give the same schedule on every rank and machine.  None lets
 * a rank send, or receive, twice in a step.
 */
#ifndef IRR_SCHEDULED_H
#define IRR_SCHEDULED_H

#include "order/lambda.h"
#include "order/schedule.h"

typedef struct irr_scheduled {
    const char   *name;
    irr_status_t (*build)(const irr_matrix_t *matrix, const irr_scheduled_params_t *params,
                          irr_schedule_t *schedule);
    irr_pacing_t  pace;   /* that goes with it, unless the user says otherwise */
    bool          tries;  /* on a known tree: which pace, pieces and lead; see comm/tune.h */
    const char   *text;
} irr_scheduled_t;

/* Row i of the table (order/scheduled.c); NULL past the last. */
const irr_scheduled_t *irr_scheduled_at(int i);

/* The row of that name; NULL if there is none. */
const irr_scheduled_t *irr_scheduled_find(const char *name);

/*
 * Runs a row.  The schedule is written on success only, and is the caller's to irr_schedule_fini.
 * IRR_ERR_NO_MEMORY; IRR_ERR_BAD_PARAM if the bytes of the matrix are 2^63 or more.  IRR_ERR_TIMEOUT: not
 * done by the deadline; lp and redist, which are fast, do not look.  And redist alone: IRR_ERR_BAD_PARAM if the parameters have no redistribution (p is 0, for one); IRR_ERR_NOT_SUPPORTED if it has
 * more ranks than the matrix, or the matrix has messages that it has not.
 */
irr_status_t irr_scheduled_build(const irr_scheduled_t *row, const irr_matrix_t *matrix,
                                 const irr_scheduled_params_t *params, irr_schedule_t *schedule);

/* The rows' functions, which append to an empty schedule; each has a file of its name. */
irr_status_t irr_scheduled_lp(const irr_matrix_t *matrix, const irr_scheduled_params_t *params,
                              irr_schedule_t *schedule);
irr_status_t irr_scheduled_rs_n(const irr_matrix_t *matrix, const irr_scheduled_params_t *params,
                                irr_schedule_t *schedule);
irr_status_t irr_scheduled_rs_n_sort(const irr_matrix_t *matrix, const irr_scheduled_params_t *params,
                                     irr_schedule_t *schedule);
irr_status_t irr_scheduled_rs_nh(const irr_matrix_t *matrix, const irr_scheduled_params_t *params,
                                 irr_schedule_t *schedule);
irr_status_t irr_scheduled_optimal(const irr_matrix_t *matrix, const irr_scheduled_params_t *params,
                                   irr_schedule_t *schedule);
irr_status_t irr_scheduled_redist(const irr_matrix_t *matrix, const irr_scheduled_params_t *params,
                                  irr_schedule_t *schedule);

irr_status_t irr_scheduled_aapc(const irr_matrix_t *matrix, const irr_scheduled_params_t *params,
                                irr_schedule_t *schedule);

#endif
