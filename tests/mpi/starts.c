/*
 * starts.c - checks that repeated starts of persistent requests allocate no memory and send no headers.
 */
#include "mpi_call.h"
#include "mpi_memory.h"

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
 * Checks that coll/irr allocates nothing from the second start on, with contiguous blocks, and with blocks of a type
 * with gaps, which are packed. Over libfabric the component has pools, which grow to the largest number of operations
 * in progress, and therefore stop growing after some starts. The counter of bytes of headers must not grow, because
 * the receiver of each message knows its blocks.
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

MPI_CASES(mpi_cases_starts, { "no_allocation", case_starts, 0 });
