/*
 * shm.c - the operations of the transport, and shutdown; see shm.h.
 *
 * Memory is allocated in three cases: by connect, by the first message between two processes, and for unexpected
 * messages for which the prepared memory of a peer does not suffice (stash.c).
 */
#include "transport/shm/shm.h"

#include "core/alloc.h"
#include "core/limit.h"
#include "core/log.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static irr_status_t address(irr_transport_t *transport, const void **address_p, size_t *length_p)
{
    *address_p = &irr_shm_of(transport)->address;
    *length_p = sizeof(irr_shm_address_t);
    return IRR_OK;
}

static irr_status_t connect(irr_transport_t *transport, const void *bytes, size_t length, irr_peer_t **peer_p)
{
    irr_shm_t *shm = irr_shm_of(transport);
    irr_peer_t *peer;

    if (length != sizeof(peer->address)) {
        return IRR_ERR_BAD_PARAM;
    }
    if (IRR_GROW(shm->active, shm->active_max, shm->npeers + 1) != IRR_OK) {
        return IRR_ERR_NO_MEMORY;
    }
    peer = irr_alloc_zero(1, sizeof(*peer));
    if (peer == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    shm->npeers++;
    memcpy(&peer->address, bytes, length);
    peer->shm = shm;
    peer->next = shm->peers;
    shm->peers = peer;
    *peer_p = peer;
    return IRR_OK;
}

static irr_status_t reach(irr_transport_t *transport, irr_peer_t *peer)
{
    return irr_shm_of(transport)->closed ? IRR_ERR_CANCELED : irr_shm_open_fifo(peer);
}

static irr_status_t open_channel(irr_transport_t *transport, uint16_t id, int ranks, int rank,
                                 const irr_page_t *pages, irr_channel_t **channel_p)
{
    const irr_status_t status =
        irr_channel_create(transport, id, ranks, rank, pages, sizeof(irr_channel_t), channel_p);

    if (status == IRR_OK) {
        (*channel_p)->looks = true;
    }
    return status;
}

static void close_channel(irr_channel_t *channel)
{
    irr_shm_abandon(channel);
    irr_free(channel);
}

/* ---- shutdown ---- */

void irr_shm_empty_all(irr_shm_t *shm)
{
    for (irr_peer_t *peer = shm->peers; peer != NULL; peer = peer->next) {
        (void)irr_shm_stash_arrived(peer);
        (void)irr_shm_drop(peer, 0, 0);
        irr_shm_activate(peer);
    }
}

bool irr_shm_is_busy(const irr_transport_t *transport)
{
    return ((const irr_shm_t *)transport)->nactive > 0;
}

static void statistics(irr_transport_t *transport, uint64_t *endpoints, uint64_t *bytes_gathered)
{
    *endpoints = irr_shm_of(transport)->fifos;
    *bytes_gathered = irr_shm_of(transport)->gathered;
}

static void close_fifos(irr_transport_t *transport)
{
    irr_shm_t *shm = irr_shm_of(transport);

    shm->closed = true;
    irr_shm_empty_all(shm);
}

static irr_status_t drain(irr_transport_t *transport)
{
    irr_shm_t *shm = irr_shm_of(transport);

    for (const irr_peer_t *peer = shm->peers; peer != NULL; peer = peer->next) {
        if (peer->sending.first != NULL || peer->nsingle > 0 || peer->missing > 0) {
            return IRR_IN_PROGRESS;
        }
    }
    shm->fifos = 0;
    return IRR_OK;
}

static void free_peer(irr_peer_t *peer)
{
    while (peer->unexpected != NULL) {
        irr_shm_message_t *message = peer->unexpected;

        irr_shm_forget(peer, message);
    }
    irr_free(peer->room);
    irr_segment_view_close(&peer->view);
    irr_free(peer);
}

static void free_transport(irr_transport_t *transport)
{
    irr_shm_t *shm = irr_shm_of(transport);

    while (shm->peers != NULL) {
        irr_peer_t *peer = shm->peers;

        shm->peers = peer->next;
        free_peer(peer);
    }
    irr_shm_close_bell(shm);
    irr_segment_fini(&shm->segment);
    irr_free(shm->active);
    irr_free(shm);
}

static const irr_transport_ops_t ops = {
    .address = address,
    .connect = connect,
    .reach = reach,
    .settle = irr_shm_settle,
    .leave = irr_shm_leave,
    .open_channel = open_channel,
    .close_channel = close_channel,
    .send = irr_shm_send,
    .recv = irr_shm_recv,
    .abandon = irr_shm_abandon,
    .take_back = irr_shm_take_back,
    .discard = irr_shm_discard,
    .progress = irr_shm_progress,
    .arm = irr_shm_arm,
    .statistics = statistics,
    .close = close_fifos,
    .drain = drain,
    .free = free_transport
};

/* ---- opening ---- */

/* Offset of the first link: behind the table, and aligned like the slots of a link. */
#define FIRST_LINK ((size_t)128)

_Static_assert(sizeof(irr_shm_table_t) <= FIRST_LINK && FIRST_LINK % _Alignof(irr_shm_link_t) == 0,
               "the first link does not overlap the table");

static irr_status_t open_segment(irr_shm_t *shm)
{
    irr_status_t status = irr_segment_init(&shm->segment, IRR_SHM_SECTION);

    if (status == IRR_OK) {
        status = irr_segment_back(&shm->segment, 0, sizeof(irr_shm_table_t));
    }
    if (status != IRR_OK) {
        irr_log(IRR_LOG_ERROR, "there is no shared memory for messages between ranks (memfd_create): %s",
                irr_limit_cause(errno).text);
        irr_segment_fini(&shm->segment);
        return status;
    }
    shm->links = (irr_shm_area_t){ .next = FIRST_LINK, .end = IRR_SHM_SECTION };
    return IRR_OK;
}

irr_status_t irr_shm_open(const irr_engine_config_t *config, irr_transport_t **transport_p)
{
    irr_shm_t *shm;
    irr_status_t status;

    (void)config;
    shm = irr_alloc_zero(1, sizeof(*shm));
    if (shm == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    status = open_segment(shm);
    if (status != IRR_OK) {
        irr_free(shm);
        return status;
    }
    irr_shm_open_bell(shm);
    shm->super = (irr_transport_t){ .ops = &ops, .caps = {
        .name = "shm", .pieces_max = { SIZE_MAX, SIZE_MAX }, .iov_wire_max = SIZE_MAX,
        .zero_copy_min = IRR_SHM_SINGLE_MIN, .wakes = shm->bell[0] != 0
    } };
    shm->address.segment = shm->segment.handle;
    irr_remote_offer(&shm->word, &shm->address.memory);
    shm->address.bell = (uint64_t)shm->bell[1];
    shm->address.name = shm->word != 0 ? shm->word : shm->segment.handle.inode;
    *transport_p = &shm->super;
    return IRR_OK;
}
