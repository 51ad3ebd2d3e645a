/*
 * switch_paths.h - builds the tree of switches from one path for each rank.  A path lists the switches from the top of
 * the tree to the node of the rank, and then the node.  Names are those of the job manager.
 *
 * Slurm with topology/tree sets the environment variable SLURM_TOPOLOGY_ADDR to the names of a path, separated by
 * periods.  SLURM_TOPOLOGY_ADDR_PATTERN has the kind of each name, such as switch.switch.node; the pattern "node" means
 * that no switch is known.  A name that stands for several switches, such as s[0-1], is an error, because the result
 * would not be a tree.
 */
#ifndef IRR_SWITCH_PATHS_H
#define IRR_SWITCH_PATHS_H

#include "problem/topology.h"

/* Largest length of a path in bytes, with the 0 at its end, and largest number of switches of a path. */
#define IRR_SWITCH_PATH_MAX 1024
#define IRR_SWITCH_PATH_DEPTH 16

/*
 * Converts an address to a path: the names, separated by slashes, or "" if no switch is known.  The name of the node
 * may contain periods, as names with a domain do.  After IRR_ERR_FORMAT, reason[size] has the cause, and path is "".
 */
irr_status_t irr_switch_path(const char *address, const char *pattern, char path[IRR_SWITCH_PATH_MAX], char *reason,
                             size_t size);

/*
 * Builds the tree of the paths of all ranks, and sets host_of[r] to the host of rank r.  The path of rank r begins at
 * byte r * stride of paths; the bytes are not trusted.  Hosts are in the order of their lowest ranks; all links have
 * the same speed.  The caller frees *topology with irr_topology_fini.  Returns IRR_ERR_FORMAT if the bytes are no paths
 * or the paths form no tree; reason[size] then has the cause.  May return IRR_ERR_NO_MEMORY.  O(n log n) for n names.
 */
irr_status_t irr_switch_paths_tree(const char *paths, size_t stride, int ranks, irr_topology_t *topology, int *host_of,
                                   char *reason, size_t size);

#endif
