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
#include "core/limit.h"
#include "core/log.h"

#include <errno.h>
#include <string.h>

/* ---- our own segment ---- */

/* Logs why this process cannot share more memory. */
static irr_status_t refuse_own(void)
{
    irr_log(IRR_LOG_WARN, "this process cannot share more memory: %s", irr_limit_cause(errno).text);
    return IRR_ERR_NO_MEMORY;
}

/* Takes a place of `bytes` bytes from an area. If the area is full, its rest is lost, and a new section extends it. */
static irr_status_t take(irr_segment_t *segment, irr_shm_area_t *area, size_t bytes, size_t *offset_p)
{
    if (area->end - area->next < bytes) {
        size_t section;

        if (irr_segment_grow(segment, &section) != IRR_OK) {
            return refuse_own();
        }
        *area = (irr_shm_area_t){ .next = section, .end = section + IRR_SHM_SECTION };
    }
    *offset_p = area->next;
    area->next += bytes;
    return IRR_OK;
}

/* Returns a zeroed link, and sets *offset_p to its offset. Returns NULL if memory is missing. */
static irr_shm_link_t *take_link(irr_shm_t *shm, size_t *offset_p)
{
    const size_t bytes = sizeof(irr_shm_link_t);

    if (take(&shm->segment, &shm->links, bytes, offset_p) != IRR_OK) {
        return NULL;
    }
    if (irr_segment_back(&shm->segment, *offset_p, bytes) != IRR_OK) {
        shm->links.next = *offset_p;
        (void)refuse_own();
        return NULL;
    }
    return memset(irr_segment_at(&shm->segment, *offset_p), 0, bytes);
}

/*
 * Appends our link for a process to the list, takes a place for the data ring of our FIFO to the process, and allocates
 * the memory for unexpected messages of the process.
 */
