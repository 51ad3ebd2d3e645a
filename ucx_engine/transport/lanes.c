/* lanes.c - the combined transport: addresses, peers, progress and shutdown; see lanes.h. */
#include "transport/lanes.h"

#include "core/alloc.h"

#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

/*
 * Progress of `far` takes longer than progress of `near`, so some calls omit `far`. This happens while messages are
 * pending in `near`, if `far` had no event in its last FAR_QUIET calls. Then one call of FAR_CALLS includes `far`.
 */
#define FAR_CALLS 4
#define FAR_QUIET 16

typedef struct near {
    size_t length;
    char   address[];
} near_t;

struct irr_peer {
    irr_lanes_t *lanes;
    irr_peer_t  *inner[IRR_LANE_KINDS];   /* NULL: not connected */
    near_t      *near;                    /* address of the peer in `near`; NULL: not known */
    irr_peer_t  *next;
};

static irr_lanes_t *lanes_of(irr_transport_t *transport)
{
    return (irr_lanes_t *)transport;
}

/* ---- addresses and peers ---- */

/* An address begins with the lengths of its two parts: the address for `near`, then the address for `far`. */
typedef struct prefix {
    uint64_t bytes[IRR_LANE_KINDS];
} prefix_t;

static irr_status_t address(irr_transport_t *transport, const void **address_p, size_t *length_p)
{
    irr_lanes_t *lanes = lanes_of(transport);
    const void *addresses[IRR_LANE_KINDS] = { NULL };
    size_t bytes[IRR_LANE_KINDS] = { 0 };
    irr_status_t status = IRR_OK;

    for (int k = 0; k < IRR_LANE_KINDS && status == IRR_OK && lanes->address == NULL; k++) {
        if (lanes->inner[k] != NULL) {
            status = lanes->inner[k]->ops->address(lanes->inner[k], &addresses[k], &bytes[k]);
        }
    }
    if (status == IRR_OK && lanes->address == NULL) {
        const prefix_t prefix = { { bytes[IRR_LANE_NEAR], bytes[IRR_LANE_FAR] } };
        char *end = irr_alloc(1, sizeof(prefix) + bytes[IRR_LANE_NEAR] + bytes[IRR_LANE_FAR]);

        if (end == NULL) {
            return IRR_ERR_NO_MEMORY;
        }
        lanes->address = memcpy(end, &prefix, sizeof(prefix));
        end += sizeof(prefix);
        for (int k = 0; k < IRR_LANE_KINDS; end += bytes[k++]) {
            if (bytes[k] > 0) {
                memcpy(end, addresses[k], bytes[k]);
            }
        }
        lanes->address_bytes = (size_t)(end - lanes->address);
    }
    if (status == IRR_OK) {
        *address_p = lanes->address;
        *length_p = lanes->address_bytes;
    }
    return status;
}

bool irr_lanes_lacks(const irr_peer_t *peer, irr_lane_kind_t kind)
{
    return peer->inner[kind] == NULL && (kind == IRR_LANE_FAR || peer->near == NULL);
}

/* Reads the lengths of the parts of an address. Returns false if they do not match the length of the address. */
static bool read_prefix(const void *address, size_t length, prefix_t *prefix)
{
    if (length < sizeof(*prefix)) {
        return false;
    }
    memcpy(prefix, address, sizeof(*prefix));
    length -= sizeof(*prefix);
    return prefix->bytes[IRR_LANE_NEAR] <= length &&
           prefix->bytes[IRR_LANE_FAR] == length - prefix->bytes[IRR_LANE_NEAR];
}

bool irr_lanes_has(const void *address, size_t length, irr_lane_kind_t kind)
{
    prefix_t prefix;

    return read_prefix(address, length, &prefix) && prefix.bytes[kind] > 0;
}

