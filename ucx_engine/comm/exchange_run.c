/*
 * exchange_run.c - moves an exchange through its states (irr_exchange_state_t).
 *
 * A plan is the list of the steps of this rank; the executor runs it. If ranks forward messages of other ranks, the
 * relay builds (learns) the plan during the exchange. The purpose of an exchange is to run once, to be planned, or to
 * run a planned exchange. The view is what the rank knows of other ranks' counts. Ranks agree by an all-reduce.
 *
 * Each state has a function that continues an exchange in this state. `pass` starts the states up to the run, and
 * builds the plan. If the relay's plan is to be kept, progress_run starts the last state after the run. Every decision
 * that depends on the purpose, the strategy or the view of an exchange is in this file.
 */
#include "comm/comm_route.h"
#include "comm/exchange.h"

#include "core/alloc.h"
#include "core/clock.h"

/* Number of calls of `watch` between two checks for the timeout, and for the notice that another rank failed. */
#define WATCH_ROUNDS 16

/* Longest time in ns for which an exchange of a failed communicator waits for its messages in flight. */
#define LINGER_NS UINT64_C(2000000000)

/* Rounds of progress before the clock of an exchange starts: reading a clock takes as long as a short exchange. */
#define UNTIMED_ROUNDS 16

/* Returns the memory for data on its way that the plan of the exchange needs. */
static void *scratch_of(const irr_exchange_t *exchange)
{
    switch (exchange->view) {
    case IRR_VIEW_OWN: return exchange->run->scratch;
    case IRR_VIEW_ALL: return exchange->comm->schedules.scratch;
    default:           return exchange->scratch;
    }
}

/* Sets the members of env that are equal in all runs of a plan. */
static void set_env(irr_exchange_t *exchange, irr_exec_env_t *env)
{
    irr_comm_t *comm = exchange->comm;
    const irr_strategy_t *strategy = exchange->strategy;

    env->channel = comm->channel;
    env->tag_kind = IRR_TAG_DATA;
    env->compose = strategy->compose;
    env->window_messages = strategy->window_messages;
    env->window_bytes = strategy->window_bytes;
    env->counters = &comm->engine->counters;
    env->failure = &exchange->failure;
}

/*
 * Sets the members of env that change in each run, and returns env. The caller passes this pointer on, because a copy
 * of the struct would have to wait for these stores to complete.
 */
static const irr_exec_env_t *renew_env(irr_exchange_t *exchange, irr_exec_env_t *env)
{
    env->tag_base = irr_tag_base(exchange->comm->sequence++);
    env->input = exchange->input;
    env->output = exchange->output;
    env->scratch = scratch_of(exchange);
    env->sourced = false;
    return env;
}

/* Enters a state in which the ranks compute the maximum of their words. word: the word of this rank. */
__attribute__((noinline))
static void agree(irr_exchange_t *exchange, irr_exchange_state_t state, uint64_t word)
{
    irr_exec_env_t env;

    exchange->state = state;
    set_env(exchange, &env);
    irr_allreduce_start(&exchange->comm->agreement, &word, 1, renew_env(exchange, &env));
}

/* ---- epoch barrier: ends an epoch of about 120 exchanges (comm/unexpected.h) ---- */

static irr_status_t progress_barrier(irr_exchange_t *exchange)
{
    irr_comm_t *comm = exchange->comm;
    irr_status_t status = irr_allreduce_progress(&comm->agreement);

    if (status == IRR_OK) {
        comm->sequence = irr_unexpected_after_barrier(comm->sequence);
        comm->over = comm->sequence;
        exchange->sequence = comm->sequence;
    } else if (status != IRR_IN_PROGRESS) {
        irr_comm_fail(comm, status, "could not pass an epoch barrier");
    }
    return status;
}

/* ---- finding a schedule ---- */

/* Returns true if the exchange looks up a schedule. For a planned exchange, irr_exchange_plan has done so. */
static bool needs_lookup(const irr_exchange_t *exchange)
{
    irr_schedules_t *schedules = &exchange->comm->schedules;

    return irr_schedules_looks_up(schedules) && exchange->purpose != IRR_PURPOSE_AGAIN;
}

__attribute__((noinline))
static void start_lookup(irr_exchange_t *exchange)
{
    irr_exec_env_t env;

    exchange->state = IRR_EXCHANGE_LOOKS_UP;
    set_env(exchange, &env);
    irr_schedules_start(&exchange->comm->schedules, &exchange->problem, renew_env(exchange, &env));
}

static irr_status_t progress_lookup(irr_exchange_t *exchange)
{
    irr_comm_t *comm = exchange->comm;
    irr_status_t status = irr_schedules_progress(&comm->schedules);

    if (status == IRR_OK) {
        exchange->matrix = comm->schedules.matrix;
    } else if (status != IRR_IN_PROGRESS) {
        irr_comm_fail(comm, status, "could not agree with the other ranks on a schedule");
    }
    return status;
}

