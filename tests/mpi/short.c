/*
 * short.c - exchanges in which some ranks lack memory.  All calls return; a call that lacked memory returns an error.
 * With memory again every byte arrives, or the communicator has failed on all ranks; other communicators work.
 *
 *     mpi_short sweep [INFO_KEY=VALUE ...] [, sweep ...]   the keys name an algorithm that allocates
 *     mpi_short starts [INFO_KEY=VALUE ...]                requests that allocate nothing
 *
 * A communicator is in use before memory becomes short, so every failure belongs to an exchange. Each run has a
 * communicator of its own, because the component keeps allocated memory.
 */
#include "mpi_call.h"
#include "mpi_memory.h"

enum { COUNT = 50 };

static int count_usual(const mpi_spec_t *spec, int from, int to, int edge)
{
    (void)spec, (void)from, (void)to, (void)edge;
    return COUNT;
}

static int count_one_shorter(const mpi_spec_t *spec, int from, int to, int edge)
{
    (void)spec, (void)edge;
    return from == 1 && to == 0 ? COUNT / 2 : COUNT;
}

static int count_all_longer(const mpi_spec_t *spec, int from, int to, int edge)
{
    (void)spec, (void)edge;
    return COUNT + 1 + from + to;
}

/* Makes a call.  Returns true if it succeeded; then every byte must be right. */
static int exchange(const mpi_pair_t *pair, mpi_counts_t counts)
{
    static uint64_t seed;
    const mpi_spec_t spec = mpi_spec_plain(ALLTOALLV, counts, COUNT + 2 * pair->ranks, ++seed);
    mpi_call_t call;
    int good;

    mpi_call_init(&call, pair, &spec);
    good = mpi_call_once(&call, BLOCKING);
    CHECK(good || call.result != MPI_SUCCESS);
    mpi_call_fini(&call);
    return good;
}

/*
 * Makes memory short in the third exchange on some ranks (one bit each). Returns true if an allocation failed on any
 * rank. Over shared memory the exchange may succeed nevertheless, if an early message of the next exchange was lost.
 */
static int run(const mpi_pair_t *other, mpi_counts_t counts, unsigned ranks, long first, long times)
{
    const char *shm = getenv("OMPI_MCA_coll_irr_shm");
    const int shares = shm == NULL || strcmp(shm, "0") != 0;
    int good, failed, any;
    mpi_pair_t pair;

    mpi_pair_open(&pair, ALL);
    MPI_Comm_set_errhandler(pair.irr, MPI_ERRORS_RETURN);
    CHECK(exchange(&pair, count_usual));
    CHECK(exchange(&pair, count_usual));
    if ((ranks >> pair.rank & 1) != 0) {
        mpi_memory_fail(first, times);
    }
    good = exchange(&pair, counts);
    failed = mpi_memory_fail(0, 0) > 0;
    CHECK(shares || !good || !failed);
    /* A rank that had no memory for announced counts may miss the counts once more. */
    exchange(&pair, counts);
    any = mpi_test_sum(failed);
    good = mpi_test_sum(exchange(&pair, counts));
    CHECK(good == pair.ranks || (good == 0 && any > 0));
    CHECK(exchange(other, counts));
    mpi_pair_fini(&pair);
    return any;
}

/* Runs the exchange repeatedly. In each run allocations fail from a later number on, until no allocation fails. */
static void sweep(mpi_counts_t counts, unsigned ranks, long times)
{
    mpi_pair_t other;
    long first = 1;

    mpi_pair_open(&other, ALL);
    while (run(&other, counts, ranks, first, times)) {
        first++;
    }
    mpi_pair_fini(&other);
    CHECK(first > 1 || counts == count_usual);   /* an exchange without changes allocates nothing */
}

static void case_sweep(void)
{
    static const mpi_counts_t counts[] = { count_usual, count_one_shorter, count_all_longer };
    static const unsigned ranks[] = { 1, 6, ~0u };
    const unsigned long long served = mpi_test_served();

    mpi_memory_watch();
    for (int i = 0; i < 9; i++) {
        sweep(counts[i / 3], ranks[i % 3], 1);
        sweep(counts[i / 3], ranks[i % 3], LONG_MAX);
    }
    CHECK(mpi_test_served() > served);
}

/* ---- no allocation ---- */

static unsigned long long header_bytes(void)
{
    static MPI_T_pvar_session session;
    static MPI_T_pvar_handle handle;

    if (session == NULL) {
        handle = mpi_test_pvar_open("coll_irr_header_bytes", MPI_T_PVAR_CLASS_COUNTER, &session);
        CHECK(handle != MPI_T_PVAR_HANDLE_NULL);
    }
    return mpi_test_pvar_read(session, handle);
}

enum { STARTS = 50, TIMES_MAX = 20 };

/* Returns a count above 0, so that no rank runs ahead: messages that wait for their receives would need memory. */
static int count_some(const mpi_spec_t *spec, int from, int to, int edge)
{
    return 1 + (int)(mpi_call_hash(spec->seed, from, to, edge) % (uint64_t)spec->most);
}

/* Starts the call many times. Over libfabric, repeats this until no rank allocates. Returns the number of starts. */
static int start_often(mpi_call_t *call)
{
    const char *transport = getenv("OMPI_MCA_coll_irr_transport");
    const int times_max = transport != NULL && strcmp(transport, "ofi") == 0 ? TIMES_MAX : 1;
    int times = 0;
    long most = 1;

    while (times < times_max && most > 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        mpi_memory_fail(0, 0);
        for (int i = 0; i < STARTS; i++) {
            mpi_call_start(call, PERSISTENT);
            mpi_call_wait(call);
        }
        times++;
        most = mpi_memory_count();
        MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    }
    CHECK(most == 0);
    return times * STARTS;
}

/*
 * Checks that coll/irr allocates nothing between a start and its completion, from the second start on, with blocks in
 * place, and with blocks of a type with gaps, which are packed. Over libfabric the component has pools, which grow to
 * the largest number of operations in progress, and therefore stop growing after some starts. The counters must also
 * show that no message had a description.
 */
static void case_starts(void)
{
    uint64_t state = mpi_test_seed();
    mpi_pair_t pair;

    mpi_memory_watch();
    mpi_pair_open(&pair, ALL);
    for (int pieces = 1; pieces <= 2; pieces++) {
        const unsigned long long served = mpi_test_served();
        mpi_spec_t spec = mpi_spec_plain(ALLTOALLV, count_some, 0, mpi_test_random(&state));
        unsigned long long described;
        mpi_call_t call;
        int starts;

        spec.base = MPI_DOUBLE;
        spec.items = spec.pieces = pieces;
        spec.most = 200;
        mpi_call_init(&call, &pair, &spec);
        mpi_memory_fail(0, 0);
        mpi_call_request(&call);
        CHECK(mpi_memory_count() > 0);
        CHECK(mpi_call_once(&call, PERSISTENT));
        MPI_Barrier(MPI_COMM_WORLD);
        described = header_bytes();
        starts = 1 + start_often(&call);
        CHECK(header_bytes() == described);
        CHECK(mpi_test_served() == served + (unsigned long long)starts);
        mpi_call_fini(&call);
    }
    mpi_pair_fini(&pair);
}

static const mpi_case_t cases[] = { { "sweep", case_sweep, 0 }, { "starts", case_starts, 0 }, { NULL, NULL, 0 } };

int main(int argc, char **argv)
{
    return mpi_test_main(argc, argv, cases);
}