static irr_status_t append(irr_peer_t *peer)
{
    irr_shm_t *shm = peer->shm;
    irr_shm_link_t *link;
    size_t offset;

    if (irr_shm_make_room(peer) != IRR_OK ||
        (peer->ring == 0 && take(&shm->segment, &shm->rings, IRR_FIFO_DATA, &peer->ring) != IRR_OK)) {
        return IRR_ERR_NO_MEMORY;
    }
    link = take_link(shm, &offset);
    if (link == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    link->name = peer->address.name;
    atomic_store_explicit(&link->reads, irr_remote_works(&peer->address.memory), memory_order_relaxed);
    link->data = peer->ring;
    atomic_store_explicit(shm->last != NULL ? &shm->last->next : &((irr_shm_table_t *)shm->segment.bytes)->first,
                          offset, memory_order_release);
    shm->last = link;
    peer->our_link = link;
    peer->in.count = &link->consumed;
    return IRR_OK;
}

/* Logs why this process cannot map memory of a peer. */
static irr_status_t refuse_theirs(const irr_peer_t *peer, int error)
{
    irr_log(IRR_LOG_WARN, "memory of process %llu cannot be mapped: %s",
            (unsigned long long)peer->address.segment.process, irr_limit_cause(error).text);
    return IRR_ERR_UNREACHABLE;
}

/* Opens the view of a peer. */
static irr_status_t open_view(irr_peer_t *peer)
{
    if (peer->address.segment.section != IRR_SHM_SECTION) {
        return refuse_theirs(peer, ERANGE);
    }
    if (irr_segment_view_open(&peer->view, &peer->address.segment, IRR_SHM_WINDOWS) != IRR_OK) {
        return refuse_theirs(peer, errno);
    }
    peer->search = &((const irr_shm_table_t *)peer->view.bytes)->first;
    return IRR_OK;
}

irr_status_t irr_shm_link(irr_peer_t *peer)
{
    irr_status_t status = peer->view.bytes == NULL ? open_view(peer) : IRR_OK;

    if (status == IRR_OK && peer->our_link == NULL) {
        status = append(peer);
    }
    peer->apart = status != IRR_OK;
    return status;
}

irr_status_t irr_shm_open_fifo(irr_peer_t *peer)
{
    const irr_status_t status = irr_shm_link(peer);

    if (status == IRR_OK && peer->out.slots == NULL) {
        peer->out.slots = peer->our_link->slots;
        peer->shm->fifos++;
    }
    return status;
}

irr_status_t irr_shm_open_data(irr_peer_t *peer)
{
    const irr_segment_t *segment = &peer->shm->segment;

    if (peer->out.data != NULL) {
        return IRR_OK;
    }
    if (irr_segment_back(segment, peer->ring, IRR_FIFO_DATA) != IRR_OK) {
        return refuse_own();
    }
    peer->out.data = irr_segment_at(segment, peer->ring);
    return IRR_OK;
}

/* ---- the segment of another process ---- */

/* Returns true if a range of a segment crosses no sections, and is aligned to cache lines. */
static bool is_good(uint64_t offset, size_t bytes)
{
    return offset % 64 == 0 && offset % IRR_SHM_SECTION <= IRR_SHM_SECTION - bytes;
}

/* Returns the address of an offset whose section is in this window. */
static const void *address_in(const irr_peer_t *peer, unsigned window, uint64_t offset)
{
    return peer->view.bytes + window * IRR_SHM_SECTION + offset % IRR_SHM_SECTION;
}

/* Maps the section of an offset in this window. Logs an error. */
static irr_status_t show(irr_peer_t *peer, unsigned window, uint64_t offset)
{
    const unsigned char *section;
    const irr_status_t status =
        irr_segment_view_show(&peer->view, &peer->address.segment, window, offset, &section);

    return status == IRR_OK ? IRR_OK : refuse_theirs(peer, errno);
}

/* Finds the link at an offset. Maps its section, unless the first window or the window of the previous link has it. */
static irr_status_t show_link(irr_peer_t *peer, uint64_t offset, const irr_shm_link_t **link_p)
{
    const uint64_t section = offset / IRR_SHM_SECTION;
    const unsigned window = section == 0 ? IRR_SHM_FIRST_SECTION : IRR_SHM_LINK_SECTION;
    irr_status_t status = IRR_OK;

    if (!is_good(offset, sizeof(**link_p)) || offset <= peer->searched) {
        return refuse_theirs(peer, ERANGE);
    }
    if (section != 0 && section != peer->searched / IRR_SHM_SECTION) {
        status = show(peer, window, offset);
    }
    if (status == IRR_OK) {
        *link_p = address_in(peer, window, offset);
    }
    return status;
}

/*
 * Searches the links in the segment of a peer for the link with our name. The offsets of the links increase, so the
 * search ends whatever the offsets are.
 */
static irr_status_t search_links(irr_peer_t *peer)
{
    while (peer->their_link == NULL) {
        const uint64_t offset = atomic_load_explicit(peer->search, memory_order_acquire);
        const irr_shm_link_t *link;
        irr_status_t status;

        if (offset == 0) {
            return IRR_OK;
        }
        status = show_link(peer, offset, &link);
        if (status != IRR_OK) {
            return status;
        }
        if (link->name == peer->shm->address.name) {
            peer->their_link = link;
            peer->out.count = &link->consumed;
            peer->in.slots = link->slots;
            irr_fifo_find_next(&peer->in);
        }
        peer->search = &link->next;
        peer->searched = offset;
    }
    return IRR_OK;
}

bool irr_shm_find(irr_peer_t *peer)
{
    if (peer->their_link == NULL && !peer->broken) {
        irr_status_t status = irr_shm_link(peer);

        if (status == IRR_OK) {
            status = search_links(peer);
            peer->broken = status != IRR_OK;
        }
    }
    return peer->their_link != NULL;
}

bool irr_shm_find_quietly(irr_peer_t *peer)
{
    char cause[1];
    bool found;

    irr_log_keep(cause, sizeof(cause));
    found = irr_shm_find(peer);
    irr_log_keep(NULL, 0);
    return found;
}

bool irr_shm_map_data(irr_peer_t *peer)
{
    if (irr_shm_find(peer)) {
        const uint64_t offset = irr_fifo_read(&peer->their_link->data);

        if (!is_good(offset, IRR_FIFO_DATA)) {
            (void)refuse_theirs(peer, ERANGE);
        } else if (show(peer, IRR_SHM_DATA_SECTION, offset) == IRR_OK) {
            peer->in.data = address_in(peer, IRR_SHM_DATA_SECTION, offset);
        }
    }
    return peer->in.data != NULL;
}

/* ---- peers of a communicator ---- */

void irr_shm_settle(irr_transport_t *transport, irr_peer_t *peer)
{
    (void)transport;
    peer->settled = true;
    (void)irr_shm_find_data(peer);
}

void irr_shm_leave(irr_transport_t *transport)
{
    irr_shm_t *shm = irr_shm_of(transport);

    for (irr_peer_t *peer = shm->peers; peer != NULL; peer = peer->next) {
        if (!peer->settled) {
            irr_segment_view_close(&peer->view);
            shm->fifos -= peer->out.slots != NULL;
            peer->out.slots = NULL;   /* the next send opens the view again */
            peer->out.count = NULL;
            peer->in.slots = NULL;
            peer->their_link = NULL;
            peer->searched = 0;
            peer->apart = true;
        }
    }
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
