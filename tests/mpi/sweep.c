/*
 * sweep.c - the n-th allocation fails, or the n-th system call of a kind, for each n, in first and later calls of each
 * collective of the family: every call returns, with the right bytes or with an error, and other communicators work.
 *
 *     mpi_sweep WHAT WHO [INFO_KEY=VALUE ...] [, WHAT ...]   the keys go to the communicators
 *
 * WHAT fails: memory, mmap, memfd_create, ftruncate or process_vm_readv, on WHO: one rank, or all.
 * With trials: before it, each case makes so many calls that ranks which choose try strategies.
 * cold:N means that the N-th allocation fails on the first communicator of the job, on which the engine is opened.
 * Each case has a fresh communicator, and one or all failures from the n-th on.  An alarm ends a case that hangs, and
 * prints its name.  IRR_SWEEP_FROM=CASE:N leaves out what comes before, IRR_SWEEP_STEP=K all but one n in K.
 */
#include "mpi_call.h"
#include "mpi_fail.h"

#include <execinfo.h>
#include <signal.h>
#include <unistd.h>

enum { CASE_SECONDS = 30, TRIAL_TIMES = 25, PRIME = 2749 };

/* ---- calls ---- */

typedef enum form { BLOCKING, NONBLOCKING, PERSISTENT, MIXED, FORMS } form_t;

static const char *const forms[] = { "blocking", "nonblocking", "persistent", "mixed" };

typedef struct kind {
    const char *name;
    int         uniform, typed, neighbors, in_place;
} kind_t;

static const kind_t kinds[] = {
    { "alltoallv", 0, 0, 0, 0 }, { "alltoall", 1, 0, 0, 0 }, { "alltoallw", 0, 1, 0, 0 },
    { "neighbor_alltoallv", 0, 0, 1, 0 }, { "neighbor_alltoall", 1, 0, 1, 0 }, { "neighbor_alltoallw", 0, 1, 1, 0 },
    { "alltoallv in place", 0, 0, 0, 1 }
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]), PEERS_MAX = 64 };

/* The communicators of a case, or that of the others. */
typedef struct scene {
    MPI_Comm     comm, ring;   /* the same keys */
    int          ranks, rank;
    MPI_Datatype type;         /* gaps: two integers of four; else one */
    int          gaps, most;   /* elements of a block */
    int          times;        /* that a case makes its calls */
} scene_t;

typedef struct op {
    const scene_t *scene;
    const kind_t  *kind;
    int            salt, slots;
    int            from[PEERS_MAX], to[PEERS_MAX];
    int            scounts[PEERS_MAX], rcounts[PEERS_MAX], displs[PEERS_MAX];
    int            bytes[PEERS_MAX];
    MPI_Aint       offsets[PEERS_MAX];   /* the same */
    MPI_Datatype   types[PEERS_MAX];
    int           *input, *output;
    MPI_Request    request;
    int            made, result;   /* started, or over, with this error class */
} op_t;

static int count_of(const op_t *op, int from, int to)
{
    const int most = op->scene->most, low = from < to ? from : to, high = from < to ? to : from;

    return op->kind->uniform ? most : op->kind->in_place ? 1 + (low * 7 + high * 3) * PRIME % most
                                                         : 1 + (from * 7 + to * 3 + op->salt) * PRIME % most;
}

/* Integers of an element. */
static int width(const scene_t *scene)
{
    return scene->gaps ? 4 : 1;
}

static int value_of(const op_t *op, int from, int to, int i)
{
    return from * 1000003 + to * 10007 + i + op->salt * 7919;
}

/* Sets the integers of a block, or counts those that are wrong. */
static int block(const op_t *op, int *buffer, int displ, int count, int from, int to, int sets)
{
    const int gaps = op->scene->gaps, integers = gaps ? 2 * count : count;
    int wrong = 0;

    for (int i = 0; i < integers; i++) {
        int *at = buffer + displ * width(op->scene) + (gaps ? 2 * i : i);

        wrong += *at != value_of(op, from, to, i);
        *at = sets ? value_of(op, from, to, i) : *at;
    }
    return wrong;
}

