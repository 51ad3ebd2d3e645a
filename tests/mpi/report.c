/*
 * report.c - exchanges with known bytes and numbers, for coll_irr_report and for the variables of MPI_T.
 *
 *     mpi_report CALLS COMMUNICATORS [STRATEGY]   the variables must name this strategy for MPI_Alltoallv
 *     mpi_report CALLS COMMUNICATORS print        at the end rank 0 prints the variables of MPI_Alltoallv on
 *                                                 MPI_COMM_WORLD, of the rank with the longest time in exchanges
 *     mpi_report CALLS COMMUNICATORS END RANK     when all ranks have made their calls, this rank ends the job: by
 *                                                 MPI_Abort with status 7 (abort), SIGTERM (term) or SIGKILL (kill)
 *
 * The program makes
 *   - CALLS of MPI_Alltoallv on MPI_COMM_WORLD, where rank r sends 10 (r + 1) bytes to each rank, but none to rank 0;
 *   - as many calls of MPI_Alltoall, of 8 bytes;
 *   - COMMUNICATORS communicators, which are freed after two calls of MPI_Alltoallv each;
 *   - a communicator of half of the ranks, with unusual letters in its name, which is never freed;
 *   - CALLS of MPI_Ialltoall, of 8 bytes, between both halves;
 *   - three starts of a persistent request.
 */
#include "mpi_call.h"

#include <signal.h>

/* Returns the number of bytes from one rank to another rank in MPI_Alltoallv. */
static int count_some(const mpi_spec_t *spec, int from, int to, int edge)
{
    (void)spec, (void)edge;
    return to == 0 ? 0 : 10 * (from + 1);
}

/* Makes a call `calls` times; MPI_Alltoall has 8 bytes for each rank. */
static void exchange(MPI_Comm comm, int kind, mpi_form_t form, int calls)
{
    mpi_spec_t spec = mpi_spec_plain(kind, kind == ALLTOALL ? mpi_count_most : count_some, 0, 1);
    mpi_pair_t pair;
    mpi_call_t call;

    spec.base = MPI_BYTE;
    spec.most = 8;
    mpi_pair_wrap(&pair, comm);
    mpi_call_init(&call, &pair, &spec);
    mpi_call_fill(&call);
    for (int i = 0; i < calls; i++) {   /* no other call, because time is measured */
        mpi_call_start(&call, form);
        mpi_call_wait(&call);
    }
    CHECK(call.result == MPI_SUCCESS && mpi_call_is_right(&call));
    mpi_call_fini(&call);
    mpi_pair_fini(&pair);
}

static void exchange_some(MPI_Comm comm, int calls)
{
    exchange(comm, ALLTOALLV, BLOCKING, calls);
}

/* Exchanges between two groups: even and odd ranks. */
static void exchange_between(MPI_Comm half, int rank, int calls)
{
    enum { TAG = 1 };
    MPI_Comm inter;

    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, TAG, &inter);
    exchange(inter, ALLTOALL, NONBLOCKING, calls);
    MPI_Comm_free(&inter);
}

/* ---- variables of MPI_T ---- */

static MPI_T_pvar_session session;

/* Opens a variable of a communicator. */
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

/* Reads the name of the current strategy of MPI_Alltoallv. */
static void read_strategy(MPI_Comm comm, char *name, int size)
{
    MPI_T_pvar_handle handle = open_variable(comm, "coll_irr_alltoallv_strategy", MPI_T_PVAR_CLASS_STATE);
    int index = 0, strategy = -1, number = -1, verbosity, class, bind, readonly, continuous, atomic;
    MPI_Datatype type;
    MPI_T_enum strategies;

    CHECK(MPI_T_pvar_get_index("coll_irr_alltoallv_strategy", MPI_T_PVAR_CLASS_STATE, &index) == MPI_SUCCESS);
    CHECK(MPI_T_pvar_get_info(index, NULL, NULL, &verbosity, &class, &type, &strategies, NULL, NULL, &bind, &readonly,
                              &continuous, &atomic) == MPI_SUCCESS);
    CHECK(bind == MPI_T_BIND_MPI_COMM && type == MPI_INT && readonly && continuous);
    CHECK(MPI_T_pvar_read(session, handle, &strategy) == MPI_SUCCESS);
    CHECK(MPI_T_enum_get_item(strategies, strategy, &number, name, &size) == MPI_SUCCESS && number == strategy);
}

