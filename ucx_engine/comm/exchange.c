/*
 * exchange.c - the exchanges of a communicator: start, test, progress, and planned ones that run many times.
 *
 * A planned exchange on a grid runs through the relay first; then the ranks agree whether all could freeze what it
 * learnt (exec/relay_freeze.c), and go on without it if so.
 */
#include "comm/comm_route.h"

#include "core/alloc.h"
#include "core/clock.h"
#include "exec/tag.h"

#include <string.h>

/* Rounds of progress between two looks whether an exchange may go on waiting. */
#define WATCH_ROUNDS 64

/* ---- start ---- */

static irr_exec_env_t make_env(irr_comm_t *comm)
{
    const irr_way_t *way = comm->way;

    return (irr_exec_env_t){
        .channel = comm->channel,
        .tag_base = irr_tag_base(comm->sequence++),
        .input = comm->input,
        .output = comm->output,
        .scratch = comm->found ? comm->schedules.scratch : comm->scratch,
        .compose = way->compose,
        .window_messages = way->window_messages,
        .window_bytes = way->window_bytes,
        .counters = &comm->counters,
        .lacks = comm->lacks | (comm->merged ? IRR_LACKS_INPUT | IRR_LACKS_OUTPUT : 0)
    };
}

/* Starts the plan that is there, or else the relay. */
static void run(irr_comm_t *comm)
{
    irr_exec_env_t env = make_env(comm);

    if (comm->found || comm->direct) {
        comm->running = &comm->plan;
    } else {
        comm->running = comm->exact ? &comm->frozen.plan : NULL;
    }
    comm->state = comm->running != NULL ? IRR_COMM_RUNS : IRR_COMM_RELAYS;
    comm->run_ns = comm->found ? irr_clock_ns() : 0;
    if (comm->running != NULL) {
        irr_exec_start(&comm->exec, comm->running, &env);
    } else {
        irr_relay_start(&comm->relay, &comm->problem, &env);
    }
}

/*
 * A plan has more pieces where a rank has several blocks for another one.  Without memory for them it is made of as
 * many as there are messages, and serves the peers without contents.
 */
static void make_room(irr_comm_t *comm, const irr_share_t *share, const irr_forward_t *forward)
{
    const irr_plan_bounds_t bounds = irr_way_bounds(comm->way, comm->ranks, comm->more, share, forward);

    if (comm->more > 0 && (irr_plan_reserve(&comm->plan, bounds) != IRR_OK ||
                           irr_exec_reserve(&comm->exec, bounds) != IRR_OK)) {
        irr_blocks_merge(&comm->blocks, &comm->problem);
        comm->merged = true;
    }
}

/*
 * Where the ranks have no schedule in common, or go a way that needs none, the way makes its plan alone, or the relay
 * finds it.
 */
static irr_status_t build(irr_comm_t *comm, const irr_cache_entry_t *entry)
{
    const irr_way_t *alone = comm->calm ? comm->schedules.calm_way : &comm->alone;
    const irr_way_t *way = entry != NULL ? &comm->schedules.way[entry->tune.running] : alone;
    const bool scheduled = irr_way_is_scheduled(way);
    const uint64_t wanted = scheduled ? entry->serial : IRR_COMM_BUILT_ALONE;
    const irr_share_t *share = scheduled ? &entry->share[entry->tune.running] : NULL;
    const irr_forward_t *forward = scheduled ? &entry->forward : NULL;
    irr_status_t status;

    comm->found = entry != NULL;
    comm->way = way;
    if ((comm->built == wanted && comm->built_way == way) || (!scheduled && !comm->direct)) {
        return IRR_OK;
    }
    make_room(comm, share, forward);
    status = irr_way_build(way, &comm->problem, share, forward, &comm->plan);
    comm->built_way = way;
    comm->built = status == IRR_OK ? wanted : IRR_COMM_BUILT_NOTHING;
    return status;
}

/* What comes next has this problem, and no plan of another one. */
static irr_status_t take(irr_comm_t *comm, const irr_problem_t *problem)
{
    const bool repeats = irr_blocks_repeat(&comm->blocks, problem);
    size_t sent = 0, received = 0;

    if (comm->started || problem->ranks != comm->ranks || problem->rank != comm->rank ||
        (!repeats && (!irr_blocks_are_good(problem->send, comm->ranks, &sent) ||
                      !irr_blocks_are_good(problem->recv, comm->ranks, &received)))) {
        return IRR_ERR_BAD_PARAM;
    }
    if (comm->failed != IRR_OK) {
        return comm->failed;
    }
    comm->problem = *problem;
    comm->planned = false;
    comm->exact = false;
    comm->calm = false;
    comm->merged = false;
    if (!repeats) {
        comm->built = IRR_COMM_BUILT_NOTHING;
        comm->more = sent + received;
        (void)irr_blocks_remember(&comm->blocks, problem);   /* if not, the next one is built again, too */
    }
    return comm->schedules.asked ? IRR_OK : build(comm, NULL);
}

