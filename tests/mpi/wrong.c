/*
 * wrong.c - programs with unequal counts, ranks that lack memory, and ranks that join a call too late. Calls return an
 * error, no rank hangs, and later calls are right. NUMBER is the length of a block in bytes. The program mpi_faults has
 * these cases, and the cases of other files that make allocations fail.
 */
#include "mpi_call.h"
#include "mpi_memory.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <unistd.h>

/* A call of bytes, with room for `bytes` between any two ranks.  The cases set its counts. */
typedef struct job {
    int        bytes, ranks, rank;
    mpi_pair_t pair;
    mpi_call_t call;
} job_t;

/* pieces: number of runs of an element; several runs are packed */
static void job_init(job_t *job, int pieces)
{
    mpi_spec_t spec;

    job->bytes = mpi_job_number(100);
    mpi_pair_open(&job->pair, ALL);
    MPI_Comm_set_errhandler(job->pair.irr, MPI_ERRORS_RETURN);
    job->ranks = job->pair.ranks;
    job->rank = job->pair.rank;
    spec = mpi_spec_plain(ALLTOALLV, mpi_shapes[ZERO], job->bytes, 1);
    spec.base = MPI_CHAR;
    spec.items = spec.pieces = pieces;
    mpi_call_init(&job->call, &job->pair, &spec);
}

static void job_fini(job_t *job)
{
    mpi_call_fini(&job->call);
    mpi_pair_fini(&job->pair);
}

/* Sets the counts of this rank, all equal or all 0. */
static void set_counts(job_t *job, int bytes)
{
    for (int i = 0; i < job->ranks; i++) {
        job->call.send.counts[i] = job->call.recv.counts[i] = bytes;
    }
}

/* Makes a call with the current counts.  Returns the class of the error. */
static int call(job_t *job)
{
    mpi_call_fill(&job->call);
    return mpi_test_class(mpi_call_start(&job->call, BLOCKING));
}

static void check_right(job_t *job)
{
    CHECK(call(job) == MPI_SUCCESS);
    CHECK(mpi_call_is_right(&job->call));
}

/* Makes a call in which rank 0 sends to rank 1, which expects no bytes.  Returns the class of the error. */
static int call_unexpected(job_t *job)
{
    set_counts(job, 0);
    job->call.send.counts[1] = job->rank == 0 ? job->bytes : 0;
    return call(job);
}

/*
 * Lets rank 0 send to rank 1, whose block for rank 0 is empty. Rank 1 must get an error in this call or in the next
 * call. No rank may hang. No later call on any communicator may receive the bytes.
 */
static void case_unexpected(job_t *job)
{
    int errors = 0;

    set_counts(job, job->bytes);
    check_right(job);
    for (int round = 0; round < 3; round++) {
        errors = call_unexpected(job) == MPI_ERR_TRUNCATE;
        MPI_Barrier(MPI_COMM_WORLD);
        set_counts(job, job->bytes);
        errors += call(job) == MPI_ERR_TRUNCATE;
        CHECK(errors == (job->rank == 1));
        CHECK(mpi_call_is_right(&job->call));
        for (int i = 0; i < 150; i++) {
            set_counts(job, i % 2 == 0 ? job->bytes : 0);
            check_right(job);
        }
    }
}

/* Frees the communicator at once.  The next communicators must be right. */
static void case_unexpected_freed(job_t *job)
{
    set_counts(job, job->bytes);
    check_right(job);
    call_unexpected(job);
    set_counts(job, job->bytes);
    for (int i = 2; i < 20; i++) {
        MPI_Comm comm;

        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        job->call.comm = comm;
        check_right(job);
        if (job->pair.irr != MPI_COMM_NULL) {
            MPI_Comm_free(&job->pair.irr);
        }
        MPI_Comm_free(&comm);
    }
}

