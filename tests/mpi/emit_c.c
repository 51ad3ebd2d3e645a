/*
 * emit_c.c - MPI_Alltoall of a file that irr_plan emit-c wrote, compared byte by byte with what it has to bring.
 *
 *     emit_c [linked|preloaded|elsewhere|threads|told]
 *
 * The routine counts what it served: communicators of its size with any datatype, and neither other sizes nor
 * MPI_IN_PLACE; nothing if the hosts are not those of the file (elsewhere).  What it tells of the calls of `told` is
 * looked at from outside.
 */
#include "mpi_test.h"

#include <dlfcn.h>
#include <stdatomic.h>

static atomic_ulong *served_p;
static int serves = 1;

static unsigned long served(void)
{
    return served_p != NULL ? atomic_load(served_p) : 0;
}

/* Buffers of a call: what is sent, received, and expected; bytes that no datatype covers must stay as they are. */
typedef struct buffers {
    size_t         send_bytes, recv_bytes;
    unsigned char *send, *recv, *expected;
} buffers_t;

static size_t room(int ranks, int count, MPI_Datatype type)
{
    MPI_Aint low, extent, true_low, true_extent;

    MPI_Type_get_extent(type, &low, &extent);
    MPI_Type_get_true_extent(type, &true_low, &true_extent);
    return (size_t)(ranks * (MPI_Aint)count * extent + true_low + true_extent);
}

static void fill(unsigned char *bytes, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++) {
        bytes[i] = (unsigned char)mpi_test_random(&seed);
    }
}

static void open_buffers(buffers_t *b, MPI_Comm comm, size_t send_bytes, size_t recv_bytes, uint64_t seed)
{
    int rank;

    MPI_Comm_rank(comm, &rank);
    b->send_bytes = send_bytes;
    b->recv_bytes = recv_bytes;
    b->send = malloc(send_bytes + 1);
    b->recv = malloc(recv_bytes + 1);
    b->expected = malloc(recv_bytes + 1);
    fill(b->send, send_bytes, seed + (uint64_t)rank);
    fill(b->recv, recv_bytes, ~seed);
    memcpy(b->expected, b->recv, recv_bytes);
}

static void close_buffers(buffers_t *b)
{
    free(b->expected);
    free(b->recv);
    free(b->send);
}

/*
 * What MPI_Alltoall has to bring.  PMPI_Alltoall is no reference: that of Open MPI 4.1 is wrong for few bytes on many
 * ranks if the two datatypes differ (its Bruck algorithm).
 */
static void exchange(const buffers_t *b, int sendcount, MPI_Datatype sendtype, int recvcount, MPI_Datatype recvtype,
                     MPI_Comm comm)
{
    int ranks, *counts[4];

    MPI_Comm_size(comm, &ranks);
    for (int i = 0; i < 4; i++) {
        counts[i] = malloc((size_t)ranks * sizeof(int));
    }
    for (int r = 0; r < ranks; r++) {
        counts[0][r] = sendcount;
        counts[1][r] = r * sendcount;
        counts[2][r] = recvcount;
        counts[3][r] = r * recvcount;
    }
    PMPI_Alltoallv(b->send, counts[0], counts[1], sendtype, b->expected, counts[2], counts[3], recvtype, comm);
    for (int i = 0; i < 4; i++) {
        free(counts[i]);
    }
}

/* One exchange with both; it must be served or not. */
static void compare(MPI_Comm comm, int sendcount, MPI_Datatype sendtype, int recvcount, MPI_Datatype recvtype,
                    int by_routine)
{
    const unsigned long before = served();
    static uint64_t seed;
    buffers_t b;
    int ranks;

    MPI_Comm_size(comm, &ranks);
    seed += 1000;
    open_buffers(&b, comm, room(ranks, sendcount, sendtype), room(ranks, recvcount, recvtype), seed);
    exchange(&b, sendcount, sendtype, recvcount, recvtype, comm);
    CHECK(MPI_Alltoall(b.send, sendcount, sendtype, b.recv, recvcount, recvtype, comm) == MPI_SUCCESS);
    CHECK(memcmp(b.recv, b.expected, b.recv_bytes) == 0);
    CHECK(served() == before + (by_routine && serves ? 1 : 0));
    close_buffers(&b);
}

/* In place: the routine has no part in it. */
static void compare_in_place(MPI_Comm comm, int count)
{
    const unsigned long before = served();
    buffers_t b;
    int ranks, rank;

    MPI_Comm_size(comm, &ranks);
    MPI_Comm_rank(comm, &rank);
    open_buffers(&b, comm, 0, room(ranks, count, MPI_INT), 5);
    fill(b.recv, b.recv_bytes, (uint64_t)rank);
    memcpy(b.expected, b.recv, b.recv_bytes);
    PMPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b.expected, count, MPI_INT, comm);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b.recv, count, MPI_INT, comm);
    CHECK(memcmp(b.recv, b.expected, b.recv_bytes) == 0);
    CHECK(served() == before);
    close_buffers(&b);
}

