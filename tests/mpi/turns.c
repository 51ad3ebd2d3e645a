/*
 * turns.c - a rank that waits for a nonblocking call yields the processor, however long a round of MPI's progress is.
 *
 *     mpi_turns MICROSECONDS
 *
 * Rank 0 makes a call only after all other ranks have waited for it for many rounds of MPI's progress. In each round a
 * function of the test takes MICROSECONDS, as polling sockets would. A waiting rank must yield the processor at least
 * every second round. To be run with mpi_yield_when_idle.
 */
#include "mpi_test.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ROUNDS = 400, CALLS = 4 };

static long rounds, turns, wanted;   /* turns: number of yields */
static double seconds;
static _Atomic int *ready;           /* in memory of rank 0: number of ranks that have waited long enough */

/* Replaces the function of the C library, also for Open MPI and coll/irr. */
__attribute__((visibility("default"))) int sched_yield(void);

int sched_yield(void)
{
    turns++;
    return (int)syscall(SYS_sched_yield);
}

static int round_of_mpi(void)
{
    const double end = MPI_Wtime() + seconds;

    while (MPI_Wtime() < end) {
    }
    if (++rounds == wanted) {
        CHECK(turns >= wanted / 2);
        atomic_fetch_add(ready, 1);
    }
    return 0;
}

static void watch(void)
{
    int (*add)(int (*function)(void));

    *(void **)&add = dlsym(RTLD_DEFAULT, "opal_progress_register");
    if (CHECK(add != NULL)) {
        add(round_of_mpi);
    }
}

static void call(MPI_Comm comm, int *blocks, int ranks)
{
    MPI_Request request;

    MPI_Ialltoall(blocks, 1, MPI_INT, blocks + ranks, 1, MPI_INT, comm, &request);
    rounds = turns = 0;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Waits for the other ranks without MPI, because the other ranks do not need the progress of this rank. */
static void let_wait(int others)
{
    while (atomic_load(ready) < others) {
        (void)syscall(SYS_sched_yield);
    }
}

/* Makes a window of shared memory. `ready` is in the memory of rank 0, and is 0. */
static MPI_Win share(int rank)
{
    MPI_Win window;
    MPI_Aint size;
    int unit;

    MPI_Win_allocate_shared(rank == 0 ? sizeof(*ready) : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &ready, &window);
    MPI_Win_shared_query(window, 0, &size, &unit, &ready);
    if (rank == 0) {
        atomic_store(ready, 0);
    }
    return window;
}

int main(int argc, char **argv)
{
    MPI_Win window;
    MPI_Comm comm;
    unsigned long long served;
    int rank, ranks;
    int *blocks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    seconds = argc > 1 ? atof(argv[1]) * 1e-6 : 0;
    window = share(rank);
    blocks = calloc(2 * (size_t)ranks, sizeof(*blocks));
    comm = mpi_test_dup(MPI_COMM_WORLD, "coll_irr_alltoall_algorithm", "direct");
    mpi_test_served();
    for (int i = 0; i < CALLS; i++) {
        call(comm, blocks, ranks);
    }
    watch();
    served = mpi_test_served();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        let_wait(ranks - 1);
    } else {
        wanted = ROUNDS;
    }
    call(comm, blocks, ranks);
    wanted = 0;
    CHECK(mpi_test_served() > served);
    free(blocks);
    MPI_Comm_free(&comm);
    MPI_Win_free(&window);
    return mpi_test_end();
}
