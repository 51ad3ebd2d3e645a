/*
 * default.c - one exchange of each kind, and whether coll/irr served it and opened anything for it.
 *
 *     mpi_default left|served|v-served   all is left to Open MPI, coll/irr serves all, all but MPI_Alltoall
 *
 * UCX cannot make a worker without opening files, such as those of its shared memory: so the open files of this
 * process tell whether there is one.
 */
#include "../open_files.h"
#include "mpi_call.h"

enum { ITEMS = 3 };

typedef struct exchange {
    MPI_Comm comm;
    int      ranks, rank;
    int     *counts, *displs, *in, *out;
} exchange_t;

static exchange_t exchange_open(MPI_Comm comm)
{
    exchange_t exchange = { .comm = comm };
    size_t ranks;

    MPI_Comm_size(comm, &exchange.ranks);
    MPI_Comm_rank(comm, &exchange.rank);
    ranks = (size_t)exchange.ranks;
    exchange.counts = calloc(ranks, sizeof(int));
    exchange.displs = calloc(ranks, sizeof(int));
    exchange.in = calloc(ranks * ITEMS, sizeof(int));
    exchange.out = calloc(ranks * ITEMS, sizeof(int));
    for (int i = 0; i < exchange.ranks; i++) {
        exchange.counts[i] = ITEMS;
        exchange.displs[i] = i * ITEMS;
    }
    return exchange;
}

static void exchange_close(exchange_t *exchange)
{
    free(exchange->counts);
    free(exchange->displs);
    free(exchange->in);
    free(exchange->out);
}

static void prepare(exchange_t *exchange, int number)
{
    for (int i = 0; i < exchange->ranks * ITEMS; i++) {
        exchange->in[i] = number * 10000 + exchange->rank * 100 + i / ITEMS;
        exchange->out[i] = -1;
    }
}

/* The result is right, and coll/irr served as many exchanges since then as it should. */
static void compare(const exchange_t *exchange, int number, unsigned long long before, int served)
{
    int ok = 1;

    for (int i = 0; i < exchange->ranks * ITEMS; i++) {
        ok = ok && exchange->out[i] == number * 10000 + i / ITEMS * 100 + exchange->rank;
    }
    CHECK(ok);
    CHECK(mpi_test_served() == before + (unsigned long long)served);
}

/* Two calls of each kind: the first decides. */
static void exchange_all(MPI_Comm comm, int v_served, int served)
{
    exchange_t exchange = exchange_open(comm);
    unsigned long long before;
    MPI_Request request;

    for (int i = 0; i < 2; i++) {
        before = mpi_test_served();
        prepare(&exchange, 1);
        MPI_Alltoallv(exchange.in, exchange.counts, exchange.displs, MPI_INT, exchange.out, exchange.counts,
                      exchange.displs, MPI_INT, comm);
        compare(&exchange, 1, before, v_served);
        before = mpi_test_served();
        prepare(&exchange, 2);
        MPI_Alltoall(exchange.in, ITEMS, MPI_INT, exchange.out, ITEMS, MPI_INT, comm);
        compare(&exchange, 2, before, served);
    }
    ALLTOALLV_INIT(exchange.in, exchange.counts, exchange.displs, MPI_INT, exchange.out, exchange.counts,
                   exchange.displs, MPI_INT, comm, MPI_INFO_NULL, &request);
    for (int i = 0; i < 2; i++) {
        before = mpi_test_served();
        prepare(&exchange, 3);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        compare(&exchange, 3, before, v_served);
    }
    MPI_Request_free(&request);
    exchange_close(&exchange);
}

static unsigned long long endpoints(void)
{
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle = mpi_test_pvar_open("coll_irr_endpoints_open", MPI_T_PVAR_CLASS_SIZE, &session);
    unsigned long long value = 0;

    CHECK(handle != MPI_T_PVAR_HANDLE_NULL);
    if (handle != MPI_T_PVAR_HANDLE_NULL) {
        MPI_T_pvar_read(session, handle, &value);
    }
    return value;
}

int main(int argc, char **argv)
{
    int served = argc > 1 && strcmp(argv[1], "served") == 0;
    int v_served = served || (argc > 1 && strcmp(argv[1], "v-served") == 0);
    int before, after;
    MPI_Comm dup;

    MPI_Init(&argc, &argv);
    mpi_test_served();
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Barrier(MPI_COMM_WORLD);
    before = test_open_files();
    exchange_all(dup, v_served, served);
    exchange_all(MPI_COMM_WORLD, v_served, served);
    after = test_open_files();
    CHECK(v_served ? after > before : after == before);
    CHECK((endpoints() > 0) == v_served);
    MPI_Comm_free(&dup);
    return mpi_test_end();
}
