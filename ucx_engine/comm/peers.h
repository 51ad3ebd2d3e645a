/*
 * peers.h - a table of the processes that this process is connected to, and the names of a communicator's members.
 *
 * The name of a process is a number that is unique in the job. A peer (transport/transport.h) is a connected process.
 *
 * The table is a hash table with open addressing. An entry stays until the engine is destroyed, because later
 * communicators may use the connection. A lookup takes O(1) time.
 */
#ifndef IRR_PEERS_H
#define IRR_PEERS_H

#include "transport/transport.h"

typedef struct irr_peers_entry {
    uint64_t    name;
    irr_peer_t *peer;   /* NULL: the bucket is empty */
} irr_peers_entry_t;

typedef struct irr_peers {
    irr_peers_entry_t *entries;
    size_t             count;
    size_t             buckets;  /* a power of two, or 0 */
} irr_peers_t;

void irr_peers_init(irr_peers_t *peers);
void irr_peers_fini(irr_peers_t *peers);

/* Makes room for one more entry. May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_peers_reserve(irr_peers_t *peers);

/* Returns the peer of a process; NULL: not connected. */
irr_peer_t *irr_peers_find(const irr_peers_t *peers, uint64_t name);

/* Adds a peer. Its name must not be in the table, and irr_peers_reserve must have made room for it. */
void irr_peers_add(irr_peers_t *peers, uint64_t name, irr_peer_t *peer);

/*
 * The names of a communicator's members. If the names of consecutive ranks have a constant distance, no list is needed;
 * otherwise it takes 8 bytes per rank.
 */
typedef struct irr_members {
    uint64_t  first, distance;
    uint64_t *list;   /* by rank; NULL: first + rank * distance */
} irr_members_t;

/* Asks oob->process_name for all names. May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_members_init(irr_members_t *members, const irr_oob_t *oob, int ranks);
void         irr_members_fini(irr_members_t *members);

static inline uint64_t irr_members_name(const irr_members_t *members, int rank)
{
    return members->list != NULL ? members->list[rank] : members->first + (uint64_t)rank * members->distance;
}

#endif
