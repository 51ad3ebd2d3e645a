/*
 * switches.h - the switches between the members of a communicator, for an algorithm that looks at them, where no file
 * says: what Slurm told each rank, if that is one tree; else one switch above the nodes.
 */
#ifndef IRR_SWITCHES_H
#define IRR_SWITCHES_H

#include "comm/comm_files.h"

/* Does the algorithm ask for switches, and no file was read? */
bool irr_switches_asked(const irr_comm_params_t *params, const irr_comm_files_t *files);

/* Local: checks what this rank was told, and keeps it in files. */
void irr_switches_read(const irr_comm_params_t *params, irr_comm_files_t *files);

/*
 * What this rank puts into an agreement on maxima: the bytes of its path, or 1 if that is none; and a number that is
 * the higher the lower its rank if it has none.
 */
enum { IRR_SWITCHES_BYTES, IRR_SWITCHES_LACKS, IRR_SWITCHES_WORDS };

void irr_switches_words(const irr_comm_params_t *params, const irr_comm_files_t *files,
                        uint64_t words[IRR_SWITCHES_WORDS]);

/* The bytes of the longest path if all have one, else 0.  If only some have, the lowest of the others says so. */
size_t irr_switches_agreed(irr_engine_t *engine, const irr_comm_params_t *params, const irr_comm_files_t *files,
                           const uint64_t words[IRR_SWITCHES_WORDS]);

#endif