static struct {
    const char       *name;
    int               class;
    int               is_double;
    MPI_T_pvar_handle handle;
} variables[] = {
    { "coll_irr_alltoallv_exchanges", MPI_T_PVAR_CLASS_COUNTER, 0, NULL },
    { "coll_irr_alltoallv_ns", MPI_T_PVAR_CLASS_COUNTER, 0, NULL },
    { "coll_irr_alltoallv_served", MPI_T_PVAR_CLASS_COUNTER, 0, NULL },
    { "coll_irr_alltoallv_agreements", MPI_T_PVAR_CLASS_COUNTER, 0, NULL },
    { "coll_irr_alltoallv_tried", MPI_T_PVAR_CLASS_COUNTER, 0, NULL },
    { "coll_irr_alltoallv_trial_exchanges", MPI_T_PVAR_CLASS_COUNTER, 0, NULL },
    { "coll_irr_alltoall_exchanges", MPI_T_PVAR_CLASS_COUNTER, 0, NULL },
    { "coll_irr_alltoallv_setup_ns", MPI_T_PVAR_CLASS_SIZE, 0, NULL },
    { "coll_irr_alltoallv_saved_ns", MPI_T_PVAR_CLASS_GENERIC, 1, NULL },
    { "coll_irr_alltoallv_saved_low_ns", MPI_T_PVAR_CLASS_GENERIC, 1, NULL },
    { "coll_irr_alltoallv_saved_high_ns", MPI_T_PVAR_CLASS_GENERIC, 1, NULL },
    { "coll_irr_alltoallv_speedup", MPI_T_PVAR_CLASS_GENERIC, 1, NULL }
};

enum { EXCHANGES, TIME, SERVED, AGREEMENTS, TRIED, TRIAL_EXCHANGES, ALLTOALL_EXCHANGES, SETUP, VARIABLES = 12 };

/* Opens the variables. Must precede the first exchange, because a counter starts at 0 when it is opened. */
static void open_variables(MPI_Comm comm)
{
    int provided;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(&session);
    for (int i = 0; i < VARIABLES; i++) {
        variables[i].handle = open_variable(comm, variables[i].name, variables[i].class);
        CHECK(variables[i].is_double || read_variable(variables[i].handle) == 0);
    }
}

static void close_variables(void)
{
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
}

/* Checks the variables after `calls` calls. */
static void check_variables(MPI_Comm comm, int calls, const char *wanted)
{
    unsigned long long values[SETUP + 1];
    char strategy[64] = "";

    for (int i = 0; i <= SETUP; i++) {
        values[i] = read_variable(variables[i].handle);
    }
    CHECK(values[EXCHANGES] == (unsigned long long)calls && values[TIME] > 0 && values[AGREEMENTS] > 0);
    CHECK(values[SERVED] <= values[EXCHANGES] && (strcmp(wanted, "host") != 0 || values[SERVED] == 0));
    CHECK(strcmp(wanted, "grid") != 0 || values[SERVED] == values[EXCHANGES]);
    CHECK(values[ALLTOALL_EXCHANGES] == 0 && (values[TRIED] > 0) == (values[TRIAL_EXCHANGES] > 0));
    read_strategy(comm, strategy, sizeof(strategy));
    CHECK(strcmp(wanted, "any") == 0 ? values[TRIED] > 0 : strcmp(wanted, strategy) == 0);
}

static void print(int rank)
{
    struct { double ns; int rank; } own = { (double)read_variable(variables[TIME].handle), rank }, longest;
    double values[VARIABLES];

    for (int i = 0; i < VARIABLES; i++) {
        if (variables[i].is_double) {
            CHECK(MPI_T_pvar_read(session, variables[i].handle, &values[i]) == MPI_SUCCESS);
        } else {
            values[i] = (double)read_variable(variables[i].handle);
        }
    }
    MPI_Allreduce(&own, &longest, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    MPI_Bcast(values, VARIABLES, MPI_DOUBLE, longest.rank, MPI_COMM_WORLD);
    for (int i = 0; i < VARIABLES && rank == 0; i++) {
        printf("%s %.4f\n", variables[i].name, values[i]);
    }
}

/* Ends the job before MPI_Finalize. */
static void end_early(const char *how)
{
    if (strcmp(how, "abort") == 0) {
        MPI_Abort(MPI_COMM_WORLD, 7);
    }
    raise(strcmp(how, "term") == 0 ? SIGTERM : SIGKILL);
}

int main(int argc, char **argv)
{
    const int calls = argc > 1 ? atoi(argv[1]) : 0, communicators = argc > 2 ? atoi(argv[2]) : 0;
    const int prints = argc > 3 && strcmp(argv[3], "print") == 0, variables_used = argc == 4;
    MPI_Comm half, dup;
    int rank, ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (variables_used) {
        open_variables(MPI_COMM_WORLD);
    }
    exchange_some(MPI_COMM_WORLD, calls);
    if (variables_used && !prints) {
        check_variables(MPI_COMM_WORLD, calls, argv[3]);
    }
    exchange(MPI_COMM_WORLD, ALLTOALL, BLOCKING, calls);
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
    exchange(MPI_COMM_WORLD, ALLTOALLV, PERSISTENT, 3);
    if (prints) {
        print(rank);
    }
    if (variables_used) {
        close_variables();
    }
    if (argc > 4) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == atoi(argv[4])) {
            end_early(argv[3]);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return mpi_test_end();
}
