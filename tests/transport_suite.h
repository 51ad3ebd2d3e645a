/*
 * transport_suite.h - the conformance suite of transport.h. A transport that passes the suite can run any plan. Its
 * cases are in transport_suite.c, transport_channel.c, transport_sink.c, transport_load.c and transport_visits.c.
 *
 * A test program has, for each of its openers (irr_opener_t):
 *
 *     static const irr_opener_t eager = { .open = open_eager };
 *     IRR_TRANSPORT_SUITE(eager)
 */
#ifndef IRR_TRANSPORT_SUITE_H
#define IRR_TRANSPORT_SUITE_H

#include "irr_test.h"
#include "transport_net.h"

/*
 * Adds all cases of the suite. setup: the name of the opener in the names of the cases. number: as in irr_test_case_t.
 * Both arguments stay where they are.
 */
void irr_suite_add(const char *setup, const irr_opener_t *opener, int number);

/* Adds the suite for an opener. */
#define IRR_TRANSPORT_SUITE(opener)                        \
    IRR_TEST_BEFORE_MAIN static void opener##_suite(void)  \
    {                                                      \
        irr_suite_add(#opener, &(opener), __COUNTER__);    \
    }

/* The cases in other files than transport_suite.c. */
void irr_suite_sink(irr_net_t *net);
void irr_suite_channels(irr_net_t *net);
void irr_suite_ranks(irr_net_t *net);
void irr_suite_abandon(irr_net_t *net);
void irr_suite_repost(irr_net_t *net);
void irr_suite_reuse(irr_net_t *net);
void irr_suite_discard(irr_net_t *net);
void irr_suite_discarding(irr_net_t *net);
void irr_suite_self(irr_net_t *net);
void irr_suite_flood(irr_net_t *net);
void irr_suite_chain(irr_net_t *net);
void irr_suite_drain(irr_net_t *net);
void irr_suite_closed(irr_net_t *net);
void irr_suite_gathered(irr_net_t *net);
void irr_suite_wake(irr_net_t *net);
void irr_suite_soak(irr_net_t *net);
void irr_suite_visits(irr_net_t *net);

/*
 * For transports with a seed: sends IRR_SUITE_ARRIVALS messages to rank 0. All ranks send one after the other, each
 * message with one of `tags` tags of its sender. Stores the numbers of the messages in the order of arrival. Returns
 * true if the order of arrival differs from the order of sending.
 */
enum { IRR_SUITE_ARRIVALS = 40 };

bool irr_suite_arrivals(const irr_opener_t *opener, int tags, int order[IRR_SUITE_ARRIVALS]);

/* Asserts that the order of arrival differs from the order of sending, and depends only on the seed. */
void irr_suite_seeded(bool (*record)(uint64_t seed, int order[IRR_SUITE_ARRIVALS]));

#endif
