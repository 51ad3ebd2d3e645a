/*
 * exchange_run.c - what an open exchange goes through: the ranks meet, if it is time to; they find a schedule, if the
 * algorithm has some; and then the executor runs its plan, or the relay finds its way.
 *
 * A planned exchange on a grid runs through the relay first; then the ranks agree whether all could freeze what it
 * learnt (exec/relay_freeze.c), and it goes on without the relay if so.
 */
#include "comm/comm_route.h"
#include "comm/exchange.h"

#include "core/alloc.h"
#include "core/clock.h"

/* Rounds of progress between two looks whether an exchange may go on waiting. */
#define WATCH_ROUNDS 16

/* Time that an exchange waits for messages in flight after its communicator has failed. */
#define LINGER_NS UINT64_C(2000000000)

/* Turns of the engine before an exchange is timed: to read the clock takes as long as a short one does. */
#define UNTIMED_TURNS 16

/* Field by field: what was just written in parts would wait for all earlier writes if it were copied as a whole. */
static const irr_exec_env_t *make_env(irr_exchange_t *exchange)
{
    irr_comm_t *comm = exchange->comm;
    const irr_way_t *way = exchange->way;
    irr_exec_env_t *env = &exchange->env;

    env->channel = comm->channel;
    env->tag_base = irr_tag_base(comm->sequence++);
    env->input = exchange->input;
    env->output = exchange->output;
    env->scratch = exchange->found ? comm->schedules.scratch
                   : comm->direct  ? exchange->run->scratch : exchange->scratch;
    env->compose = way->compose;
    env->window_messages = way->window_messages;
    env->window_bytes = way->window_bytes;
    env->counters = &exchange->counters;
    env->sourced = false;
    env->failure = &exchange->failure;
    return env;
}

/* ---- begin ---- */

/* Starts the plan that is there, or else the relay. */
static void run(irr_exchange_t *exchange)
{
    irr_comm_t *comm = exchange->comm;
    const irr_exec_env_t *env = make_env(exchange);

    irr_dump_exchange(&comm->schedules.dump, exchange->matrix);
    if (exchange->found || comm->direct) {
        exchange->running = &exchange->run->plan;
    } else {
        exchange->running = exchange->exact ? &exchange->frozen.plan : NULL;
    }
    exchange->run_ns = exchange->found ? irr_clock_ns() : 0;
    if (exchange->running != NULL) {
        exchange->state = IRR_EXCHANGE_RUNS;
        irr_exec_start(&exchange->run->exec, exchange->running, env);
    } else {
        exchange->state = IRR_EXCHANGE_RELAYS;
        exchange->relayed = IRR_IN_PROGRESS;
        irr_relay_start(&comm->relay, &exchange->problem, env);
        if (irr_comm_is_split(comm)) {
            irr_exchange_start_long(exchange);
        }
    }
}

/* By the way that goes with the schedule, or that was found best without a look. */
static irr_status_t build(irr_exchange_t *exchange, const irr_cache_entry_t *entry)
{
    const irr_comm_t *comm = exchange->comm;
    const bool looked = exchange->state == IRR_EXCHANGE_SCHEDULES;
    const irr_way_t *alone = looked && comm->schedules.placed ? &comm->placed : &comm->alone;

    exchange->found = entry != NULL;
    exchange->way = entry != NULL ? &comm->schedules.way[entry->tune.running]
                                  : exchange->calm ? comm->schedules.calm_way : alone;
    return comm->direct || irr_comm_is_split(comm) || irr_way_is_scheduled(exchange->way)
               ? irr_run_build(exchange->run, comm, exchange->way, entry, &exchange->problem) : IRR_OK;
}

static void build_and_run(irr_exchange_t *exchange)
{
    if (build(exchange, NULL) == IRR_OK) {
        run(exchange);
    } else {
        irr_comm_fail(exchange->comm, IRR_ERR_NO_MEMORY, "has no room for a plan");
    }
}

/* The ranks find a schedule, or, if they know that they need none, go without. */
static void find_schedule(irr_exchange_t *exchange)
{
    irr_comm_t *comm = exchange->comm;

    exchange->calm = !exchange->plans && irr_schedules_skip(&comm->schedules);
    (void)irr_run_take(exchange->run, &exchange->problem);   /* its lists are good */
    if (exchange->calm) {
        build_and_run(exchange);
        return;
    }
    exchange->state = IRR_EXCHANGE_SCHEDULES;
    irr_schedules_start(&comm->schedules, &exchange->problem, !exchange->plans, make_env(exchange));
}

