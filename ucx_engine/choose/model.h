/*
 * model.h - predicts the time of an exchange by a strategy, from a few numbers of the traffic and the constants of the
 * machine.
 *
 * The model compares strategies, so that very slow strategies are never tried.  Predictions are not exact, but if two
 * predictions differ by a large factor, the strategy with the shorter predicted time is the faster one.  The model adds
 * the costs of messages, of bytes on a node's link and of copies (LogGP with links).  If the machine file states the
 * length of switch queues, the model also estimates roughly the cost of queues that overflow with TCP.  irr_plan
 * simulate predicts this cost more exactly, and a trial measures it.
 *
 * Cost: O(dimensions) for a strategy.
 */
#ifndef IRR_MODEL_H
#define IRR_MODEL_H

#include "plan/strategy.h"
#include "problem/machine.h"

/*
 * The known properties of an exchange, equal on all ranks, without the messages of ranks to themselves.  The ranks
 * agree on two maxima: the largest number of messages that a rank sends, and the largest number that a rank receives.
 * `messages` is the larger maximum, and `lesser_messages` the smaller one, which is an upper bound of the mean over all
 * ranks.  `bytes` and `lesser_bytes` are the two maxima of bytes.
 */
typedef struct irr_traffic {
    int    ranks;
    int    node_ranks;    /* ranks of the largest node; each node is assumed to have this number of consecutive ranks */
    bool   own_processors;   /* true: each rank has its own processor; false: ranks share processors, or unknown */
    double messages, lesser_messages;   /* numbers of messages that are not empty */
    double bytes, lesser_bytes;
    double longest;       /* bytes of the longest message */
    bool   plain;         /* true: no persistent request; on a grid route a rank then also sends messages to neighbors
                             for which it has no data */
    bool   sparse;        /* true: a neighborhood collective, in which Open MPI's implementation sends to neighbors
                             only */
} irr_traffic_t;

/*
 * Returns the time in ns of an exchange whose counts are those of an earlier exchange, from the start of the first rank
 * to the end of the last rank.  Returns INFINITY if the grid of the strategy does not exist.
 */
double irr_model_ns(const irr_machine_t *machine, const irr_traffic_t *traffic, const irr_strategy_t *strategy);

/*
 * Returns the time, in ns, of Open MPI's implementation: a rank starts its messages to ranks 0, 1 .. all at once,
 * including empty messages.
 */
double irr_model_host_ns(const irr_machine_t *machine, const irr_traffic_t *traffic);

/*
 * Returns the least length in bytes, at least 1, from which a direct message costs less than a message through a square
 * grid.
 */
size_t irr_model_direct_from(const irr_machine_t *machine, const irr_traffic_t *traffic);

/* A strategy is not tried if its predicted time exceeds the best predicted time by this factor. */
#define IRR_MODEL_HOPELESS 3

#endif
