/*
 * plan_memory.c - estimates the memory that print, check and draw need, from the matrix and the strategy.
 *
 * The constants are bytes for a block, a message or a piece (a contiguous range of a message), fitted to the memory of
 * runs of 256 and 512 ranks.  check also runs the plans; this run is not included, because it has a limit of its own
 * (IRR_TOOL_RUN_BYTES_MAX).  Time O(P^2) for P ranks.
 */
#include "plan.h"

#include "plan/strategy.h"
#include "route/stages.h"

#include <unistd.h>

#define MIB ((double)(1 << 20))

/* The plans of all ranks.  The numbers are upper bounds for equal blocks, and estimates for others. */
typedef struct size {
    double blocks;      /* number of entries of the matrix that are not 0 */
    double mean;        /* mean of these entries in bytes */
    double messages, pieces;
    double slices;      /* of a grid: ranges of a block that travel separately, for each block */
    double batch;       /* of a grid: fraction of the pieces that are in memory at a time; otherwise 1 */
} size_of_plans_t;

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

/* Counts the messages and pieces of a grid, as if all ranks had as many neighbours as rank 0. */
static irr_status_t count_grid(const irr_tool_job_t *job, const irr_grid_t *grid, size_of_plans_t *size)
{
    const double slices_max = size->mean / (double)(job->strategy->slice_min > 0 ? job->strategy->slice_min : 1);
    const int ranks = job->matrix->ranks;
    irr_stages_t stages;
    irr_status_t status = irr_stages_init(&stages, grid, ranks, 0);
    int most = 1;

    if (status != IRR_OK) {
        return status;
    }
    size->slices = 1;
    for (int s = 0; s < stages.count; s++) {
        const irr_stage_t *stage = &stages.stage[s];

        size->slices += stage->spreading ? smaller(stage->slots - 1, slices_max) : 0;
        size->messages += smaller((double)ranks * (stage->slots - 1), size->blocks * size->slices);
        size->pieces += 2 * size->blocks * size->slices;
        most = stage->slots > most ? stage->slots : most;
    }
    size->batch = 2.0 * most / ranks / stages.count;
    irr_stages_fini(&stages);
    return IRR_OK;
}

static irr_status_t count(const irr_tool_job_t *job, size_of_plans_t *size)
{
    const irr_strategy_t *strategy = job->strategy;
    const size_t part = irr_strategy_is_scheduled(strategy) ? strategy->piece_max : 0;
    const irr_cli_messages_t blocks = irr_cli_messages(job->matrix, true);
    irr_grid_t grid;

    *size = (size_of_plans_t){ .batch = 1, .blocks = (double)blocks.count };
    size->mean = blocks.count > 0 ? (double)blocks.bytes / size->blocks : 0;
    if (irr_strategy_grid(strategy, job->matrix->ranks, job->nodes, &grid) == IRR_OK &&
        !irr_grid_goes_directly(&grid, (size_t)size->mean)) {
        return count_grid(job, &grid, size);
    }
    size->messages = size->blocks * (1 + (part > 0 ? size->mean / (double)part : 0));
    size->pieces = 2 * size->messages;
    size->messages *= strategy->pacing == &irr_pacing_free ? 1 : 2;   /* other pacings also send signals */
    return IRR_OK;
}

/* Returns the estimate in bytes. */
static double bytes_of(const irr_tool_options_t *options, const size_of_plans_t *size)
{
    const bool grid = size->slices > 0;
    const double blocks = 48 * size->blocks, steps = 96 * size->messages, held = 12 * size->slices * size->blocks;

    if (options->command == IRR_TOOL_CHECK) {
        return blocks + steps + (grid ? 64 * size->blocks + held : 0) +
            size->batch * (150 * size->pieces + (grid ? 0 : 60 * size->messages));
    }
    if (options->command == IRR_TOOL_DRAW) {
        return blocks + 90 * size->messages + held;
    }
    if (!options->json && options->rank != IRR_TOOL_ALL_RANKS) {
        return held + (grid ? size->batch * 100 * size->pieces : 0);
    }
    return blocks + steps + 30 * size->pieces + (options->json ? 240 * size->messages + 8 * size->pieces : 0);
}

irr_cli_exit_t irr_tool_memory_check(const irr_tool_job_t *job)
{
    const irr_tool_options_t *options = job->options;
    const double half = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 2;
    const double most = options->memory > 0 ? (double)options->memory : half;
    size_of_plans_t size;
    irr_status_t status = count(job, &size);
    const double bytes = status == IRR_OK ? bytes_of(options, &size) : 0;

    if (bytes > most) {
        return options->memory > 0
            ? irr_cli_complain("the plans of %d ranks need about %.0f bytes of memory (%.0f MiB); --memory allows %.0f "
                               "bytes, its suffixes k, m and g stand for powers of 1024", job->matrix->ranks, bytes,
                               bytes / MIB, most)
            : irr_cli_complain("the plans of %d ranks need about %.0f MiB of memory, more than half of the memory of "
                               "this machine, %.0f MiB; --memory sets another limit", job->matrix->ranks, bytes / MIB,
                               most / MIB);
    }
    return irr_cli_status(status, "%d ranks", job->matrix->ranks);
}
