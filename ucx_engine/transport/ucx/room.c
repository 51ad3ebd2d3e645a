/*
 * room.c - checks whether the limits of the process leave UCX the room that it needs to open. With less, some releases
 * of UCX end the process by an assertion.
 */
#include "transport/ucx/ucx.h"

#include "core/log.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* What UCX needs to open: address space in bytes (also locked memory, after mlockall), and open files. */
#define SPACE ((size_t)128 << 20)
#define FILES 32

/* Tries to reserve the address space, without a page of memory. */
static bool has_space(void)
{
    void *space = mmap(NULL, SPACE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return space != MAP_FAILED && munmap(space, SPACE) == 0;
}

/* Descriptors are taken in ascending order, so the next one tells how many are open. */
static bool has_files(void)
{
    const int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
    struct rlimit limit;

    if (file < 0) {
        return false;
    }
    close(file);
    return getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
           limit.rlim_cur >= (rlim_t)file + FILES;
}

irr_status_t irr_ucx_has_room(void)
{
    if (has_space() && has_files()) {
        return IRR_OK;
    }
    irr_log(IRR_LOG_ERROR, "ucx needs %zu MiB of address space and %d descriptors to open, more than the limits of "
            "this process leave (ulimit -v, -l, -n)", SPACE >> 20, FILES);
    return IRR_ERR_NOT_SUPPORTED;
}
