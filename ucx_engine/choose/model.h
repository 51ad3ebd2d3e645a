/*
 * model.h - how long an exchange takes by a way, from a few numbers of the traffic and the constants of the machine.
 *
 * It is for ranking ways, so that hopeless ones are never tried: what it says of one is right within a factor, what it
 * says of two that differ by a factor is right in order.  It knows what messages, bytes on a node's link and copies
 * cost (LogGP with links), and roughly what queues of switches that overflow cost under TCP, if the machine has their
 * size.  irr_plan simulate predicts that better, and a trial measures it.
 *
 * Pure.  O(dimensions) for a way.
 */
#ifndef IRR_MODEL_H
#define IRR_MODEL_H

#include "plan/way.h"
#include "problem/machine.h"

/*
 * What is known of an exchange, alike on all ranks; nothing counts what a rank has for itself.  Of each side, sending
 * and receiving, the rank with most counts: `messages` and `bytes` are those of the larger side, and the even ones
 * those of the lesser side, above which the mean of all ranks cannot be.
 */
typedef struct irr_traffic {
    int    ranks;
    int    node_ranks;    /* most on a node; nodes are taken to have so many ranks in a row */
    bool   alone;         /* each rank has a processor of its own; false: not all, or nobody knows */
    double messages, even_messages;   /* that are not empty */
    double bytes, even_bytes;
    double longest;       /* bytes of a message at most */
    bool   plain;         /* no persistent request: on a grid a rank sends to each neighbour, empty messages too */
    bool   sparse;        /* the call is one of neighbours: Open MPI's own has no messages for others */
} irr_traffic_t;

/*
 * Nanoseconds of an exchange whose counts came before, from the first rank's start to the last one's end.  INFINITY: no
 * such grid.
 */
double irr_model_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, const irr_way_t *way);

/* By Open MPI's own function: direct messages to rank 0, 1 and so on, all at once, the empty ones to all ranks too. */
double irr_model_host_ns(const irr_machine_t *machine, const irr_traffic_t *traffic);

/* Bytes from which a message costs less directly than through a grid of two dimensions, at least 1. */
size_t irr_model_direct_from(const irr_machine_t *machine, const irr_traffic_t *traffic);

/* A way that is predicted to take so many times as long as the best one is hopeless. */
#define IRR_MODEL_HOPELESS 3

#endif
