/*
 * simulate.c - see simulate.h.
 *
 * A message that a rank has started to send waits in the queue of the rank; the messages of a queue leave one after the
 * other.  The simulated network (study/timed.h) has only the first message of each queue.  It gets the next message
 * when the first one has left.
 */
#include "study/simulate.h"

#include "core/alloc.h"
#include "study/sketch.h"

#define PROGRESS_EVENTS 4096   /* number of events between two calls of config->progress */

typedef struct rank {
    irr_sketch_t sketch;
    double       now;            /* the clock of the rank, in ns */
    double       line_departs;   /* a line: time at which the first message in the queue leaves */
    size_t       messages;   /* number of messages sent */
    size_t       open;       /* number of steps that are not complete */
    size_t       unstarted;
    size_t       next_recv, next_send, next_signal;   /* index of the first step of these kinds that has not started */
    uint32_t     first, last;   /* the ends of the queue: indices of steps; a line has only `first`, index of a send */
    bool         completed;  /* a step has completed since `advance_all` began */
    bool         running;    /* the plan is not complete */
} rank_t;

struct irr_simulation {
    int                       ranks;
    rank_t                   *rank;
    const irr_timed_config_t *config;
    irr_timed_t              *timed;
    int                       running;  /* number of ranks that are running */
    size_t                    copied;   /* bytes of the copies whose time go_on has not added to a clock yet */
    irr_status_t              status;
};

/* ---- sending ---- */

/* Returns the receiver of a send, in a plan that is a line. */
static int receiver(const irr_simulation_t *simulation, int rank, const irr_sketch_send_t *send)
{
    return send->ahead < simulation->ranks - rank ? rank + send->ahead : rank + send->ahead - simulation->ranks;
}

/* Passes the first message in the queue of a rank to the simulated network. */
static void depart(irr_simulation_t *simulation, int r)
{
    rank_t *rank = &simulation->rank[r];
    const irr_sketch_t *sketch = &rank->sketch;
    irr_timed_message_t message = { .from = r, .step = rank->first, .receive = IRR_SKETCH_NONE };
    double time;

    if (sketch->is_line) {
        const irr_sketch_send_t *send = &sketch->sends[rank->first];

        message.bytes = send->bytes;
        message.to = receiver(simulation, r, send);
        message.stage = sketch->stage;
        message.kind = IRR_STEP_SEND;
        message.inside = irr_timed_is_inside(simulation->timed, r, message.to);
        rank->line_departs += irr_timed_end_ns(simulation->timed, message.inside, send->bytes, send->bytes > 0);
        time = rank->line_departs;
    } else {
        const irr_sketch_step_t *step = &sketch->steps[rank->first];

        message.bytes = step->bytes;
        message.to = step->peer;
        message.stage = step->stage;
        message.inside = irr_timed_is_inside(simulation->timed, r, message.to);
        message.kind = step->kind;
        time = step->time;
    }
    simulation->status = irr_timed_send(simulation->timed, time, &message);
}

/* Removes the first message from the queue of a rank, and passes the next one to the network. */
static void next_leaves(irr_simulation_t *simulation, int r)
{
    rank_t *rank = &simulation->rank[r];
    const irr_sketch_t *sketch = &rank->sketch;

    if (sketch->is_line) {
        rank->first = rank->first + 1 < sketch->nsends ? rank->first + 1 : IRR_SKETCH_NONE;
    } else {
        rank->first = sketch->steps[rank->first].next;
    }
    if (rank->first != IRR_SKETCH_NONE) {
        depart(simulation, r);
    }
}

static void complete(rank_t *rank, irr_sketch_step_t *step)
{
    step->state = IRR_SKETCH_COMPLETE;
    rank->open--;
    rank->completed = true;
}

