/*
 * team.c - communicators of the same processes in the same order, which choose together and share engine communicators.
 *
 *     mpi_team CASE [, CASE ...]   see mpi_test.h and the table at the end
 *
 * Every byte is checked, on all communicators.
 */
#include "mpi_memory.h"

enum { COUNT = 512, RANKS_MAX = 16 };

#define rank  mpi_job.rank
#define ranks mpi_job.ranks

static int salt;
static int in[RANKS_MAX * 2 * COUNT], out[RANKS_MAX * COUNT], counts[RANKS_MAX], sends[RANKS_MAX], recvs[RANKS_MAX];

/* One exchange, with gaps in its input if gaps is set; returns the class of the error, or -1 for wrong bytes. */
static int exchange(MPI_Comm comm, int gaps)
{
    MPI_Datatype type = MPI_INT;
    int me, class, same = 1;

    salt++;
    MPI_Comm_rank(comm, &me);
    if (gaps) {
        MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &type);
        MPI_Type_commit(&type);
    }
    for (int r = 0; r < ranks; r++) {
        counts[r] = COUNT;
        sends[r] = recvs[r] = r * COUNT;
        for (int i = 0; i < COUNT; i++) {
            in[(r * COUNT + i) * (gaps ? 2 : 1)] = ((me * RANKS_MAX + r) * COUNT + i) ^ salt << 20;
            out[r * COUNT + i] = -1;
        }
    }
    MPI_Error_class(MPI_Alltoallv(in, counts, sends, type, out, counts, recvs, MPI_INT, comm), &class);
    for (int r = 0; r < ranks; r++) {
        for (int i = 0; i < COUNT; i++) {
            same = same && out[r * COUNT + i] == (((r * RANKS_MAX + me) * COUNT + i) ^ salt << 20);
        }
    }
    if (gaps) {
        MPI_Type_free(&type);
    }
    return class != MPI_SUCCESS ? class : same ? MPI_SUCCESS : -1;
}

static int is_right(MPI_Comm comm)
{
    return exchange(comm, 0) == MPI_SUCCESS;
}

static MPI_Comm dup_world(void)
{
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
}

/* One after the other: what they exchange adds up until a trial pays, and what it finds serves the next ones. */
static void case_short_lived(void)
{
    for (int i = 0; i < 200; i++) {
        MPI_Comm comm = dup_world();

        for (int k = 0; k < 20; k++) {
            CHECK(is_right(comm));
        }
        MPI_Comm_free(&comm);
    }
}

/* The same with what is served from the first exchange on. */
static void case_served(void)
{
    case_short_lived();
    CHECK(mpi_job_served() == 4000);
}

/* Many that live at once, in turns, and those of other orders of the processes between them. */
static void case_turns(void)
{
    enum { COMMS = 9 };
    MPI_Comm comms[COMMS];

    for (int i = 0; i < COMMS; i++) {
        MPI_Comm_split(MPI_COMM_WORLD, 0, i % 3 == 0 ? rank : i % 3 == 1 ? -rank : (rank + 1) % ranks, &comms[i]);
    }
    for (int k = 0; k < 400; k++) {
        CHECK(is_right(comms[k % 7 * k % COMMS]));
        if (k % 50 == 49) {
            MPI_Comm_free(&comms[k / 50]);
            comms[k / 50] = dup_world();
        }
    }
    for (int i = 0; i < COMMS; i++) {
        MPI_Comm_free(&comms[i]);
    }
}

/*
 * An exchange fails on one communicator: those that joined its team fail with it, on all ranks.  The next one begins
 * anew, and so does one that has not exchanged yet.
 */
static void case_failed(void)
{
    MPI_Comm first, second, later, unused;

    mpi_memory_watch();
    for (int round = 0; round < 3; round++) {
        first = dup_world();
        second = dup_world();
        unused = dup_world();
        CHECK(is_right(first) && is_right(second));
        mpi_memory_fail(rank == 1, LONG_MAX);
        CHECK(exchange(first, rank == 1) != -1);
        CHECK((mpi_memory_fail(0, 0) > 0) == (rank == 1));
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
 * The ranks agree on nonblocking calls of a communicator that has not joined its team: on rank 0 before its first
 * blocking call, on the others during it.  It joins the team all the same, on all ranks.
 */
static void case_nonblocking(void)
{
    static int sent[RANKS_MAX], received[RANKS_MAX], ones[RANKS_MAX], places[RANKS_MAX];
    MPI_Comm first = dup_world(), second = dup_world();
    MPI_Request request;
    int done = 0;

    for (int r = 0; r < ranks; r++) {
        sent[r] = rank * RANKS_MAX + r;
        ones[r] = 1;
        places[r] = r;
    }
    CHECK(is_right(first));
    MPI_Ialltoallv(sent, ones, places, MPI_INT, received, ones, places, MPI_INT, second, &request);
    while (rank == 0 && !done) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
    CHECK(is_right(second));
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int r = 0; r < ranks; r++) {
        CHECK(received[r] == r * RANKS_MAX + rank);
    }
    MPI_Comm_free(&first);
    MPI_Comm_free(&second);
}

/* The order of the processes with this number, of ranks! of them. */
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

/* More teams without communicators than keep their engine communicators: the next of each begins anew, or goes on. */
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

static const mpi_case_t cases[] = {
    { "short_lived", case_short_lived, 0 }, { "served", case_served, 0 }, { "turns", case_turns, 0 },
    { "failed", case_failed, 0 }, { "orders", case_orders, 0 }, { "nonblocking", case_nonblocking, 0 },
    { NULL, NULL, 0 }
};

int main(int argc, char **argv)
{
    return mpi_test_main(argc, argv, cases);
}
