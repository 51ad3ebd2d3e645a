/* segment.c - segments: memory that one process writes and other processes of its node read; see segment.h. */
#include "transport/shm/segment.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Memory is backed (allocated by the kernel) in steps of this many bytes. */
#define BACKED_STEP ((size_t)65536)

/* Alignment of ranges in bytes: a pair of cache lines, because some processors fetch two lines at a time. */
#define PLACE_STEP ((size_t)128)

/* ---- writing ---- */

/* Creates a file of `bytes` bytes, and seals its length. */
static int create_file(size_t bytes, struct stat *status)
{
    const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
    int file = memfd_create("coll_irr", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (file < 0) {
        return -1;
    }
    if (fchmod(file, S_IRUSR | S_IWUSR) != 0 || ftruncate(file, (off_t)bytes) != 0 ||
        fcntl(file, F_ADD_SEALS, seals) != 0 || fstat(file, status) != 0) {
        close(file);
        return -1;
    }
    return file;
}

irr_status_t irr_segment_init(irr_segment_t *segment, size_t table, size_t bytes)
{
    struct stat status;
    int file = create_file(bytes, &status);
    void *mapped;

    if (file < 0) {
        return IRR_ERR_NOT_SUPPORTED;
    }
    mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED) {
        close(file);
        return IRR_ERR_NOT_SUPPORTED;
    }
    *segment = (irr_segment_t){
        .bytes = mapped,
        .handle = { .process = (uint64_t)getpid(), .file = (uint64_t)file, .device = status.st_dev,
                  .inode = status.st_ino, .bytes = bytes },
        .backed = table,
        .end = table
    };
    return IRR_OK;
}

void irr_segment_fini(irr_segment_t *segment)
{
    if (segment->bytes != NULL) {
        munmap(segment->bytes, segment->handle.bytes);
        close((int)segment->handle.file);
    }
    memset(segment, 0, sizeof(*segment));
}

/*
 * Maps the pages of a backed range into this process in one system call (Linux 5.14 or newer). Otherwise the first
 * write to each page takes a page fault, and the first exchanges through a new FIFO take five times as long.
 */
static void map_pages(irr_segment_t *segment, size_t offset, size_t bytes)
{
#ifdef MADV_POPULATE_WRITE
    const size_t skip = offset % (size_t)sysconf(_SC_PAGESIZE);

    (void)madvise(segment->bytes + offset - skip, bytes + skip, MADV_POPULATE_WRITE);
#else
    (void)segment, (void)offset, (void)bytes;
#endif
}

irr_status_t irr_segment_back(irr_segment_t *segment, size_t offset, size_t bytes)
{
    if (posix_fallocate((int)segment->handle.file, (off_t)offset, (off_t)bytes) != 0) {
        return IRR_ERR_NO_MEMORY;
    }
    map_pages(segment, offset, bytes);
    return IRR_OK;
}

/* Backs all pages before the offset `end`. */
static irr_status_t back_up_to(irr_segment_t *segment, size_t end)
{
    size_t wanted = (end + BACKED_STEP - 1) / BACKED_STEP * BACKED_STEP;
    irr_status_t status;

    if (end <= segment->backed) {
        return IRR_OK;
    }
    wanted = wanted < segment->handle.bytes ? wanted : segment->handle.bytes;
    status = irr_segment_back(segment, segment->backed, wanted - segment->backed);
    segment->backed = status == IRR_OK ? wanted : segment->backed;
    return status;
}

irr_status_t irr_segment_take(irr_segment_t *segment, size_t bytes, size_t *offset_p)
{
    const size_t offset = segment->end, room = segment->handle.bytes - offset;
    const size_t length = (bytes / PLACE_STEP + (bytes % PLACE_STEP > 0)) * PLACE_STEP;

    if (bytes > room || length > room || back_up_to(segment, offset + length) != IRR_OK) {
        return IRR_ERR_NO_MEMORY;
    }
    segment->end = offset + length;
    *offset_p = offset;
    return IRR_OK;
}

/* ---- reading ---- */

/* Returns true if the file matches the handle, and has the seal that prevents shrinking. */
static bool is_valid(int file, const irr_segment_handle_t *handle)
{
    struct stat status;
    const int seals = fcntl(file, F_GET_SEALS);

    return fstat(file, &status) == 0 &&
           (handle->inode == 0 || (status.st_dev == handle->device && status.st_ino == handle->inode)) &&
           status.st_size >= 0 && (uint64_t)status.st_size == handle->bytes && seals >= 0 &&
           (seals & F_SEAL_SHRINK) != 0;
}

irr_status_t irr_segment_view_open(irr_segment_view_t *view, const irr_segment_handle_t *handle)
{
    irr_status_t status = IRR_ERR_NOT_SUPPORTED;
    void *mapped = MAP_FAILED;
    char path[64];
    int file;

    snprintf(path, sizeof(path), "/proc/%llu/fd/%llu", (unsigned long long)handle->process,
             (unsigned long long)handle->file);
    file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);   /* O_NONBLOCK: if the descriptor now belongs to a pipe, open
                                                               would otherwise wait for a writer */
    if (file < 0) {
        return status;
    }
    if (handle->bytes <= SIZE_MAX && is_valid(file, handle)) {
        mapped = mmap(NULL, handle->bytes, PROT_READ, MAP_SHARED, file, 0);
    }
    close(file);
    if (mapped != MAP_FAILED) {
        *view = (irr_segment_view_t){ .bytes = mapped, .length = handle->bytes };
        status = IRR_OK;
    }
    return status;
}

void irr_segment_view_close(irr_segment_view_t *view)
{
    if (view->bytes != NULL) {
        munmap((void *)view->bytes, view->length);
    }
    *view = (irr_segment_view_t){ .length = 0 };
}
