/*
 * release.c - preloaded, lets coll/irr see another release of Open MPI than the one that runs: RELEASE.
 */
#include <stdio.h>

int PMPI_Get_library_version(char *version, int *length);

int PMPI_Get_library_version(char *version, int *length)
{
    *length = sprintf(version, "Open MPI v%s, package: a test", RELEASE);
    return 0;
}
