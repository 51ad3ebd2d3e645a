/*
 * cli_mpi.h - agreement between the ranks of a tool.  All functions are collective over MPI_COMM_WORLD.
 */
#ifndef IRR_CLI_MPI_H
#define IRR_CLI_MPI_H

#include "cli.h"

#include <mpi.h>

/* Returns the value of rank 0. */
int irr_cli_agree(int value);

/* Returns true if `mine` is true on all ranks. */
bool irr_cli_all(bool mine);

/*
 * `mine` is false if this rank lacks memory.  Returns IRR_CLI_FAILED on all ranks if it is false on any rank; rank 0
 * then prints the error message.
 */
irr_cli_exit_t irr_cli_all_have(bool mine, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
