/* cache.c - a communicator's cache of schedules; see cache.h. */
#include "comm/cache.h"

#include "core/alloc.h"

#include <string.h>

/* ---- entries ---- */

irr_status_t irr_cache_entry_init(irr_cache_entry_t *entry, const irr_bytes_t *row)
{
    irr_status_t status;

    memset(entry, 0, sizeof(*entry));
    status = irr_bytes_reserve(&entry->row, row->length);
    if (status == IRR_OK) {
        memcpy(entry->row.at, row->at, row->length);
        entry->row.length = row->length;
    }
    return status;
}

void irr_cache_entry_fini(irr_cache_entry_t *entry)
{
    irr_share_fini(&entry->share);
    irr_forward_fini(&entry->forward);
    irr_bytes_fini(&entry->row);
    memset(entry, 0, sizeof(*entry));
}

uint64_t irr_cache_entry_bytes(const irr_cache_entry_t *entry)
{
    const irr_share_t *share = &entry->share;

    return entry->row.max + irr_forward_bytes(&entry->forward) + share->own.max * sizeof(*share->own.list) +
           share->signals.nsignals * sizeof(*share->signals.signals) +
           share->signals.nwaits * sizeof(*share->signals.waits);
}

/* ---- the cache ---- */

void irr_cache_init(irr_cache_t *cache, uint64_t max_bytes)
{
    memset(cache, 0, sizeof(*cache));
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

void irr_cache_lookup(const irr_cache_t *cache, const irr_bytes_t *row, uint64_t misses[IRR_CACHE_SLOTS])
{
    for (int i = 0; i < IRR_CACHE_SLOTS; i++) {
        const irr_cache_entry_t *entry = &cache->slot[i];

        misses[i] = entry->serial == 0 || entry->row.length != row->length ||
                    memcmp(entry->row.at, row->at, row->length) != 0;
    }
}

irr_cache_entry_t *irr_cache_use(irr_cache_t *cache, int slot)
{
    cache->slot[slot].used = ++cache->clock;
    return &cache->slot[slot];
}

/*
 * Returns the number of bytes of all entries that may be evicted. Sets *oldest_p to the least recently used of them;
 * NULL: there is none.
 */
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
