/*
 * plans_prove.c - builds plans and proves them batch by batch; see irr_plans_prove in plans.h, and check.h.
 *
 * A batch is a set of steps that are proved together.  The steps built since the last batch form a batch as soon as
 * they contain both ends of each of their messages: for each rank, the number of steps that send to the rank is equal
 * to the number of its own steps that receive.  For a grid, a batch is one stage of a row of ranks.
 *
 * Cost: the time to build the plans and to check them.  Memory for the steps, for the pieces of a batch, and for the
 * data that later batches need (check_carry.c).
 */
#include "study/check.h"

#include "core/alloc.h"

typedef struct prover {
    irr_plans_t        *plans;
    irr_check_t         check;
    irr_check_slices_t  slices;
    bool              (*fn)(void *context, const irr_plans_message_t *message);
    void               *context;
    bool                more;      /* fn wants more messages */
    bool                proved;    /* all batches so far are proved */
    int64_t            *due;       /* by rank: steps of the batch that send to the rank, minus its steps that receive */
    int                 open;      /* number of ranks whose `due` is not 0 */
    size_t             *npieces;   /* by rank: number of pieces in earlier batches */
} prover_t;

static void count_due(prover_t *prover, int rank, int64_t change)
{
    int64_t *due = &prover->due[rank];

    prover->open -= *due != 0;
    *due += change;
    prover->open += *due != 0;
}

/* Counts the messages of the new steps of a rank. */
static void count_messages(prover_t *prover, const irr_plan_t *plan, size_t first)
{
    for (size_t i = first; i < plan->nsteps; i++) {
        const irr_step_t *step = &plan->steps[i];

        if (irr_step_goes_out(step)) {
            count_due(prover, step->peer, 1);
        } else if (!irr_step_is_local(step->kind)) {
            count_due(prover, plan->rank, -1);
        }
    }
}

static void drop_pieces(prover_t *prover, irr_plan_t *plan)
{
    prover->npieces[plan->rank] += plan->npieces;
    irr_free(plan->pieces);
    plan->pieces = NULL;
    plan->npieces = plan->pieces_max = 0;
}

static irr_status_t show_messages(prover_t *prover)
{
    const irr_check_t *check = &prover->check;
    irr_status_t status = IRR_OK;

    for (size_t id = 0; id < check->base[check->ranks] && status == IRR_OK && prover->more; id++) {
        const irr_check_step_t *at = &check->steps[id];
        irr_plans_message_t message;

        if (at->step->kind == IRR_STEP_SEND && at->step->peer != at->rank) {
            status = irr_check_message(check, at->rank, irr_check_index(check, id), &prover->slices, &message);
            prover->more = status == IRR_OK && prover->fn(prover->context, &message);
        }
    }
    return status;
}

/* Proves a batch, and drops its pieces. */
static irr_status_t prove_batch(prover_t *prover)
{
    irr_check_t *check = &prover->check;
    irr_status_t status = irr_check_batch(check);

    status = status == IRR_OK ? show_messages(prover) : status;
    status = status == IRR_OK ? irr_check_carry(check) : status;
    for (int r = 0; r < check->ranks; r++) {
        drop_pieces(prover, &prover->plans->plans[r]);
    }
    return status;
}

/* Takes steps, and proves a batch when it is complete; see irr_plans_take_t. */
static irr_status_t take(void *context, const irr_plan_t *plan, size_t first, bool last)
{
    prover_t *prover = context;
    irr_check_rank_t *rank = &prover->check.rank[plan->rank];
    irr_status_t status = irr_plans_keep(prover->plans, plan, first, last);

    if (status != IRR_OK) {
        return status;
    }
    rank->fresh = true;
    rank->last = last;
    count_messages(prover, plan, first);
    if (prover->open == 0 && prover->proved) {
        status = prove_batch(prover);
        prover->proved = status == IRR_OK;
    }
    if (!prover->proved) {
        drop_pieces(prover, &prover->plans->plans[plan->rank]);
    }
    return status == IRR_ERR_INVALID_PLAN ? IRR_OK : status;
}

static irr_status_t open_prover(prover_t *prover)
{
    const irr_plans_t *plans = prover->plans;
    const size_t ranks = (size_t)plans->ranks;
    irr_status_t status = IRR_ALLOC_ARRAYS(((irr_array_t[]){
        IRR_ARRAY(prover->due, ranks), IRR_ARRAY(prover->npieces, ranks) }));

    prover->check = (irr_check_t){ .plans = plans->plans, .problems = plans->problems, .ranks = plans->ranks };
    return status == IRR_OK ? irr_check_open(&prover->check) : status;
}

irr_status_t irr_plans_prove(const irr_strategy_t *strategy, const irr_plans_known_t *known, irr_plans_t *plans,
                             bool (*fn)(void *context, const irr_plans_message_t *message), void *context, bool *proved)
{
    prover_t prover = { .plans = plans, .fn = fn, .context = context, .more = true, .proved = true };
    irr_status_t status = irr_plans_open(known, plans);

    if (status == IRR_OK) {
        status = open_prover(&prover);
    }
    if (status == IRR_OK) {
        status = irr_plans_each(strategy, known, take, &prover);
    }
    for (int r = 0; r < plans->ranks && status == IRR_OK; r++) {
        drop_pieces(&prover, &plans->plans[r]);
        plans->plans[r].npieces = prover.npieces[r];
        prover.proved = prover.proved && prover.check.rank[r].last && !prover.check.rank[r].fresh;
    }
    irr_check_fini(&prover.check);
    irr_free(prover.slices.items);
    irr_free(prover.due);   /* also frees the numbers of pieces */
    if (status != IRR_OK) {
        irr_plans_fini(plans);
        return status;
    }
    *proved = prover.proved;
    return IRR_OK;
}
