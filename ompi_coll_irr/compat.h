/*
 * compat.h - all differences between the Open MPI releases that this component is built for.
 *
 *   4.1  coll framework 2.0.0; the tests run on it
 *   5.0  coll framework 2.4.0: info strings are objects, process info and mutexes are in opal; tested with 5.0.7
 *   6.0  coll framework 3.0.0: counts and displacements are arrays of 32 or 64 bit, modules install their functions;
 *        tested with the branch v6.0.x of August 2026
 *
 * When Open MPI loads a component, it compares neither its own version with that of the build nor the layout of its
 * structures. mca_coll_irr_abi_matches therefore compares the release of the build with the running release.
 */
#ifndef MCA_COLL_IRR_COMPAT_H
#define MCA_COLL_IRR_COMPAT_H

#include "ompi_config.h"

/*
 * op.h, which coll_base_util.h includes, includes a header that packages of Open MPI lack.  Only this type is needed.
 */
#if !__has_include("ompi/mpi/fortran/base/fint_2_int.h")
#define OMPI_OP_H
typedef struct ompi_op_t ompi_op_t;
#endif

#include "mpi.h"
#include "ompi/communicator/communicator.h"
#include "ompi/constants.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/info/info.h"
#include "ompi/mca/coll/base/base.h"
#include "ompi/mca/coll/base/coll_base_functions.h"
#include "ompi/mca/coll/base/coll_base_util.h"
#include "ompi/mca/coll/base/coll_tags.h"
#include "ompi/mca/coll/coll.h"
#include "ompi/mca/pml/pml.h"
#include "ompi/proc/proc.h"
#include "ompi/runtime/mpiruntime.h"
#include "opal/util/output.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if OMPI_MAJOR_VERSION < 4 || (OMPI_MAJOR_VERSION == 4 && OMPI_MINOR_VERSION < 1)
#error "coll/irr needs Open MPI 4.1 or newer"
#endif

#if OMPI_MAJOR_VERSION == 4
#include "ompi/mca/rte/rte.h"
#include "opal/mca/pmix/pmix.h"
#include "opal/runtime/opal_params.h"
#include "opal/threads/mutex.h"
#define MCA_COLL_IRR_BASE_VERSION MCA_COLL_BASE_VERSION_2_0_0
#define mca_coll_irr_process_info ompi_process_info
#else
#include "ompi/runtime/ompi_rte.h"
#include "opal/mca/accelerator/base/base.h"
#include "opal/mca/pmix/pmix-internal.h"
#include "opal/mca/threads/mutex.h"
#include "opal/util/proc.h"
#if OMPI_MAJOR_VERSION == 5
#define MCA_COLL_IRR_BASE_VERSION MCA_COLL_BASE_VERSION_2_4_0
#else
#define MCA_COLL_IRR_BASE_VERSION MCA_COLL_BASE_VERSION_3_0_0
#endif
#define mca_coll_irr_process_info opal_process_info
#endif

/* True if modules install and remove their functions themselves.  Before 6.0 Open MPI does. */
#define MCA_COLL_IRR_INSTALLS (OMPI_MAJOR_VERSION >= 6)

/* Open MPI yields the processor while it waits, as on oversubscribed nodes. */
extern bool ompi_mpi_yield_when_idle;

/* ---- counts and displacements ---- */

#if OMPI_MAJOR_VERSION < 6
typedef int mca_coll_irr_one_count_t;
typedef int mca_coll_irr_one_displ_t;
typedef const int *mca_coll_irr_counts_t;
typedef const int *mca_coll_irr_displs_t;
typedef const MPI_Aint *mca_coll_irr_offsets_t;   /* displacements in bytes of MPI_Neighbor_alltoallw */

/* Convert an element to size_t or ptrdiff_t, and a C array to the type of an argument. */
#define MCA_COLL_IRR_COUNT(counts, i)     ((size_t)(counts)[i])
#define MCA_COLL_IRR_DISPL(displs, i)     ((ptrdiff_t)(displs)[i])   /* also for offsets */
#define MCA_COLL_IRR_COUNTS(array)        (array)
#define MCA_COLL_IRR_DISPLS(array)        (array)
#define mca_coll_irr_displs_equal         mca_coll_irr_counts_equal   /* both have one type */

