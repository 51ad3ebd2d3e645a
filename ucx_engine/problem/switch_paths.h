/*
 * switch_paths.h - the tree of switches above ranks that each know the way from its top to their own node, as a job
 * manager tells them.
 *
 * Slurm with topology/tree sets SLURM_TOPOLOGY_ADDR to the names of the switches from the top down and of the node,
 * with periods between, and SLURM_TOPOLOGY_ADDR_PATTERN to what they are, as in switch.switch.node.  Where the pattern
 * is node alone, nothing is known.  Several switches of a level, as in s[0-1], are no tree.
 *
 * Pure.
 */
#ifndef IRR_SWITCH_PATHS_H
#define IRR_SWITCH_PATHS_H

#include "problem/topology.h"

/* Bytes of a path with its end, and switches of one, at most. */
#define IRR_SWITCH_PATH_MAX 1024
#define IRR_SWITCH_PATH_DEPTH 16

/*
 * Writes the names with a / between, or nothing where no switch is known.  A node's name may have periods, as its
 * domain has.  IRR_ERR_FORMAT: reason, of size bytes, says what is wrong, and path is empty.
 */
irr_status_t irr_switch_path(const char *address, const char *pattern, char path[IRR_SWITCH_PATH_MAX], char *reason,
                             size_t size);

/*
 * The tree of the paths of all ranks, each of which lies in `stride` bytes: hosts in the order of their lowest ranks,
 * links of one speed; and host_of[r].  Paths may be any bytes.  IRR_ERR_FORMAT: they are no paths or no one tree;
 * reason, of size bytes, says why.  IRR_ERR_NO_MEMORY.  *topology, the caller's to irr_topology_fini, is set on success
 * only.  O(n log n) for n names.
 */
irr_status_t irr_switch_paths_tree(const char *paths, size_t stride, int ranks, irr_topology_t *topology, int *host_of,
                                   char *reason, size_t size);

#endif