irr_status_t irr_lanes_learn(irr_peer_t *peer, const void *address, size_t length)
{
    irr_transport_t *far = peer->lanes->inner[IRR_LANE_FAR];
    const char *bytes = (const char *)address + sizeof(prefix_t);
    prefix_t prefix;

    if (!read_prefix(address, length, &prefix)) {
        return IRR_ERR_BAD_PARAM;
    }
    if (prefix.bytes[IRR_LANE_NEAR] > 0 && irr_lanes_lacks(peer, IRR_LANE_NEAR)) {
        const size_t near = (size_t)prefix.bytes[IRR_LANE_NEAR];

        peer->near = irr_alloc(1, sizeof(*peer->near) + near);
        if (peer->near == NULL) {
            return IRR_ERR_NO_MEMORY;
        }
        peer->near->length = near;
        memcpy(peer->near->address, bytes, near);
    }
    if (prefix.bytes[IRR_LANE_FAR] > 0 && far != NULL && irr_lanes_lacks(peer, IRR_LANE_FAR)) {
        return far->ops->connect(far, bytes + prefix.bytes[IRR_LANE_NEAR], (size_t)prefix.bytes[IRR_LANE_FAR],
                                 &peer->inner[IRR_LANE_FAR]);
    }
    return IRR_OK;
}

static void free_peer(irr_peer_t *peer)
{
    irr_free(peer->near);
    irr_free(peer);
}