static inline bool mca_coll_irr_counts_equal(mca_coll_irr_counts_t a, mca_coll_irr_counts_t b, int n)
{
    return memcmp(a, b, (size_t)n * sizeof(*a)) == 0;
}
#else
typedef size_t mca_coll_irr_one_count_t;
typedef ptrdiff_t mca_coll_irr_one_displ_t;
typedef ompi_count_array_t mca_coll_irr_counts_t;
typedef ompi_disp_array_t mca_coll_irr_displs_t;
typedef ompi_disp_array_t mca_coll_irr_offsets_t;

#define MCA_COLL_IRR_COUNT(counts, i)     ompi_count_array_get(counts, i)
#define MCA_COLL_IRR_DISPL(displs, i)     ompi_disp_array_get(displs, i)
#define MCA_COLL_IRR_COUNTS(array)        ompi_count_array_create_c(array)
#define MCA_COLL_IRR_DISPLS(array)        ompi_disp_array_create_c(array)

static inline bool mca_coll_irr_counts_equal(mca_coll_irr_counts_t a, mca_coll_irr_counts_t b, int n)
{
    int i = 0;

    while (i < n && MCA_COLL_IRR_COUNT(a, i) == MCA_COLL_IRR_COUNT(b, i)) {
        i++;
    }
    return i == n;
}

static inline bool mca_coll_irr_displs_equal(mca_coll_irr_displs_t a, mca_coll_irr_displs_t b, int n)
{
    int i = 0;

    while (i < n && MCA_COLL_IRR_DISPL(a, i) == MCA_COLL_IRR_DISPL(b, i)) {
        i++;
    }
    return i == n;
}
#endif

/* ---- memory of accelerators ---- */

/*
 * Returns false if Open MPI knows no accelerator: all buffers are in memory of the host.  The result does not change.
 */
static inline bool mca_coll_irr_knows_devices(void)
{
#if OMPI_MAJOR_VERSION == 4
    return opal_cuda_support;
#else
    return strcmp(opal_accelerator_base_selected_component.base_version.mca_component_name, "null") != 0;
#endif
}

/* A prepared convertor has this flag if its buffer is in memory of an accelerator. */
#if OMPI_MAJOR_VERSION == 4
#define MCA_COLL_IRR_CONVERTOR_DEVICE CONVERTOR_CUDA
#else
#define MCA_COLL_IRR_CONVERTOR_DEVICE CONVERTOR_ACCELERATOR
#endif

/* ---- info keys ---- */

/*
 * Returns true if the communicator was created with an info key that has this prefix.  Takes no lock, unlike a lookup
 * of each possible key; most communicators have none.
 */
static inline bool mca_coll_irr_info_has(ompi_communicator_t *comm, const char *prefix)
{
    const opal_info_entry_t *entry;

    if (comm->super.s_info == NULL) {
        return false;
    }
    OPAL_LIST_FOREACH(entry, &comm->super.s_info->super, opal_info_entry_t) {
#if OMPI_MAJOR_VERSION == 4
        const char *key = entry->ie_key;
#else
        const char *key = entry->ie_key->string;
#endif

        if (strncmp(key, prefix, strlen(prefix)) == 0) {
            return true;
        }
    }
    return false;
}

/* Copies the value of an info key.  Returns false if there is no such key, or if `comm` is NULL. */
static inline bool mca_coll_irr_info_get(ompi_communicator_t *comm, const char *key, char *value, size_t size)
{
    int found = 0;

    if (comm == NULL) {
        return false;
    }
#if OMPI_MAJOR_VERSION == 4
    opal_info_get(comm->super.s_info, key, (int)size - 1, value, &found);
#else
    opal_cstring_t *text;

    opal_info_get(comm->super.s_info, key, &text, &found);
    if (found) {
        snprintf(value, size, "%s", text->string);
        OBJ_RELEASE(text);
    }
#endif
    return found != 0;
}

/* ---- communicators ---- */

/* No two communicators that exist in this process have the same number. */
static inline unsigned mca_coll_irr_comm_number(ompi_communicator_t *comm)
{
#if OMPI_MAJOR_VERSION == 4
    return comm->c_contextid;
#else
    return (unsigned)comm->c_index;
#endif
}

