/*
 * lane.c - allocation in the data ring of a lane by the sender; see lane.h.
 *
 * irr_lane_room allocates contiguous ranges one after the other. It restarts at the beginning of the ring if a range
 * does not fit before the end, and also when a new round of slots begins. If pieces are short, only the beginning of
 * the ring is used, which stays in the cache.
 */
#include "transport/shm/lane.h"

/* Returns true if `bytes` bytes from position `from` on are free, and do not cross the end of the ring. */
static bool fits(const irr_lane_out_t *out, uint64_t from, size_t bytes)
{
    return from % IRR_LANE_DATA + bytes <= IRR_LANE_DATA && from + bytes - out->tail <= IRR_LANE_DATA;
}

unsigned char *irr_lane_room(irr_lane_out_t *out, size_t bytes)
{
    const size_t lines = (bytes + 63) / 64 * 64;
    uint64_t again, from;

    for (int attempt = 0; attempt < 2; attempt++) {
        again = (out->head + IRR_LANE_DATA - 1) / IRR_LANE_DATA * IRR_LANE_DATA;
        from = out->sent % IRR_LANE_SLOTS == 0 && fits(out, again, lines) ? again : out->head;
        from = fits(out, from, lines) ? from : again;
        if (fits(out, from, lines)) {
            out->head = from + lines;
            return out->data + from % IRR_LANE_DATA;
        }
        (void)irr_lane_update(out);
    }
    return NULL;
}
