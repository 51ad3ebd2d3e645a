/*
 * mpi_test.h - what the MPI test programs share: checks, random numbers, and proof that coll/irr served.
 *
 * A program returns mpi_test_end(), which finalizes MPI and is 0 on all ranks if no check failed on any.
 */
#ifndef MPI_TEST_H
#define MPI_TEST_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int mpi_test_failures;

#define CHECK(condition) mpi_test_check((condition), #condition, __FILE__, __LINE__)

static inline int mpi_test_check(int condition, const char *text, const char *file, int line)
{
    int rank;

    if (!condition && mpi_test_failures++ < 10) {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        fprintf(stderr, "rank %d: %s:%d: %s\n", rank, file, line, text);
    }
    return condition;
}

static inline int mpi_test_end(void)
{
    int total = 0;

    MPI_Allreduce(&mpi_test_failures, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return total == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* splitmix64, the same on all ranks for the same seed. */
static inline uint64_t mpi_test_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* IRR_SEED or a new one; rank 0 prints it. */
static inline uint64_t mpi_test_seed(void)
{
    const char *text = getenv("IRR_SEED");
    uint64_t seed = text != NULL ? strtoull(text, NULL, 0) : (uint64_t)time(NULL);
    int rank;

    MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        printf("IRR_SEED=%llu\n", (unsigned long long)seed);
        fflush(stdout);
    }
    return seed;
}

/* A duplicate of comm on which one info key has a value. */
static inline MPI_Comm mpi_test_dup(MPI_Comm comm, const char *key, const char *value)
{
    MPI_Comm dup;
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, key, value);
    MPI_Comm_dup_with_info(comm, info, &dup);
    MPI_Info_free(&info);
    return dup;
}

/*
 * Opens a performance variable of coll/irr; MPI_T_PVAR_HANDLE_NULL if it does not exist.  A counter counts
 * from here on.  MPI_T stays open: opening it again would load components of Open MPI again.
 */
static inline MPI_T_pvar_handle mpi_test_pvar_open(const char *name, int class, MPI_T_pvar_session *session)
{
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    int provided, index = 0, count = 0;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(session);
    if (MPI_T_pvar_get_index(name, class, &index) == MPI_SUCCESS) {
        MPI_T_pvar_handle_alloc(*session, index, NULL, &handle, &count);
    }
    return handle;
}

/* Exchanges that coll/irr served on this rank since the first call. */
static inline unsigned long long mpi_test_served(void)
{
    static MPI_T_pvar_session session;
    static MPI_T_pvar_handle handle;
    static int opened;
    unsigned long long value = 0;

    if (!opened) {
        handle = mpi_test_pvar_open("coll_irr_exchanges", MPI_T_PVAR_CLASS_COUNTER, &session);
        opened = 1;
    }
    if (handle != MPI_T_PVAR_HANDLE_NULL) {
        MPI_T_pvar_read(session, handle, &value);
    }
    return value;
}

#endif
