/*
 * allocations.c - what coll/irr allocates between a start and its completion: nothing, from the second start on.
 *
 *     mpi_allocations starts [INFO_KEY=VALUE ...] [, starts ...]   the keys go to the communicator
 *
 * UCX and Open MPI may grow pools of their own, which no plan can foresee, so only what the component calls counts.
 * Over libfabric such pools are the component's: they grow to what was ever under way at once, and so stop growing
 * after some starts.  The counters must show that no message was described either.
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

/* No block is empty, so no rank runs ahead: messages that wait for their receives would take memory. */
static int count_some(const mpi_spec_t *spec, int from, int to, int edge)
{
    return 1 + (int)(mpi_call_hash(spec->seed, from, to, edge) % (uint64_t)spec->most);
}

/* So many starts, once, or until none allocates on any rank; returns how many. */
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
        most = mpi_memory.count;
        MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    }
    CHECK(most == 0);
    return times * STARTS;
}

/* Blocks in place, and packed ones of a type with gaps. */
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
        CHECK(mpi_memory.count > 0);
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

static const mpi_case_t cases[] = { { "starts", case_starts, 0 }, { NULL, NULL, 0 } };

int main(int argc, char **argv)
{
    return mpi_test_main(argc, argv, cases);
}
