/*
 * queue.c - the queue of a communicator: opens its started exchanges, that is, begins to run them, in their order.
 *
 * All members start their exchanges in the same order, and an exchange gets the sequence numbers for its tags when it
 * is opened. It therefore has the same tags on all members. If a rank knows the plan of an exchange at the start, up to
 * IRR_EXCHANGES_OPEN exchanges run concurrently. If exchanges use the relay or look up schedules, they run one at a
 * time: a communicator has one relay and one cache of schedules, and both depend on the previous exchange. An exchange
 * that begins with an epoch barrier (comm/unexpected.h) is opened when all earlier exchanges are over. Later exchanges
 * are opened after the barrier.
 *
 * No exchange waits forever in the queue. Proof: consider the first exchange that is not over on some rank. All earlier
 * exchanges are over on all ranks, so each rank that has started this exchange has opened it. Therefore it ends.
 */
#include "comm/exchange.h"

static bool may_open(const irr_comm_t *comm)
{
    const irr_queue_t *queue = &comm->queue;

    return queue->open == 0 || (!comm->serial && queue->open < IRR_EXCHANGES_OPEN &&
                                !irr_unexpected_needs_barrier(comm->sequence) &&
                                queue->first->state != IRR_EXCHANGE_BARRIER);
}

/*
 * Removes an exchange from the queue and ends it. The exchange is open, or the first one that waits. Does nothing if
 * `result` is IRR_IN_PROGRESS.
 */
static void end_one(irr_queue_t *queue, irr_exchange_t *exchange, irr_status_t result)
{
    if (result == IRR_IN_PROGRESS) {
        return;
    }
    *exchange->link = exchange->next;
    *(exchange->next != NULL ? &exchange->next->link : &queue->end) = exchange->link;
    if (exchange == queue->waiting) {
        queue->waiting = exchange->next;
    } else {
        queue->open--;
    }
    irr_exchange_end(exchange, result);
}

/* Opens the first waiting exchange. */
static inline void open_one(irr_comm_t *comm, irr_exchange_t *exchange)
{
    comm->queue.waiting = exchange->next;
    comm->queue.open++;
    comm->engine->changed = true;
    end_one(&comm->queue, exchange, irr_exchange_begin(exchange));
}

void irr_queue_enter(irr_exchange_t *exchange)
{
    irr_comm_t *comm = exchange->comm;
    irr_queue_t *queue = &comm->queue;
    irr_engine_t *engine = comm->engine;

    if (!comm->busy) {
        comm->busy = true;
        comm->next_busy = engine->busy;
        engine->busy = comm;
    }
    exchange->state = IRR_EXCHANGE_WAITS;
    exchange->next = NULL;
    exchange->link = queue->first != NULL ? queue->end : &queue->first;
    *exchange->link = exchange;
    queue->end = &exchange->next;
    if (queue->waiting != NULL) {
        return;
    }
    queue->waiting = exchange;
    if (may_open(comm)) {
        open_one(comm, exchange);
    }
}

bool irr_queue_progress(irr_comm_t *comm)
{
    irr_queue_t *queue = &comm->queue;

    for (irr_exchange_t *exchange = queue->first, *next; exchange != queue->waiting; exchange = next) {
        const irr_status_t status = irr_exchange_progress(exchange);

        next = exchange->next;
        end_one(queue, exchange, status);
    }
    while (queue->waiting != NULL && (comm->failed != IRR_OK || may_open(comm))) {
        if (comm->failed != IRR_OK) {
            end_one(queue, queue->waiting, comm->failed);
        } else {
            open_one(comm, queue->waiting);
        }
    }
    return queue->first != NULL;
}

bool irr_queue_only_sends(const irr_comm_t *comm)
{
    const irr_queue_t *queue = &comm->queue;
    bool sends = queue->waiting == NULL;

    for (const irr_exchange_t *exchange = queue->first; exchange != queue->waiting; exchange = exchange->next) {
        sends = sends && exchange->state == IRR_EXCHANGE_RUNS && exchange->view != IRR_VIEW_LEARNING &&
                !irr_exec_receives(&exchange->run->exec);
    }
    return sends;
}

void irr_queue_end_all(irr_comm_t *comm, irr_status_t status)
{
    while (comm->queue.first != NULL) {
        end_one(&comm->queue, comm->queue.first, status);
    }
}
