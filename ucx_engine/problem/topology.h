/*
 * topology.h - a cluster as a tree: the leaves are hosts, the other vertices are switches.
 *
 * Links are full duplex: messages in the two directions of a link do not contend with each other.
 */
#ifndef IRR_TOPOLOGY_H
#define IRR_TOPOLOGY_H

#include "problem/lines.h"

/* A tree.  Vertices 0 to hosts - 1 are hosts, in the order of the file; the others are switches. */
typedef struct irr_topology {
    int       hosts;
    int       vertices;
    int      *parent;   /* by vertex: the switch above it; -1: the vertex is the top */
    uint64_t *speed;    /* by vertex: speed of the link to its parent, relative to other links; default 1 */
    char    **names;    /* by vertex */
    bool      node_speeds;   /* true: the file has NodeSpeed; false: a host's link has speed 1 */
} irr_topology_t;

/* Allocates all vertices, without names.  May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_topology_init(irr_topology_t *topology);

/* Frees the arrays of irr_topology_init and all names.  A zeroed topology is empty. */
void irr_topology_fini(irr_topology_t *topology);

/* ---- generated ---- */

/*
 * Creates a switch with `hosts` hosts and links of speed 1.  irr_topology_fini frees it.  May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_topology_star(int hosts, irr_topology_t *topology);

/* ---- from a file ---- */

/* Largest number of hosts, and of switches, of a file. */
#define IRR_TOPOLOGY_MAX 65536

/*
 * Reads Slurm's topology.conf in the syntax of the topology/tree plugin; topology_lines.c lists the differences.  The
 * caller frees the topology with irr_topology_fini.  After IRR_ERR_IO, IRR_ERR_FORMAT and IRR_ERR_NO_MEMORY, *error has
 * the line (0: the whole file) and the cause, and *topology is unchanged.  O(n log n) for n bytes of names.  May block
 * on the file system.
 */
irr_status_t irr_topology_read(const char *path, irr_topology_t *topology, irr_file_error_t *error);

/* ---- speeds ---- */

/* Returns the speed of the link above a vertex; 1 if the tree has no speeds. */
static inline uint64_t irr_topology_speed(const irr_topology_t *topology, int vertex)
{
    return topology->speed != NULL ? topology->speed[vertex] : 1;
}

/*
 * Sets text[size] to a warning about a speed that is probably wrong, or to "".  The warning names the first switch
 * whose link to its parent is faster than the sum of the links of all hosts below it; a correct file has none.
 * In Slurm, LinkSpeed may have any unit.  Without NodeSpeed, irr_topology_read assumes that a host's link has speed 1.
 * If the file gives LinkSpeed in Mbit/s, the link then seems far too fast, and a schedule would ignore contention on
 * it.  O(hosts * depth).  May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_topology_doubt(const irr_topology_t *topology, char *text, size_t size);

/* ---- hosts by name ---- */

/* The sorted hosts of a topology.  The topology is borrowed.  Zeroed: empty. */
typedef struct irr_hosts {
    const irr_topology_t   *topology;
    struct irr_sorted_name *sorted;
} irr_hosts_t;

/* Sorts the hosts.  O(n log n) for n hosts.  May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_hosts_init(const irr_topology_t *topology, irr_hosts_t *hosts);
void         irr_hosts_fini(irr_hosts_t *hosts);

enum { IRR_HOST_NONE = -1, IRR_HOST_SEVERAL = -2 };

/*
 * Returns the host with this name, IRR_HOST_NONE, or IRR_HOST_SEVERAL.  An exact match is preferred.  Otherwise a
 * name matches a longer name that continues it with a dot: n0 matches n0.rack1.site, and n0.rack1.site matches n0,
 * but n0.rack1 does not match n0.rack2.  A numeric address matches only itself.  Upper and lower case letters are
 * different, as in Slurm.  O(log n) for each label of the name.
 */
int irr_topology_find(const irr_hosts_t *hosts, const char *name);

#endif
