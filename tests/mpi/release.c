/*
 * release.c - to be preloaded: coll/irr sees the release RELEASE of Open MPI instead of the real one.
 */
#include <stdio.h>

int PMPI_Get_library_version(char *version, int *length);

int PMPI_Get_library_version(char *version, int *length)
{
    *length = sprintf(version, "Open MPI v%s, package: a test", RELEASE);
    return 0;
}
