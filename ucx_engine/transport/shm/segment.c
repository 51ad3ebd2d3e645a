/* segment.c - segments: memory that one process writes and other processes of its node read; see segment.h. */
#include "transport/shm/segment.h"

#include "core/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Leaves a range out of core dumps. Without the kernel's support the range stays in core dumps. */
static void leave_out(void *memory, size_t bytes)
{
    (void)madvise(memory, bytes, MADV_DONTDUMP);
}

/* ---- writing ---- */

/* Creates an empty file that cannot shrink. Returns -1 on error. */
static int create_file(struct stat *status)
{
    int file = memfd_create("coll_irr", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    if (file < 0) {
        return -1;
    }
    if (fchmod(file, S_IRUSR | S_IWUSR) != 0 || fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL) != 0 ||
        fstat(file, status) != 0) {
        close(file);
        return -1;
    }
    return file;
}

/* Sets the length of a file. A length above the limit is refused here, because ftruncate would raise SIGXFSZ. */
static int lengthen(int file, uint64_t bytes)
{
    struct rlimit limit;

    if (bytes > INT64_MAX || (getrlimit(RLIMIT_FSIZE, &limit) == 0 && bytes > limit.rlim_cur)) {
        errno = EFBIG;
        return -1;
    }
    return (int)TEMP_FAILURE_RETRY(ftruncate(file, (off_t)bytes));
}

irr_status_t irr_segment_grow(irr_segment_t *segment, size_t *offset_p)
{
    const size_t section = segment->handle.section, offset = segment->count * section;
    const int file = (int)segment->handle.file;
    void *mapped;

    if (section > UINT64_MAX - offset || IRR_GROW(segment->sections, segment->max, segment->count + 1) != IRR_OK) {
        errno = ENOMEM;
        return IRR_ERR_NO_MEMORY;
    }
    if (lengthen(file, offset + section) != 0) {
        return IRR_ERR_NO_MEMORY;
    }
    mapped = mmap(NULL, section, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)offset);
    if (mapped == MAP_FAILED) {
        return IRR_ERR_NO_MEMORY;
    }
    leave_out(mapped, section);
    segment->sections[segment->count++] = mapped;
    *offset_p = offset;
    return IRR_OK;
}

irr_status_t irr_segment_init(irr_segment_t *segment, size_t section)
{
    struct stat status;
    const int file = create_file(&status);
    size_t offset;

    if (file < 0) {
        return IRR_ERR_NOT_SUPPORTED;
    }
    *segment = (irr_segment_t){
        .handle = { .process = (uint64_t)getpid(), .file = (uint64_t)file, .device = status.st_dev,
                  .inode = status.st_ino, .section = section }
    };
    if (irr_segment_grow(segment, &offset) != IRR_OK) {
        const int error = errno;

        irr_segment_fini(segment);
        errno = error;
        return IRR_ERR_NOT_SUPPORTED;
    }
    segment->bytes = segment->sections[0];
    return IRR_OK;
}

void irr_segment_fini(irr_segment_t *segment)
{
    for (size_t i = 0; i < segment->count; i++) {
        munmap(segment->sections[i], segment->handle.section);
    }
    if (segment->handle.process != 0) {
        close((int)segment->handle.file);
    }
    irr_free(segment->sections);
    *segment = (irr_segment_t){ .count = 0 };
}

/*
 * Maps the pages of a backed range into this process in one system call (Linux 5.14 or newer). Otherwise the first
 * write to each page takes a page fault, and the first exchanges through a new FIFO take five times as long.
 */
static void map_pages(const irr_segment_t *segment, size_t offset, size_t bytes)
{
#ifdef MADV_POPULATE_WRITE
    const size_t skip = offset % (size_t)sysconf(_SC_PAGESIZE);

    (void)madvise(irr_segment_at(segment, offset) - skip, bytes + skip, MADV_POPULATE_WRITE);
#else
    (void)segment, (void)offset, (void)bytes;
#endif
}

/* The range lies within the file, so posix_fallocate does not raise SIGXFSZ. */
irr_status_t irr_segment_back(const irr_segment_t *segment, size_t offset, size_t bytes)
{
    int error;

    do {
        error = posix_fallocate((int)segment->handle.file, (off_t)offset, (off_t)bytes);
    } while (error == EINTR);
    if (error != 0) {
        errno = error;
        return IRR_ERR_NO_MEMORY;
    }
    map_pages(segment, offset, bytes);
    return IRR_OK;
}

/* ---- reading ---- */

/*
 * Opens the file of a handle, and sets *bytes_p to its length. Returns -1 if the file does not match the handle, or has
 * no seal that prevents shrinking.
 */
static int open_file(const irr_segment_handle_t *handle, uint64_t *bytes_p)
{
    struct stat status;
    char path[64];
    int file, seals;

    snprintf(path, sizeof(path), "/proc/%llu/fd/%llu", (unsigned long long)handle->process,
             (unsigned long long)handle->file);
    file = (int)TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));   /* O_NONBLOCK: if the descriptor
                                                                                        now belongs to a pipe, open
                                                                                        would wait for a writer */
    if (file < 0) {
        return -1;
    }
    seals = fcntl(file, F_GET_SEALS);
    if (fstat(file, &status) != 0 || status.st_size < 0 || seals < 0 || (seals & F_SEAL_SHRINK) == 0 ||
        (handle->inode != 0 && (status.st_dev != handle->device || status.st_ino != handle->inode))) {
        close(file);
        errno = ESTALE;
        return -1;
    }
    *bytes_p = (uint64_t)status.st_size;
    return file;
}

irr_status_t irr_segment_view_show(irr_segment_view_t *view, const irr_segment_handle_t *handle, unsigned window,
                                   uint64_t offset, const unsigned char **section_p)
{
    const uint64_t section = handle->section, number = offset / section;
    uint64_t bytes = 0;
    const int file = open_file(handle, &bytes);
    irr_status_t status = IRR_ERR_NOT_SUPPORTED;
    void *at = (unsigned char *)view->bytes + window * section;

    if (file < 0) {
        return status;
    }
    if (number >= bytes / section) {
        errno = ERANGE;
        status = IRR_ERR_PROTOCOL;
    } else if (mmap(at, section, PROT_READ, MAP_SHARED | MAP_FIXED, file, (off_t)(number * section)) != MAP_FAILED) {
        leave_out(at, section);
        *section_p = at;
        status = IRR_OK;
    }
    close(file);
    return status;
}

irr_status_t irr_segment_view_open(irr_segment_view_t *view, const irr_segment_handle_t *handle, unsigned windows)
{
    irr_segment_view_t opened;
    irr_status_t status;
    void *reserved;

    if (handle->section == 0 || handle->section > SIZE_MAX / windows) {
        errno = ERANGE;
        return IRR_ERR_NOT_SUPPORTED;
    }
    opened.length = windows * handle->section;
    reserved = mmap(NULL, opened.length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED) {
        return IRR_ERR_NOT_SUPPORTED;
    }
    opened.bytes = reserved;
    status = irr_segment_view_show(&opened, handle, 0, 0, &opened.bytes);
    if (status != IRR_OK) {
        const int error = errno;

        munmap(reserved, opened.length);
        errno = error;
        return IRR_ERR_NOT_SUPPORTED;
    }
    *view = opened;
    return IRR_OK;
}

void irr_segment_view_close(irr_segment_view_t *view)
{
    if (view->bytes != NULL) {
        munmap((void *)view->bytes, view->length);
    }
    *view = (irr_segment_view_t){ .length = 0 };
}