/* Makes the last call of the job wrong. The receiver is in MPI_Finalize when the message arrives. */
static void case_unexpected_last(job_t *job)
{
    set_counts(job, job->bytes);
    check_right(job);
    call_unexpected(job);
    MPI_Finalize();
    exit(mpi_test_failures() > 0);
}

/*
 * Makes calls in random order, some with messages that their receivers do not expect. Only these receivers may get an
 * error, in this call or in any later call. Every expected byte must be right.
 */
static void case_unexpected_random(job_t *job)
{
    uint64_t state = mpi_test_seed();
    int errors = 0, unexpected = 0;

    for (int number = 0; number < 600; number++) {
        const int wrong = mpi_test_random(&state) % 3 == 0, sparse = mpi_test_random(&state) % 2 == 0;
        int class;

        for (int from = 0; from < job->ranks; from++) {
            for (int to = 0; to < job->ranks; to++) {
                const int bytes = 1 + (int)(mpi_test_random(&state) % (uint64_t)job->bytes);
                const int none = sparse && mpi_test_random(&state) % 4 > 0;
                const int is_unexpected = none && wrong && from != to && mpi_test_random(&state) % 4 == 0;

                if (from == job->rank) {
                    job->call.send.counts[to] = none && !is_unexpected ? 0 : bytes;
                }
                if (to == job->rank) {
                    job->call.recv.counts[from] = none ? 0 : bytes;
                    unexpected += is_unexpected;
                }
            }
        }
        class = call(job);
        CHECK(mpi_call_is_right(&job->call));
        CHECK(class == MPI_SUCCESS || (class == MPI_ERR_TRUNCATE && unexpected > 0));
        errors += class == MPI_ERR_TRUNCATE;
    }
    CHECK((errors > 0) == (unexpected > 0) && errors <= unexpected);
}

/*
 * Denies rank 1 the memory for a packed copy. The copy is for a type with gaps, or for data that MPI_IN_PLACE
 * overwrites. Rank 1 must get an error, and the communicator fails. No rank may have a wrong byte without an error, in
 * this call and in the next call on the communicator. Other communicators must work. The failing call needs more memory
 * than earlier calls have kept.
 */
static void case_no_copy(job_t *job)
{
    enum { CALLS = 16, ELEMENTS_MAX = 256 << 2 * (CALLS / 4) };   /* step 1 fails, step 3 is on another communicator */
    const size_t doubles = (size_t)job->ranks * ELEMENTS_MAX * 4;
    MPI_Datatype vector = mpi_types_runs(MPI_DOUBLE, 2, 2);   /* one type, because the component remembers its runs */
    int *counts = calloc(2 * (size_t)job->ranks, sizeof(int)), *displs = counts + job->ranks;
    double *input = malloc(doubles * sizeof(double));
    double *output = malloc(doubles * sizeof(double));
    MPI_Comm comm = MPI_COMM_NULL;

    mpi_memory_watch();
    for (int k = 0; k < CALLS; k++) {
        const int step = k % 4, in_place = k / 4 % 2, fails = step == 1, elements = fails ? 256 << 2 * (k / 4) : 1;
        int good, right = 1;

        if (step == 0) {
            comm = mpi_test_dup_keys(MPI_COMM_WORLD, mpi_job.keys, mpi_job.nkeys);
            MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        }
        for (int i = 0; i < job->ranks; i++) {
            counts[i] = elements;
            displs[i] = i * elements;
        }
        for (int i = 0; i < 4 * elements * job->ranks; i++) {
            input[i] = output[i] = job->rank + 100 * k;
        }
        if (fails) {
            MPI_Barrier(MPI_COMM_WORLD);   /* a failure also ends an earlier call that a rank has not finished */
        }
        if (fails && job->rank == 1) {
            mpi_memory_fail(in_place ? 1 : 1 + k / 8, 1);
        }
        good = MPI_Alltoallv(in_place ? MPI_IN_PLACE : input, counts, displs, vector, output, counts, displs, vector,
                             step == 3 ? job->pair.irr : comm) == MPI_SUCCESS;
        CHECK((fails && job->rank == 1) == (mpi_memory_fail(0, 0) > 0));
        for (int i = 0; i < elements * job->ranks; i++) {
            const int from = i / elements;

            right = right && output[4 * i] == from + 100 * k && output[4 * i + 2] == from + 100 * k;
        }
        CHECK(good ? right && !(fails && job->rank == 1) : fails || step == 2);
        if (step == 2) {
            CHECK(!good || job->rank != 1);
            MPI_Comm_free(&comm);
        }
    }
    free(counts);
    free(output);
    free(input);
    MPI_Type_free(&vector);
}