static void go_on(irr_exchange_t *exchange)
{
    if (exchange->comm->schedules.asked && (exchange->plans || !exchange->planned)) {
        find_schedule(exchange);
    } else if (irr_comm_is_split(exchange->comm) && !exchange->exact) {
        (void)irr_run_take(exchange->run, &exchange->problem);   /* its lists are good */
        build_and_run(exchange);
    } else {
        run(exchange);
    }
}

static void meet(irr_exchange_t *exchange)
{
    const uint64_t nothing = 0;

    exchange->state = IRR_EXCHANGE_MEETS;
    irr_allreduce_start(&exchange->comm->agreement, &nothing, 1, make_env(exchange));
}

void irr_exchange_begin(irr_exchange_t *exchange)
{
    exchange->turn = exchange->comm->engine->turns;
    exchange->since_ns = 0;
    exchange->rounds = 0;
    exchange->running = NULL;
    exchange->failure.status = IRR_OK;
    exchange->failed_ns = 0;
    exchange->sequence = exchange->comm->sequence;
    if (irr_strays_meet(exchange->comm)) {
        meet(exchange);
    } else {
        go_on(exchange);
    }
}

void irr_exchange_open_endpoints(irr_exchange_t *exchange)
{
    irr_comm_t *comm = exchange->comm;
    const irr_plan_t *plan = &exchange->run->plan;

    for (size_t i = 0; (exchange->found || comm->direct || irr_comm_is_split(comm)) && i < plan->nsteps; i++) {
        if (irr_step_goes_out(&plan->steps[i])) {
            (void)irr_channel_reach(comm->channel, plan->steps[i].peer);   /* if not, that run fails */
        }
    }
}

/* ---- freezing ---- */

/* Local: the exact plan of the relay's last run, and all that running it needs. */
static irr_status_t freeze(irr_exchange_t *exchange)
{
    irr_grid_plan_t frozen;
    void *scratch;
    irr_status_t status = irr_relay_freeze(&exchange->comm->relay, &exchange->problem, &frozen);

    if (status != IRR_OK) {
        return status;
    }
    scratch = irr_alloc(frozen.plan.scratch_bytes, 1);
    status = scratch == NULL ? IRR_ERR_NO_MEMORY : irr_exec_reserve(&exchange->run->exec, (irr_plan_bounds_t){
        .steps = frozen.plan.nsteps, .pieces = frozen.plan.npieces });
    if (status != IRR_OK) {
        irr_free(scratch);
        irr_grid_plan_fini(&frozen);
        return status;
    }
    irr_free(exchange->scratch);
    irr_grid_plan_fini(&exchange->frozen);
    exchange->scratch = scratch;
    exchange->frozen = frozen;
    return IRR_OK;
}

/* ---- progress ---- */

static irr_status_t progress_meeting(irr_exchange_t *exchange)
{
    irr_comm_t *comm = exchange->comm;
    irr_status_t status = irr_allreduce_progress(&comm->agreement);

    if (status == IRR_OK) {
        comm->sequence = irr_strays_met(comm);
        comm->over = comm->sequence;
        exchange->sequence = comm->sequence;
        go_on(exchange);
        return IRR_IN_PROGRESS;
    }
    if (status != IRR_IN_PROGRESS) {
        irr_comm_fail(comm, status, "could not meet the others");
    }
    return status;
}

static irr_status_t progress_schedules(irr_exchange_t *exchange)
{
    irr_comm_t *comm = exchange->comm;
    const irr_cache_entry_t *entry = NULL;
    irr_status_t status = irr_schedules_progress(&comm->schedules, &entry);

    if (status == IRR_IN_PROGRESS) {
        return status;
    }
    if (status == IRR_OK) {
        exchange->matrix = comm->schedules.matrix;
        status = build(exchange, entry);
        if (exchange->plans) {
            irr_exchange_open_endpoints(exchange);
            return status;
        }
    }
    if (status != IRR_OK) {
        irr_comm_fail(comm, status, "could not agree with the others on a schedule");
        return status;
    }
    irr_schedules_note(&comm->schedules, entry);
    run(exchange);
    return IRR_IN_PROGRESS;
}

