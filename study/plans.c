/* plans.c - see plans.h.  Time O(P * P) for the problems of P ranks, plus the time to build each plan.  */
#include "study/plans.h"

#include "core/alloc.h"
#include "order/tree/syncs.h"
#include "route/pairs.h"
#include "study/grid_plans.h"

/* Sets the send blocks (sends) or the receive blocks of one rank.  Returns false if an offset exceeds PTRDIFF_MAX. */
static bool lay_out(const irr_matrix_t *matrix, int rank, bool sends, irr_block_t *list, irr_blocks_t *blocks)
{
    uint64_t position = 0;
    size_t count = 0;

    for (int i = 0; i < matrix->ranks; i++) {
        uint64_t length = sends ? *irr_matrix_at(matrix, rank, i) : *irr_matrix_at(matrix, i, rank);

        if (length > 0) {
            list[count++] = (irr_block_t){ .rank = i, .offset = (ptrdiff_t)position, .length = (size_t)length };
        }
        if (__builtin_add_overflow(position, length, &position) || position > PTRDIFF_MAX) {
            return false;
        }
    }
    *blocks = (irr_blocks_t){ .list = list, .count = count };
    return true;
}

irr_status_t irr_plans_problem(const irr_matrix_t *matrix, int rank, irr_block_t *blocks, irr_problem_t *problem)
{
    *problem = (irr_problem_t){ .ranks = matrix->ranks, .rank = rank };
    return lay_out(matrix, rank, true, blocks, &problem->send) &&
           lay_out(matrix, rank, false, blocks + problem->send.count, &problem->recv) ? IRR_OK : IRR_ERR_BAD_PARAM;
}

/* ---- in place ---- */

static irr_status_t build_pairs(irr_problem_t *problem, irr_plan_t *plan)
{
    for (size_t i = 0; i < problem->send.count || i < problem->recv.count; i++) {
        const irr_block_t *sent = &problem->send.list[i], *received = &problem->recv.list[i];

        if (problem->send.count != problem->recv.count || sent->rank != received->rank ||
            sent->length != received->length) {
            return IRR_ERR_BAD_PARAM;
        }
    }
    problem->send = problem->recv;
    problem->in_place = true;
    return irr_pairs_build(problem, &irr_pairs_limits, plan);
}

/* ---- with a schedule ---- */

static irr_status_t build_scheduled(const irr_strategy_t *strategy, const irr_plans_known_t *known,
                              const irr_local_schedules_t *locals, const irr_problem_t *problem, irr_plan_t *plan)
{
    irr_local_schedule_t local = { .schedule = { .ranks = 0 } };
    irr_share_t share = { .own = { .ranks = 0 } };
    irr_forward_t forward = { .step = NULL };
    irr_status_t status = irr_local_schedules_take(locals, problem->rank, &local);

    if (status == IRR_OK) {
        status = irr_share_init(&share, strategy, &local, problem->rank);
    }
    if (status == IRR_OK && irr_strategy_forwards(strategy)) {
        status = irr_forward_init(&forward, known->nodes, known->matrix, problem->send, problem->rank);
    }
    if (status == IRR_OK) {
        status = irr_strategy_build(strategy, problem, &share, &forward, plan);
    }
    irr_forward_fini(&forward);
    irr_share_fini(&share);
    irr_local_schedule_fini(&local);
    return status;
}

/* ---- any strategy ---- */

/* A call of irr_plans_each. */
typedef struct job {
    const irr_strategy_t    *strategy;
    const irr_plans_known_t *known;
    irr_syncs_t              syncs;
    irr_local_schedules_t    locals;    /* the messages of a schedule by rank */
    irr_plans_take_t         take;
    void                    *context;
} job_t;

static bool is_wanted(const irr_plans_known_t *known, int rank)
{
    return known->only == NULL || *known->only == rank;
}

static irr_status_t build_rank(const job_t *job, irr_problem_t *problem, irr_plan_t *plan)
{
    if (job->known->in_place) {
        return build_pairs(problem, plan);
    }
    return irr_strategy_is_scheduled(job->strategy)
               ? build_scheduled(job->strategy, job->known, &job->locals, problem, plan)
               : irr_strategy_build(job->strategy, problem, NULL, NULL, plan);
}

static irr_status_t run_ranks(const job_t *job)
{
    const irr_matrix_t *matrix = job->known->matrix;
    irr_block_t *blocks = irr_alloc(2 * (size_t)matrix->ranks, sizeof(*blocks));
    irr_status_t status = blocks != NULL ? IRR_OK : IRR_ERR_NO_MEMORY;

    for (int r = 0; r < matrix->ranks && status == IRR_OK; r++) {
        irr_problem_t problem;
        irr_plan_t plan;

        if (!is_wanted(job->known, r)) {
            continue;
        }
        irr_plan_init(&plan);
        status = irr_plans_problem(matrix, r, blocks, &problem);
        status = status == IRR_OK ? build_rank(job, &problem, &plan) : status;
        status = status == IRR_OK ? job->take(job->context, &plan, 0, true) : status;
        irr_plan_fini(&plan);
    }
    irr_free(blocks);
    return status;
}

