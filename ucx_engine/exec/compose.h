/*
 * compose.h - decides how a message of several pieces reaches the wire; compose.c explains the alternatives.
 */
#ifndef IRR_COMPOSE_H
#define IRR_COMPOSE_H

#include "plan/plan.h"
#include "transport/transport.h"

/*
 * The composition of a message. Each part of at least apart_min bytes travels as a message of its own, after one
 * message with all shorter parts. `form` is the form of messages that are not contiguous.
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

/* Returns the composition of a message of `pieces` pieces and `bytes` bytes. Pure; apart_min is equal at both ends. */
irr_composition_t irr_compose(irr_compose_t mode, const irr_transport_caps_t *caps, size_t pieces, size_t bytes);

/* Returns the number of transport messages of a step. */
size_t irr_compose_messages(irr_compose_t mode, const irr_transport_caps_t *caps, const irr_piece_t *pieces,
                            size_t count, size_t bytes);

#endif
