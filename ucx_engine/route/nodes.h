/* nodes.h - the ranks of each node, and the leaders of nodes: ranks that send for all ranks of their node. */
#ifndef IRR_NODES_H
#define IRR_NODES_H

#include "irr.h"

/*
 * Nodes count from 0 in the order of their lowest ranks; the ranks of a node ascend.  Nodes are regular if ranks are
 * dealt out in blocks: the first `block` ranks to node 0, the next `block` ranks to node 1, and after the last node to
 * node 0 again.  mpirun maps ranks like this by slots (one round) or by nodes (`block` is 1).  For regular nodes all
 * functions compute with `block`, and the tables are NULL.
 */
typedef struct irr_nodes {
    int  ranks;
    int  count;
    int  smallest, largest;  /* number of ranks of the smallest and of the largest node */
    int  block;              /* of regular nodes; 0: the nodes are not regular */
    int *node;               /* by rank: its node */
    int *index;              /* by rank: its index among the ranks of its node, from 0 */
    int *first;              /* count + 1 entries; by node: index in `members` of its first rank */
    int *members;            /* all ranks, node by node */
} irr_nodes_t;

/*
 * Puts ranks with equal labels on one node.  Labels are any numbers; all ranks must pass the same labels.  The tables
 * take 12 bytes for each rank and 4 bytes for each node, or no memory if the nodes are regular.  O(P).  May return
 * IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_nodes_init(irr_nodes_t *nodes, int ranks, const int *labels);
void         irr_nodes_fini(irr_nodes_t *nodes);

static inline int irr_nodes_of(const irr_nodes_t *nodes, int rank)
{
    return nodes->block > 0 ? rank / nodes->block % nodes->count : nodes->node[rank];
}

/* Returns the index of a rank among the ranks of its node, from 0. */
static inline int irr_nodes_index(const irr_nodes_t *nodes, int rank)
{
    return nodes->block > 0 ? rank / nodes->block / nodes->count * nodes->block + rank % nodes->block
                            : nodes->index[rank];
}

/* Returns the number of ranks of all nodes before a node. */
static inline int irr_nodes_first(const irr_nodes_t *nodes, int node)
{
    const int cycle = nodes->block * nodes->count, before = nodes->block * node;

    if (nodes->block == 0) {
        return nodes->first[node];
    }
    return nodes->ranks / cycle * before + (nodes->ranks % cycle < before ? nodes->ranks % cycle : before);
}

static inline int irr_nodes_size(const irr_nodes_t *nodes, int node)
{
    return irr_nodes_first(nodes, node + 1) - irr_nodes_first(nodes, node);
}

static inline int irr_nodes_member(const irr_nodes_t *nodes, int node, int index)
{
    return nodes->block > 0 ? (index / nodes->block * nodes->count + node) * nodes->block + index % nodes->block
                            : nodes->members[nodes->first[node] + index];
}

/*
 * Returns the leader of `node` for rank `to` of another node, as an index in `node`.  The leader sends the data of all
 * ranks of `node` to rank `to`.  The ranks of the other nodes are assigned to the ranks of `node` round-robin, node by
 * node, so that each rank leads for nearly the same number of ranks.  If all nodes have the same size, a rank leads for
 * the ranks that have its own index in their nodes.
 */
static inline int irr_nodes_rank_leader(const irr_nodes_t *nodes, int node, int to)
{
    return (irr_nodes_first(nodes, irr_nodes_of(nodes, to)) + irr_nodes_index(nodes, to)) % irr_nodes_size(nodes, node);
}

/*
 * For each node there is a list of the other nodes: the nodes with higher numbers, and then those with lower numbers.
 * irr_nodes_after returns entry i, from 0, of the list of `node`; irr_nodes_which returns the entry of node `other`.
 */
static inline int irr_nodes_after(const irr_nodes_t *nodes, int node, int i)
{
    return (node + 1 + i) % nodes->count;
}

static inline int irr_nodes_which(const irr_nodes_t *nodes, int node, int other)
{
    return (other - node - 1 + nodes->count) % nodes->count;
}

/*
 * Returns the leader of `node` for node `other`, as an index in `node`: the rank that sends to node `other`, and
 * receives from it, for all ranks of `node`.  The other nodes are assigned to the ranks of a node round-robin, so that
 * each rank leads for the same number of nodes, or for one more.
 */
static inline int irr_nodes_leader(const irr_nodes_t *nodes, int node, int other)
{
    return irr_nodes_which(nodes, node, other) % irr_nodes_size(nodes, node);
}

/* Returns the number of leaders of a node for other nodes.  They are the first ranks of the node. */
static inline int irr_nodes_leaders(const irr_nodes_t *nodes, int node)
{
    const int size = irr_nodes_size(nodes, node);

    return size < nodes->count - 1 ? size : nodes->count - 1;
}

#endif