static void op_init(op_t *op, const scene_t *scene, const kind_t *kind, int salt)
{
    const size_t extent = (size_t)width(scene) * sizeof(int);
    const int me = scene->rank, ranks = scene->ranks;

    op->scene = scene;
    op->kind = kind;
    op->salt = salt;
    op->slots = kind->neighbors ? 2 : ranks;
    op->request = MPI_REQUEST_NULL;
    op->made = 0;
    op->result = MPI_SUCCESS;
    for (int i = 0; i < op->slots; i++) {
        op->to[i] = op->from[i] = kind->neighbors ? (me + (i == 0 ? ranks - 1 : 1)) % ranks : i;
        op->scounts[i] = count_of(op, me, op->to[i]);
        op->rcounts[i] = count_of(op, op->from[i], me);
        op->displs[i] = i * scene->most;
        op->offsets[i] = (MPI_Aint)((size_t)op->displs[i] * extent);
        op->bytes[i] = (int)op->offsets[i];
        op->types[i] = scene->type;
    }
    op->input = calloc((size_t)(op->slots * scene->most), extent);
    op->output = calloc((size_t)(op->slots * scene->most), extent);
    for (int i = 0; i < op->slots; i++) {
        block(op, kind->in_place ? op->output : op->input, op->displs[i], op->scounts[i], me, op->to[i], 1);
    }
}

static int op_is_right(const op_t *op)
{
    int wrong = 0;

    for (int i = 0; i < op->slots; i++) {
        wrong += block(op, op->output, op->displs[i], op->rcounts[i], op->from[i], op->scene->rank, 0);
    }
    return wrong == 0;
}

static void op_fini(op_t *op)
{
    free(op->input);
    free(op->output);
}

/* What MPI takes of an operation, as the collectives differ. */
#define V_ARGUMENTS input, op->scounts, op->displs, type, op->output, op->rcounts, op->displs, type, comm
#define U_ARGUMENTS input, most, type, op->output, most, type, comm
#define W_ARGUMENTS input, op->scounts, op->bytes, op->types, op->output, op->rcounts, op->bytes, op->types, comm
#define N_ARGUMENTS input, op->scounts, op->offsets, op->types, op->output, op->rcounts, op->offsets, op->types, comm

#define FORM(name, iname, ...)                                                  \
    (form == BLOCKING ? MPI_##name(__VA_ARGS__)                                 \
     : form == NONBLOCKING ? MPI_##iname(__VA_ARGS__, &op->request)             \
                           : INIT_CALL(name)(__VA_ARGS__, MPI_INFO_NULL, &op->request))

/* The call, or the init call of a persistent one. */
static void op_call(op_t *op, form_t form)
{
    const scene_t *scene = op->scene;
    const kind_t *kind = op->kind;
    const void *input = kind->in_place ? MPI_IN_PLACE : op->input;
    const MPI_Comm comm = kind->neighbors ? scene->ring : scene->comm;
    const MPI_Datatype type = scene->type;
    const int most = scene->most;
    int result;

    if (kind->neighbors) {
        result = kind->uniform ? FORM(Neighbor_alltoall, Ineighbor_alltoall, U_ARGUMENTS)
                 : kind->typed ? FORM(Neighbor_alltoallw, Ineighbor_alltoallw, N_ARGUMENTS)
                               : FORM(Neighbor_alltoallv, Ineighbor_alltoallv, V_ARGUMENTS);
    } else {
        result = kind->uniform ? FORM(Alltoall, Ialltoall, U_ARGUMENTS)
                 : kind->typed ? FORM(Alltoallw, Ialltoallw, W_ARGUMENTS) : FORM(Alltoallv, Ialltoallv, V_ARGUMENTS);
    }
    op->result = result;
    if (result != MPI_SUCCESS) {
        op->request = MPI_REQUEST_NULL;
    }
}

static void op_wait(op_t *op)
{
    if (op->request != MPI_REQUEST_NULL) {
        const int result = MPI_Wait(&op->request, MPI_STATUS_IGNORE);

        op->result = op->result != MPI_SUCCESS ? op->result : result;
    }
}

static void op_start(op_t *op)
{
    if (op->request != MPI_REQUEST_NULL) {
        const int result = MPI_Start(&op->request);

        op->result = op->result != MPI_SUCCESS ? op->result : result;
    }
}

/* Of the case. */
static char name[256];

/* Returns whether it ended in an error; if not, its bytes must be right. */
static int op_end(op_t *op)
{
    const int failed = op->result != MPI_SUCCESS;

    if (!CHECK(failed || op_is_right(op))) {
        fprintf(stderr, "wrong: %s\n", name);
    }
    return failed;
}

