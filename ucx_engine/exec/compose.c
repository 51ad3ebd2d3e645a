/*
 * compose.c - the composition: iovec, gather, or split.
 *
 * A message of one piece is contiguous and needs no decision.  For more pieces the transport offers:
 *
 *   iovec   its own list.  Old UCX over tcp sends one packet per few entries (slow for many small
 *           pieces), and a rendezvous with a list on either side copies through fragments.
 *   gather  our callbacks copy into and out of the transport's fragments: one copy a side, a call a piece.
 *   split   each large piece in a message of its own, which is what moves by RDMA or CMA.
 *
 * Both ends must come to the same composition, because split changes the number of messages: so it depends
 * on what both know, the lengths of the pieces of a message, and both ends cut a message alike.
 *
 * `auto` reads the two constants below.  They are measured by tools/irr_compose, which prints the table of
 * pieces x piece size x form for the transports of a machine.
 */
#include "exec/compose.h"

/* From here on a piece is worth a message of its own where contiguous messages move without copies. */
#define APART_MIN_BYTES 32768

/* Mean bytes a piece from which the transport's own list beats a callback for each piece. */
#define IOVEC_MEAN_BYTES 512

static irr_composition_t automatic(const irr_transport_caps_t *caps, size_t pieces, size_t bytes)
{
    bool listed = pieces <= caps->iov_wire_max || bytes / pieces >= IOVEC_MEAN_BYTES;
    size_t apart = caps->zero_copy_min > APART_MIN_BYTES ? caps->zero_copy_min : APART_MIN_BYTES;

    return (irr_composition_t){ .form = listed ? IRR_FORM_IOVEC : IRR_FORM_GATHER, .apart_min = apart };
}

irr_composition_t irr_compose(irr_compose_t mode, const irr_transport_caps_t *caps, size_t pieces, size_t bytes)
{
    switch (pieces > 1 ? mode : IRR_COMPOSE_IOVEC) {
    case IRR_COMPOSE_IOVEC:
        break;
    case IRR_COMPOSE_GATHER:
        return (irr_composition_t){ .form = IRR_FORM_GATHER, .apart_min = SIZE_MAX };
    case IRR_COMPOSE_SPLIT:
        return (irr_composition_t){ .form = IRR_FORM_IOVEC, .apart_min = 0 };
    case IRR_COMPOSE_AUTO:
    case IRR_COMPOSE_COUNT:
        return automatic(caps, pieces, bytes);
    }
    return (irr_composition_t){ .form = IRR_FORM_IOVEC, .apart_min = SIZE_MAX };
}

const char *irr_compose_name(int i)
{
#define COMPOSE_TEXT(name, text) text,
    static const char *const names[] = { IRR_COMPOSE_MAP(COMPOSE_TEXT) };
#undef COMPOSE_TEXT

    return i >= 0 && i < IRR_COMPOSE_COUNT ? names[i] : NULL;
}
