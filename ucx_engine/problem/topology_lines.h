/*
 * topology_lines.h - the content of the lines of a topology.conf; topology_read.c builds the tree.
 */
#ifndef IRR_TOPOLOGY_LINES_H
#define IRR_TOPOLOGY_LINES_H

#include "problem/lines.h"
#include "problem/names.h"

typedef struct irr_topology_line {
    size_t   line;        /* number of the line; the first one if it is continued */
    uint64_t speed;       /* of the link to the parent */
    uint64_t node_speed;  /* of the links to its hosts */
} irr_topology_line_t;

/* Names in the order of the file, and for each the switch whose line has it. */
typedef struct irr_topology_children {
    irr_names_t names;
    int        *parent;
    size_t      max;
} irr_topology_children_t;

/* Zeroed: empty. */
typedef struct irr_topology_lines {
    irr_names_t             names;    /* of the switches, in the order of the file */
    irr_topology_line_t    *switches; /* by switch */
    size_t                  max;
    irr_topology_children_t hosts, below;
    bool                    node_speeds;   /* a line has NodeSpeed */
} irr_topology_lines_t;

/*
 * Reads all lines of an open file.  All names are valid; there is at least one switch, and each has something below it.
 * Nothing else is checked.  The caller frees *read in any case.  IRR_ERR_IO, IRR_ERR_FORMAT, IRR_ERR_NO_MEMORY: the
 * error is set, see irr_lines_refuse.  May block on the file system.
 */
irr_status_t irr_topology_lines_read(irr_lines_t *lines, irr_topology_lines_t *read);
void         irr_topology_lines_fini(irr_topology_lines_t *read);

#endif
