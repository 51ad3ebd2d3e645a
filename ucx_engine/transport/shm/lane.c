/*
 * lane.c - the sender's end of a lane, and the allocation of room for pieces; see lane.h.
 *
 * The bytes beside the slots form a ring, and irr_lane_room allocates them in sequence. It restarts at the beginning of
 * the ring when it has reached the end, and when a round of slots begins, so that only a short part of the ring is
 * used, which stays in the cache.
 */
#include "transport/shm/lane.h"

/* Returns true if `bytes` bytes from `from` on are free and contiguous. */
static bool fits(const irr_lane_out_t *out, uint64_t from, size_t bytes)
{
    return from % IRR_LANE_BESIDE + bytes <= IRR_LANE_BESIDE && from + bytes - out->tail <= IRR_LANE_BESIDE;
}

unsigned char *irr_lane_room(irr_lane_out_t *out, size_t bytes)
{
    const size_t lines = (bytes + 63) / 64 * 64;
    uint64_t again, from;

    for (int look = 0; look < 2; look++) {
        again = (out->head + IRR_LANE_BESIDE - 1) / IRR_LANE_BESIDE * IRR_LANE_BESIDE;
        from = out->sent % IRR_LANE_SLOTS == 0 && fits(out, again, lines) ? again : out->head;
        from = fits(out, from, lines) ? from : again;
        if (fits(out, from, lines)) {
            out->head = from + lines;
            return out->beside + from % IRR_LANE_BESIDE;
        }
        (void)irr_lane_look_back(out);
    }
    return NULL;
}
