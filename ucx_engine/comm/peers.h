/*
 * peers.h - the processes that this process can send to, indexed by their names in the job, and the names of members.
 *
 * The container is an open-addressing hash table. An entry stays until the engine is destroyed, because an endpoint
 * belongs to a process and not to a communicator. A lookup takes O(1) time.
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

/* Makes room for one more entry, so that adding it cannot fail. May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_peers_reserve(irr_peers_t *peers);

/* Returns the peer of a process, or NULL if the process is not known. */
irr_peer_t *irr_peers_find(const irr_peers_t *peers, uint64_t name);

/* Adds a peer. The name must be new, and room must be reserved. */
void irr_peers_add(irr_peers_t *peers, uint64_t name, irr_peer_t *peer);

/* The names of the members of a communicator. Names of a constant distance take no memory, others 8 bytes a rank. */
typedef struct irr_members {
    uint64_t  first, distance;
    uint64_t *list;   /* by rank; NULL: first + rank * distance */
} irr_members_t;

/* May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_members_init(irr_members_t *members, const irr_oob_t *oob, int ranks);
void         irr_members_fini(irr_members_t *members);

static inline uint64_t irr_members_name(const irr_members_t *members, int rank)
{
    return members->list != NULL ? members->list[rank] : members->first + (uint64_t)rank * members->distance;
}

#endif
