/* unexpected.c - finds and discards unexpected messages, for which no receive was posted; see unexpected.h. */
#include "comm/exchange.h"

/*
 * Index of the highest bit of a sequence number, which tells the two halves of the numbers apart (Epochs in
 * unexpected.h).
 */
#define HALF_BIT (IRR_TAG_SEQUENCE_BITS - 1)

/* The mask that selects all tags. */
#define ALL 0

/*
 * Discards messages of a communicator with tags that equal `tag` in the bits of `mask`. Adds their number to *count.
 * Returns false if more may arrive later.
 */
static bool discard(irr_engine_t *engine, uint32_t id, uint16_t tag, uint16_t mask, size_t *count)
{
    return engine->transport->ops->discard(engine->transport, (uint16_t)id, tag, mask, count) == IRR_OK;
}

/* ---- communicators ---- */

/*
 * Discards messages of exchanges that are over, and adds their number to *count. Their sequence numbers are all numbers
 * of the other half, and in this half the numbers below comm->over: one range of numbers for each bit that is set in
 * comm->over. During an epoch barrier the other half is left out, because ranks that have passed the barrier may
 * already send with its numbers.
 */
static void discard_past(irr_comm_t *comm, size_t *count)
{
    const bool in_barrier = comm->queue.open > 0 && comm->queue.first->state == IRR_EXCHANGE_BARRIER;

    for (int bit = in_barrier ? HALF_BIT - 1 : HALF_BIT; bit >= 0; bit--) {
        if (bit == HALF_BIT || (comm->over >> bit & 1) != 0) {
            const uint16_t base = irr_tag_base(comm->over ^ UINT32_C(1) << bit), mask = irr_tag_sequence_mask(bit);

            discard(comm->engine, comm->id, irr_tag(base, IRR_TAG_DATA, 0), mask, count);
        }
    }
}

/*
 * Returns true if an unexpected message is possible in this exchange. With a schedule it is not: the schedule tells
 * each rank what it receives.
 */
static bool has_gaps(const irr_exchange_t *exchange)
{
    const irr_comm_t *comm = exchange->comm;

    if (exchange->running == NULL || exchange->view == IRR_VIEW_ALL) {
        return false;
    }
    if (exchange->view != IRR_VIEW_OWN) {
        return irr_comm_is_split(comm);   /* every forwarded message is expected */
    }
    return exchange->running->nrecvs < (size_t)comm->ranks - 1;
}

/* Discards unexpected messages of one exchange. All its receives must be posted or complete. */
static void discard_of(const irr_exchange_t *exchange)
{
    irr_comm_t *comm = exchange->comm;
    const uint16_t base = exchange->run->exec.env.tag_base;

    discard(comm->engine, comm->id, irr_tag(base, IRR_TAG_DATA, irr_comm_direct_stage(comm)), IRR_TAG_FULL_MASK,
            &comm->unexpected);
}

/*
 * Searches a communicator. Until the first exchange of a user is over, messages of past exchanges belong to earlier
 * users and are not counted. After a failure of the communicator, all messages that still arrive are discarded.
 */
static void search(irr_comm_t *comm)
{
    const irr_queue_t *queue = &comm->queue;
    size_t others = 0;

    if (comm->queue.open == 0) {
        irr_comm_listen(comm);
    }
    if (comm->failed != IRR_OK) {
        discard(comm->engine, comm->id, 0, ALL, &others);
        return;
    }
    if (comm->gaps > 0) {
        discard_past(comm, comm->handed ? &others : &comm->unexpected);
    }
    for (const irr_exchange_t *exchange = queue->first; exchange != queue->waiting; exchange = exchange->next) {
        if (has_gaps(exchange) && irr_exchange_listens(exchange)) {
            discard_of(exchange);
        }
    }
}

/*
 * Searches at the end of an exchange with gaps, and of the next exchange, for messages of all exchanges that are over.
 */
__attribute__((noinline))
static void search_at_end(const irr_exchange_t *exchange, bool gaps)
{
    irr_comm_t *comm = exchange->comm;
    const bool follows_others = comm->handed && comm->gaps > 0;
    size_t others = 0;

    if (gaps && (follows_others || comm->over <= exchange->sequence)) {
        discard_of(exchange);
    }
    discard_past(comm, follows_others ? &others : &comm->unexpected);
    if (gaps && exchange->sequence >= comm->gaps) {
        comm->gaps = exchange->sequence + 1;
    } else if (exchange->sequence >= comm->gaps && comm->over >= comm->gaps) {
        comm->gaps = 0;
    }
}

bool irr_unexpected_end(irr_exchange_t *exchange)
{
    irr_comm_t *comm = exchange->comm;
    const bool gaps = has_gaps(exchange);
    bool had;

    comm->over = comm->queue.open > 0 ? comm->queue.first->sequence : comm->sequence;
    if (gaps || comm->gaps > 0) {
        search_at_end(exchange, gaps);
    }
    comm->handed = false;
    had = comm->unexpected > 0;
    comm->unexpected = 0;
    return had;
}

/* ---- while the engine is idle ---- */

void irr_unexpected_search(irr_engine_t *engine)
{
    irr_unexpected_t *unexpected = &engine->unexpected;
    size_t count = 0;

    if (engine->closed) {
        return;   /* to discard a long message, the transport may need an endpoint that is closed */
    }
    if (unexpected->next_search != NULL) {
        search(unexpected->next_search);
        unexpected->next_search = unexpected->next_search->next;
        return;
    }
    for (int i = 0; i < IRR_UNEXPECTED_FREED; i++) {
        if (unexpected->freed[i] != 0) {
            discard(engine, unexpected->freed[i] - 1, 0, ALL, &count);
        }
    }
    unexpected->next_search = engine->comms;
}

/* ---- ids ---- */

bool irr_unexpected_clear(irr_engine_t *engine, uint32_t id)
{
    size_t count = 0;

    return discard(engine, id, 0, ALL, &count);
}

void irr_unexpected_free_id(irr_unexpected_t *unexpected, uint32_t id)
{
    unexpected->freed[unexpected->freed_next++ % IRR_UNEXPECTED_FREED] = id + 1;
}

void irr_unexpected_take_id(irr_unexpected_t *unexpected, uint32_t id)
{
    for (int i = 0; i < IRR_UNEXPECTED_FREED; i++) {
        if (unexpected->freed[i] == id + 1) {
            unexpected->freed[i] = 0;
        }
    }
}
