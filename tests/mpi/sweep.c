/*
 * sweep.c - makes the n-th allocation, or the n-th system call of a kind, fail for each n, in first and later calls of
 * each collective of the family.  Every call must return, with the right bytes or with an error, and other
 * communicators must work.
 *
 *     mpi_sweep WHAT WHO [INFO_KEY=VALUE ...] [, WHAT ...]   the communicators get the keys
 *
 * WHAT fails: memory, mmap, memfd_create, ftruncate or process_vm_readv.  WHO: one rank, or all.
 * With the prefix "trials:", each case makes so many calls that ranks with auto try strategies.
 * cold:N: allocation N fails on the first communicator of the job, which starts the engine.
 * start:N: allocation N of the component fails, counted from MPI_Init on.  This group must be the first of a job.
 * In each case, on a new communicator, only call n fails, or all calls from n on.  An alarm ends a case that hangs, and
 * prints its name.  IRR_SWEEP_FROM=ROW:N skips earlier cases.  With IRR_SWEEP_STEP=K one n in K runs, and with
 * IRR_SWEEP_FORMS=K one form of calls in K, which differs between collectives and between groups.
 */
#include "mpi_call.h"
#include "mpi_memory.h"

#include <execinfo.h>
#include <signal.h>
#include <unistd.h>

/* MPI_Init and MPI_Finalize of a job may take long on a busy machine. */
enum { CASE_SECONDS = 30, JOB_SECONDS = 120, TRIAL_TIMES = 25, PRIME = 2749 };

/* ---- calls ---- */

/* An additional form: all forms of calls together, with two collectives. */
enum { MIXED = FORMS, FORMS_SWEPT };

static const char *const forms[] = { "blocking", "nonblocking", "persistent", "mixed" };

static const int kinds[] = {
    ALLTOALLV, ALLTOALL, ALLTOALLW, NEIGHBOR_ALLTOALLV, NEIGHBOR_ALLTOALL, NEIGHBOR_ALLTOALLW, ALLTOALLV_IN_PLACE
};

enum { SWEPT = sizeof(kinds) / sizeof(kinds[0]) };

/* The communicators of a case, or the communicators that must still work after it. Both have the same keys. */
typedef struct scene {
    mpi_pair_t all, graph;
    int        gaps, most;   /* elements of two integers with a gap; largest number of elements of a block */
    int        times;        /* number of times that a case makes its calls */
} scene_t;

/* Returns a count above 0. */
static int count_some(const mpi_spec_t *spec, int from, int to, int edge)
{
    (void)edge;
    return spec->kind->layout == UNIFORM ? spec->most : 1 + (from * 7 + to * 3 + (int)spec->seed) * PRIME % spec->most;
}

static void make(mpi_call_t *call, const scene_t *scene, int kind, int salt)
{
    mpi_spec_t spec = mpi_spec_plain(kind, count_some, 0, (uint64_t)salt);

    spec.items = spec.pieces = scene->gaps ? 2 : 1;
    spec.most = scene->most;
    mpi_call_init(call, spec.kind->neighbors ? &scene->graph : &scene->all, &spec);
    mpi_call_fill(call);
}

/* Name of the running case. */
static char name[256];

/* Completes a call. Returns true if the call ended in an error; otherwise its bytes must be right. */
static int end(mpi_call_t *call)
{
    const int failed = mpi_call_wait(call) != MPI_SUCCESS;

    if (!CHECK(failed || mpi_call_is_right(call))) {
        fprintf(stderr, "wrong: %s\n", name);
    }
    mpi_call_fini(call);
    return failed;
}

/* ---- the calls of a case; each function returns the number of operations that ended in errors ---- */

static int run_blocking(const scene_t *scene, int kind)
{
    int errors = 0;

    for (int i = 0; i < 3 * scene->times; i++) {
        mpi_call_t call;

        make(&call, scene, kind, i);
        mpi_call_start(&call, BLOCKING);
        errors += end(&call);
    }
    return errors;
}

/* Makes nonblocking calls: first two at a time, then four. */
static int run_nonblocking(const scene_t *scene, int kind, int other)
{
    mpi_call_t calls[4];
    int errors = 0;

    for (int pass = 0; pass < 1 + scene->times; pass++) {
        const int count = pass == 0 ? 2 : 4;

        for (int i = 0; i < count; i++) {
            make(&calls[i], scene, i % 2 == 0 ? kind : other, 10 * pass + i);
            mpi_call_start(&calls[i], NONBLOCKING);
        }
        for (int i = count; i-- > 0;) {
            errors += end(&calls[i]);
        }
    }
    return errors;
}

