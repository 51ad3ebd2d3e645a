/*
 * compose.h - how a message of several pieces reaches the wire; see compose.c.
 */
#ifndef IRR_COMPOSE_H
#define IRR_COMPOSE_H

#include "plan/plan.h"
#include "transport/transport.h"

/*
 * Of a message of several parts, those of at least apart_min bytes go as messages of their own, after one message
 * with all the others.  What is not contiguous goes in this form.
 */
typedef struct irr_composition {
    irr_form_t form;
    size_t     apart_min;
} irr_composition_t;

/* Returns the form of a message of one piece. */
static inline irr_form_t irr_compose_whole(irr_compose_t mode)
{
    return mode == IRR_COMPOSE_GATHER ? IRR_FORM_GATHER : IRR_FORM_IOVEC;
}

/* The composition for a message of so many pieces and bytes.  Pure; apart_min is alike at both ends. */
irr_composition_t irr_compose(irr_compose_t mode, const irr_transport_caps_t *caps, size_t pieces, size_t bytes);

/* How many messages of the transport a step has. */
size_t irr_compose_messages(irr_compose_t mode, const irr_transport_caps_t *caps, const irr_piece_t *pieces,
                            size_t count, size_t bytes);

#endif
