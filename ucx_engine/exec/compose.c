/*
 * compose.c - the composition of a message: iovec, gather, or split.
 *
 * A message of one piece is contiguous, and needs no decision: only if the user sets `gather`, shared memory copies the
 * message twice. For a message of several pieces the transport offers:
 *
 *   iovec   its own list of pieces. Old UCX over tcp sends one packet per few entries (slow for many small
 *           pieces), and a rendezvous with a list on either side copies through fragments.
 *   gather  our callbacks copy into and out of the transport's fragments: one copy on each side, one call per piece.
 *   split   each large piece is a message of its own, which can move by RDMA or CMA.
 *
 * Split changes the number of messages, so both ends must decide it alike. The decision to split depends only on the
 * lengths of the parts of a message, which both ends know. An end may have a part in several pieces, which always stay
 * in one message. The choice between iovec and gather is local.
 *
 * `auto` rests on measurements with UCX 1.13.1, in one direction: time of a form relative to the best form.
 *
 *     pieces  bytes    shared memory            tcp
 *                      iovec  gather  split     iovec  gather  split
 *       2        16     1.0    1.0     1.0       1.0    1.0     2.3
 *      16      2048     1.0    1.0     1.4       1.0    1.0     2.3
 *    1024        16     1.0    1.1    12         1.0    1.0     160
 *      16      8192     1.0    1.0     1.0       1.0    1.0     1.6
 *       4     32768     1.4    1.3     1.0       1.1    1.1     1.0
 *       4     65536     1.8    1.9     1.0       1.6    1.5     1.0
 *      16    262144     1.8    1.8     1.0       3.1    3.1     1.0
 *
 * `auto` therefore splits off a piece if the transport moves a message of its length without copies. In this table
 * shorter pieces cost the same with iovec and gather. `auto` selects gather if a list would take many packets of small
 * pieces, or if the message is so short that the transport sends it eagerly.
 *
 * If the transport supports no lists, or no lists of this length, the message is split, whatever the user has set. A
 * part of several pieces then uses the form that the transport supports.
 */
#include "exec/compose.h"

/* Mean number of bytes per piece from which the transport's list is faster than one callback per piece. */
#define IOVEC_MEAN_BYTES 512

static irr_composition_t automatic(const irr_transport_caps_t *caps, size_t pieces, size_t bytes)
{
    bool listed = bytes > caps->gather_max &&
                  (pieces <= caps->iov_wire_max || bytes / pieces >= IOVEC_MEAN_BYTES);

    return (irr_composition_t){
        .form = listed ? IRR_FORM_IOVEC : IRR_FORM_GATHER, .apart_min = caps->zero_copy_min
    };
}

static irr_composition_t choose(irr_compose_t mode, const irr_transport_caps_t *caps, size_t pieces, size_t bytes)
{
    switch (mode) {
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

/*
 * If the transport does not support the chosen form, the other form is used. If the transport supports neither form,
 * each part becomes a message of its own. The form still matters then, because a part may have several pieces.
 */
irr_composition_t irr_compose(irr_compose_t mode, const irr_transport_caps_t *caps, size_t pieces, size_t bytes)
{
    irr_composition_t composition;

    if (pieces <= 1) {
        return (irr_composition_t){ .form = irr_compose_whole(mode), .apart_min = SIZE_MAX };
    }
    composition = choose(mode, caps, pieces, bytes);
    if (pieces > caps->pieces_max[composition.form]) {
        composition.form = composition.form == IRR_FORM_IOVEC ? IRR_FORM_GATHER : IRR_FORM_IOVEC;
    }
    if (pieces > caps->pieces_max[composition.form]) {
        composition = (irr_composition_t){ .form = IRR_FORM_IOVEC, .apart_min = 0 };
    }
    return composition;
}

size_t irr_compose_messages(irr_compose_t mode, const irr_transport_caps_t *caps, const irr_piece_t *pieces,
                            size_t count, size_t bytes)
{
    const size_t apart_min = irr_compose(mode, caps, count, bytes).apart_min;
    size_t apart = 0, together = 0;

    for (size_t i = 0; i < count; i++) {
        apart += pieces[i].length > 0 && pieces[i].length >= apart_min;
        together += pieces[i].length > 0 && pieces[i].length < apart_min;
    }
    return apart + (together > 0 || apart == 0);
}
