/*
 * test_remote.c - memory between the processes of a node. The tests check which processes may read the memory of a
 * rank, reading of pieces, and which memory may be mapped.
 */
#include "forbid_reads.h"
#include "irr_test.h"

#include "core/limit.h"
#include "transport/shm/remote.h"
#include "transport/shm/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- other processes ---- */

/* Returns the result of a function in a new process. */
static bool found_by_child(bool (*finds)(const void *context), const void *context)
{
    const pid_t child = fork();
    int status = 1;

    if (child == 0) {
        _exit(finds(context) ? 0 : 1);
    }
    CU_ASSERT_FATAL(child > 0);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool works(const void *context)
{
    return irr_remote_works(context);
}

static bool works_where_forbidden(const void *context)
{
    return test_forbid_reads() && irr_remote_works(context);
}

/* A handle identifies its process. A wrong word, unreadable memory and a missing process are detected. */
IRR_TEST(test_handles, "which processes can read the memory of each other")
{
    static uint64_t word, other;
    irr_remote_handle_t handle, wrong;

    irr_remote_offer(&word, &handle);
    CU_ASSERT(word != 0 && handle.word == word && handle.process == (uint64_t)getpid());
    CU_ASSERT_TRUE(irr_remote_works(&handle));
    CU_ASSERT_TRUE(found_by_child(works, &handle));
    CU_ASSERT_FALSE(found_by_child(works_where_forbidden, &handle));
    irr_remote_offer(&other, &wrong);
    CU_ASSERT_NOT_EQUAL(other, word);
    wrong = handle;
    wrong.address = (uintptr_t)&other;
    CU_ASSERT_FALSE(irr_remote_works(&wrong));
    wrong.address = 8;
    CU_ASSERT_FALSE(irr_remote_works(&wrong));
    wrong = handle;
    wrong.process = UINT64_MAX;
    CU_ASSERT_FALSE(irr_remote_works(&wrong));
    wrong = (irr_remote_handle_t){ .process = handle.process, .address = handle.address };
    CU_ASSERT_FALSE(irr_remote_works(&wrong));
}

/* ---- pieces ---- */

enum { BYTES = 20000, PIECES = 60 };

static unsigned char copied[BYTES];

/* Pieces of random lengths, with gaps between them. */
static size_t cut(uint64_t *state, unsigned char *base, struct iovec *pieces)
{
    size_t at = 0, count = 0;

    for (; count < PIECES && at < BYTES - 400; count++) {
        pieces[count] = (struct iovec){ base + at, 1 + (size_t)irr_test_below(state, 300) };
        at += pieces[count].iov_len + (size_t)irr_test_below(state, 50);
    }
    return count;
}

/* Reads in a child process, whose own memory has other contents at the same addresses. */
static bool reads_right(const void *context)
{
    static unsigned char read[BYTES];
    struct iovec to[PIECES], from[PIECES];
    uint64_t state = 5, again = 5;
    const size_t count = cut(&state, read, to);
    bool right = cut(&again, copied, from) == count;

    memset(copied, 0, sizeof(copied));
    right = irr_remote_read(*(const uint64_t *)context, to, from, count) == IRR_OK && right;
    state = 5;
    for (size_t i = 0; i < cut(&state, read, to) && right; i++, state = 5) {
        for (size_t k = 0; k < to[i].iov_len; k++) {
            const unsigned char *byte = (const unsigned char *)to[i].iov_base + k;

            right = right && *byte == (unsigned char)((size_t)(byte - read) % 251);
        }
    }
    return right;
}

/* Memory that may not be read is told apart from a process that has ended. */
IRR_TEST(test_pieces, "pieces in the memory of another process")
{
    const uint64_t me = (uint64_t)getpid();
    unsigned char byte;
    struct iovec to = { &byte, 1 }, from = { (void *)8, 1 }, any = { &byte, 1 };

    for (size_t i = 0; i < BYTES; i++) {
        copied[i] = (unsigned char)(i % 251);
    }
    CU_ASSERT_TRUE(found_by_child(reads_right, &me));
    CU_ASSERT_EQUAL(irr_remote_read(me, &to, &from, 1), IRR_ERR_NOT_SUPPORTED);
    CU_ASSERT_EQUAL(irr_remote_read(INT32_MAX, &to, &any, 1), IRR_ERR_PEER);   /* no process has this number */
}

/* ---- segments ---- */

#define SECTION ((size_t)65536)

static irr_segment_t segment;
static int interruptions;   /* number of next calls of posix_fallocate, ftruncate and open that a signal interrupts */
static int refused;         /* error of the next call of mmap; 0: none */

static bool interrupts(void)
{
    return interruptions > 0 && interruptions-- > 0;
}

/* This function and the next ones replace functions of the C library. */
int posix_fallocate(int file, off_t offset, off_t bytes)
{
    return interrupts() ? EINTR : syscall(SYS_fallocate, file, 0, offset, bytes) == 0 ? 0 : errno;
}

int ftruncate(int file, off_t bytes)
{
    if (interrupts()) {
        errno = EINTR;
        return -1;
    }
    return (int)syscall(SYS_ftruncate, file, bytes);
}

int open(const char *path, int flags, ...)
{
    if (interrupts()) {
        errno = EINTR;
        return -1;
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0);
}

void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset)
{
    if (refused != 0) {
        errno = refused;
        refused = 0;
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, at, bytes, protection, flags, file, offset);
}

