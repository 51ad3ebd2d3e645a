/*
 * emit_c.c - checks the results of the MPI_Alltoall that the command `irr_plan emit-c` writes.
 *
 *     emit_c [linked|preloaded|elsewhere|threads|verbose]
 *
 * The emitted MPI_Alltoall counts the calls that it serves itself. It must serve communicators of its size with any
 * datatype. It must not serve other sizes or MPI_IN_PLACE. In the mode elsewhere, the file was written for
 * other hosts; then the routine must not serve any call. The script checks the user messages of the mode verbose.
 */
#include "mpi_call.h"

#include <dlfcn.h>
#include <stdatomic.h>

static atomic_ulong *served_p;
static int serves = 1;

static unsigned long served(void)
{
    return served_p != NULL ? atomic_load(served_p) : 0;
}

/* Makes a call; checks its bytes, and whether the routine served it. */
static void compare_call(mpi_call_t *call, int by_routine)
{
    const unsigned long before = served();

    CHECK(mpi_call_once(call, BLOCKING));
    CHECK(served() == before + (by_routine && serves ? 1 : 0));
}

/* Makes one call. Each call has new contents. */
static void compare(MPI_Comm comm, mpi_spec_t spec, int by_routine)
{
    static uint64_t seed;
    mpi_pair_t pair;
    mpi_call_t call;

    spec.seed = ++seed;
    mpi_pair_wrap(&pair, comm);
    mpi_call_init(&call, &pair, &spec);
    compare_call(&call, by_routine);
    mpi_call_fini(&call);
    mpi_pair_fini(&pair);
}

static mpi_spec_t spec_of(MPI_Datatype base, int count)
{
    mpi_spec_t spec = mpi_spec_plain(ALLTOALL, mpi_count_most, 0, 0);

    spec.base = base;
    spec.most = count;
    return spec;
}

static mpi_spec_t in_place(void)
{
    mpi_spec_t spec = spec_of(MPI_INT, 100);

    spec.kind = &mpi_kinds[ALLTOALL_IN_PLACE];
    return spec;
}

static void compare_integers(MPI_Comm comm, int count, int by_routine)
{
    compare(comm, spec_of(MPI_INT, count), by_routine);
}

/* Uses counts from short messages to messages that need a rendezvous. */
static void all_counts(MPI_Comm comm)
{
    static const int counts[] = { 1, 2, 100, 3001, 40000 };

    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        compare_integers(comm, counts[i], 1);
    }
    compare_integers(comm, 0, 0);
    compare(comm, spec_of(MPI_BYTE, 7), 1);
}

/* On one side, a block is `count` elements of `type`. On the other side, it is `items` elements of ten integers. */
static void compare_other(MPI_Comm comm, int at_receiver, MPI_Datatype type, int count, int items)
{
    mpi_spec_t spec = spec_of(MPI_INT, items);
    mpi_pair_t pair;
    mpi_call_t call;
    mpi_side_t *side = at_receiver ? &call.recv : &call.send;

    spec.items = 10;
    spec.pieces = 5;
    mpi_pair_wrap(&pair, comm);
    mpi_call_init(&call, &pair, &spec);
    side->each = count;
    for (int i = 0; i <= pair.ranks; i++) {
        MPI_Type_free(&side->types[i]);
        MPI_Type_dup(type, &side->types[i]);
        side->offsets[i < pair.ranks ? i : 0] = i < pair.ranks ? i * count * mpi_types_extent(type) : 0;
    }
    compare_call(&call, items > 0);
    mpi_call_fini(&call);
    mpi_pair_fini(&pair);
}

/* Sends the same bytes in other forms: with gaps, and with different types at sender and receiver. */
static void all_types(MPI_Comm comm)
{
    mpi_spec_t spec = spec_of(MPI_INT, 3);
    MPI_Datatype empty;

    MPI_Type_contiguous(0, MPI_INT, &empty);
    MPI_Type_commit(&empty);
    for (int i = 0; i < 20; i++) {
        spec.items = i % 5 == 0 ? 1000 : 10;
        spec.pieces = i % 4 == 0 ? 5 : 0;   /* 5: one type with gaps; 0: random types */
        compare(comm, spec, 1);
    }
    compare_other(comm, 0, MPI_INT, 30, 3);
    compare_other(comm, 1, MPI_INT, 2000, 200);
    compare_other(comm, 0, empty, 4, 0);
    MPI_Type_free(&empty);
}

/*
 * Uses communicators of other sizes, the same ranks in reversed order, and a duplicate of this reversed communicator,
 * also after the reversed communicator has been freed.
 */