/* ---- strategy, view and plan ---- */

/* Sets strategy and view from the settings and the result of the lookup, which are equal on all ranks. */
static void settle(irr_exchange_t *exchange)
{
    const irr_comm_t *comm = exchange->comm;
    const irr_schedules_t *schedules = &comm->schedules;

    exchange->strategy = schedules->chosen != NULL ? schedules->chosen : &comm->unscheduled;
    exchange->view = schedules->entry != NULL ? IRR_VIEW_ALL
                     : irr_strategy_is_local(exchange->strategy) ? IRR_VIEW_OWN : IRR_VIEW_LEARNING;
}

/* Connects the ranks to which the plan sends. The run will report an error. */
static void open_endpoints(const irr_exchange_t *exchange)
{
    const irr_plan_t *plan = &exchange->run->plan;

    for (size_t i = 0; i < plan->nsteps; i++) {
        if (irr_step_goes_out(&plan->steps[i])) {
            (void)irr_channel_reach(exchange->comm->channel, plan->steps[i].peer);
        }
    }
}

irr_status_t irr_exchange_build(irr_exchange_t *exchange)
{
    irr_comm_t *comm = exchange->comm;
    irr_run_t *run = exchange->run;
    irr_status_t status;

    settle(exchange);
    set_env(exchange, &run->exec.env);
    if (exchange->view == IRR_VIEW_LEARNING && !irr_comm_is_split(comm)) {
        return IRR_OK;
    }
    if (run == &comm->run) {
        (void)irr_run_take(run, &exchange->problem);   /* cannot fail, because the lists of the problem were checked */
    }
    status = irr_run_build(run, comm, exchange->strategy, comm->schedules.entry, &exchange->problem);
    if (status == IRR_OK && exchange->purpose == IRR_PURPOSE_PLAN) {
        open_endpoints(exchange);
    }
    return status;
}

static irr_status_t build(irr_exchange_t *exchange)
{
    const irr_status_t status = exchange->built ? IRR_OK : irr_exchange_build(exchange);

    if (status != IRR_OK && exchange->purpose == IRR_PURPOSE_ONCE) {
        irr_comm_fail(exchange->comm, status, "has no memory for a plan");
    }
    return status;
}

/* ---- the relay's plan ---- */

/* Returns true if later runs need the relay's plan. All ranks then agree on it, whatever the result of the run. */
static bool freezes(const irr_exchange_t *exchange)
{
    return exchange->purpose == IRR_PURPOSE_AGAIN && exchange->view == IRR_VIEW_LEARNING;
}

/* Local. Copies the relay's plan to exchange->frozen, and allocates all memory that a run of this plan needs. */
__attribute__((noinline))
static irr_status_t copy_learned(irr_exchange_t *exchange)
{
    irr_exec_t *exec = &exchange->run->exec;
    irr_plan_t frozen;
    void *scratch;
    irr_status_t status = irr_relay_freeze(&exchange->comm->relay, &exchange->problem, &frozen);

    if (status != IRR_OK) {
        return status;
    }
    scratch = irr_alloc(frozen.scratch_bytes, 1);
    status = scratch == NULL ? IRR_ERR_NO_MEMORY : irr_exec_reserve(exec, irr_exec_size(&exec->env, &frozen));
    if (status != IRR_OK) {
        irr_free(scratch);
        irr_plan_fini(&frozen);
        return status;
    }
    irr_free(exchange->scratch);
    irr_plan_fini(&exchange->frozen);
    exchange->scratch = scratch;
    exchange->frozen = frozen;
    return IRR_OK;
}

/* ---- the run ---- */

static void run(irr_exchange_t *exchange)
{
    irr_comm_t *comm = exchange->comm;
    const irr_exec_env_t *env = renew_env(exchange, &exchange->run->exec.env);

    exchange->state = IRR_EXCHANGE_RUNS;
    if (comm->schedules.dump.prefix != NULL) {
        irr_dump_exchange(&comm->schedules.dump, exchange->matrix);
    }
    if (exchange->view != IRR_VIEW_LEARNING) {
        exchange->relayed = IRR_OK;
        exchange->running = exchange->view == IRR_VIEW_LEARNED ? &exchange->frozen : &exchange->run->plan;
        irr_exec_start(&exchange->run->exec, exchange->running);
        return;
    }
    exchange->relayed = IRR_IN_PROGRESS;
    irr_relay_start(&comm->relay, &exchange->problem, env);
    if (irr_comm_is_split(comm)) {
        irr_exchange_start_long(exchange);
    }
}

