/*
 * mpi_memory.h - counts the allocations of coll/irr, and makes them fail on request.
 *
 * The program's malloc, calloc, realloc and strdup replace the functions of the C library for all libraries of the
 * program, and act only on calls of the component. Allocations of UCX and Open MPI are not affected. Allocations fail
 * on the ranks that call mpi_memory_fail. This file is for programs of one source file and one thread.
 *
 *     mpi_memory_watch();               after MPI_Init
 *     mpi_memory_fail(60, LONG_MAX);    all from the 60th on fail from now on
 *     MPI_Alltoallv(...);
 *     failed = mpi_memory_fail(0, 0);   none fails any more
 */
#ifndef MPI_MEMORY_H
#define MPI_MEMORY_H

#include "mpi_test.h"

#include <errno.h>
#include <limits.h>
#include <link.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

/* Visible to everything that the program loads. */
#define MPI_MEMORY_VISIBLE __attribute__((visibility("default")))

static struct {
    const char *start, *end;   /* of the component's code */
    long count;                /* number of allocations since mpi_memory_fail or mpi_memory_watch */
    size_t bytes;              /* total length of these allocations in bytes */
    long first, times;         /* number of the first failing allocation, 0: none; and number of failing allocations */
    long failed;
} mpi_memory;

/* Counts an allocation of the component. Returns true if the allocation must fail. */
static inline int mpi_memory_fails(const void *caller, size_t bytes)
{
    if ((const char *)caller < mpi_memory.start || (const char *)caller >= mpi_memory.end) {
        return 0;
    }
    mpi_memory.count++;
    mpi_memory.bytes += bytes;
    if (mpi_memory.first == 0 || mpi_memory.count < mpi_memory.first ||
        mpi_memory.count - mpi_memory.first >= mpi_memory.times) {
        return 0;
    }
    mpi_memory.failed++;
    errno = ENOMEM;
    return 1;
}

MPI_MEMORY_VISIBLE void *malloc(size_t size)
{
    return mpi_memory_fails(__builtin_return_address(0), size) ? NULL : __libc_malloc(size);
}

MPI_MEMORY_VISIBLE void *calloc(size_t elements, size_t size)
{
    return mpi_memory_fails(__builtin_return_address(0), elements * size) ? NULL : __libc_calloc(elements, size);
}

MPI_MEMORY_VISIBLE void *realloc(void *memory, size_t size)
{
    return mpi_memory_fails(__builtin_return_address(0), size) ? NULL : __libc_realloc(memory, size);
}

MPI_MEMORY_VISIBLE char *strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = mpi_memory_fails(__builtin_return_address(0), size) ? NULL : __libc_malloc(size);

    return copy != NULL ? memcpy(copy, text, size) : NULL;
}

static inline int mpi_memory_find(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    for (int i = 0; strstr(info->dlpi_name, "mca_coll_irr.so") != NULL && i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X) != 0) {
            mpi_memory.start = (const char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
            mpi_memory.end = mpi_memory.start + info->dlpi_phdr[i].p_memsz;
        }
    }
    return 0;
}

/* Finds the component, which MPI_Init has loaded, and starts to count. */
static inline void mpi_memory_watch(void)
{
    dl_iterate_phdr(mpi_memory_find, NULL);
    CHECK(mpi_memory.start != NULL);
    mpi_memory.count = 0;
    mpi_memory.bytes = 0;
}

/*
 * Restarts the count. `times` allocations fail from number `first` on. The next allocation has number 1. If `first` is
 * 0, no allocation fails. Returns the number of failures since the last call.
 */
static inline long mpi_memory_fail(long first, long times)
{
    long failed = mpi_memory.failed;

    mpi_memory.count = 0;
    mpi_memory.bytes = 0;
    mpi_memory.first = first;
    mpi_memory.times = times;
    mpi_memory.failed = 0;
    return failed;
}

#endif
