/*
 * report.c - exchanges whose bytes and numbers are known, for coll_irr_report and for the variables of MPI_T.
 *
 *     mpi_report CALLS COMMUNICATORS [WAY]    the variables say that MPI_Alltoallv goes this way
 *     mpi_report CALLS COMMUNICATORS tell     rank 0 prints the variables of MPI_Alltoallv on MPI_COMM_WORLD in the
 *                                             end: of each the largest of all ranks
 *
 * CALLS of MPI_Alltoallv on MPI_COMM_WORLD, of which rank r sends 10 (r + 1) bytes to each other but nothing to rank 0;
 * as many of MPI_Alltoall, of 8 bytes; as many communicators as asked for, with two of the first each, freed at once;
 * one of half of the ranks, with a name of letters that nobody expects, and never freed; CALLS of MPI_Ialltoall, of 8
 * bytes, between both halves; and three starts of a request.
 */
#include "mpi_test.h"

enum { ROOM = 1024 };

typedef struct exchange {
    int ranks, rank;
    int send_counts[ROOM], send_displs[ROOM], recv_counts[ROOM], recv_displs[ROOM];
    unsigned char in[ROOM * 8], out[ROOM * 8];
} exchange_t;

static exchange_t exchange;

static void prepare(MPI_Comm comm)
{
    int sent = 0, received = 0;

    MPI_Comm_size(comm, &exchange.ranks);
    MPI_Comm_rank(comm, &exchange.rank);
    for (int i = 0; i < exchange.ranks; i++) {
        exchange.send_counts[i] = i == 0 ? 0 : 10 * (exchange.rank + 1);
        exchange.recv_counts[i] = exchange.rank == 0 ? 0 : 10 * (i + 1);
        exchange.send_displs[i] = sent;
        exchange.recv_displs[i] = received;
        sent += exchange.send_counts[i];
        received += exchange.recv_counts[i];
    }
}

static void exchange_some(MPI_Comm comm, int calls)
{
    prepare(comm);
    for (int i = 0; i < calls; i++) {
        MPI_Alltoallv(exchange.in, exchange.send_counts, exchange.send_displs, MPI_BYTE, exchange.out,
                      exchange.recv_counts, exchange.recv_displs, MPI_BYTE, comm);
    }
}

static void exchange_equally(MPI_Comm comm, int calls)
{
    for (int i = 0; i < calls; i++) {
        MPI_Alltoall(exchange.in, 8, MPI_BYTE, exchange.out, 8, MPI_BYTE, comm);
    }
}

/* Even and odd ranks: each has 8 bytes for each of the others. */
static void exchange_between(MPI_Comm half, int rank, int calls)
{
    enum { TAG = 1 };
    MPI_Comm inter;
    MPI_Request request;

    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, TAG, &inter);
    for (int i = 0; i < calls; i++) {
        MPI_Ialltoall(exchange.in, 8, MPI_BYTE, exchange.out, 8, MPI_BYTE, inter, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&inter);
}

static void exchange_persistently(MPI_Comm comm)
{
    MPI_Request request;

    prepare(comm);
    ALLTOALLV_INIT(exchange.in, exchange.send_counts, exchange.send_displs, MPI_BYTE, exchange.out,
                   exchange.recv_counts, exchange.recv_displs, MPI_BYTE, comm, MPI_INFO_NULL, &request);
    for (int i = 0; i < 3; i++) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
}

/* ---- variables of MPI_T ---- */

static MPI_T_pvar_session session;

/* Of a communicator; what is a state is an int. */
static MPI_T_pvar_handle open_variable(MPI_Comm comm, const char *name, int class)
{
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    int index = 0, count = 0;

    CHECK(MPI_T_pvar_get_index(name, class, &index) == MPI_SUCCESS);
    CHECK(MPI_T_pvar_handle_alloc(session, index, &comm, &handle, &count) == MPI_SUCCESS && count == 1);
    return handle;
}

static unsigned long long read_variable(MPI_T_pvar_handle handle)
{
    unsigned long long value = 12345;

    CHECK(MPI_T_pvar_read(session, handle, &value) == MPI_SUCCESS);
    return value;
}

/* The name of the way of MPI_Alltoallv now. */
static void read_way(MPI_Comm comm, char *name, int size)
{
    MPI_T_pvar_handle handle = open_variable(comm, "coll_irr_alltoallv_way", MPI_T_PVAR_CLASS_STATE);
    int index = 0, way = -1, number = -1, verbosity, class, bind, readonly, continuous, atomic;
    MPI_Datatype type;
    MPI_T_enum ways;

    CHECK(MPI_T_pvar_get_index("coll_irr_alltoallv_way", MPI_T_PVAR_CLASS_STATE, &index) == MPI_SUCCESS);
    CHECK(MPI_T_pvar_get_info(index, NULL, NULL, &verbosity, &class, &type, &ways, NULL, NULL, &bind, &readonly,
                              &continuous, &atomic) == MPI_SUCCESS);
    CHECK(bind == MPI_T_BIND_MPI_COMM && type == MPI_INT && readonly && continuous);
    CHECK(MPI_T_pvar_read(session, handle, &way) == MPI_SUCCESS);
    CHECK(MPI_T_enum_get_item(ways, way, &number, name, &size) == MPI_SUCCESS && number == way);
}