/* Programs that this process starts do not inherit the descriptor of a segment. */
IRR_TEST(test_view, "a view shows new contents and is read-only; a segment cannot shrink")
{
    irr_segment_view_t view = { .length = 0 };

    irr_test_must(irr_segment_init(&segment, SECTION));
    irr_test_must(irr_segment_back(&segment, 0, SECTION));
    CU_ASSERT_EQUAL_FATAL(irr_segment_view_open(&view, &segment.handle, 3), IRR_OK);
    CU_ASSERT_EQUAL(view.length, 3 * SECTION);
    CU_ASSERT(view.bytes != segment.bytes);
    memset(segment.bytes, 77, SECTION);
    CU_ASSERT_EQUAL(view.bytes[SECTION - 1], 77);
    CU_ASSERT_EQUAL(mprotect((void *)view.bytes, SECTION, PROT_READ | PROT_WRITE), -1);
    irr_segment_view_close(&view);
    CU_ASSERT_PTR_NULL(view.bytes);
    CU_ASSERT_EQUAL(ftruncate((int)segment.handle.file, 0), -1);
    CU_ASSERT(fcntl((int)segment.handle.file, F_GET_SEALS) & F_SEAL_SHRINK);
    CU_ASSERT(fcntl((int)segment.handle.file, F_GETFD) & FD_CLOEXEC);
    irr_segment_fini(&segment);
}

/* A window shows any section, also one that was appended later; addresses of the owner stay valid. */
IRR_TEST(test_sections, "a segment grows, and a view shows one section in each window")
{
    enum { SECTIONS = 20 };
    irr_segment_view_t view = { .length = 0 };
    const unsigned char *section = NULL;
    unsigned char *first;
    size_t offset = 0;

    irr_test_must(irr_segment_init(&segment, SECTION));
    irr_test_must(irr_segment_back(&segment, 0, 1));
    irr_test_must(irr_segment_view_open(&view, &segment.handle, 2));
    first = segment.bytes;
    first[0] = 100;
    for (unsigned i = 1; i < SECTIONS; i++) {
        CU_ASSERT_EQUAL(irr_segment_view_show(&view, &segment.handle, 1, i * SECTION, &section), IRR_ERR_PROTOCOL);
        irr_test_must(irr_segment_grow(&segment, &offset));
        CU_ASSERT_EQUAL(offset, i * SECTION);
        irr_test_must(irr_segment_back(&segment, offset + 1000, 10));
        *irr_segment_at(&segment, offset + 1009) = (unsigned char)i;
        CU_ASSERT_EQUAL(irr_segment_view_show(&view, &segment.handle, 1, offset + 7, &section), IRR_OK);
        CU_ASSERT_PTR_EQUAL(section, view.bytes + SECTION);
        CU_ASSERT_EQUAL(section[1009], i);
    }
    CU_ASSERT_EQUAL(irr_segment_view_show(&view, &segment.handle, 1, 3 * SECTION, &section), IRR_OK);
    CU_ASSERT_EQUAL(section[1009], 3);
    CU_ASSERT_EQUAL(irr_segment_view_show(&view, &segment.handle, 1, UINT64_MAX, &section), IRR_ERR_PROTOCOL);
    CU_ASSERT(segment.bytes == first && view.bytes[0] == 100);
    irr_segment_view_close(&view);
    irr_segment_fini(&segment);
}

IRR_TEST(test_interrupted, "a signal during a system call is no error")
{
    irr_segment_view_t view = { .length = 0 };

    interruptions = 3;
    CU_ASSERT_EQUAL(irr_segment_init(&segment, SECTION), IRR_OK);
    interruptions = 3;
    CU_ASSERT_EQUAL(irr_segment_back(&segment, 0, SECTION), IRR_OK);
    interruptions = 3;
    CU_ASSERT_EQUAL(irr_segment_view_open(&view, &segment.handle, 1), IRR_OK);
    CU_ASSERT_EQUAL(interruptions, 0);
    irr_segment_view_close(&view);
    irr_segment_fini(&segment);
}

static void set_limit(int resource, rlim_t value, struct rlimit *old)
{
    struct rlimit limit;

    CU_ASSERT_EQUAL_FATAL(getrlimit((__rlimit_resource_t)resource, old), 0);
    limit = *old;
    limit.rlim_cur = value;
    CU_ASSERT_EQUAL_FATAL(setrlimit((__rlimit_resource_t)resource, &limit), 0);
}

