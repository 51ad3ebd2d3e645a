/*
 * topology.h - a cluster as a tree: hosts are leaves, switches are what is between them.
 *
 * Links are full duplex, so each is two directed edges that do not contend with each other.
 */
#ifndef IRR_TOPOLOGY_H
#define IRR_TOPOLOGY_H

#include "irr.h"

/* Vertices 0 to hosts - 1 are hosts, in the order of the file, the others up to vertices - 1 are switches. */
typedef struct irr_topology {
    int       hosts;
    int       vertices;
    int      *parent;   /* by vertex: the switch it hangs on; -1 for the one at the top */
    uint64_t *speed;    /* by vertex: of the link to its parent, in any unit that is alike for all; 1 unless given */
    char    **names;    /* by vertex */
} irr_topology_t;

/* Frees all; zeroed is empty. */
void irr_topology_fini(irr_topology_t *topology);

#endif
