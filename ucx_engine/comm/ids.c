/* ids.c - which communicator ids are used; see ids.h. A search takes O(number of ids / 64) time. */
#include "comm/ids.h"

uint32_t irr_ids_find(const irr_ids_t *ids, uint32_t from)
{
    for (uint32_t id = from; id < IRR_IDS_COUNT; id++) {
        uint64_t word = ids->used[id / 64];

        if (word == UINT64_MAX) {
            id |= 63;
        } else if ((word >> (id % 64) & 1) == 0) {
            return id;
        }
    }
    return IRR_IDS_NONE;
}

void irr_ids_take(irr_ids_t *ids, uint32_t id)
{
    ids->used[id / 64] |= UINT64_C(1) << (id % 64);
    ids->next = id + 1 < IRR_IDS_COUNT ? id + 1 : 0;
}

void irr_ids_give(irr_ids_t *ids, uint32_t id)
{
    ids->used[id / 64] &= ~(UINT64_C(1) << (id % 64));
}
