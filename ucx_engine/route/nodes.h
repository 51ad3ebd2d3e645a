/*
 * nodes.h - which ranks share a node, for the route that keeps its first dimension inside the nodes.
 */
#ifndef IRR_NODES_H
#define IRR_NODES_H

#include "irr.h"

/* Nodes count from 0 in the order of their lowest ranks; the ranks of a node ascend. */
typedef struct irr_nodes {
    int  ranks;
    int  count;
    int  smallest, largest;  /* ranks of a node */
    int *node;               /* by rank */
    int *place;              /* by rank: which one of its node, from 0 */
    int *first;              /* by node, and one more: where its ranks begin in `members` */
    int *members;            /* all ranks, node by node */
} irr_nodes_t;

/*
 * Ranks with equal labels share a node; labels are any numbers that all ranks know alike.  Fails with
 * IRR_ERR_NO_MEMORY.  O(P log P).
 */
irr_status_t irr_nodes_init(irr_nodes_t *nodes, int ranks, const int *labels);
void         irr_nodes_fini(irr_nodes_t *nodes);

static inline int irr_nodes_size(const irr_nodes_t *nodes, int node)
{
    return nodes->first[node + 1] - nodes->first[node];
}

/*
 * The place of who on a node sends to a rank of another one what the node has for it: the ranks elsewhere, node by
 * node, are dealt out to those of the node in turn.  So each serves as many as the others, or one more, whatever the
 * sizes of the nodes; with nodes of one size, places serve places.
 */
static inline int irr_nodes_server(const irr_nodes_t *nodes, int node, int to)
{
    return (nodes->first[nodes->node[to]] + nodes->place[to]) % irr_nodes_size(nodes, node);
}

/* The i-th of the nodes after a node, around, from 0; and which one another node is. */
static inline int irr_nodes_after(const irr_nodes_t *nodes, int node, int i)
{
    return (node + 1 + i) % nodes->count;
}

static inline int irr_nodes_which(const irr_nodes_t *nodes, int node, int other)
{
    return (other - node - 1 + nodes->count) % nodes->count;
}

/*
 * The place of the leader of a node for another node: the rank that sends to that node, and receives from it, for all
 * ranks of its own one.  The nodes after a node are distributed to its ranks in turn, so each rank leads for as many
 * nodes as the others, or for one more.  One rank of each of two nodes leads for the other one.
 */
static inline int irr_nodes_leader(const irr_nodes_t *nodes, int node, int other)
{
    return irr_nodes_which(nodes, node, other) % irr_nodes_size(nodes, node);
}

/* The number of leaders of a node, which have its first places. */
static inline int irr_nodes_leaders(const irr_nodes_t *nodes, int node)
{
    const int size = irr_nodes_size(nodes, node);

    return size < nodes->count - 1 ? size : nodes->count - 1;
}

/* The rank at a place of a node. */
static inline int irr_nodes_member(const irr_nodes_t *nodes, int node, int place)
{
    return nodes->members[nodes->first[node] + place];
}

#endif
