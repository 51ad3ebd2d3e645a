/*
 * transport_probe.c - part of the conformance suite: probes that leave the sender open, and receives that throw
 * bytes away.
 */
#include "transport_suite.h"

#include <string.h>

#define TAG IRR_NET_TAG

static const irr_form_t forms[] = { IRR_FORM_IOVEC, IRR_FORM_GATHER };

/* ---- probes with a mask ---- */

/* Tags of this case: IRR_NET_TAG, then the stage, then one of two kinds in the low bits, which the mask leaves open. */
enum { SENDERS = 2, STAGES = 2, ROW = 6, NOTES = SENDERS * STAGES * ROW, KIND_BITS = 6 };

#define STAGE_MASK (IRR_NET_MASK & ~((1u << KIND_BITS) - 1))

static uint16_t tag_of(int stage, int kind)
{
    return (uint16_t)(TAG | (stage + 1) << KIND_BITS | kind);
}

/* Message `row` of a sender in a stage; its number is its seed. */
typedef struct note {
    irr_list_t list;
    irr_op_t   send;
} note_t;

static int number_of(int stage, int sender, int row)
{
    return (row * STAGES + stage) * SENDERS + sender;
}

/* Both senders write to rank 2, stages in turn; all lengths differ, some are eager and some are not. */
static void send_notes(irr_net_t *net, note_t notes[NOTES])
{
    static const size_t lengths[] = { 0, 100000, 3000 };

    for (int i = 0; i < NOTES; i++) {
        int sender = i % SENDERS, stage = i / SENDERS % STAGES, row = i / SENDERS / STAGES;

        notes[i].send.then = NULL;
        irr_list_open_even(&notes[i].list, 1, lengths[row % 3] + (size_t)i);
        irr_list_fill(&notes[i].list, (uint64_t)i);
        irr_net_send(net, sender, 2, tag_of(stage, sender + 1), &notes[i].list, IRR_FORM_IOVEC, &notes[i].send);
    }
}

static void close_notes(irr_net_t *net, note_t notes[NOTES])
{
    for (int i = 0; i < NOTES; i++) {
        irr_net_wait(net, &notes[i].send);
        CU_ASSERT_EQUAL(notes[i].send.status, IRR_OK);
        irr_list_close(&notes[i].list);
    }
}

/* Receives note `number`: what probe found or, with NULL, by its sender and tag. */
static void take_note(irr_net_t *net, int number, int sender, uint16_t tag, const irr_message_t *message)
{
    irr_op_t recv = { .then = NULL };
    size_t bytes = message != NULL ? message->bytes : 200000;
    irr_list_t list;

    irr_list_open_even(&list, 1, bytes);
    if (message != NULL) {
        irr_net_recv_message(net, 2, message, &list, forms[number & 1], &recv);
    } else {
        irr_net_recv(net, 2, sender, tag, &list, forms[number & 1], &recv);
    }
    irr_net_wait(net, &recv);
    CU_ASSERT_EQUAL(recv.status, IRR_OK);
    CU_ASSERT_TRUE(irr_list_holds(&list, (uint64_t)number, recv.request.bytes));
    irr_list_close(&list);
}

static bool finds_none(irr_net_t *net, uint16_t tag, uint16_t mask)
{
    irr_channel_t *channel = net->channels[2];
    irr_message_t message;

    irr_net_idle(net);
    return channel->transport->ops->probe(channel, IRR_ANY_RANK, tag, mask, &message) == IRR_IN_PROGRESS;
}

/* Takes what is left of a stage, from anyone; each sender's are in the order sent, from row `next` on. */
static void probe_stage(irr_net_t *net, note_t notes[NOTES], int stage, int next[SENDERS])
{
    int left = 0;

    for (int s = 0; s < SENDERS; s++) {
        left += ROW - next[s];
    }
    for (; left > 0; left--) {
        irr_message_t message;
        int sender, number;

        /* The low bits of the tag are noise to the mask. */
        irr_net_probe(net, 2, IRR_ANY_RANK, tag_of(stage, left), STAGE_MASK, &message);
        sender = message.from;
        CU_ASSERT_FATAL(sender < SENDERS && next[sender] < ROW);
        CU_ASSERT_EQUAL(message.tag, tag_of(stage, sender + 1));
        number = number_of(stage, sender, next[sender]++);
        CU_ASSERT_EQUAL(message.bytes, notes[number].list.bytes);
        take_note(net, number, sender, 0, &message);
    }
    CU_ASSERT_TRUE(finds_none(net, tag_of(stage, 0), STAGE_MASK));
}

void irr_suite_masked(const irr_setup_t *with)
{
    int first[SENDERS] = { 0 }, second[SENDERS] = { 0 };
    note_t notes[NOTES];
    irr_message_t message;
    irr_net_t net;

    if (!irr_net_open(&net, with)) {
        return;
    }
    CU_ASSERT_TRUE(finds_none(&net, TAG, 0));
    send_notes(&net, notes);
    /* Of sender 1, the second stage loses its first message to a receive, the next one to an exact probe. */
    take_note(&net, number_of(1, 1, second[1]++), 1, tag_of(1, 2), NULL);
    irr_net_probe(&net, 2, 1, tag_of(1, 2), IRR_NET_MASK, &message);
    CU_ASSERT_EQUAL(message.tag, tag_of(1, 2));
    take_note(&net, number_of(1, 1, second[1]++), 1, 0, &message);
    probe_stage(&net, notes, 0, first);
    probe_stage(&net, notes, 1, second);
    CU_ASSERT_TRUE(finds_none(&net, 0, 0));
    close_notes(&net, notes);
    irr_net_close(&net);
}

