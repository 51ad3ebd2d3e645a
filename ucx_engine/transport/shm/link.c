/*
 * link.c - links, by which two processes of a node find each other's memory, and copying to and from lists of pieces.
 *
 * The segment of a process has a list of links, one for each process with which it has exchanged messages. A process
 * appends the link for a partner before its first message to or from this partner. The partner searches the list for
 * the link with the partner's name, repeatedly until the link is there. Each search begins where the previous one
 * stopped: O(1) per search if no link is new, and O(links) for each pair of processes in total.
 */
#include "transport/shm/shm.h"

#include "core/alloc.h"

#include <string.h>

/* ---- our own segment ---- */

/* Returns a zeroed range of the segment, and sets *offset_p to its offset. Returns NULL if memory is missing. */
static void *allocate_zeroed(irr_segment_t *segment, size_t bytes, uint64_t *offset_p)
{
    size_t offset;

    if (irr_segment_take(segment, bytes, &offset) != IRR_OK) {
        return NULL;
    }
    *offset_p = offset;
    return memset(segment->bytes + offset, 0, bytes);
}

/* Appends our link for a process to the list, and allocates the memory for unexpected messages of the process. */
static irr_status_t append(irr_peer_t *peer)
{
    irr_shm_t *shm = peer->shm;
    uint64_t offset;
    irr_shm_link_t *link;

    if (irr_shm_make_room(peer) != IRR_OK) {
        return IRR_ERR_NO_MEMORY;
    }
    link = allocate_zeroed(&shm->segment, sizeof(*link), &offset);
    if (link == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    link->name = peer->address.name;
    atomic_store_explicit(&link->reads, irr_remote_works(&peer->address.memory), memory_order_relaxed);
    atomic_store_explicit(shm->last != NULL ? &shm->last->next : &((irr_shm_table_t *)shm->segment.bytes)->first,
                          offset, memory_order_release);
    shm->last = link;
    peer->our_link = link;
    peer->in.count = &link->consumed;
    return IRR_OK;
}

irr_status_t irr_shm_link(irr_peer_t *peer)
{
    if (peer->view.bytes == NULL) {
        if (irr_segment_view_open(&peer->view, &peer->address.segment) != IRR_OK) {
            return IRR_ERR_UNREACHABLE;
        }
        peer->search = &((const irr_shm_table_t *)peer->view.bytes)->first;
    }
    return peer->our_link == NULL ? append(peer) : IRR_OK;
}

irr_status_t irr_shm_open_fifo(irr_peer_t *peer)
{
    irr_status_t status = irr_shm_link(peer);
    uint64_t offset;

    if (status != IRR_OK || peer->out.slots != NULL) {
        return status;
    }
    peer->out.slots = allocate_zeroed(&peer->shm->segment, IRR_FIFO_SLOTS * sizeof(*peer->out.slots), &offset);
    if (peer->out.slots == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    atomic_store_explicit(&peer->our_link->slots, offset, memory_order_release);
    peer->shm->fifos++;
    return IRR_OK;
}

irr_status_t irr_shm_open_data(irr_peer_t *peer)
{
    size_t offset;
    irr_status_t status = IRR_OK;

    if (peer->out.data == NULL) {
        status = irr_segment_take(&peer->shm->segment, IRR_FIFO_DATA, &offset);
    }
    if (status == IRR_OK && peer->out.data == NULL) {
        peer->out.data = peer->shm->segment.bytes + offset;
        atomic_store_explicit(&peer->our_link->data, offset, memory_order_release);
    }
    return status;
}

/* ---- the segment of another process ---- */

/*
 * Returns the address of a range in the segment of a peer. Returns NULL if there is no range yet (offset 0), or if the
 * range is outside the segment or not aligned to cache lines.
 */
static const void *range_at(const irr_peer_t *peer, uint64_t offset, size_t bytes)
{
    const irr_segment_view_t *view = &peer->view;
    const bool good = offset != 0 && offset % 64 == 0 && offset <= view->length && bytes <= view->length - offset;

    return good ? view->bytes + offset : NULL;
}

/* Searches the links in the segment of a peer for the link with our name. */
static void search_links(irr_peer_t *peer)
{
    while (peer->their_link == NULL) {
        const irr_shm_link_t *link =
            range_at(peer, atomic_load_explicit(peer->search, memory_order_acquire), sizeof(*link));

        if (link == NULL) {
            return;
        }
        if (link->name == peer->shm->address.name) {
            peer->their_link = link;
            peer->out.count = &link->consumed;
        }
        peer->search = &link->next;
    }
}

bool irr_shm_find(irr_peer_t *peer)
{
    if (peer->their_link == NULL && irr_shm_link(peer) == IRR_OK) {
        search_links(peer);
    }
    if (peer->their_link != NULL && peer->in.slots == NULL) {
        peer->in.slots = range_at(peer, atomic_load_explicit(&peer->their_link->slots, memory_order_acquire),
                               IRR_FIFO_SLOTS * sizeof(*peer->in.slots));
        if (peer->in.slots != NULL) {
            irr_fifo_find_next(&peer->in);
        }
    }
    if (peer->in.slots != NULL && peer->in.data == NULL) {
        peer->in.data =
            range_at(peer, atomic_load_explicit(&peer->their_link->data, memory_order_acquire), IRR_FIFO_DATA);
    }
    return peer->in.slots != NULL;
}

/* ---- lists of pieces ---- */

/*
 * Sets *base to the position of the cursor, and advances the cursor by at most `bytes` bytes, but not beyond the
 * current piece. Returns the number of bytes. The cursor must be a local variable of the caller, which stays in
 * registers.
 */
static inline size_t advance(const irr_iov_t *iov, irr_shm_cursor_t *cursor, size_t bytes, unsigned char **base)
{
    const irr_iov_t *piece = &iov[cursor->index];
    const size_t left = piece->length - cursor->skip;

    *base = piece->base != NULL ? (unsigned char *)piece->base + cursor->skip : NULL;
    if (bytes < left) {
        cursor->skip += bytes;
        return bytes;
    }
    cursor->index++;
    cursor->skip = 0;
    return left;
}

void irr_shm_gather(irr_shm_op_t *from, unsigned char *to, size_t bytes)
{
    const irr_iov_t *iov = irr_shm_request_of(from)->iov;
    irr_shm_cursor_t at = from->at;

    while (bytes > 0) {
        unsigned char *base;
        const size_t some = advance(iov, &at, bytes, &base);

        irr_shm_copy(to, base, some);
        to += some;
        bytes -= some;
    }
    from->at = at;
}

size_t irr_shm_scatter(irr_shm_op_t *to, const unsigned char *from, size_t bytes)
{
    const irr_request_t *request = irr_shm_request_of(to);
    irr_shm_cursor_t at = to->at;

    while (bytes > 0 && at.index < request->count) {
        unsigned char *base;
        const size_t some = advance(request->iov, &at, bytes, &base);

        if (base != NULL) {
            irr_shm_copy(base, from, some);
            at.kept += some;
        }
        from += some;
        bytes -= some;
    }
    to->at = at;
    return bytes;
}

irr_status_t irr_shm_outcome(irr_peer_t *peer, irr_shm_op_t *op, size_t total, bool truncated)
{
    irr_request_t *request = irr_shm_request_of(op);

    request->bytes = total;
    peer->shm->gathered += irr_request_gathers(request) ? op->at.kept : 0;
    return truncated ? IRR_ERR_TRUNCATE : IRR_OK;
}

irr_status_t irr_shm_fill_pieces(irr_peer_t *peer, irr_shm_op_t *op, const unsigned char *bytes, size_t total)
{
    op->at = (irr_shm_cursor_t){ .kept = 0 };
    return irr_shm_outcome(peer, op, total, irr_shm_scatter(op, bytes, total) > 0);
}
