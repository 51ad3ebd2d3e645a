/*
 * bounds.c - see bounds.h.  O(P) for a plan and O(slices) for a message.
 *
 * The paper assumes that P divides the length of each message.  Real lengths make some shares longer than the exact
 * proportion; the difference is the excess.  A stream is the data that a rank holds for one destination.  The rank cuts
 * the stream into shares for other ranks.  A cut is at a whole byte.  If slice_min is set, no cut is within slice_min
 * bytes of the end of a slice (a range of a block that travels separately).  The excess of a share is less than the
 * granule G.  G is 1 byte without slice_min, and otherwise 3 * slice_min - 2: the cut at the begin of the share is
 * rounded down by less than slice_min, and each of its two cuts may move to the end of a slice, by less than slice_min.
 * The excess in the four stages follows:
 *
 *     I    For each destination, a message has an excess of less than G.
 *     II   A rank holds for a destination the data of n ranks, itself included; n = C or, in an incomplete column,
 *          C + 1.  The excess of this stream is below n * G.  The rank cuts the stream into shares for its column of
 *          m ranks, m = R or R - 1.  For each destination, a message has an excess of less than n * G / m + G.
 *     III  A rank holds m such shares, its own included: an excess of less than (n + m) * G for each destination.
 *          All ranks of a column begin their cuts for a destination at the same rank, so this rank can get all
 *          remainders.
 *     IV   A message has the data that n ranks of the row hold for one destination: an excess of less than
 *          n * (n + m) * G.
 *
 * Scratch holds the data received in one stage and in the next stage.  The excess is n * G for each of P destinations
 * after stage I, (n + m) * G for each of P destinations after II, and n * (n + m) * G for each of m destinations after
 * III.  n + m is C + R in any column.
 */
#include "study/bounds.h"

#include <math.h>

/* ---- the bounds that hold for a strategy ---- */

/*
 * Returns true if no rank of the grid receives two messages in a step.  This holds if the last row has at most as many
 * ranks as there are other rows: then there is room for the messages to the ranks that the last
 * row lacks, the paper's pseudo-nodes.
 */
static bool is_contention_free(const irr_grid_t *grid, int ranks)
{
    bool contention_free = true;

    for (int i = 0; i < grid->levels && grid->nodes == NULL && contention_free; i++) {
        for (int r = 0; r < ranks && contention_free; r++) {
            irr_grid_level_t level = irr_grid_level(grid, ranks, i, r);

            contention_free = level.rows.rest <= level.rows.rows - 1;
        }
    }
    return contention_free;
}

void irr_bounds_init(irr_bounds_t *bounds, const irr_strategy_t *strategy, const irr_nodes_t *nodes, int ranks,
                     uint64_t lmax)
{
    uint64_t slice_min = strategy->slice_min < lmax ? strategy->slice_min : lmax;
    irr_grid_t grid;

    *bounds = (irr_bounds_t){
        .ranks = ranks, .root = (int)ceil(sqrt(ranks)), .lmax = lmax, .granule = slice_min > 1 ? 3 * slice_min - 2 : 1
    };
    if (irr_strategy_grid(strategy, ranks, nodes, &grid) != IRR_OK) {
        bounds->contention_free = strategy->order->contention_free;
        return;
    }
    bounds->contention_free = is_contention_free(&grid, ranks);
    bounds->stages = irr_grid_stages(&grid);
    bounds->shape = strategy->route == &irr_route_grid && strategy->shape == IRR_SHAPE_SQUARE &&
        strategy->dims.count == 0;
    bounds->balance = bounds->shape && strategy->balanced;
    if (bounds->shape) {
        bounds->rows = irr_grid_level(&grid, ranks, 0, 0).rows;
    }
}

/* ---- numbers, which saturate at UINT64_MAX ---- */

static uint64_t plus(uint64_t a, uint64_t b)
{
    return b < UINT64_MAX - a ? a + b : UINT64_MAX;
}

static uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t product;

    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

/* Returns count * Lmax / P, rounded down. */
static uint64_t share(const irr_bounds_t *bounds, uint64_t count)
{
    uint64_t ranks = (uint64_t)bounds->ranks;

    return plus(times(bounds->lmax / ranks, count), bounds->lmax % ranks * count / ranks);
}

