/*
 * cache.c - see cache.h.
 */
#include "comm/cache.h"

#include "core/alloc.h"
#include "core/random.h"
#include "problem/blocks.h"

#include <string.h>

/* ---- rows ---- */

irr_status_t irr_cache_row_init(irr_cache_row_t *row, size_t max)
{
    *row = (irr_cache_row_t){ .messages = irr_alloc(max, sizeof(*row->messages)), .max = max };
    return row->messages != NULL ? IRR_OK : IRR_ERR_NO_MEMORY;
}

void irr_cache_row_fini(irr_cache_row_t *row)
{
    irr_free(row->messages);
    *row = (irr_cache_row_t){ .messages = NULL };
}

/* Each message has a number of its own, and the sum of those tells rows apart. */
static void add(irr_cache_row_t *row, int to, uint64_t length)
{
    uint64_t state = length * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)to;

    if (length > 0) {
        row->hash += irr_random(&state);
        row->messages[row->count++] = (irr_cache_message_t){ to, length };
    }
}

static void clear(irr_cache_row_t *row)
{
    row->hash = 0;
    row->count = 0;
}

void irr_cache_row_take(irr_cache_row_t *row, const irr_problem_t *problem)
{
    clear(row);
    for (irr_blocks_t left = problem->send; left.count > 0;) {
        const irr_blocks_t message = irr_blocks_first(left);

        add(row, message.list[0].rank, message.list[0].rank != problem->rank ? irr_blocks_bytes(message) : 0);
        left = irr_blocks_after(left, message.count);
    }
}

irr_status_t irr_cache_row_plan(irr_cache_row_t *row, const irr_schedule_t *schedule, int rank)
{
    uint64_t *lengths = irr_alloc_zero((size_t)schedule->ranks, sizeof(*lengths));

    if (lengths == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < schedule->count; i++) {
        const irr_transmission_t *t = &schedule->list[i];

        lengths[t->to] += t->from == rank ? t->length : 0;
    }
    clear(row);
    for (int to = 0; to < schedule->ranks; to++) {
        add(row, to, lengths[to]);
    }
    irr_free(lengths);
    return IRR_OK;
}

/* ---- entries ---- */

irr_status_t irr_cache_entry_init(irr_cache_entry_t *entry, const irr_cache_row_t *row)
{
    irr_status_t status;

    memset(entry, 0, sizeof(*entry));
    irr_tune_init(&entry->tune, 1, 0);
    status = irr_cache_row_init(&entry->row, row->count);
    if (status == IRR_OK) {
        memcpy(entry->row.messages, row->messages, row->count * sizeof(*row->messages));
        entry->row.hash = row->hash;
        entry->row.count = row->count;
    }
    return status;
}

void irr_cache_entry_settle(irr_cache_entry_t *entry, const irr_way_t *ways)
{
    bool forwards = false;

    for (int i = 0; i < IRR_TUNE_WAYS_MAX; i++) {
        if (irr_tune_has(&entry->tune, i)) {
            forwards = forwards || irr_way_forwards(&ways[i]);
        } else {
            irr_share_fini(&entry->share[i]);
        }
    }
    if (!forwards) {
        irr_forward_fini(&entry->forward);
    }
}

void irr_cache_entry_fini(irr_cache_entry_t *entry)
{
    for (int i = 0; i < IRR_TUNE_WAYS_MAX; i++) {
        irr_share_fini(&entry->share[i]);
    }
    irr_forward_fini(&entry->forward);
    irr_cache_row_fini(&entry->row);
    memset(entry, 0, sizeof(*entry));
}

uint64_t irr_cache_entry_bytes(const irr_cache_entry_t *entry)
{
    uint64_t bytes = entry->row.max * sizeof(*entry->row.messages) + irr_forward_bytes(&entry->forward);

    for (int i = 0; i < IRR_TUNE_WAYS_MAX; i++) {
        const irr_share_t *share = &entry->share[i];

        bytes += share->own.max * sizeof(*share->own.list) + share->signals.ntells * sizeof(*share->signals.tells) +
                 share->signals.nawaits * sizeof(*share->signals.awaits);
    }
    return bytes;
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

static bool same_row(const irr_cache_row_t *a, const irr_cache_row_t *b)
{
    bool same = a->hash == b->hash && a->count == b->count;

    for (size_t i = 0; i < a->count && same; i++) {
        same = a->messages[i].to == b->messages[i].to && a->messages[i].length == b->messages[i].length;
    }
    return same;
}

void irr_cache_look(const irr_cache_t *cache, const irr_cache_row_t *row, uint64_t misses[IRR_CACHE_SLOTS])
{
    for (int i = 0; i < IRR_CACHE_SLOTS; i++) {
        const irr_cache_entry_t *entry = &cache->slot[i];

        misses[i] = entry->serial == 0 || !same_row(&entry->row, row);
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
