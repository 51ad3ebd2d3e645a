/*
 * switches.h - the switches between the members of a communicator, for algorithms that use switches if there is no
 * topology file. Slurm gives each rank a path through switches. If the paths of all ranks form one tree, the topology
 * has the switches of this tree. Otherwise the topology has one switch above all nodes.
 */
#ifndef IRR_SWITCHES_H
#define IRR_SWITCHES_H

#include "comm/comm_files.h"

/* Returns true if the algorithm uses switches and no topology file was read. */
bool irr_switches_asked(const irr_comm_params_t *params, const irr_comm_files_t *files);

/* Local. Checks the path of this rank from the environment, and stores it in files. */
void irr_switches_read(const irr_comm_params_t *params, irr_comm_files_t *files);

/*
 * Words of this rank in an agreement on maxima. BYTES: the length of the path of this rank, or 1 if the path is
 * invalid. LACKS: 0 if this rank has a path, otherwise a number that is larger on lower ranks.
 */
enum { IRR_SWITCHES_BYTES, IRR_SWITCHES_LACKS, IRR_SWITCHES_WORDS };

void irr_switches_words(const irr_comm_params_t *params, const irr_comm_files_t *files,
                        uint64_t words[IRR_SWITCHES_WORDS]);

/*
 * Returns the length of the longest path if all ranks have a path, otherwise 0. The lowest rank without a path may warn
 * the user.
 */
size_t irr_switches_agreed(irr_engine_t *engine, const irr_comm_params_t *params, const irr_comm_files_t *files,
                           const uint64_t words[IRR_SWITCHES_WORDS]);

#endif
