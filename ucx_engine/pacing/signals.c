/*
 * signals.c - the signals and waits of one rank with pacing sync; see signals.h.
 *
 * A synchronisation is a pair of messages.  The receiver of the first message sends a signal, and the sender of the
 * second message waits for it.  The list of synchronisations is sorted by the second message.  A rank waits for the
 * signals of a peer in this order, so the peer must send them in this order.
 */
#include "pacing/signals.h"

#include "core/alloc.h"

#include <stdlib.h>
#include <string.h>

typedef struct maker {
    const irr_schedule_t *schedule, *own;
    int                   rank;
    uint64_t              lead;      /* number of bytes that may be missing when a signal is sent */
    size_t               *first;     /* by transmission: number of its first piece in `own`, counted among the sends if
                                        this rank sends it, and otherwise among the receives */
    size_t               *pieces;    /* by transmission: number of its pieces */
    uint64_t             *bytes;     /* bytes[i]: number of bytes of the first i receives */
    size_t                receives;  /* number of receives in `own` */
    size_t               *signalled;   /* by peer: number of receives before the last signal to the peer */
    irr_signals_t *made;
} maker_t;

/* ---- pieces of transmissions ---- */

/* Finds the pieces of each transmission in `own`, which has the rank's transmissions, cut into pieces, in order. */
static void find_pieces(maker_t *maker)
{
    size_t next[2] = { 0, 0 }, at = 0;   /* next: numbers of receives and of sends */

    for (size_t i = 0; i < maker->schedule->count; i++) {
        const irr_transmission_t *t = &maker->schedule->list[i];
        const bool sends = t->from == maker->rank;
        uint64_t left = sends || t->to == maker->rank ? t->length : 0;

        maker->first[i] = next[sends];
        for (; left > 0; left -= maker->own->list[at++].length) {
            next[sends]++;
        }
        maker->pieces[i] = next[sends] - maker->first[i];
    }
}

static void sum_receives(maker_t *maker)
{
    maker->bytes[0] = 0;
    for (size_t i = 0; i < maker->own->count; i++) {
        const irr_transmission_t *t = &maker->own->list[i];

        if (t->to == maker->rank) {
            maker->bytes[maker->receives + 1] = maker->bytes[maker->receives] + t->length;
            maker->receives++;
        }
    }
}

/*
 * Returns the least number of receives after which at most `lead` bytes of the first `count` receives are missing.
 */
static size_t early(const maker_t *maker, size_t count)
{
    size_t low = 0, high = count;   /* bounds of the result */

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (maker->bytes[count] - maker->bytes[middle] <= maker->lead) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/* ---- signals and waits ---- */

static void add_signal(maker_t *maker, const irr_sync_t *sync)
{
    size_t received = early(maker, maker->first[sync->after] + maker->pieces[sync->after]);
    size_t *signalled = &maker->signalled[sync->to];

    *signalled = received > *signalled ? received : *signalled;
    maker->made->signals[maker->made->nsignals++] = (irr_signal_t){ .received = *signalled, .peer = sync->to };
}

static void wait(maker_t *maker, size_t send, int peer, size_t received)
{
    maker->made->waits[maker->made->nwaits++] =
        (irr_wait_t){ .send = send, .peer = peer, .received = received };
}

static int by_received(const void *a, const void *b)
{
    const irr_signal_t *x = a, *y = b;

    return x->received != y->received ? (x->received > y->received) - (x->received < y->received)
                                      : (x->peer > y->peer) - (x->peer < y->peer);
}

static int by_send(const void *a, const void *b)
{
    const irr_wait_t *x = a, *y = b;

    return x->send != y->send ? (x->send > y->send) - (x->send < y->send)
                              : (x->peer > y->peer) - (x->peer < y->peer);
}

/* Makes each send wait for all receives of earlier steps of this rank. */
static void wait_own(maker_t *maker)
{
    size_t sends = 0, last = 0, received = 0, next = 0;   /* next: index in `own` after `received` receives */
    const irr_transmission_t *list = maker->own->list;

    for (size_t i = 0; i < maker->own->count; i++) {
        if (list[i].from != maker->rank) {
            continue;
        }
        for (; next < i && (list[next].from == maker->rank || irr_transmission_last(&list[next]) < list[i].step);
             next++) {
            received += list[next].to == maker->rank;
        }
        if (early(maker, received) > last) {
            last = early(maker, received);
            wait(maker, sends, maker->rank, last);
        }
        sends++;
    }
}

static void make(maker_t *maker, const irr_syncs_t *syncs)
{
    irr_signals_t *made = maker->made;

    find_pieces(maker);
    sum_receives(maker);
    for (size_t i = 0; i < syncs->count; i++) {
        const irr_sync_t *sync = &syncs->list[i];

        if (sync->from != sync->to && sync->from == maker->rank) {
            add_signal(maker, sync);
        }
        if (sync->from != sync->to && sync->to == maker->rank) {
            wait(maker, maker->first[sync->before], sync->from, 0);
        }
    }
    wait_own(maker);
    qsort(made->signals, made->nsignals, sizeof(*made->signals), by_received);
    qsort(made->waits, made->nwaits, sizeof(*made->waits), by_send);
}

/* ---- memory ---- */

static irr_status_t init(maker_t *maker)
{
    const irr_array_t arrays[] = {
        IRR_ARRAY(maker->first, maker->schedule->count), IRR_ARRAY(maker->pieces, maker->schedule->count),
        IRR_ARRAY(maker->bytes, maker->own->count + 1), IRR_ARRAY(maker->signalled, (size_t)maker->schedule->ranks)
    };

    return IRR_ALLOC_ARRAYS(arrays);
}

static irr_status_t reserve(const maker_t *maker, const irr_syncs_t *syncs, irr_signals_t *made)
{
    size_t signals = 0, waits = maker->own->count;

    for (size_t i = 0; i < syncs->count; i++) {
        signals += syncs->list[i].from == maker->rank;
        waits += syncs->list[i].to == maker->rank;
    }
    return IRR_ALLOC_ARRAYS(((irr_array_t[]){ IRR_ARRAY(made->signals, signals), IRR_ARRAY(made->waits, waits) }));
}

irr_status_t irr_signals_build(const irr_schedule_t *schedule, const irr_syncs_t *syncs, int rank,
                               const irr_schedule_t *own, uint64_t lead, irr_signals_t *made_p)
{
    irr_signals_t made = { 0 };
    maker_t maker = { .schedule = schedule, .own = own, .rank = rank, .lead = lead, .made = &made };
    irr_status_t status = init(&maker);

    if (status == IRR_OK) {
        status = reserve(&maker, syncs, &made);
    }
    if (status == IRR_OK) {
        make(&maker, syncs);
        *made_p = made;
    }
    irr_free(maker.first);   /* frees the other arrays too */
    return status;
}

void irr_signals_fini(irr_signals_t *signals)
{
    irr_free(signals->signals);   /* frees the waits too */
    memset(signals, 0, sizeof(*signals));
}
