/*
 * wrong.c - programs that are wrong, ranks without memory, and ranks that do not come: an error, no hang, and nothing
 * wrong in what follows.
 *
 *     mpi_wrong CASE BYTES [INFO_KEY=VALUE ...] [, CASE ...]    the keys go to the communicator
 *
 * A case that hangs is ended by the time limit of the script that runs it.
 */
#include "mpi_call.h"
#include "mpi_memory.h"

#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

typedef struct job {
    MPI_Comm comm;
    char   **keys;      /* of the communicator */
    int      nkeys;
    int      ranks, rank;
    int      bytes;     /* of a long message */
    int     *send, *recv, *sdispls, *rdispls;
    char    *input, *output;
} job_t;

/* What rank `from` sends to `to` in call number `call`. */
static char byte_of(int from, int to, int call, int i)
{
    return (char)(from * 37 + to * 11 + call * 101 + i);
}

static void job_init(job_t *job, int bytes, char **keys, int nkeys)
{
    size_t room;

    job->comm = dup_irr(MPI_COMM_WORLD, keys, nkeys);
    job->keys = keys;
    job->nkeys = nkeys;
    MPI_Comm_set_errhandler(job->comm, MPI_ERRORS_RETURN);
    MPI_Comm_size(job->comm, &job->ranks);
    MPI_Comm_rank(job->comm, &job->rank);
    job->bytes = bytes;
    room = (size_t)job->ranks * (size_t)bytes;
    job->send = calloc(4 * (size_t)job->ranks, sizeof(int));
    job->recv = job->send + job->ranks;
    job->sdispls = job->recv + job->ranks;
    job->rdispls = job->sdispls + job->ranks;
    job->input = malloc(room);
    job->output = malloc(room);
    for (int i = 0; i < job->ranks; i++) {
        job->sdispls[i] = job->rdispls[i] = i * bytes;
    }
}

static void job_fini(job_t *job)
{
    MPI_Comm_free(&job->comm);
    free(job->send);
    free(job->input);
    free(job->output);
}

/* The counts of this rank, all alike, or none. */
static void set_counts(job_t *job, int bytes)
{
    for (int i = 0; i < job->ranks; i++) {
        job->send[i] = job->recv[i] = bytes;
    }
}

/* Calls with the counts that are set; the class of the error. */
static int call(job_t *job, int number)
{
    int class;

    for (int to = 0; to < job->ranks; to++) {
        for (int i = 0; i < job->send[to]; i++) {
            job->input[job->sdispls[to] + i] = byte_of(job->rank, to, number, i);
        }
    }
    memset(job->output, 0x5a, (size_t)job->ranks * (size_t)job->bytes);
    MPI_Error_class(MPI_Alltoallv(job->input, job->send, job->sdispls, MPI_CHAR, job->output, job->recv, job->rdispls,
                                  MPI_CHAR, job->comm), &class);
    return class;
}

/* Is every byte of the output that of this call, or untouched? */
static int is_right(const job_t *job, int number)
{
    for (int from = 0; from < job->ranks; from++) {
        for (int i = 0; i < job->bytes; i++) {
            char expected = i < job->recv[from] ? byte_of(from, job->rank, number, i) : 0x5a;

            if (job->output[job->rdispls[from] + i] != expected) {
                return 0;
            }
        }
    }
    return 1;
}

static void check_right(job_t *job, int number)
{
    CHECK(call(job, number) == MPI_SUCCESS);
    CHECK(is_right(job, number));
}

/*
 * Rank 0 sends to rank 1, whose block for it is empty: rank 1 is told in this call or the next one; nobody waits for
 * ever, and no later call, on this communicator or another one, receives the bytes.
 */