static void progress_relay(irr_exchange_t *exchange)
{
    irr_comm_t *comm = exchange->comm;

    exchange->relayed = irr_relay_progress(&comm->relay);
    if (exchange->relayed != IRR_IN_PROGRESS && irr_comm_is_split(comm)) {
        irr_exchange_receive_long(exchange);
    }
}

static inline irr_status_t progress_run(irr_exchange_t *exchange)
{
    irr_status_t status = IRR_OK;

    if (exchange->relayed == IRR_IN_PROGRESS) {
        progress_relay(exchange);
    }
    if (exchange->running != NULL) {
        status = irr_exec_progress(&exchange->run->exec);
    }
    if (exchange->relayed == IRR_IN_PROGRESS || status == IRR_IN_PROGRESS) {
        return IRR_IN_PROGRESS;
    }
    irr_exec_keep(&exchange->relayed, status);
    if (freezes(exchange)) {
        agree(exchange, IRR_EXCHANGE_FREEZES, exchange->relayed != IRR_OK || copy_learned(exchange) != IRR_OK);
        return IRR_IN_PROGRESS;
    }
    return exchange->relayed;
}

/* ---- agreement on the relay's plan: the word is 0 if all ranks could copy their plans ---- */

static irr_status_t progress_freeze(irr_exchange_t *exchange)
{
    irr_comm_t *comm = exchange->comm;
    irr_status_t status = irr_allreduce_progress(&comm->agreement);

    if (status == IRR_IN_PROGRESS) {
        return status;
    }
    if (status != IRR_OK) {
        irr_comm_fail(comm, status, "could not agree with the other ranks on a plan");
    } else if (comm->agreement.words[0] == 0) {
        exchange->view = IRR_VIEW_LEARNED;
    }
    return exchange->relayed != IRR_OK ? exchange->relayed : status;
}

/* ---- transitions ---- */

/*
 * Runs when the current state has ended without an error. Starts the next state that the exchange needs, up to the run.
 * Returns IRR_IN_PROGRESS. If building the plan failed or was the purpose of the exchange, returns the result.
 */
static irr_status_t pass(irr_exchange_t *exchange)
{
    irr_status_t status;

    if (exchange->state < IRR_EXCHANGE_BARRIER && irr_unexpected_needs_barrier(exchange->comm->sequence)) {
        agree(exchange, IRR_EXCHANGE_BARRIER, 0);
        return IRR_IN_PROGRESS;
    }
    if (exchange->state < IRR_EXCHANGE_LOOKS_UP && needs_lookup(exchange)) {
        start_lookup(exchange);
        return IRR_IN_PROGRESS;
    }
    status = build(exchange);
    if (status == IRR_OK && exchange->purpose != IRR_PURPOSE_PLAN) {
        run(exchange);
        status = IRR_IN_PROGRESS;
    }
    return status;
}

static irr_status_t progress_state(irr_exchange_t *exchange)
{
    irr_status_t status;

    switch (exchange->state) {
    case IRR_EXCHANGE_RUNS:    return progress_run(exchange);
    case IRR_EXCHANGE_FREEZES: return progress_freeze(exchange);
    case IRR_EXCHANGE_BARRIER: status = progress_barrier(exchange); break;
    default:                   status = progress_lookup(exchange); break;
    }
    return status == IRR_OK ? pass(exchange) : status;
}

/*
 * Fails the communicator after a failed message, because other ranks may wait for this message. Not inline, because it
 * has large buffers on the stack.
 */
__attribute__((noinline))
static void fail(irr_exchange_t *exchange)
{
    const irr_failure_t *failure = &exchange->failure;
    char name[64], reason[128];

    irr_comm_name_rank(exchange->comm, failure->peer, name, sizeof(name));
    snprintf(reason, sizeof(reason), "could not send to or receive from %s", name);
    irr_comm_fail(exchange->comm, failure->status, reason);
}

/*
 * Fails the communicator if a message failed. In an exchange in place also fails it if a message had a wrong length,
 * which exec.held counts: another rank then has other counts or does not exchange in place (route/pairs.h).
 */
static void check(irr_exchange_t *exchange)
{
    if (exchange->failure.status != IRR_OK) {
        fail(exchange);
    } else if (irr_exchange_is_in_place(exchange) && exchange->running != NULL && exchange->run->exec.held > 0) {
        irr_comm_fail(exchange->comm, IRR_ERR_PEER,
                      "exchanges in place, but another rank does not or has other counts");
    }
}

/*
 * Ends an exchange of a failed communicator. After the end the program may free its buffers. The exchange therefore
 * waits for messages that the transport could not cancel. Their receivers receive or discard them. If a receiver has
 * died, the exchange ends after LINGER_NS.
 */
static irr_status_t linger(irr_exchange_t *exchange)
{
    const irr_comm_t *comm = exchange->comm;

    if (irr_exec_in_flight(&exchange->run->exec) + irr_relay_in_flight(&comm->relay) > 0 &&
        irr_clock_ns() - comm->failed_ns < LINGER_NS) {
        return IRR_IN_PROGRESS;
    }
    return comm->failed;
}

