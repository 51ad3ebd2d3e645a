/*
 * transport_visits.c - part of the conformance suite: a rank leaves while the other ranks continue, and a new rank
 * takes its place.
 */
#include "transport_suite.h"

#include "transport/lanes.h"

enum { GUEST = IRR_NET_RANKS - 1 };

/* Sends short and long messages from each of the first `ranks` ranks to each of them, including itself. */
static void talk(irr_net_t *net, int ranks)
{
    for (int from = 0; from < ranks; from++) {
        for (int to = 0; to < ranks; to++) {
            irr_net_exchange_bytes(net, from, to, 8, (from + to) % 2 == 0);
            irr_net_exchange_bytes(net, from, to, 100000, (from + to) % 2 != 0);
        }
    }
}

static void leave(irr_net_t *net)
{
    irr_lanes_t *empty;   /* a transport without lanes, which reaches no rank */

    irr_net_drain(net, GUEST);
    for (int r = 0; r < IRR_NET_RANKS; r++) {
        irr_net_close_channel(net->channels[r]);
        net->channels[r] = NULL;
    }
    net->transports[GUEST]->ops->free(net->transports[GUEST]);
    irr_test_must(irr_lanes_create(&empty));
    net->transports[GUEST] = &empty->super;
}

static void come(irr_net_t *net)
{
    irr_engine_config_t config = net->opener->config;

    config.job_ranks = config.node_ranks = IRR_NET_RANKS;
    net->transports[GUEST]->ops->free(net->transports[GUEST]);
    irr_test_must(irr_transport_open(&config, &net->transports[GUEST]));
    net->closed[GUEST] = false;
    for (int r = 0; r < GUEST; r++) {
        irr_test_must(irr_net_connect(net, r, GUEST));
        irr_test_must(irr_net_connect(net, GUEST, r));
    }
    irr_test_must(irr_net_connect(net, GUEST, GUEST));
    for (int r = 0; r < IRR_NET_RANKS; r++) {
        irr_net_open_channel(net, r, IRR_NET_ID, &net->channels[r]);
    }
}

/* The remaining ranks exchange messages without the rank that left. */
static void stay(irr_net_t *net)
{
    for (int r = 0; r < GUEST; r++) {
        irr_net_open_channel(net, r, IRR_NET_ID, &net->channels[r]);
    }
    talk(net, GUEST);
    for (int r = 0; r < GUEST; r++) {
        irr_net_close_channel(net->channels[r]);
    }
}

void irr_suite_visits(irr_net_t *net)
{
    enum { VISITS = 10 };

    for (int visit = 0; visit < VISITS; visit++) {
        if (visit % 2 == 0) {   /* in every second visit the guest sends no message */
            talk(net, IRR_NET_RANKS);
        }
        leave(net);
        stay(net);
        come(net);
    }
    talk(net, IRR_NET_RANKS);
}
