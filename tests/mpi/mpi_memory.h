/*
 * mpi_memory.h - counts the allocations and some system calls of coll/irr, and makes them fail on request.
 *
 * The functions of mpi_memory.c replace functions of the C library for all libraries of the program, and act only on
 * calls of the component. UCX and Open MPI are not affected. Calls fail on the ranks that request it, in programs that
 * are linked with -export-dynamic.
 *
 *     mpi_memory_watch();               after MPI_Init
 *     mpi_memory_fail(60, LONG_MAX);    all allocations from the 60th on fail from now on
 *     MPI_Alltoallv(...);
 *     failed = mpi_memory_fail(0, 0);   none fails any more
 *
 * Before MPI_Init, mpi_memory_fail concerns the allocations from the load of the component on; omit mpi_memory_watch.
 */
#ifndef MPI_MEMORY_H
#define MPI_MEMORY_H

#include "mpi_test.h"

#include <limits.h>

/* Visible to everything that the program loads. */
#define MPI_MEMORY_VISIBLE __attribute__((visibility("default")))

/* What may fail: an allocation, or a system call. */
enum { MEMORY, MMAP, MEMFD_CREATE, FTRUNCATE, PROCESS_VM_READV, MPI_MEMORY_KINDS };

/* Finds the component, which MPI_Init has loaded, and starts to count. */
void mpi_memory_watch(void);

/* Returns true if the address is in the component's code. */
int mpi_memory_is_ours(const void *caller);

/*
 * Restarts the count of a kind. `times` calls fail from number `first` on. The next call has number 1. If `first` is 0,
 * no call fails. Returns the number of failures since the last call of this function.
 */
long mpi_memory_fail_kind(int kind, long first, long times);

/* Like mpi_memory_fail_kind, for allocations. */
long mpi_memory_fail(long first, long times);

/* Return the number and the bytes of the allocations since mpi_memory_fail or mpi_memory_watch. */
long mpi_memory_count(void);
size_t mpi_memory_bytes(void);

#endif
