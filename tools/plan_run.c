/*
 * plan_run.c - runs the plans of all ranks in this process, with real bytes, over the loopback transport.
 *
 * The bytes of a block depend on its source and destination.  At first the output of a rank has the complement of the
 * expected bytes, so that a missing byte is detected.  In place the output begins as the input.  In a round the
 * executor of each rank progresses once.  The loopback transport reorders messages that may overtake each other, at
 * random but with the same seed in each run, and completes the send of a long message only when it is received.  After
 * some rounds without progress a run fails, because there can be no progress later.
 */
#include "plan.h"

#include "core/alloc.h"
#include "core/random.h"
#include "exec/exec.h"
#include "study/bytes.h"
#include "study/fabric.h"

#include <stdlib.h>

#define SEED      1
#define EAGER_MAX 4096

/* Number of rounds without progress after which a run fails.  Rounds are deterministic, so a few would suffice. */
#define IDLE_ROUNDS 16

typedef struct rank {
    irr_transport_t *transport;
    irr_peer_t     **peers;   /* the connection to each rank; NULL: none */
    irr_page_t      *pages;   /* pages that divide `peers`, as the channel needs them */
    irr_channel_t   *channel;
    irr_exec_t       exec;
    irr_counters_t   counters;
    unsigned char   *input, *output, *scratch;
    bool             running;
    irr_status_t     result;
} rank_t;

typedef struct run {
    const irr_strategy_t *strategy;
    const irr_plans_t *plans;
    irr_fabric_t      *fabric;
    rank_t            *ranks;
} run_t;

/* ---- bytes ---- */

static uint64_t key_of(int source, int destination)
{
    uint64_t key = (uint64_t)source << 32 | (uint32_t)destination;

    return irr_random(&key);
}

/* Returns the length of a side in bytes.  Its blocks are contiguous; see plans.h. */
static size_t bytes_of(irr_blocks_t blocks)
{
    return blocks.count > 0 ? (size_t)blocks.list[blocks.count - 1].offset + blocks.list[blocks.count - 1].length : 0;
}

static void add(uint64_t *bytes, uint64_t more)
{
    *bytes = more < UINT64_MAX - *bytes ? *bytes + more : UINT64_MAX;
}

uint64_t irr_tool_run_bytes(const irr_plans_t *plans)
{
    uint64_t bytes = 0;

    for (int r = 0; r < plans->ranks; r++) {
        const irr_problem_t *problem = &plans->problems[r];
        const irr_plan_t *plan = &plans->plans[r];

        add(&bytes, bytes_of(problem->send));
        add(&bytes, bytes_of(problem->recv));
        add(&bytes, plan->scratch_bytes);
        add(&bytes, plan->nsteps * sizeof(irr_exec_step_t));
        add(&bytes, plan->npieces * (sizeof(irr_part_t) + sizeof(irr_iov_t)));
    }
    return bytes;
}

/* ---- the run ---- */

/* Releases a run.  Transports are released first: after a failed run they still refer to requests of the executors. */
static void close_run(run_t *run)
{
    for (int r = 0; run->ranks != NULL && r < run->plans->ranks; r++) {
        irr_transport_t *transport = run->ranks[r].transport;

        if (run->ranks[r].channel != NULL) {
            transport->ops->close_channel(run->ranks[r].channel);
        }
        if (transport != NULL) {
            transport->ops->free(transport);
        }
    }
    if (run->fabric != NULL) {
        irr_fabric_destroy(run->fabric);
    }
    for (int r = 0; run->ranks != NULL && r < run->plans->ranks; r++) {
        rank_t *rank = &run->ranks[r];

        irr_exec_fini(&rank->exec);
        irr_free(rank->output);   /* frees the other arrays too */
    }
    free(run->ranks);
}

static irr_status_t open_rank(const run_t *run, int r)
{
    const irr_problem_t *problem = &run->plans->problems[r];
    const irr_plan_t *plan = &run->plans->plans[r];
    rank_t *rank = &run->ranks[r];
    const irr_array_t arrays[] = {
        IRR_ARRAY(rank->output, bytes_of(problem->recv)), IRR_ARRAY(rank->scratch, plan->scratch_bytes),
        IRR_ARRAY(rank->input, problem->in_place ? 0 : bytes_of(problem->send)),
        IRR_ARRAY(rank->peers, (size_t)problem->ranks), IRR_ARRAY(rank->pages, irr_channel_pages(problem->ranks))
    };
    irr_status_t status = IRR_ALLOC_ARRAYS(arrays);

    if (status != IRR_OK) {
        return status;
    }
    rank->input = problem->in_place ? rank->output : rank->input;
    irr_channel_cut(rank->peers, problem->ranks, rank->pages);
    for (size_t i = 0; i < problem->send.count; i++) {
        const irr_block_t *block = &problem->send.list[i];

        irr_bytes_write(rank->input + block->offset, block->length, key_of(r, block->rank), 0);
    }
    for (size_t i = 0; i < problem->recv.count && !problem->in_place; i++) {
        const irr_block_t *block = &problem->recv.list[i];

        irr_bytes_write(rank->output + block->offset, block->length, key_of(block->rank, r), UINT64_MAX);
    }
    status = irr_loopback_open(run->fabric, r, &rank->transport);
    if (status == IRR_OK) {
        status = rank->transport->ops->open_channel(rank->transport, 0, problem->ranks, r, rank->pages, &rank->channel);
    }
    return status;
}

