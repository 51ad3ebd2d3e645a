/*
 * test_lessons_update.c - a process is killed while it updates the file of lessons, and signals interrupt the system
 * calls of an update.
 */
#include "choose/lessons_file.h"

#include "irr_test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MACHINE "a machine"

static void path_of(char path[64])
{
    static int number;

    snprintf(path, 64, "test_lessons_update.%ld.%d", (long)getpid(), number++);
}

static irr_status_t learn_and_add(const char *path)
{
    static const irr_traffic_t traffic = {
        .ranks = 8, .node_ranks = 4, .own_processors = true, .plain = true, .messages = 7, .lesser_messages = 7,
        .bytes = 7 * 4096, .lesser_bytes = 7 * 4096, .longest = 8192
    };
    const irr_situation_t situation = irr_situation_of("MPI_Alltoallv", &traffic);
    const irr_speedup_t speedup = { 1.5, 1.48, 1.52 };
    irr_lessons_t lessons = { .list = NULL };
    irr_file_error_t error = { 0 };
    irr_status_t status = irr_lessons_learn(&lessons, &situation, "direct", &speedup);

    if (status == IRR_OK) {
        status = irr_lessons_add(path, MACHINE, &lessons, &error);
    }
    irr_lessons_fini(&lessons);
    return status;
}

/* When a system call kills the process, which file systems know no files without names, and how often EINTR comes. */
static enum { NEVER, AT_FSYNC, AT_RENAME } killed;
static bool only_named;
static int interruptions;

static bool interrupts(void)
{
    errno = EINTR;
    return interruptions > 0 && interruptions-- > 0;
}

/* This function and the next ones replace functions of the C library. */
int open(const char *path, int flags, ...)
{
    if ((flags & O_TMPFILE) == O_TMPFILE && only_named) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return interrupts() ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0600);
}

int flock(int file, int operation)
{
    return interrupts() ? -1 : (int)syscall(SYS_flock, file, operation);
}

int fsync(int file)
{
    if (killed == AT_FSYNC) {
        raise(SIGKILL);
    }
    return interrupts() ? -1 : (int)syscall(SYS_fsync, file);
}

int rename(const char *from, const char *to)
{
    if (killed == AT_RENAME) {
        raise(SIGKILL);
    }
    return (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
}

/* Returns the number of files whose names begin with `path`. */
static int count_files(const char *path)
{
    DIR *folder = opendir(".");
    const struct dirent *entry;
    int count = 0;

    CU_ASSERT_FATAL(folder != NULL);
    while ((entry = readdir(folder)) != NULL) {
        count += strncmp(entry->d_name, path, strlen(path)) == 0;
    }
    closedir(folder);
    return count;
}

/* Another process, which is killed, adds a lesson. */
static void add_and_die(const char *path)
{
    const pid_t child = fork();
    int status = 0;

    if (child == 0) {
        (void)learn_and_add(path);
        _exit(0);
    }
    CU_ASSERT_FATAL(child > 0);
    CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
    CU_ASSERT(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* Returns true if the file system of this folder has files without names. */
static bool has_unnamed(void)
{
    const int file = open(".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);

    if (file >= 0) {
        close(file);
    }
    return file >= 0;
}

/* An update that was killed changes nothing, and the next update leaves nothing of it behind. */
IRR_TEST(test_killed, "a kill during an update leaves the file as it was")
{
    irr_file_error_t error = { 0 };
    irr_lessons_t read = { .list = NULL };
    const bool unnamed = has_unnamed();
    char path[64];

    for (int i = 0; i < 4; i++) {
        path_of(path);
        only_named = i % 2 != 0;
        CU_ASSERT_EQUAL(learn_and_add(path), IRR_OK);
        killed = i / 2 == 0 ? AT_FSYNC : AT_RENAME;
        add_and_die(path);
        add_and_die(path);
        killed = NEVER;
        CU_ASSERT_EQUAL(count_files(path), i == 0 && unnamed ? 1 : 2);
        CU_ASSERT_EQUAL(irr_lessons_read(path, MACHINE, &read, NULL, &error), IRR_OK);
        CU_ASSERT_EQUAL(read.list[0].found[0].trials, 1);
        irr_lessons_fini(&read);
        CU_ASSERT_EQUAL(learn_and_add(path), IRR_OK);
        CU_ASSERT_EQUAL(count_files(path), 1);
        CU_ASSERT_EQUAL(irr_lessons_read(path, MACHINE, &read, NULL, &error), IRR_OK);
        CU_ASSERT_EQUAL(read.list[0].found[0].trials, 2);
        irr_lessons_fini(&read);
        unlink(path);
    }
    only_named = false;
}

IRR_TEST(test_interrupted, "a signal during an update is no error")
{
    char path[64];

    path_of(path);
    for (int i = 1; i < 6; i++) {
        interruptions = i;
        CU_ASSERT_EQUAL(learn_and_add(path), IRR_OK);
        CU_ASSERT_EQUAL(interruptions, 0);
    }
    unlink(path);
}

IRR_TEST_MAIN("lessons update", 60)
