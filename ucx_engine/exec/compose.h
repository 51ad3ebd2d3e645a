/*
 * compose.h - decides how a message is sent whose data is in several pieces of memory; compose.c explains the
 * alternatives.
 */
#ifndef IRR_COMPOSE_H
#define IRR_COMPOSE_H

#include "plan/plan.h"
#include "transport/transport.h"

/*
 * The result for a message. Each part (one or more pieces) of at least apart_min bytes is a message of its own, after
 * one message with all shorter parts. form: how a message of several pieces is sent.
 */
typedef struct irr_composition {
    irr_form_t form;
    size_t     apart_min;
} irr_composition_t;

/* Returns the form for a message of one piece. */
static inline irr_form_t irr_compose_whole(irr_compose_t mode)
{
    return mode == IRR_COMPOSE_GATHER ? IRR_FORM_GATHER : IRR_FORM_IOVEC;
}

/*
 * Returns the composition of a message of `pieces` pieces and `bytes` bytes; apart_min is equal on sender and receiver.
 */
irr_composition_t irr_compose(irr_compose_t mode, const irr_transport_caps_t *caps, size_t pieces, size_t bytes);

/* Returns the number of messages as which the transport moves these pieces. */
size_t irr_compose_messages(irr_compose_t mode, const irr_transport_caps_t *caps, const irr_piece_t *pieces,
                            size_t count, size_t bytes);

#endif