static void case_stray(job_t *job)
{
    int told = 0, number = 0;

    set_counts(job, job->bytes);
    check_right(job, number++);
    for (int round = 0; round < 3; round++) {
        set_counts(job, 0);
        job->send[1] = job->rank == 0 ? job->bytes : 0;
        told = call(job, number++) == MPI_ERR_TRUNCATE;
        MPI_Barrier(MPI_COMM_WORLD);
        set_counts(job, job->bytes);
        told += call(job, number++) == MPI_ERR_TRUNCATE;
        CHECK(told == (job->rank == 1));
        CHECK(is_right(job, number - 1));
        for (int i = 0; i < 150; i++) {
            set_counts(job, i % 2 == 0 ? job->bytes : 0);
            check_right(job, number++);
        }
    }
}

/* The communicator is freed at once, and the next ones are right. */
static void case_stray_freed(job_t *job)
{
    MPI_Comm first = job->comm;

    set_counts(job, job->bytes);
    check_right(job, 0);
    set_counts(job, 0);
    job->send[1] = job->rank == 0 ? job->bytes : 0;
    call(job, 1);
    set_counts(job, job->bytes);
    for (int i = 2; i < 20; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &job->comm);
        MPI_Comm_set_errhandler(job->comm, MPI_ERRORS_RETURN);
        check_right(job, i);
        if (first != MPI_COMM_NULL) {
            MPI_Comm_free(&first);
        }
        if (i < 19) {
            MPI_Comm_free(&job->comm);
        }
    }
}

/* The last call of the job is wrong: the receiver is in MPI_Finalize when the message comes. */
static void case_stray_last(job_t *job)
{
    set_counts(job, job->bytes);
    check_right(job, 0);
    set_counts(job, 0);
    job->send[1] = job->rank == 0 ? job->bytes : 0;
    call(job, 1);
    MPI_Finalize();
    exit(mpi_test_failures > 0);
}

/*
 * Calls in any order, of which some have messages that their receivers know nothing of: those receivers may be told in
 * any call that follows, and nobody else is; every byte that was asked for is right.
 */
static void case_stray_random(job_t *job)
{
    uint64_t state = mpi_test_seed();
    int told = 0, strays = 0;

    for (int number = 0; number < 600; number++) {
        const int wrong = mpi_test_random(&state) % 3 == 0, sparse = mpi_test_random(&state) % 2 == 0;
        int class;

        for (int from = 0; from < job->ranks; from++) {
            for (int to = 0; to < job->ranks; to++) {
                const int bytes = 1 + (int)(mpi_test_random(&state) % (uint64_t)job->bytes);
                const int none = sparse && mpi_test_random(&state) % 4 > 0;
                const int stray = none && wrong && from != to && mpi_test_random(&state) % 4 == 0;

                if (from == job->rank) {
                    job->send[to] = none && !stray ? 0 : bytes;
                }
                if (to == job->rank) {
                    job->recv[from] = none ? 0 : bytes;
                    strays += stray;
                }
            }
        }
        class = call(job, number);
        CHECK(is_right(job, number));
        CHECK(class == MPI_SUCCESS || (class == MPI_ERR_TRUNCATE && strays > 0));
        told += class == MPI_ERR_TRUNCATE;
    }
    CHECK((told > 0) == (strays > 0) && told <= strays);
}

/*
 * Rank 1 has no memory for a packed copy, of a type with gaps or of what MPI_IN_PLACE overwrites: it has an error, and
 * nobody has a wrong byte without one, in this call and in the next one on the communicator, which has failed.  Other
 * communicators go on.  A call that fails needs more than was ever kept.
 */