static void check_variables(MPI_Comm comm, int calls, const char *wanted)
{
    static const struct { const char *name; int class; } rows[] = {
        { "coll_irr_alltoallv_exchanges", MPI_T_PVAR_CLASS_COUNTER },
        { "coll_irr_alltoallv_ns", MPI_T_PVAR_CLASS_COUNTER },
        { "coll_irr_alltoallv_agreements", MPI_T_PVAR_CLASS_COUNTER },
        { "coll_irr_alltoallv_tried", MPI_T_PVAR_CLASS_COUNTER },
        { "coll_irr_alltoallv_trial_exchanges", MPI_T_PVAR_CLASS_COUNTER },
        { "coll_irr_alltoallv_setup_ns", MPI_T_PVAR_CLASS_SIZE },
        { "coll_irr_alltoall_exchanges", MPI_T_PVAR_CLASS_COUNTER }
    };
    enum { ROWS = sizeof(rows) / sizeof(rows[0]) };
    MPI_T_pvar_handle handles[ROWS];
    unsigned long long values[ROWS];
    char way[64] = "";
    int provided;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(&session);
    for (int i = 0; i < ROWS; i++) {
        handles[i] = open_variable(comm, rows[i].name, rows[i].class);
        CHECK(read_variable(handles[i]) == 0);
    }
    exchange_some(comm, calls);
    for (int i = 0; i < ROWS; i++) {
        values[i] = read_variable(handles[i]);
    }
    CHECK(values[0] == (unsigned long long)calls && values[1] > 0 && values[2] > 0 && values[6] == 0);
    CHECK((values[3] > 0) == (values[4] > 0));
    read_way(comm, way, sizeof(way));
    CHECK(strcmp(wanted, "any") == 0 ? values[3] > 0 : strcmp(wanted, way) == 0);
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
}

typedef struct told {
    const char       *name;
    int               class;
    int               is_double;
    MPI_T_pvar_handle handle;
} told_t;

static told_t told[] = {
    { "coll_irr_alltoallv_exchanges", MPI_T_PVAR_CLASS_COUNTER, 0, NULL },
    { "coll_irr_alltoallv_ns", MPI_T_PVAR_CLASS_COUNTER, 0, NULL },
    { "coll_irr_alltoallv_agreements", MPI_T_PVAR_CLASS_COUNTER, 0, NULL },
    { "coll_irr_alltoallv_tried", MPI_T_PVAR_CLASS_COUNTER, 0, NULL },
    { "coll_irr_alltoallv_trial_exchanges", MPI_T_PVAR_CLASS_COUNTER, 0, NULL },
    { "coll_irr_alltoallv_setup_ns", MPI_T_PVAR_CLASS_SIZE, 0, NULL },
    { "coll_irr_alltoallv_saved_ns", MPI_T_PVAR_CLASS_GENERIC, 1, NULL },
    { "coll_irr_alltoallv_saved_low_ns", MPI_T_PVAR_CLASS_GENERIC, 1, NULL },
    { "coll_irr_alltoallv_saved_high_ns", MPI_T_PVAR_CLASS_GENERIC, 1, NULL },
    { "coll_irr_alltoallv_speedup", MPI_T_PVAR_CLASS_GENERIC, 1, NULL }
};

enum { TOLD = sizeof(told) / sizeof(told[0]) };

/* Before the first call, because counters count from here on. */
static void open_told(MPI_Comm comm)
{
    int provided;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(&session);
    for (int i = 0; i < TOLD; i++) {
        told[i].handle = open_variable(comm, told[i].name, told[i].class);
    }
}

static void tell(int rank)
{
    for (int i = 0; i < TOLD; i++) {
        double value = 0, largest = 0;

        if (told[i].is_double) {
            CHECK(MPI_T_pvar_read(session, told[i].handle, &value) == MPI_SUCCESS);
        } else {
            value = (double)read_variable(told[i].handle);
        }
        MPI_Reduce(&value, &largest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        if (rank == 0) {
            printf("%s %.4f\n", told[i].name, largest);
        }
    }
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
}

int main(int argc, char **argv)
{
    const int calls = argc > 1 ? atoi(argv[1]) : 0, communicators = argc > 2 ? atoi(argv[2]) : 0;
    const int tells = argc > 3 && strcmp(argv[3], "tell") == 0;
    MPI_Comm half, dup;
    int rank, ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (tells) {
        open_told(MPI_COMM_WORLD);
    }
    if (argc > 3 && !tells) {
        check_variables(MPI_COMM_WORLD, calls, argv[3]);
    } else {
        exchange_some(MPI_COMM_WORLD, calls);
    }
    exchange_equally(MPI_COMM_WORLD, calls);
    for (int i = 0; i < communicators; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &dup);
        exchange_some(dup, 2);
        MPI_Comm_free(&dup);
    }
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_set_name(half, "half \"of\" \\ all\n\xe4");
    exchange_some(half, 5);
    if (ranks > 1) {
        exchange_between(half, rank, calls);
    }
    exchange_persistently(MPI_COMM_WORLD);
    if (tells) {
        tell(rank);
    }
    return mpi_test_end();
}