/* ---- MPI_Abort ---- */

/*
 * Replaces the function that MPI_Abort calls before it ends the process, and returns the previous one.  Returns NULL,
 * and replaces nothing, if this release of Open MPI calls PMIx without a table of functions.
 */
typedef int (*mca_coll_irr_abort_fn_t)(int status, const char *text, opal_list_t *processes);

static inline mca_coll_irr_abort_fn_t mca_coll_irr_abort_replace(mca_coll_irr_abort_fn_t function)
{
#if OMPI_MAJOR_VERSION == 4
    const mca_coll_irr_abort_fn_t previous = opal_pmix.abort;

    if (previous != NULL) {
        opal_pmix.abort = function;
    }
    return previous;
#else
    (void)function;
    return NULL;
#endif
}

/* ---- values that processes publish in MPI_Init ---- */

static inline unsigned mca_coll_irr_my_process(void)
{
    return (unsigned)OMPI_PROC_MY_NAME->vpid;
}

#if OMPI_MAJOR_VERSION == 4
#define MCA_COLL_IRR_UINT32 OPAL_UINT32
#define MCA_COLL_IRR_UINT64 OPAL_UINT64
#define MCA_COLL_IRR_GLOBAL OPAL_PMIX_GLOBAL
#define MCA_COLL_IRR_NODEID OPAL_PMIX_NODEID

/* False for example in ompi_info. */
static inline bool mca_coll_irr_modex_works(void)
{
    return opal_pmix.put != NULL && opal_pmix.initialized != NULL && opal_pmix.initialized();
}

/*
 * Looks up a value that a process has published with this type.  Open MPI 4.1 has a macro for it, which crashes without
 * memory.
 */
static inline int mca_coll_irr_modex_find(const char *key, opal_data_type_t type, const opal_process_name_t *name,
                                          uint64_t *value)
{
    opal_value_t at_once, *entry = NULL;
    opal_list_t directives;
    int result;

    OBJ_CONSTRUCT(&directives, opal_list_t);
    OBJ_CONSTRUCT(&at_once, opal_value_t);
    at_once.key = OPAL_PMIX_IMMEDIATE;
    at_once.type = OPAL_BOOL;
    at_once.data.flag = true;
    opal_list_append(&directives, &at_once.super);
    result = opal_pmix.get(name, key, &directives, &entry);
    opal_list_remove_first(&directives);
    at_once.key = NULL;
    OBJ_DESTRUCT(&at_once);
    OBJ_DESTRUCT(&directives);
    if (result == OPAL_SUCCESS && (entry == NULL || entry->type != type)) {
        result = OMPI_ERR_NOT_FOUND;
    } else if (result == OPAL_SUCCESS) {
        *value = type == OPAL_UINT64 ? entry->data.uint64 : entry->data.uint32;
    }
    if (entry != NULL) {
        OBJ_RELEASE(entry);
    }
    return result;
}
#else
#define MCA_COLL_IRR_UINT32 PMIX_UINT32
#define MCA_COLL_IRR_UINT64 PMIX_UINT64
#define MCA_COLL_IRR_GLOBAL PMIX_GLOBAL
#define MCA_COLL_IRR_NODEID PMIX_NODEID

static inline bool mca_coll_irr_modex_works(void)
{
    return PMIx_Initialized();
}

static inline int mca_coll_irr_modex_find(const char *key, pmix_data_type_t type, const opal_process_name_t *name,
                                          uint64_t *value)
{
    union {
        uint64_t word;
        uint32_t half;
    } found = { .word = 0 };
    void *found_p = &found;
    int result;

    OPAL_MODEX_RECV_VALUE_IMMEDIATE(result, key, name, &found_p, type);
    if (result == PMIX_SUCCESS) {
        *value = type == PMIX_UINT64 ? found.word : found.half;
        return OMPI_SUCCESS;
    }
    return result == PMIX_ERR_NOMEM ? OMPI_ERR_OUT_OF_RESOURCE : OMPI_ERR_NOT_FOUND;
}
#endif

/*
 * Looks up a value of a process of this job, and does not wait until it is published.  Returns OMPI_SUCCESS;
 * OMPI_ERR_NOT_FOUND, in all processes, if the value was not published; or an error of this process.
 */
