/*
 * cache.h - the schedules that a communicator keeps, by what its ranks send.
 *
 * A rank compares its own row of the count matrix alone; the matrix is that of a kept schedule where all ranks find
 * their rows in the same slot, which they agree on before they use it (comm/schedules.h).  So all ranks must keep the
 * same schedules in the same slots: whatever is done here is done on all of them in the same order, with numbers that
 * are alike.  Room is bounded by the number of slots and by bytes; what was used longest ago goes first.
 *
 * Cost: a look compares a few bytes for each message of the rank, mostly with one slot; memory for these and for the
 * rank's own transmissions a slot.
 */
#ifndef IRR_CACHE_H
#define IRR_CACHE_H

#include "exec/bytes.h"
#include "plan/way.h"

#define IRR_CACHE_SLOTS 7
#define IRR_CACHE_FIRST 2

typedef struct irr_cache_entry {
    irr_bytes_t     row;        /* of the count matrix (exec/row.h), without what the rank sends to itself */
    irr_share_t     share;      /* the rank's part of the schedule */
    irr_forward_t   forward;    /* empty unless the strategy forwards */
    bool            declined;   /* there is no schedule: the exchange goes without */
    bool            pinned;     /* never goes */
    unsigned        matrix;     /* as the dump numbers it (comm/dump.h), on rank 0 */
    uint64_t        bytes;      /* of the rank that needs most, as agreed */
    uint64_t        serial;     /* unlike that of any other, from IRR_CACHE_FIRST; 0: the slot is free */
    uint64_t        used;       /* when it was used last */
} irr_cache_entry_t;

typedef struct irr_cache {
    uint64_t           max_bytes;   /* 0: no limit but the slots */
    uint64_t           clock;       /* counts uses and entries */
    irr_cache_entry_t *slot;        /* IRR_CACHE_SLOTS of them; NULL: not yet */
} irr_cache_t;

/* Without slots, which are some KiB, and which only who looks into the cache needs. */
void irr_cache_init(irr_cache_t *cache, uint64_t max_bytes);
void irr_cache_fini(irr_cache_t *cache);

/* Its slots, once, before a look or an insert.  IRR_ERR_NO_MEMORY. */
irr_status_t irr_cache_reserve(irr_cache_t *cache);

/* misses[i]: 1 if slot i does not have this row, else 0. */
void irr_cache_look(const irr_cache_t *cache, const irr_bytes_t *row, uint64_t misses[IRR_CACHE_SLOTS]);

/* The entry of a slot that all ranks found their rows in. */
irr_cache_entry_t *irr_cache_use(irr_cache_t *cache, int slot);

/* An entry without a schedule; and the bytes that this rank needs for it. */
irr_status_t irr_cache_entry_init(irr_cache_entry_t *entry, const irr_bytes_t *row);
void         irr_cache_entry_fini(irr_cache_entry_t *entry);
uint64_t     irr_cache_entry_bytes(const irr_cache_entry_t *entry);

/*
 * Takes an entry over, with its bytes agreed.  It stays until the next one comes, even if it alone has more bytes
 * than allowed; others go for it.  At least one slot must not be pinned.
 */
irr_cache_entry_t *irr_cache_insert(irr_cache_t *cache, irr_cache_entry_t *entry);

#endif
