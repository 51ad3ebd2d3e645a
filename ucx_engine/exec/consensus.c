/*
 * consensus.c - see consensus.h.
 */
#include "exec/consensus.h"

#include <assert.h>
#include <string.h>

/* The member that takes part for its node, which is the lowest rank there. */
#define SPEAKER 0

irr_status_t irr_consensus_init(irr_consensus_t *consensus, int ranks, int rank)
{
    if (ranks > IRR_CONSENSUS_RANKS_MAX) {
        return IRR_ERR_NOT_SUPPORTED;
    }
    memset(consensus, 0, sizeof(*consensus));
    consensus->ranks = ranks;
    consensus->rank = rank;
    consensus->distance = ranks;
    return IRR_OK;
}

void irr_consensus_share(irr_consensus_t *consensus, const irr_nodes_t *nodes, irr_board_t *board)
{
    consensus->nodes = nodes;
    consensus->board = board->count > 1 ? board : NULL;
    consensus->rank = nodes->node[consensus->rank];
    consensus->ranks = nodes->count;
    consensus->distance = nodes->count;
}

static void over(irr_transfer_t *transfer)
{
    irr_consensus_t *consensus = (irr_consensus_t *)transfer;

    consensus->busy = false;
}

_Static_assert(offsetof(irr_consensus_t, transfer) == 0, "over takes a transfer for its consensus");

/* The rank that is so far from this one, among those that take part. */
static int at_distance(const irr_consensus_t *consensus, int distance)
{
    const int i = (consensus->rank + distance % consensus->ranks + consensus->ranks) % consensus->ranks;
    const irr_nodes_t *nodes = consensus->nodes;

    return nodes != NULL ? nodes->members[nodes->first[i]] : i;
}

int irr_consensus_awaited(const irr_consensus_t *consensus)
{
    const irr_board_t *board = consensus->board;

    return consensus->reads ? board->members[board->pending[0]].rank : at_distance(consensus, -consensus->distance);
}

/* What is heard has a place of its own, because the words may be read until the send is over. */
static void begin_round(irr_consensus_t *consensus)
{
    const irr_exec_env_t *env = &consensus->env;
    const uint16_t tag = irr_tag(env->tag_base, IRR_TAG_SYNC, consensus->round);
    const int to = at_distance(consensus, consensus->distance), from = at_distance(consensus, -consensus->distance);
    size_t bytes = consensus->count * sizeof(consensus->words[0]), sent = consensus->status == IRR_OK ? bytes : 0;

    consensus->busy = true;
    memset(consensus->heard, 0, sizeof(consensus->heard));
    consensus->parts[1].request.bytes = 0;
    consensus->iov[0] = (irr_iov_t){ consensus->words, sent };
    consensus->iov[1] = (irr_iov_t){ consensus->heard, bytes };
    irr_transfer_begin(&consensus->transfer, env->channel, env->counters, over);
    consensus->transfer.describes = true;
    irr_transfer_receive(&consensus->transfer, &consensus->parts[1], from, tag, &consensus->iov[1], 1,
                         IRR_FORM_IOVEC);
    irr_transfer_send(&consensus->transfer, &consensus->parts[0], to, tag, &consensus->iov[0], sent > 0,
                      IRR_FORM_IOVEC, sent);
    irr_transfer_end(&consensus->transfer);
}

static void keep(irr_consensus_t *consensus, irr_status_t status)
{
    if (consensus->status == IRR_OK) {
        consensus->status = status;
    }
}

static void end_round(irr_consensus_t *consensus)
{
    irr_status_t status = consensus->transfer.status;
    bool whole = consensus->parts[1].request.bytes == consensus->count * sizeof(consensus->words[0]);

    if (status == IRR_ERR_TRUNCATE || (status == IRR_OK && !whole)) {
        status = IRR_ERR_PROTOCOL;
    }
    keep(consensus, status);
    for (size_t i = 0; i < consensus->count && whole; i++) {
        if (consensus->heard[i] > consensus->words[i]) {
            consensus->words[i] = consensus->heard[i];
        }
    }
    consensus->round++;
    consensus->distance *= 2;
}

void irr_consensus_start(irr_consensus_t *consensus, const uint64_t *words, size_t count,
                         const irr_exec_env_t *env)
{
    assert(!consensus->busy && count > 0 && count <= IRR_CONSENSUS_WORDS_MAX);
    consensus->env = *env;
    consensus->count = count;
    memcpy(consensus->words, words, count * sizeof(*words));
    consensus->status = IRR_OK;
    consensus->round = 1;
    consensus->distance = 1;
    consensus->open = true;
    consensus->reads = consensus->board != NULL;
    if (consensus->reads) {
        irr_slate_start(consensus->board, consensus->ranks > 1 ? SPEAKER : IRR_SLATE_ALL, consensus->words, count);
    } else if (consensus->ranks > 1) {
        begin_round(consensus);
    }
}

/* Does this rank take part, or another one of its node for it? */
static bool speaks(const irr_consensus_t *consensus)
{
    return consensus->board == NULL || consensus->board->me == SPEAKER;
}

/* The words of the node are here, or all that this rank will hear. */
static irr_status_t progress_board(irr_consensus_t *consensus)
{
    const irr_status_t status = irr_board_progress(consensus->board);

    if (status == IRR_IN_PROGRESS) {
        return status;
    }
    keep(consensus, status);
    consensus->reads = false;
    if (!speaks(consensus)) {
        consensus->distance = consensus->ranks;
    } else if (consensus->ranks > 1) {
        begin_round(consensus);
    }
    return IRR_OK;
}

static bool is_refused(irr_status_t status)
{
    return status != IRR_OK && status != IRR_ERR_TRUNCATE && status != IRR_ERR_PEER && status != IRR_ERR_PROTOCOL;
}

/*
 * The transport refused a message.  Who should have got it waits, and this rank may wait for that one: only the end of
 * the communicator frees both.  What came wrong, or empty, has come all the same.
 */
static bool is_stuck(const irr_consensus_t *consensus)
{
    return is_refused(consensus->status) || (consensus->busy && is_refused(consensus->transfer.status));
}

static void end(irr_consensus_t *consensus)
{
    irr_board_t *board = consensus->board;

    if (consensus->busy && is_refused(consensus->transfer.status)) {
        keep(consensus, consensus->transfer.status);
    }
    consensus->open = false;
    if (board != NULL && consensus->ranks > 1 && speaks(consensus)) {
        irr_slate_tell(board, consensus->status != IRR_OK);
    }
    if (board != NULL) {
        irr_board_end(board);
    }
}

irr_status_t irr_consensus_progress(irr_consensus_t *consensus)
{
    if (consensus->reads && progress_board(consensus) == IRR_IN_PROGRESS) {
        return IRR_IN_PROGRESS;
    }
    while (consensus->distance < consensus->ranks && !consensus->busy) {
        end_round(consensus);
        if (consensus->distance < consensus->ranks) {
            begin_round(consensus);
        }
    }
    if (consensus->distance < consensus->ranks && !is_stuck(consensus)) {
        return IRR_IN_PROGRESS;
    }
    if (consensus->open) {
        end(consensus);
    }
    return consensus->status;
}
