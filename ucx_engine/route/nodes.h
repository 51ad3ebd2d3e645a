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

/*
 * The blocks for ranks that are not on the node of this one, of messages of at least so many bytes, copied to a list
 * with room for all.  O(blocks).
 */
irr_blocks_t irr_nodes_elsewhere(const irr_nodes_t *nodes, int rank, size_t least, irr_blocks_t blocks,
                                 irr_block_t *list);

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
 * The rank of a node that speaks to another node for all of it: the nodes after it are dealt out to its ranks in turn,
 * so each has as many as the others, or one more.  Two nodes speak by one rank of each.  Who speaks to several does so
 * in their order, and with nodes of one size no rank hears from two at a time.
 */
static inline int irr_nodes_speaker(const irr_nodes_t *nodes, int node, int other)
{
    return nodes->members[nodes->first[node] + irr_nodes_which(nodes, node, other) % irr_nodes_size(nodes, node)];
}

/* At which turn, from 1, it speaks to that node. */
static inline int irr_nodes_turn(const irr_nodes_t *nodes, int node, int other)
{
    return irr_nodes_which(nodes, node, other) / irr_nodes_size(nodes, node) + 1;
}

#endif
