/*
 * signal.c - see signal.h.
 */
#include "exec/signal.h"

#include "core/alloc.h"

#include <string.h>

irr_status_t irr_signals_reserve(irr_signals_t *signals, size_t count)
{
    void *list = signals->list;
    irr_status_t status = irr_grow(&list, &signals->list_max, count, sizeof(*signals->list));

    signals->list = list;
    return status;
}

void irr_signals_fini(irr_signals_t *signals)
{
    irr_free(signals->list);
    memset(signals, 0, sizeof(*signals));
}

void irr_signals_start(irr_signals_t *signals, const irr_exec_env_t *env, irr_status_t *result)
{
    signals->env = env;
    signals->result = result;
    signals->pending = 0;
    signals->failed = NULL;
}

static void on_arrived(irr_transfer_t *transfer)
{
    irr_signal_t *signal = (irr_signal_t *)transfer;
    irr_status_t status = transfer->status;

    signal->signals->pending--;
    signal->here = true;
    /* No user has a block that it could be too long for. */
    irr_exec_keep(signal->signals->result, status == IRR_ERR_TRUNCATE ? IRR_ERR_PROTOCOL : status);
}

static void on_sent(irr_transfer_t *transfer)
{
    irr_signal_t *signal = (irr_signal_t *)transfer;
    irr_signals_t *signals = signal->signals;

    signals->pending--;
    if (transfer->status != IRR_OK) {
        irr_exec_keep(signals->result, transfer->status);
        signal->next_failed = signals->failed;
        signals->failed = signal;
        if (signals->lost != NULL) {
            signals->lost(signals, (size_t)(signal - signals->list));
        }
    }
}

_Static_assert(offsetof(irr_signal_t, transfer) == 0, "the callbacks take a transfer for its signal");

static irr_signal_t *begin(irr_signals_t *signals, size_t i, int stage, int peer,
                           void (*over)(irr_transfer_t *transfer))
{
    irr_signal_t *signal = &signals->list[i];

    *signal = (irr_signal_t){ .signals = signals, .stage = stage, .peer = peer };
    signals->pending++;
    irr_transfer_begin(&signal->transfer, signals->env->channel, signals->env->counters, over);
    signal->transfer.describes = true;
    return signal;
}

void irr_signals_await(irr_signals_t *signals, size_t i, int stage, int peer)
{
    irr_signal_t *signal = begin(signals, i, stage, peer, on_arrived);

    irr_transfer_receive(&signal->transfer, &signal->part, peer,
                         irr_tag(signals->env->tag_base, IRR_TAG_SYNC, stage), NULL, 0, IRR_FORM_IOVEC);
    irr_transfer_end(&signal->transfer);
}

void irr_signals_give(irr_signals_t *signals, size_t i, int stage, int peer)
{
    irr_signal_t *signal = begin(signals, i, stage, peer, on_sent);

    irr_transfer_send(&signal->transfer, &signal->part, peer,
                      irr_tag(signals->env->tag_base, IRR_TAG_SYNC, stage), NULL, 0, IRR_FORM_IOVEC, 0);
    irr_transfer_end(&signal->transfer);
}

/* Each once, because it may fail again at once. */
void irr_signals_retry(irr_signals_t *signals)
{
    irr_signal_t *failed = signals->failed;

    signals->failed = NULL;
    while (failed != NULL) {
        irr_signal_t *next = failed->next_failed;

        irr_signals_give(signals, (size_t)(failed - signals->list), failed->stage, failed->peer);
        failed = next;
    }
}
