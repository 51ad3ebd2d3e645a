/*
 * coll_irr_collectives.c - the table of collectives, and who served them before us.
 *
 * Open MPI keeps the functions of a module, and of a communicator each with its module, as members of structures.  A
 * row knows where, so that nothing else asks which collective it is.
 */
#include "coll_irr_entries.h"

#define ENTRY(call, member, ours) {                                             \
        call, (mca_coll_irr_function_t)(ours),                                  \
        offsetof(mca_coll_base_module_t, coll_##member),                        \
        offsetof(mca_coll_base_comm_coll_t, coll_##member),                     \
        offsetof(mca_coll_base_comm_coll_t, coll_##member##_module)             \
    }

const mca_coll_irr_collective_t mca_coll_irr_collectives[MCA_COLL_IRR_COLLECTIVES] = {
    [MCA_COLL_IRR_ALLTOALLV] = {
        .forms = {
            [MCA_COLL_IRR_BLOCKING] = ENTRY("MPI_Alltoallv", alltoallv, mca_coll_irr_alltoallv),
            [MCA_COLL_IRR_NONBLOCKING] = ENTRY("MPI_Ialltoallv", ialltoallv, mca_coll_irr_ialltoallv),
            [MCA_COLL_IRR_PERSISTENT] = ENTRY("MPI_Alltoallv_init", alltoallv_init, mca_coll_irr_alltoallv_init)
        },
        .variable = "alltoallv",
        .algorithm = MCA_COLL_IRR_ALLTOALLV_ALGORITHM,
        .leader = MCA_COLL_IRR_ALLTOALLV,
        .host = mca_coll_irr_host_alltoallv,
        .host_start = mca_coll_irr_host_ialltoallv,
        .host_init = mca_coll_irr_host_alltoallv_init
    },
    [MCA_COLL_IRR_ALLTOALL] = {
        .forms = {
            [MCA_COLL_IRR_BLOCKING] = ENTRY("MPI_Alltoall", alltoall, mca_coll_irr_alltoall),
            [MCA_COLL_IRR_NONBLOCKING] = ENTRY("MPI_Ialltoall", ialltoall, mca_coll_irr_ialltoall),
            [MCA_COLL_IRR_PERSISTENT] = ENTRY("MPI_Alltoall_init", alltoall_init, mca_coll_irr_alltoall_init)
        },
        .variable = "alltoall",
        .algorithm = MCA_COLL_IRR_ALLTOALL_ALGORITHM,
        .leader = MCA_COLL_IRR_ALLTOALLV,
        .host = mca_coll_irr_host_alltoall,
        .host_start = mca_coll_irr_host_ialltoall,
        .host_init = mca_coll_irr_host_alltoall_init
    },
    [MCA_COLL_IRR_ALLTOALLW] = {
        .forms = {
            [MCA_COLL_IRR_BLOCKING] = ENTRY("MPI_Alltoallw", alltoallw, mca_coll_irr_alltoallw),
            [MCA_COLL_IRR_NONBLOCKING] = ENTRY("MPI_Ialltoallw", ialltoallw, mca_coll_irr_ialltoallw),
            [MCA_COLL_IRR_PERSISTENT] = ENTRY("MPI_Alltoallw_init", alltoallw_init, mca_coll_irr_alltoallw_init)
        },
        .variable = "alltoallw",
        .algorithm = MCA_COLL_IRR_ALLTOALLV_ALGORITHM,
        .leader = MCA_COLL_IRR_ALLTOALLV,
        .host = mca_coll_irr_host_alltoallw,
        .host_start = mca_coll_irr_host_ialltoallw,
        .host_init = mca_coll_irr_host_alltoallw_init
    },
    [MCA_COLL_IRR_NEIGHBOR_ALLTOALLV] = {
        .forms = {
            [MCA_COLL_IRR_BLOCKING] =
                ENTRY("MPI_Neighbor_alltoallv", neighbor_alltoallv, mca_coll_irr_neighbor_alltoallv),
            [MCA_COLL_IRR_NONBLOCKING] =
                ENTRY("MPI_Ineighbor_alltoallv", ineighbor_alltoallv, mca_coll_irr_ineighbor_alltoallv),
            [MCA_COLL_IRR_PERSISTENT] =
                ENTRY("MPI_Neighbor_alltoallv_init", neighbor_alltoallv_init, mca_coll_irr_neighbor_alltoallv_init)
        },
        .variable = "neighbor_alltoallv",
        .algorithm = MCA_COLL_IRR_NEIGHBOR_ALGORITHM,
        .leader = MCA_COLL_IRR_NEIGHBOR_ALLTOALLV,
        .host = mca_coll_irr_host_alltoallv,
        .host_start = mca_coll_irr_host_ialltoallv,
        .host_init = mca_coll_irr_host_alltoallv_init,
        .neighbors = true
    },
    [MCA_COLL_IRR_NEIGHBOR_ALLTOALL] = {
        .forms = {
            [MCA_COLL_IRR_BLOCKING] =
                ENTRY("MPI_Neighbor_alltoall", neighbor_alltoall, mca_coll_irr_neighbor_alltoall),
            [MCA_COLL_IRR_NONBLOCKING] =
                ENTRY("MPI_Ineighbor_alltoall", ineighbor_alltoall, mca_coll_irr_ineighbor_alltoall),
            [MCA_COLL_IRR_PERSISTENT] =
                ENTRY("MPI_Neighbor_alltoall_init", neighbor_alltoall_init, mca_coll_irr_neighbor_alltoall_init)
        },
        .variable = "neighbor_alltoall",
        .algorithm = MCA_COLL_IRR_NEIGHBOR_ALGORITHM,
        .leader = MCA_COLL_IRR_NEIGHBOR_ALLTOALLV,
        .host = mca_coll_irr_host_alltoall,
        .host_start = mca_coll_irr_host_ialltoall,
        .host_init = mca_coll_irr_host_alltoall_init,
        .neighbors = true
    },
    [MCA_COLL_IRR_NEIGHBOR_ALLTOALLW] = {
        .forms = {
            [MCA_COLL_IRR_BLOCKING] =
                ENTRY("MPI_Neighbor_alltoallw", neighbor_alltoallw, mca_coll_irr_neighbor_alltoallw),
            [MCA_COLL_IRR_NONBLOCKING] =
                ENTRY("MPI_Ineighbor_alltoallw", ineighbor_alltoallw, mca_coll_irr_ineighbor_alltoallw),
            [MCA_COLL_IRR_PERSISTENT] =
                ENTRY("MPI_Neighbor_alltoallw_init", neighbor_alltoallw_init, mca_coll_irr_neighbor_alltoallw_init)
        },
        .variable = "neighbor_alltoallw",
        .algorithm = MCA_COLL_IRR_NEIGHBOR_ALGORITHM,
        .leader = MCA_COLL_IRR_NEIGHBOR_ALLTOALLV,
        .host = mca_coll_irr_host_neighbor_alltoallw,
        .host_start = mca_coll_irr_host_ineighbor_alltoallw,
        .host_init = mca_coll_irr_host_neighbor_alltoallw_init,
        .neighbors = true
    }
};

/* ---- who served before us ---- */

/* Of Open MPI's structures: a function, or a module. */
static mca_coll_irr_function_t function_at(const void *structure, size_t offset)
{
    mca_coll_irr_function_t function;

    memcpy(&function, (const char *)structure + offset, sizeof(function));
    return function;
}

static mca_coll_base_module_t *module_at(const void *structure, size_t offset)
{
    mca_coll_base_module_t *module;

    memcpy(&module, (const char *)structure + offset, sizeof(module));
    return module;
}

static void set_function(void *structure, size_t offset, mca_coll_irr_function_t function)
{
    memcpy((char *)structure + offset, &function, sizeof(function));
}

static const mca_coll_irr_entry_t *entry_at(int which, int form)
{
    return &mca_coll_irr_collectives[which].forms[form];
}

bool mca_coll_irr_offers(const mca_coll_base_module_t *module, int which)
{
    return function_at(module, entry_at(which, MCA_COLL_IRR_BLOCKING)->in_module) != NULL;
}

/* Is the module of a row retained for it, and not for the row above? */
static bool retains(mca_coll_irr_all_previous_t previous, int which, int form)
{
    const mca_coll_base_module_t *module = previous[which][form].module;

    return module != NULL && (which == 0 || previous[which - 1][form].module != module);
}

void mca_coll_irr_previous_keep(mca_coll_irr_all_previous_t previous, const mca_coll_base_comm_coll_t *serving,
                                mca_coll_base_module_t *module)
{
    for (int which = 0; which < MCA_COLL_IRR_COLLECTIVES; which++) {
        for (int form = 0; form < MCA_COLL_IRR_FORMS; form++) {
            const mca_coll_irr_entry_t *entry = entry_at(which, form);
            mca_coll_irr_previous_t *served = &previous[which][form];

            if (entry->call == NULL || (served->function = function_at(serving, entry->in_comm)) == NULL) {
                continue;
            }
            served->module = module_at(serving, entry->in_comm_module);
            if (retains(previous, which, form)) {
                OBJ_RETAIN(served->module);
            }
            if (entry->function != NULL) {
                set_function(module, entry->in_module, entry->function);
            }
        }
    }
}

void mca_coll_irr_previous_drop(mca_coll_irr_all_previous_t previous)
{
    for (int which = 0; which < MCA_COLL_IRR_COLLECTIVES; which++) {
        for (int form = 0; form < MCA_COLL_IRR_FORMS; form++) {
            if (retains(previous, which, form)) {
                mca_coll_base_module_t *module = previous[which][form].module;

                OBJ_RELEASE(module);   /* which sets what it is given to NULL */
            }
        }
    }
}
