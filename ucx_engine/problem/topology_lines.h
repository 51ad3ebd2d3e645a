/*
 * topology_lines.h - reads the lines of a topology.conf (Slurm); topology_read.c builds the tree of switches from them.
 */
#ifndef IRR_TOPOLOGY_LINES_H
#define IRR_TOPOLOGY_LINES_H

#include "problem/lines.h"
#include "problem/names.h"

typedef struct irr_topology_line {
    size_t   line;        /* number of the line in the file, or of the first line if the line is continued */
    uint64_t speed;       /* speed of the link to the parent */
    uint64_t node_speed;  /* speed of the links to the hosts */
} irr_topology_line_t;

/* Names in the order of the file, and for each name its parent: the index of the switch in whose line the name is. */
typedef struct irr_topology_children {
    irr_names_t names;
    int        *parent;
    size_t      max;
} irr_topology_children_t;

/* Zeroed: empty. */
typedef struct irr_topology_lines {
    irr_names_t             names;    /* names of the switches, in the order of the file */
    irr_topology_line_t    *switches; /* by switch */
    size_t                  max;
    irr_topology_children_t hosts, below;
    bool                    node_speeds;   /* a line has NodeSpeed */
} irr_topology_lines_t;

/*
 * Reads all lines of an open file.  Checks that all names are valid, that there is a switch, and that each switch has a
 * host or a switch below it.  Does not check that the switches form a tree.  The caller frees *read, even after an
 * error.  After IRR_ERR_IO, IRR_ERR_FORMAT and IRR_ERR_NO_MEMORY, the error is set (irr_lines_refuse).  May block on
 * the file system.
 */
irr_status_t irr_topology_lines_read(irr_lines_t *lines, irr_topology_lines_t *read);
void         irr_topology_lines_fini(irr_topology_lines_t *read);

#endif
