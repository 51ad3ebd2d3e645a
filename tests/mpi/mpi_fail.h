/*
 * mpi_fail.h - makes the n-th allocation of coll/irr fail (mpi_memory.h), or its n-th system call of a kind.
 *
 * The program's functions replace functions of the C library, and act only on calls of the component. A program that
 * includes this file is linked with -export-dynamic.
 */
#ifndef MPI_FAIL_H
#define MPI_FAIL_H

#include "mpi_memory.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MMAP, MEMFD_CREATE, FTRUNCATE, PROCESS_VM_READV, MEMORY };

static const char *const whats[] = {
    "mmap", "memfd_create", "ftruncate", "process_vm_readv", "memory"
};

static inline int what_of(const char *text)
{
    int what = MMAP;

    while (what < MEMORY && strcmp(whats[what], text) != 0) {
        what++;
    }
    return what;
}

/* System calls of the component since `fail` armed them; see mpi_memory. */
static struct {
    long count, first, times, failed;
} calls[MEMORY];

static inline int call_fails(int what, const void *caller, int error)
{
    if ((const char *)caller < mpi_memory.start || (const char *)caller >= mpi_memory.end ||
        ++calls[what].count < calls[what].first || calls[what].first == 0 ||
        calls[what].count - calls[what].first >= calls[what].times) {
        return 0;
    }
    calls[what].failed++;
    errno = error;
    return 1;
}

MPI_MEMORY_VISIBLE void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset)
{
    return call_fails(MMAP, __builtin_return_address(0), ENOMEM)
               ? MAP_FAILED : (void *)syscall(SYS_mmap, at, bytes, protection, flags, file, offset);
}

MPI_MEMORY_VISIBLE int memfd_create(const char *name, unsigned flags)
{
    return call_fails(MEMFD_CREATE, __builtin_return_address(0), EMFILE)
               ? -1 : (int)syscall(SYS_memfd_create, name, flags);
}

MPI_MEMORY_VISIBLE int ftruncate(int file, off_t bytes)
{
    return call_fails(FTRUNCATE, __builtin_return_address(0), ENOSPC) ? -1 : (int)syscall(SYS_ftruncate, file, bytes);
}

MPI_MEMORY_VISIBLE ssize_t process_vm_readv(pid_t pid, const struct iovec *to, unsigned long nto,
                                            const struct iovec *from, unsigned long nfrom, unsigned long flags)
{
    return call_fails(PROCESS_VM_READV, __builtin_return_address(0), EPERM)
               ? -1 : syscall(SYS_process_vm_readv, pid, to, nto, from, nfrom, flags);
}

/* Like mpi_memory_fail, for any kind of failure. */
static inline long fail(int what, long first, long times)
{
    long failed;

    if (what == MEMORY) {
        return mpi_memory_fail(first, times);
    }
    failed = calls[what].failed;
    calls[what].count = calls[what].failed = 0;
    calls[what].first = first;
    calls[what].times = times;
    return failed;
}

#endif