/* ---- pieces without a base ---- */

/* A receive of up to three pieces: dropped, kept, dropped.  No bytes, no piece. */
typedef struct drain {
    size_t before, keep, after;
} drain_t;

typedef enum way { RECV_FIRST, SEND_FIRST, PROBE_FIRST, WAYS } way_t;

static void post_drain(irr_net_t *net, way_t way, const irr_list_t *to, irr_op_t *recv)
{
    const irr_form_t form = to->count > 1 ? IRR_FORM_GATHER : IRR_FORM_IOVEC;   /* a single sink has any form */
    irr_message_t message;

    if (way == PROBE_FIRST) {
        irr_net_probe(net, 1, 0, TAG, IRR_NET_MASK, &message);
        irr_net_recv_message(net, 1, &message, to, form, recv);
    } else {
        irr_net_recv(net, 1, 0, TAG, to, form, recv);
    }
}

static size_t clip(size_t bytes, size_t room)
{
    return bytes < room ? bytes : room;
}

/* The middle piece has what the message has there, and nothing else was counted or written. */
static void expect_kept(const drain_t *drain, const irr_list_t *from, const irr_list_t *kept, const irr_op_t *recv,
                        uint64_t gathered)
{
    size_t rest = from->bytes - clip(from->bytes, drain->before), bytes = clip(rest, drain->keep);
    bool several = (drain->before > 0) + (drain->keep > 0) + (drain->after > 0) > 1;

    CU_ASSERT_TRUE(irr_list_guarded(kept));
    if (rest - bytes > drain->after) {
        CU_ASSERT_EQUAL(recv->status, IRR_ERR_TRUNCATE);
        return;
    }
    CU_ASSERT_EQUAL(recv->status, IRR_OK);
    CU_ASSERT_EQUAL(recv->request.bytes, from->bytes);
    CU_ASSERT_EQUAL(gathered, several ? bytes : 0);
    if (bytes > 0) {
        CU_ASSERT_EQUAL(memcmp(kept->iov[0].base, (char *)from->iov[0].base + drain->before, bytes), 0);
    }
    for (size_t i = bytes; i < drain->keep; i++) {
        CU_ASSERT_EQUAL_FATAL(((unsigned char *)kept->iov[0].base)[i], kept->memory[0]);
    }
}

static void drain_one(irr_net_t *net, size_t sent, const drain_t *drain, way_t way)
{
    irr_op_t send = { .then = NULL }, recv = { .then = NULL };
    uint64_t gathered = irr_net_gathered(net, 1);
    irr_list_t from, kept, to = { .count = 0 };
    irr_iov_t pieces[3];

    irr_list_open_even(&from, 1, sent);
    irr_list_fill(&from, sent);
    irr_list_open_even(&kept, 1, drain->keep);
    to.iov = pieces;
    if (drain->before > 0) {
        pieces[to.count++] = (irr_iov_t){ .base = NULL, .length = drain->before };
    }
    if (drain->keep > 0) {
        pieces[to.count++] = kept.iov[0];
    }
    if (drain->after > 0) {
        pieces[to.count++] = (irr_iov_t){ .base = NULL, .length = drain->after };
    }
    if (way == RECV_FIRST) {
        post_drain(net, way, &to, &recv);
    }
    irr_net_send(net, 0, 1, TAG, &from, IRR_FORM_IOVEC, &send);
    if (way != RECV_FIRST) {
        irr_net_idle(net);
        post_drain(net, way, &to, &recv);
    }
    irr_net_wait(net, &recv);
    irr_net_wait(net, &send);
    CU_ASSERT(send.status == IRR_OK || recv.status == IRR_ERR_TRUNCATE);
    expect_kept(drain, &from, &kept, &recv, irr_net_gathered(net, 1) - gathered);
    irr_list_close(&kept);
    irr_list_close(&from);
    irr_net_exchange_bytes(net, 0, 1, 1000, true);
}

void irr_suite_sink(const irr_setup_t *with)
{
    static const size_t sizes[] = { 0, 1, 16, 17, 3000, 20000, 300000, 4 << 20 };
    static const drain_t drains[] = {
        { 0, 0, IRR_SINK_BYTES },               /* all is dropped */
        { 0, 16, IRR_SINK_BYTES },              /* but a prefix */
        { 10, 2990, IRR_SINK_BYTES },
        { 100000, 100000, IRR_SINK_BYTES },
        { IRR_SINK_BYTES, 0, IRR_SINK_BYTES },  /* more than can be counted */
        { IRR_SINK_BYTES, 16, IRR_SINK_BYTES },
        { 0, 0, 17 },                           /* too short for some */
        { 5, 5, 10 },
        { 0, 16, 299000 }
    };
    irr_net_t net;

    if (!irr_net_open(&net, with)) {
        return;
    }
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        for (size_t d = 0; d < sizeof(drains) / sizeof(drains[0]); d++) {
            const size_t pieces = (size_t)(drains[d].before > 0) + (drains[d].keep > 0) + (drains[d].after > 0);

            for (way_t way = 0; way < WAYS && irr_net_takes(&net, IRR_FORM_GATHER, pieces); way++) {
                drain_one(&net, sizes[s], &drains[d], way);
            }
        }
    }
    irr_net_close(&net);
}