static void send(irr_simulation_t *simulation, int r, irr_sketch_step_t *step)
{
    rank_t *rank = &simulation->rank[r];
    const uint32_t index = (uint32_t)(step - rank->sketch.steps);
    const bool inside = irr_timed_is_inside(simulation->timed, r, step->peer);

    rank->now += irr_timed_end_ns(simulation->timed, inside, step->bytes, step->pieces);
    rank->messages++;
    step->time = rank->now;
    step->next = IRR_SKETCH_NONE;
    if (rank->first == IRR_SKETCH_NONE) {
        rank->first = index;
        depart(simulation, r);
    } else {
        rank->sketch.steps[rank->last].next = index;
    }
    rank->last = index;
    step->state = IRR_SKETCH_STARTED;
    if (!irr_timed_waits(inside, step->bytes)) {
        complete(rank, step);
    }
}

/* ---- receiving ---- */

/*
 * Receives a message: adds the time of the receive to the clock of the rank, frees the message, and completes the
 * receive.  step: the receive; NULL: the plan is a line.
 */
static void receive_message(irr_simulation_t *simulation, irr_timed_message_t *message, irr_sketch_step_t *step)
{
    rank_t *rank = &simulation->rank[message->to];
    const size_t pieces = step != NULL ? step->pieces : message->bytes > 0;

    rank->now += irr_timed_end_ns(simulation->timed, message->inside, message->bytes, pieces);
    irr_timed_take(simulation->timed, message);
    if (step != NULL) {
        complete(rank, step);
    } else {
        rank->open--;
    }
}

/*
 * Receives a message that has arrived, or answers the question of a rendezvous (study/timed.h).  step: the receive,
 * which has started; NULL: the plan is a line.
 */
static void receive_or_answer(irr_simulation_t *simulation, irr_timed_message_t *message, irr_sketch_step_t *step)
{
    rank_t *rank = &simulation->rank[message->to];

    if (!message->asks) {
        receive_message(simulation, message, step);
        return;
    }
    if (step != NULL) {
        step->state = IRR_SKETCH_ANSWERED;
        message->receive = (uint32_t)(step - rank->sketch.steps);
    }
    irr_timed_answer(simulation->timed, message, rank->now);
}

static void receive(irr_simulation_t *simulation, irr_sketch_step_t *step)
{
    irr_timed_message_t *message = step->early;

    step->state = IRR_SKETCH_STARTED;
    step->early = NULL;
    if (message != NULL) {
        receive_or_answer(simulation, message, step);
    }
}

static void arrive(irr_simulation_t *simulation, irr_timed_message_t *message, double time)
{
    rank_t *rank = &simulation->rank[message->to];
    irr_sketch_step_t *step = NULL;

    rank->now = rank->now > time ? rank->now : time;
    if (message->receive != IRR_SKETCH_NONE) {
        step = &rank->sketch.steps[message->receive];
    } else if (!rank->sketch.is_line) {
        step = irr_sketch_receive(&rank->sketch, message->from, message->stage, message->kind == IRR_STEP_SIGNAL);
    }
    if (step == NULL && !rank->sketch.is_line) {
        irr_timed_take(simulation->timed, message);   /* the plan has no receive for it, so it is discarded */
    } else if (step != NULL && step->state == IRR_SKETCH_WAITING) {
        step->early = message;
    } else {
        receive_or_answer(simulation, message, step);
    }
}

/* ---- the steps of a rank ---- */

static bool deps_complete(const irr_sketch_t *sketch, const irr_sketch_step_t *step)
{
    for (uint32_t i = 0; i < step->deps; i++) {
        const irr_sketch_range_t *range = &sketch->deps[step->first_dep + i];

        for (uint32_t at = range->begin; at < range->end; at++) {
            if (sketch->steps[at].state != IRR_SKETCH_COMPLETE) {
                return false;
            }
        }
    }
    return true;
}

static void start(irr_simulation_t *simulation, int r, irr_sketch_step_t *step)
{
    switch ((irr_step_kind_t)step->kind) {
    case IRR_STEP_SEND:
    case IRR_STEP_SIGNAL:
        send(simulation, r, step);
        break;
    case IRR_STEP_RECV:
    case IRR_STEP_WAIT:
        receive(simulation, step);
        break;
    case IRR_STEP_COPY:
        simulation->copied += step->bytes;
        complete(&simulation->rank[r], step);
        break;
    case IRR_STEP_REDUCE:
        complete(&simulation->rank[r], step);
        break;
    }
}

