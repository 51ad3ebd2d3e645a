/*
 * team.c - teams: communicators of the same processes in the same order, which share trials and engine communicators.
 * Every byte is checked, on all communicators.
 */
#include "mpi_call.h"
#include "mpi_memory.h"

enum { COUNT = 512, RANKS_MAX = 16, COMMS = 200, CALLS = 20 };

#define rank  mpi_job.rank
#define ranks mpi_job.ranks

/* Makes an exchange whose bytes differ from the bytes of the previous exchange. Returns true if all bytes are right. */
static int is_right(MPI_Comm comm)
{
    static uint64_t seed;

    return mpi_call_on(comm, ALLTOALLV, BLOCKING, COUNT, ++seed) == MPI_SUCCESS;
}

static MPI_Comm dup_world(void)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
}

/*
 * Uses NUMBER short-lived communicators, one at a time. Their exchanges add up until a trial is worth its cost, and the
 * next communicators use the result of the trial.
 */
static void case_short_lived(void)
{
    for (int i = 0; i < mpi_job_number(COMMS); i++) {
        MPI_Comm comm = dup_world();

        for (int k = 0; k < CALLS; k++) {
            CHECK(is_right(comm));
        }
        MPI_Comm_free(&comm);
    }
}

/* Like case_short_lived, with an algorithm that serves from the first exchange on. */
static void case_served(void)
{
    case_short_lived();
    CHECK(mpi_job_served() == (unsigned long long)(mpi_job_number(COMMS) * CALLS));
}

/* Uses nine communicators alternately, all alive at the same time, some with another order of the processes. */
static void case_turns(void)
{
    enum { AT_ONCE = 9 };
    MPI_Comm comms[AT_ONCE];

    for (int i = 0; i < AT_ONCE; i++) {
        MPI_Comm_split(MPI_COMM_WORLD, 0, i % 3 == 0 ? rank : i % 3 == 1 ? -rank : (rank + 1) % ranks, &comms[i]);
    }
    for (int k = 0; k < 400; k++) {
        CHECK(is_right(comms[k % 7 * k % AT_ONCE]));
        if (k % 50 == 49) {
            MPI_Comm_free(&comms[k / 50]);
            comms[k / 50] = dup_world();
        }
    }
    for (int i = 0; i < AT_ONCE; i++) {
        MPI_Comm_free(&comms[i]);
    }
}

/*
 * Makes an exchange fail on one communicator. The communicators that have joined its team must also fail, on all ranks.
 * The next communicator, and a communicator without an exchange, must begin anew.
 */
static void case_failed(void)
{
    mpi_spec_t spec = mpi_spec_plain(ALLTOALLV, mpi_count_most, 0, 1);
    MPI_Comm first, second, later, unused;

    mpi_memory_watch();
    spec.most = COUNT;
    spec.items = spec.pieces = 2;
    for (int round = 0; round < 3; round++) {
        mpi_pair_t pair;
        mpi_call_t call;

        first = dup_world();
        second = dup_world();
        unused = dup_world();
        CHECK(is_right(first) && is_right(second));
        mpi_pair_wrap(&pair, first);
        mpi_call_init(&call, &pair, &spec);
        mpi_memory_fail(rank == 1, LONG_MAX);
        CHECK(mpi_call_once(&call, BLOCKING) || call.result != MPI_SUCCESS);
        CHECK((mpi_memory_fail(0, 0) > 0) == (rank == 1));
        mpi_call_fini(&call);
        mpi_pair_fini(&pair);
        CHECK(mpi_test_sum(is_right(first)) == 0);
        CHECK(mpi_test_sum(is_right(second)) == 0);
        CHECK(is_right(unused));
        later = dup_world();
        CHECK(is_right(later) && is_right(unused));
        MPI_Comm_free(&first);
        MPI_Comm_free(&second);
        MPI_Comm_free(&unused);
        MPI_Comm_free(&later);
    }
}

