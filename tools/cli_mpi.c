/*
 * cli_mpi.c - agreement between the ranks of a tool; see cli_mpi.h.
 */
#include "cli_mpi.h"

#include <stdarg.h>

int irr_cli_agree(int value)
{
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return value;
}

bool irr_cli_all(bool mine)
{
    int all = mine;

    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all != 0;
}

irr_cli_exit_t irr_cli_all_have(bool mine, const char *format, ...)
{
    char text[256];
    va_list arguments;
    int rank;

    if (irr_cli_all(mine)) {
        return IRR_CLI_GOOD;
    }
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        irr_cli_fail("%s", text);
    }
    return IRR_CLI_FAILED;
}
