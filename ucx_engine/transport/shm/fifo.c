/*
 * fifo.c - allocation of ranges in the data ring, in which a sender puts the pieces of long messages; see fifo.h.
 *
 * irr_fifo_room allocates contiguous ranges one after the other. It restarts at the beginning of the ring if a range
 * does not fit before the end, and for the first slot of the ring of slots. If pieces are short, only the beginning of
 * the data ring is therefore used, which stays in the cache.
 */
#include "transport/shm/fifo.h"

/* Returns true if `bytes` bytes from position `from` on are free, and do not cross the end of the ring. */
static bool fits(const irr_fifo_out_t *out, uint64_t from, size_t bytes)
{
    return from % IRR_FIFO_DATA + bytes <= IRR_FIFO_DATA && from + bytes - out->tail <= IRR_FIFO_DATA;
}

unsigned char *irr_fifo_room(irr_fifo_out_t *out, size_t bytes)
{
    const size_t lines = (bytes + 63) / 64 * 64;
    uint64_t again, from;

    for (int attempt = 0; attempt < 2; attempt++) {
        again = (out->head + IRR_FIFO_DATA - 1) / IRR_FIFO_DATA * IRR_FIFO_DATA;
        from = out->sent % IRR_FIFO_SLOTS == 0 && fits(out, again, lines) ? again : out->head;
        from = fits(out, from, lines) ? from : again;
        if (fits(out, from, lines)) {
            out->head = from + lines;
            return out->data + from % IRR_FIFO_DATA;
        }
        (void)irr_fifo_update(out);
    }
    return NULL;
}
