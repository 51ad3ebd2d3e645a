/*
 * tune.h - which pace, pieces and lead move a schedule fastest on this network, found by trying.
 *
 * What is best depends on the rate, on queues, and on how fast processes answer; no constant is right everywhere.  So
 * an order on a tree of switches tries a few ways in its first exchanges of a matrix, each some times in turn, and
 * goes on with the one whose middle time, of the slowest rank, is least: the shortest would flatter a way that is
 * fast only when no packet gets lost, and the longest blame one for what others did to the network just then.  Which
 * way comes next is known to all ranks from the number of exchanges alone; the choice is one consensus
 * (comm/schedules.h).  What the user has set is not tried.
 *
 * Cost: IRR_TUNE_ROUNDS exchanges a way, and one consensus, for each schedule that is kept.
 */
#ifndef IRR_TUNE_H
#define IRR_TUNE_H

#include "pace/pace.h"

#define IRR_TUNE_WAYS_MAX 5
#define IRR_TUNE_ROUNDS   3

/* How a schedule runs. */
typedef struct irr_tune_way {
    const irr_pace_t *pace;
    size_t            grants;
    size_t            piece_max;   /* bytes of a message; 0: no limit */
    size_t            lead;        /* of the pace sync */
} irr_tune_way_t;

/* What is known of the ways of a schedule. */
typedef struct irr_tune {
    int      ways;
    int      chosen;    /* -1: still trying */
    unsigned runs;      /* begun; alike on all ranks */
    int      running;   /* the way of the latest one */
    uint64_t times[IRR_TUNE_WAYS_MAX][IRR_TUNE_ROUNDS];   /* ns, of this rank; UINT64_MAX: it has not ended well */
} irr_tune_t;

/*
 * Messages of at most so many bytes may go without any pace: a switch has room for most of them, and what gets lost
 * is soon sent again.  At one switch of 100 Mbit/s this holds up to 64 KiB; at 256 KiB senders wait for timeouts.
 * Where it does not hold, the trial finds out.
 */
#define IRR_TUNE_SHORT 65536

/* With more ranks it takes seconds to find out which messages meet, so pace sync is only what a user asks for. */
#define IRR_TUNE_SYNC_RANKS 512

/*
 * All ways that settings leave open, the likely best first; how many.  tries: more than one may be returned, and the
 * last one may be free, for schedules whose messages are all short.
 */
int irr_tune_ways(const irr_settings_t *settings, irr_pacing_t pacing, bool tries, int ranks,
                  irr_tune_way_t ways[IRR_TUNE_WAYS_MAX]);

void irr_tune_init(irr_tune_t *tune, int ways);

/* A run begins: the way that it goes. */
int irr_tune_begin(irr_tune_t *tune);

/* It ended well on this rank after so many ns. */
void irr_tune_end(irr_tune_t *tune, uint64_t ns);

/* Have all ways been tried, and is none chosen? */
bool irr_tune_due(const irr_tune_t *tune);

/* The middle time of each way on this rank; the ways that are not there have UINT64_MAX. */
void irr_tune_middle(const irr_tune_t *tune, uint64_t times[IRR_TUNE_WAYS_MAX]);

/* Of the middle times of each way on the slowest rank. */
void irr_tune_choose(irr_tune_t *tune, const uint64_t *times);

#endif