static int run_persistent(const scene_t *scene, int kind, int other)
{
    mpi_call_t calls[2];
    int errors = 0;

    for (int i = 0; i < 2; i++) {
        make(&calls[i], scene, i == 0 ? kind : other, i);
        mpi_call_request(&calls[i]);
    }
    for (int start = 0; start < 3 * scene->times; start++) {
        for (int i = 0; i < 2; i++) {
            if (calls[i].request != MPI_REQUEST_NULL) {
                mpi_call_start(&calls[i], PERSISTENT);
            }
        }
        for (int i = 0; i < 2; i++) {
            mpi_call_wait(&calls[i]);
        }
    }
    for (int i = 0; i < 2; i++) {
        errors += end(&calls[i]);
    }
    return errors;
}

static int run_calls(const scene_t *scene, int form, int kind)
{
    const int other = mpi_kinds[kind].neighbors ? NEIGHBOR_ALLTOALL : ALLTOALL;   /* on the same communicator */

    switch (form) {
    case BLOCKING:    return run_blocking(scene, kind);
    case NONBLOCKING: return run_nonblocking(scene, kind, kind);
    case PERSISTENT:  return run_persistent(scene, kind, kind);
    default:          return run_nonblocking(scene, kind, other) + run_blocking(scene, kind) +
                             run_persistent(scene, other, kind) + run_blocking(scene, other);
    }
}

/* ---- cases ---- */

static const char trials[] = "trials:";

static int has_trials(const char *what)
{
    return strncmp(what, trials, sizeof(trials) - 1) == 0;
}

/* Returns the number behind the prefix, or 0 if the text has another prefix. */
static long number_behind(const char *prefix, const char *what)
{
    const size_t length = strlen(prefix);

    return strncmp(what, prefix, length) == 0 ? atol(what + length) : 0;
}

/* Returns the kind of failure; MEMORY for cold:N and start:N. */
static int failing(const char *what)
{
    static const char *const names[MPI_MEMORY_KINDS] = {
        "memory", "mmap", "memfd_create", "ftruncate", "process_vm_readv"
    };
    int kind = MPI_MEMORY_KINDS - 1;

    what += has_trials(what) ? sizeof(trials) - 1 : 0;
    while (kind > MEMORY && strcmp(names[kind], what) != 0) {
        kind--;
    }
    return kind;
}

