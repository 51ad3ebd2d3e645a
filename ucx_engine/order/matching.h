/*
 * matching.h - a perfect matching of senders and receivers, which is repaired, not recomputed, when pairs come and go.
 *
 * Senders and receivers are numbered from 0 to size - 1.  One bit says whether a pair is allowed, and the search
 * handles 64 pairs at once.  A repair is one augmenting path, O(size * size / 64), and usually much shorter.
 */
#ifndef IRR_MATCHING_H
#define IRR_MATCHING_H

#include "irr.h"

typedef struct irr_matching {
    int       size;
    size_t    words;      /* words of a set of receivers */
    uint64_t *allowed;    /* set of allowed receivers of each sender */
    uint64_t *unseen;     /* set of receivers that the search has not reached */
    uint64_t *single;     /* set of receivers without a sender */
    int      *to;         /* receiver of each sender; -1: none */
    int      *from;       /* sender of each receiver; -1: none */
    int      *parent;     /* sender from which the search reached a receiver */
    int      *queue;      /* senders to be searched */
} irr_matching_t;

/* Creates a matching in which no pair is allowed and none matched.  IRR_ERR_NO_MEMORY. */
irr_status_t irr_matching_init(irr_matching_t *matching, int size);
void         irr_matching_fini(irr_matching_t *matching);

void irr_matching_allow(irr_matching_t *matching, int from, int to);

/* Forbids a pair; if the two are matched, both become free. */
void irr_matching_forbid(irr_matching_t *matching, int from, int to);

/* Finds a receiver for a sender without one; other senders may get another receiver.  False: there is no such path. */
bool irr_matching_augment(irr_matching_t *matching, int sender);

#endif