/* Checks an unfinished exchange for the timeout, and for the notice that another rank failed. */
__attribute__((noinline))
static void watch(irr_exchange_t *exchange)
{
    if (exchange->since_ns == 0 && exchange->comm->engine->rounds - exchange->opened >= UNTIMED_ROUNDS) {
        exchange->since_ns = irr_clock_ns();
    }
    if (++exchange->rounds % WATCH_ROUNDS == 0) {
        irr_comm_watch(exchange);
    }
}

irr_status_t irr_exchange_progress(irr_exchange_t *exchange)
{
    irr_exchange_state_t state;
    irr_status_t status;

    do {
        if (exchange->comm->failed != IRR_OK) {
            return linger(exchange);
        }
        state = exchange->state;
        status = progress_state(exchange);
        check(exchange);
    } while (status == IRR_IN_PROGRESS && exchange->state != state);
    if (status == IRR_IN_PROGRESS) {
        watch(exchange);
    }
    return exchange->comm->failed != IRR_OK ? linger(exchange) : status;
}

/* Returns true if all steps of the run were complete as soon as they were started. */
static inline bool is_complete(const irr_exchange_t *exchange)
{
    const bool relays = exchange->relayed == IRR_IN_PROGRESS;

    return exchange->state == IRR_EXCHANGE_RUNS &&
           irr_exec_is_complete(relays ? &exchange->comm->relay.exec : &exchange->run->exec);
}

irr_status_t irr_exchange_begin(irr_exchange_t *exchange)
{
    irr_status_t status;

    exchange->opened = exchange->comm->engine->rounds;
    exchange->rounds = 0;
    exchange->running = NULL;
    exchange->failure.status = IRR_OK;
    exchange->sequence = exchange->comm->sequence;
    status = pass(exchange);
    if (is_complete(exchange)) {
        status = progress_run(exchange);
        check(exchange);
    }
    return exchange->comm->failed != IRR_OK ? linger(exchange) : status;
}

int irr_exchange_awaited(const irr_exchange_t *exchange)
{
    const irr_comm_t *comm = exchange->comm;

    switch (exchange->state) {
    case IRR_EXCHANGE_LOOKS_UP: return irr_schedules_awaited(&comm->schedules);
    case IRR_EXCHANGE_RUNS:     return exchange->relayed == IRR_IN_PROGRESS
                                           ? irr_relay_awaited(&comm->relay) : irr_exec_awaited(&exchange->run->exec);
    default:                    return irr_allreduce_awaited(&comm->agreement);
    }
}

bool irr_exchange_listens(const irr_exchange_t *exchange)
{
    return exchange->state >= IRR_EXCHANGE_RUNS && exchange->relayed != IRR_IN_PROGRESS &&
           irr_exec_listens(&exchange->run->exec);
}

/* ---- the end ---- */

/* Adds an exchange whose plan was run to the counters. */
static void count_run(const irr_exchange_t *exchange)
{
    uint64_t scratch = exchange->copies ? exchange->copy_max : 0;
    irr_counters_t *counters = &exchange->comm->engine->counters;
    const irr_plan_t *plan = exchange->running;
    const irr_relay_t *relay = &exchange->comm->relay;

    counters->exchanges++;
    if (plan != NULL) {
        counters->steps += plan->nsends;
        scratch += plan->scratch_bytes;
    }
    if (exchange->view >= IRR_VIEW_LEARNING && plan != &exchange->frozen) {
        counters->steps += relay->plan->plan.nsends;
        scratch += relay->scratch_bytes;
    }
    counters->scratch_bytes = counters->scratch_bytes > scratch ? counters->scratch_bytes : scratch;
}

/* If all ranks have just agreed to keep the relay's plan, frees what only the relay needed to build it. */
static void end_learning(irr_exchange_t *exchange)
{
    if (exchange->state == IRR_EXCHANGE_FREEZES && exchange->view == IRR_VIEW_LEARNED) {
        irr_relay_forget(&exchange->comm->relay);
        irr_run_forget(exchange->run);
    }
}

void irr_exchange_end(irr_exchange_t *exchange, irr_status_t result)
{
    if (exchange->comm->failed == IRR_OK && irr_unexpected_end(exchange) && result == IRR_OK) {
        result = IRR_ERR_TRUNCATE;
    }
    if (exchange->state >= IRR_EXCHANGE_RUNS) {
        count_run(exchange);
        end_learning(exchange);
    }
    if (exchange->since_ns != 0) {
        exchange->comm->engine->counters.waiting_ns += irr_clock_ns() - exchange->since_ns;
        exchange->since_ns = 0;
    }
    atomic_store_explicit(&exchange->result, result, memory_order_release);
}