/* The communicator has an exchange from now on; the engine is locked. */
static void open_exchange(irr_comm_t *comm, bool plans)
{
    memset(&comm->counters, 0, sizeof(comm->counters));
    comm->start_ns = irr_clock_ns();
    comm->plans = plans;
    comm->running = NULL;
    comm->rounds = 0;
    comm->started = true;
    comm->result = IRR_IN_PROGRESS;
    comm->next_open = comm->engine->open;
    comm->engine->open = comm;
    comm->engine->news = true;
}

static void find_schedule(irr_comm_t *comm)
{
    irr_exec_env_t env = make_env(comm);

    comm->state = IRR_COMM_SCHEDULES;
    irr_schedules_start(&comm->schedules, &comm->problem, !comm->plans, &env);
}

/* The ranks find a schedule, unless it is planned, or known that there is none. */
static void begin(irr_comm_t *comm)
{
    if (comm->schedules.asked && !comm->calm && (comm->plans || !comm->planned)) {
        find_schedule(comm);
    } else {
        run(comm);
    }
}

static void meet(irr_comm_t *comm)
{
    const uint64_t nothing = 0;
    irr_exec_env_t env = make_env(comm);

    comm->state = IRR_COMM_MEETS;
    irr_consensus_start(&comm->consensus, &nothing, 1, &env);
}

static void meet_or_begin(irr_comm_t *comm)
{
    if (irr_strays_meet(comm)) {
        meet(comm);
    } else {
        begin(comm);
    }
}

/* On these buffers, with the problem that was taken. */
static void start(irr_comm_t *comm, const void *input, void *output, unsigned lacks)
{
    comm->input = input;
    comm->output = output;
    comm->lacks = lacks;
    irr_lock_acquire(&comm->engine->lock);
    open_exchange(comm, false);
    meet_or_begin(comm);
    irr_lock_release(&comm->engine->lock);
}

irr_status_t irr_exchange_start_lacking(irr_comm_t *comm, const irr_problem_t *problem, const void *input,
                                        void *output, unsigned lacks)
{
    irr_status_t status = take(comm, problem);

    if (status == IRR_OK && comm->schedules.asked && irr_schedules_skip(&comm->schedules)) {
        comm->calm = true;
        status = build(comm, NULL);
    }
    if (status == IRR_OK) {
        start(comm, input, output, lacks);
    }
    return status;
}

irr_status_t irr_exchange_start(irr_comm_t *comm, const irr_problem_t *problem, const void *input, void *output)
{
    return irr_exchange_start_lacking(comm, problem, input, output, 0);
}

/*
 * Opens what the plan sends through, so that the first run need not.  What cannot be opened fails in that run.  The
 * engine is locked.
 */
static void open_endpoints(irr_comm_t *comm)
{
    irr_transport_t *transport = comm->engine->transport;

    for (size_t i = 0; (comm->found || comm->direct) && i < comm->plan.nsteps; i++) {
        const irr_step_t *step = &comm->plan.steps[i];

        if (irr_step_goes_out(step)) {
            (void)transport->ops->reach(transport, comm->peers[step->peer]);
        }
    }
}

irr_status_t irr_exchange_plan(irr_comm_t *comm, const irr_problem_t *problem)
{
    irr_status_t status = take(comm, problem);

    if (status != IRR_OK) {
        return status;
    }
    comm->planned = true;
    irr_lock_acquire(&comm->engine->lock);
    if (comm->schedules.asked) {
        open_exchange(comm, true);
        meet_or_begin(comm);
    } else {
        open_endpoints(comm);
        comm->started = true;
        comm->result = IRR_OK;
    }
    irr_lock_release(&comm->engine->lock);
    return IRR_OK;
}

irr_status_t irr_exchange_restart(irr_comm_t *comm, const void *input, void *output)
{
    if (comm->started || !comm->planned) {
        return IRR_ERR_BAD_PARAM;
    }
    if (comm->failed != IRR_OK) {
        return comm->failed;
    }
    start(comm, input, output, 0);
    return IRR_OK;
}

/* ---- freezing ---- */