/* Starts the steps whose kinds are set in the bit mask, from a cursor on, up to the first step that has to wait. */
static void advance(irr_simulation_t *simulation, int r, size_t *next, unsigned kinds)
{
    rank_t *rank = &simulation->rank[r];
    const irr_sketch_t *sketch = &rank->sketch;

    for (; *next < sketch->nsteps && simulation->status == IRR_OK; ++*next) {
        irr_sketch_step_t *step = &sketch->steps[*next];

        if ((kinds >> step->kind & 1) == 0) {
            continue;
        }
        if (!deps_complete(sketch, step)) {
            return;
        }
        rank->unstarted--;
        start(simulation, r, step);
    }
}

static void advance_all(irr_simulation_t *simulation, int r)
{
    rank_t *rank = &simulation->rank[r];

    rank->completed = false;
    advance(simulation, r, &rank->next_recv, 1u << IRR_STEP_RECV | 1u << IRR_STEP_WAIT);
    advance(simulation, r, &rank->next_signal, 1u << IRR_STEP_SIGNAL);
    advance(simulation, r, &rank->next_send, 1u << IRR_STEP_SEND | 1u << IRR_STEP_COPY | 1u << IRR_STEP_REDUCE);
}

/* Starts steps of a rank until none can start, and adds the time of the copies to the clock of the rank. */
static void go_on(irr_simulation_t *simulation, int r)
{
    rank_t *rank = &simulation->rank[r];

    while (rank->completed && rank->unstarted > 0 && simulation->status == IRR_OK) {
        advance_all(simulation, r);
    }
    rank->now += irr_timed_copy_ns(simulation->timed, simulation->copied);
    simulation->copied = 0;
    if (rank->running && rank->open == 0) {
        rank->running = false;
        simulation->running--;
    }
}

/* ---- the run ---- */

static void start_line(irr_simulation_t *simulation, int r)
{
    rank_t *rank = &simulation->rank[r];
    const irr_sketch_t *sketch = &rank->sketch;

    rank->line_departs = rank->now;
    rank->messages = sketch->nsends;
    simulation->copied = sketch->copied;
    rank->open = sketch->nrecvs;
    for (size_t i = 0; i < sketch->nsends; i++) {
        const irr_sketch_send_t *send = &sketch->sends[i];
        const bool inside = irr_timed_is_inside(simulation->timed, r, receiver(simulation, r, send));

        rank->now += irr_timed_end_ns(simulation->timed, inside, send->bytes, send->bytes > 0);
        rank->open += irr_timed_waits(inside, send->bytes);
    }
    if (sketch->nsends > 0) {
        rank->first = 0;
        depart(simulation, r);
    }
}

/* Resets a rank, and starts its first steps. */
static void start_rank(irr_simulation_t *simulation, int r, double begin)
{
    rank_t *rank = &simulation->rank[r];

    *rank = (rank_t){ .sketch = rank->sketch, .now = begin, .first = IRR_SKETCH_NONE, .running = true };
    simulation->running++;
    if (rank->sketch.is_line) {
        start_line(simulation, r);
    } else {
        rank->open = rank->unstarted = rank->sketch.nsteps;
        irr_sketch_reset(&rank->sketch);
        advance_all(simulation, r);   /* go_on adds the time of its copies */
    }
    go_on(simulation, r);
}

/* Handles IRR_TIMED_SENT: the message has passed its first link, and its sender, which waited for that, goes on. */
static void complete_send(irr_simulation_t *simulation, const irr_timed_message_t *message, double time)
{
    rank_t *rank = &simulation->rank[message->from];

    rank->now = rank->now > time ? rank->now : time;
    if (rank->sketch.is_line) {
        rank->open--;
    } else {
        complete(rank, &rank->sketch.steps[message->step]);
    }
}

static void handle(irr_simulation_t *simulation, const irr_timed_event_t *event)
{
    irr_timed_message_t *message = event->message;
    const int from = message->from, to = message->to;

    switch (event->what) {
    case IRR_TIMED_LEAVES:
        next_leaves(simulation, from);
        irr_timed_go(simulation->timed, message);
        break;
    case IRR_TIMED_SENT:
        complete_send(simulation, message, event->time);
        go_on(simulation, from);
        break;
    case IRR_TIMED_ARRIVED:
        arrive(simulation, message, event->time);
        go_on(simulation, to);
        break;
    case IRR_TIMED_NOTHING:
        break;
    }
}

