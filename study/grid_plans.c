/*
 * grid_plans.c - carries the slices (ranges of blocks) of all ranks through the stages of a grid, and builds their
 * plans.
 *
 * For each stage, the plan of every rank gets its sends first.  Then it gets its receives: the sends of the other ranks
 * to this rank, in the order of the schedule.  route/grid_plan.c builds the plan of a rank.
 *
 * To save memory, a stage handles groups of ranks that exchange messages, one group after the other.  The sends of a
 * rank are added when the plan of the first of their receivers is built, and the pieces of the rank are freed when the
 * plan of the last receiver is built.  Between two stages the blocks of a rank are packed (study/pack.h).  Its slices
 * are also packed if all ranks together hold many: a slice then takes about 10 bytes instead of 48, and almost nothing
 * if the blocks are equal.
 */
#include "study/grid_plans.h"

#include "core/alloc.h"
#include "problem/blocks.h"
#include "route/grid_plan.h"
#include "study/pack.h"

#include <string.h>

typedef struct rank {
    irr_stages_t    stages;
    irr_grid_plan_t build;
    irr_pack_t      held;      /* build.held in packed form, between two stages */
    bool            sent;      /* the plan has the sends of this stage */
    int             uses;      /* number of ranks, this rank included, whose plans still need these sends */
    size_t          taken;     /* number of steps that were passed to `take` */
    irr_problem_t   problem;
    irr_pack_t      blocks;    /* of the problem: those that it receives, then those that it sends without the grid */
    irr_block_t    *unpacked;  /* the blocks, while a stage handles the rank; otherwise NULL */
} rank_t;

typedef struct job {
    const irr_grid_t     *grid;
    const irr_strategy_t *strategy;
    int                   ranks;
    rank_t               *all;
    int                  *list;    /* the ranks in the order in which a stage handles them */
    bool                 *listed;
    irr_distribution_t    distribution;   /* of the rank whose sends are added */
    irr_plans_take_t      take;
    void                 *context;
} job_t;

/* Adds the receives of a rank in a stage. */
static irr_status_t receive(rank_t *all, int rank, int number)
{
    const irr_stage_t *stage = &all[rank].stages.stage[number - 1];
    irr_status_t status = IRR_OK;

    for (int i = 0; i < stage->senders && status == IRR_OK; i++) {
        const rank_t *from = &all[stage->sender[i]];
        const irr_grid_plan_t *build = &from->build;
        int slot = irr_stage_slot(&from->stages.stage[number - 1], rank);
        size_t step = build->send_steps[build->slot_base + (size_t)slot];

        if (step != IRR_NO_STEP) {
            status = irr_grid_plan_receive(&all[rank].build, number, i, irr_grid_plan_slices(build, step), NULL,
                                           build->plan.steps[step].pieces);
        }
    }
    return status;
}

/* ---- a stage ---- */

static void list_rank(job_t *job, int rank, int *count)
{
    if (!job->listed[rank]) {
        job->listed[rank] = true;
        job->list[(*count)++] = rank;
    }
}

/*
 * Lists, from index `first` on, the ranks that exchange messages with a rank or with another listed rank.  Returns the
 * end of the list.
 */
static int list_group(job_t *job, int number, int rank, int first)
{
    int count = first;

    list_rank(job, rank, &count);
    for (int at = first; at < count; at++) {
        const irr_stage_t *stage = &job->all[job->list[at]].stages.stage[number - 1];

        for (int i = 0; i < stage->slots; i++) {
            list_rank(job, stage->peer[i], &count);
        }
        for (int i = 0; i < stage->senders; i++) {
            list_rank(job, stage->sender[i], &count);
        }
    }
    return count;
}

/* Passes the new steps of a rank to `take`, and frees the memory that only these steps need. */
static irr_status_t hand_over(const job_t *job, rank_t *rank, bool last)
{
    irr_grid_plan_t *build = &rank->build;
    irr_plan_t *plan = &build->plan;
    irr_status_t status = job->take(job->context, plan, rank->taken, last);

    rank->taken = plan->nsteps;
    if (plan->nsteps > 0) {
        plan->steps[plan->nsteps - 1].deps = 0;   /* the next step cannot share dependencies that are freed here */
    }
    irr_free(plan->pieces);
    irr_free(plan->deps);
    irr_free(build->slices);
    irr_free(build->pieces);
    irr_free(build->deps);
    plan->pieces = build->pieces = NULL;
    plan->deps = build->deps = NULL;
    build->slices = NULL;
    plan->npieces = plan->pieces_max = plan->ndeps = plan->deps_max = 0;
    build->pieces_max = build->deps_max = build->slices_max = 0;
    return status;
}

/* Slices are packed if all ranks have more, because packing takes a fifth of the time of a stage. */
enum { PACK_FROM = 1 << 20 };

enum { HELD_NUMBERS = 6 };

