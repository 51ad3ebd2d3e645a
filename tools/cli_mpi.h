/*
 * cli_mpi.h - what the ranks of a tool decide alike.  All of it is collective over MPI_COMM_WORLD.
 */
#ifndef IRR_CLI_MPI_H
#define IRR_CLI_MPI_H

#include "cli.h"

#include <mpi.h>

/* The value of rank 0. */
int irr_cli_agree(int value);

/* True if it is true on all ranks. */
bool irr_cli_all(bool mine);

/* Refuses on all ranks what one of them has no memory for; rank 0 prints the complaint. */
irr_cli_exit_t irr_cli_all_have(bool mine, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
