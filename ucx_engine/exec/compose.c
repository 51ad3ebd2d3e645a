/*
 * compose.c - the composition: iovec, gather, or split.
 *
 * A message of one piece is contiguous: in the form gather, shared memory copies it twice; otherwise nothing is to be
 * decided.  For more pieces the transport offers:
 *
 *   iovec   its own list.  Old UCX over tcp sends one packet per few entries (slow for many small
 *           pieces), and a rendezvous with a list on either side copies through fragments.
 *   gather  our callbacks copy into and out of the transport's fragments: one copy a side, a call a piece.
 *   split   each large piece in a message of its own, which is what moves by RDMA or CMA.
 *
 * Both ends must come to the same composition, because split changes the number of messages: so that depends on
 * what both know, the lengths of the parts of a message.  Each end may have a part in several pieces, which stay
 * together; iovec or gather is its own choice.
 *
 * `auto` rests on measurements: UCX 1.13.1, one way, time of a form divided by the time of the best one:
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
 * So a piece goes apart from the length on from which the transport moves it without copies.  Below, iovec
 * and gather cost the same here; gather where a list would take many packets and the pieces are small, which
 * is what a transport's own list is bad at, and where the transport sends a short message at once.
 *
 * A transport that takes no lists, or none so long, gets split whatever was asked for; a part of several pieces goes
 * in the form that it takes.
 */
#include "exec/compose.h"

/* Mean bytes a piece from which the transport's own list beats a callback for each piece. */
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
 * What a transport does not take in one form goes in the other one, or part by part.  Also where parts go apart: one
 * may have several pieces.
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
