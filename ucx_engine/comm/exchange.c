/*
 * exchange.c - starting and testing the exchange of a communicator.
 */
#include "comm/engine.h"

#include "exec/tag.h"

irr_status_t irr_exchange_start(irr_comm_t *comm, const irr_problem_t *problem, const void *input, void *output)
{
    irr_engine_t *engine = comm->engine;
    const irr_settings_t *settings = &comm->settings;
    bool windowed = settings->window_messages > 0 || settings->window_bytes > 0;
    irr_exec_env_t env = {
        .transport = engine->transport,
        .peers = comm->peers,
        .input = input,
        .output = output,
        .compose = settings->compose,
        .pace = windowed ? &irr_pace_window : &irr_pace_free,
        .window_messages = settings->window_messages,
        .window_bytes = settings->window_bytes,
        .counters = &engine->counters
    };
    irr_status_t status;

    if (comm->started || problem->ranks != comm->ranks || problem->rank != comm->rank) {
        return IRR_ERR_BAD_PARAM;
    }
    status = irr_plan_build(settings->algorithm, problem, &comm->plan);
    if (status != IRR_OK) {
        return status;
    }
    irr_lock_acquire(&engine->lock);
    env.tag_base = irr_tag_base(comm->id, comm->sequence++);
    irr_exec_start(&comm->exec, &comm->plan, &env);
    comm->started = true;
    comm->start_ns = irr_engine_clock();
    comm->result = IRR_IN_PROGRESS;
    comm->next_open = engine->open;
    engine->open = comm;
    irr_lock_release(&engine->lock);
    return IRR_OK;
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
