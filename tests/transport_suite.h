/*
 * transport_suite.h - the conformance suite of transport.h. A transport that passes the suite can run any plan. Its
 * cases are in transport_suite.c, transport_channel.c, transport_sink.c, transport_load.c and transport_visits.c.
 *
 * A test program has, for each of its irr_opener_t:
 *
 *     static const irr_opener_t eager = { open_eager, close_fabric };
 *     IRR_TRANSPORT_SUITE(IRR_SUITE_WRAP, eager)
 *
 * and in its table of cases: IRR_TRANSPORT_SUITE(IRR_SUITE_ROW, eager)
 */
#ifndef IRR_TRANSPORT_SUITE_H
#define IRR_TRANSPORT_SUITE_H

#include "irr_test.h"
#include "transport_net.h"

/* X(setup, name, text) */
#define IRR_TRANSPORT_SUITE(X, setup)                                                   \
    X(setup, lazy,       "addresses connect, endpoints open with the first send")       \
    X(setup, caps,       "lists as long as the capabilities promise")                   \
    X(setup, sizes,      "contiguous messages from 0 to 4 MiB")                         \
    X(setup, pieces,     "lists of pieces, cut differently at both ends")               \
    X(setup, large,      "lists of small and large pieces against one piece")           \
    X(setup, tags,       "a receive takes exactly its tag")                             \
    X(setup, order,      "messages with one tag keep their order")                      \
    X(setup, overtake,   "receives posted in any order of tags")                        \
    X(setup, truncate,   "a long message is truncated and harms nothing")               \
    X(setup, shorter,    "a short message leaves the rest untouched")                   \
    X(setup, sink,       "pieces without a base keep nothing")                          \
    X(setup, channels,   "channels of the same ranks do not mix")                       \
    X(setup, ranks,      "a channel has an order of ranks of its own")                  \
    X(setup, abandon,    "receives of an abandoned channel end and take no message")    \
    X(setup, repost,     "an operation that done posts is not abandoned")               \
    X(setup, reuse,      "a channel that is closed, and another one with its id")       \
    X(setup, discard,    "discard finds the messages of its mask, of all senders")      \
    X(setup, discarding, "drain waits for messages that are discarded")                 \
    X(setup, self,       "messages of a rank to itself")                                \
    X(setup, flood,      "a thousand messages in flight")                               \
    X(setup, chain,      "done posts the next operations and frees its request")        \
    X(setup, drain,      "sends in flight arrive during close and drain")               \
    X(setup, closed,     "a send after close is canceled")                              \
    X(setup, gathered,   "statistics count what gather copies")                         \
    X(setup, wake,       "arm wakes a sleeper")                                         \
    X(setup, soak,       "random messages, every byte checked")

/* A further case, for an opener with a configuration. */
#define IRR_TRANSPORT_SUITE_MORE(X, setup) \
    X(setup, visits,     "a rank leaves, and another one takes its place")

#define IRR_SUITE_DECLARE(setup, name, text) void irr_suite_##name(irr_net_t *net);
IRR_TRANSPORT_SUITE(IRR_SUITE_DECLARE, )
IRR_TRANSPORT_SUITE_MORE(IRR_SUITE_DECLARE, )
#undef IRR_SUITE_DECLARE

/*
 * For transports with a seed: sends IRR_SUITE_ARRIVALS messages to rank 0. All ranks send one after the other, each
 * message with one of `tags` tags of its sender. Stores the numbers of the messages in the order of arrival. Returns
 * true if the order of arrival differs from the order of sending.
 */
enum { IRR_SUITE_ARRIVALS = 40 };

bool irr_suite_arrivals(const irr_opener_t *opener, int tags, int order[IRR_SUITE_ARRIVALS]);

/* Asserts that the order of arrival differs from the order of sending, and depends only on the seed. */
void irr_suite_seeded(bool (*record)(uint64_t seed, int order[IRR_SUITE_ARRIVALS]));

#define IRR_SUITE_WRAP(setup, name, text) \
    static void setup##_##name(void) { irr_net_run(&setup, irr_suite_##name); }

#define IRR_SUITE_ROW(setup, name, text) { #setup ": " text, setup##_##name },

#endif
