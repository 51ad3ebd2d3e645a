/*
 * pass.h - a transport that passes everything on to another one: what wrappers are made of.
 *
 * A wrapper has an irr_pass_t as its first member, calls irr_pass_init, and then sets those operations in `ops` that
 * it does itself.  It passes the rest of such an operation on to pass->inner or irr_pass_inner(channel).
 */
#ifndef IRR_PASS_H
#define IRR_PASS_H

#include "transport/transport.h"

typedef struct irr_pass {
    irr_transport_t     super;   /* caps are those of inner; they may be changed before use */
    irr_transport_ops_t ops;
    irr_transport_t    *inner;
} irr_pass_t;

typedef struct irr_pass_channel {
    irr_channel_t  super;
    irr_channel_t *inner;
} irr_pass_channel_t;

/* The wrapper, which was made by irr_alloc, owns inner from now on: freeing the one frees both. */
void irr_pass_init(irr_pass_t *pass, irr_transport_t *inner);

static inline irr_channel_t *irr_pass_inner(irr_channel_t *channel)
{
    return ((irr_pass_channel_t *)channel)->inner;
}

/* For wrappers that have something to do before. */
void irr_pass_close_channel(irr_channel_t *channel);
void irr_pass_free(irr_transport_t *transport);

#endif
