/* exchange.c - creates, starts, plans and tests exchanges; exchange.h explains the terms and lists the other files. */
#include "comm/comm_route.h"
#include "comm/exchange.h"

#include "core/alloc.h"

/* ---- creation and end ---- */

irr_status_t irr_exchange_create(irr_comm_t *comm, irr_exchange_t **exchange_p)
{
    irr_exchange_t *exchange = irr_alloc_zero(1, sizeof(*exchange));

    if (exchange == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    exchange->comm = comm;
    exchange->run = comm->serial ? &comm->run : &exchange->own;
    exchange->strategy = &comm->unscheduled;
    exchange->result = IRR_OK;
    *exchange_p = exchange;
    return IRR_OK;
}

void irr_exchange_free(irr_exchange_t *exchange)
{
    if (exchange != NULL) {
        irr_free(exchange->copied);
        irr_free(exchange->copy);
        irr_free(exchange->scratch);
        irr_plan_fini(&exchange->frozen);
        irr_run_fini(&exchange->own);
        irr_free(exchange);
    }
}

irr_status_t irr_exchange_take(irr_comm_t *comm, irr_exchange_t **exchange_p)
{
    irr_exchange_t *exchange;

    irr_lock_acquire(&comm->engine->lock);
    if (!comm->takes) {
        comm->takes = true;
        comm->spare = comm->exchange;
        comm->spare->next = NULL;
    }
    exchange = comm->spare;
    if (exchange != NULL) {
        comm->spare = exchange->next;
    }
    irr_lock_release(&comm->engine->lock);
    if (exchange == NULL) {
        return irr_exchange_create(comm, exchange_p);
    }
    *exchange_p = exchange;
    return IRR_OK;
}

/*
 * If the exchange is not over, the communicator fails, because other ranks wait for this rank. The memory of the
 * exchange stays allocated, because the transport may still use it.
 */
void irr_exchange_give(irr_exchange_t *exchange)
{
    irr_comm_t *comm = exchange->comm;

    irr_lock_acquire(&comm->engine->lock);
    if (exchange->result == IRR_IN_PROGRESS) {
        irr_comm_fail(comm, IRR_ERR_CANCELED, "has given up an exchange");
        irr_queue_end_all(comm, IRR_ERR_CANCELED);
    }
    exchange->started = false;
    exchange->next = comm->spare;
    comm->spare = exchange;
    irr_lock_release(&comm->engine->lock);
}

void irr_exchange_free_spare(irr_comm_t *comm)
{
    while (comm->spare != NULL) {
        irr_exchange_t *exchange = comm->spare;

        comm->spare = exchange->next;
        if (exchange != comm->exchange) {
            irr_exchange_free(exchange);
        }
    }
}

/* ---- start ---- */

/*
 * Returns true if the lists of blocks are valid. If they have the same serials as those of the last problem, they are
 * the same lists and need no check.
 */
__attribute__((noinline))
static bool is_good(const irr_exchange_t *exchange, const irr_problem_t *problem)
{
    const irr_problem_t *last = &exchange->problem;

    return (problem->send.serial != 0 && problem->send.serial == last->send.serial &&
            problem->recv.serial != 0 && problem->recv.serial == last->recv.serial) ||
           (irr_blocks_are_good(problem->send, problem->ranks) &&
            irr_blocks_are_good(problem->recv, problem->ranks));
}

/* Stores the problem in the exchange. Returns an error if it is not valid or the communicator has failed. */
__attribute__((always_inline))
static inline irr_status_t take(irr_exchange_t *exchange, irr_run_t *run, const irr_problem_t *problem)
{
    const irr_comm_t *comm = exchange->comm;

    if (run == &exchange->own ? !irr_run_take(run, problem) : !is_good(exchange, problem)) {
        return IRR_ERR_BAD_PARAM;
    }
    exchange->built = !comm->serial && run->built != IRR_RUN_NOTHING;
    exchange->run = run;
    exchange->problem = *problem;
    exchange->strategy = &comm->unscheduled;
    exchange->matrix = 0;
    return comm->failed;
}

/* As take, for an exchange in place. Not inline, because it needs a copy of the problem on the stack. */
__attribute__((noinline))
static irr_status_t take_in_place(irr_exchange_t *exchange, irr_run_t *run, const irr_problem_t *stated)
{
    irr_problem_t problem = *stated;
    const irr_status_t status = irr_exchange_convert_in_place(exchange, &problem);

    return status == IRR_OK ? take(exchange, run, &problem) : status;
}

/* Checks and stores the problem of a run. Local. May return IRR_ERR_NO_MEMORY. */
static inline irr_status_t prepare(irr_exchange_t *exchange, irr_run_t *run, const irr_problem_t *problem)
{
    const irr_comm_t *comm = exchange->comm;

    if (exchange->started || problem->ranks != comm->ranks || problem->rank != comm->rank) {
        return IRR_ERR_BAD_PARAM;
    }
    exchange->copies = false;
    return problem->in_place ? take_in_place(exchange, run, problem) : take(exchange, run, problem);
}

/* Puts an exchange into the queue, which may start to run it at once. The engine is locked. */
static void open_exchange(irr_exchange_t *exchange)
{
    exchange->started = true;
    atomic_store_explicit(&exchange->result, IRR_IN_PROGRESS, memory_order_relaxed);
    irr_queue_enter(exchange);
}

static inline void check_start(irr_comm_t *comm)
{
    if (comm->started_ns != 0) {   /* there is a timeout */
        irr_comm_check_start(comm);
    }
}

static inline void start(irr_exchange_t *exchange, irr_purpose_t purpose, const void *input, void *output)
{
    irr_lock_t *lock = &exchange->comm->engine->lock;

    exchange->purpose = purpose;
    exchange->input = exchange->copies             ? irr_exchange_copy(exchange, output)
                      : exchange->problem.in_place ? output : input;
    exchange->output = output;
    irr_lock_acquire(lock);
    open_exchange(exchange);
    irr_lock_release(lock);
}

irr_status_t irr_exchange_start(irr_exchange_t *exchange, const irr_problem_t *problem, const void *input,
                                void *output)
{
    irr_comm_t *comm = exchange->comm;
    irr_status_t status;

    check_start(comm);
    status = prepare(exchange, comm->serial ? &comm->run : &exchange->own, problem);
    if (status == IRR_OK) {
        start(exchange, IRR_PURPOSE_ONCE, input, output);
    } else if (status == IRR_ERR_NO_MEMORY) {
        irr_comm_give_up(comm, status, "cannot start an exchange");
    }
    return status;
}

/* ---- plan ---- */

irr_status_t irr_exchange_plan(irr_exchange_t *exchange, const irr_problem_t *problem)
{
    irr_comm_t *comm = exchange->comm;
    const bool looks_up = irr_schedules_looks_up(&comm->schedules);
    irr_status_t status = prepare(exchange, &exchange->own, problem);

    if (status == IRR_ERR_NO_MEMORY && looks_up) {
        irr_comm_give_up(comm, status, "cannot plan an exchange");   /* the others wait for the counts of this rank */
    }
    if (status != IRR_OK) {
        return status;
    }
    exchange->purpose = IRR_PURPOSE_PLAN;
    irr_lock_acquire(&comm->engine->lock);
    if (looks_up) {
        open_exchange(exchange);
    } else {
        status = irr_exchange_build(exchange);
        exchange->started = status == IRR_OK;
        exchange->result = status;
    }
    irr_lock_release(&comm->engine->lock);
    return status;
}

irr_status_t irr_exchange_restart(irr_exchange_t *exchange, const void *input, void *output)
{
    if (exchange->started || exchange->purpose == IRR_PURPOSE_ONCE) {
        return IRR_ERR_BAD_PARAM;
    }
    check_start(exchange->comm);
    if (exchange->comm->failed != IRR_OK) {
        return exchange->comm->failed;
    }
    exchange->built = true;
    start(exchange, IRR_PURPOSE_AGAIN, input, output);
    return IRR_OK;
}

/* ---- test ---- */

irr_status_t irr_exchange_test(irr_exchange_t *exchange)
{
    return irr_exchange_read(exchange);
}
