/*
 * tree.h - the ranks of a job on a tree of switches: paths, loads of the links, and contention.
 *
 *     Faraj, Yuan: Message scheduling for all-to-all personalized communication on Ethernet switched clusters,
 *     section 3
 *
 * The machines of the paper are ranks here.  The tree has all vertices of the topology, with the same numbers, and one
 * more vertex for each rank, a leaf below the host of the rank.  To all algorithms, a host with several ranks therefore
 * looks like a switch with machines.  The bytes that a rank sends or receives are the load of the edge of its vertex.
 * Messages between ranks of one host use the edges of the two ranks, and no link.
 *
 * The topology has the speeds of links.  The base speed is the speed of the slowest link of a host with ranks; all
 * messages travel at this speed, and all ranks send and receive at this speed.  A link that is c times as fast (c is
 * rounded down) has a capacity of c messages at a time.  A link that is slower than the base speed carries one message
 * at a time.  Bounds include that such a link takes longer; steps are computed as if it had the base speed.
 *
 * Each vertex v has two directed edges: 2 * v leads up to its parent, and 2 * v + 1 down from its parent.  Edges below
 * 2 * links are the edges of links; all others are the edges of ranks.
 */
#ifndef IRR_TREE_H
#define IRR_TREE_H

#include "order/schedule.h"
#include "problem/matrix.h"
#include "problem/topology.h"

struct irr_tree {
    int       ranks;
    int       hosts;
    int       links;      /* number of vertices of the topology, including the top */
    int       vertices;   /* links + ranks; rank r is vertex links + r */
    int       longest;    /* upper limit of the number of edges of a path */
    int      *parent;     /* parent of each vertex; -1: the top */
    int      *depth;
    int      *below;      /* by vertex: number of ranks at and below it */
    int      *capacity;   /* by vertex: number of messages that each of its two edges carries at a time, at most the
                             number of ranks that use the edge; 1 for the vertex of a rank */
    uint64_t *speed;      /* speed of each edge; base for a rank */
    uint64_t  base;
};

/*
 * Creates the tree.  host_of[r]: the host of rank r; NULL: rank r is alone on host r.  The input is copied.  Returns
 * IRR_ERR_BAD_PARAM if there are no ranks, a rank is on no host of the topology, a speed is 0, or the topology is not a
 * tree of switches with hosts as leaves.  May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_tree_init(irr_tree_t *tree, const irr_topology_t *topology, const int *host_of, int ranks);

/*
 * Creates a tree with one switch and a host for each rank.  Returns IRR_ERR_BAD_PARAM if there are no ranks.  May
 * return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_tree_init_star(irr_tree_t *tree, int ranks);

/* Frees the tree.  A zeroed tree is empty. */
void irr_tree_fini(irr_tree_t *tree);

/*
 * Returns the number of messages of base speed that an edge can carry at a time, at least 1.  Unlike the capacity, it
 * is not limited by the number of ranks that use the edge.
 */
uint64_t irr_tree_width(const irr_tree_t *tree, int edge);

/*
 * Returns the number of bytes that an edge of base speed carries in the time in which this edge carries `bytes` bytes,
 * rounded up; at most UINT64_MAX.
 */
uint64_t irr_tree_at_base(const irr_tree_t *tree, int edge, uint64_t bytes);

/* Returns the edge, of the edges 0 to edges - 1, that takes the longest time for its bytes; of several, the first. */
int irr_tree_busiest(const irr_tree_t *tree, const uint64_t *bytes, int edges);

/*
 * Returns the time that an edge needs for `bytes` bytes if it always carries as many messages as its capacity.  The
 * unit is the time of a byte at base speed.
 */
uint64_t irr_tree_load(const irr_tree_t *tree, int edge, uint64_t bytes);

/* Returns the vertex of a rank. */
static inline int irr_tree_leaf(const irr_tree_t *tree, int rank)
{
    return tree->links + rank;
}

/*
 * Sets path[] to the directed edges from one rank to another, in order, and returns their number, at most
 * tree->longest.
 */
int irr_tree_path(const irr_tree_t *tree, int from, int to, int *path);

/* Finds the links of a path: its edges without those of the two ranks. */
int irr_tree_link_path(const irr_tree_t *tree, int from, int to, int *path);

/*
 * Computes the bytes of each directed edge (2 * vertices of them) under a matrix; messages of ranks to themselves are
 * ignored.  O(P * P * depth) for P ranks.  Returns IRR_ERR_BAD_PARAM if tree and matrix have different numbers of
 * ranks, or if all messages together have 2^63 bytes or more.  May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_tree_loads(const irr_tree_t *tree, const irr_matrix_t *matrix, uint64_t *loads);

/*
 * The edge with the largest quotient of bytes divided by speed.  If a link and the edge of a rank are equal, the link
 * is used.  No contention-free schedule takes less time than an edge of base speed takes for `bytes` bytes.
 */
typedef struct irr_tree_bound {
    uint64_t bytes;   /* irr_tree_at_base of the bytes of this edge */
    int      edge;
} irr_tree_bound_t;

/* Computes the bound.  Errors and time are those of irr_tree_loads. */
irr_status_t irr_tree_bound(const irr_tree_t *tree, const irr_matrix_t *matrix, irr_tree_bound_t *bound);

/*
 * A step has too many transmissions over a directed edge of a link. first, second: the last two of them, as indices in
 * the list.
 */
typedef struct irr_tree_clash {
    size_t first, second;
    int    edge;
} irr_tree_clash_t;

/*
 * Checks that no directed edge of a link has more transmissions of a step than its capacity.  The schedule must have
 * passed irr_schedule_check_alone.  Otherwise returns IRR_ERR_INVALID_PLAN and sets *clash to the first clash; clash
 * may be NULL.  Returns IRR_ERR_BAD_PARAM if tree and schedule have different numbers of ranks.  May return
 * IRR_ERR_NO_MEMORY.  O(n * depth) for n transmissions.
 */
irr_status_t irr_tree_check(const irr_tree_t *tree, const irr_schedule_t *schedule, irr_tree_clash_t *clash);

#endif
