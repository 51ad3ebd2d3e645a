/*
 * queue.c - which exchanges of a communicator are open; see irr_exchange_start.
 *
 * Exchanges are opened in the order in which they were started, which is the same on all members, so that each gets the
 * same numbers for its tags everywhere.  Those whose plans are known when they start run side by side, up to
 * IRR_EXCHANGES_OPEN of them.  The others use what the communicator has once, the relay or the schedules, and what they
 * decide depends on the ones before: so they are opened one after the other.  And so is the one before which the ranks
 * meet (comm/stray.h): all before it must be over, and those behind it wait until the ranks have met.
 *
 * The oldest exchange that is not over somewhere is open everywhere where it was started, as all before it are over
 * everywhere: so nobody waits for ever.  Which ones are open beside it may differ between ranks.
 */
#include "comm/exchange.h"

static void put(irr_queue_t *queue, irr_exchange_t *exchange)
{
    exchange->next = NULL;
    exchange->prev = queue->last;
    *(queue->last != NULL ? &queue->last->next : &queue->first) = exchange;
    queue->last = exchange;
    queue->count++;
}

static void take(irr_queue_t *queue, irr_exchange_t *exchange)
{
    *(exchange->prev != NULL ? &exchange->prev->next : &queue->first) = exchange->next;
    *(exchange->next != NULL ? &exchange->next->prev : &queue->last) = exchange->prev;
    queue->count--;
}

static bool may_open(const irr_comm_t *comm)
{
    if (comm->open.count == 0) {
        return true;
    }
    return !irr_comm_is_serial(comm) && comm->open.count < IRR_EXCHANGES_OPEN && !irr_strays_meet(comm) &&
           comm->open.first->state != IRR_EXCHANGE_MEETS;
}

/* Takes an exchange from its queue with its result, unless that is IRR_IN_PROGRESS. */
static void end_one(irr_queue_t *queue, irr_exchange_t *exchange, irr_status_t result)
{
    if (result != IRR_IN_PROGRESS) {
        take(queue, exchange);
        irr_exchange_end(exchange, result);
    }
}

static void open_one(irr_exchange_t *exchange)
{
    irr_comm_t *comm = exchange->comm;

    put(&comm->open, exchange);
    comm->engine->news = true;
    end_one(&comm->open, exchange, irr_exchange_begin(exchange));
}

void irr_queue_enter(irr_exchange_t *exchange)
{
    irr_comm_t *comm = exchange->comm;
    irr_engine_t *engine = comm->engine;

    if (!comm->busy) {
        comm->busy = true;
        comm->next_busy = engine->busy;
        engine->busy = comm;
    }
    exchange->state = IRR_EXCHANGE_WAITS;
    if (comm->waiting.count == 0 && may_open(comm)) {
        open_one(exchange);
    } else {
        put(&comm->waiting, exchange);
    }
}

static void end_queue(irr_queue_t *queue, irr_status_t status)
{
    while (queue->count > 0) {
        end_one(queue, queue->first, status);
    }
}

bool irr_queue_progress(irr_comm_t *comm)
{
    for (irr_exchange_t *exchange = comm->open.first, *next; exchange != NULL; exchange = next) {
        const irr_status_t status = irr_exchange_progress(exchange);

        next = exchange->next;
        end_one(&comm->open, exchange, status);
    }
    if (comm->failed != IRR_OK) {
        end_queue(&comm->waiting, comm->failed);
    }
    while (comm->waiting.count > 0 && may_open(comm)) {
        irr_exchange_t *exchange = comm->waiting.first;

        take(&comm->waiting, exchange);
        open_one(exchange);
    }
    return comm->open.count + comm->waiting.count > 0;
}

bool irr_queue_only_sends(const irr_comm_t *comm)
{
    bool sends = comm->waiting.count == 0;

    for (const irr_exchange_t *exchange = comm->open.first; exchange != NULL; exchange = exchange->next) {
        sends = sends && exchange->state == IRR_EXCHANGE_RUNS && exchange->view != IRR_VIEW_LEARNING &&
                !irr_exec_receives(&exchange->run->exec);
    }
    return sends;
}

void irr_queue_end_all(irr_comm_t *comm, irr_status_t status)
{
    end_queue(&comm->open, status);
    end_queue(&comm->waiting, status);
}
