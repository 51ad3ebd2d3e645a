/*
 * pass.h - a transport that passes every operation on to another transport, the inner transport. Wrappers such as
 * trace.c build on it.
 *
 * The struct of a wrapper begins with an irr_pass_t. The wrapper calls irr_pass_init, and then replaces operations in
 * `ops`. Its functions may call the operations of `inner`, with irr_pass_inner(channel) as the channel.
 */
#ifndef IRR_PASS_H
#define IRR_PASS_H

#include "transport/transport.h"

typedef struct irr_pass {
    irr_transport_t     super;   /* caps are copied from inner; the wrapper may change them */
    irr_transport_ops_t ops;
    irr_transport_t    *inner;
} irr_pass_t;

typedef struct irr_pass_channel {
    irr_channel_t  super;
    irr_channel_t *inner;
} irr_pass_channel_t;

/*
 * Initialises a wrapper that the caller has allocated by irr_alloc. The wrapper owns the inner transport, and frees it.
 */
void irr_pass_init(irr_pass_t *pass, irr_transport_t *inner);

static inline irr_channel_t *irr_pass_inner(irr_channel_t *channel)
{
    return ((irr_pass_channel_t *)channel)->inner;
}

/* The default close_channel and free, for wrappers that extend them. */
void irr_pass_close_channel(irr_channel_t *channel);
void irr_pass_free(irr_transport_t *transport);

#endif
