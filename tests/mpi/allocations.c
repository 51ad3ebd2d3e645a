/*
 * allocations.c - what coll/irr allocates between a start and its completion: nothing, from the second start on.
 *
 *     mpi_allocations [INFO_KEY=VALUE ...] [, INFO_KEY=VALUE ...]   the keys go to the communicator
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
    unsigned long long value = 0;

    if (session == NULL) {
        handle = mpi_test_pvar_open("coll_irr_header_bytes", MPI_T_PVAR_CLASS_COUNTER, &session);
        CHECK(handle != MPI_T_PVAR_HANDLE_NULL);
    }
    MPI_T_pvar_read(session, handle, &value);
    return value;
}

static void start(MPI_Request *request)
{
    MPI_Start(request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

enum { STARTS = 50, TIMES_MAX = 20 };

/* So many starts, once, or until none allocates on any rank; returns how many. */
static int start_often(MPI_Request *request)
{
    const char *transport = getenv("OMPI_MCA_coll_irr_transport");
    const int times_max = transport != NULL && strcmp(transport, "ofi") == 0 ? TIMES_MAX : 1;
    int times = 0;
    long most = 1;

    while (times < times_max && most > 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        mpi_memory_fail(0, 0);
        for (int i = 0; i < STARTS; i++) {
            start(request);
        }
        times++;
        most = mpi_memory.count;
        MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    }
    CHECK(most == 0);
    return times * STARTS;
}

/* The requests of a run: blocks in place, and packed ones of a type with gaps.  Returns how many starts there were. */
static int check_starts(MPI_Comm comm, MPI_Datatype type, uint64_t *state)
{
    unsigned long long described;
    MPI_Request request;
    int starts;
    call_t call;

    call_init(&call, comm, 1, type, type, 0, state);
    mpi_memory_fail(0, 0);
    ALLTOALLV_INIT(call.send.base, call.send.counts, call.send.displs, type, call.recv.base, call.recv.counts,
                   call.recv.displs, type, comm, MPI_INFO_NULL, &request);
    CHECK(mpi_memory.count > 0);
    start(&request);
    MPI_Barrier(MPI_COMM_WORLD);
    described = header_bytes();
    starts = 1 + start_often(&request);
    CHECK(header_bytes() == described);
    MPI_Request_free(&request);
    call_fini(&call);
    return starts;
}

static void run(char **group, int length)
{
    MPI_Comm comm = dup_irr(MPI_COMM_WORLD, group, length);
    unsigned long long served = mpi_test_served();
    MPI_Datatype vector = vector_type();
    uint64_t state = mpi_test_seed();
    int starts = check_starts(comm, MPI_DOUBLE, &state);

    starts += check_starts(comm, vector, &state);
    CHECK(mpi_test_served() == served + (unsigned long long)starts);
    MPI_Type_free(&vector);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    mpi_test_served();
    mpi_memory_watch();
    mpi_test_groups(argv + 1, argc - 1, run);
    return mpi_test_end();
}
