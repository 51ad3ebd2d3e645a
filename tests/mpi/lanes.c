/*
 * lanes.c - exchanges through memory that the ranks of a node share: many communicators, and ranks that are killed.
 *
 *     mpi_lanes once        two exchanges
 *     mpi_lanes many N      N communicators at a time, with an exchange each, twice
 *     mpi_lanes killed MS   some rank is killed at some moment of the first MS milliseconds, of IRR_SEED
 */
#include "mpi_call.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#define RANKS_MAX 64
#define BLOCK     300   /* ints; more than a slot of a lane has room for */

static void exchange(MPI_Comm comm, int salt)
{
    static int in[RANKS_MAX * BLOCK], out[RANKS_MAX * BLOCK];
    int counts[RANKS_MAX], displs[RANKS_MAX], ranks, me;

    MPI_Comm_size(comm, &ranks);
    MPI_Comm_rank(comm, &me);
    for (int j = 0; j < ranks; j++) {
        counts[j] = j == me ? 0 : (j + me) % 3 == 0 ? 1 : BLOCK;
        displs[j] = j * BLOCK;
        for (int i = 0; i < BLOCK; i++) {
            in[j * BLOCK + i] = salt + me * 1000000 + j * 1000 + i;
            out[j * BLOCK + i] = -1;
        }
    }
    MPI_Alltoallv(in, counts, displs, MPI_INT, out, counts, displs, MPI_INT, comm);
    for (int j = 0; j < ranks; j++) {
        for (int i = 0; i < BLOCK; i++) {
            CHECK(out[j * BLOCK + i] == (i < counts[j] ? salt + j * 1000000 + me * 1000 + i : -1));
        }
    }
}

/* They share the lanes of their ranks: the second time nothing is made. */
static void many(int count)
{
    MPI_Comm *comms = calloc((size_t)count, sizeof(*comms));

    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < count; i++) {
            MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
            exchange(comms[i], i);
        }
        for (int i = 0; i < count; i++) {
            MPI_Comm_free(&comms[i]);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    free(comms);
}

static void die(int signal)
{
    (void)signal;
    kill(getpid(), SIGKILL);
}

/* Before MPI_Init, so that the moment may be in it. */
static void arm(int ms)
{
    const char *seed = getenv("IRR_SEED"), *rank = getenv("OMPI_COMM_WORLD_RANK");
    const char *ranks = getenv("OMPI_COMM_WORLD_SIZE");
    uint64_t state = seed != NULL ? strtoull(seed, NULL, 0) : 1;
    const uint64_t victim = mpi_test_random(&state), moment = mpi_test_random(&state);
    struct itimerval timer = { .it_value = { .tv_usec = 1 + (long)(moment % ((unsigned)ms * 1000)) } };

    timer.it_value.tv_sec = timer.it_value.tv_usec / 1000000;
    timer.it_value.tv_usec %= 1000000;
    if (rank != NULL && ranks != NULL && victim % (unsigned)atoi(ranks) == (unsigned)atoi(rank)) {
        signal(SIGALRM, die);
        setitimer(ITIMER_REAL, &timer, NULL);
    }
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    const int number = argc > 2 ? atoi(argv[2]) : 0;

    if (strcmp(mode, "killed") == 0) {
        arm(number);
    }
    MPI_Init(&argc, &argv);
    if (strcmp(mode, "once") == 0) {
        exchange(MPI_COMM_WORLD, 1);
        exchange(MPI_COMM_WORLD, 2);
    } else if (strcmp(mode, "many") == 0) {
        many(number);
    } else if (strcmp(mode, "killed") == 0) {
        for (int i = 0;; i++) {
            exchange(MPI_COMM_WORLD, i);
        }
    } else {
        CHECK(!"a mode of this program");
    }
    return mpi_test_end();
}
