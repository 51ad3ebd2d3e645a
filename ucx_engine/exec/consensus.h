/*
 * consensus.h - all ranks learn the maximum of a few words, over the engine's own transport and the boards of nodes.
 *
 * A dissemination all-reduce: in round k, from 0, a rank sends the maximum it knows to rank + 2^k and hears from
 * rank - 2^k.  After the last round each rank has heard, through others, from all; that it has heard from some of
 * them twice does no harm to a maximum.  Hensgen, Finkel, Manber, "Two algorithms for barrier synchronization",
 * 1988.
 *
 * A maximum that lacks somebody's word is none.  So a rank whose round failed sends empty messages from there on, as
 * does who gets one: whoever would have missed a word ends in an error, too.  Others have heard from all.
 *
 * The words are sent as they are in memory, as user data is: all ranks have one byte order.
 *
 * Where ranks of a node have boards, one of them takes part for all: it reads the words of the others, and writes what
 * came of it (board/slate.h).  On one node there is no message then.
 *
 * Cost: ceil(log2 P) messages a rank of the length of the words, one after the other, for P ranks or nodes with boards;
 * O(log P) time; no memory.
 */
#ifndef IRR_CONSENSUS_H
#define IRR_CONSENSUS_H

#include "board/slate.h"
#include "exec/exec.h"
#include "route/nodes.h"

#define IRR_CONSENSUS_WORDS_MAX IRR_SLATE_WORDS_MAX
#define IRR_CONSENSUS_RANKS_MAX (1 << IRR_TAG_STAGES_MAX)  /* a round has the number of a stage in its tags */

/* Owns nothing, so it needs no fini; it may not be moved while it runs. */
typedef struct irr_consensus {
    irr_transfer_t     transfer;   /* of the round */
    irr_part_t         parts[2];
    irr_iov_t          iov[2];
    irr_exec_env_t     env;
    const irr_nodes_t *nodes;      /* whose lowest ranks take part for them; NULL: all ranks take part */
    irr_board_t       *board;      /* of this rank for those of its node; NULL: it is alone there */
    int                ranks, rank;       /* of those that take part; which one this is, or takes part for it */
    int                round, distance;   /* from 1; 2^(round - 1) */
    bool               open;       /* it is not over */
    bool               reads;      /* what others write on its node */
    bool               busy;       /* messages of the round are on their way */
    irr_status_t       status;     /* the first failure here */
    size_t             count;
    uint64_t           words[IRR_CONSENSUS_WORDS_MAX];   /* the result, when it is over */
    uint64_t           heard[IRR_CONSENSUS_WORDS_MAX];
} irr_consensus_t;

/* IRR_ERR_NOT_SUPPORTED, alike on all ranks, above IRR_CONSENSUS_RANKS_MAX ranks. */
irr_status_t irr_consensus_init(irr_consensus_t *consensus, int ranks, int rank);

/*
 * All ranks have boards, joined by those of their nodes.  Both are borrowed.  The board is for one thing at a time: no
 * exchange may run on it while this does.
 */
void irr_consensus_share(irr_consensus_t *consensus, const irr_nodes_t *nodes, irr_board_t *board);

/*
 * Starts one among all ranks, which give the same count, from 1 to IRR_CONSENSUS_WORDS_MAX; none may run.  The
 * words are copied.  Of env channel, tag_base and counters are used; what they point to is borrowed until
 * it is over.  Messages are of kind IRR_TAG_SYNC.  Never blocks.
 */
void irr_consensus_start(irr_consensus_t *consensus, const uint64_t *words, size_t count,
                         const irr_exec_env_t *env);

/*
 * Goes on after progress of the transport.  IRR_IN_PROGRESS; IRR_OK: consensus->words are the maxima of all ranks; or
 * why this rank has not heard all:  IRR_ERR_PEER (one that it heard from had not), IRR_ERR_PROTOCOL (a message had
 * another length), or the error of the transport.  All rounds are served even so.
 */
irr_status_t irr_consensus_progress(irr_consensus_t *consensus);

/* The rank that is to be heard next. */
int irr_consensus_awaited(const irr_consensus_t *consensus);

#endif
