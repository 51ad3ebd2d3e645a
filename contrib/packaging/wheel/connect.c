/*
 * connect.c - adds coll/irr to an Open MPI that cannot load components (--disable-dlopen), such as that of PyPI.  The
 * constructor puts the component in front of Open MPI's list of linked components.
 *
 * The library and the component are loaded after libmpi and before MPI_Init, by the Python package in this folder or by
 * LD_PRELOAD.  The constructor does nothing if the release of Open MPI differs from that of the headers in the first
 * two numbers.
 */
#include "ompi_config.h"

#include "mpi.h"
#include "ompi/mca/coll/base/base.h"

#include <stdbool.h>
#include <stdio.h>

extern mca_base_component_t mca_coll_irr_component;

static bool is_of_our_release(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length, major, minor;

    return PMPI_Get_library_version(text, &length) == MPI_SUCCESS &&
           sscanf(text, "Open MPI v%d.%d.", &major, &minor) == 2 && major == OMPI_MAJOR_VERSION &&
           minor == OMPI_MINOR_VERSION;
}

__attribute__((constructor)) static void connect_component(void)
{
    enum { MAX = 64 };
    static const mca_base_component_t *components[MAX];
    const mca_base_component_t **linked = ompi_coll_base_framework.framework_static_components;
    size_t count = 0;

    if (!is_of_our_release()) {
        return;
    }
    components[count++] = &mca_coll_irr_component;
    while (*linked != NULL && *linked != &mca_coll_irr_component && count < MAX - 1) {
        components[count++] = *linked++;
    }
    if (*linked == NULL) {
        ompi_coll_base_framework.framework_static_components = components;
    }
}
