/*
 * matching.c - pairs senders with receivers: breadth-first search for an augmenting path, on bit sets; see matching.h.
 */
#include "order/matching.h"

#include "core/alloc.h"

#include <string.h>

irr_status_t irr_matching_init(irr_matching_t *matching, int size)
{
    const size_t n = (size_t)size;
    irr_matching_t made = { .size = size, .words = (n + 63) / 64 };
    const irr_array_t arrays[] = {
        IRR_ARRAY(made.allowed, n * made.words), IRR_ARRAY(made.unseen, made.words),
        IRR_ARRAY(made.single, made.words), IRR_ARRAY(made.to, n), IRR_ARRAY(made.from, n),
        IRR_ARRAY(made.parent, n), IRR_ARRAY(made.queue, n)
    };

    if (IRR_ALLOC_ARRAYS(arrays) != IRR_OK) {
        return IRR_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < n; i++) {
        made.to[i] = made.from[i] = -1;
        made.single[i / 64] |= UINT64_C(1) << i % 64;
    }
    *matching = made;
    return IRR_OK;
}

void irr_matching_fini(irr_matching_t *matching)
{
    irr_free(matching->allowed);   /* frees the other arrays too */
    *matching = (irr_matching_t){ .size = 0 };
}

static uint64_t *word(const irr_matching_t *matching, int from, int to)
{
    return &matching->allowed[(size_t)from * matching->words + (size_t)to / 64];
}

void irr_matching_allow(irr_matching_t *matching, int from, int to)
{
    *word(matching, from, to) |= UINT64_C(1) << to % 64;
}

void irr_matching_forbid(irr_matching_t *matching, int from, int to)
{
    *word(matching, from, to) &= ~(UINT64_C(1) << to % 64);
    if (matching->to[from] == to) {
        matching->to[from] = matching->from[to] = -1;
        matching->single[to / 64] |= UINT64_C(1) << to % 64;
    }
}

/*
 * Changes the matching along an augmenting path, which ends at receiver `to`.  This receiver is paired with the sender
 * from which the search reached it.  The sender's old receiver is then paired in the same way, and so on back to the
 * sender without a receiver.
 */
static void flip(irr_matching_t *matching, int to)
{
    matching->single[to / 64] &= ~(UINT64_C(1) << to % 64);
    while (to >= 0) {
        int from = matching->parent[to], next = matching->to[from];

        matching->to[from] = to;
        matching->from[to] = from;
        to = next;
    }
}

/* Returns a receiver without a sender that may be paired with this sender, or -1. */
static int find_single(const irr_matching_t *matching, int from)
{
    const uint64_t *allowed = word(matching, from, 0);

    for (size_t w = 0; w < matching->words; w++) {
        uint64_t found = allowed[w] & matching->single[w];

        if (found != 0) {
            return (int)(w * 64) + __builtin_ctzll(found);
        }
    }
    return -1;
}

/*
 * Visits each allowed receiver of this sender that the search has not reached, and queues the receiver's current
 * sender.  Returns the tail of the queue.
 */
static int spread(irr_matching_t *matching, int from, int tail)
{
    const uint64_t *allowed = word(matching, from, 0);

    for (size_t w = 0; w < matching->words; w++) {
        uint64_t found = allowed[w] & matching->unseen[w];

        matching->unseen[w] &= ~found;
        for (; found != 0; found &= found - 1) {
            int to = (int)(w * 64) + __builtin_ctzll(found);

            matching->parent[to] = from;
            matching->queue[tail++] = matching->from[to];
        }
    }
    return tail;
}

bool irr_matching_augment(irr_matching_t *matching, int sender)
{
    int head = 0, tail = 0;

    memset(matching->unseen, 0xff, matching->words * sizeof(*matching->unseen));
    matching->queue[tail++] = sender;
    while (head < tail) {
        int from = matching->queue[head++], to = find_single(matching, from);

        if (to >= 0) {
            matching->parent[to] = from;
            flip(matching, to);
            return true;
        }
        tail = spread(matching, from, tail);
    }
    return false;
}
