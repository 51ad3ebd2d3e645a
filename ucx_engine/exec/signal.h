/*
 * signal.h - empty messages by which one rank tells another that it may go on: what grant.h and sync.h are made of.
 *
 * Signals from one rank to another in one stage are alike and stay in order, so both ends must have them in one order.
 * They are of kind IRR_TAG_SYNC.
 *
 * Errors: a signal that could not be received is as good as one that was: who waits for it goes on.  One that could
 * not be sent is sent again until it goes out, because its peer waits for nothing else.  In both cases the error is
 * the result of the run.
 *
 * Cost: O(1) time each; memory for so many as a plan can have.
 */
#ifndef IRR_SIGNAL_H
#define IRR_SIGNAL_H

#include "exec/env.h"
#include "exec/transfer.h"

typedef struct irr_signals irr_signals_t;
typedef struct irr_signal irr_signal_t;

struct irr_signal {
    irr_transfer_t transfer;
    irr_part_t     part;
    irr_signals_t *signals;
    irr_signal_t  *next_failed;
    int            stage, peer;
    bool           here;         /* one that is awaited has come */
};

/* Zeroed is empty. */
struct irr_signals {
    irr_signal_t         *list;
    size_t                list_max;
    const irr_exec_env_t *env;
    irr_status_t         *result;
    size_t                pending;  /* messages that the transport has */
    irr_signal_t         *failed;   /* to be sent again */
    void                (*lost)(irr_signals_t *signals, size_t index);   /* one was not sent; NULL: nobody asks */
};

/* Makes room for so many, so that nothing after it can fail.  IRR_ERR_NO_MEMORY: as before. */
irr_status_t irr_signals_reserve(irr_signals_t *signals, size_t count);
void         irr_signals_fini(irr_signals_t *signals);

/* A run begins.  Env and result, which takes the first error, are borrowed until it is over. */
void irr_signals_start(irr_signals_t *signals, const irr_exec_env_t *env, irr_status_t *result);

/* Posts the receive of signal i from a peer, or sends it; each i once in a run. */
void irr_signals_await(irr_signals_t *signals, size_t i, int stage, int peer);
void irr_signals_give(irr_signals_t *signals, size_t i, int stage, int peer);

/* Sends again what could not be sent. */
void irr_signals_retry(irr_signals_t *signals);

#endif
