/*
 * mpi_memory.h - counts the allocations and some system calls of coll/irr, and makes them fail on request.
 *
 * The program's functions replace functions of the C library for all libraries of the program, and act only on calls of
 * the component. UCX and Open MPI are not affected. Calls fail on the ranks that request it. This file is for programs
 * of one source file and one thread. System calls fail only if the program is linked with -export-dynamic.
 *
 *     mpi_memory_watch();               after MPI_Init
 *     mpi_memory_fail(60, LONG_MAX);    all allocations from the 60th on fail from now on
 *     MPI_Alltoallv(...);
 *     failed = mpi_memory_fail(0, 0);   none fails any more
 */
#ifndef MPI_MEMORY_H
#define MPI_MEMORY_H

#include "mpi_test.h"

#include <errno.h>
#include <limits.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

/* Visible to everything that the program loads. */
#define MPI_MEMORY_VISIBLE __attribute__((visibility("default")))

/* What may fail: an allocation, or a system call. */
enum { MEMORY, MMAP, MEMFD_CREATE, FTRUNCATE, PROCESS_VM_READV, MPI_MEMORY_KINDS };

static struct {
    const char *start, *end;   /* of the component's code */
    size_t bytes;              /* total length of the counted allocations in bytes */
    struct {
        long count;            /* number of calls since mpi_memory_fail_kind or mpi_memory_watch */
        long first, times;     /* number of the first failing call, 0: none; and number of failing calls */
        long failed;
    } kinds[MPI_MEMORY_KINDS];
} mpi_memory;

/* Counts a call of the component. Returns true, with `error` in errno, if the call must fail. */
static inline int mpi_memory_fails(int kind, const void *caller, size_t bytes, int error)
{
    if ((const char *)caller < mpi_memory.start || (const char *)caller >= mpi_memory.end) {
        return 0;
    }
    mpi_memory.bytes += bytes;
    if (++mpi_memory.kinds[kind].count < mpi_memory.kinds[kind].first || mpi_memory.kinds[kind].first == 0 ||
        mpi_memory.kinds[kind].count - mpi_memory.kinds[kind].first >= mpi_memory.kinds[kind].times) {
        return 0;
    }
    mpi_memory.kinds[kind].failed++;
    errno = error;
    return 1;
}

#define MPI_MEMORY_FAILS(kind, bytes, error) mpi_memory_fails(kind, __builtin_return_address(0), bytes, error)

MPI_MEMORY_VISIBLE void *malloc(size_t size)
{
    return MPI_MEMORY_FAILS(MEMORY, size, ENOMEM) ? NULL : __libc_malloc(size);
}

MPI_MEMORY_VISIBLE void *calloc(size_t elements, size_t size)
{
    return MPI_MEMORY_FAILS(MEMORY, elements * size, ENOMEM) ? NULL : __libc_calloc(elements, size);
}

MPI_MEMORY_VISIBLE void *realloc(void *memory, size_t size)
{
    return MPI_MEMORY_FAILS(MEMORY, size, ENOMEM) ? NULL : __libc_realloc(memory, size);
}

MPI_MEMORY_VISIBLE char *strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = MPI_MEMORY_FAILS(MEMORY, size, ENOMEM) ? NULL : __libc_malloc(size);

    return copy != NULL ? memcpy(copy, text, size) : NULL;
}

MPI_MEMORY_VISIBLE void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset)
{
    return MPI_MEMORY_FAILS(MMAP, 0, ENOMEM) ? MAP_FAILED
                                             : (void *)syscall(SYS_mmap, at, bytes, protection, flags, file, offset);
}

MPI_MEMORY_VISIBLE int memfd_create(const char *name, unsigned flags)
{
    return MPI_MEMORY_FAILS(MEMFD_CREATE, 0, EMFILE) ? -1 : (int)syscall(SYS_memfd_create, name, flags);
}

MPI_MEMORY_VISIBLE int ftruncate(int file, off_t bytes)
{
    return MPI_MEMORY_FAILS(FTRUNCATE, 0, ENOSPC) ? -1 : (int)syscall(SYS_ftruncate, file, bytes);
}

MPI_MEMORY_VISIBLE ssize_t process_vm_readv(pid_t pid, const struct iovec *to, unsigned long nto,
                                            const struct iovec *from, unsigned long nfrom, unsigned long flags)
{
    return MPI_MEMORY_FAILS(PROCESS_VM_READV, 0, EPERM)
               ? -1 : syscall(SYS_process_vm_readv, pid, to, nto, from, nfrom, flags);
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

/*
 * Restarts the count of a kind. `times` calls fail from number `first` on. The next call has number 1. If `first` is 0,
 * no call fails. Returns the number of failures since the last call of this function.
 */
static inline long mpi_memory_fail_kind(int kind, long first, long times)
{
    const long failed = mpi_memory.kinds[kind].failed;

    mpi_memory.bytes = 0;
    mpi_memory.kinds[kind].count = mpi_memory.kinds[kind].failed = 0;
    mpi_memory.kinds[kind].first = first;
    mpi_memory.kinds[kind].times = times;
    return failed;
}

/* Like mpi_memory_fail_kind, for allocations. */
static inline long mpi_memory_fail(long first, long times)
{
    return mpi_memory_fail_kind(MEMORY, first, times);
}

/* Returns the number of allocations since mpi_memory_fail or mpi_memory_watch. */
static inline long mpi_memory_count(void)
{
    return mpi_memory.kinds[MEMORY].count;
}

/* Finds the component, which MPI_Init has loaded, and starts to count. */
static inline void mpi_memory_watch(void)
{
    dl_iterate_phdr(mpi_memory_find, NULL);
    CHECK(mpi_memory.start != NULL);
    mpi_memory_fail(0, 0);
}

#endif