static irr_status_t connect(irr_transport_t *transport, const void *address, size_t length, irr_peer_t **peer_p)
{
    irr_lanes_t *lanes = lanes_of(transport);
    irr_peer_t *peer = irr_alloc_zero(1, sizeof(*peer));
    irr_status_t status;

    if (peer == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    peer->lanes = lanes;
    status = irr_lanes_learn(peer, address, length);
    if (status != IRR_OK) {
        free_peer(peer);
        return status;
    }
    peer->next = lanes->peers;
    lanes->peers = peer;
    *peer_p = peer;
    return IRR_OK;
}

irr_status_t irr_lanes_inner(irr_peer_t *peer, irr_lane_kind_t kind, irr_peer_t **inner_p)
{
    irr_transport_t *near = peer->lanes->inner[IRR_LANE_NEAR];
    irr_status_t status = IRR_OK;

    if (peer->lanes->inner[kind] == NULL || irr_lanes_lacks(peer, kind)) {
        return IRR_ERR_UNREACHABLE;
    }
    if (peer->inner[kind] == NULL) {
        status = near->ops->connect(near, peer->near->address, peer->near->length, &peer->inner[kind]);
    }
    *inner_p = peer->inner[kind];
    return status;
}

irr_lane_kind_t irr_lanes_nearest(const irr_peer_t *peer)
{
    return peer->lanes->inner[IRR_LANE_NEAR] != NULL && !irr_lanes_lacks(peer, IRR_LANE_NEAR) ? IRR_LANE_NEAR
                                                                                              : IRR_LANE_FAR;
}

static irr_status_t reach(irr_transport_t *transport, irr_peer_t *peer)
{
    const irr_lane_kind_t kind = irr_lanes_nearest(peer);
    irr_transport_t *inner = lanes_of(transport)->inner[kind];
    irr_peer_t *inner_peer = NULL;
    const irr_status_t status = irr_lanes_inner(peer, kind, &inner_peer);

    return status == IRR_OK ? inner->ops->reach(inner, inner_peer) : status;
}

static void settle(irr_transport_t *transport, irr_peer_t *peer)
{
    const irr_lane_kind_t kind = irr_lanes_nearest(peer);
    irr_transport_t *inner = lanes_of(transport)->inner[kind];

    if (peer->inner[kind] != NULL && inner->ops->settle != NULL) {
        inner->ops->settle(inner, peer->inner[kind]);
    }
}

static void leave(irr_transport_t *transport)
{
    const irr_lanes_t *lanes = lanes_of(transport);

    for (int k = 0; k < IRR_LANE_KINDS; k++) {
        if (lanes->inner[k] != NULL && lanes->inner[k]->ops->leave != NULL) {
            lanes->inner[k]->ops->leave(lanes->inner[k]);
        }
    }
}

/* ---- messages ---- */

static irr_status_t discard(irr_transport_t *transport, uint16_t id, uint16_t tag, uint16_t mask, size_t *count)
{
    const irr_lanes_t *lanes = lanes_of(transport);
    irr_status_t status = IRR_OK;

    for (int k = 0; k < IRR_LANE_KINDS; k++) {
        irr_transport_t *inner = lanes->inner[k];
        const irr_status_t one = inner != NULL ? inner->ops->discard(inner, id, tag, mask, count) : IRR_OK;

        status = one == IRR_ERR_NO_MEMORY || status == IRR_OK ? one : status;
    }
    return status;
}

/* ---- progress ---- */

/* Returns true if this call of progress omits `far`. */
static bool may_skip_far(const irr_lanes_t *lanes)
{
    return lanes->quiet >= FAR_QUIET && lanes->calls % FAR_CALLS != 0 && lanes->shm != NULL &&
           irr_shm_is_busy(lanes->shm);
}

bool irr_lanes_are_idle(const irr_lanes_t *lanes)
{
    return lanes->inner[IRR_LANE_FAR] == NULL && (lanes->shm == NULL || !irr_shm_is_busy(lanes->shm));
}

static unsigned progress(irr_transport_t *transport)
{
    irr_lanes_t *lanes = lanes_of(transport);
    irr_transport_t *near = lanes->inner[IRR_LANE_NEAR], *far = lanes->inner[IRR_LANE_FAR];
    unsigned events = 0, more;

    lanes->calls++;
    if (near != NULL) {
        events = near->ops->progress(near);
    }
    if (far != NULL && !may_skip_far(lanes)) {
        more = far->ops->progress(far);
        lanes->quiet = more > 0 ? 0 : lanes->quiet + 1;
        events += more;
    }
    return events;
}

/* Sets *fd_p to an epoll descriptor that becomes readable when one of `descriptors` does. */
static irr_status_t watch(irr_lanes_t *lanes, const int descriptors[IRR_LANE_KINDS], int *fd_p)
{
    if (lanes->epoll == 0) {
        const int epoll = epoll_create1(EPOLL_CLOEXEC);

        if (epoll < 0) {
            return IRR_ERR_NOT_SUPPORTED;
        }
        lanes->epoll = epoll;
    }
    for (int k = 0; k < IRR_LANE_KINDS; k++) {
        struct epoll_event event = { .events = EPOLLIN };

        if (lanes->watched[k] != descriptors[k]) {
            if (epoll_ctl(lanes->epoll, EPOLL_CTL_ADD, descriptors[k], &event) != 0) {
                return IRR_ERR_NOT_SUPPORTED;
            }
            lanes->watched[k] = descriptors[k];
        }
    }
    *fd_p = lanes->epoll;
    return IRR_OK;
}

static irr_status_t arm(irr_transport_t *transport, int *fd_p)
{
    irr_lanes_t *lanes = lanes_of(transport);
    int descriptors[IRR_LANE_KINDS] = { 0 }, open = 0;

    for (int k = 0; k < IRR_LANE_KINDS; k++) {
        irr_transport_t *inner = lanes->inner[k];

        if (inner != NULL) {
            const irr_status_t status = inner->ops->arm(inner, &descriptors[k]);

            if (status != IRR_OK) {
                return status;
            }
            *fd_p = descriptors[k];
            open++;
        }
    }
    if (open == 0) {
        return IRR_ERR_NOT_SUPPORTED;
    }
    return open == 1 ? IRR_OK : watch(lanes, descriptors, fd_p);
}

static void statistics(irr_transport_t *transport, uint64_t *endpoints, uint64_t *bytes_gathered)
{
    const irr_lanes_t *lanes = lanes_of(transport);

    *endpoints = *bytes_gathered = 0;
    for (int k = 0; k < IRR_LANE_KINDS; k++) {
        uint64_t some = 0, bytes = 0;

        if (lanes->inner[k] != NULL) {
            lanes->inner[k]->ops->statistics(lanes->inner[k], &some, &bytes);
        }
        *endpoints += some;
        *bytes_gathered += bytes;
    }
}

/* ---- shutdown and creation ---- */

static void close_endpoints(irr_transport_t *transport)
{
    const irr_lanes_t *lanes = lanes_of(transport);

    for (int k = 0; k < IRR_LANE_KINDS; k++) {
        if (lanes->inner[k] != NULL) {
            lanes->inner[k]->ops->close(lanes->inner[k]);
        }
    }
}

static irr_status_t drain(irr_transport_t *transport)
{
    const irr_lanes_t *lanes = lanes_of(transport);
    irr_status_t status = IRR_OK;

    for (int k = 0; k < IRR_LANE_KINDS; k++) {
        const irr_status_t one = lanes->inner[k] != NULL ? lanes->inner[k]->ops->drain(lanes->inner[k]) : IRR_OK;

        status = status == IRR_OK ? one : status;
    }
    return status;
}

static void free_lanes(irr_transport_t *transport)
{
    irr_lanes_t *lanes = lanes_of(transport);

    for (int k = 0; k < IRR_LANE_KINDS; k++) {
        if (lanes->inner[k] != NULL) {
            lanes->inner[k]->ops->free(lanes->inner[k]);
        }
    }
    while (lanes->peers != NULL) {
        irr_peer_t *peer = lanes->peers;

        lanes->peers = peer->next;
        free_peer(peer);
    }
    if (lanes->epoll != 0) {
        close(lanes->epoll);
    }
    irr_free(lanes->address);
    irr_free(lanes);
}

static const irr_transport_ops_t ops = {
    .address = address,
    .connect = connect,
    .reach = reach,
    .settle = settle,
    .leave = leave,
    .resolve = irr_lanes_resolve,
    .open_channel = irr_lanes_open_to,
    .close_channel = irr_lanes_close_channel,
    .send = irr_channel_send,
    .recv = irr_channel_recv,
    .abandon = irr_lanes_abandon,
    .take_back = irr_lanes_take_back,
    .discard = discard,
    .progress = progress,
    .arm = arm,
    .statistics = statistics,
    .close = close_endpoints,
    .drain = drain,
    .free = free_lanes
};

irr_status_t irr_lanes_create(irr_lanes_t **lanes_p)
{
    irr_lanes_t *lanes = irr_alloc_zero(1, sizeof(*lanes));

    if (lanes == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    lanes->super = (irr_transport_t){
        .ops = &ops, .caps = { .name = "lanes", .pieces_max = { SIZE_MAX, SIZE_MAX }, .iov_wire_max = SIZE_MAX,
                               .zero_copy_min = SIZE_MAX, .wakes = true }
    };
    *lanes_p = lanes;
    return IRR_OK;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Limits the caps to what both transports support, for callers that do not look up the transport of a message. */
void irr_lanes_put(irr_lanes_t *lanes, irr_lane_kind_t kind, irr_transport_t *transport)
{
    irr_transport_caps_t *caps = &lanes->super.caps;

    lanes->inner[kind] = transport;
    for (int i = 0; i < IRR_FORM_COUNT; i++) {
        caps->pieces_max[i] = least(caps->pieces_max[i], transport->caps.pieces_max[i]);
    }
    caps->iov_wire_max = least(caps->iov_wire_max, transport->caps.iov_wire_max);
    caps->zero_copy_min = least(caps->zero_copy_min, transport->caps.zero_copy_min);
    if (kind == IRR_LANE_FAR) {
        irr_lanes_init_unresolved(&lanes->unresolved, transport);
    }
    caps->wakes = caps->wakes && transport->caps.wakes;
    irr_free(lanes->address);
    lanes->address = NULL;
}
