/*
 * switches.h - finds the switches between the nodes of a communicator from Slurm's environment, if the algorithm needs
 * them and there is no topology file.
 *
 * The path of a rank is the list of the switches above its node, from SLURM_TOPOLOGY_ADDR. If the paths of all ranks
 * form one tree, the topology has the switches of this tree. Otherwise it has one switch above all nodes.
 */
#ifndef IRR_SWITCHES_H
#define IRR_SWITCHES_H

#include "comm/comm_files.h"

/* Returns true if the algorithm needs switches and no topology file was read. */
bool irr_switches_asked(const irr_comm_params_t *params, const irr_comm_files_t *files);

/* Local. Reads and checks the path of this rank, and stores it in *files. */
void irr_switches_read(const irr_comm_params_t *params, irr_comm_files_t *files);

/*
 * Words of this rank in an all-reduce that computes maxima. BYTES: length of its path with the terminating 0; 1 if the
 * path is not valid, 0 if there is none. LACKS: 0 if this rank has a path, otherwise the number of ranks minus its
 * rank.
 */
enum { IRR_SWITCHES_BYTES, IRR_SWITCHES_LACKS, IRR_SWITCHES_WORDS };

void irr_switches_words(const irr_comm_params_t *params, const irr_comm_files_t *files,
                        uint64_t words[IRR_SWITCHES_WORDS]);

/*
 * Evaluates the maxima. Returns the length of the longest path if all ranks have one, otherwise 0. If only some ranks
 * have a path, the lowest rank without one warns the user.
 */
size_t irr_switches_agreed(irr_engine_t *engine, const irr_comm_params_t *params, const irr_comm_files_t *files,
                           const uint64_t words[IRR_SWITCHES_WORDS]);

#endif