/* Packs the slices that a rank holds.  They are mostly contiguous in scratch, so gaps are stored, not offsets. */
static irr_status_t pack_held(const job_t *job, rank_t *rank)
{
    irr_items_t *held = &rank->build.held;
    irr_extents_t *scratch = &rank->build.scratch;
    irr_status_t status = IRR_TRIM(scratch->holes, scratch->max, scratch->count);
    size_t position = 0;

    if (held->count <= PACK_FROM / (size_t)job->ranks) {
        return status == IRR_OK ? IRR_TRIM(held->array, held->max, held->count) : status;
    }
    for (size_t i = 0; i < held->count && status == IRR_OK; i++) {
        const irr_item_t *item = &held->array[i];
        const irr_slice_t *slice = &item->slice;

        status = irr_pack_put(&rank->held, (uint64_t[HELD_NUMBERS]){
            (uint64_t)slice->destination, (uint64_t)slice->source, slice->offset, slice->length,
            item->at - position, item->owner }, HELD_NUMBERS);
        position += slice->length;
    }
    irr_items_fini(held);
    return status == IRR_OK ? irr_pack_end(&rank->held) : status;
}

static irr_status_t unpack_held(rank_t *rank)
{
    uint64_t row[HELD_NUMBERS];
    irr_status_t status = IRR_GROW(rank->build.held.array, rank->build.held.max, rank->held.rows);
    size_t position = 0;

    while (status == IRR_OK && irr_pack_get(&rank->held, row, HELD_NUMBERS)) {
        status = irr_items_add(&rank->build.held, (irr_item_t){
            .slice = { .destination = (int)row[0], .source = (int)row[1], .offset = row[2], .length = row[3] },
            .at = row[4] + position, .owner = row[5] });
        position += row[3];
    }
    irr_pack_fini(&rank->held);
    return status;
}

enum { BLOCK_NUMBERS = 3 };

static irr_status_t pack_blocks(irr_pack_t *pack, irr_blocks_t blocks)
{
    irr_status_t status = IRR_OK;
    size_t position = 0;

    for (size_t i = 0; i < blocks.count && status == IRR_OK; i++) {
        const irr_block_t *block = &blocks.list[i];

        status = irr_pack_put(pack, (uint64_t[BLOCK_NUMBERS]){
            (uint64_t)block->rank, (uint64_t)block->offset - position, block->length }, BLOCK_NUMBERS);
        position += block->length;
    }
    return status;
}

static void unpack_list(irr_pack_t *pack, irr_block_t *list, irr_blocks_t *blocks)
{
    uint64_t row[BLOCK_NUMBERS];
    size_t position = 0;

    for (size_t i = 0; i < blocks->count && irr_pack_get(pack, row, BLOCK_NUMBERS); i++) {
        list[i] = (irr_block_t){
            .rank = (int)row[0], .offset = (ptrdiff_t)(row[1] + position), .length = row[2] };
        position += row[2];
    }
    blocks->list = list;
}

