/*
 * mpi_memory.c - counts the allocations and some system calls of coll/irr, and makes them fail (mpi_memory.h).
 */
#include "mpi_memory.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

static const char *start, *end;   /* of the component's code */
static size_t total_bytes;        /* of the counted allocations */

static struct {
    long count;                   /* number of calls since mpi_memory_fail_kind or mpi_memory_watch */
    long first, times;            /* number of the first failing call, 0: none; and number of failing calls */
    long failed;
} kinds[MPI_MEMORY_KINDS];

int mpi_memory_is_ours(const void *caller)
{
    return (const char *)caller >= start && (const char *)caller < end;
}

/* Counts a call of the component. Returns true, with `error` in errno, if the call must fail. */
static int fails(int kind, const void *caller, size_t bytes, int error)
{
    if (!mpi_memory_is_ours(caller)) {
        return 0;
    }
    total_bytes += bytes;
    if (++kinds[kind].count < kinds[kind].first || kinds[kind].first == 0 ||
        kinds[kind].count - kinds[kind].first >= kinds[kind].times) {
        return 0;
    }
    kinds[kind].failed++;
    errno = error;
    return 1;
}

#define FAILS(kind, bytes, error) fails(kind, __builtin_return_address(0), bytes, error)

MPI_MEMORY_VISIBLE void *malloc(size_t size)
{
    return FAILS(MEMORY, size, ENOMEM) ? NULL : __libc_malloc(size);
}

MPI_MEMORY_VISIBLE void *calloc(size_t elements, size_t size)
{
    return FAILS(MEMORY, elements * size, ENOMEM) ? NULL : __libc_calloc(elements, size);
}

MPI_MEMORY_VISIBLE void *realloc(void *memory, size_t size)
{
    return FAILS(MEMORY, size, ENOMEM) ? NULL : __libc_realloc(memory, size);
}

MPI_MEMORY_VISIBLE char *strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = FAILS(MEMORY, size, ENOMEM) ? NULL : __libc_malloc(size);

    return copy != NULL ? memcpy(copy, text, size) : NULL;
}

MPI_MEMORY_VISIBLE void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset)
{
    return FAILS(MMAP, 0, ENOMEM) ? MAP_FAILED : (void *)syscall(SYS_mmap, at, bytes, protection, flags, file, offset);
}

MPI_MEMORY_VISIBLE int memfd_create(const char *name, unsigned flags)
{
    return FAILS(MEMFD_CREATE, 0, EMFILE) ? -1 : (int)syscall(SYS_memfd_create, name, flags);
}

MPI_MEMORY_VISIBLE int ftruncate(int file, off_t bytes)
{
    return FAILS(FTRUNCATE, 0, ENOSPC) ? -1 : (int)syscall(SYS_ftruncate, file, bytes);
}

MPI_MEMORY_VISIBLE ssize_t process_vm_readv(pid_t pid, const struct iovec *to, unsigned long nto,
                                            const struct iovec *from, unsigned long nfrom, unsigned long flags)
{
    return FAILS(PROCESS_VM_READV, 0, EPERM) ? -1
                                             : syscall(SYS_process_vm_readv, pid, to, nto, from, nfrom, flags);
}

static int find(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    for (int i = 0; strstr(info->dlpi_name, "mca_coll_irr.so") != NULL && i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X) != 0) {
            start = (const char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
            end = start + info->dlpi_phdr[i].p_memsz;
        }
    }
    return 0;
}

/* Open MPI loads the component in MPI_Init.  Replaces the function of the C library to see the component at once. */
MPI_MEMORY_VISIBLE void *dlopen(const char *file, int mode)
{
    void *(*next)(const char *, int), *library;

    *(void **)&next = dlsym(RTLD_NEXT, "dlopen");
    library = next(file, mode);
    if (start == NULL) {
        dl_iterate_phdr(find, NULL);
    }
    return library;
}

long mpi_memory_fail_kind(int kind, long first, long times)
{
    const long failed = kinds[kind].failed;

    total_bytes = 0;
    kinds[kind].count = kinds[kind].failed = 0;
    kinds[kind].first = first;
    kinds[kind].times = times;
    return failed;
}

long mpi_memory_fail(long first, long times)
{
    return mpi_memory_fail_kind(MEMORY, first, times);
}

long mpi_memory_count(void)
{
    return kinds[MEMORY].count;
}

size_t mpi_memory_bytes(void)
{
    return total_bytes;
}

void mpi_memory_watch(void)
{
    dl_iterate_phdr(find, NULL);
    CHECK(start != NULL);
    mpi_memory_fail(0, 0);
}
