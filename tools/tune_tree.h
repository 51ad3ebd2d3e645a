/*
 * tune_tree.h - finds the tree of switches from measurements of contention.  This file does not use MPI.
 *
 * A flow is a stream of long messages from one group of hosts to another.  A group is the hosts of one switch.  Two
 * flows contend if they share a link in the same direction.  The contention of all pairs of flows determines the tree:
 *
 *   - A link divides the groups into two sets.  Such a division is called a split.  Two flows from the first set to the
 *     second set always contend, because both use this link.
 *   - Conversely, if all pairs of flows from one set to the other contend, a link divides these sets (Buneman 1971:
 *     quartets determine a tree).
 *
 * The result is checked against all measurements: the flows that share a link of the tree, and no other flows, contend.
 *
 *     Lawrence, Yuan: An MPI tool for automatically discovering the switch level topologies of Ethernet clusters
 *     (IPDPS 2008), which finds the tree from latencies
 *
 * Cost: G^4 / 8 measurements for G groups, and 2^G * G^4 / 16 steps to find the tree.
 */
#ifndef IRR_TUNE_TREE_H
#define IRR_TUNE_TREE_H

#include <stddef.h>
#include <stdio.h>

/* Maximum numbers of hosts and of groups. */
#define IRR_TUNE_HOSTS_MAX  64
#define IRR_TUNE_GROUPS_MAX 8

/*
 * A ratio is the time of the slower flow alone divided by the time of both flows together.  It is 1 without contention,
 * and 0.5 with contention.  Flows contend if their ratio is at most IRR_TUNE_SHARED_MAX, and do not contend if it is at
 * least IRR_TUNE_FREE_MIN.  With a ratio between the two, no tree is found.
 */
#define IRR_TUNE_SHARED_MAX 0.7
#define IRR_TUNE_FREE_MIN   0.85

/* Maximum number of pairs of flows: each pair has four orders of its groups. */
#define IRR_TUNE_FLOWS_MAX \
    (IRR_TUNE_GROUPS_MAX * IRR_TUNE_GROUPS_MAX * IRR_TUNE_GROUPS_MAX * IRR_TUNE_GROUPS_MAX / 4)

/* Two flows, from group a to group b and from group c to group d, and their ratio. */
typedef struct irr_tune_flows {
    int    a, b, c, d;
    double ratio;
} irr_tune_flows_t;

typedef struct irr_tune_tree {
    int              hosts, groups;
    int              group[IRR_TUNE_HOSTS_MAX];   /* the group of each host */
    int              size[IRR_TUNE_GROUPS_MAX];
    irr_tune_flows_t flows[IRR_TUNE_FLOWS_MAX];   /* the pairs to measure */
    int              nflows;
    unsigned         splits[2 * IRR_TUNE_GROUPS_MAX];   /* one bit for each group; group 0 is in none of them */
    int              nsplits;
    double           shared_most, free_least;     /* largest ratio with contention, and smallest ratio without */
} irr_tune_tree_t;

/*
 * Groups the hosts, and lists the pairs of flows to measure.  lost[i][j]: the fraction of the measurements of hosts i
 * and j in which they lost bandwidth to other flows; hosts of one switch lose none.  No pair has two flows from, or two
 * flows to, a group of one host, because both would share the link of this host.  If the fractions contradict each
 * other, or if there are too many groups, returns the reason, a static text; otherwise NULL.
 */
const char *irr_tune_tree_group(double (*lost)[IRR_TUNE_HOSTS_MAX], int hosts, irr_tune_tree_t *tree);

/* Finds the splits from the ratios.  If no tree explains all measurements, returns the reason; otherwise NULL. */
const char *irr_tune_tree_find(irr_tune_tree_t *tree);

/* Writes the switches in the format of Slurm's topology.conf.  names: the names of the hosts. */
void irr_tune_tree_write(FILE *stream, const irr_tune_tree_t *tree, const char *const *names);

#endif
