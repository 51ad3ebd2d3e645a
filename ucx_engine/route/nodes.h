/*
 * nodes.h - the ranks of each node, for the route whose first dimension is inside the nodes.
 */
#ifndef IRR_NODES_H
#define IRR_NODES_H

#include "irr.h"

/*
 * Nodes count from 0 in the order of their lowest ranks; the ranks of a node ascend.  Nodes are regular if `block`
 * consecutive ranks belong to each node in turn: a job starts its ranks by slots or by nodes.  Regular nodes need no
 * tables.
 */
typedef struct irr_nodes {
    int  ranks;
    int  count;
    int  smallest, largest;  /* number of ranks of the smallest and of the largest node */
    int  block;              /* of regular nodes; 0: not regular */
    int *node;               /* by rank; NULL if regular, as are the other tables */
    int *place;              /* by rank: its index among the ranks of its node, from 0 */
    int *first;              /* count + 1 entries; by node: index in `members` of its first rank */
    int *members;            /* all ranks, node by node */
} irr_nodes_t;

/*
 * Groups ranks with equal labels.  Labels are any numbers, and equal on all ranks.  Takes 12 bytes a rank and 4 bytes a
 * node, or nothing for regular nodes.  O(P).  IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_nodes_init(irr_nodes_t *nodes, int ranks, const int *labels);
void         irr_nodes_fini(irr_nodes_t *nodes);

/* Returns the node of a rank. */
static inline int irr_nodes_of(const irr_nodes_t *nodes, int rank)
{
    return nodes->block > 0 ? rank / nodes->block % nodes->count : nodes->node[rank];
}

/* Returns the index of a rank among the ranks of its node, from 0. */
static inline int irr_nodes_place(const irr_nodes_t *nodes, int rank)
{
    return nodes->block > 0 ? rank / nodes->block / nodes->count * nodes->block + rank % nodes->block
                            : nodes->place[rank];
}

/* Returns the number of ranks of all nodes before a node. */
static inline int irr_nodes_first(const irr_nodes_t *nodes, int node)
{
    const int turn = nodes->block * nodes->count, before = nodes->block * node;

    if (nodes->block == 0) {
        return nodes->first[node];
    }
    return nodes->ranks / turn * before + (nodes->ranks % turn < before ? nodes->ranks % turn : before);
}

static inline int irr_nodes_size(const irr_nodes_t *nodes, int node)
{
    return irr_nodes_first(nodes, node + 1) - irr_nodes_first(nodes, node);
}

/* Returns the rank at a place of a node. */
static inline int irr_nodes_member(const irr_nodes_t *nodes, int node, int place)
{
    return nodes->block > 0 ? (place / nodes->block * nodes->count + node) * nodes->block + place % nodes->block
                            : nodes->members[nodes->first[node] + place];
}

/*
 * Returns the place, on `node`, of the server of rank `to` of another node.  The server sends the data of all ranks of
 * `node` to this rank.  The ranks of the other nodes are assigned to the ranks of `node` round-robin, node by node, so
 * the numbers of ranks that two servers serve differ by at most one.  If all nodes have the same size, a rank serves
 * the ranks at the same place of each node.
 */
static inline int irr_nodes_server(const irr_nodes_t *nodes, int node, int to)
{
    return (irr_nodes_first(nodes, irr_nodes_of(nodes, to)) + irr_nodes_place(nodes, to)) % irr_nodes_size(nodes, node);
}

/* Return the i-th node after a node, where the nodes are a ring and i counts from 0; and the index i of a node. */
static inline int irr_nodes_after(const irr_nodes_t *nodes, int node, int i)
{
    return (node + 1 + i) % nodes->count;
}

static inline int irr_nodes_which(const irr_nodes_t *nodes, int node, int other)
{
    return (other - node - 1 + nodes->count) % nodes->count;
}

/*
 * Returns the place of the leader of `node` for node `other`: the rank that sends to node `other`, and receives from
 * it, for all ranks of `node`.  The other nodes are assigned to the ranks of a node round-robin, so the numbers of
 * nodes for which two ranks lead differ by at most one.  For a pair of nodes, each node has one leader.
 */
static inline int irr_nodes_leader(const irr_nodes_t *nodes, int node, int other)
{
    return irr_nodes_which(nodes, node, other) % irr_nodes_size(nodes, node);
}

/* Returns the number of leaders of a node.  The leaders are at its first places. */
static inline int irr_nodes_leaders(const irr_nodes_t *nodes, int node)
{
    const int size = irr_nodes_size(nodes, node);

    return size < nodes->count - 1 ? size : nodes->count - 1;
}

#endif
