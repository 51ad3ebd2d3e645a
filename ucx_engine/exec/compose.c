/*
 * compose.c - how a message of several pieces is sent: iovec, gather, or split.
 *
 * A message of one piece is contiguous, and is sent as it is. With the setting `gather`, it is copied through shared
 * memory instead of read from the sender's memory. A message of several pieces can be sent in three ways:
 *
 *   iovec   as a list of pieces, which the transport handles. Old UCX over tcp sends a packet for each few pieces,
 *           which is slow for many small ones. UCX copies long messages if sender or receiver has a list.
 *   gather  the engine copies the pieces into and out of memory of the transport: one copy on each side.
 *   split   each long piece is a message of its own, which needs no copy (RDMA, or CMA within a node).
 *
 * Split changes the number of messages, so sender and receiver must take the same decision. They decide by the lengths
 * of the message's parts, which both know: a part is one piece, or several pieces that stay in one message. Each end
 * chooses between iovec and gather alone.
 *
 * The setting `auto` follows measurements with UCX 1.13.1: time of a message divided by its time in the best form
 * (lower is better).
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
 * `auto` therefore splits off a piece if the transport moves a message of this length without copies. The other pieces
 * are sent by gather if a list would take many packets of small pieces, or if the message is so short that the
 * transport sends it eagerly (at once, through its own memory). Otherwise they are sent as a list.
 *
 * If the transport supports neither a list nor a gather of this many pieces, the message is split, whatever the user
 * has set.
 */
#include "exec/compose.h"

/* From this mean length of a piece in bytes on, a list is faster than the callbacks of gather. */
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
 * If the transport does not support the chosen form for this number of pieces, replaces iovec by gather, or gather by
 * iovec. If it supports neither, each part becomes a message of its own.
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