static irr_status_t run_schedule(job_t *job)
{
    const irr_plans_known_t *known = job->known;
    irr_status_t status = known->schedule == NULL ? IRR_ERR_BAD_PARAM : job->strategy->pacing->syncs
        ? irr_syncs_find_any(known->tree, known->schedule, NULL, &job->syncs) : IRR_OK;

    if (status == IRR_OK) {
        status = irr_local_schedules_init(&job->locals, known->schedule, &job->syncs);
    }
    if (status == IRR_OK) {
        status = run_ranks(job);
    }
    irr_local_schedules_fini(&job->locals);
    irr_syncs_fini(&job->syncs);
    return status;
}

static irr_status_t run_grid(const job_t *job)
{
    irr_grid_t grid;
    irr_status_t status = irr_strategy_grid(job->strategy, job->known->matrix->ranks, job->known->nodes, &grid);

    return status == IRR_OK ? irr_grid_plans_each(&grid, job->strategy, job->known->matrix, job->take, job->context)
                            : status;
}

irr_status_t irr_plans_each(const irr_strategy_t *strategy, const irr_plans_known_t *known, irr_plans_take_t take,
                            void *context)
{
    job_t job = { .strategy = strategy, .known = known, .take = take, .context = context };

    if (known->in_place) {
        return irr_strategy_is_local(strategy) && strategy->pacing == &irr_pacing_free ? run_ranks(&job)
                                                                                       : IRR_ERR_BAD_PARAM;
    }
    if (irr_strategy_is_scheduled(strategy)) {
        return run_schedule(&job);
    }
    return irr_strategy_is_local(strategy) ? run_ranks(&job) : run_grid(&job);
}

/* Returns an upper bound of the number of blocks of the wanted ranks. */
static size_t count_blocks(const irr_plans_known_t *known)
{
    const size_t ranks = (size_t)known->matrix->ranks;
    size_t count = 0;

    for (size_t i = 0; i < ranks * ranks && known->only == NULL; i++) {
        count += known->matrix->entries[i] > 0;
    }
    return 2 * (known->only == NULL ? count : ranks);
}

irr_status_t irr_plans_open(const irr_plans_known_t *known, irr_plans_t *plans)
{
    const size_t ranks = (size_t)known->matrix->ranks;
    irr_block_t *next;
    irr_status_t status;

    *plans = (irr_plans_t){ .ranks = known->matrix->ranks };
    status = IRR_ALLOC_ARRAYS(((irr_array_t[]){
        IRR_ARRAY(plans->problems, ranks), IRR_ARRAY(plans->plans, ranks),
        IRR_ARRAY(plans->blocks, count_blocks(known)) }));
    next = plans->blocks;
    for (int r = 0; r < plans->ranks && status == IRR_OK; r++) {
        irr_problem_t *problem = &plans->problems[r];

        if (is_wanted(known, r)) {
            status = irr_plans_problem(known->matrix, r, next, problem);
            next += problem->send.count + problem->recv.count;
            problem->in_place = known->in_place;
            problem->send = known->in_place ? problem->recv : problem->send;
        }
    }
    return status;
}

irr_status_t irr_plans_keep(void *context, const irr_plan_t *plan, size_t first, bool last)
{
    const irr_plans_t *plans = context;
    irr_plan_t *kept = &plans->plans[plan->rank];
    irr_status_t status;

    if (plans->problems[plan->rank].ranks == 0) {
        return IRR_OK;   /* the rank is not wanted */
    }
    status = irr_plan_reserve(kept, (irr_plan_room_t){
        .steps = plan->nsteps, .pieces = kept->npieces + plan->npieces, .deps = kept->ndeps + plan->ndeps });
    if (first == 0) {
        irr_plan_reset(kept, &plans->problems[plan->rank]);
    }
    for (size_t i = first; i < plan->nsteps && status == IRR_OK; i++) {
        const irr_step_t *step = &plan->steps[i];

        status = irr_plan_add(kept, &(irr_step_params_t){
            .kind = step->kind, .peer = step->peer, .stage = step->stage, .number = step->number,
            .pieces = &plan->pieces[step->first_piece], .npieces = step->pieces,
            .deps = plan->deps + step->first_dep, .ndeps = step->deps, .content = step->content,
            .described = step->described, .ahead = step->ahead, .replaceable = step->replaceable });
    }
    (void)last;
    kept->scratch_bytes = plan->scratch_bytes;
    return status;
}

irr_status_t irr_plans_build(const irr_strategy_t *strategy, const irr_plans_known_t *known, irr_plans_t *plans)
{
    irr_plans_t made;
    irr_status_t status = irr_plans_open(known, &made);

    if (status == IRR_OK) {
        status = irr_plans_each(strategy, known, irr_plans_keep, &made);
    }
    if (status != IRR_OK) {
        irr_plans_fini(&made);
        return status;
    }
    *plans = made;
    return IRR_OK;
}

void irr_plans_fini(irr_plans_t *plans)
{
    for (int r = 0; plans->plans != NULL && r < plans->ranks; r++) {
        irr_plan_fini(&plans->plans[r]);
    }
    irr_free(plans->problems);   /* also frees the other arrays */
    *plans = (irr_plans_t){ .ranks = 0 };
}
