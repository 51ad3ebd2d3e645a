/*
 * lanes.c - exchanges through the shared memory of a node: many communicators, and ranks that are killed.
 *
 *     mpi_lanes once        two exchanges
 *     mpi_lanes many N      N communicators at a time, with an exchange each, twice
 *     mpi_lanes killed MS   a random rank is killed at a random moment (IRR_SEED) of the first MS milliseconds
 */
#include "mpi_call.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

enum { BLOCK = 300 };   /* ints; a slot of shared memory has less room */

/* Returns no elements for the rank itself, and one integer or a block for each other rank. */
static int count_mixed(const mpi_spec_t *spec, int from, int to, int edge)
{
    (void)spec, (void)edge;
    return from == to ? 0 : (from + to) % 3 == 0 ? 1 : BLOCK;
}

static void exchange(const mpi_pair_t *pair, MPI_Comm comm, int salt)
{
    const mpi_spec_t spec = mpi_spec_plain(ALLTOALLV, count_mixed, BLOCK, (uint64_t)salt);
    mpi_call_t call;

    mpi_call_init(&call, pair, &spec);
    call.comm = comm;
    CHECK(mpi_call_once(&call, BLOCKING));
    mpi_call_fini(&call);
}

/* Uses many communicators, which share the queues of their ranks. The second round therefore opens no new queue. */
static void many(const mpi_pair_t *pair, int count)
{
    MPI_Comm *comms = calloc((size_t)count, sizeof(*comms));

    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < count; i++) {
            MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
            exchange(pair, comms[i], i);
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

/* Sets the moment of death before MPI_Init, so that it may fall into MPI_Init. */
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
    mpi_pair_t pair;

    if (strcmp(mode, "killed") == 0) {
        arm(number);
    }
    MPI_Init(&argc, &argv);
    mpi_pair_open(&pair, ALL);
    if (strcmp(mode, "once") == 0) {
        exchange(&pair, MPI_COMM_WORLD, 1);
        exchange(&pair, MPI_COMM_WORLD, 2);
    } else if (strcmp(mode, "many") == 0) {
        many(&pair, number);
    } else if (strcmp(mode, "killed") == 0) {
        for (int i = 0;; i++) {
            exchange(&pair, MPI_COMM_WORLD, i);
        }
    } else {
        CHECK(!"a mode of this program");
    }
    return mpi_test_end();
}
