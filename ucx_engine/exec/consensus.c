/*
 * consensus.c - see consensus.h.
 */
#include "exec/consensus.h"

#include <assert.h>
#include <string.h>

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

static void over(irr_transfer_t *transfer)
{
    irr_consensus_t *consensus = (irr_consensus_t *)transfer;

    consensus->busy = false;
}

_Static_assert(offsetof(irr_consensus_t, transfer) == 0, "over takes a transfer for its consensus");

int irr_consensus_awaited(const irr_consensus_t *consensus)
{
    return (consensus->rank - consensus->distance % consensus->ranks + consensus->ranks) % consensus->ranks;
}

/* What is heard has a place of its own, because the words may be read until the send is over. */
static void begin_round(irr_consensus_t *consensus)
{
    const irr_exec_env_t *env = &consensus->env;
    const uint16_t tag = irr_tag(env->tag_base, IRR_TAG_SYNC, consensus->round);
    int to = (consensus->rank + consensus->distance) % consensus->ranks, from = irr_consensus_awaited(consensus);
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

static void end_round(irr_consensus_t *consensus)
{
    irr_status_t status = consensus->transfer.status;
    bool whole = consensus->parts[1].request.bytes == consensus->count * sizeof(consensus->words[0]);

    if (status == IRR_ERR_TRUNCATE || (status == IRR_OK && !whole)) {
        status = IRR_ERR_PROTOCOL;
    }
    if (consensus->status == IRR_OK) {
        consensus->status = status;
    }
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
    if (consensus->ranks > 1) {
        begin_round(consensus);
    }
}

irr_status_t irr_consensus_progress(irr_consensus_t *consensus)
{
    while (consensus->distance < consensus->ranks) {
        if (consensus->busy) {
            return IRR_IN_PROGRESS;
        }
        end_round(consensus);
        if (consensus->distance < consensus->ranks) {
            begin_round(consensus);
        }
    }
    return consensus->status;
}