static irr_status_t unpack_blocks(rank_t *rank)
{
    irr_problem_t *problem = &rank->problem;

    rank->unpacked = irr_alloc(rank->blocks.rows, sizeof(*rank->unpacked));
    if (rank->unpacked == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    irr_pack_rewind(&rank->blocks);
    unpack_list(&rank->blocks, rank->unpacked, &problem->recv);
    unpack_list(&rank->blocks, rank->unpacked + problem->recv.count, &problem->send);
    return IRR_OK;
}

static void drop_blocks(rank_t *rank)
{
    irr_free(rank->unpacked);
    rank->unpacked = NULL;
}

/* Another plan no longer needs the sends of this rank.  If it was the last one, ends the stage for this rank. */
static irr_status_t release(const job_t *job, rank_t *rank, int number)
{
    irr_status_t status = IRR_OK;

    if (--rank->uses == 0) {
        status = irr_grid_plan_end_stage(&rank->build, number);
        status = status == IRR_OK ? hand_over(job, rank, false) : status;
        status = status == IRR_OK ? pack_held(job, rank) : status;
        drop_blocks(rank);
    }
    return status;
}

/* Adds the sends of a rank, once in a stage.  A distribution is as large as the data of a rank, so ranks share one. */
static irr_status_t send(job_t *job, int r, int number)
{
    rank_t *rank = &job->all[r];
    irr_status_t status = rank->sent ? IRR_OK : unpack_held(rank);

    status = rank->sent || status != IRR_OK ? status : unpack_blocks(rank);
    if (!rank->sent && status == IRR_OK) {
        rank->sent = true;
        rank->build.distribution = job->distribution;
        status = irr_grid_plan_sends(&rank->build, number);
        job->distribution = rank->build.distribution;
        rank->build.distribution = (irr_distribution_t){ .count = 0 };
    }
    return status;
}

/* Runs a stage for a rank: adds its sends, the sends of the ranks that send to it, and then its receives. */
static irr_status_t run_rank(job_t *job, int number, int r)
{
    rank_t *rank = &job->all[r];
    const irr_stage_t *stage = &rank->stages.stage[number - 1];
    irr_status_t status = send(job, r, number);

    for (int i = 0; i < stage->senders && status == IRR_OK; i++) {
        status = send(job, stage->sender[i], number);
    }
    status = status == IRR_OK ? receive(job->all, r, number) : status;
    for (int i = 0; i < stage->senders && status == IRR_OK; i++) {
        status = release(job, &job->all[stage->sender[i]], number);
    }
    return status == IRR_OK ? release(job, rank, number) : status;
}

static irr_status_t run_stage(job_t *job, int number)
{
    irr_status_t status = IRR_OK;
    int listed = 0;

    memset(job->listed, 0, (size_t)job->ranks * sizeof(*job->listed));
    for (int r = 0; r < job->ranks; r++) {
        const irr_stage_t *stage = &job->all[r].stages.stage[number - 1];

        job->all[r].sent = false;
        job->all[r].uses++;
        for (int i = 0; i < stage->senders; i++) {
            job->all[stage->sender[i]].uses++;
        }
        listed = job->listed[r] ? listed : list_group(job, number, r, listed);
    }
    for (int i = 0; i < job->ranks && status == IRR_OK; i++) {
        status = run_rank(job, number, job->list[i]);
    }
    return status;
}

/* ---- all stages ---- */

static irr_status_t open_job(job_t *job)
{
    const size_t ranks = (size_t)job->ranks;

    return IRR_ALLOC_ARRAYS(((irr_array_t[]){
        IRR_ARRAY(job->all, ranks), IRR_ARRAY(job->list, ranks), IRR_ARRAY(job->listed, ranks) }));
}

static irr_status_t run(job_t *job)
{
    irr_status_t status = IRR_OK;

    for (int number = 1; status == IRR_OK && number <= irr_grid_stages(job->grid); number++) {
        status = run_stage(job, number);
    }
    for (int r = 0; r < job->ranks && status == IRR_OK; r++) {
        status = unpack_blocks(&job->all[r]);
        status = status == IRR_OK ? irr_grid_plan_finish(&job->all[r].build) : status;
        status = status == IRR_OK ? hand_over(job, &job->all[r], true) : status;
        drop_blocks(&job->all[r]);
    }
    return status;
}

static void close_job(job_t *job)
{
    for (int r = 0; job->all != NULL && r < job->ranks; r++) {
        irr_grid_plan_fini(&job->all[r].build);
        irr_pack_fini(&job->all[r].held);
        irr_stages_fini(&job->all[r].stages);
        irr_pack_fini(&job->all[r].blocks);
        drop_blocks(&job->all[r]);
    }
    irr_distribution_fini(&job->distribution);
    irr_free(job->all);   /* also frees the other arrays */
}

/*
 * Starts a rank.  Packs the blocks that the rank needs later: those that it receives, and those that it sends directly
 * or to itself.
 */
static irr_status_t start(const job_t *job, const irr_matrix_t *matrix, int r, irr_block_t *blocks)
{
    rank_t *rank = &job->all[r];
    irr_problem_t *problem = &rank->problem;
    irr_status_t status = irr_plans_problem(matrix, r, blocks, problem);

    status = status == IRR_OK ? irr_stages_init(&rank->stages, job->grid, job->ranks, r) : status;
    status = status == IRR_OK ? irr_grid_plan_init(&rank->build, &rank->stages) : status;
    status = status == IRR_OK ? irr_grid_plan_begin(&rank->build, problem, job->strategy->slice_min,
                                                    job->strategy->overlap) : status;
    status = status == IRR_OK ? pack_held(job, rank) : status;
    problem->send = job->grid->direct_from > 0 ? problem->send : irr_blocks_of(problem->send, r);
    status = status == IRR_OK ? pack_blocks(&rank->blocks, problem->recv) : status;
    status = status == IRR_OK ? pack_blocks(&rank->blocks, problem->send) : status;
    return status == IRR_OK ? irr_pack_end(&rank->blocks) : status;
}

irr_status_t irr_grid_plans_each(const irr_grid_t *grid, const irr_strategy_t *strategy, const irr_matrix_t *matrix,
                                 irr_plans_take_t take, void *context)
{
    job_t job = { .grid = grid, .strategy = strategy, .ranks = matrix->ranks, .take = take, .context = context };
    irr_block_t *blocks = irr_alloc(2 * (size_t)matrix->ranks, sizeof(*blocks));
    irr_status_t status = blocks != NULL ? open_job(&job) : IRR_ERR_NO_MEMORY;

    for (int r = 0; r < job.ranks && status == IRR_OK; r++) {
        status = start(&job, matrix, r, blocks);
    }
    irr_free(blocks);
    if (status == IRR_OK) {
        status = run(&job);
    }
    close_job(&job);
    return status;
}
