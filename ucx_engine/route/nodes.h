/*
 * nodes.h - the ranks of each node, for the route whose first dimension is inside the nodes.
 */
#ifndef IRR_NODES_H
#define IRR_NODES_H

#include "irr.h"

/* Nodes count from 0 in the order of their lowest ranks; the ranks of a node ascend. */
typedef struct irr_nodes {
    int  ranks;
    int  count;
    int  smallest, largest;  /* least and most ranks of a node */
    int *node;               /* by rank */
    int *place;              /* by rank: its index among the ranks of its node, from 0 */
    int *first;              /* by node, and one more: index in `members` of its first rank */
    int *members;            /* all ranks, node by node */
} irr_nodes_t;

/* Groups ranks with equal labels, which are any numbers, alike on all ranks.  IRR_ERR_NO_MEMORY.  O(P log P). */
irr_status_t irr_nodes_init(irr_nodes_t *nodes, int ranks, const int *labels);
void         irr_nodes_fini(irr_nodes_t *nodes);

static inline int irr_nodes_size(const irr_nodes_t *nodes, int node)
{
    return nodes->first[node + 1] - nodes->first[node];
}

/*
 * Returns the place, on a node, of the server of a rank of another node.  The server sends to this rank what the ranks
 * of its node have for it.  The ranks of other nodes, node by node, are distributed to the node's ranks in turn.  So
 * each serves equally many, or one more, whatever the sizes of the nodes.  If all nodes have the same size, a rank
 * serves the ranks at one place of each.
 */
static inline int irr_nodes_server(const irr_nodes_t *nodes, int node, int to)
{
    return (nodes->first[nodes->node[to]] + nodes->place[to]) % irr_nodes_size(nodes, node);
}

/* Return the i-th node after a node, around, from 0; and the index i of another node. */
static inline int irr_nodes_after(const irr_nodes_t *nodes, int node, int i)
{
    return (node + 1 + i) % nodes->count;
}

static inline int irr_nodes_which(const irr_nodes_t *nodes, int node, int other)
{
    return (other - node - 1 + nodes->count) % nodes->count;
}

/*
 * Returns the place of the leader of a node for another node: the rank that sends to that node, and receives from it,
 * for all ranks of its own node.  The nodes after a node are distributed to its ranks in turn.  So each rank leads for
 * equally many nodes, or one more.  For two nodes, one rank of each leads for the other node.
 */
static inline int irr_nodes_leader(const irr_nodes_t *nodes, int node, int other)
{
    return irr_nodes_which(nodes, node, other) % irr_nodes_size(nodes, node);
}

/* Returns the number of leaders of a node, which have its first places. */
static inline int irr_nodes_leaders(const irr_nodes_t *nodes, int node)
{
    const int size = irr_nodes_size(nodes, node);

    return size < nodes->count - 1 ? size : nodes->count - 1;
}

/* Returns the rank at a place of a node. */
static inline int irr_nodes_member(const irr_nodes_t *nodes, int node, int place)
{
    return nodes->members[nodes->first[node] + place];
}

#endif