/* Connects a rank to the ranks that its plan sends to, and reserves the memory of its executor. */
static irr_status_t connect_rank(const run_t *run, int r)
{
    const irr_plan_t *plan = &run->plans->plans[r];
    rank_t *rank = &run->ranks[r];
    irr_status_t status = irr_exec_reserve(&rank->exec, irr_plan_size(plan));

    for (size_t i = 0; i < plan->nsteps && status == IRR_OK; i++) {
        int peer = plan->steps[i].peer;
        irr_transport_t *other = run->ranks[peer].transport;
        const void *address;
        size_t length;

        if (irr_step_goes_out(&plan->steps[i]) && rank->peers[peer] == NULL) {
            status = other->ops->address(other, &address, &length);
            status = status != IRR_OK ? status : rank->transport->ops->connect(rank->transport, address, length,
                                                                               &rank->peers[peer]);
        }
    }
    return status;
}

static irr_status_t open_run(run_t *run)
{
    int ranks = run->plans->ranks;
    irr_status_t status = irr_fabric_create(ranks, SEED, EAGER_MAX, &run->fabric);

    run->ranks = calloc((size_t)ranks, sizeof(*run->ranks));
    if (run->ranks == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    for (int r = 0; r < ranks; r++) {
        irr_exec_init(&run->ranks[r].exec);
    }
    for (int r = 0; r < ranks && status == IRR_OK; r++) {
        status = open_rank(run, r);
    }
    for (int r = 0; r < ranks && status == IRR_OK; r++) {
        status = connect_rank(run, r);
    }
    return status;
}

static void start_rank(const run_t *run, int r)
{
    rank_t *rank = &run->ranks[r];

    rank->exec.env = (irr_exec_env_t){
        .channel = rank->channel, .tag_base = irr_tag_base(0), .tag_kind = IRR_TAG_DATA,
        .input = rank->input, .output = rank->output, .scratch = rank->scratch,
        .compose = run->strategy->compose, .window_messages = run->strategy->window_messages,
        .window_bytes = run->strategy->window_bytes, .counters = &rank->counters
    };
    irr_exec_start(&rank->exec, &run->plans->plans[r]);
    rank->running = true;
}

/* Progresses each rank once.  Returns the number of ranks that still run.  *moved: whether there was progress. */
static int take_turns(run_t *run, bool *moved)
{
    int running = 0;

    *moved = false;
    for (int r = 0; r < run->plans->ranks; r++) {
        rank_t *rank = &run->ranks[r];

        *moved = rank->transport->ops->progress(rank->transport) > 0 || *moved;
        if (rank->running) {
            rank->result = irr_exec_progress(&rank->exec);
            rank->running = rank->result == IRR_IN_PROGRESS;
            *moved = *moved || !rank->running;
        }
        running += rank->running;
    }
    return running;
}

static irr_status_t run_all(run_t *run, char *reason, size_t size)
{
    int running = 1, idle = 0;
    bool moved;

    for (int r = 0; r < run->plans->ranks; r++) {
        start_rank(run, r);
    }
    while (running > 0 && idle < IDLE_ROUNDS) {
        running = take_turns(run, &moved);
        idle = moved ? 0 : idle + 1;
    }
    for (int r = 0; r < run->plans->ranks; r++) {
        const rank_t *rank = &run->ranks[r];
        irr_status_t result = rank->running ? rank->exec.result : rank->result;

        /* Reports a failed rank first, because its failure may be the reason why other ranks never finish. */
        if (result != IRR_OK) {
            snprintf(reason, size, "run: rank %d: %s", r, irr_status_text(result));
            return result;
        }
    }
    if (running > 0) {
        snprintf(reason, size, "run: %d ranks do not come to an end", running);
        return IRR_ERR_TIMEOUT;
    }
    return IRR_OK;
}

static irr_status_t verify(const run_t *run, char *reason, size_t size)
{
    for (int r = 0; r < run->plans->ranks; r++) {
        const irr_blocks_t blocks = run->plans->problems[r].recv;

        for (size_t i = 0; i < blocks.count; i++) {
            const irr_block_t *block = &blocks.list[i];
            size_t right = irr_bytes_right(run->ranks[r].output + block->offset, block->length, key_of(block->rank, r));

            if (right < block->length) {
                snprintf(reason, size, "run: rank %d: byte %zu of the block from rank %d is wrong", r, right,
                         block->rank);
                return IRR_ERR_INVALID_PLAN;
            }
        }
    }
    return IRR_OK;
}

irr_status_t irr_tool_run(const irr_strategy_t *strategy, const irr_plans_t *plans, char *reason, size_t size)
{
    run_t run = { .strategy = strategy, .plans = plans };
    irr_status_t status = open_run(&run);

    if (status == IRR_OK) {
        status = run_all(&run, reason, size);
    }
    if (status == IRR_OK) {
        status = verify(&run, reason, size);
    }
    close_run(&run);
    return status;
}
