/*
 * cache.h - the schedules that a communicator keeps, indexed by the counts that its ranks send.
 *
 * A rank compares only its own row of the count matrix. A cached schedule fits the whole matrix if all ranks find their
 * rows in the same slot; an agreement checks the slots before each use (comm/schedules.h). All ranks must therefore
 * have the same schedules in the same slots. To achieve this, all ranks make the same calls in the same order, with
 * numbers that all ranks agree on. The number of slots and the number of bytes are bounded. A full cache evicts the
 * least recently used entry.
 *
 * Cost: a lookup compares a few bytes per message of the rank, usually in one slot. A slot takes the memory of a row
 * and of the local schedule of the rank.
 */
#ifndef IRR_CACHE_H
#define IRR_CACHE_H

#include "exec/bytes.h"
#include "plan/strategy.h"

#define IRR_CACHE_SLOTS 7
#define IRR_CACHE_FIRST 2

typedef struct irr_cache_entry {
    irr_bytes_t     row;        /* row of the count matrix (exec/row.h), without the message of the rank to itself */
    irr_share_t     share;      /* the rank's part of the schedule */
    irr_forward_t   forward;    /* empty unless the strategy forwards */
    bool            declined;   /* there is no schedule for these counts */
    bool            pinned;     /* never evicted */
    unsigned        matrix;     /* number of the matrix in the dump (comm/dump.h), on rank 0 */
    uint64_t        bytes;      /* memory of the entry in bytes: the maximum over all ranks, as agreed */
    uint64_t        serial;     /* unique number of the entry, from IRR_CACHE_FIRST; 0: the slot is free */
    uint64_t        used;       /* value of the clock at the last use */
} irr_cache_entry_t;

typedef struct irr_cache {
    uint64_t           max_bytes;   /* 0: only the slots are limited */
    uint64_t           clock;       /* counts uses and insertions */
    irr_cache_entry_t *slot;        /* IRR_CACHE_SLOTS slots; NULL: not allocated */
} irr_cache_t;

/* Initializes a cache without slots. Slots take some KiB, and many communicators need no slots. */
void irr_cache_init(irr_cache_t *cache, uint64_t max_bytes);
void irr_cache_fini(irr_cache_t *cache);

/* Allocates the slots. To be called once, before a lookup or an insertion. May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_cache_reserve(irr_cache_t *cache);

/* Sets misses[i] to 0 if slot i has this row, otherwise to 1. */
void irr_cache_lookup(const irr_cache_t *cache, const irr_bytes_t *row, uint64_t misses[IRR_CACHE_SLOTS]);

/* Returns the entry of a slot in which all ranks found their rows, and marks it as used. */
irr_cache_entry_t *irr_cache_use(irr_cache_t *cache, int slot);

/*
 * irr_cache_entry_init makes an entry without a schedule. irr_cache_entry_fini frees an entry. irr_cache_entry_bytes
 * returns the number of bytes that the entry takes on this rank.
 */
irr_status_t irr_cache_entry_init(irr_cache_entry_t *entry, const irr_bytes_t *row);
void         irr_cache_entry_fini(irr_cache_entry_t *entry);
uint64_t     irr_cache_entry_bytes(const irr_cache_entry_t *entry);

/*
 * Moves an entry into the cache. entry->bytes must be the agreed number. Evicts other entries if the limit requires an
 * eviction. The new entry stays at least until the next insertion, even if the new entry alone exceeds the limit. At
 * least one slot must not be pinned.
 */
irr_cache_entry_t *irr_cache_insert(irr_cache_t *cache, irr_cache_entry_t *entry);

#endif
