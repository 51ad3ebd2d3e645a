/*
 * topology.h - a cluster as a tree: the leaves are hosts, the other vertices are switches.
 *
 * Links are full duplex, so each is two directed edges that do not contend with each other.
 */
#ifndef IRR_TOPOLOGY_H
#define IRR_TOPOLOGY_H

#include "problem/lines.h"

/* A tree.  Vertices 0 to hosts - 1 are hosts, in the order of the file; the others are switches. */
typedef struct irr_topology {
    int       hosts;
    int       vertices;
    int      *parent;   /* by vertex: the switch above it; -1: the top */
    uint64_t *speed;    /* by vertex: speed of the link to its parent, in any common unit; 1 if not given */
    char    **names;    /* by vertex */
    bool      node_speeds;   /* the file has NodeSpeed, so speeds have a unit of their own */
} irr_topology_t;

/* Allocates all vertices, without names.  IRR_ERR_NO_MEMORY. */
irr_status_t irr_topology_init(irr_topology_t *topology);

/* Frees the arrays of irr_topology_init and each name; zeroed, a topology is empty. */
void irr_topology_fini(irr_topology_t *topology);

/* ---- generated ---- */

/* Creates one switch with so many hosts and links of one speed.  Freed by irr_topology_fini.  IRR_ERR_NO_MEMORY. */
irr_status_t irr_topology_star(int hosts, irr_topology_t *topology);

/* ---- from a file ---- */

/* Most hosts, and most switches, of a file. */
#define IRR_TOPOLOGY_MAX 65536

/*
 * Reads Slurm's topology.conf in the syntax of the topology/tree plugin; topology_lines.c lists the differences.  The
 * caller frees the topology with irr_topology_fini.  IRR_ERR_IO, IRR_ERR_FORMAT, IRR_ERR_NO_MEMORY: *error has the line
 * (0: the file as a whole) and the cause, and *topology is unchanged.  O(n log n) for n bytes of names.  May block on
 * the file system.
 */
irr_status_t irr_topology_read(const char *path, irr_topology_t *topology, irr_file_error_t *error);

/* ---- speeds ---- */

/* Returns the speed of the link above a vertex; 1 if the tree has no speeds. */
static inline uint64_t irr_topology_speed(const irr_topology_t *topology, int vertex)
{
    return topology->speed != NULL ? topology->speed[vertex] : 1;
}

/*
 * Describes a doubtful speed, or sets text[size] to "".  Slurm's LinkSpeed may have any unit.  Without NodeSpeed it is
 * read as a multiple of a host's link; if the file means Mbit/s, no link would seem to have contention, and nobody
 * would notice. The text names the first switch whose link to its parent would be faster than all hosts below it
 * together, which no correct file has.  O(hosts * depth).  IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_topology_doubt(const irr_topology_t *topology, char *text, size_t size);

/* ---- hosts by name ---- */

/* The sorted hosts of a topology, which is borrowed.  Zeroed: empty. */
typedef struct irr_hosts {
    const irr_topology_t   *topology;
    struct irr_sorted_name *sorted;
} irr_hosts_t;

/* Sorts the hosts.  O(n log n) for n hosts; IRR_ERR_NO_MEMORY. */
irr_status_t irr_hosts_init(const irr_topology_t *topology, irr_hosts_t *hosts);
void         irr_hosts_fini(irr_hosts_t *hosts);

enum { IRR_HOST_NONE = -1, IRR_HOST_SEVERAL = -2 };

/*
 * Returns the host with this name, IRR_HOST_NONE, or IRR_HOST_SEVERAL.  An exact match comes first.  Otherwise either
 * name may lack the domain, or its last parts: n0 matches n0.rack1.site, and the reverse, but n0.rack1 does not match
 * n0.rack2, and numeric addresses are never cut.  Case matters, as in Slurm.  O(log n) for each part of the name.
 */
int irr_topology_find(const irr_hosts_t *hosts, const char *name);

#endif
