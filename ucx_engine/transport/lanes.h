/*
 * lanes.h - a transport made of two: `near` carries the messages between ranks of a node, `far` all others.
 *
 * Each of the two is opened when it is first needed.  A channel has one inner channel on each of the two that it needs,
 * and a table of these by rank (irr_channel_lane), so its user calls the transport of a message directly.  Which of the
 * two reaches a member is decided when the channel is opened, alike at both ends.
 *
 * The address of a process consists of the addresses of the two as far as they are open.  A peer keeps them, and is
 * connected to `near` when the first channel reaches it there, so memory of `near` grows with the ranks of a node.
 *
 * Cost: 16 bytes a rank for a channel, and the address of `near` for a peer.
 */
#ifndef IRR_LANES_H
#define IRR_LANES_H

#include "transport/transport.h"

typedef enum irr_lane_kind { IRR_LANE_NEAR, IRR_LANE_FAR, IRR_LANE_KINDS } irr_lane_kind_t;

/* Its address changes when one of the two is opened, until then it is valid. */
typedef struct irr_lanes irr_lanes_t;

struct irr_lanes {
    irr_transport_t  super;
    irr_transport_t *inner[IRR_LANE_KINDS];   /* NULL: not open */
    irr_transport_t *shm;                     /* `near` where it is shared memory, without what wraps it */
    irr_peer_t      *peers;
    char            *address;                 /* NULL: not asked for since one of the two was opened */
    size_t           address_bytes;
    int              epoll;                   /* on the descriptors of both; 0: none */
    int              watched[IRR_LANE_KINDS];
    unsigned         turns;                   /* calls of progress */
    unsigned         quiet;                   /* looks at `far` since one found something */
};

/* Opens neither of the two.  IRR_ERR_NO_MEMORY. */
irr_status_t irr_lanes_create(irr_lanes_t **lanes_p);

/* Opens shared memory, or the network that the configuration names.  As irr_transport_open. */
irr_status_t irr_lanes_open(irr_lanes_t *lanes, irr_lane_kind_t kind, const irr_engine_config_t *config);

/* The same with a transport that the caller opened, which belongs to the lanes from then on. */
void irr_lanes_put(irr_lanes_t *lanes, irr_lane_kind_t kind, irr_transport_t *transport);

/* True if no message can reach the peer by this transport, because its address is not known. */
bool irr_lanes_lacks(const irr_peer_t *peer, irr_lane_kind_t kind);

/* Adds to a peer what an address of it says beyond what is known.  Errors as of connect. */
irr_status_t irr_lanes_learn(irr_peer_t *peer, const void *address, size_t length);

/*
 * As open_channel.  `near` reaches the members whose label is that of this rank, `far` the others; without labels `far`
 * reaches all.  (open_channel itself takes `near` for all whose address it has.)  IRR_ERR_UNREACHABLE: a member lacks
 * the address that is needed.
 */
irr_status_t irr_lanes_open_channel(irr_lanes_t *lanes, uint16_t id, int ranks, int rank, irr_peer_t *const *members,
                                    const int *labels, irr_channel_t **channel_p);

#endif
