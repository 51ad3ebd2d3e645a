/*
 * lanes.h - a transport made of two: `near` carries the messages between ranks of a node, `far` all others.
 *
 * Each of the two is opened when it is first needed. A channel has an inner channel on each transport that it needs,
 * and a table of these by rank (irr_channel_lane), so its user calls the transport of a message directly. Which
 * transport reaches a member is decided when the channel is opened, alike at both ends.
 *
 * The address of a process consists of the addresses of those of the two that are open. A peer keeps the address of
 * `near`, and is connected to `near` when the first channel reaches it there, so memory of `near` grows with the ranks
 * of a node.
 *
 * Cost: 16 bytes per rank of a channel, and the address of `near` per peer.
 */
#ifndef IRR_LANES_H
#define IRR_LANES_H

#include "transport/transport.h"

typedef enum irr_lane_kind { IRR_LANE_NEAR, IRR_LANE_FAR, IRR_LANE_KINDS } irr_lane_kind_t;

/* The combined transport. The address of a process is valid until one of the two is opened. */
typedef struct irr_lanes irr_lanes_t;

struct irr_lanes {
    irr_transport_t  super;
    irr_transport_t *inner[IRR_LANE_KINDS];   /* NULL: not open */
    irr_transport_t *shm;                     /* `near` without wrappers, if it is shared memory */
    irr_peer_t      *peers;
    char            *address;                 /* NULL: not computed since one of the two was opened */
    size_t           address_bytes;
    int              epoll;                   /* epoll descriptor for both; 0: none */
    int              watched[IRR_LANE_KINDS];
    unsigned         turns;                   /* number of calls of progress */
    unsigned         quiet;                   /* calls of progress of `far` since the last event there */
};

/* Creates the transport, with neither of the two open. May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_lanes_create(irr_lanes_t **lanes_p);

/* Opens shared memory as `near`, or the network of the configuration as `far`. Errors as for irr_transport_open. */
irr_status_t irr_lanes_open(irr_lanes_t *lanes, irr_lane_kind_t kind, const irr_engine_config_t *config);

/* Adds a transport that the caller opened, and takes ownership of it. */
void irr_lanes_put(irr_lanes_t *lanes, irr_lane_kind_t kind, irr_transport_t *transport);

/* Returns true if no message can reach the peer by this transport, because its address is not known. */
bool irr_lanes_lacks(const irr_peer_t *peer, irr_lane_kind_t kind);

/* Adds the new parts of an address to a peer. Errors as for connect. */
irr_status_t irr_lanes_learn(irr_peer_t *peer, const void *address, size_t length);

/*
 * Opens a channel as open_channel does, but reaches members with the label of this rank by `near`, others by `far`; all
 * by `far` if labels is NULL. (open_channel itself uses `near` for all members whose address there is known.) Returns
 * IRR_ERR_UNREACHABLE if a member lacks the address that is needed.
 */
irr_status_t irr_lanes_open_channel(irr_lanes_t *lanes, uint16_t id, int ranks, int rank, irr_peer_t *const *members,
                                    const int *labels, irr_channel_t **channel_p);

#endif
