/*
 * trace.c - records the messages of a transport; see trace.h.
 *
 * To see when a message ends, the wrapper passes a request with a callback of its own to the inner transport, and then
 * calls the callback of the caller. If memory for such a request is missing, the wrapper passes on the request of the
 * caller, and counts the message as dropped.
 */
#include "transport/trace.h"

#include "core/alloc.h"
#include "core/clock.h"
#include "core/log.h"
#include "exec/tag.h"
#include "transport/pass.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Maximum number of recorded messages, which take 48 MB. Further messages are counted as dropped. */
#define MESSAGES_MAX ((size_t)1 << 20)

/* Number of operations that are allocated together. */
enum { BATCH = 64 };

typedef struct message {
    uint64_t begin_ns, end_ns, bytes;
    int32_t  rank, peer;
    uint16_t channel, tag;
    uint8_t  status;   /* irr_status_t */
    uint8_t  lane;     /* index into notes_t.lanes */
    bool     sent;
} message_t;

/* The records of one file, which two transports may share. */
typedef struct notes {
    FILE       *file;
    message_t  *messages;
    size_t      count, max;
    uint64_t    dropped;
    const char *lanes[2];   /* names of the transports that record into this file */
    uint8_t     nlanes;     /* number of these transports */
    int         open;       /* number of these transports that are not freed yet */
} notes_t;

typedef struct trace trace_t;

/* A message whose record is not complete. */
typedef struct op {
    irr_request_t  inner;   /* passed to the inner transport; must be first */
    irr_request_t *outer;   /* request of the caller */
    trace_t       *trace;
    struct op     *next;
    message_t      message;
} op_t;

/* Operations are allocated in batches and reused; all batches are freed with the trace. */
typedef struct batch {
    struct batch *next;
    op_t          ops[BATCH];
} batch_t;

struct trace {
    irr_pass_t pass;   /* must be first */
    op_t      *free;
    batch_t   *batches;
    notes_t   *notes;
    uint8_t    lane;
};

static trace_t *trace_of(irr_transport_t *transport)
{
    return (trace_t *)transport;
}

/* ---- operations ---- */

/* Returns a free operation, or NULL if memory is missing. */
static op_t *new_op(trace_t *trace)
{
    op_t *op = trace->free;

    if (op == NULL) {
        batch_t *batch = irr_alloc(1, sizeof(*batch));

        if (batch == NULL) {
            return NULL;
        }
        batch->next = trace->batches;
        trace->batches = batch;
        for (int i = 0; i < BATCH; i++) {
            batch->ops[i].next = i + 1 < BATCH ? &batch->ops[i + 1] : NULL;
        }
        op = &batch->ops[0];
    }
    trace->free = op->next;
    return op;
}

static void free_op(op_t *op)
{
    op->next = op->trace->free;
    op->trace->free = op;
}

/* ---- messages ---- */

static void record(notes_t *notes, const message_t *message)
{
    if (notes->count == MESSAGES_MAX || IRR_GROW(notes->messages, notes->max, notes->count + 1) != IRR_OK) {
        notes->dropped++;
        return;
    }
    notes->messages[notes->count++] = *message;
}

/* Records the end of a message, and frees its operation. */
static void finish(op_t *op, irr_status_t status)
{
    op->message.end_ns = irr_clock_ns();
    op->message.status = (uint8_t)status;
    op->outer->bytes = op->inner.bytes;
    if (!op->message.sent) {
        op->message.bytes = op->inner.bytes;
    }
    record(op->trace->notes, &op->message);
    free_op(op);
}

static void done(irr_request_t *inner, irr_status_t status)
{
    op_t *op = (op_t *)inner;
    irr_request_t *outer = op->outer;

    finish(op, status);
    outer->done(outer, status);
}

/* Begins a message. If memory is missing, returns NULL and counts the message as dropped. */
static op_t *begin(irr_channel_t *channel, irr_request_t *request)
{
    trace_t *trace = trace_of(channel->transport);
    op_t *op = new_op(trace);

    if (op == NULL) {
        trace->notes->dropped++;
        return NULL;
    }
    op->inner.done = done;
    op->inner.bytes = 0;
    irr_request_set(&op->inner, request->peer, request->tag, request->iov, request->count, request->form);
    op->outer = request;
    op->trace = trace;
    op->message = (message_t){
        .begin_ns = irr_clock_ns(), .rank = channel->rank, .peer = request->peer, .channel = (uint16_t)channel->id,
        .tag = request->tag, .lane = trace->lane
    };
    return op;
}

/* Handles the status of send or recv of the inner transport. */
static irr_status_t begun(op_t *op, irr_status_t status)
{
    if (status == IRR_OK) {
        finish(op, status);
    } else if (status != IRR_IN_PROGRESS) {
        free_op(op);   /* the message has not begun */
    }
    return status;
}

static irr_status_t send(irr_channel_t *channel, irr_request_t *request)
{
    const irr_transport_ops_t *ops = trace_of(channel->transport)->pass.inner->ops;
    irr_channel_t *inner = irr_pass_inner(channel);
    op_t *op = begin(channel, request);

    if (op == NULL) {
        return ops->send(inner, request);
    }
    op->message.sent = true;
    op->message.bytes = request->length;
    return begun(op, ops->send(inner, &op->inner));
}

