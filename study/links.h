/*
 * links.h - what the plans of all ranks put on the links of a tree of switches.
 */
#ifndef IRR_LINKS_H
#define IRR_LINKS_H

#include "problem/topology.h"
#include "study/plans.h"

/* The two directions of a link. */
typedef enum irr_direction { IRR_UP, IRR_DOWN, IRR_DIRECTIONS } irr_direction_t;

/* A directed link: between a vertex and its parent. */
typedef struct irr_link {
    int             vertex;     /* -1: none */
    irr_direction_t direction;  /* up: to the parent */
} irr_link_t;

typedef struct irr_links {
    uint64_t  *bytes[IRR_DIRECTIONS];  /* by vertex; nothing at the top */
    size_t     contention;  /* cases of a stage, step and directed link with more messages than its capacity */
    irr_link_t busiest;     /* most bytes by its speed; the first of several, up before down; none: all are idle */
    uint64_t   load;        /* irr_link_load of it */
    uint64_t   base;        /* speed: irr_topology_base of the hosts of the ranks */
} irr_links_t;

/*
 * Counts the messages between ranks, each on all links between the hosts of its ranks; none between ranks of one
 * host, nor what stays on a rank.  host_of[r] is the host of rank r.  The plans may be wrong.  Sums that do not
 * fit are UINT64_MAX.  IRR_ERR_BAD_PARAM: a host that there is not; IRR_ERR_NO_MEMORY.  Set on success only, and
 * then the caller's to irr_links_fini.  O(vertices + m (log m + d)) for m messages over d links each.
 */
irr_status_t irr_links_count(const irr_plans_t *plans, const irr_topology_t *topology, const int *host_of,
                             irr_links_t *links);

/* Zeroed, it is empty. */
void irr_links_fini(irr_links_t *links);

/* Bytes by the speed of the link: what the slowest host of a rank would carry in that time, rounded up. */
uint64_t irr_link_load(const irr_links_t *links, const irr_topology_t *topology, irr_link_t link);

#endif
