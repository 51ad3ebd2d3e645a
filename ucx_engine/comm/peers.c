/* peers.c - a table of connected processes, and the names of members; see peers.h. */
#include "comm/peers.h"

#include "core/alloc.h"

void irr_peers_init(irr_peers_t *peers)
{
    *peers = (irr_peers_t){ .entries = NULL };
}

void irr_peers_fini(irr_peers_t *peers)
{
    irr_free(peers->entries);
    irr_peers_init(peers);
}

/* Returns the bucket with this name, or the empty bucket where an entry of this name belongs. */
static irr_peers_entry_t *bucket_of(irr_peers_entry_t *entries, size_t buckets, uint64_t name)
{
    size_t i = (size_t)(name * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (buckets - 1);

    while (entries[i].peer != NULL && entries[i].name != name) {
        i = (i + 1) & (buckets - 1);
    }
    return &entries[i];
}

irr_status_t irr_peers_reserve(irr_peers_t *peers)
{
    size_t buckets = peers->buckets > 0 ? peers->buckets : 16;
    irr_peers_entry_t *entries;

    while (buckets < 2 * (peers->count + 1)) {
        buckets *= 2;
    }
    if (buckets == peers->buckets) {
        return IRR_OK;
    }
    entries = irr_alloc_zero(buckets, sizeof(*entries));
    if (entries == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < peers->buckets; i++) {
        if (peers->entries[i].peer != NULL) {
            *bucket_of(entries, buckets, peers->entries[i].name) = peers->entries[i];
        }
    }
    irr_free(peers->entries);
    peers->entries = entries;
    peers->buckets = buckets;
    return IRR_OK;
}

irr_peer_t *irr_peers_find(const irr_peers_t *peers, uint64_t name)
{
    return peers->buckets > 0 ? bucket_of(peers->entries, peers->buckets, name)->peer : NULL;
}

void irr_peers_add(irr_peers_t *peers, uint64_t name, irr_peer_t *peer)
{
    *bucket_of(peers->entries, peers->buckets, name) = (irr_peers_entry_t){ .name = name, .peer = peer };
    peers->count++;
}

/* ---- names ---- */

irr_status_t irr_members_init(irr_members_t *members, const irr_oob_t *oob, int ranks)
{
    const uint64_t first = oob->process_name(oob->context, 0);
    irr_members_t made = { .first = first, .distance = ranks > 1 ? oob->process_name(oob->context, 1) - first : 0 };
    int same = 0;

    while (same < ranks && oob->process_name(oob->context, same) == irr_members_name(&made, same)) {
        same++;
    }
    if (same < ranks) {
        made.list = irr_alloc((size_t)ranks, sizeof(*made.list));
        if (made.list == NULL) {
            return IRR_ERR_NO_MEMORY;
        }
        for (int r = 0; r < ranks; r++) {
            made.list[r] = oob->process_name(oob->context, r);
        }
    }
    *members = made;
    return IRR_OK;
}

void irr_members_fini(irr_members_t *members)
{
    irr_free(members->list);
}
