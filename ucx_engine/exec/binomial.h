/*
 * binomial.h - the binomial tree of ranks 0 to P - 1 with root 0: the parent of a rank lacks its lowest bit.
 *
 * The children of a rank are at distances 1, 2, 4 .. below its own lowest bit, and the ranks below a child are the
 * child and those that follow it: so what comes from the children, the nearest one first, is in the order of ranks.
 *
 * Cost: ceil(log2 P) levels, and as many children of the root.
 */
#ifndef IRR_BINOMIAL_H
#define IRR_BINOMIAL_H

static inline int irr_binomial_parent(int rank)
{
    return rank & (rank - 1);
}

/* Ranks at and below one: itself and the next ones. */
static inline int irr_binomial_size(int rank, int ranks)
{
    const int most = rank > 0 ? rank & -rank : ranks;

    return most < ranks - rank ? most : ranks - rank;
}

#endif