static uint64_t excess(uint64_t value, uint64_t limit)
{
    return value > limit ? value - limit : 0;
}

static void raise_to(uint64_t *most, uint64_t value)
{
    *most = value > *most ? value : *most;
}

/* ---- the square ---- */

static bool is_complete(const irr_bounds_t *bounds, int rank)
{
    return bounds->rows.rest == 0 || rank % bounds->rows.columns < bounds->rows.rest;
}

/* Returns n, the number of ranks from which a rank receives along its row, itself included. */
static uint64_t hears_from(const irr_bounds_t *bounds, bool complete)
{
    return (uint64_t)bounds->rows.columns + !complete;
}

/* Returns m, the number of ranks of a column. */
static uint64_t column_size(const irr_bounds_t *bounds, bool complete)
{
    return (uint64_t)bounds->rows.rows - !complete;
}

/* Returns the excess in bytes of the data that a rank holds after stage II for this number of destinations. */
static uint64_t held(const irr_bounds_t *bounds, uint64_t destinations)
{
    return times(bounds->granule, times((uint64_t)(bounds->rows.columns + bounds->rows.rows), destinations));
}

/* Returns true if a stage is along rows.  Stages 1 and 3 are along rows, stages 2 and 4 (II and IV) along columns. */
static bool along_rows(int stage)
{
    return stage % 2 == 1;
}

static uint64_t limit_of_messages(const irr_bounds_t *bounds, int stage, bool complete)
{
    uint64_t root = (uint64_t)bounds->root;

    return complete ? root : along_rows(stage) ? root + 1 : root - 1;
}

static uint64_t limit_of_length(const irr_bounds_t *bounds, const irr_plans_message_t *message,
                                uint64_t destinations)
{
    bool complete = is_complete(bounds, message->to);
    uint64_t n = hears_from(bounds, complete), m = column_size(bounds, complete);
    uint64_t root = (uint64_t)bounds->root, more;

    switch (message->stage) {
    case 1:  more = times(bounds->granule, destinations); break;
    case 2:  more = times(bounds->granule, destinations + (n * destinations + m - 1) / m); break;
    case 3:  more = held(bounds, destinations); break;
    default: more = held(bounds, n * destinations);
    }
    return plus(share(bounds, complete ? root : along_rows(message->stage) ? root - 1 : root + 1), more);
}

static uint64_t limit_of_scratch(const irr_bounds_t *bounds, bool complete)
{
    uint64_t root = (uint64_t)bounds->root, n = hears_from(bounds, complete), m = column_size(bounds, complete);
    uint64_t ranks = (uint64_t)bounds->ranks, more = times(bounds->granule, n * ranks);

    raise_to(&more, held(bounds, n * m));
    return plus(share(bounds, 2 * root * root), plus(more, held(bounds, ranks)));
}

/* ---- checks of plans and messages ---- */

void irr_bounds_plan(irr_bounds_t *bounds, const irr_plan_t *plan)
{
    bool complete = is_complete(bounds, plan->rank);
    uint64_t received[IRR_STAGES_MAX + 1] = { 0 };

    for (size_t i = 0; i < plan->nsteps; i++) {
        const irr_step_t *step = &plan->steps[i];

        if (step->kind == IRR_STEP_RECV && step->bytes > 0 && step->stage <= IRR_STAGES_MAX) {
            received[step->stage]++;
        }
    }
    for (int stage = 1; stage <= plan->stages && stage <= bounds->stages && bounds->shape; stage++) {
        raise_to(&bounds->lemma1, excess(received[stage] + 1, limit_of_messages(bounds, stage, complete)));
    }
    if (bounds->balance) {
        raise_to(&bounds->theorem1, excess(plan->scratch_bytes, limit_of_scratch(bounds, complete)));
    }
}

void irr_bounds_message(irr_bounds_t *bounds, const irr_plans_message_t *message)
{
    uint64_t destinations = 0;

    if (!bounds->balance) {
        return;
    }
    for (size_t i = 0; i < message->nslices; i++) {
        destinations += i == 0 || message->slices[i].destination != message->slices[i - 1].destination;
    }
    raise_to(&bounds->lemma3, excess(message->bytes, limit_of_length(bounds, message, destinations)));
}
