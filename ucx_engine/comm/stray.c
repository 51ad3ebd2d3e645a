/*
 * stray.c - see stray.h.
 */
#include "comm/engine.h"

#include <string.h>

/* Number of the highest bit of a sequence, which tells its half. */
#define HALF_BIT (IRR_TAG_SEQUENCE_BITS - 1)
#define HALF     (UINT32_C(1) << HALF_BIT)

/* An exchange takes less sequence numbers than this. */
#define MARGIN 8

static const irr_iov_t sink_iov = { NULL, IRR_SINK_BYTES };

/* ---- throwing away ---- */

static void on_thrown_away(irr_request_t *request, irr_status_t status)
{
    (void)status;   /* the sender's business */
    ((irr_stray_sink_t *)request)->busy = false;
}

_Static_assert(offsetof(irr_stray_sink_t, request) == 0, "on_thrown_away takes a request for its sink");

static irr_stray_sink_t *free_sink(irr_strays_t *strays)
{
    for (int i = 0; i < IRR_STRAYS_SINKS; i++) {
        if (!strays->sink[i].busy) {
            return &strays->sink[i];
        }
    }
    return NULL;
}

bool irr_strays_busy(const irr_strays_t *strays)
{
    bool busy = false;

    for (int i = 0; i < IRR_STRAYS_SINKS; i++) {
        busy = busy || strays->sink[i].busy;
    }
    return busy;
}

bool irr_strays_throw_away(irr_engine_t *engine, uint64_t tag, uint64_t mask, size_t *count)
{
    irr_transport_t *transport = engine->transport;
    irr_stray_sink_t *sink;
    irr_message_t message;

    while ((sink = free_sink(&engine->strays)) != NULL) {
        if (transport->ops->probe(transport, tag & mask, mask, &message) != IRR_OK) {
            return true;
        }
        ++*count;
        sink->request.done = on_thrown_away;
        sink->busy = transport->ops->recv_message(transport, &message, &sink_iov, 1, IRR_FORM_GATHER,
                                                  &sink->request) == IRR_IN_PROGRESS;
    }
    return false;
}

/* ---- of a communicator ---- */

static bool is_open(const irr_comm_t *comm)
{
    return comm->started && comm->result == IRR_IN_PROGRESS;
}

/*
 * What belongs to exchanges that are over: the other half, and in this one the ranges below each bit that is set.  Who
 * has met all others may be in the other half already while this rank still meets them.
 */
static void throw_away_past(irr_comm_t *comm)
{
    const bool meets = is_open(comm) && comm->state == IRR_COMM_MEETS;

    for (int bit = meets ? HALF_BIT - 1 : HALF_BIT; bit >= 0; bit--) {
        if (bit == HALF_BIT || (comm->over >> bit & 1) != 0) {
            const uint64_t base = irr_tag_base(comm->id, comm->over ^ UINT32_C(1) << bit);

            irr_strays_throw_away(comm->engine, irr_tag(base, IRR_TAG_DATA, 0, 0), irr_tag_sequence_mask(bit),
                                  &comm->strays);
        }
    }
}

/* Does somebody have nothing to send here, as far as this rank knows?  By a schedule all know what comes. */
static bool has_gaps(const irr_comm_t *comm)
{
    const irr_plan_t *plan = comm->running;

    if (!comm->direct || comm->way != NULL || plan == NULL) {
        return false;
    }
    return plan->nsteps - plan->nsends < (size_t)comm->ranks - 1 + (comm->problem.send[comm->rank].length > 0);
}

/* Of the exchange that is open: whoever has nothing to send here, as far as this rank knows. */
static void throw_away_now(irr_comm_t *comm)
{
    for (int from = 0; from < comm->ranks; from++) {
        if (from != comm->rank && comm->problem.recv[from].length == 0) {
            irr_strays_throw_away(comm->engine, irr_tag(comm->exec.env.tag_base, IRR_TAG_DATA, 1, from),
                                  IRR_TAG_FULL_MASK, &comm->strays);
        }
    }
}

/* Those who failed with this rank may still send what it will never ask for. */
static void look_at(irr_comm_t *comm)
{
    size_t count = 0;

    if (!comm->started) {
        irr_comm_listen(comm);
    }
    if (comm->failed != IRR_OK) {
        irr_strays_throw_away(comm->engine, irr_tag_base(comm->id, 0), irr_tag_comm_mask(), &count);
        return;
    }
    if (comm->had_gaps && comm->agrees) {
        throw_away_past(comm);
    }
    if (is_open(comm) && comm->state == IRR_COMM_RUNS && has_gaps(comm)) {
        throw_away_now(comm);
    }
}

bool irr_strays_end(irr_comm_t *comm)
{
    const bool gaps = has_gaps(comm);
    bool told;

    comm->over = comm->sequence;
    if ((gaps || comm->had_gaps) && comm->agrees) {
        throw_away_past(comm);
    }
    comm->had_gaps = gaps;
    told = comm->strays > 0;
    comm->strays = 0;
    return told;
}

/* ---- while nothing happens ---- */

void irr_strays_look(irr_engine_t *engine)
{
    irr_strays_t *strays = &engine->strays;
    size_t count = 0;

    if (engine->closed) {
        return;   /* a long message would be answered through an endpoint that is gone */
    }
    if (strays->turn != NULL) {
        look_at(strays->turn);
        strays->turn = strays->turn->next;
        return;
    }
    for (int i = 0; i < IRR_STRAYS_FREED; i++) {
        if (strays->freed[i] != 0) {
            irr_strays_throw_away(engine, irr_tag_base(strays->freed[i] - 1, 0), irr_tag_comm_mask(), &count);
        }
    }
    strays->turn = engine->comms;
}

/* ---- ids ---- */

bool irr_strays_clear(irr_engine_t *engine, uint32_t id)
{
    size_t count = 0;

    return irr_strays_throw_away(engine, irr_tag_base(id, 0), irr_tag_comm_mask(), &count);
}

void irr_strays_free_id(irr_strays_t *strays, uint32_t id)
{
    strays->freed[strays->freed_next++ % IRR_STRAYS_FREED] = id + 1;
}

void irr_strays_take_id(irr_strays_t *strays, uint32_t id)
{
    for (int i = 0; i < IRR_STRAYS_FREED; i++) {
        if (strays->freed[i] == id + 1) {
            strays->freed[i] = 0;
        }
    }
}

/* ---- meetings ---- */

bool irr_strays_meet(const irr_comm_t *comm)
{
    return comm->agrees && comm->sequence % HALF >= HALF - MARGIN;
}

uint32_t irr_strays_met(const irr_comm_t *comm)
{
    return (comm->sequence / HALF + 1) * HALF;
}