/* ---- what a case calls; each returns how many operations ended in errors ---- */

static int run_blocking(const scene_t *scene, const kind_t *kind)
{
    int errors = 0;

    for (int i = 0; i < 3 * scene->times; i++) {
        op_t op;

        op_init(&op, scene, kind, i);
        op_call(&op, BLOCKING);
        errors += op_end(&op);
        op_fini(&op);
    }
    return errors;
}

/* The first two of them are under way at a time, and then some more. */
static int run_nonblocking(const scene_t *scene, const kind_t *kind, const kind_t *other)
{
    op_t ops[4];
    int errors = 0;

    for (int pass = 0; pass < 1 + scene->times; pass++) {
        const int count = pass == 0 ? 2 : 4;

        for (int i = 0; i < count; i++) {
            op_init(&ops[i], scene, i % 2 == 0 ? kind : other, 10 * pass + i);
            op_call(&ops[i], NONBLOCKING);
        }
        for (int i = 0; i < count; i++) {
            op_wait(&ops[count - 1 - i]);
            errors += op_end(&ops[count - 1 - i]);
            op_fini(&ops[count - 1 - i]);
        }
    }
    return errors;
}

static int run_persistent(const scene_t *scene, const kind_t *kind, const kind_t *other)
{
    op_t ops[2];
    int errors = 0;

    for (int i = 0; i < 2; i++) {
        op_init(&ops[i], scene, i == 0 ? kind : other, i);
        op_call(&ops[i], PERSISTENT);
    }
    for (int start = 0; start < 3 * scene->times; start++) {
        for (int i = 0; i < 2; i++) {
            op_start(&ops[i]);
        }
        for (int i = 0; i < 2; i++) {
            op_wait(&ops[i]);
        }
    }
    for (int i = 0; i < 2; i++) {
        errors += op_end(&ops[i]);
        if (ops[i].request != MPI_REQUEST_NULL) {
            MPI_Request_free(&ops[i].request);
        }
        op_fini(&ops[i]);
    }
    return errors;
}

