/*
 * lanes.h - a transport that combines two transports. `near`, usually shared memory, carries the messages between ranks
 * of a node. `far`, usually a network, carries all other messages.
 *
 * Each of the two is opened when it is first needed. A channel has an inner channel, called a lane, on each transport
 * that a member needs. Both ends of a message select the same lane. A table has the lane of each rank
 * (irr_channel_lane), so the caller can call the transport of a message directly.
 *
 * The address of a process consists of its addresses in the open transports. A peer stores the process's address for
 * `near`; the first channel that uses `near` for this peer passes the address to `near`. The memory of `near` therefore
 * grows with the number of ranks of a node, not with the number of all peers.
 *
 * A channel that irr_lanes_open_channel has opened looks up a member of `far` when it first sends to the member. Until
 * then the member is unresolved, and its messages have a third lane: a transport that looks up the peer, and passes the
 * message on to `far`.
 *
 * Cost: 2 bytes per rank of a channel, 64 bytes for each page with a peer (irr_page_t in transport.h), and one address
 * of `near` per peer.
 */
#ifndef IRR_LANES_H
#define IRR_LANES_H

#include "transport/transport.h"

typedef enum irr_lane_kind { IRR_LANE_NEAR, IRR_LANE_FAR, IRR_LANE_KINDS } irr_lane_kind_t;

/* Callback that finds the peers of the members of a channel. Must live as long as the channel. */
typedef struct irr_finder irr_finder_t;

struct irr_finder {
    /*
     * Sets *peer_p to the peer of a member. The peer must have an address for this kind of lane. Returns the errors of
     * connect.
     */
    irr_status_t (*find)(irr_finder_t *finder, int rank, irr_lane_kind_t kind, irr_peer_t **peer_p);
};

/* The combined transport. The bytes that `address` returns are valid until another transport is opened. */
typedef struct irr_lanes irr_lanes_t;

struct irr_lanes {
    irr_transport_t  super;
    irr_transport_t *inner[IRR_LANE_KINDS];   /* NULL: not open */
    irr_transport_t  unresolved;              /* the transport of unresolved members, with the caps of `far` */
    irr_transport_t *shm;                     /* `near` without wrappers, if `near` is shared memory */
    irr_peer_t      *peers;
    char            *address;                 /* cache of the result of `address`; NULL: not computed yet, or
                                                 outdated */
    size_t           address_bytes;
    int              epoll;                   /* epoll descriptor that waits for both transports; 0: none */
    int              watched[IRR_LANE_KINDS];   /* descriptors that were added to epoll */
    unsigned         calls;                   /* number of calls of progress */
    unsigned         quiet;                   /* number of calls of progress of `far` since the last call that had an
                                                 event */
};

/* Creates the combined transport. Opens neither `near` nor `far`. May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_lanes_create(irr_lanes_t **lanes_p);

/* Opens shared memory as `near`, or the configured network as `far`. Returns the errors of irr_transport_open. */
irr_status_t irr_lanes_open(irr_lanes_t *lanes, irr_lane_kind_t kind, const irr_engine_config_t *config);

/* Adds an open transport, which the combined transport then owns. */
void irr_lanes_put(irr_lanes_t *lanes, irr_lane_kind_t kind, irr_transport_t *transport);

/* Returns true if the peer has no known address for this kind of lane, so no message can reach it there. */
bool irr_lanes_lacks(const irr_peer_t *peer, irr_lane_kind_t kind);

/* Returns true if an address of the combined transport contains an address for this kind of lane. */
bool irr_lanes_has(const void *address, size_t length, irr_lane_kind_t kind);

/*
 * Adds to a peer those addresses for `near` and `far` that the peer lacks. `address` is an address of the combined
 * transport. Returns the errors of connect.
 */
irr_status_t irr_lanes_learn(irr_peer_t *peer, const void *address, size_t length);

/*
 * Opens a channel like open_channel, but selects the lanes by labels, one number per member: `near` for members with
 * the label of this rank, `far` for other members. labels NULL: `far` for all members. (open_channel selects `near` for
 * each peer whose `near` address is known.) Looks up members of `near` now, and a member of `far` before the first send
 * to it. Returns IRR_ERR_UNREACHABLE if a member has no known address for its lane.
 */
irr_status_t irr_lanes_open_channel(irr_lanes_t *lanes, uint16_t id, int ranks, int rank, irr_finder_t *finder,
                                    const int *labels, irr_channel_t **channel_p);

/* ---- shared by lanes.c and lanes_channel.c ---- */

/* Returns true if no network is open, and no message of shared memory is in progress.  O(1). */
bool irr_lanes_are_idle(const irr_lanes_t *lanes);

/* Sets *inner_p to the inner transport's peer for the same process. Creates it (connect) if necessary. */
irr_status_t irr_lanes_inner(irr_peer_t *peer, irr_lane_kind_t kind, irr_peer_t **inner_p);

/* Returns `near` if this process and the peer have opened `near`, otherwise `far`. */
irr_lane_kind_t irr_lanes_nearest(const irr_peer_t *peer);

/* Initialises the transport of unresolved members. */
void irr_lanes_init_unresolved(irr_transport_t *unresolved, const irr_transport_t *far);

/* Operations of the combined transport (transport.h); irr_lanes_open_to is open_channel. */
irr_status_t irr_lanes_resolve(irr_channel_t *channel, int rank);
irr_status_t irr_lanes_open_to(irr_transport_t *transport, uint16_t id, int ranks, int rank,
                               const irr_page_t *pages, irr_channel_t **channel_p);
void irr_lanes_close_channel(irr_channel_t *channel);
void irr_lanes_abandon(irr_channel_t *channel);
void irr_lanes_take_back(irr_channel_t *channel);

#endif
