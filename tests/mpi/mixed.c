/*
 * mixed.c - jobs in which some ranks lack coll/irr or have other settings of it, or in which one rank lacks memory.
 *
 *     mpi_mixed CASE[:FIRST] [, CASE ...]   cases of the table at the end; FIRST is the number of the first collective
 *                                           on each communicator
 *
 * If a case hangs, the time limit of the script ends the case.
 */
#include "mpi_call.h"
#include "mpi_memory.h"

#define rank  mpi_job.rank
#define ranks mpi_job.ranks

static const struct {
    int        kind;
    mpi_form_t form;
} collectives[] = { { ALLTOALLV, BLOCKING }, { ALLTOALL, BLOCKING }, { ALLTOALLV, PERSISTENT } };

enum { COLLECTIVES = sizeof(collectives) / sizeof(collectives[0]) };

/* Runs all collectives, beginning with FIRST. Returns the number of exchanges that coll/irr served. */
static unsigned long long run_all(MPI_Comm comm)
{
    unsigned long long before = mpi_test_served();

    for (int i = 0; i < COLLECTIVES; i++) {
        const int which = (mpi_job.number + i) % COLLECTIVES;

        CHECK(mpi_call_on(comm, collectives[which].kind, collectives[which].form, 1, (uint64_t)i) == MPI_SUCCESS);
    }
    return mpi_test_served() - before;
}

/* Returns an inter-communicator of the first half of the ranks, rounded up, and the others. */
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
static void case_apart(void)
{
    MPI_Comm dup, reversed, inter;

    CHECK(run_all(MPI_COMM_WORLD) == 0);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    CHECK(run_all(dup) == 0);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    CHECK(run_all(reversed) == 0);
    if (ranks > 1) {
        inter = make_inter();
        CHECK(run_all(inter) == 0);
        MPI_Comm_free(&inter);
    }
    MPI_Comm_free(&reversed);
    MPI_Comm_free(&dup);
}

/* Checks halves of the job.  All ranks of a half have the same component, so coll/irr serves each half like a job. */
static void case_halves(void)
{
    MPI_Comm half;

    case_apart();
    MPI_Comm_split(MPI_COMM_WORLD, rank < ranks / 2, rank, &half);
    printf("rank %d: %llu served\n", rank, run_all(half));
    MPI_Comm_free(&half);
}

/* Checks a job where every rank has coll/irr. */
static void case_same(void)
{
    MPI_Comm inter = make_inter();

    CHECK(run_all(MPI_COMM_WORLD) > 0);
    CHECK(run_all(inter) > 0);
    MPI_Comm_free(&inter);
}

/* Makes communicators for which one rank lacks the memory for a module, and then one without failures. */
static void case_modules(void)
{
    enum { COMMS = 4 };
    MPI_Comm comms[COMMS], later;

    CHECK(run_all(MPI_COMM_WORLD) > 0);
    mpi_memory_watch();
    for (int i = 0; i < COMMS; i++) {
        mpi_memory_fail(rank == i % ranks, LONG_MAX);
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        CHECK((mpi_memory_fail(0, 0) > 0) == (rank == i % ranks));
    }
    for (int i = 0; i < COMMS; i++) {
        CHECK(run_all(comms[i]) == 0);
        MPI_Comm_free(&comms[i]);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &later);
    CHECK(run_all(later) > 0);
    MPI_Comm_free(&later);
}

/* Denies memory from before a communicator is made until after its first calls. */
static void case_no_memory(void)
{
    MPI_Comm wholes[] = { MPI_COMM_WORLD, make_inter() }, dup;

    CHECK(run_all(MPI_COMM_WORLD) > 0);
    mpi_memory_watch();
    for (int i = 0; i < 2; i++) {
        mpi_memory_fail(rank == ranks - 1, LONG_MAX);
        MPI_Comm_dup(wholes[i], &dup);
        CHECK(run_all(dup) == 0);
        mpi_memory_fail(0, 0);
        MPI_Comm_free(&dup);
    }
    MPI_Comm_free(&wholes[1]);
}

/* Spawns children, which are a separate job. Open MPI serves communicators with members of both jobs. */
static void case_spawn(void)
{
    MPI_Comm parent, inter, both;
    char *arguments[] = { "spawn", NULL };

    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL) {
        MPI_Comm_spawn(mpi_job.program, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, NULL);
    } else {
        inter = parent;
        CHECK(run_all(MPI_COMM_WORLD) > 0);
    }
    CHECK(run_all(inter) == 0);
    MPI_Intercomm_merge(inter, parent != MPI_COMM_NULL, &both);
    CHECK(run_all(both) == 0);
    MPI_Comm_free(&both);
    MPI_Comm_disconnect(&inter);
}

MPI_CASES(mpi_cases_mixed,
    { "apart", case_apart, 0 }, { "halves", case_halves, 0 }, { "same", case_same, 0 },
    { "modules", case_modules, 0 }, { "no_memory", case_no_memory, 0 }, { "spawn", case_spawn, 0 });

/* Initialises MPI_T before MPI, like a tool. */
int main(int argc, char **argv)
{
    static const mpi_case_t *const tables[] = { mpi_cases_mixed, NULL };
    int provided;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    return mpi_test_main(argc, argv, tables);
}
