/*
 * blob.c - see blob.h.
 */
#include "exec/blob.h"

#include <assert.h>
#include <string.h>

enum { WORD = sizeof(uint64_t), FIRST_MAX = WORD + IRR_BLOB_FIRST };

static void keep(irr_blob_t *blob, irr_status_t status)
{
    if (blob->status == IRR_OK) {
        blob->status = status;
    }
}

static void over(irr_transfer_t *transfer)
{
    irr_blob_t *blob = (irr_blob_t *)transfer;

    blob->busy = false;
}

_Static_assert(offsetof(irr_blob_t, transfer) == 0, "over takes a transfer for its blob");

static void begin(irr_blob_t *blob)
{
    blob->busy = true;
    irr_transfer_begin(&blob->transfer, blob->env.channel, blob->env.counters, over);
    blob->transfer.describes = true;
}

static void open_blob(irr_blob_t *blob, const irr_exec_env_t *env, int stage, int peer)
{
    assert(!blob->busy);
    blob->env = *env;
    blob->stage = stage;
    blob->peer = peer;
    blob->status = IRR_OK;
}

static uint16_t tag_of(const irr_blob_t *blob, irr_tag_kind_t kind)
{
    return irr_tag(blob->env.tag_base, kind, blob->stage);
}

/* ---- send ---- */

static void send_one(irr_blob_t *blob, int which, irr_tag_kind_t kind)
{
    const irr_iov_t *iov = &blob->iov[which];

    irr_transfer_send(&blob->transfer, &blob->parts[which], blob->peer, tag_of(blob, kind), iov, iov->length > 0,
                      IRR_FORM_IOVEC, iov->length);
}

void irr_blob_send(irr_blob_t *blob, const irr_exec_env_t *env, int stage, int to, const void *content, size_t length,
                   unsigned mark)
{
    const size_t here = length < IRR_BLOB_FIRST ? length : IRR_BLOB_FIRST;
    const uint64_t word = (uint64_t)length * IRR_BLOB_MARKS + mark;

    assert(mark < IRR_BLOB_MARKS && (mark == 0 || length == 0));
    open_blob(blob, env, stage, to);
    blob->state = IRR_BLOB_SENDS;
    blob->into = NULL;
    memcpy(blob->first, &word, sizeof(word));
    if (here > 0) {
        memcpy(blob->first + WORD, content, here);
    }
    blob->iov[0] = (irr_iov_t){ blob->first, WORD + here };
    begin(blob);
    send_one(blob, 0, IRR_TAG_HEADER);
    if (here == IRR_BLOB_FIRST) {
        blob->iov[1] = (irr_iov_t){ (unsigned char *)content + here, length - here };
        send_one(blob, 1, IRR_TAG_PART);
    }
    irr_transfer_end(&blob->transfer);
}

/* ---- receive ---- */

/* Receives a message into a piece; base NULL throws it away. */
static void hear(irr_blob_t *blob, irr_tag_kind_t kind, irr_iov_t iov)
{
    const irr_form_t form = iov.base != NULL ? IRR_FORM_IOVEC : IRR_FORM_GATHER;

    blob->iov[0] = iov;
    blob->parts[0].request.bytes = 0;
    begin(blob);
    irr_transfer_receive(&blob->transfer, &blob->parts[0], blob->peer, tag_of(blob, kind), &blob->iov[0], 1, form);
    irr_transfer_end(&blob->transfer);
}

static void listen(irr_blob_t *blob, irr_tag_kind_t kind, irr_iov_t iov)
{
    hear(blob, kind, iov);
    if (!blob->busy && blob->transfer.status != IRR_OK && blob->transfer.status != IRR_ERR_TRUNCATE &&
        blob->transfer.status != IRR_ERR_PEER) {
        keep(blob, blob->transfer.status);   /* nothing is pending: the message still comes */
        hear(blob, kind, (irr_iov_t){ NULL, IRR_SINK_BYTES });
    }
}

void irr_blob_receive(irr_blob_t *blob, const irr_exec_env_t *env, int stage, int from, irr_bytes_t *into,
                      size_t limit)
{
    open_blob(blob, env, stage, from);
    blob->state = IRR_BLOB_HEARS;
    blob->into = into;
    blob->limit = limit;
    blob->length = 0;
    blob->mark = 0;
    listen(blob, IRR_TAG_HEADER, (irr_iov_t){ blob->first, FIRST_MAX });
}

/* What is heard has ended: with these bytes, if all went well. */
static void end_hearing(irr_blob_t *blob, size_t wanted)
{
    const irr_status_t status = blob->transfer.status;

    keep(blob, status == IRR_ERR_TRUNCATE ? IRR_ERR_PROTOCOL : status);
    if (blob->parts[0].request.bytes != wanted) {
        keep(blob, IRR_ERR_PROTOCOL);
    }
}

static irr_status_t make_room(irr_blob_t *blob)
{
    if (blob->length > blob->limit || blob->into->length > blob->limit - blob->length) {
        return IRR_ERR_NOT_SUPPORTED;
    }
    return irr_bytes_reserve(blob->into, blob->length);
}

static size_t read_word(irr_blob_t *blob)
{
    uint64_t word;

    memcpy(&word, blob->first, sizeof(word));
    blob->mark = word % IRR_BLOB_MARKS;
    blob->length = (size_t)(word / IRR_BLOB_MARKS);
    return blob->length < IRR_BLOB_FIRST ? blob->length : IRR_BLOB_FIRST;
}

/* A first message that is full has a rest behind it, whatever else is wrong. */
static void end_first(irr_blob_t *blob)
{
    const bool full = blob->parts[0].request.bytes >= FIRST_MAX;
    irr_iov_t rest = { NULL, IRR_SINK_BYTES };
    size_t here = 0;

    if (blob->status == IRR_OK && blob->transfer.status == IRR_OK) {
        here = read_word(blob);
    }
    end_hearing(blob, WORD + here);
    if (blob->status == IRR_OK && blob->length > 0) {
        keep(blob, blob->mark == 0 ? make_room(blob) : IRR_ERR_PROTOCOL);
    }
    if (blob->status == IRR_OK && here > 0) {
        memcpy(blob->into->at + blob->into->length, blob->first + WORD, here);
        rest = (irr_iov_t){ blob->into->at + blob->into->length + here, blob->length - here };
    }
    blob->state = full ? IRR_BLOB_TAKES : IRR_BLOB_OVER;
    if (full) {
        listen(blob, IRR_TAG_PART, rest);
    }
}

static void end(irr_blob_t *blob)
{
    if (blob->state == IRR_BLOB_SENDS) {
        keep(blob, blob->transfer.status);
    } else {
        end_hearing(blob, blob->length - IRR_BLOB_FIRST);
    }
    blob->state = IRR_BLOB_OVER;
}

irr_status_t irr_blob_progress(irr_blob_t *blob)
{
    while (blob->state != IRR_BLOB_OVER) {
        const bool first = blob->state == IRR_BLOB_HEARS;

        if (blob->busy) {
            return IRR_IN_PROGRESS;
        }
        if (first) {
            end_first(blob);
        } else {
            end(blob);
        }
        if (blob->state == IRR_BLOB_OVER && blob->into != NULL && blob->status == IRR_OK) {
            blob->into->length += blob->length;
        }
    }
    return blob->status;
}
