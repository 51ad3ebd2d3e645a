/*
 * default.c - makes an exchange of each kind, and checks whether coll/irr served the exchange and opened a transport.
 *
 * UCX cannot make a worker without opening files, for example for its shared memory. The open files of this process
 * therefore show whether a worker exists.
 */
#include "../open_files.h"
#include "mpi_call.h"

static void call_twice(const mpi_pair_t *pair, MPI_Comm comm, int kind, mpi_form_t form, int served)
{
    mpi_spec_t spec = mpi_spec_plain(kind, mpi_count_most, 0, 1);
    mpi_call_t call;

    spec.most = 3;
    mpi_call_init(&call, pair, &spec);
    call.comm = comm;
    for (int i = 0; i < 2; i++) {
        const unsigned long long before = mpi_test_served();

        CHECK(mpi_call_once(&call, form));
        CHECK(mpi_test_served() == before + (unsigned long long)served);
    }
    mpi_call_fini(&call);
}

/* Makes two calls of each kind. The first call decides which component serves. */
static void exchange_all(const mpi_pair_t *pair, MPI_Comm comm, int v_served, int served)
{
    call_twice(pair, comm, ALLTOALLV, BLOCKING, v_served);
    call_twice(pair, comm, ALLTOALL, BLOCKING, served);
    call_twice(pair, comm, ALLTOALLV, PERSISTENT, v_served);
}

static unsigned long long endpoints(void)
{
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle = mpi_test_pvar_open("coll_irr_endpoints_open", MPI_T_PVAR_CLASS_SIZE, &session);

    CHECK(handle != MPI_T_PVAR_HANDLE_NULL);
    return mpi_test_pvar_read(session, handle);
}

/* Checks what serves MPI_Alltoallv and its requests, and what serves MPI_Alltoall. */
static void check(int v_served, int served)
{
    int before, after;
    mpi_pair_t pair;

    mpi_pair_open(&pair, ALL);
    MPI_Barrier(MPI_COMM_WORLD);
    before = test_open_files();
    exchange_all(&pair, pair.irr, v_served, served);
    exchange_all(&pair, MPI_COMM_WORLD, v_served, served);
    after = test_open_files();
    CHECK(v_served ? after > before : after == before);
    CHECK((endpoints() > 0) == v_served);
    mpi_pair_fini(&pair);
}

static void case_left(void) { check(0, 0); }
static void case_all_served(void) { check(1, 1); }
static void case_v_served(void) { check(1, 0); }

MPI_CASES(mpi_cases_default,
    { "left", case_left, 0 }, { "all_served", case_all_served, 0 }, { "v_served", case_v_served, 0 });