static irr_status_t recv(irr_channel_t *channel, irr_request_t *request)
{
    const irr_transport_ops_t *ops = trace_of(channel->transport)->pass.inner->ops;
    irr_channel_t *inner = irr_pass_inner(channel);
    op_t *op = begin(channel, request);

    if (op == NULL) {
        return ops->recv(inner, request);
    }
    return begun(op, ops->recv(inner, &op->inner));
}

/* ---- the file ---- */

static const char *kind_name(irr_tag_kind_t kind)
{
    static const char *const names[] = {
        [IRR_TAG_DATA] = "data", [IRR_TAG_HEADER] = "header", [IRR_TAG_BODY] = "body", [IRR_TAG_SYNC] = "signal"
    };

    return names[kind];
}

static void write_message(const notes_t *notes, const message_t *message)
{
    fprintf(notes->file, "{\"op\": \"%s\", \"lane\": \"%s\", \"channel\": %d, \"rank\": %d, \"peer\": %d, "
            "\"exchange\": %d, \"kind\": \"%s\", \"stage\": %d, \"bytes\": %" PRIu64 ", \"begin_ns\": %" PRIu64
            ", \"end_ns\": %" PRIu64 ", \"status\": \"%s\"}\n", message->sent ? "send" : "recv",
            notes->lanes[message->lane], message->channel, message->rank, message->peer,
            message->tag >> IRR_TAG_SEQUENCE_SHIFT, kind_name(irr_tag_kind(message->tag)), irr_tag_stage(message->tag),
            message->bytes, message->begin_ns, message->end_ns,
            message->status == IRR_OK ? "ok" : irr_status_text((irr_status_t)message->status));
}

/* Number of attempts to read both clocks at the same time. The fastest attempt is used: it was not interrupted. */
#define ATTEMPTS 32

/* Returns the time of day, in ns since 1970, at which irr_clock_ns was 0. */
static uint64_t epoch_ns(void)
{
    uint64_t epoch = 0, least = UINT64_MAX;

    for (int i = 0; i < ATTEMPTS; i++) {
        struct timespec day;
        const uint64_t before = irr_clock_ns();
        uint64_t took;

        clock_gettime(CLOCK_REALTIME, &day);
        took = irr_clock_ns() - before;
        if (took < least) {
            least = took;
            epoch = (uint64_t)day.tv_sec * UINT64_C(1000000000) + (uint64_t)day.tv_nsec - before - took / 2;
        }
    }
    return epoch;
}

static void write_file(notes_t *notes)
{
    char host[256] = "";
    bool failed;

    gethostname(host, sizeof(host) - 1);
    fprintf(notes->file, "{\"host\": \"%.255s\", \"epoch_ns\": %" PRIu64 ", \"messages\": %zu, \"dropped\": %" PRIu64
            "}\n", host, epoch_ns(), notes->count, notes->dropped);
    for (size_t i = 0; i < notes->count; i++) {
        write_message(notes, &notes->messages[i]);
    }
    failed = ferror(notes->file) != 0;
    if (fclose(notes->file) != 0 || failed) {
        irr_log(IRR_LOG_WARN, "%strace: the file of this rank could not be written completely: %s; some messages are "
                "missing", irr_log_prefix(), strerror(errno));
    }
}

/* ---- creation and end ---- */

static void release_notes(notes_t *notes)
{
    if (--notes->open == 0) {
        write_file(notes);
        irr_free(notes->messages);
        irr_free(notes);
    }
}

static void free_trace(irr_transport_t *transport)
{
    trace_t *trace = trace_of(transport);
    batch_t *batch = trace->batches;

    release_notes(trace->notes);
    irr_pass_free(transport);   /* frees the inner transport, which may use the requests of the batches until then */
    while (batch != NULL) {
        batch_t *next = batch->next;

        irr_free(batch);
        batch = next;
    }
}

static irr_status_t join(irr_transport_t *inner, notes_t *notes, irr_transport_t **transport_p)
{
    trace_t *trace = irr_alloc_zero(1, sizeof(*trace));

    if (trace == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    irr_pass_init(&trace->pass, inner);
    trace->pass.ops.send = send;
    trace->pass.ops.recv = recv;
    trace->pass.ops.free = free_trace;
    trace->notes = notes;
    trace->lane = notes->nlanes;
    notes->lanes[notes->nlanes++] = inner->caps.name;
    notes->open++;
    *transport_p = &trace->pass.super;
    return IRR_OK;
}

irr_status_t irr_trace_join(irr_transport_t *inner, irr_transport_t *traced, irr_transport_t **transport_p)
{
    return join(inner, trace_of(traced)->notes, transport_p);
}

irr_status_t irr_trace_open(irr_transport_t *inner, const char *file, irr_transport_t **transport_p)
{
    notes_t *notes = irr_alloc_zero(1, sizeof(*notes));
    irr_status_t status;

    if (notes == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    notes->file = fopen(file, "w");
    if (notes->file == NULL) {
        irr_log(IRR_LOG_ERROR, "%strace: %s cannot be written: %s; the folder must exist, and permit writing",
                irr_log_prefix(), file, strerror(errno));
        irr_free(notes);
        return IRR_ERR_BAD_PARAM;
    }
    status = join(inner, notes, transport_p);
    if (status != IRR_OK) {
        fclose(notes->file);
        irr_free(notes);
    }
    return status;
}
