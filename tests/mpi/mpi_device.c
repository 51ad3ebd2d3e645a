/*
 * mpi_device.c - buffers of the MPI tests in memory of an accelerator (mpi_device.h).
 */
#include "mpi_device.h"

#if __has_include("ompi_config.h")   /* emit_c.sh compiles this file without Open MPI's internal headers */
#include "ompi_config.h"
#endif

#include <stdlib.h>
#include <string.h>

/* Returns true if IRR_TEST_DEVICE selects the buffer. */
static int is_selected(int sends, uint64_t seed)
{
    const char *which = getenv(MPI_DEVICE_ENVIRONMENT);

    if (which == NULL) {
        return 0;
    }
    return strcmp(which, "both") == 0 || strcmp(which, sends ? "send" : "recv") == 0 ||
           (strcmp(which, "mixed") == 0 && seed % 2 == 0);
}

#if OMPI_MAJOR_VERSION >= 5
#include "opal/mca/accelerator/accelerator.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

/* Returns the selected module of Open MPI's accelerator framework.  The programs are not linked with its library. */
static opal_accelerator_base_module_t *module(void)
{
    return dlsym(RTLD_DEFAULT, "opal_accelerator");
}

/* Ends the program unless a function of the framework has succeeded. */
static void need(int result)
{
    if (result != 0) {
        fprintf(stderr, "the accelerator framework failed: %d\n", result);
        abort();
    }
}

char *mpi_device_take(size_t bytes, int sends, uint64_t seed)
{
    void *device;

    if (!is_selected(sends, seed)) {
        return NULL;
    }
    need(module()->mem_alloc(0, &device, bytes));
    need(access(device, F_OK) != 0 && errno == EFAULT ? 0 : -1);   /* the kernel cannot read the memory */
    return device;
}

void mpi_device_give(char *device)
{
    need(module()->mem_release(0, device));
}

void mpi_device_copy(void *to, const void *from, size_t bytes)
{
    need(module()->mem_copy(MCA_ACCELERATOR_NO_DEVICE_ID, MCA_ACCELERATOR_NO_DEVICE_ID, to, from, bytes,
                            MCA_ACCELERATOR_TRANSFER_UNSPEC));
}
#else
char *mpi_device_take(size_t bytes, int sends, uint64_t seed)
{
    (void)bytes;
    if (is_selected(sends, seed)) {
        abort();   /* tests/mpi/lib.sh does not start the programs */
    }
    return NULL;
}

void mpi_device_give(char *device)
{
    (void)device;
}

void mpi_device_copy(void *to, const void *from, size_t bytes)
{
    (void)to, (void)from, (void)bytes;
}
#endif