/* Local: the exact plan of the relay's last run, and all that running it needs. */
static irr_status_t freeze(irr_comm_t *comm)
{
    irr_grid_plan_t frozen;
    void *scratch;
    irr_status_t status = irr_relay_freeze(&comm->relay, &comm->problem, &frozen);

    if (status != IRR_OK) {
        return status;
    }
    scratch = irr_alloc(frozen.plan.scratch_bytes, 1);
    status = scratch == NULL ? IRR_ERR_NO_MEMORY : irr_exec_reserve(&comm->exec, (irr_plan_bounds_t){
        .steps = frozen.plan.nsteps, .pieces = frozen.plan.npieces });
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

/* ---- progress and test ---- */

static irr_status_t progress_meeting(irr_comm_t *comm)
{
    irr_status_t status = irr_consensus_progress(&comm->consensus);

    if (status == IRR_OK) {
        comm->sequence = irr_strays_met(comm);
        comm->over = comm->sequence;
        begin(comm);
        return IRR_IN_PROGRESS;
    }
    if (status != IRR_IN_PROGRESS) {
        irr_comm_fail(comm, status, "could not meet the others");
    }
    return status;
}

static irr_status_t progress_schedules(irr_comm_t *comm)
{
    const irr_cache_entry_t *entry = NULL;
    irr_status_t status = irr_schedules_progress(&comm->schedules, &entry);

    if (status == IRR_IN_PROGRESS) {
        return status;
    }
    if (status == IRR_OK) {
        status = build(comm, entry);
    }
    if (status != IRR_OK) {
        irr_comm_fail(comm, status, "could not agree with the others on a schedule");
        return status;
    }
    if (comm->plans) {
        open_endpoints(comm);
        return IRR_OK;
    }
    irr_schedules_note(&comm->schedules, entry);
    run(comm);
    return IRR_IN_PROGRESS;
}

static irr_status_t progress_run(irr_comm_t *comm)
{
    irr_status_t status = irr_exec_progress(&comm->exec);

    if (status == IRR_OK && comm->found && !comm->planned) {
        irr_schedules_ran(&comm->schedules, irr_clock_ns() - comm->run_ns);
    }
    return status;
}

static irr_status_t progress_relay(irr_comm_t *comm)
{
    irr_status_t status = irr_relay_progress(&comm->relay);
    irr_exec_env_t env;
    uint64_t failed;

    if (status == IRR_IN_PROGRESS || !comm->planned || !comm->agrees) {
        return status;
    }
    env = make_env(comm);
    failed = status != IRR_OK || freeze(comm) != IRR_OK;
    comm->relayed = status;
    comm->state = IRR_COMM_FREEZES;
    irr_consensus_start(&comm->consensus, &failed, 1, &env);
    return IRR_IN_PROGRESS;
}

static irr_status_t progress_freeze(irr_comm_t *comm)
{
    irr_status_t status = irr_consensus_progress(&comm->consensus);

    if (status == IRR_IN_PROGRESS) {
        return status;
    }
    if (status != IRR_OK) {
        irr_comm_fail(comm, status, "could not agree with the others on a plan");
    }
    comm->exact = status == IRR_OK && comm->consensus.words[0] == 0;
    return comm->relayed != IRR_OK ? comm->relayed : status;
}

/* What the route took. */
static void count_route(irr_comm_t *comm)
{
    irr_counters_t *counters = &comm->counters;
    const irr_plan_t *plan = comm->running;

    counters->exchanges = 1;
    counters->steps = plan != NULL ? plan->nsends : comm->relay.plan->plan.nsends;
    counters->scratch_bytes = plan != NULL ? plan->scratch_bytes : comm->relay.scratch_bytes;
}

/* What the exchange cost, also in the totals of the engine. */
static void count(irr_comm_t *comm)
{
    irr_counters_t *counters = &comm->counters, *totals = &comm->engine->counters;
    uint64_t largest = totals->largest_message, scratch = totals->scratch_bytes;

    if (comm->state != IRR_COMM_SCHEDULES && comm->state != IRR_COMM_MEETS) {
        count_route(comm);
    }
    counters->waiting_ns = irr_clock_ns() - comm->start_ns;
#define COUNTER_ADD(field, text) totals->field += counters->field;
    IRR_COUNTERS_MAP(COUNTER_ADD)
#undef COUNTER_ADD
    totals->largest_message = counters->largest_message > largest ? counters->largest_message : largest;
    totals->scratch_bytes = counters->scratch_bytes > scratch ? counters->scratch_bytes : scratch;
}

static void end(irr_comm_t *comm)
{
    if (comm->failed == IRR_OK && irr_strays_end(comm) && comm->result == IRR_OK) {
        comm->result = IRR_ERR_TRUNCATE;
    }
    count(comm);
}

irr_status_t irr_comm_progress(irr_comm_t *comm)
{
    static irr_status_t (*const progress[])(irr_comm_t *comm) = {
        [IRR_COMM_MEETS] = progress_meeting, [IRR_COMM_SCHEDULES] = progress_schedules, [IRR_COMM_RUNS] = progress_run,
        [IRR_COMM_RELAYS] = progress_relay, [IRR_COMM_FREEZES] = progress_freeze
    };
    irr_comm_state_t state;

    do {
        state = comm->state;
        comm->result = progress[state](comm);
    } while (comm->result == IRR_IN_PROGRESS && comm->state != state);
    if (comm->result == IRR_IN_PROGRESS && ++comm->rounds % WATCH_ROUNDS == 0) {
        comm->result = irr_comm_watch(comm);
    }
    if (comm->result != IRR_IN_PROGRESS) {
        end(comm);
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
