/*
 * cache.c - see cache.h.
 */
#include "comm/cache.h"

#include "core/alloc.h"
#include "core/random.h"

#include <string.h>

/* ---- rows ---- */

irr_status_t irr_cache_row_init(irr_cache_row_t *row, int ranks)
{
    row->hash = 0;
    row->lengths = irr_alloc_zero((size_t)ranks, sizeof(*row->lengths));
    return row->lengths != NULL ? IRR_OK : IRR_ERR_NO_MEMORY;
}

void irr_cache_row_fini(irr_cache_row_t *row)
{
    irr_free(row->lengths);
    row->lengths = NULL;
}

/* Each length at its place has a number of its own, and the sum of those tells rows apart. */
static uint64_t hash_of(const uint64_t *lengths, int ranks)
{
    uint64_t hash = 0;

    for (int i = 0; i < ranks; i++) {
        uint64_t state = lengths[i] * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)i;

        hash += lengths[i] > 0 ? irr_random(&state) : 0;
    }
    return hash;
}

void irr_cache_row_hash(irr_cache_row_t *row, int ranks)
{
    row->hash = hash_of(row->lengths, ranks);
}

void irr_cache_row_take(irr_cache_row_t *row, const irr_problem_t *problem)
{
    for (int i = 0; i < problem->ranks; i++) {
        row->lengths[i] = i != problem->rank ? problem->send[i].length : 0;
    }
    irr_cache_row_hash(row, problem->ranks);
}

/* ---- entries ---- */

irr_status_t irr_cache_entry_init(irr_cache_entry_t *entry, const irr_cache_row_t *row, int ranks)
{
    irr_status_t status;

    memset(entry, 0, sizeof(*entry));
    irr_tune_init(&entry->tune, 1, 0);
    status = irr_cache_row_init(&entry->row, ranks);
    if (status == IRR_OK) {
        memcpy(entry->row.lengths, row->lengths, (size_t)ranks * sizeof(*row->lengths));
        entry->row.hash = row->hash;
    }
    return status;
}

static void way_fini(irr_cache_way_t *way)
{
    irr_schedule_syncs_fini(&way->syncs);
    irr_schedule_fini(&way->own);
}

void irr_cache_entry_settle(irr_cache_entry_t *entry)
{
    bool forwards = false;

    for (int i = 0; i < IRR_TUNE_WAYS_MAX; i++) {
        if (!irr_tune_has(&entry->tune, i)) {
            way_fini(&entry->way[i]);
        }
        forwards = forwards || (irr_tune_has(&entry->tune, i) && entry->way[i].forwards);
    }
    if (!forwards) {
        irr_forward_fini(&entry->forward);
    }
}

void irr_cache_entry_fini(irr_cache_entry_t *entry)
{
    for (int i = 0; i < IRR_TUNE_WAYS_MAX; i++) {
        way_fini(&entry->way[i]);
    }
    irr_forward_fini(&entry->forward);
    irr_cache_row_fini(&entry->row);
    memset(entry, 0, sizeof(*entry));
}

uint64_t irr_cache_entry_bytes(const irr_cache_entry_t *entry, int ranks)
{
    uint64_t bytes = (uint64_t)ranks * sizeof(*entry->row.lengths) + irr_forward_bytes(&entry->forward);

    for (int i = 0; i < IRR_TUNE_WAYS_MAX; i++) {
        const irr_cache_way_t *way = &entry->way[i];

        bytes += way->own.max * sizeof(*way->own.list) + way->syncs.ntells * sizeof(*way->syncs.tells) +
                 way->syncs.nawaits * sizeof(*way->syncs.awaits);
    }
    return bytes;
}

/* ---- the cache ---- */

void irr_cache_init(irr_cache_t *cache, int ranks, uint64_t max_bytes)
{
    memset(cache, 0, sizeof(*cache));
    cache->ranks = ranks;
    cache->max_bytes = max_bytes;
    cache->clock = IRR_CACHE_FIRST - 1;
}

irr_status_t irr_cache_reserve(irr_cache_t *cache)
{
    cache->slot = irr_alloc_zero(IRR_CACHE_SLOTS, sizeof(*cache->slot));
    return cache->slot != NULL ? IRR_OK : IRR_ERR_NO_MEMORY;
}

void irr_cache_fini(irr_cache_t *cache)
{
    for (int i = 0; cache->slot != NULL && i < IRR_CACHE_SLOTS; i++) {
        irr_cache_entry_fini(&cache->slot[i]);
    }
    irr_free(cache->slot);
    cache->slot = NULL;
}

static bool same_row(const irr_cache_row_t *a, const irr_cache_row_t *b, int ranks)
{
    return a->hash == b->hash && memcmp(a->lengths, b->lengths, (size_t)ranks * sizeof(*a->lengths)) == 0;
}

void irr_cache_look(const irr_cache_t *cache, const irr_cache_row_t *row, uint64_t misses[IRR_CACHE_SLOTS])
{
    for (int i = 0; i < IRR_CACHE_SLOTS; i++) {
        const irr_cache_entry_t *entry = &cache->slot[i];

        misses[i] = entry->serial == 0 || !same_row(&entry->row, row, cache->ranks);
    }
}

irr_cache_entry_t *irr_cache_use(irr_cache_t *cache, int slot)
{
    cache->slot[slot].used = ++cache->clock;
    return &cache->slot[slot];
}

/* Bytes of all that is not pinned, and in *oldest_p the one of those that was used longest ago, or NULL. */
static uint64_t account(irr_cache_t *cache, irr_cache_entry_t **oldest_p)
{
    irr_cache_entry_t *oldest = NULL;
    uint64_t bytes = 0;

    for (int i = 0; i < IRR_CACHE_SLOTS; i++) {
        irr_cache_entry_t *entry = &cache->slot[i];

        if (entry->serial != 0 && !entry->pinned) {
            bytes += entry->bytes;
            oldest = oldest == NULL || entry->used < oldest->used ? entry : oldest;
        }
    }
    *oldest_p = oldest;
    return bytes;
}

static irr_cache_entry_t *free_slot(irr_cache_t *cache)
{
    for (int i = 0; i < IRR_CACHE_SLOTS; i++) {
        if (cache->slot[i].serial == 0) {
            return &cache->slot[i];
        }
    }
    return NULL;
}

irr_cache_entry_t *irr_cache_insert(irr_cache_t *cache, irr_cache_entry_t *entry)
{
    irr_cache_entry_t *slot = free_slot(cache), *oldest;

    account(cache, &oldest);
    if (slot == NULL) {
        slot = oldest;
        irr_cache_entry_fini(slot);
    }
    *slot = *entry;
    slot->serial = ++cache->clock;
    slot->used = slot->serial;
    memset(entry, 0, sizeof(*entry));
    while (cache->max_bytes > 0 && account(cache, &oldest) > cache->max_bytes && oldest != slot) {
        irr_cache_entry_fini(oldest);
    }
    return slot;
}