static irr_status_t progress_run(irr_exchange_t *exchange)
{
    irr_status_t status = irr_exec_progress(&exchange->run->exec);

    if (status == IRR_OK && exchange->found && !exchange->planned) {
        irr_schedules_ran(&exchange->comm->schedules, irr_clock_ns() - exchange->run_ns);
    }
    return status;
}

/* The relay, and what goes beside it. */
static irr_status_t progress_parts(irr_exchange_t *exchange)
{
    irr_status_t beside = IRR_OK;

    if (exchange->relayed == IRR_IN_PROGRESS) {
        exchange->relayed = irr_relay_progress(&exchange->comm->relay);
        if (exchange->relayed != IRR_IN_PROGRESS && irr_comm_is_split(exchange->comm)) {
            irr_exchange_receive_long(exchange);
        }
    }
    if (exchange->running != NULL) {
        beside = irr_exec_progress(&exchange->run->exec);
    }
    if (exchange->relayed == IRR_IN_PROGRESS || beside == IRR_IN_PROGRESS) {
        return IRR_IN_PROGRESS;
    }
    irr_exec_keep(&exchange->relayed, beside);
    return exchange->relayed;
}

static irr_status_t progress_relay(irr_exchange_t *exchange)
{
    irr_comm_t *comm = exchange->comm;
    irr_status_t status = progress_parts(exchange);
    uint64_t failed;

    if (status == IRR_IN_PROGRESS || !exchange->planned) {
        return status;
    }
    failed = status != IRR_OK || freeze(exchange) != IRR_OK;
    exchange->state = IRR_EXCHANGE_FREEZES;
    irr_allreduce_start(&comm->agreement, &failed, 1, make_env(exchange));
    return IRR_IN_PROGRESS;
}

static irr_status_t progress_freeze(irr_exchange_t *exchange)
{
    irr_comm_t *comm = exchange->comm;
    irr_status_t status = irr_allreduce_progress(&comm->agreement);

    if (status == IRR_IN_PROGRESS) {
        return status;
    }
    if (status != IRR_OK) {
        irr_comm_fail(comm, status, "could not agree with the others on a plan");
    }
    exchange->exact = status == IRR_OK && comm->agreement.words[0] == 0;
    return exchange->relayed != IRR_OK ? exchange->relayed : status;
}

/*
 * Fails the communicator if this rank cannot go on: other ranks wait for its messages.  In place a receive is held if
 * its peer has other counts, or is not in place, and then sends no more pieces (route/pairs.h).
 */
static irr_status_t check(irr_exchange_t *exchange, irr_status_t status)
{
    const irr_failure_t *failure = &exchange->failure;
    char name[64], reason[128];

    if (failure->status != IRR_OK) {
        irr_comm_name_rank(exchange->comm, failure->peer, name, sizeof(name));
        snprintf(reason, sizeof(reason), "could not send to %s, or not receive from it", name);
        irr_comm_fail(exchange->comm, failure->status, reason);
        return exchange->comm->failed;
    }
    if (irr_exchange_is_in_place(exchange) && exchange->running != NULL && exchange->run->exec.held > 0) {
        irr_comm_fail(exchange->comm, IRR_ERR_PEER, "exchanges in place, and another not, or with other counts");
        return exchange->comm->failed;
    }
    return status;
}

/*
 * The end on a communicator that has failed.  The program may free its buffers when an exchange has ended, so the
 * exchange waits for the messages that the transport has: their peers take them, or discard them when they hear of the
 * failure.  A peer that does neither, because it is gone, holds up nobody for longer than LINGER_NS.
 */
static irr_status_t linger(irr_exchange_t *exchange)
{
    const irr_comm_t *comm = exchange->comm;
    const uint64_t now = irr_clock_ns();

    exchange->failed_ns = exchange->failed_ns != 0 ? exchange->failed_ns : now;
    if (irr_exec_in_flight(&exchange->run->exec) + irr_relay_in_flight(&comm->relay) > 0 &&
        now - exchange->failed_ns < LINGER_NS) {
        return IRR_IN_PROGRESS;
    }
    return comm->failed;
}

