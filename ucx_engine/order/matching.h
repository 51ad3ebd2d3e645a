/*
 * matching.h - a perfect matching of senders and receivers that is repaired, not recomputed, when pairs come and
 * go.
 *
 * Senders and receivers are numbered from 0 to size - 1.  Which pairs are allowed is a bit each, and 64 pairs are
 * looked at at once: a repair is one augmenting path, O(size * size / 64), and as a rule much shorter.
 */
#ifndef IRR_MATCHING_H
#define IRR_MATCHING_H

#include "irr.h"

typedef struct irr_matching {
    int       size;
    size_t    words;      /* of a set of receivers */
    uint64_t *allowed;    /* receivers of each sender */
    uint64_t *unseen;     /* receivers that the search has not met */
    uint64_t *single;     /* receivers without a sender */
    int      *to;         /* of each sender, -1 for none */
    int      *from;       /* of each receiver, -1 for none */
    int      *parent;     /* the sender from which the search met a receiver */
    int      *queue;      /* senders */
} irr_matching_t;

/* No pair is allowed, none matched.  IRR_ERR_NO_MEMORY. */
irr_status_t irr_matching_init(irr_matching_t *matching, int size);
void         irr_matching_fini(irr_matching_t *matching);

void irr_matching_allow(irr_matching_t *matching, int from, int to);

/* If the two are matched, both become free. */
void irr_matching_forbid(irr_matching_t *matching, int from, int to);

/* Finds a receiver for a sender that has none, others may get another one; false if there is no way. */
bool irr_matching_augment(irr_matching_t *matching, int sender);

#endif