/* From short messages to those that need a rendezvous. */
static void all_counts(MPI_Comm comm)
{
    static const int counts[] = { 1, 2, 100, 3001, 40000 };

    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        compare(comm, counts[i], MPI_INT, counts[i], MPI_INT, 1);
    }
    compare(comm, 0, MPI_INT, 0, MPI_INT, 0);
    compare(comm, 7, MPI_BYTE, 7, MPI_BYTE, 1);
}

/* The same bytes in other shapes: with gaps, blocks that interleave, and another type at each end. */
static void all_types(MPI_Comm comm)
{
    MPI_Datatype vector, resized, empty;

    MPI_Type_vector(5, 2, 3, MPI_INT, &vector);
    MPI_Type_commit(&vector);
    MPI_Type_create_resized(vector, 0, 16 * (MPI_Aint)sizeof(int), &resized);
    MPI_Type_commit(&resized);
    MPI_Type_contiguous(0, MPI_INT, &empty);
    MPI_Type_commit(&empty);
    compare(comm, 3, vector, 3, vector, 1);
    compare(comm, 3, resized, 3, resized, 1);
    compare(comm, 30, MPI_INT, 3, vector, 1);
    compare(comm, 200, resized, 2000, MPI_INT, 1);
    compare(comm, 4, empty, 0, MPI_INT, 0);
    MPI_Type_free(&empty);
    MPI_Type_free(&resized);
    MPI_Type_free(&vector);
}

/* Other sizes, and the same ranks the other way round, which live on in a duplicate. */
static void all_communicators(int rank, int ranks)
{
    MPI_Comm some, reversed, dup;

    compare(MPI_COMM_SELF, 10, MPI_INT, 10, MPI_INT, 0);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &some);
    compare(some, 100, MPI_INT, 100, MPI_INT, 0);
    MPI_Comm_free(&some);
    MPI_Comm_split(MPI_COMM_WORLD, 0, ranks - rank, &reversed);
    all_counts(reversed);
    MPI_Comm_dup(reversed, &dup);
    compare(dup, 100, MPI_INT, 100, MPI_INT, 1);
    MPI_Comm_free(&reversed);
    compare(dup, 100, MPI_INT, 100, MPI_INT, 1);
    MPI_Comm_free(&dup);
}

/* Two halves: as many ranks on the other side as the routine serves, or not; it serves neither. */
static void inter_communicator(int rank, int ranks)
{
    const int first = rank < ranks / 2 ? ranks / 2 : 0;   /* of the others */
    int *send = calloc((size_t)ranks, sizeof(*send)), *recv = calloc((size_t)ranks, sizeof(*recv));
    MPI_Comm half, inter;

    MPI_Comm_split(MPI_COMM_WORLD, rank < ranks / 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, first, 1, &inter);
    for (int r = 0; r < ranks; r++) {
        send[r] = rank;
    }
    CHECK(MPI_Alltoall(send, 1, MPI_INT, recv, 1, MPI_INT, inter) == MPI_SUCCESS);
    CHECK(recv[0] == first && recv[1] == first + 1);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    free(recv);
    free(send);
}

/* Many in a row, on two communicators, among messages of the application that would match anything. */
static void repeated(int rank, int ranks)
{
    const int to = (rank + 1) % ranks;
    int token = -1;
    MPI_Request request;
    MPI_Comm other;

    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Irecv(&token, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    for (int i = 0; i < 50; i++) {
        compare(i % 3 == 0 ? other : MPI_COMM_WORLD, 1 + i % 7, MPI_INT, 1 + i % 7, MPI_INT, 1);
    }
    CHECK(token == -1);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&rank, 1, MPI_INT, to, 3, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(token == (rank + ranks - 1) % ranks);
    MPI_Comm_free(&other);
}

/*
 * A message that is too long: an error on its receiver, which the handler of the communicator is told once.  MPICH
 * tells errors of MPI_Waitany to that of MPI_COMM_WORLD, too.
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

/* Of each kind two calls, of which it may tell once: served, or left to the library for one reason or another. */
static void told(int rank, int ranks)
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
    if (strcmp(mode, "told") == 0) {
        told(rank, ranks);
        return mpi_test_end();
    }
    all_counts(MPI_COMM_WORLD);
    all_types(MPI_COMM_WORLD);
    compare_in_place(MPI_COMM_WORLD, 100);
    all_communicators(rank, ranks);
    inter_communicator(rank, ranks);
    repeated(rank, ranks);
    if (serves) {
        too_long(rank, ranks);
    }
    return mpi_test_end();
}
