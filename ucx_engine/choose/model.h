/*
 * model.h - predicts the time of an exchange by a strategy, from a few numbers of the traffic and the constants of the
 * machine.
 *
 * The model ranks strategies, so that hopeless ones are never tried.  A single prediction is right within a factor; two
 * predictions that differ by that factor are in the right order.  The model knows the cost of messages, of bytes on a
 * node's link and of copies (LogGP with links).  If the machine has the size of switch queues, it knows roughly the
 * cost of queues that overflow under TCP.  irr_plan simulate predicts that cost better, and a trial measures it.
 *
 * Pure.  Cost: O(dimensions) for a strategy.
 */
#ifndef IRR_MODEL_H
#define IRR_MODEL_H

#include "plan/strategy.h"
#include "problem/machine.h"

/*
 * The known properties of an exchange, alike on all ranks, without the messages of ranks to themselves.  For each side,
 * sending and receiving, the maximum over all ranks counts.  `messages` and `bytes` are those of the larger side; the
 * even ones are those of the lesser side, which the mean of all ranks cannot exceed.
 */
typedef struct irr_traffic {
    int    ranks;
    int    node_ranks;    /* most ranks on a node; all nodes are assumed to have so many consecutive ranks */
    bool   alone;         /* each rank has a processor of its own; false: some have not, or unknown */
    double messages, even_messages;   /* messages that are not empty */
    double bytes, even_bytes;
    double longest;       /* bytes of the longest message */
    bool   plain;         /* no persistent request: on a grid a rank sends to each neighbor, even without data */
    bool   sparse;        /* a neighborhood collective, in which Open MPI's own sends to neighbors only */
} irr_traffic_t;

/*
 * Returns the nanoseconds of an exchange whose counts occurred before, from the start of the first rank to the end of
 * the last one.  INFINITY: the grid does not exist.
 */
double irr_model_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, const irr_strategy_t *strategy);

/*
 * Returns the nanoseconds with Open MPI's own: all messages to ranks 0, 1 and so on at once, empty ones to all ranks.
 */
double irr_model_host_ns(const irr_machine_t *machine, const irr_traffic_t *traffic);

/* Returns the bytes, at least 1, from which a message costs less directly than through a grid of two dimensions. */
size_t irr_model_direct_from(const irr_machine_t *machine, const irr_traffic_t *traffic);

/* A strategy whose predicted time exceeds the best one by this factor is hopeless. */
#define IRR_MODEL_HOPELESS 3

#endif