/* Lets the last rank arrive only after the other ranks have given up. The last rank must then get an error. */
static void case_timeout(job_t *job)
{
    enum { TAG = 6 };
    const int last = job->ranks - 1;
    int nothing = 0;

    set_counts(job, job->bytes);
    check_right(job);
    if (job->rank == last) {
        MPI_Recv(&nothing, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        CHECK(call(job) != MPI_SUCCESS);
        CHECK(call(job) != MPI_SUCCESS);
    }
    if (job->rank == 0) {
        MPI_Send(&nothing, 1, MPI_INT, last, TAG, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(call(job) != MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(call(job) != MPI_SUCCESS);
}

/* Kills the last rank while mpirun does not end the job. The calls of the other ranks must return an error. */
static void case_killed(job_t *job)
{
    set_counts(job, job->bytes);
    check_right(job);
    if (job->rank == job->ranks - 1) {
        raise(SIGKILL);
    }
    CHECK(call(job) != MPI_SUCCESS);
    printf("rank %d has %s\n", job->rank, mpi_test_failures() == 0 ? "survived" : "failed");
    fflush(stdout);
    _exit(0);   /* MPI_Finalize would wait for the killed rank */
}

/* ---- the last rank joins an agreement after the timeout of the other ranks ---- */

static int waits_within;   /* this rank waits in the component at its n-th query */

static int woken[2];       /* a pipe with a byte for each signal of rank 0 */

static void wake(int number)
{
    (void)number;
    (void)!write(woken[1], "", 1);
}

/* Keeps this rank outside MPI until rank 0 reports that the other ranks have given up. */
static void wait_outside(void)
{
    char byte;

    while (read(woken[0], &byte, 1) < 0 && errno == EINTR) {
    }
}

/*
 * Replaces the function of the C library. The component queries the number of processors when it starts the engine,
 * after the first agreement. If the ranks choose a strategy, the component queries the number long before, and again
 * when the ranks agree on the strategies to try.
 */
MPI_MEMORY_VISIBLE long sysconf(int name)
{
    static long (*next)(int name);
    const void *caller = __builtin_return_address(0);

    if (next == NULL) {
        *(void **)&next = dlsym(RTLD_NEXT, "sysconf");
    }
    if (waits_within > 0 && name == _SC_NPROCESSORS_ONLN && mpi_memory_is_ours(caller) &&
        --waits_within == 0) {
        wait_outside();
    }
    return next(name);
}

/* Makes a persistent call. Returns the class of the error. outside: this rank first waits outside MPI. */
static int call_persistent(job_t *job, int outside)
{
    if (outside) {
        wait_outside();
    }
    job->call.request = MPI_REQUEST_NULL;   /* the request of the last call is leaked */
    mpi_call_fill(&job->call);
    return mpi_test_class(mpi_call_request(&job->call));
}

static int call_nonblocking(job_t *job, int outside)
{
    mpi_call_fill(&job->call);
    mpi_call_start(&job->call, NONBLOCKING);
    if (outside) {
        wait_outside();
    }
    return mpi_test_class(mpi_call_wait(&job->call));
}

static int call_outside(job_t *job, int outside)
{
    if (outside) {
        wait_outside();
    }
    return call(job);
}

/* Makes a call. within: this rank waits within the component, at its next query of processors. */
static int call_within(job_t *job, int within)
{
    waits_within = within && waits_within == 0 ? 1 : waits_within;
    return call(job);
}

static int call_choosing(job_t *job, int within)
{
    waits_within = within && waits_within == 0 ? 2 : waits_within;
    return call(job);
}

/*
 * Makes calls until an agreement fails. It must fail on all ranks. The last rank continues when the other ranks have an
 * error, and must also get an error.
 */
static void come_late(job_t *job, int (*form)(job_t *job, int late))
{
    enum { CALLS = 3000 };
    const int last = job->ranks - 1, late = job->rank == last, wakes = job->rank == 0;
    int pid = (int)getpid(), class = MPI_SUCCESS;
    MPI_Comm in_time;

    mpi_memory_watch();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);   /* MPI_Wait raises errors on MPI_COMM_WORLD */
    waits_within = 0;
    CHECK(pipe(woken) == 0);
    signal(SIGUSR1, wake);
    MPI_Bcast(&pid, 1, MPI_INT, last, MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, late, 0, &in_time);
    set_counts(job, job->bytes);
    for (int i = 0; i < CALLS && class == MPI_SUCCESS; i++) {
        class = form(job, late);
        MPI_Barrier(in_time);
        if (wakes && ((form != call_within && form != call_choosing) || class != MPI_SUCCESS)) {
            kill((pid_t)pid, SIGUSR1);
        }
    }
    CHECK(class != MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(form(job, 0) != MPI_SUCCESS);
    CHECK(form(job, 0) != MPI_SUCCESS);
    MPI_Comm_free(&in_time);
    close(woken[0]);
    close(woken[1]);
}

/* ---- cases ---- */

static void run_pieces(void (*run_case)(job_t *job), int pieces)
{
    const unsigned long long served = mpi_test_served();
    job_t job;

    job_init(&job, pieces);
    run_case(&job);
    CHECK(mpi_test_served() > served);
    job_fini(&job);
}

static void run(void (*run_case)(job_t *job))
{
    run_pieces(run_case, 1);
}

static void run_form(int (*form)(job_t *job, int late))
{
    job_t job;

    job_init(&job, 1);
    come_late(&job, form);
    job_fini(&job);
}

static void run_unexpected(void) { run(case_unexpected); }
static void run_unexpected_gaps(void) { run_pieces(case_unexpected, 2); }
static void run_unexpected_freed(void) { run(case_unexpected_freed); }
static void run_unexpected_random(void) { run(case_unexpected_random); }
static void run_unexpected_last(void) { run(case_unexpected_last); }
static void run_no_copy(void) { run(case_no_copy); }
static void run_timeout(void) { run(case_timeout); }
static void run_killed(void) { run(case_killed); }
static void run_late(void) { run_form(call_outside); }
static void run_late_within(void) { run_form(call_within); }
static void run_late_choosing(void) { run_form(call_choosing); }
static void run_late_nonblocking(void) { run_form(call_nonblocking); }
static void run_late_persistent(void) { run_form(call_persistent); }

MPI_CASES(mpi_cases_wrong,
    { "unexpected", run_unexpected, 0 }, { "unexpected_gaps", run_unexpected_gaps, 0 },
    { "unexpected_freed", run_unexpected_freed, 0 },
    { "unexpected_random", run_unexpected_random, 0 },
    { "unexpected_last", run_unexpected_last, 0 }, { "no_copy", run_no_copy, 0 }, { "timeout", run_timeout, 0 },
    { "killed", run_killed, 0 }, { "late", run_late, 0 }, { "late_within", run_late_within, 0 },
    { "late_choosing", run_late_choosing, 0 }, { "late_nonblocking", run_late_nonblocking, 0 },
    { "late_persistent", run_late_persistent, 0 });

MPI_TEST_MAIN(mpi_cases_ends, mpi_cases_place, mpi_cases_refused, mpi_cases_starts, mpi_cases_team, mpi_cases_wrong)