static void all_communicators(int rank, int ranks)
{
    MPI_Comm some, reversed, dup;

    compare_integers(MPI_COMM_SELF, 10, 0);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &some);
    compare_integers(some, 100, 0);
    MPI_Comm_free(&some);
    MPI_Comm_split(MPI_COMM_WORLD, 0, ranks - rank, &reversed);
    all_counts(reversed);
    MPI_Comm_dup(reversed, &dup);
    compare_integers(dup, 100, 1);
    MPI_Comm_free(&reversed);
    compare_integers(dup, 100, 1);
    MPI_Comm_free(&dup);
}

/*
 * Uses an inter-communicator of two groups. The other group may have the number of ranks that the routine serves; the
 * routine must nevertheless not serve the call.
 */
static void inter_communicator(int rank, int ranks)
{
    const int first = rank < ranks / 2 ? ranks / 2 : 0;   /* first rank of the other group */
    MPI_Comm half, inter;

    MPI_Comm_split(MPI_COMM_WORLD, rank < ranks / 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, first, 1, &inter);
    compare_integers(inter, 1, 0);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

/* Makes many calls in a row on two communicators, while the application has a receive that would match any message. */
static void repeated(int rank, int ranks)
{
    const int to = (rank + 1) % ranks;
    int token = -1;
    MPI_Request request;
    MPI_Comm other;

    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Irecv(&token, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    for (int i = 0; i < 50; i++) {
        compare_integers(i % 3 == 0 ? other : MPI_COMM_WORLD, 1 + i % 7, 1);
    }
    CHECK(token == -1);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&rank, 1, MPI_INT, to, 3, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(token == (rank + ranks - 1) % ranks);
    MPI_Comm_free(&other);
}

/*
 * Counts calls of the error handler. A message that is too long is an error on its receiver, and the handler of the
 * communicator must be called once. MPICH also reports errors of MPI_Waitany to the handler of MPI_COMM_WORLD.
 */
static int handled;

static void handler(MPI_Comm *comm, int *error, ...)
{
    int class;

    MPI_Error_class(*error, &class);
    CHECK(class == MPI_ERR_TRUNCATE && *comm != MPI_COMM_NULL);
    handled++;
}

static void too_long(int rank, int ranks)
{
    int *send = calloc((size_t)ranks, 2 * sizeof(*send)), *recv = calloc((size_t)ranks, 2 * sizeof(*recv));
    MPI_Errhandler errhandler;
    MPI_Comm comm;
    int error, class;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_create_errhandler(handler, &errhandler);
    MPI_Comm_set_errhandler(comm, errhandler);
    error = MPI_Alltoall(send, 2, MPI_INT, recv, rank == 1 ? 1 : 2, MPI_INT, comm);
    MPI_Error_class(error, &class);
    CHECK(class == (rank == 1 ? MPI_ERR_TRUNCATE : MPI_SUCCESS) && handled == (rank == 1));
    MPI_Errhandler_free(&errhandler);
    MPI_Comm_free(&comm);
    free(recv);
    free(send);
}

/*
 * Makes two calls of each kind: calls that the routine serves, and calls that it leaves to the library for different
 * reasons. The routine may log each kind at most once.
 */
static void announced(int rank, int ranks)
{
    int *send = calloc((size_t)ranks, sizeof(*send)), *recv = calloc((size_t)ranks, sizeof(*recv));
    MPI_Comm some;

    MPI_Comm_split(MPI_COMM_WORLD, rank < 4, rank, &some);
    for (int i = 0; i < 2; i++) {
        MPI_Alltoall(send, 1, MPI_INT, recv, 1, MPI_INT, MPI_COMM_WORLD);
        MPI_Alltoall(send, 0, MPI_INT, recv, 0, MPI_INT, MPI_COMM_WORLD);
        MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, recv, 1, MPI_INT, MPI_COMM_WORLD);
        MPI_Alltoall(send, 1, MPI_INT, recv, 1, MPI_INT, some);
    }
    MPI_Comm_free(&some);
    free(recv);
    free(send);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "linked";
    int rank, ranks, provided;

    MPI_Init_thread(&argc, &argv, strcmp(mode, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                    &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    serves = strcmp(mode, "elsewhere") != 0;
    served_p = dlsym(RTLD_DEFAULT, "irr_alltoall_served");
    CHECK(served_p != NULL);
    if (strcmp(mode, "verbose") == 0) {
        announced(rank, ranks);
        return mpi_test_end();
    }
    all_counts(MPI_COMM_WORLD);
    all_types(MPI_COMM_WORLD);
    compare(MPI_COMM_WORLD, in_place(), 0);
    all_communicators(rank, ranks);
    inter_communicator(rank, ranks);
    repeated(rank, ranks);
    if (serves) {
        too_long(rank, ranks);
    }
    return mpi_test_end();
}