/*
 * Lets the last rank arrive on a communicator only after the timeout of the others, in an exchange, or in an agreement
 * if the communicator was not used before.  All ranks get an error, and later errors, on this communicator only.
 */
static void time_out(int used)
{
    enum { TAG = 7 };
    const int last = ranks - 1;
    MPI_Comm late = dup_world(), other = dup_world(), unused = dup_world(), later, in_time;
    int nothing = 0;

    MPI_Comm_split(MPI_COMM_WORLD, rank == last, 0, &in_time);
    CHECK(is_right(other));
    if (used) {
        CHECK(is_right(late) && is_right(other));
    }
    if (rank == last) {
        MPI_Recv(&nothing, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    CHECK(!is_right(late));
    MPI_Barrier(in_time);
    if (rank == 0) {
        MPI_Send(&nothing, 1, MPI_INT, last, TAG, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(!is_right(late));
    CHECK(is_right(other) && is_right(unused) && is_right(other));
    later = dup_world();
    CHECK(is_right(later) && is_right(other) && !is_right(late));
    MPI_Comm_free(&late);
    MPI_Comm_free(&other);
    MPI_Comm_free(&unused);
    CHECK(is_right(later));
    MPI_Comm_free(&later);
    MPI_Comm_free(&in_time);
}

static void case_late_exchange(void)
{
    time_out(1);
}

static void case_late_agreement(void)
{
    time_out(0);
}

/*
 * Lets the ranks agree on nonblocking calls of a communicator that has not joined its team. On rank 0 this happens
 * before the first blocking call of the communicator, on the other ranks during the call. The communicator must
 * nevertheless join the team on all ranks.
 */
static void case_nonblocking(void)
{
    MPI_Comm first = dup_world(), second = dup_world();
    uint64_t state = 1;
    mpi_pair_t pair;
    mpi_call_t call;
    int done = 0;

    CHECK(is_right(first));
    mpi_pair_wrap(&pair, second);
    mpi_call_init_plain(&call, &pair, ONE, &state);
    mpi_call_fill(&call);
    mpi_call_start(&call, NONBLOCKING);
    while (rank == 0 && !done) {
        MPI_Test(&call.request, &done, MPI_STATUS_IGNORE);
    }
    CHECK(is_right(second));
    CHECK(mpi_call_wait(&call) == MPI_SUCCESS && mpi_call_is_right(&call));
    mpi_call_fini(&call);
    mpi_pair_fini(&pair);
    MPI_Comm_free(&first);
    MPI_Comm_free(&second);
}

/* Returns the place of a process in order number `number` of all ranks! orders. */
static int place_of(int number, int process)
{
    int left[RANKS_MAX];

    for (int i = 0; i < ranks; i++) {
        left[i] = i;
    }
    for (int i = 0; i < ranks; i++) {
        const int pick = number % (ranks - i);

        if (left[pick] == process) {
            return i;
        }
        number /= ranks - i;
        memmove(&left[pick], &left[pick + 1], (size_t)(ranks - i - pick - 1) * sizeof(int));
    }
    return 0;
}

/*
 * Frees all communicators of 100 teams, more than the component keeps. The next communicator of a team uses the kept
 * engine communicator, or creates a new one.
 */
static void case_orders(void)
{
    for (int number = 0; number < 200; number++) {
        MPI_Comm comm;

        MPI_Comm_split(MPI_COMM_WORLD, 0, place_of(number % 100, rank), &comm);
        for (int k = 0; k < 3; k++) {
            CHECK(is_right(comm));
        }
        MPI_Comm_free(&comm);
    }
}

MPI_CASES(mpi_cases_team,
    { "short_lived", case_short_lived, 0 }, { "served", case_served, 0 }, { "turns", case_turns, 0 },
    { "failed", case_failed, 0 }, { "late_exchange", case_late_exchange, 0 },
    { "late_agreement", case_late_agreement, 0 }, { "orders", case_orders, 0 }, { "nonblocking", case_nonblocking, 0 });
