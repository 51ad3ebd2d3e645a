/*
 * transport_sink.c - part of the conformance suite: receives that discard bytes.
 */
#include "transport_suite.h"

#define TAG IRR_NET_TAG

/*
 * A receive of up to three pieces: the first and the last are discarded, and the middle piece is kept. There is no
 * piece of 0 bytes.
 */
typedef struct drain {
    size_t before, keep, after;
} drain_t;

static void post_drain(irr_net_t *net, const irr_list_t *to, irr_op_t *recv)
{
    /* A single piece is discarded in any form. */
    irr_net_recv(net, 1, 0, TAG, to, to->count > 1 ? IRR_FORM_GATHER : IRR_FORM_IOVEC, recv);
}

static size_t clip(size_t bytes, size_t room)
{
    return bytes < room ? bytes : room;
}

/* Asserts that the middle piece has its bytes of the message, and that no other byte was counted or written. */
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
    if (drain->before < IRR_SINK_BYTES && (drain->after < IRR_SINK_BYTES || rest <= drain->keep)) {
        CU_ASSERT_EQUAL(recv->request.bytes, from->bytes);
    } else {
        CU_ASSERT_EQUAL(recv->request.bytes > 0, from->bytes > 0);
        CU_ASSERT(drain->before == IRR_SINK_BYTES || recv->request.bytes > drain->before + drain->keep);
    }
    CU_ASSERT_EQUAL(gathered, several ? bytes : 0);
    if (bytes > 0) {
        CU_ASSERT_EQUAL(memcmp(kept->iov[0].base, (char *)from->iov[0].base + drain->before, bytes), 0);
    }
    for (size_t i = bytes; i < drain->keep; i++) {
        CU_ASSERT_EQUAL_FATAL(((unsigned char *)kept->iov[0].base)[i], kept->memory[0]);
    }
}

static void drain_one(irr_net_t *net, size_t sent, const drain_t *drain, bool recv_first)
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
    if (recv_first) {
        post_drain(net, &to, &recv);
    }
    irr_net_send(net, 0, 1, TAG, &from, IRR_FORM_IOVEC, &send);
    if (!recv_first) {
        irr_net_idle(net);
        post_drain(net, &to, &recv);
    }
    irr_net_wait(net, &recv);
    irr_net_wait(net, &send);
    CU_ASSERT(send.status == IRR_OK || recv.status == IRR_ERR_TRUNCATE);
    expect_kept(drain, &from, &kept, &recv, irr_net_gathered(net, 1) - gathered);
    irr_list_close(&kept);
    irr_list_close(&from);
    irr_net_exchange_bytes(net, 0, 1, 1000, true);
}

void irr_suite_sink(irr_net_t *net)
{
    static const size_t sizes[] = { 0, 1, 16, 17, 3000, 20000, 300000, 4 << 20 };
    static const drain_t drains[] = {
        { 0, 0, IRR_SINK_BYTES },               /* all bytes are discarded */
        { 0, 16, IRR_SINK_BYTES },              /* all bytes except a prefix */
        { 10, 2990, IRR_SINK_BYTES },
        { 100000, 100000, IRR_SINK_BYTES },
        { IRR_SINK_BYTES, 0, IRR_SINK_BYTES },  /* total length above SIZE_MAX */
        { IRR_SINK_BYTES, 16, IRR_SINK_BYTES },
        { 0, 0, 17 },                           /* too short for some messages */
        { 5, 5, 10 },
        { 0, 16, 299000 }
    };

    for (size_t s = 0; s < IRR_TEST_COUNT(sizes); s++) {
        for (size_t d = 0; d < IRR_TEST_COUNT(drains); d++) {
            const size_t pieces = (size_t)(drains[d].before > 0) + (drains[d].keep > 0) + (drains[d].after > 0);

            for (int mode = 0; mode < 2 && irr_net_takes(net, IRR_FORM_GATHER, pieces); mode++) {
                drain_one(net, sizes[s], &drains[d], mode == 0);
            }
        }
    }
}