static void scene_init(scene_t *scene, const char *what, char **keys, int nkeys)
{
    const int longs = failing(what) != MEMORY;
    uint64_t state = 1;

    mpi_pair_init(&scene->all, ALL, keys, nkeys, &state);
    mpi_pair_init(&scene->graph, DIST_GRAPH, keys, nkeys, &state);
    MPI_Comm_set_errhandler(scene->all.irr, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(scene->graph.irr, MPI_ERRORS_RETURN);
    scene->times = has_trials(what) ? TRIAL_TIMES : 1;
    scene->gaps = !longs;
    scene->most = longs ? 40000 : 30;
}

static void scene_fini(scene_t *scene)
{
    mpi_pair_fini(&scene->graph);
    mpi_pair_fini(&scene->all);
}

/* Results of the cases of a group. */
static struct {
    long cases, served, declined, some, all;
} counts;

/* Reports that a case hangs (SIGALRM) or has crashed (other signals), and ends the job. */
static void end_job(int number)
{
    const char *text = number == SIGALRM ? "hang: " : "crash: ";
    void *frames[30];

    if (write(STDERR_FILENO, text, strlen(text)) < 0 || write(STDERR_FILENO, name, strlen(name)) < 0 ||
        write(STDERR_FILENO, "\n", 1) < 0) {
        _exit(2);
    }
    backtrace_symbols_fd(frames, backtrace(frames, 30), STDERR_FILENO);
    _exit(EXIT_FAILURE);
}

/* Returns true if calls fail on this rank. Calls fail on rank 1 only, or on all ranks. */
static int is_concerned(int rank, const char *who)
{
    return strcmp(who, "all") == 0 || rank == 1;
}

static void note(int errors, int served)
{
    int words[] = { errors > 0, served > 0 }, ranks;

    MPI_Allreduce(MPI_IN_PLACE, words, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    counts.cases++;
    counts.some += words[0] > 0 && words[0] < ranks;
    counts.all += words[0] == ranks;
    counts.served += words[0] == 0 && words[1] > 0;
    counts.declined += words[0] == 0 && words[1] == 0;
}

/* A form of calls of one collective. One call fails, or all calls from some number on fail. */
typedef struct row {
    int  form, kind;
    long times;
} row_t;

static row_t row_at(int number)
{
    return (row_t){ .form = number / 2 / SWEPT, .kind = kinds[number / 2 % SWEPT],
                    .times = number % 2 == 0 ? 1 : LONG_MAX };
}

static long setting(const char *variable, long standard)
{
    const char *text = getenv(variable);

    return text != NULL ? strtol(text, NULL, 0) : standard;
}

/* Runs a case; first 0: calls fail already. Returns the largest number of failures on a rank; 0: no further cases. */
static long run_case(char **group, int length, const row_t *row, long first, const scene_t *others)
{
    const unsigned long long served = mpi_test_served();
    const int what = failing(group[0]);
    scene_t scene;
    long failed;
    mpi_call_t other;
    int errors;

    alarm((unsigned)setting("IRR_SWEEP_SECONDS", CASE_SECONDS));
    scene_init(&scene, group[0], group + 2, length - 2);
    if (first > 0 && is_concerned(scene.all.rank, group[1])) {
        mpi_memory_fail_kind(what, first, row->times);
    }
    errors = run_calls(&scene, row->form, row->kind);
    failed = mpi_memory_fail_kind(what, 0, 0);
    note(errors, mpi_test_served() > served);
    (void)run_blocking(&scene, row->kind);   /* without further failures: right bytes, or an error */
    make(&other, others, kinds[0], (int)first);
    mpi_call_start(&other, BLOCKING);
    CHECK(end(&other) == 0);
    scene_fini(&scene);
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    alarm(0);
    return failed;
}

/* Makes a call on MPI_COMM_WORLD, whose module MPI_Init has created.  The other scene gives the counts. */
static void call_world(const scene_t *others)
{
    mpi_call_t call;

    alarm(CASE_SECONDS);
    make(&call, others, kinds[0], 1);
    call.comm = MPI_COMM_WORLD;
    mpi_call_start(&call, BLOCKING);
    CHECK(end(&call) == 0);
}

/* Returns false for nonblocking and persistent calls in place: Open MPI serves some of them, with wrong bytes. */
static int has_cases(const row_t *row)
{
    return row->form == BLOCKING || !mpi_kinds[row->kind].in_place;
}

static void sweep_row(char **group, int length, int number, long first, uint64_t *state, const scene_t *others)
{
    const uint64_t step = (uint64_t)setting("IRR_SWEEP_STEP", 1);
    const row_t row = row_at(number);
    long failed = has_cases(&row);

    for (; failed > 0; first++) {
        if (mpi_test_random(state) % step == 0 || first <= 2) {
            snprintf(name, sizeof(name), "IRR_SWEEP_FROM=%d:%ld: %s %s, %s number %ld %s, %s, on %s", number,
                     first, forms[row.form], mpi_kinds[row.kind].name, group[0], first,
                     row.times == 1 ? "fails" : "and all from there on fail", length > 2 ? group[2] : "", group[1]);
            failed = run_case(group, length, &row, first, others);
        }
    }
}

static void run(char **group, int length)
{
    const char *from = getenv("IRR_SWEEP_FROM");
    const long cold = number_behind("cold:", group[0]);
    const int once = cold > 0 || number_behind("start:", group[0]) > 0;
    const char *colon = from != NULL ? strchr(from, ':') : NULL;
    int number = from != NULL ? atoi(from) : 0;
    long first = colon != NULL ? atol(colon + 1) : 1;
    const int some = (int)setting("IRR_SWEEP_FORMS", 1);
    uint64_t state = mpi_test_seed();
    const int pick = mpi_test_below(&state, some);
    scene_t others;

    memset(&counts, 0, sizeof(counts));
    scene_init(&others, group[0], group + 2, length - 2);
    if (once) {
        const row_t row = { .form = MIXED, .kind = kinds[0], .times = 1 };

        snprintf(name, sizeof(name), "%s on %s, %s", group[0], group[1], length > 2 ? group[2] : "");
        if (cold == 0) {
            call_world(&others);
        }
        CHECK(run_case(group, length, &row, cold, &others) > 0);
    } else if (failing(group[0]) == MEMORY) {
        CHECK(run_blocking(&others, kinds[0]) == 0);   /* starts the engine */
    }
    for (; !once && number < 2 * FORMS_SWEPT * SWEPT; number++, first = 1) {
        if ((number / 2 / SWEPT + number / 2 % SWEPT) % some == pick) {
            sweep_row(group, length, number, first, &state, &others);
        }
    }
    scene_fini(&others);
    if (others.all.rank == 0) {
        printf("%s on %s, %s: %ld cases: %ld right and served, %ld right and left to Open MPI, %ld errors on some "
               "ranks, %ld on all\n", group[0], group[1], length > 2 ? group[2] : "", counts.cases, counts.served,
               counts.declined, counts.some, counts.all);
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    const long first = argc > 2 ? number_behind("start:", argv[1]) : 0;

    signal(SIGALRM, end_job);
    snprintf(name, sizeof(name), "MPI_Init, %s", argc > 1 ? argv[1] : "");
    alarm(JOB_SECONDS);
    if (first > 0 && is_concerned((int)setting("OMPI_COMM_WORLD_RANK", 0), argv[2])) {
        mpi_memory_fail(first, 1);
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    signal(SIGSEGV, end_job);
    signal(SIGABRT, end_job);
    mpi_test_served();
    if (first == 0) {
        mpi_memory_watch();
    }
    mpi_test_groups(argv + 1, argc - 1, run);
    snprintf(name, sizeof(name), "MPI_Finalize, %s", argc > 1 ? argv[1] : "");
    alarm(JOB_SECONDS);
    return mpi_test_end();
}
