/*
 * cache.h - the cache of a communicator for schedules: which messages are sent in which step, for certain counts.
 *
 * The counts of all ranks are a matrix. A rank knows and stores only its own row: the numbers of bytes that it sends. A
 * cached schedule fits an exchange if all ranks find their rows in the same slot, which they check by an all-reduce
 * (comm/schedules.h). All ranks must therefore have the same schedules in the same slots. They do, because they call
 * the functions below in the same order, with the same values of `bytes`. The numbers of slots and of bytes are
 * limited. A full cache evicts the least recently used entry.
 *
 * Cost: a lookup compares a few bytes per message of the rank, usually in one slot. A slot takes memory for a row, and
 * for the part of the schedule that concerns the rank.
 */
#ifndef IRR_CACHE_H
#define IRR_CACHE_H

#include "exec/bytes.h"
#include "plan/strategy.h"

#define IRR_CACHE_SLOTS 7
#define IRR_CACHE_FIRST 2   /* the first serial; smaller values have another meaning in irr_run_t (comm/run.h) */

typedef struct irr_cache_entry {
    irr_bytes_t     row;        /* the rank's counts (exec/row.h), without its message to itself */
    irr_share_t     share;      /* the rank's part of the schedule */
    irr_forward_t   forward;    /* what the rank forwards; empty unless ranks forward messages */
    bool            declined;   /* rank 0 found no schedule for these counts */
    bool            pinned;     /* never evicted */
    unsigned        matrix;     /* on rank 0: number of the matrix among the files of comm/dump.h */
    uint64_t        bytes;      /* memory of the entry in bytes: the maximum over all ranks */
    uint64_t        serial;     /* unique number of the entry, from IRR_CACHE_FIRST; 0: the slot is free */
    uint64_t        used;       /* value of irr_cache_t.clock at the last use */
} irr_cache_entry_t;

typedef struct irr_cache {
    uint64_t           max_bytes;   /* 0: only the slots are limited */
    uint64_t           clock;       /* counts uses and insertions */
    irr_cache_entry_t *slot;        /* IRR_CACHE_SLOTS slots; NULL: not allocated */
} irr_cache_t;

/* Initializes a cache without slots. Slots take some KiB, which many communicators do not need. */
void irr_cache_init(irr_cache_t *cache, uint64_t max_bytes);
void irr_cache_fini(irr_cache_t *cache);

/* Allocates the slots. Called once, before a lookup or an insertion. May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_cache_reserve(irr_cache_t *cache);

/* Sets misses[i] to 0 if slot i has this row, otherwise to 1. */
void irr_cache_lookup(const irr_cache_t *cache, const irr_bytes_t *row, uint64_t misses[IRR_CACHE_SLOTS]);

/* Returns the entry of a slot in which all ranks found their rows, and marks it as used. */
irr_cache_entry_t *irr_cache_use(irr_cache_t *cache, int slot);

/*
 * irr_cache_entry_init makes an entry that has a copy of `row` and no schedule, and may return IRR_ERR_NO_MEMORY.
 * irr_cache_entry_bytes returns the number of bytes that the entry takes on this rank.
 */
irr_status_t irr_cache_entry_init(irr_cache_entry_t *entry, const irr_bytes_t *row);
void         irr_cache_entry_fini(irr_cache_entry_t *entry);
uint64_t     irr_cache_entry_bytes(const irr_cache_entry_t *entry);

/*
 * Moves an entry into the cache, and returns its place there. entry->bytes must be the same on all ranks. Evicts other
 * entries if a limit is exceeded. The new entry stays at least until the next insertion, even if it alone exceeds the
 * limit of bytes. At least one slot must be free or not pinned.
 */
irr_cache_entry_t *irr_cache_insert(irr_cache_t *cache, irr_cache_entry_t *entry);

#endif
