/*
 * lane.c - see lane.h: the sender's end, and the room for pieces.
 *
 * Bytes beside the slots are handed out in turn, from the beginning of the ring again at its end, and where the slots
 * begin a round: a short ring stays in the cache.
 */
#include "transport/shm/lane.h"

/* What the receiver says it has taken, if that can be. */
void irr_lane_look_back(irr_lane_out_t *out)
{
    uint32_t taken;

    if (out->taken_there == NULL) {
        return;
    }
    taken = atomic_load_explicit(out->taken_there, memory_order_acquire);
    if (taken != out->taken && taken - out->taken <= out->sent - out->taken) {
        out->taken = taken;
        out->tail = out->end[(taken - 1) % IRR_LANE_SLOTS];
    }
}

/* The bytes from there on are free, as long as they do not run into those in use. */
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
        irr_lane_look_back(out);
    }
    return NULL;
}