/* The default action of SIGXFSZ would end this process. */
IRR_TEST(test_file_limit, "the limit of the length of a file raises no signal, and the error names it")
{
    struct rlimit old;
    size_t offset;

    set_limit(RLIMIT_FSIZE, 2 * SECTION, &old);
    irr_test_must(irr_segment_init(&segment, SECTION));
    CU_ASSERT_EQUAL(irr_segment_grow(&segment, &offset), IRR_OK);
    CU_ASSERT_EQUAL(irr_segment_grow(&segment, &offset), IRR_ERR_NO_MEMORY);
    CU_ASSERT_STRING_EQUAL(irr_limit_cause(errno).text, "a file may have at most 131072 bytes (ulimit -f)");
    CU_ASSERT_EQUAL(setrlimit(RLIMIT_FSIZE, &old), 0);
    CU_ASSERT_EQUAL(irr_segment_grow(&segment, &offset), IRR_OK);
    irr_segment_fini(&segment);
    set_limit(RLIMIT_FSIZE, 1000, &old);
    CU_ASSERT_EQUAL(irr_segment_init(&segment, SECTION), IRR_ERR_NOT_SUPPORTED);
    CU_ASSERT_EQUAL(errno, EFBIG);
    CU_ASSERT_PTR_NULL(segment.bytes);
    CU_ASSERT_EQUAL(setrlimit(RLIMIT_FSIZE, &old), 0);
}

/* Returns the present size of the address space in bytes. */
static rlim_t present_size(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long long pages = 0;

    CU_ASSERT_FATAL(file != NULL && fscanf(file, "%llu", &pages) == 1);
    fclose(file);
    return (rlim_t)(pages * (unsigned long long)sysconf(_SC_PAGESIZE));
}

/* An open view takes no more address space, so it shows sections even at the limit. */
IRR_TEST(test_space_limit, "limits of address space and of locked memory are errors that name them")
{
    irr_segment_view_t view = { .length = 0 }, other = { .length = 0 };
    const unsigned char *section;
    struct rlimit old;
    size_t offset;

    irr_test_must(irr_segment_init(&segment, SECTION));
    irr_test_must(irr_segment_view_open(&view, &segment.handle, 3));
    irr_test_must(irr_segment_grow(&segment, &offset));
    set_limit(RLIMIT_AS, present_size(), &old);
    CU_ASSERT_EQUAL(irr_segment_view_show(&view, &segment.handle, 2, offset, &section), IRR_OK);
    CU_ASSERT_EQUAL(irr_segment_view_open(&other, &segment.handle, 3), IRR_ERR_NOT_SUPPORTED);
    CU_ASSERT_PTR_NOT_NULL(strstr(irr_limit_cause(errno).text, "bytes of address space (ulimit -v)"));
    CU_ASSERT_EQUAL(irr_segment_grow(&segment, &offset), IRR_ERR_NO_MEMORY);
    CU_ASSERT_EQUAL(errno, ENOMEM);
    CU_ASSERT_EQUAL(setrlimit(RLIMIT_AS, &old), 0);
    CU_ASSERT_STRING_EQUAL(irr_limit_cause(ENOMEM).text, strerror(ENOMEM));
    refused = EAGAIN;   /* as under mlockall(MCL_FUTURE) */
    CU_ASSERT_EQUAL(irr_segment_grow(&segment, &offset), IRR_ERR_NO_MEMORY);
    CU_ASSERT_EQUAL(errno, EAGAIN);
    CU_ASSERT_EQUAL(irr_segment_grow(&segment, &offset), IRR_OK);
    irr_segment_view_close(&view);
    irr_segment_fini(&segment);
}

static void expect_refused(const irr_segment_handle_t *handle)
{
    irr_segment_view_t view = { .length = 7 };

    CU_ASSERT_EQUAL(irr_segment_view_open(&view, handle, 1), IRR_ERR_NOT_SUPPORTED);
    CU_ASSERT_EQUAL(view.length, 7);
}

IRR_TEST(test_refused, "memory that differs from its handle is not mapped")
{
    irr_segment_handle_t handle;
    int file = memfd_create("other", MFD_CLOEXEC);

    irr_test_must(irr_segment_init(&segment, SECTION));
    for (int wrong = 0; wrong < 5; wrong++) {
        handle = segment.handle;
        *(wrong == 0 ? &handle.inode : wrong == 1 ? &handle.device : wrong == 2 ? &handle.section : wrong == 3
          ? &handle.file :
          &handle.process) += 4096;
        expect_refused(&handle);
    }
    handle = segment.handle;
    handle.section = 0;
    expect_refused(&handle);
    /* A file that may shrink is refused. */
    CU_ASSERT_EQUAL_FATAL(ftruncate(file, (off_t)SECTION), 0);
    handle = (irr_segment_handle_t){ .process = (uint64_t)getpid(), .file = (uint64_t)file, .section = SECTION };
    expect_refused(&handle);
    handle = segment.handle;
    irr_segment_fini(&segment);
    expect_refused(&handle);
    close(file);
    CU_ASSERT_EQUAL(irr_segment_init(&segment, SIZE_MAX / 2 + 1), IRR_ERR_NOT_SUPPORTED);
}

IRR_TEST_MAIN("remote", 60)
