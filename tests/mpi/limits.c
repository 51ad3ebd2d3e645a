/*
 * limits.c - exchanges under limits of the process, and the memory that the exchanges take.
 *
 *     mpi_limits BYTES CALLS [LIMIT]...   CALLS calls of MPI_Alltoallv, BYTES bytes to each rank
 *
 * A LIMIT is set after MPI_Init:
 *
 *     file:KIB     length of a file (RLIMIT_FSIZE)
 *     space:KIB    address space, this much above the present size (RLIMIT_AS)
 *     files:N      open files, this many more than at present (RLIMIT_NOFILE)
 *     locked:KIB   locked memory (RLIMIT_MEMLOCK); the process gives up the capability to exceed the limit
 *     lock         pages of future mappings become resident at once (mlockall)
 *
 * Each rank checks every byte. Rank 0 prints the largest size and resident memory of a rank in KiB, and the number of
 * mappings of shared memory that a core dump would include.
 */
#include "../open_files.h"

#include <linux/capability.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static void fail(int rank, const char *what)
{
    fprintf(stderr, "rank %d: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Returns the value in KiB of a line of /proc/self/status. */
static long status_kib(const char *name)
{
    char line[256];
    long value = 0;
    FILE *file = fopen("/proc/self/status", "r");

    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, name, strlen(name)) == 0) {
            value = strtol(line + strlen(name) + 1, NULL, 10);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return value;
}

/* Returns the number of mappings of coll/irr's shared memory whose pages a core dump includes. */
static long count_dumped(void)
{
    char line[512];
    long dumped = 0;
    int shared = 0;
    FILE *file = fopen("/proc/self/smaps", "r");

    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        if (strstr(line, "memfd:") != NULL) {
            shared = strstr(line, "memfd:coll_irr") != NULL;
        } else if (strncmp(line, "VmFlags:", 8) == 0) {
            dumped += shared && strstr(line, " dd") == NULL;
            shared = 0;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return dumped;
}

static int set_limit(int resource, unsigned long long value)
{
    const struct rlimit limit = { (rlim_t)value, (rlim_t)value };

    return setrlimit(resource, &limit);
}

/* Gives up the capability to lock more memory than the limit. */
static int give_up_locking(void)
{
    struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
    struct __user_cap_data_struct data[2];

    if (syscall(SYS_capget, &header, data) != 0) {
        return -1;
    }
    data[0].effective &= ~(1U << CAP_IPC_LOCK);
    return (int)syscall(SYS_capset, &header, data);
}

static int apply(const char *text)
{
    const char *colon = strchr(text, ':');
    const unsigned long long value = colon != NULL ? strtoull(colon + 1, NULL, 10) : 0;

    if (strncmp(text, "file:", 5) == 0) {
        return set_limit(RLIMIT_FSIZE, value << 10);
    }
    if (strncmp(text, "space:", 6) == 0) {
        return set_limit(RLIMIT_AS, ((unsigned long long)status_kib("VmSize:") + value) << 10);
    }
    if (strncmp(text, "files:", 6) == 0) {
        return set_limit(RLIMIT_NOFILE, (unsigned long long)test_open_files() + value);
    }
    if (strncmp(text, "locked:", 7) == 0) {
        return give_up_locking() == 0 ? set_limit(RLIMIT_MEMLOCK, value << 10) : -1;
    }
    return strcmp(text, "lock") == 0 ? mlockall(MCL_FUTURE) : -1;
}

/* The byte that a rank sends. */
static unsigned char byte_of(int from, int to, int call, size_t i)
{
    return (unsigned char)((size_t)from * 7 + (size_t)to * 31 + (size_t)call * 13 + i);
}

static void exchange(int call, size_t bytes, unsigned char *sent, unsigned char *got, int *counts, int *places)
{
    int rank, ranks;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < ranks; i++) {
        counts[i] = (int)bytes;
        places[i] = i * (int)bytes;
        for (size_t k = 0; k < bytes; k++) {
            sent[(size_t)i * bytes + k] = byte_of(rank, i, call, k);
        }
    }
    memset(got, 0, (size_t)ranks * bytes);
    if (MPI_Alltoallv(sent, counts, places, MPI_BYTE, got, counts, places, MPI_BYTE, MPI_COMM_WORLD) != MPI_SUCCESS) {
        fail(rank, "MPI_Alltoallv failed");
    }
    for (size_t k = 0; k < (size_t)ranks * bytes; k++) {
        if (got[k] != byte_of((int)(k / bytes), rank, call, k % bytes)) {
            fail(rank, "a received byte is wrong");
        }
    }
}

int main(int argc, char **argv)
{
    const size_t bytes = argc > 2 ? strtoull(argv[1], NULL, 10) : 0;
    const int calls = argc > 2 ? atoi(argv[2]) : 0;
    long mine[3], most[3];
    unsigned char *sent, *got;
    int rank, ranks, *counts;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    sent = malloc((size_t)ranks * bytes + 1);
    got = malloc((size_t)ranks * bytes + 1);
    counts = malloc(2 * (size_t)ranks * sizeof(*counts));
    if (bytes == 0 || sent == NULL || got == NULL || counts == NULL) {
        fail(rank, "usage: mpi_limits BYTES CALLS [LIMIT]...");
    }
    for (int i = 3; i < argc; i++) {
        if (apply(argv[i]) != 0) {
            fail(rank, argv[i]);
        }
    }
    for (int i = 0; i < calls; i++) {
        exchange(i, bytes, sent, got, counts, counts + ranks);
    }
    mine[0] = status_kib("VmSize:");
    mine[1] = status_kib("VmRSS:");
    mine[2] = count_dumped();
    MPI_Reduce(mine, most, 3, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("size %ld resident %ld dumped %ld\n", most[0], most[1], most[2]);
    }
    free(counts);
    free(got);
    free(sent);
    MPI_Finalize();
    return 0;
}
