/*
 * simulate.c - see simulate.h.
 *
 * No message moves a byte, so the buffers of all ranks are one region of memory; only their local copies touch it.
 */
#include "study/simulate.h"

#include "core/alloc.h"
#include "exec/exec.h"

#include <sys/mman.h>

#define PROGRESS_EVENTS 4096   /* events of the fabric between two calls of progress */

typedef struct rank {
    irr_exec_t     exec;
    irr_counters_t counters;
    bool           running;
    irr_status_t   result;
} rank_t;

typedef struct run {
    const irr_plans_t        *plans;
    const irr_timed_config_t *config;
    irr_timed_t              *timed;
    rank_t                   *ranks;
    void                     *region;
    size_t                    region_bytes;
    int                       running;
} run_t;

/* ---- buffers ---- */

static size_t end_of(irr_blocks_t blocks)
{
    return blocks.count > 0 ? (size_t)blocks.list[blocks.count - 1].offset + blocks.list[blocks.count - 1].length : 0;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static irr_status_t map_region(run_t *run)
{
    size_t bytes = 1;
    void *region;

    for (int r = 0; r < run->plans->ranks; r++) {
        const irr_problem_t *problem = &run->plans->problems[r];

        bytes = larger(bytes, larger(end_of(problem->send), end_of(problem->recv)));
        bytes = larger(bytes, run->plans->plans[r].scratch_bytes);
    }
    region = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (region == MAP_FAILED) {
        return IRR_ERR_NO_MEMORY;
    }
    run->region = region;
    run->region_bytes = bytes;
    return IRR_OK;
}

/* ---- the run ---- */

static irr_status_t open_run(run_t *run)
{
    const int ranks = run->plans->ranks;
    irr_status_t status = irr_timed_create(run->config, &run->timed);

    run->ranks = irr_alloc_zero((size_t)ranks, sizeof(*run->ranks));
    if (status != IRR_OK || run->ranks == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    for (int r = 0; r < ranks; r++) {
        irr_exec_init(&run->ranks[r].exec);
    }
    for (int r = 0; r < ranks && status == IRR_OK; r++) {
        const irr_plan_t *plan = &run->plans->plans[r];

        status = irr_exec_reserve(&run->ranks[r].exec, irr_plan_size(plan));
    }
    return status == IRR_OK ? map_region(run) : status;
}

/* The fabric is destroyed first, because it has requests of the executors. */
static void close_run(run_t *run)
{
    irr_timed_destroy(run->timed);
    for (int r = 0; run->ranks != NULL && r < run->plans->ranks; r++) {
        irr_exec_fini(&run->ranks[r].exec);
    }
    irr_free(run->ranks);
    if (run->region != NULL) {
        munmap(run->region, run->region_bytes);
    }
}

/* Returns a number that changes when the executor makes progress. */
static size_t count_done(const irr_exec_t *exec)
{
    return exec->next_recv + exec->next_send + exec->next_signal - exec->open_steps;
}

/* Progresses a rank until it must wait, and adds the time of its copies to its clock. */
static void go_on(run_t *run, int r)
{
    rank_t *rank = &run->ranks[r];
    const uint64_t staged = rank->counters.bytes_staged;
    size_t done;

    while (rank->running) {
        done = count_done(&rank->exec);
        rank->result = irr_exec_progress(&rank->exec);
        rank->running = rank->result == IRR_IN_PROGRESS;
        run->running -= !rank->running;
        if (count_done(&rank->exec) == done) {
            break;
        }
    }
    irr_timed_work(run->timed, r, (double)(rank->counters.bytes_staged - staged) * 1e3 /
                                  (double)run->config->machine->copy);
}

static void start_rank(run_t *run, int r)
{
    rank_t *rank = &run->ranks[r];

    rank->exec.env = (irr_exec_env_t){
        .channel = irr_timed_channel(run->timed, r), .tag_base = irr_tag_base(0), .tag_kind = IRR_TAG_DATA,
        .input = run->region, .output = run->region, .scratch = run->region, .compose = IRR_COMPOSE_AUTO,
        .counters = &rank->counters
    };
    rank->running = true;
    run->running++;
    irr_exec_start(&rank->exec, &run->plans->plans[r]);
    go_on(run, r);
}

static irr_status_t run_all(run_t *run, const double *start)
{
    unsigned events = 0;
    int rank;

    for (int r = 0; r < run->plans->ranks; r++) {
        irr_timed_work(run->timed, r, start != NULL ? start[r] : 0);
        start_rank(run, r);
    }
    while (run->running > 0 && (rank = irr_timed_step(run->timed)) >= 0) {
        go_on(run, rank);
        if (run->config->progress != NULL && ++events % PROGRESS_EVENTS == 0) {
            run->config->progress();
        }
    }
    for (int r = 0; r < run->plans->ranks; r++) {
        const irr_status_t result = run->ranks[r].running ? run->ranks[r].exec.result : run->ranks[r].result;

        if (result != IRR_OK) {
            return result;
        }
    }
    if (irr_timed_status(run->timed) != IRR_OK) {
        return irr_timed_status(run->timed);
    }
    return run->running > 0 ? IRR_ERR_TIMEOUT : IRR_OK;
}

static irr_simulated_t result_of(const run_t *run)
{
    irr_simulated_t result = { .ns = 0 };

    for (int r = 0; r < run->plans->ranks; r++) {
        const double now = irr_timed_now(run->timed, r);
        const size_t messages = irr_timed_messages(run->timed, r);

        result.ns = now > result.ns ? now : result.ns;
        result.messages = larger(result.messages, messages);
    }
    return result;
}

irr_status_t irr_simulate(const irr_plans_t *plans, const irr_timed_config_t *config, const double *start,
                          irr_simulated_t *simulated)
{
    run_t run = { .plans = plans, .config = config };
    irr_status_t status = open_run(&run);

    if (status == IRR_OK) {
        status = run_all(&run, start);
    }
    if (status == IRR_OK) {
        *simulated = result_of(&run);
    }
    close_run(&run);
    return status;
}
