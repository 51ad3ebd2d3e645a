/*
 * short.c - exchanges of which some ranks are short of memory: all calls return, one that lacked memory with an error.
 * With memory again every byte arrives, or the communicator has failed on all ranks; others go on.
 *
 *     mpi_short [INFO_KEY=VALUE ...] [, INFO_KEY=VALUE ...]   the keys go to the communicators; the algorithm is one
 *                                                             that allocates
 *
 * A communicator is in use before memory gets short, and the calls have blocks in place, so all that fails belongs to
 * an exchange.  Each run has a communicator of its own, because what was allocated once is kept.
 */
#include "mpi_call.h"
#include "mpi_memory.h"

enum { COUNT = 50 };

/* So many elements, all different, for each rank; of one call only one message of one rank differs. */
typedef enum kind {
    USUAL, ONE_SHORTER, ALL_LONGER
} kind_t;

static int count_of(kind_t kind, int from, int to)
{
    switch (kind) {
    case ONE_SHORTER: return from == 1 && to == 0 ? COUNT / 2 : COUNT;
    case ALL_LONGER:  return COUNT + 1 + from + to;
    case USUAL:       break;
    }
    return COUNT;
}

static int element(int from, int to, int i, int salt)
{
    return (from * 100 + to) * 1000 + i + salt * 7919;
}

/* Makes a call; returns whether it succeeded, with every byte right. */
static int exchange(MPI_Comm comm, kind_t kind)
{
    static int salt;
    side_t send, recv;
    int ranks, rank, result, same = 1, limit;

    MPI_Comm_size(comm, &ranks);
    MPI_Comm_rank(comm, &rank);
    limit = COUNT + 2 * ranks;
    side_init(&send, ranks);
    side_init(&recv, ranks);
    send.buffer = calloc((size_t)(ranks * limit), sizeof(int));
    recv.buffer = calloc((size_t)(ranks * limit), sizeof(int));
    salt++;
    for (int r = 0; r < ranks; r++) {
        send.counts[r] = count_of(kind, rank, r);
        recv.counts[r] = count_of(kind, r, rank);
        send.displs[r] = recv.displs[r] = r * limit;
        for (int i = 0; i < send.counts[r]; i++) {
            ((int *)send.buffer)[r * limit + i] = element(rank, r, i, salt);
        }
    }
    result = MPI_Alltoallv(send.buffer, send.counts, send.displs, MPI_INT, recv.buffer, recv.counts, recv.displs,
                           MPI_INT, comm);
    for (int r = 0; r < ranks; r++) {
        for (int i = 0; i < recv.counts[r]; i++) {
            same = same && ((int *)recv.buffer)[r * limit + i] == element(r, rank, i, salt);
        }
    }
    CHECK(same || result != MPI_SUCCESS);
    side_fini(&recv);
    side_fini(&send);
    return result == MPI_SUCCESS && same;
}

/* On how many ranks it is so. */
static int count_ranks(int is_so)
{
    int count;

    MPI_Allreduce(&is_so, &count, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return count;
}

/*
 * Memory is short in the third exchange, on these ranks (a bit each); returns whether it was on any.  Through shared
 * memory the exchange may end well all the same, because a message of the next one came early and was lost.
 */
static int run(MPI_Comm comm, MPI_Comm other, kind_t kind, unsigned ranks, long first, long times)
{
    const char *shm = getenv("OMPI_MCA_coll_irr_shm");
    const int shares = shm == NULL || strcmp(shm, "0") != 0;
    int rank, size, good, failed, any;

    MPI_Comm_size(comm, &size);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &rank);
    CHECK(exchange(comm, USUAL));
    CHECK(exchange(comm, USUAL));
    if ((ranks >> rank & 1) != 0) {
        mpi_memory_fail(first, times);
    }
    good = exchange(comm, kind);
    failed = mpi_memory_fail(0, 0) > 0;
    CHECK(shares || !good || !failed);
    /* Counts that were told to a rank without memory may be missed once more. */
    exchange(comm, kind);
    any = count_ranks(failed);
    good = count_ranks(exchange(comm, kind));
    CHECK(good == size || (good == 0 && any > 0));
    CHECK(exchange(other, kind));
    MPI_Comm_free(&comm);
    return any;
}

/* From each allocation on, until none fails. */
static void sweep(char **keys, int nkeys, kind_t kind, unsigned ranks, long times)
{
    MPI_Comm other = dup_irr(MPI_COMM_WORLD, keys, nkeys);
    long first = 1;

    while (run(dup_irr(MPI_COMM_WORLD, keys, nkeys), other, kind, ranks, first, times)) {
        first++;
    }
    MPI_Comm_free(&other);
    CHECK(first > 1 || kind == USUAL);   /* an exchange in which nothing changes allocates nothing */
}

static void sweep_all(char **keys, int nkeys)
{
    static const unsigned some[] = { 1, 6, ~0u };
    unsigned long long served = mpi_test_served();

    for (int kind = USUAL; kind <= ALL_LONGER; kind++) {
        for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
            sweep(keys, nkeys, (kind_t)kind, some[i], 1);
            sweep(keys, nkeys, (kind_t)kind, some[i], LONG_MAX);
        }
    }
    CHECK(mpi_test_served() > served);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    mpi_test_served();
    mpi_memory_watch();
    mpi_test_groups(argv + 1, argc - 1, sweep_all);
    return mpi_test_end();
}
