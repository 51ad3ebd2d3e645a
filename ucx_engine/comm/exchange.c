/*
 * exchange.c - the exchanges of a communicator: start, test, progress, and the ones that run again.
 */
#include "comm/agree.h"
#include "comm/comm_route.h"

#include "core/alloc.h"
#include "exec/tag.h"
#include "problem/blocks.h"

#include <string.h>
#include <time.h>

static uint64_t clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* ---- start ---- */

static irr_exec_env_t make_env(irr_comm_t *comm, const void *input, void *output)
{
    const irr_settings_t *settings = &comm->settings;

    return (irr_exec_env_t){
        .transport = comm->engine->transport,
        .peers = comm->peers,
        .tag_base = irr_tag_base(comm->id, comm->sequence++),
        .input = input,
        .output = output,
        .scratch = comm->scratch,
        .compose = settings->compose,
        .pace = irr_comm_pace(comm),
        .window_messages = settings->window_messages,
        .window_bytes = settings->window_bytes,
        .grants = settings->grants,
        .counters = &comm->counters
    };
}

/* Starts a plan, or without one the relay with the problem; the engine is locked. */
static void start(irr_comm_t *comm, const irr_plan_t *plan, const irr_problem_t *problem, const void *input,
                  void *output)
{
    irr_exec_env_t env = make_env(comm, input, output);

    memset(&comm->counters, 0, sizeof(comm->counters));
    comm->start_ns = clock_ns();
    comm->running = plan;
    comm->started = true;
    comm->result = IRR_IN_PROGRESS;
    comm->next_open = comm->engine->open;
    comm->engine->open = comm;
    if (plan != NULL) {
        irr_exec_start(&comm->exec, plan, &env);
    } else {
        irr_relay_start(&comm->relay, problem, &env);
    }
}

irr_status_t irr_exchange_start(irr_comm_t *comm, const irr_problem_t *problem, const void *input, void *output)
{
    irr_status_t status = IRR_OK;

    if (comm->started || problem->ranks != comm->ranks || problem->rank != comm->rank) {
        return IRR_ERR_BAD_PARAM;
    }
    if (comm->direct && (!irr_blocks_repeat(comm->blocks, problem) || !comm->planned)) {
        status = irr_plan_build(comm->settings.algorithm, problem, &comm->plan);
        comm->planned = status == IRR_OK;
    }
    if (status != IRR_OK) {
        return status;
    }
    comm->fixed = false;
    irr_lock_acquire(&comm->engine->lock);
    start(comm, comm->direct ? &comm->plan : NULL, problem, input, output);
    irr_lock_release(&comm->engine->lock);
    return IRR_OK;
}

/* ---- progress and test ---- */

/* What the exchange cost, also in the totals of the engine. */
static void count(irr_comm_t *comm)
{
    irr_counters_t *counters = &comm->counters, *totals = &comm->engine->counters;
    uint64_t largest = totals->largest_message, scratch = totals->scratch_bytes;

    counters->exchanges = 1;
    counters->waiting_ns = clock_ns() - comm->start_ns;
    counters->steps = comm->running != NULL ? comm->running->nsends : comm->relay.plan->plan.nsends;
    counters->scratch_bytes = comm->running != NULL ? comm->running->scratch_bytes : comm->relay.scratch_bytes;
#define COUNTER_ADD(field, text) totals->field += counters->field;
    IRR_COUNTERS_MAP(COUNTER_ADD)
#undef COUNTER_ADD
    totals->largest_message = counters->largest_message > largest ? counters->largest_message : largest;
    totals->scratch_bytes = counters->scratch_bytes > scratch ? counters->scratch_bytes : scratch;
}

irr_status_t irr_comm_progress(irr_comm_t *comm)
{
    comm->result = comm->running != NULL ? irr_exec_progress(&comm->exec) : irr_relay_progress(&comm->relay);
    if (comm->result != IRR_IN_PROGRESS) {
        count(comm);
    }
    return comm->result;
}

irr_status_t irr_exchange_test(irr_comm_t *comm)
{
    irr_status_t result;

    irr_lock_acquire(&comm->engine->lock);
    result = comm->result;
    comm->started = comm->started && result == IRR_IN_PROGRESS;
    irr_lock_release(&comm->engine->lock);
    return result;
}

void irr_exchange_counters(irr_comm_t *comm, irr_counters_t *counters)
{
    irr_lock_acquire(&comm->engine->lock);
    *counters = comm->counters;
    irr_lock_release(&comm->engine->lock);
}

/* ---- the same exchange again ---- */

/* Local: the exact plan of the last exchange, and all that running it needs. */
static irr_status_t freeze(irr_comm_t *comm, const irr_problem_t *problem)
{
    irr_grid_plan_t frozen;
    void *scratch;
    irr_status_t status;

    if (comm->started || comm->result != IRR_OK) {
        return IRR_ERR_BAD_PARAM;
    }
    if (comm->direct) {
        return IRR_OK;
    }
    status = irr_relay_freeze(&comm->relay, problem, &frozen);
    if (status != IRR_OK) {
        return status;
    }
    scratch = irr_alloc(frozen.plan.scratch_bytes, 1);
    status = scratch == NULL ? IRR_ERR_NO_MEMORY : irr_exec_reserve(&comm->exec, (irr_plan_bounds_t){
        .steps = frozen.plan.nsteps, .pieces = frozen.plan.npieces }, irr_comm_pace(comm));
    if (status != IRR_OK) {
        irr_free(scratch);
        irr_grid_plan_fini(&frozen);
        return status;
    }
    irr_free(comm->scratch);
    irr_grid_plan_fini(&comm->frozen);
    comm->scratch = scratch;
    comm->frozen = frozen;
    return IRR_OK;
}

irr_status_t irr_exchange_freeze(irr_comm_t *comm, const irr_problem_t *problem, const irr_oob_t *oob)
{
    irr_comm_params_t params = {
        .ranks = comm->ranks, .rank = comm->rank, .oob = oob, .trouble = freeze(comm, problem)
    };
    irr_status_t status = irr_agree_no_trouble(&params);

    comm->fixed = status == IRR_OK;
    return status;
}

irr_status_t irr_exchange_restart(irr_comm_t *comm, const void *input, void *output)
{
    if (comm->started || !comm->fixed) {
        return IRR_ERR_BAD_PARAM;
    }
    irr_lock_acquire(&comm->engine->lock);
    start(comm, comm->direct ? &comm->plan : &comm->frozen.plan, NULL, input, output);
    irr_lock_release(&comm->engine->lock);
    return IRR_OK;
}