static inline int mca_coll_irr_modex_get(const char *key, const opal_process_name_t *name, uint64_t *value)
{
    return mca_coll_irr_modex_find(key, MCA_COLL_IRR_UINT64, name, value);
}

/* Looks up the number of the node of a process. */
static inline int mca_coll_irr_modex_node(const opal_process_name_t *name, uint64_t *node)
{
    return mca_coll_irr_modex_find(MCA_COLL_IRR_NODEID, MCA_COLL_IRR_UINT32, name, node);
}

/* Publishes a value of this process, before MPI_Init exchanges values.  Returns false on failure. */
static inline bool mca_coll_irr_modex_put(const char *key, uint64_t value)
{
    int result;

    if (!mca_coll_irr_modex_works()) {
        return false;
    }
    OPAL_MODEX_SEND_VALUE(result, MCA_COLL_IRR_GLOBAL, (char *)key, &value, MCA_COLL_IRR_UINT64);
    return result == OPAL_SUCCESS;
}

/* ---- fault tolerance ---- */

/* True, on all ranks, under ULFM: a collective must end if a peer dies, which coll/irr cannot guarantee. */
static inline bool mca_coll_irr_fault_tolerant_job(void)
{
#if OMPI_MAJOR_VERSION >= 5 && OPAL_ENABLE_FT_MPI
    return ompi_ftmpi_enabled;
#else
    return false;
#endif
}

/* ---- version of the running Open MPI ---- */

/*
 * Returns the ABI class of a release: 4.1, 5.0.0 to 5.0.6, or 5.0 from 5.0.7 on.  In all releases of a class, the
 * members of communicators and modules that coll/irr uses have the same offsets, except that 5.0.10 adds a member at
 * the end of modules, for which ours reserve room, and one in front of the list of a communicator's modules.
 */
static inline int mca_coll_irr_abi_class(int major, int minor, int release)
{
    return major * 10000 + minor * 100 + (major == 5 && minor == 0 && release >= 7);
}

/*
 * Sets major, minor and release number.  Returns false if they are unknown.  If a packager has changed the
 * identification of Open MPI, a loaded front end has the numbers.
 */
static inline bool mca_coll_irr_release(int running[3])
{
    char text[8192];   /* the maximum of the MPI ABI */
    int length, (*version)(char *, int *);

    if (sscanf(ompi_version_string, "%d.%d.%d", &running[0], &running[1], &running[2]) == 3) {
        return true;
    }
    *(void **)&version = dlsym(RTLD_DEFAULT, "PMPI_Get_library_version");
    return version != NULL && version(text, &length) == MPI_SUCCESS &&
           sscanf(text, "Open MPI v%d.%d.%d", &running[0], &running[1], &running[2]) == 3;
}

/* Returns true if the running Open MPI has the ABI class of the build.  Writes the running version. */
static inline bool mca_coll_irr_abi_matches(char *running, size_t size)
{
    int numbers[3];

    if (!mca_coll_irr_release(numbers)) {
        snprintf(running, size, "unknown");
        return false;
    }
    snprintf(running, size, "%d.%d.%d", numbers[0], numbers[1], numbers[2]);
    return mca_coll_irr_abi_class(numbers[0], numbers[1], numbers[2]) ==
           mca_coll_irr_abi_class(OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION, OMPI_RELEASE_VERSION);
}

/*
 * Returns the number of members in front of the list of a communicator's modules that other releases of the class lack.
 */
static inline int mca_coll_irr_new_members(int major, int minor, int release)
{
    return major == 5 && minor == 0 && release >= 10;
}

/*
 * Returns the modules of a communicator by ascending priority, or NULL.  Uses the offset of the list in the running
 * release.
 */
static inline const opal_list_t *mca_coll_irr_modules(const ompi_communicator_t *comm)
{
    int running[3];

    if (comm->c_coll == NULL || !mca_coll_irr_release(running)) {
        return NULL;
    }
    return (&comm->c_coll->module_list)[mca_coll_irr_new_members(running[0], running[1], running[2]) -
                                        mca_coll_irr_new_members(OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION,
                                                                 OMPI_RELEASE_VERSION)];
}

#endif
