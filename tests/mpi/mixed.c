/*
 * mixed.c - jobs in which coll/irr is not the same on all ranks, or lacks memory on one of them.
 *
 *     mpi_mixed CASE [FIRST]   a case of the table at the end; FIRST is the first collective on each communicator
 *
 * The time limit of the script that runs a case ends it if it hangs.
 */
#include "mpi_call.h"
#include "mpi_memory.h"

static char *program;
static int rank, ranks;

static const struct {
    const char *name;
    int         kind;
    mpi_form_t  form;
} collectives[] = {
    { "alltoallv", ALLTOALLV, BLOCKING }, { "alltoall", ALLTOALL, BLOCKING }, { "init", ALLTOALLV, PERSISTENT }
};

enum { COLLECTIVES = sizeof(collectives) / sizeof(collectives[0]) };

/* Runs all collectives on a communicator, beginning with one.  Returns how many exchanges coll/irr served. */
static unsigned long long run_all(MPI_Comm comm, int first)
{
    unsigned long long before = mpi_test_served();

    for (int i = 0; i < COLLECTIVES; i++) {
        const int which = (first + i) % COLLECTIVES;

        CHECK(mpi_call_on(comm, collectives[which].kind, collectives[which].form, 1, (uint64_t)i) == MPI_SUCCESS);
    }
    return mpi_test_served() - before;
}

/* Returns an inter-communicator of the first ranks and the last ones, which are as many, or one less. */
static MPI_Comm make_inter(void)
{
    enum { TAG = 1 };
    const int begin = ranks - ranks / 2, is_last = rank >= begin;
    MPI_Comm group, inter;

    MPI_Comm_split(MPI_COMM_WORLD, is_last, rank, &group);
    MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, is_last ? 0 : begin, TAG, &inter);
    MPI_Comm_free(&group);
    return inter;
}

/* Checks that coll/irr serves no communicator of all ranks. */
static void case_apart(int first)
{
    MPI_Comm dup, reversed, inter;

    CHECK(run_all(MPI_COMM_WORLD, first) == 0);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    CHECK(run_all(dup, first) == 0);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    CHECK(run_all(reversed, first) == 0);
    if (ranks > 1) {
        inter = make_inter();
        CHECK(run_all(inter, first) == 0);
        MPI_Comm_free(&inter);
    }
    MPI_Comm_free(&reversed);
    MPI_Comm_free(&dup);
}

/* Checks halves of the job.  All ranks of a half have the same component, so coll/irr serves each half like a job. */
static void case_halves(int first)
{
    MPI_Comm half;

    case_apart(first);
    MPI_Comm_split(MPI_COMM_WORLD, rank < ranks / 2, rank, &half);
    printf("rank %d: %llu served\n", rank, run_all(half, first));
    MPI_Comm_free(&half);
}

/* Checks a job where every rank has coll/irr. */
static void case_same(int first)
{
    MPI_Comm inter = make_inter();

    CHECK(run_all(MPI_COMM_WORLD, first) > 0);
    CHECK(run_all(inter, first) > 0);
    MPI_Comm_free(&inter);
}

/* Makes communicators for which one rank lacks the memory for a module, and one more when memory is back. */
static void case_modules(int first)
{
    enum { COMMS = 4 };
    MPI_Comm comms[COMMS], later;

    CHECK(run_all(MPI_COMM_WORLD, first) > 0);
    mpi_memory_watch();
    for (int i = 0; i < COMMS; i++) {
        mpi_memory_fail(rank == i % ranks, LONG_MAX);
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        CHECK((mpi_memory_fail(0, 0) > 0) == (rank == i % ranks));
    }
    for (int i = 0; i < COMMS; i++) {
        CHECK(run_all(comms[i], first) == 0);
        MPI_Comm_free(&comms[i]);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &later);
    CHECK(run_all(later, first) > 0);
    MPI_Comm_free(&later);
}

/* Denies memory from before a communicator is made until after its first calls. */
static void case_no_memory(int first)
{
    MPI_Comm wholes[] = { MPI_COMM_WORLD, make_inter() }, dup;

    CHECK(run_all(MPI_COMM_WORLD, first) > 0);
    mpi_memory_watch();
    for (int i = 0; i < 2; i++) {
        mpi_memory_fail(rank == ranks - 1, LONG_MAX);
        MPI_Comm_dup(wholes[i], &dup);
        CHECK(run_all(dup, first) == 0);
        mpi_memory_fail(0, 0);
        MPI_Comm_free(&dup);
    }
    MPI_Comm_free(&wholes[1]);
}

/* Spawns children, which are a job of their own.  Communicators with members of both jobs are left to Open MPI. */
static void case_spawn(int first)
{
    MPI_Comm parent, inter, both;
    char *arguments[] = { "spawn", NULL };

    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL) {
        MPI_Comm_spawn(program, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, NULL);
    } else {
        inter = parent;
        CHECK(run_all(MPI_COMM_WORLD, first) > 0);
    }
    CHECK(run_all(inter, first) == 0);
    MPI_Intercomm_merge(inter, parent != MPI_COMM_NULL, &both);
    CHECK(run_all(both, first) == 0);
    MPI_Comm_free(&both);
    MPI_Comm_disconnect(&inter);
}

static const struct {
    const char *name;
    void      (*run)(int first);
} cases[] = {
    { "apart", case_apart }, { "halves", case_halves }, { "same", case_same }, { "modules", case_modules },
    { "no_memory", case_no_memory }, { "spawn", case_spawn }
};

/* Initialises MPI_T before MPI, as a tool does. */
static int run(void (*run_case)(int first), int first)
{
    int provided;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    mpi_test_served();
    run_case(first);
    return mpi_test_end();
}

int main(int argc, char **argv)
{
    int first = 0;

    program = argv[0];
    while (argc > 2 && first < COLLECTIVES - 1 && strcmp(argv[2], collectives[first].name) != 0) {
        first++;
    }
    for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (strcmp(argv[1], cases[i].name) == 0) {
            return run(cases[i].run, first);
        }
    }
    fprintf(stderr, "usage: mpi_mixed CASE [FIRST]\n");
    return 2;
}
