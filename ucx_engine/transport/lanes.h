/*
 * lanes.h - a transport that combines two transports: `near` carries the messages between ranks of a node, and `far`
 * carries all other messages.
 *
 * Each of the two transports is opened when it is first needed. A channel has an inner channel on each transport that
 * it needs. A table has the lane of each rank (irr_channel_lane), so that the caller can call the transport of a
 * message directly. open_channel selects the transport that reaches a member; both ends select the same transport.
 *
 * The address of a process consists of the addresses of its open transports. A peer stores its address for `near`. The
 * first channel that reaches the peer by `near` connects to this address, so the memory of `near` grows with the number
 * of ranks of a node, and not with the number of all peers.
 *
 * A channel that was opened with labels (irr_lanes_open_channel) finds a peer of `far` when it first sends to it. Until
 * then the messages to this member have the lane of unmet members. This is a transport that finds the peer, and then
 * passes the message on to `far`.
 *
 * Cost: 2 bytes per rank of a channel, 64 bytes for each page with a peer (transport.h), and one address of `near` per
 * peer.
 */
#ifndef IRR_LANES_H
#define IRR_LANES_H

#include "transport/transport.h"

typedef enum irr_lane_kind { IRR_LANE_NEAR, IRR_LANE_FAR, IRR_LANE_KINDS } irr_lane_kind_t;

/* Finds the peers of the members of a channel. Must live as long as the channel. */
typedef struct irr_finder irr_finder_t;

struct irr_finder {
    /* Returns in *peer_p the peer of a member that this kind of lane reaches. Returns the errors of connect. */
    irr_status_t (*find)(irr_finder_t *finder, int rank, irr_lane_kind_t kind, irr_peer_t **peer_p);
};

/* The combined transport. The address of a process is valid until the next transport is opened. */
typedef struct irr_lanes irr_lanes_t;

struct irr_lanes {
    irr_transport_t  super;
    irr_transport_t *inner[IRR_LANE_KINDS];   /* NULL: not open */
    irr_transport_t  unmet;                   /* the transport of unmet members, with the caps of `far` */
    irr_transport_t *shm;                     /* `near` without wrappers, if `near` is shared memory */
    irr_peer_t      *peers;
    char            *address;                 /* NULL: not computed since a transport was opened */
    size_t           address_bytes;
    int              epoll;                   /* epoll descriptor for both; 0: none */
    int              watched[IRR_LANE_KINDS];
    unsigned         calls;                   /* number of calls of progress */
    unsigned         quiet;                   /* number of calls of progress of `far` since its last event */
};

/* Creates the combined transport, and opens none of the two transports. May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_lanes_create(irr_lanes_t **lanes_p);

/*
 * Opens shared memory as `near`, or the network of the configuration as `far`. Returns the errors of
 * irr_transport_open.
 */
irr_status_t irr_lanes_open(irr_lanes_t *lanes, irr_lane_kind_t kind, const irr_engine_config_t *config);

/* Adds an open transport. The combined transport becomes its owner. */
void irr_lanes_put(irr_lanes_t *lanes, irr_lane_kind_t kind, irr_transport_t *transport);

/* Returns true if no message can reach the peer by this transport, because the address of the peer is not known. */
bool irr_lanes_lacks(const irr_peer_t *peer, irr_lane_kind_t kind);

/* Returns true if an address of `length` bytes has a part for this kind of lane. */
bool irr_lanes_has(const void *address, size_t length, irr_lane_kind_t kind);

/* Adds the parts of an address that a peer does not have yet. Returns the errors of connect. */
irr_status_t irr_lanes_learn(irr_peer_t *peer, const void *address, size_t length);

/*
 * Opens a channel like open_channel, but selects transports by labels. The channel reaches members with the label of
 * this rank by `near`, and other members by `far`. If labels is NULL, it reaches all members by `far`. (open_channel
 * uses `near` for all members whose `near` address is known.) This function finds the peers of `near`; a peer of `far`
 * is found when a message is first sent to it. Returns IRR_ERR_UNREACHABLE if the needed address of a member is not
 * known.
 */
irr_status_t irr_lanes_open_channel(irr_lanes_t *lanes, uint16_t id, int ranks, int rank, irr_finder_t *finder,
                                    const int *labels, irr_channel_t **channel_p);

/* ---- shared by lanes.c and lanes_channel.c ---- */

/* Returns the peer of the inner transport. Connects the peer if necessary. */
irr_status_t irr_lanes_inner(irr_peer_t *peer, irr_lane_kind_t kind, irr_peer_t **inner_p);

/* Returns `near` if both ends have opened `near`, otherwise `far`. */
irr_lane_kind_t irr_lanes_nearest(const irr_peer_t *peer);

/* Initializes the transport of unmet members. */
void irr_lanes_init_unmet(irr_transport_t *unmet, const irr_transport_t *far);

/* Operations of the combined transport; irr_lanes_open_to is open_channel. */
irr_status_t irr_lanes_meet(irr_channel_t *channel, int rank);
irr_status_t irr_lanes_open_to(irr_transport_t *transport, uint16_t id, int ranks, int rank,
                               const irr_page_t *pages, irr_channel_t **channel_p);
void irr_lanes_close_channel(irr_channel_t *channel);
void irr_lanes_abandon(irr_channel_t *channel);
void irr_lanes_take_back(irr_channel_t *channel);

#endif
