/*
 * allocations.c - what coll/irr allocates between a start and its completion: nothing, from the second start on.
 *
 *     mpi_allocations [INFO_KEY=VALUE ...] [, INFO_KEY=VALUE ...]   the keys go to the communicator
 *
 * UCX and Open MPI may grow pools of their own, which no plan can foresee, so only what the component calls counts.
 * The counters must show that no message was described either.
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

/* The requests of a run: blocks in place, and packed ones of a type with gaps. */
static void check_starts(MPI_Comm comm, MPI_Datatype type, uint64_t *state)
{
    unsigned long long described;
    MPI_Request request;
    call_t call;

    call_init(&call, comm, 1, type, type, 0, state);
    mpi_memory_fail(0, 0);
    ALLTOALLV_INIT(call.send.base, call.send.counts, call.send.displs, type, call.recv.base, call.recv.counts,
                   call.recv.displs, type, comm, MPI_INFO_NULL, &request);
    CHECK(mpi_memory.count > 0);
    start(&request);
    MPI_Barrier(MPI_COMM_WORLD);
    mpi_memory_fail(0, 0);
    described = header_bytes();
    for (int i = 0; i < 50; i++) {
        start(&request);
    }
    CHECK(mpi_memory.count == 0);
    CHECK(header_bytes() == described);
    MPI_Request_free(&request);
    call_fini(&call);
}

static void run(char **group, int length)
{
    MPI_Comm comm = dup_irr(MPI_COMM_WORLD, group, length);
    unsigned long long served = mpi_test_served();
    MPI_Datatype vector = vector_type();
    uint64_t state = mpi_test_seed();

    check_starts(comm, MPI_DOUBLE, &state);
    check_starts(comm, vector, &state);
    CHECK(mpi_test_served() == served + 102);
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