irr_status_t irr_exchange_progress(irr_exchange_t *exchange)
{
    static irr_status_t (*const progress[])(irr_exchange_t *exchange) = {
        [IRR_EXCHANGE_MEETS] = progress_meeting, [IRR_EXCHANGE_SCHEDULES] = progress_schedules,
        [IRR_EXCHANGE_RUNS] = progress_run, [IRR_EXCHANGE_RELAYS] = progress_relay,
        [IRR_EXCHANGE_FREEZES] = progress_freeze
    };
    irr_exchange_state_t state;
    irr_status_t status;

    do {
        if (exchange->comm->failed != IRR_OK) {
            return linger(exchange);
        }
        state = exchange->state;
        status = check(exchange, progress[state](exchange));
    } while (status == IRR_IN_PROGRESS && exchange->state != state);
    if (status == IRR_IN_PROGRESS && exchange->since_ns == 0 &&
        exchange->comm->engine->turns - exchange->turn >= UNTIMED_TURNS) {
        exchange->since_ns = irr_clock_ns();
    }
    if (status == IRR_IN_PROGRESS && ++exchange->rounds % WATCH_ROUNDS == 0) {
        status = irr_comm_watch(exchange);
    }
    return exchange->comm->failed != IRR_OK ? linger(exchange) : status;
}

int irr_exchange_awaited(const irr_exchange_t *exchange)
{
    const irr_comm_t *comm = exchange->comm;

    switch (exchange->state) {
    case IRR_EXCHANGE_SCHEDULES: return irr_schedules_awaited(&comm->schedules);
    case IRR_EXCHANGE_RUNS:      return irr_exec_awaited(&exchange->run->exec);
    case IRR_EXCHANGE_RELAYS:    return exchange->relayed == IRR_IN_PROGRESS
                                            ? irr_relay_awaited(&comm->relay) : irr_exec_awaited(&exchange->run->exec);
    default:                     return irr_allreduce_awaited(&comm->agreement);
    }
}

bool irr_exchange_listens(const irr_exchange_t *exchange)
{
    const bool relays = exchange->state == IRR_EXCHANGE_RELAYS || exchange->state == IRR_EXCHANGE_FREEZES;

    return (exchange->state == IRR_EXCHANGE_RUNS || (relays && exchange->relayed != IRR_IN_PROGRESS)) &&
           irr_exec_listens(&exchange->run->exec);
}

/* ---- the end ---- */

/* What the route took. */
static void count_route(irr_exchange_t *exchange)
{
    irr_counters_t *counters = &exchange->counters;
    const irr_plan_t *plan = exchange->running;
    const irr_relay_t *relay = &exchange->comm->relay;

    counters->exchanges = 1;
    counters->steps = plan != NULL ? plan->nsends : 0;
    counters->scratch_bytes = plan != NULL ? plan->scratch_bytes : 0;
    counters->scratch_bytes += exchange->copies ? irr_blocks_bytes(exchange->problem.send) : 0;
    if (exchange->state == IRR_EXCHANGE_RELAYS || exchange->state == IRR_EXCHANGE_FREEZES) {
        counters->steps += relay->plan->plan.nsends;
        counters->scratch_bytes += relay->scratch_bytes;
    }
}

/* What it cost, also in the totals of the engine. */
static void count(irr_exchange_t *exchange)
{
    irr_counters_t *counters = &exchange->counters, *totals = &exchange->comm->engine->counters;
    uint64_t largest = totals->largest_message, scratch = totals->scratch_bytes;

    if (exchange->state >= IRR_EXCHANGE_RUNS) {
        count_route(exchange);
    }
    counters->waiting_ns = exchange->since_ns != 0 ? irr_clock_ns() - exchange->since_ns : 0;
#define COUNTER_ADD(field, text) totals->field += counters->field;
    IRR_COUNTERS_MAP(COUNTER_ADD)
#undef COUNTER_ADD
    totals->largest_message = counters->largest_message > largest ? counters->largest_message : largest;
    totals->scratch_bytes = counters->scratch_bytes > scratch ? counters->scratch_bytes : scratch;
}

void irr_exchange_end(irr_exchange_t *exchange, irr_status_t result)
{
    if (exchange->comm->failed == IRR_OK && irr_strays_end(exchange) && result == IRR_OK) {
        result = IRR_ERR_TRUNCATE;
    }
    exchange->result = result;
    count(exchange);
}
