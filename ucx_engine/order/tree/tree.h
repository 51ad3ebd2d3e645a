/*
 * tree.h - the ranks of a job on a tree of switches: paths, loads of the links, and contention.
 *
 *     Faraj, Yuan: Message scheduling for all-to-all personalized communication on Ethernet switched clusters,
 *     section 3
 *
 * The leaves of the paper's tree are machines; here they are ranks.  The tree has all hosts and switches of the
 * topology as vertices, with the same numbers, and one more vertex for each rank, a leaf below the host of the rank.
 * To all algorithms, a host with several ranks therefore looks like a switch with machines.
 *
 * The edge between two vertices of the topology is a link.  The edge above the leaf of a rank is not a link: its load
 * is the number of bytes that the rank sends or receives.  A message between ranks of one host uses the edges of the
 * two ranks, and no link.
 *
 * The topology has the speeds of links.  The base speed is the speed of the slowest link of a host with ranks; all
 * messages travel at this speed.  The capacity of a link is the number of messages that it carries at a time: c if the
 * link is c times as fast as the base speed (c is rounded down), and 1 if it is slower.  A slow link raises the bounds
 * of the time, but the steps are computed as if the link had the base speed.
 *
 * Each vertex v has two directed edges: 2 * v leads up to its parent, and 2 * v + 1 down from its parent.  An edge with
 * a number below 2 * links is one direction of a link of the topology; any other edge connects a rank to its host.
 */
#ifndef IRR_TREE_H
#define IRR_TREE_H

#include "order/schedule.h"
#include "problem/matrix.h"
#include "problem/topology.h"

struct irr_tree {
    int       ranks;
    int       hosts;
    int       links;      /* number of hosts and switches, including the top switch */
    int       vertices;   /* links + ranks; rank r is vertex links + r */
    int       longest;    /* upper limit of the number of edges of a path */
    int      *parent;     /* parent of each vertex; -1: the top */
    int      *depth;
    int      *below;      /* by vertex: number of ranks at or below it */
    int      *capacity;   /* by vertex: number of messages that each of its two edges carries at a time; at most the
                             number of ranks that use the edge, so 1 for the vertex of a rank */
    uint64_t *speed;      /* by vertex: speed of its two edges; `base` for the vertex of a rank */
    uint64_t  base;
};

/*
 * Creates the tree.  host_of[r]: the host of rank r; NULL: rank r is alone on host r.  The input is copied.  Returns
 * IRR_ERR_BAD_PARAM if there are no ranks, a host of a rank does not exist, a speed is 0, or the topology is not a tree
 * of switches with hosts as leaves.  May return IRR_ERR_NO_MEMORY.
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
 * Returns the number of messages of base speed that an edge can carry at a time, at least 1.  Unlike the capacity, this
 * number may be larger than the number of ranks that use the edge.
 */
uint64_t irr_tree_width(const irr_tree_t *tree, int edge);

/*
 * Converts bytes on an edge to a time.  The unit is the time in which an edge of base speed carries one byte.  Rounded
 * up; at most UINT64_MAX.
 */
uint64_t irr_tree_at_base(const irr_tree_t *tree, int edge, uint64_t bytes);

/* Returns the edge e < `edges` that takes the longest time for bytes[e] bytes; of several, the first one. */
int irr_tree_busiest(const irr_tree_t *tree, const uint64_t *bytes, int edges);

/*
 * Returns the time that an edge needs for `bytes` bytes if it always carries as many messages as its capacity.  The
 * unit is the one of irr_tree_at_base.
 */
uint64_t irr_tree_load(const irr_tree_t *tree, int edge, uint64_t bytes);

static inline int irr_tree_leaf(const irr_tree_t *tree, int rank)
{
    return tree->links + rank;
}

/*
 * Sets path[] to the directed edges from one rank to another, in order, and returns their number, at most
 * tree->longest.
 */
int irr_tree_path(const irr_tree_t *tree, int from, int to, int *path);

/* Sets path[] to the links of the path, which are its edges without those of the two ranks.  Returns their number. */
int irr_tree_link_path(const irr_tree_t *tree, int from, int to, int *path);

/*
 * Sets loads[e] to the bytes that cross directed edge e if the messages of a matrix are sent; there are 2 *
 * tree->vertices edges.  Messages of ranks to themselves are ignored.  O(P * P * depth) for P ranks.  Returns
 * IRR_ERR_BAD_PARAM if tree and matrix have different numbers of ranks, or if all messages together have 2^63 bytes or
 * more.  May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_tree_loads(const irr_tree_t *tree, const irr_matrix_t *matrix, uint64_t *loads);

/*
 * The edge that takes the longest time for its bytes: bytes divided by speed.  If a link and the edge of a rank take
 * equally long, this is the link.  No contention-free schedule takes less time than this edge.
 */
typedef struct irr_tree_bound {
    uint64_t bytes;   /* its time, from irr_tree_at_base */
    int      edge;
} irr_tree_bound_t;

/* Computes the bound.  Errors and time are those of irr_tree_loads. */
irr_status_t irr_tree_bound(const irr_tree_t *tree, const irr_matrix_t *matrix, irr_tree_bound_t *bound);

/*
 * A fault of a schedule: a step has more transmissions over a link, in one direction, than the capacity.  first,
 * second: the last two of these transmissions, as indices in the list of the schedule.
 */
typedef struct irr_tree_clash {
    size_t first, second;
    int    edge;
} irr_tree_clash_t;

/*
 * Checks that no directed edge of a link has more transmissions of a step than its capacity.  The schedule must have
 * passed irr_schedule_check_alone.  Returns IRR_ERR_INVALID_PLAN if an edge has too many transmissions, and sets *clash
 * to the first of these edges unless clash is NULL.  Returns IRR_ERR_BAD_PARAM if tree and schedule have different
 * numbers of ranks.  May return IRR_ERR_NO_MEMORY.  O(n * depth) for n transmissions.
 */
irr_status_t irr_tree_check(const irr_tree_t *tree, const irr_schedule_t *schedule, irr_tree_clash_t *clash);

#endif
