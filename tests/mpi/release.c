/*
 * release.c - a library to be preloaded. It makes coll/irr see the release RELEASE of Open MPI instead of the real
 * release, and the identification IDENT of a packager.
 */
#include <stdio.h>

extern const char ompi_version_string[];
const char ompi_version_string[] = IDENT;

int PMPI_Get_library_version(char *version, int *length);

int PMPI_Get_library_version(char *version, int *length)
{
    *length = sprintf(version, "Open MPI v%s, package: a test", RELEASE);
    return 0;
}