static void case_no_copy(job_t *job)
{
    enum { CALLS = 16, ELEMENTS_MAX = 256 << 2 * (CALLS / 4) };   /* of four, the second fails, the last is elsewhere */
    const size_t doubles = (size_t)job->ranks * ELEMENTS_MAX * 4;
    MPI_Datatype vector = vector_type();
    double *input = malloc(doubles * sizeof(double));
    double *output = malloc(doubles * sizeof(double));
    MPI_Comm comm = MPI_COMM_NULL;

    mpi_memory_watch();
    for (int k = 0; k < CALLS; k++) {
        const int step = k % 4, in_place = k / 4 % 2, fails = step == 1, elements = fails ? 256 << 2 * (k / 4) : 1;
        int class, right = 1;

        if (step == 0) {
            comm = dup_irr(job->comm, job->keys, job->nkeys);
            MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        }
        for (int i = 0; i < job->ranks; i++) {
            job->send[i] = elements;
            job->sdispls[i] = i * elements;
        }
        for (int i = 0; i < 4 * elements * job->ranks; i++) {
            input[i] = output[i] = job->rank + 100 * k;
        }
        if (fails && job->rank == 1) {
            mpi_memory_fail(in_place ? 1 : 1 + k / 8, 1);
        }
        MPI_Error_class(MPI_Alltoallv(in_place ? MPI_IN_PLACE : input, job->send, job->sdispls, vector, output,
                                      job->send, job->sdispls, vector, step == 3 ? job->comm : comm), &class);
        CHECK((fails && job->rank == 1) == (mpi_memory_fail(0, 0) > 0));
        for (int i = 0; i < elements * job->ranks; i++) {
            const int from = i / elements;

            right = right && output[4 * i] == from + 100 * k && output[4 * i + 2] == from + 100 * k;
        }
        CHECK(class == MPI_SUCCESS ? right && !(fails && job->rank == 1) : fails || step == 2);
        if (step == 2) {
            CHECK(class != MPI_SUCCESS || job->rank != 1);
            MPI_Comm_free(&comm);
        }
    }
    free(output);
    free(input);
    MPI_Type_free(&vector);
}

