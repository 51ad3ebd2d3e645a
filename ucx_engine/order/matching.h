/*
 * matching.h - a matching: it pairs each sender with at most one receiver, and each receiver with at most one sender.
 * When the set of allowed pairs changes, the matching is repaired, not computed again.
 *
 * Senders and receivers are numbered from 0 to size - 1.  A bit states whether a pair is allowed, so the search handles
 * 64 pairs at once.  A repair is one augmenting path, which takes O(size * size / 64) time, and usually much less.
 */
#ifndef IRR_MATCHING_H
#define IRR_MATCHING_H

#include "irr.h"

typedef struct irr_matching {
    int       size;
    size_t    words;      /* number of 64-bit words of a set of receivers */
    uint64_t *allowed;    /* set of allowed receivers of each sender */
    uint64_t *unseen;     /* set of receivers that the search has not reached */
    uint64_t *single;     /* set of receivers without a sender */
    int      *to;         /* receiver of each sender; -1: none */
    int      *from;       /* sender of each receiver; -1: none */
    int      *parent;     /* sender from which the search reached a receiver */
    int      *queue;      /* senders to be searched */
} irr_matching_t;

/* Creates a matching in which no pair is allowed and no pair is matched.  May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_matching_init(irr_matching_t *matching, int size);
void         irr_matching_fini(irr_matching_t *matching);

void irr_matching_allow(irr_matching_t *matching, int from, int to);

/* Forbids a pair; if the pair is in the matching, it is removed. */
void irr_matching_forbid(irr_matching_t *matching, int from, int to);

/* Finds a receiver for a sender that has none; other pairs may change.  Returns false if there is no such matching. */
bool irr_matching_augment(irr_matching_t *matching, int sender);

#endif
