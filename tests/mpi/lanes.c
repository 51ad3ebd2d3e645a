/*
 * lanes.c - exchanges through the shared memory of a node: many communicators, and ranks that are killed.
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

static void case_once(void)
{
    mpi_pair_t pair;

    mpi_pair_open(&pair, ALL);
    exchange(&pair, MPI_COMM_WORLD, 1);
    exchange(&pair, MPI_COMM_WORLD, 2);
    mpi_pair_fini(&pair);
}

/* Makes calls of each form with long blocks, for which UCX uses a rendezvous. */
static void case_long(void)
{
    const unsigned long long served = mpi_test_served();
    mpi_spec_t spec = mpi_spec_plain(ALLTOALLV, mpi_count_most, 0, 1);
    mpi_pair_t pair;
    mpi_call_t call;

    spec.most = 100000;
    mpi_pair_open(&pair, ALL);
    mpi_call_init(&call, &pair, &spec);
    for (int form = 0; form < FORMS; form++) {
        CHECK(mpi_call_once(&call, (mpi_form_t)form) && mpi_call_once(&call, (mpi_form_t)form));
    }
    CHECK(mpi_call_agrees(&call));
    CHECK(mpi_test_served() > served);
    mpi_call_fini(&call);
    mpi_pair_fini(&pair);
}

/* Uses NUMBER communicators at the same time. They share the queues of their ranks: round two opens none. */
static void case_comms(void)
{
    MPI_Comm *comms = calloc((size_t)mpi_job.number, sizeof(*comms));
    mpi_pair_t pair;

    mpi_pair_open(&pair, ALL);
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < mpi_job.number; i++) {
            MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
            exchange(&pair, comms[i], i);
        }
        for (int i = 0; i < mpi_job.number; i++) {
            MPI_Comm_free(&comms[i]);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    mpi_pair_fini(&pair);
    free(comms);
}

static void die(int signal)
{
    (void)signal;
    kill(getpid(), SIGKILL);
}

/*
 * If IRR_KILL_MS is set, kills a random rank (IRR_SEED) within IRR_KILL_MS milliseconds. The timer starts before main,
 * so the rank may die in MPI_Init.
 */
__attribute__((constructor)) static void arm(void)
{
    const char *ms = getenv("IRR_KILL_MS"), *seed = getenv("IRR_SEED"), *rank = getenv("OMPI_COMM_WORLD_RANK");
    const char *ranks = getenv("OMPI_COMM_WORLD_SIZE");
    uint64_t state = seed != NULL ? strtoull(seed, NULL, 0) : 1;
    const uint64_t victim = mpi_test_random(&state), moment = mpi_test_random(&state);
    struct itimerval timer = { .it_value = { 0, 0 } };

    if (ms != NULL && rank != NULL && ranks != NULL && victim % (unsigned)atoi(ranks) == (unsigned)atoi(rank)) {
        const long us = 1 + (long)(moment % ((unsigned)atoi(ms) * 1000));

        timer.it_value.tv_sec = us / 1000000;
        timer.it_value.tv_usec = us % 1000000;
        signal(SIGALRM, die);
        setitimer(ITIMER_REAL, &timer, NULL);
    }
}

static void case_killed(void)
{
    mpi_pair_t pair;

    mpi_pair_open(&pair, ALL);
    for (int i = 0;; i++) {
        exchange(&pair, MPI_COMM_WORLD, i);
    }
}

MPI_CASES(mpi_cases_lanes,
    { "once", case_once, 0 }, { "long", case_long, 0 }, { "comms", case_comms, 0 }, { "killed", case_killed, 0 });