/* The last rank does not come before the others have given up, and is told then. */
static void case_timeout(job_t *job)
{
    enum { TAG = 6 };
    const int last = job->ranks - 1;
    int nothing = 0;

    set_counts(job, job->bytes);
    check_right(job, 0);
    if (job->rank == last) {
        MPI_Recv(&nothing, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        CHECK(call(job, 1) != MPI_SUCCESS);
        CHECK(call(job, 2) != MPI_SUCCESS);
    }
    if (job->rank == 0) {
        MPI_Send(&nothing, 1, MPI_INT, last, TAG, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    call(job, 3);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(call(job, 4) != MPI_SUCCESS);
}

/* The last rank is killed, and nobody ends the job: the others have an error, and say so. */
static void case_killed(job_t *job)
{
    set_counts(job, job->bytes);
    check_right(job, 0);
    if (job->rank == job->ranks - 1) {
        raise(SIGKILL);
    }
    CHECK(call(job, 1) != MPI_SUCCESS);
    printf("rank %d has %s\n", job->rank, mpi_test_failures == 0 ? "survived" : "failed");
    fflush(stdout);
    _exit(0);   /* MPI_Finalize would wait for the rank that is gone */
}

/* ---- the last rank comes late to an agreement ---- */

static int waits_within;   /* this rank, in the component, when that asks so often */

static int woken[2];       /* a pipe with a byte for each signal of rank 0's */

static void wake(int number)
{
    (void)number;
    (void)!write(woken[1], "", 1);
}

/* Until rank 0 says that the others have given up, this rank is not in MPI. */
static void wait_outside(void)
{
    char byte;

    while (read(woken[0], &byte, 1) < 0 && errno == EINTR) {
    }
}

/*
 * Comes before that of the C library.  The component asks for processors when it opens the engine, which is behind the
 * first agreement.  Where the ranks choose it asks long before, and again when they agree on what to try.
 */
MPI_MEMORY_VISIBLE long sysconf(int name)
{
    static long (*next)(int name);
    const char *caller = __builtin_return_address(0);

    if (next == NULL) {
        *(void **)&next = dlsym(RTLD_NEXT, "sysconf");
    }
    if (waits_within > 0 && name == _SC_NPROCESSORS_ONLN && caller >= mpi_memory.start && caller < mpi_memory.end &&
        --waits_within == 0) {
        wait_outside();
    }
    return next(name);
}

/* The class of the error; outside: this rank waits before the others can have its part of an agreement. */
static int call_persistent(job_t *job, int outside)
{
    MPI_Request request;
    int class;

    if (outside) {
        wait_outside();
    }
    MPI_Error_class(ALLTOALLV_INIT(job->input, job->send, job->sdispls, MPI_CHAR, job->output, job->recv, job->rdispls,
                                   MPI_CHAR, job->comm, MPI_INFO_NULL, &request), &class);
    return class;
}

static int call_nonblocking(job_t *job, int outside)
{
    MPI_Request request;
    int class;

    MPI_Error_class(MPI_Ialltoallv(job->input, job->send, job->sdispls, MPI_CHAR, job->output, job->recv, job->rdispls,
                                   MPI_CHAR, job->comm, &request), &class);
    if (outside) {
        wait_outside();
    }
    if (class == MPI_SUCCESS) {
        MPI_Error_class(MPI_Wait(&request, MPI_STATUS_IGNORE), &class);
    }
    return class;
}

static int call_outside(job_t *job, int outside)
{
    if (outside) {
        wait_outside();
    }
    return call(job, 0);
}

/* The last rank waits within the component, at some call. */
static int call_within(job_t *job, int within)
{
    waits_within = within && waits_within == 0 ? 1 : waits_within;
    return call(job, 0);
}

static int call_choosing(job_t *job, int within)
{
    waits_within = within && waits_within == 0 ? 2 : waits_within;
    return call(job, 0);
}

/* Calls until an agreement fails: on all ranks, also on the last one, which is woken when the others have an error. */
static void come_late(job_t *job, int (*form)(job_t *job, int late))
{
    enum { CALLS = 3000 };
    const int last = job->ranks - 1, late = job->rank == last, wakes = job->rank == 0;
    int pid = (int)getpid(), class = MPI_SUCCESS;
    MPI_Comm in_time;

    mpi_memory_watch();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);   /* MPI_Wait raises its errors there */
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

static void case_late(job_t *job)
{
    come_late(job, call_outside);
}

static void case_late_within(job_t *job)
{
    come_late(job, call_within);
}

static void case_late_choosing(job_t *job)
{
    come_late(job, call_choosing);
}

static void case_late_nonblocking(job_t *job)
{
    come_late(job, call_nonblocking);
}

static void case_late_persistent(job_t *job)
{
    come_late(job, call_persistent);
}

static const struct {
    const char *name;
    void      (*run)(job_t *job);
} cases[] = {
    { "stray", case_stray }, { "stray_freed", case_stray_freed }, { "stray_random", case_stray_random },
    { "stray_last", case_stray_last },
    { "no_copy", case_no_copy },
    { "timeout", case_timeout }, { "killed", case_killed },
    { "late", case_late }, { "late_within", case_late_within }, { "late_choosing", case_late_choosing },
    { "late_nonblocking", case_late_nonblocking }, { "late_persistent", case_late_persistent }
};

/* CASE, BYTES and keys. */
static void run(char **group, int length)
{
    const size_t count = sizeof(cases) / sizeof(cases[0]);
    unsigned long long served = mpi_test_served();
    size_t i = 0;
    job_t job;

    while (i < count && (length < 2 || strcmp(group[0], cases[i].name) != 0)) {
        i++;
    }
    if (CHECK(i < count)) {
        job_init(&job, atoi(group[1]), group + 2, length - 2);
        cases[i].run(&job);
        CHECK(mpi_test_served() > served || strncmp(group[0], "late", 4) == 0);
        job_fini(&job);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    mpi_test_served();
    mpi_test_groups(argv + 1, argc - 1, run);
    return mpi_test_end();
}
