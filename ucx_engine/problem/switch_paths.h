/*
 * switch_paths.h - builds the tree of switches from one path for each rank: the switches from the top to the rank's
 * node, as a job manager names them.
 *
 * Slurm with topology/tree sets SLURM_TOPOLOGY_ADDR to the names of the switches from the top down and of the node,
 * separated by periods.  SLURM_TOPOLOGY_ADDR_PATTERN has their kinds, such as switch.switch.node; with the pattern
 * "node" no switch is known.  A name for several switches, such as s[0-1], is no tree.
 *
 * Pure.
 */
#ifndef IRR_SWITCH_PATHS_H
#define IRR_SWITCH_PATHS_H

#include "problem/topology.h"

/* Most bytes of a path with its end, and most switches of a path. */
#define IRR_SWITCH_PATH_MAX 1024
#define IRR_SWITCH_PATH_DEPTH 16

/*
 * Writes the names to path, separated by slashes, or an empty text if no switch is known.  A node's name may have the
 * periods of its domain.  IRR_ERR_FORMAT: reason[size] has the cause, and path is empty.
 */
irr_status_t irr_switch_path(const char *address, const char *pattern, char path[IRR_SWITCH_PATH_MAX], char *reason,
                             size_t size);

/*
 * Builds the tree of the paths of all ranks, each in `stride` bytes, which may be any bytes, and sets host_of[r].
 * Hosts are in the order of their lowest ranks; all links have the same speed.  The caller frees *topology with
 * irr_topology_fini. IRR_ERR_FORMAT: not paths, or not one tree; reason[size] has the cause.  IRR_ERR_NO_MEMORY.  O(n
 * log n) for n names.
 */
irr_status_t irr_switch_paths_tree(const char *paths, size_t stride, int ranks, irr_topology_t *topology, int *host_of,
                                   char *reason, size_t size);

#endif