static irr_status_t run_all(irr_simulation_t *simulation, const double *start)
{
    irr_timed_event_t event;
    unsigned events = 0;

    for (int r = 0; r < simulation->ranks && simulation->status == IRR_OK; r++) {
        start_rank(simulation, r, start != NULL ? start[r] : 0);
    }
    while (simulation->running > 0 && simulation->status == IRR_OK && irr_timed_step(simulation->timed, &event)) {
        handle(simulation, &event);
        if (simulation->config->progress != NULL && ++events % PROGRESS_EVENTS == 0) {
            simulation->config->progress();
        }
    }
    if (simulation->status != IRR_OK) {
        return simulation->status;
    }
    if (irr_timed_status(simulation->timed) != IRR_OK) {
        return irr_timed_status(simulation->timed);
    }
    return simulation->running > 0 ? IRR_ERR_TIMEOUT : IRR_OK;
}

static irr_simulated_t result_of(const irr_simulation_t *simulation)
{
    irr_simulated_t result = { .ns = 0 };

    for (int r = 0; r < simulation->ranks; r++) {
        const rank_t *rank = &simulation->rank[r];

        result.ns = rank->now > result.ns ? rank->now : result.ns;
        result.messages = rank->messages > result.messages ? rank->messages : result.messages;
    }
    return result;
}

/* Frees the messages that arrived early in a run that has failed. */
static void free_early(irr_simulation_t *simulation)
{
    for (int r = 0; r < simulation->ranks; r++) {
        const irr_sketch_t *sketch = &simulation->rank[r].sketch;

        for (size_t i = 0; i < sketch->nsteps; i++) {
            if (irr_sketch_takes_message(sketch->steps[i].kind) && sketch->steps[i].early != NULL) {
                irr_timed_take(simulation->timed, sketch->steps[i].early);
                sketch->steps[i].early = NULL;
            }
        }
    }
}

irr_status_t irr_simulation_run(irr_simulation_t *simulation, const irr_timed_config_t *config, const double *start,
                                irr_simulated_t *simulated)
{
    irr_status_t status = irr_timed_create(config, &simulation->timed);

    if (status != IRR_OK) {
        return status;
    }
    simulation->config = config;
    simulation->running = 0;
    simulation->copied = 0;
    simulation->status = IRR_OK;
    for (int r = 0; r < simulation->ranks && status == IRR_OK; r++) {
        status = irr_sketch_sort(&simulation->rank[r].sketch);
    }
    if (status == IRR_OK) {
        status = run_all(simulation, start);
    }
    if (status == IRR_OK) {
        *simulated = result_of(simulation);
    } else {
        free_early(simulation);
    }
    irr_timed_destroy(simulation->timed);
    return status;
}

irr_status_t irr_simulation_take(void *context, const irr_plan_t *plan, size_t first, bool last)
{
    irr_simulation_t *simulation = context;

    return irr_sketch_take(&simulation->rank[plan->rank].sketch, &simulation->rank[0].sketch, plan, first, last);
}

irr_status_t irr_simulation_create(int ranks, irr_simulation_t **simulation_p)
{
    irr_simulation_t *simulation = irr_alloc_zero(1, sizeof(*simulation));
    irr_status_t status = simulation != NULL ? IRR_ALLOC_ARRAYS(((irr_array_t[]){
        IRR_ARRAY(simulation->rank, (size_t)ranks) })) : IRR_ERR_NO_MEMORY;

    if (status != IRR_OK) {
        irr_free(simulation);
        return status;
    }
    simulation->ranks = ranks;
    *simulation_p = simulation;
    return IRR_OK;
}

void irr_simulation_destroy(irr_simulation_t *simulation)
{
    if (simulation == NULL) {
        return;
    }
    for (int r = 0; r < simulation->ranks; r++) {
        irr_sketch_fini(&simulation->rank[r].sketch);
    }
    irr_free(simulation->rank);
    irr_free(simulation);
}
