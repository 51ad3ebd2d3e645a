/*
 * tree.h - the ranks of a job on a tree of switches: paths, loads of the links, and contention.
 *
 *     Faraj, Yuan: Message scheduling for all-to-all personalized communication on Ethernet switched clusters,
 *     section 3
 *
 * The paper's machines are ranks.  The vertices of the topology keep their numbers; behind them each rank is a
 * leaf of its own below its host.  So a host with several ranks is to all algorithms a switch with machines on
 * it, and what a rank sends or receives is the load of its own edge.  Messages between ranks of one host use
 * those edges and no link.
 *
 * Speeds are those of the topology.  Their base is the slowest link of a host with ranks: so fast is each message,
 * and so fast a rank sends and receives.  A link that is c times as fast, rounded down, has a capacity of c
 * messages at a time.  One that is slower than the base carries one at a time, too, and takes longer for it:
 * bounds know that, while steps do not, and are counted as if it kept up.
 *
 * Each vertex v has two directed edges: 2 * v leads up to its parent, 2 * v + 1 down from it.  Those below
 * 2 * links are of links, the others of ranks.
 */
#ifndef IRR_TREE_H
#define IRR_TREE_H

#include "order/schedule.h"
#include "problem/matrix.h"
#include "problem/topology.h"

struct irr_tree {
    int       ranks;
    int       hosts;
    int       links;      /* vertices of the topology, whether or not there is something above */
    int       vertices;   /* links + ranks; rank r is vertex links + r */
    int       longest;    /* edges of the longest path there can be */
    int      *parent;     /* -1 for the vertex at the top */
    int      *depth;
    int      *below;      /* ranks at and below each vertex */
    int      *capacity;   /* of each edge, and at most what ranks can send over it at a time; 1 for a rank */
    uint64_t *speed;      /* of each edge; base for a rank */
    uint64_t  base;
};

/*
 * host_of[r] is the host of rank r; NULL: rank r is alone on host r.  Copies what it needs.  IRR_ERR_NO_MEMORY;
 * IRR_ERR_BAD_PARAM: no ranks, a rank on no host of the topology, a speed of 0, or no tree of switches with hosts
 * as leaves.
 */
irr_status_t irr_tree_init(irr_tree_t *tree, const irr_topology_t *topology, const int *host_of, int ranks);

/* All ranks on hosts of their own, at one switch.  IRR_ERR_NO_MEMORY; IRR_ERR_BAD_PARAM: no ranks. */
irr_status_t irr_tree_init_star(irr_tree_t *tree, int ranks);

/* Zeroed is empty. */
void irr_tree_fini(irr_tree_t *tree);

/* Messages of the base speed that the link of an edge carries at a time, without loss, if there are so many. */
uint64_t irr_tree_width(const irr_tree_t *tree, int edge);

/* Bytes that an edge of the base speed carries in the time of these, rounded up; UINT64_MAX if they do not fit. */
uint64_t irr_tree_at_base(const irr_tree_t *tree, int edge, uint64_t bytes);

/* The edge, of the first so many, with most bytes by its speed; the first of several. */
int irr_tree_busiest(const irr_tree_t *tree, const uint64_t *bytes, int edges);

/* Bytes at the base speed in the time that an edge takes for these, one message or as many as its capacity. */
uint64_t irr_tree_load(const irr_tree_t *tree, int edge, uint64_t bytes);

/* The vertex of a rank. */
static inline int irr_tree_leaf(const irr_tree_t *tree, int rank)
{
    return tree->links + rank;
}

/* The directed edges from one rank to another, in order; path has room for tree->longest.  Returns how many. */
int irr_tree_path(const irr_tree_t *tree, int from, int to, int *path);

/* The same without the edges of the two ranks themselves: the links alone. */
int irr_tree_link_path(const irr_tree_t *tree, int from, int to, int *path);

/*
 * Bytes of each directed edge (2 * vertices of them) under a matrix with as many ranks; what a rank has for itself
 * is left out.  O(P * P * depth) for P ranks.  IRR_ERR_NO_MEMORY; IRR_ERR_BAD_PARAM if the ranks differ, or all
 * together have 2^63 bytes or more.
 */
irr_status_t irr_tree_loads(const irr_tree_t *tree, const irr_matrix_t *matrix, uint64_t *loads);

/*
 * The edge with most bytes by its speed, that of a link if one of a rank is as busy: no contention-free schedule
 * takes less than its bytes at the base speed.
 */
typedef struct irr_tree_bound {
    uint64_t bytes;   /* that pass an edge of the base speed in this time, rounded up */
    int      edge;
} irr_tree_bound_t;

/* Errors and time as irr_tree_loads. */
irr_status_t irr_tree_bound(const irr_tree_t *tree, const irr_matrix_t *matrix, irr_tree_bound_t *bound);

/* The last two of too many transmissions of a step that share a directed edge of a link; indices in the list. */
typedef struct irr_tree_clash {
    size_t first, second;
    int    edge;
} irr_tree_clash_t;

/*
 * Do no more transmissions of a step share a directed edge of a link than its capacity?  IRR_ERR_INVALID_PLAN,
 * with which alone the first clash is set (may be NULL).  The schedule has passed irr_schedule_check_alone, which
 * looks at the ranks.  IRR_ERR_BAD_PARAM if the ranks differ; IRR_ERR_NO_MEMORY.  O(n * depth) for n
 * transmissions.
 */
irr_status_t irr_tree_check(const irr_tree_t *tree, const irr_schedule_t *schedule, irr_tree_clash_t *clash);

#endif
