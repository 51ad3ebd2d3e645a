/*
 * topology.h - a cluster as a tree: hosts are leaves, switches are what is between them.
 *
 * Links are full duplex, so each is two directed edges that do not contend with each other.
 */
#ifndef IRR_TOPOLOGY_H
#define IRR_TOPOLOGY_H

#include "problem/lines.h"

/* Vertices 0 to hosts - 1 are hosts, in the order of the file, the others up to vertices - 1 are switches. */
typedef struct irr_topology {
    int       hosts;
    int       vertices;
    int      *parent;   /* by vertex: the switch it hangs on; -1 for the one at the top */
    uint64_t *speed;    /* by vertex: of the link to its parent, in any unit that is alike for all; 1 unless given */
    char    **names;    /* by vertex */
    bool      node_speeds;   /* the file has NodeSpeed, so that speeds have a unit of its own */
} irr_topology_t;

/* Makes room for all vertices, without names.  IRR_ERR_NO_MEMORY. */
irr_status_t irr_topology_init(irr_topology_t *topology);

/* Frees what irr_topology_init made, and each name; zeroed is empty. */
void irr_topology_fini(irr_topology_t *topology);

/* ---- made up ---- */

/* One switch, and so many hosts at it, links of one speed.  The caller's to irr_topology_fini.  IRR_ERR_NO_MEMORY. */
irr_status_t irr_topology_star(int hosts, irr_topology_t *topology);

/* ---- from a file ---- */

/* Most hosts, and most switches, of a file. */
#define IRR_TOPOLOGY_MAX 65536

/*
 * Reads Slurm's topology.conf, as the topology/tree plugin has it; topology_lines.c says what is taken and what is
 * refused.  On success the topology is the caller's to irr_topology_fini.  IRR_ERR_IO, IRR_ERR_FORMAT,
 * IRR_ERR_NO_MEMORY: *error is filled, with line 0 if it is about the file as a whole, and *topology is untouched.
 * O(n log n) for n bytes of names.  May block on the file system.
 */
irr_status_t irr_topology_read(const char *path, irr_topology_t *topology, irr_file_error_t *error);

/* ---- speeds ---- */

/* 1 in a tree that is made up, and has no speeds. */
static inline uint64_t irr_topology_speed(const irr_topology_t *topology, int vertex)
{
    return topology->speed != NULL ? topology->speed[vertex] : 1;
}

/*
 * What Slurm calls LinkSpeed has any unit, and files that were not written for us may have Mbit/s there, where
 * without NodeSpeed we take multiples of a host's link.  Then there is no contention to avoid any more, and nobody
 * would know.  text is one line about the first switch whose link to its parent is so taken for faster than all hosts
 * below it together, which no file needs; empty if there is none.  O(hosts * depth).  IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_topology_doubt(const irr_topology_t *topology, char *text, size_t size);

/* ---- hosts by name ---- */

/* The hosts of a topology, sorted; it borrows the topology.  Zeroed, it is empty. */
typedef struct irr_hosts {
    const irr_topology_t   *topology;
    struct irr_sorted_name *sorted;
} irr_hosts_t;

/* O(n log n) for n hosts; IRR_ERR_NO_MEMORY. */
irr_status_t irr_hosts_init(const irr_topology_t *topology, irr_hosts_t *hosts);
void         irr_hosts_fini(irr_hosts_t *hosts);

enum { IRR_HOST_NONE = -1, IRR_HOST_SEVERAL = -2 };

/*
 * The host of that name, IRR_HOST_NONE, or IRR_HOST_SEVERAL.  A host that is called just so comes first.  Else the
 * domain may be missing on either side, in whole or in its last parts: n0 is n0.rack1.site, and the other way
 * round, but n0.rack1 is not n0.rack2, and numeric addresses are never cut.  Upper and lower case differ, as in
 * Slurm.  O(log n) for each part of the name.
 */
int irr_topology_find(const irr_hosts_t *hosts, const char *name);

#endif
