/*
 * outline.c - the sends of all ranks without other steps, for pictures; see plans.h.
 *
 * A grid route cuts messages into many pieces.  For 1,024 ranks with 32 KiB for each other, balanced-grid has 320
 * million pieces, which take 15 GB.  How a rank distributes its data for one destination does not depend
 * on other destinations.  The plans are therefore built for a few destinations at a time, and only the lengths of
 * their messages are kept.  The number of destinations at a time follows from the number of pieces of the previous
 * destinations.
 *
 * Cost: the time to build the plans; memory for the messages, and for the slices that ranks hold between two stages, of
 * PIECES pieces or of one destination.
 */
#include "study/plans.h"

/* Number of pieces of some destinations, and largest growth of the number of destinations in one step. */
#define PIECES ((size_t)1 << 22)
#define GROWTH 8

/* ---- the outline ---- */

static bool same(const irr_step_t *a, const irr_step_t *b)
{
    return a->stage == b->stage && a->number == b->number && a->peer == b->peer;
}

/*
 * Adds a send, or adds its bytes to an equal send.  *at: index after the last match, where the next match usually is.
 */
static irr_status_t add_send(irr_plan_t *plan, const irr_step_t *send, size_t *at)
{
    const irr_piece_t piece = { .buffer = IRR_BUFFER_INPUT, .length = send->bytes };

    for (size_t k = 0; k < plan->nsteps; k++) {
        const size_t i = (*at + k) % plan->nsteps;
        irr_step_t *step = &plan->steps[i];

        if (same(step, send)) {
            step->bytes += send->bytes;
            plan->pieces[step->first_piece].length = step->bytes;
            *at = i + 1;
            return IRR_OK;
        }
    }
    return irr_plan_add(plan, &(irr_step_params_t){
        .kind = IRR_STEP_SEND, .peer = send->peer, .stage = send->stage, .number = send->number,
        .pieces = &piece, .npieces = 1 });
}

typedef struct outline {
    irr_plans_t plans;
    size_t      pieces;   /* number of pieces of the messages to some destinations */
} outline_t;

/* Adds the sends of some steps; see irr_plans_take_t. */
static irr_status_t add_steps(void *context, const irr_plan_t *from, size_t first, bool last)
{
    outline_t *outline = context;
    irr_plan_t *plan = &outline->plans.plans[from->rank];
    irr_status_t status = IRR_OK;
    size_t at = 0;

    (void)last;
    outline->pieces += from->npieces;
    for (size_t i = first; i < from->nsteps && status == IRR_OK; i++) {
        const irr_step_t *step = &from->steps[i];

        if (step->kind == IRR_STEP_SEND && step->peer != from->rank) {
            status = add_send(plan, step, &at);
        }
    }
    plan->stages = from->stages > plan->stages ? from->stages : plan->stages;
    return status;
}

/* ---- a part of the destinations ---- */

/* Copies columns `first` to `end` - 1 of a matrix; the other columns become 0. */
static void take_columns(const irr_matrix_t *matrix, int first, int end, irr_matrix_t *some)
{
    for (int i = 0; i < matrix->ranks; i++) {
        for (int j = 0; j < matrix->ranks; j++) {
            *irr_matrix_at(some, i, j) = j >= first && j < end ? *irr_matrix_at(matrix, i, j) : 0;
        }
    }
}

/* Returns the next number of destinations, if `count` destinations had this number of pieces. */
static int next_count(int count, size_t pieces, int ranks)
{
    const size_t most = (size_t)count * GROWTH, allowed = PIECES / (pieces / (size_t)count + 1) + 1;
    const size_t next = allowed < most ? allowed : most;

    return next < (size_t)ranks ? (int)next : ranks;
}

irr_status_t irr_plans_outline(const irr_strategy_t *strategy, const irr_plans_known_t *known, irr_plans_t *plans)
{
    const irr_matrix_t *matrix = known->matrix;
    irr_plans_known_t some = *known;
    irr_matrix_t columns;
    outline_t outline = { .pieces = 0 };
    irr_status_t status;
    int count = 1;

    if (irr_strategy_is_scheduled(strategy) || irr_strategy_is_local(strategy)) {
        return irr_plans_build(strategy, known, plans);
    }
    status = irr_matrix_init(&columns, matrix->ranks);
    if (status != IRR_OK) {
        return status;
    }
    some.matrix = &columns;
    status = irr_plans_open(matrix, false, &outline.plans);
    for (int first = 0; first < matrix->ranks && status == IRR_OK;) {
        const int end = matrix->ranks - first < count ? matrix->ranks : first + count;

        outline.pieces = 0;
        take_columns(matrix, first, end, &columns);
        status = irr_plans_each(strategy, &some, add_steps, &outline);
        count = next_count(end - first, outline.pieces, matrix->ranks);
        first = end;
    }
    irr_matrix_fini(&columns);
    if (status != IRR_OK) {
        irr_plans_fini(&outline.plans);
        return status;
    }
    *plans = outline.plans;
    return IRR_OK;
}
