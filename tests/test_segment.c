/*
 * test_segment.c - memory that one process writes and other processes read. The tests check the places of a segment,
 * and which processes may map it.
 */
#include "irr_test.h"

#include "transport/shm/segment.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define TABLE ((size_t)65536)
#define BYTES ((size_t)1 << 22)

static irr_segment_t segment;

static void begin(void)
{
    irr_test_must(irr_segment_init(&segment, TABLE, BYTES));
}

/* Each place follows the place before at a multiple of 128 bytes, until the segment is used up. */
static void test_places(void)
{
    enum { PLACES = 4096 };
    struct { size_t offset, bytes; } places[PLACES];
    uint64_t state = irr_test_seed();
    size_t count = 0, next = TABLE, none = 0;
    irr_status_t status = IRR_OK;

    begin();
    CU_ASSERT_EQUAL(irr_segment_take(&segment, SIZE_MAX, &none), IRR_ERR_NO_MEMORY);
    CU_ASSERT_EQUAL(irr_segment_take(&segment, BYTES - TABLE + 1, &none), IRR_ERR_NO_MEMORY);
    CU_ASSERT_EQUAL(none, 0);
    while (count < PLACES && status == IRR_OK) {
        const size_t bytes = 1 + (size_t)irr_test_below(&state, (uint64_t)1 << irr_test_below(&state, 15));

        status = irr_segment_take(&segment, bytes, &places[count].offset);
        CU_ASSERT_EQUAL(status, next + bytes <= BYTES ? IRR_OK : IRR_ERR_NO_MEMORY);
        if (status == IRR_OK) {
            CU_ASSERT_EQUAL_FATAL(places[count].offset, next);
            next += (bytes + 127) / 128 * 128;
            memset(segment.bytes + places[count].offset, (int)(count % 251), bytes);
            places[count++].bytes = bytes;
        }
    }
    CU_ASSERT_EQUAL(status, IRR_ERR_NO_MEMORY);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < places[i].bytes; k++) {
            CU_ASSERT_EQUAL_FATAL(segment.bytes[places[i].offset + k], i % 251);
        }
    }
    CU_ASSERT_EQUAL(irr_segment_back(&segment, TABLE - 4, 4), IRR_OK);
    segment.bytes[TABLE - 1] = 1;
    irr_segment_fini(&segment);
}

/* The length of a segment cannot change. Programs that this process starts do not inherit its descriptor. */
static void test_view(void)
{
    irr_view_t view = { .length = 0 };
    size_t offset;

    begin();
    irr_test_must(irr_segment_take(&segment, 100, &offset));
    CU_ASSERT_EQUAL_FATAL(irr_view_open(&view, &segment.handle), IRR_OK);
    CU_ASSERT_EQUAL(view.length, BYTES);
    CU_ASSERT(view.bytes != segment.bytes);
    memset(segment.bytes + offset, 77, 100);
    CU_ASSERT_EQUAL(view.bytes[offset + 99], 77);
    CU_ASSERT_EQUAL(mprotect((void *)view.bytes, BYTES, PROT_READ | PROT_WRITE), -1);
    irr_view_close(&view);
    CU_ASSERT_PTR_NULL(view.bytes);
    CU_ASSERT_EQUAL(ftruncate((int)segment.handle.file, 0), -1);
    CU_ASSERT(fcntl((int)segment.handle.file, F_GET_SEALS) & F_SEAL_SHRINK);
    CU_ASSERT(fcntl((int)segment.handle.file, F_GETFD) & FD_CLOEXEC);
    irr_segment_fini(&segment);
}

/* Another process maps the segment, and can read it after this process has released it. */
static void test_process(void)
{
    int ready[2], state;
    irr_view_t view;
    size_t offset;
    pid_t child;
    char byte;

    begin();
    irr_test_must(irr_segment_take(&segment, 128, &offset));
    segment.bytes[offset] = 42;
    CU_ASSERT_EQUAL_FATAL(pipe(ready), 0);
    child = fork();
    CU_ASSERT_FATAL(child >= 0);
    if (child == 0) {
        const bool opened = irr_view_open(&view, &segment.handle) == IRR_OK;
        const bool wrote = write(ready[1], "x", 1) == 1;

        _exit(opened && wrote && view.bytes[offset] == 42 ? 0 : 1);
    }
    CU_ASSERT_EQUAL(read(ready[0], &byte, 1), 1);
    irr_segment_fini(&segment);
    CU_ASSERT_EQUAL(waitpid(child, &state, 0), child);
    CU_ASSERT(WIFEXITED(state) && WEXITSTATUS(state) == 0);
    close(ready[0]);
    close(ready[1]);
}

static void expect_refused(const irr_segment_handle_t *handle)
{
    irr_view_t view = { .length = 7 };

    CU_ASSERT_EQUAL(irr_view_open(&view, handle), IRR_ERR_NOT_SUPPORTED);
    CU_ASSERT_EQUAL(view.length, 7);
}

static void test_refused(void)
{
    irr_segment_handle_t handle;
    int file = memfd_create("other", MFD_CLOEXEC);

    begin();
    for (int wrong = 0; wrong < 5; wrong++) {
        handle = segment.handle;
        *(wrong == 0 ? &handle.inode : wrong == 1 ? &handle.device : wrong == 2 ? &handle.bytes : wrong == 3
          ? &handle.file :
          &handle.process) += 4096;
        expect_refused(&handle);
    }
    /* A file that may shrink is refused. */
    CU_ASSERT_EQUAL_FATAL(ftruncate(file, (off_t)BYTES), 0);
    handle.process = (uint64_t)getpid();
    handle.file = (uint64_t)file;
    expect_refused(&handle);
    handle = segment.handle;
    irr_segment_fini(&segment);
    expect_refused(&handle);
    close(file);
    CU_ASSERT_EQUAL(irr_segment_init(&segment, TABLE, SIZE_MAX / 2), IRR_ERR_NOT_SUPPORTED);
}

IRR_TEST_MAIN("segment", 60,
    { "places are taken one after the other", test_places },
    { "a view shows what is written, and cannot write; the length is fixed", test_view },
    { "another process maps it", test_process },
    { "a memory that differs from its handle is not mapped", test_refused })
