/*
 * connect.c - hands coll/irr to an Open MPI that was built without the means to load components (--disable-dlopen), as
 * that of PyPI is: to the list of those that are linked into it.
 *
 * To be loaded after libmpi and before MPI_Init, with the component: by the Python package beside this, or by
 * LD_PRELOAD.  An Open MPI of another series than the component's own stays as it is.
 */
#include "ompi_config.h"

#include "mpi.h"
#include "ompi/mca/coll/base/base.h"

#include <stdbool.h>
#include <stdio.h>

extern mca_base_component_t mca_coll_irr_component;

static bool is_of_our_series(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length, major, minor;

    return PMPI_Get_library_version(text, &length) == MPI_SUCCESS &&
           sscanf(text, "Open MPI v%d.%d.", &major, &minor) == 2 && major == OMPI_MAJOR_VERSION &&
           minor == OMPI_MINOR_VERSION;
}

__attribute__((constructor)) static void hand_over(void)
{
    enum { MAX = 64 };
    static const mca_base_component_t *components[MAX];
    const mca_base_component_t **linked = ompi_coll_base_framework.framework_static_components;
    size_t count = 0;

    if (!is_of_our_series()) {
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