static int run_calls(const scene_t *scene, form_t form, const kind_t *kind)
{
    const kind_t *other = &kinds[kind->neighbors ? 4 : 1];   /* of the same communicator */

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

/* The number of what fails. */
static int failing(const char *what)
{
    return what_of(has_trials(what) ? what + sizeof(trials) - 1 : what);
}

static void scene_init(scene_t *scene, const char *what, char **keys, int nkeys)
{
    const int longs = failing(what) != MEMORY;
    const int periodic = 1;
    MPI_Comm ring;

    memset(scene, 0, sizeof(*scene));
    MPI_Comm_size(MPI_COMM_WORLD, &scene->ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &scene->rank);
    scene->comm = dup_irr(MPI_COMM_WORLD, keys, nkeys);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &scene->ranks, &periodic, 0, &ring);
    scene->ring = dup_irr(ring, keys, nkeys);
    MPI_Comm_free(&ring);
    MPI_Comm_set_errhandler(scene->comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(scene->ring, MPI_ERRORS_RETURN);
    scene->times = has_trials(what) ? TRIAL_TIMES : 1;
    scene->gaps = !longs;
    scene->most = longs ? 40000 : 30;
    if (longs) {
        scene->type = MPI_INT;
    } else {
        MPI_Datatype vector;

        MPI_Type_vector(2, 1, 2, MPI_INT, &vector);
        MPI_Type_create_resized(vector, 0, 4 * (MPI_Aint)sizeof(int), &scene->type);
        MPI_Type_commit(&scene->type);
        MPI_Type_free(&vector);
    }
}

static void scene_fini(scene_t *scene)
{
    if (scene->gaps) {
        MPI_Type_free(&scene->type);
    }
    MPI_Comm_free(&scene->ring);
    MPI_Comm_free(&scene->comm);
}

/* What the cases of a group came to. */
static struct {
    long cases, served, declined, some, all;
} counts;

/* SIGALRM: it hangs; else it has crashed.  The first one to say so ends the job. */
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

/* On which ranks: one, or all. */
static int is_concerned(const scene_t *scene, const char *who)
{
    return strcmp(who, "all") == 0 || scene->rank == 1;
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

/* A form of calls of one kind, of which one fails, or all do from there on. */
typedef struct row {
    form_t        form;
    const kind_t *kind;
    long          times;
} row_t;

static row_t row_at(int number)
{
    return (row_t){ .form = (form_t)(number / 2 / KINDS), .kind = &kinds[number / 2 % KINDS],
                    .times = number % 2 == 0 ? 1 : LONG_MAX };
}

static long setting(const char *variable, long standard)
{
    const char *text = getenv(variable);

    return text != NULL ? strtol(text, NULL, 0) : standard;
}

/* Returns how many failed, on the rank with most of them; 0: they are over. */
static long run_case(char **group, int length, const row_t *row, long first, const scene_t *others)
{
    const unsigned long long served = mpi_test_served();
    const int what = failing(group[0]);
    scene_t scene;
    long failed;
    int errors;
    op_t op;

    alarm((unsigned)setting("IRR_SWEEP_SECONDS", CASE_SECONDS));
    scene_init(&scene, group[0], group + 2, length - 2);
    if (is_concerned(&scene, group[1])) {
        fail(what, first, row->times);
    }
    errors = run_calls(&scene, row->form, row->kind);
    failed = fail(what, 0, 0);
    note(errors, mpi_test_served() > served);
    (void)run_blocking(&scene, row->kind);   /* with all there again: right, or an error */
    op_init(&op, others, &kinds[0], (int)first);
    op_call(&op, BLOCKING);
    CHECK(op.result == MPI_SUCCESS && op_is_right(&op));
    op_fini(&op);
    scene_fini(&scene);
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    alarm(0);
    return failed;
}

/* Open MPI's own nonblocking and persistent calls have wrong bytes in place, and serve some of the calls. */
static int has_cases(const row_t *row)
{
    return row->form == BLOCKING || !row->kind->in_place;
}

static void sweep_row(char **group, int length, int number, long first, uint64_t *state, const scene_t *others)
{
    const uint64_t step = (uint64_t)setting("IRR_SWEEP_STEP", 1);
    const row_t row = row_at(number);
    long failed = has_cases(&row);

    for (; failed > 0; first++) {
        if (mpi_test_random(state) % step == 0 || first <= 2) {
            snprintf(name, sizeof(name), "IRR_SWEEP_FROM=%d:%ld: %s %s, %s number %ld %s, %s, on %s", number,
                     first, forms[row.form], row.kind->name, group[0], first,
                     row.times == 1 ? "fails" : "and all from there on fail", length > 2 ? group[2] : "", group[1]);
            failed = run_case(group, length, &row, first, others);
        }
    }
}

static void run(char **group, int length)
{
    const char *from = getenv("IRR_SWEEP_FROM"), *cold = strncmp(group[0], "cold:", 5) == 0 ? group[0] + 5 : NULL;
    const char *colon = from != NULL ? strchr(from, ':') : NULL;
    int number = from != NULL ? atoi(from) : 0;
    long first = colon != NULL ? atol(colon + 1) : 1;
    uint64_t state = mpi_test_seed();
    scene_t others;

    memset(&counts, 0, sizeof(counts));
    scene_init(&others, group[0], group + 2, length - 2);
    if (cold != NULL) {
        const row_t row = { .form = MIXED, .kind = &kinds[0], .times = 1 };

        snprintf(name, sizeof(name), "%s on %s, %s", group[0], group[1], length > 2 ? group[2] : "");
        run_case(group, length, &row, atol(cold), &others);
    } else if (failing(group[0]) == MEMORY) {
        CHECK(run_blocking(&others, &kinds[0]) == 0);   /* the engine is opened */
    }
    for (; cold == NULL && number < 2 * FORMS * KINDS; number++, first = 1) {
        sweep_row(group, length, number, first, &state, &others);
    }
    scene_fini(&others);
    if (others.rank == 0) {
        printf("%s on %s, %s: %ld cases: %ld right and served, %ld right and left to Open MPI, %ld errors on some "
               "ranks, %ld on all\n", group[0], group[1], length > 2 ? group[2] : "", counts.cases, counts.served,
               counts.declined, counts.some, counts.all);
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    signal(SIGALRM, end_job);
    signal(SIGSEGV, end_job);
    signal(SIGABRT, end_job);
    mpi_test_served();
    mpi_memory_watch();
    mpi_test_groups(argv + 1, argc - 1, run);
    return mpi_test_end();
}
