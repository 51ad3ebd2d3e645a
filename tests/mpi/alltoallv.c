/*
 * alltoallv.c - MPI_Alltoallv of coll/irr against Open MPI's own, byte by byte.
 *
 * Each case makes the same call on two duplicates of a communicator, one that coll/irr serves and one that it
 * does not, and compares the whole receive buffers, gaps included.  The performance variables must show that
 * coll/irr served its calls.
 *
 *     mpi_alltoallv ROUNDS [INFO_KEY=VALUE ...] [, ROUNDS ...]   the keys go to the communicators of coll/irr
 */
#include "mpi_call.h"

typedef struct comms {
    MPI_Comm irr;
    MPI_Comm host;
} comms_t;

/* Makes the call on both communicators and compares. */
static void compare(const comms_t *comms, const side_t *send, side_t *recv, int in_place, const char *what)
{
    unsigned long long served = mpi_test_served();
    char *expected = malloc(recv->bytes + 1);
    int same;

    fill(recv->buffer, recv->bytes, 99);
    MPI_Alltoallv(in_place ? MPI_IN_PLACE : send->base, send->counts, send->displs, send->type, recv->base,
                  recv->counts, recv->displs, recv->type, comms->host);
    memcpy(expected, recv->buffer, recv->bytes);
    fill(recv->buffer, recv->bytes, 99);
    MPI_Alltoallv(in_place ? MPI_IN_PLACE : send->base, send->counts, send->displs, send->type, recv->base,
                  recv->counts, recv->displs, recv->type, comms->irr);
    same = memcmp(expected, recv->buffer, recv->bytes) == 0;
    if (!same) {
        fprintf(stderr, "different bytes: %s\n", what);
    }
    CHECK(same);
    CHECK(mpi_test_served() == served + 1);
    free(expected);
}

static void run_shape(const comms_t *comms, int shape, MPI_Datatype send_type, MPI_Datatype recv_type, int middle,
                      uint64_t *state, const char *what)
{
    call_t call;

    call_init(&call, comms->irr, shape, send_type, recv_type, middle, state);
    compare(comms, &call.send, &call.recv, 0, what);
    call_fini(&call);
}

static void test_types(const comms_t *comms, uint64_t *state)
{
    MPI_Datatype pair = pair_type(), vector = vector_type(), send_type, recv_type;
    int rank;

    MPI_Comm_rank(comms->irr, &rank);
    for (int shape = 0; shape < SHAPES; shape++) {
        run_shape(comms, shape, MPI_CHAR, MPI_CHAR, 0, state, shapes[shape].name);
        run_shape(comms, shape, MPI_DOUBLE, MPI_DOUBLE, 1, state, shapes[shape].name);
    }
    for (int shape = 0; shape < SHAPES - 1; shape++) {
        send_type = rank % 2 == 0 ? pair : vector;
        recv_type = rank % 3 == 0 ? vector : pair;
        run_shape(comms, shape, send_type, recv_type, 1, state, "types that differ but match");
    }
    MPI_Type_free(&pair);
    MPI_Type_free(&vector);
}

static void test_in_place(const comms_t *comms, uint64_t *state)
{
    MPI_Datatype vector = vector_type();
    int rank;

    MPI_Comm_rank(comms->irr, &rank);
    for (int k = 0; k < 2; k++) {
        unsigned long long served = mpi_test_served();
        char *expected, *from;
        call_t call;
        side_t *recv = &call.recv;

        call_init_in_place(&call, comms->irr, k == 0 ? MPI_DOUBLE : vector, state);
        expected = malloc(recv->bytes);
        from = malloc(recv->bytes);
        fill(expected, recv->bytes, (uint64_t)rank);
        memcpy(from, expected, recv->bytes);
        /* The reference is the call that is not in place: some releases of Open MPI had bugs in the other. */
        MPI_Alltoallv(from, recv->counts, recv->displs, recv->type, expected, recv->counts, recv->displs, recv->type,
                      comms->host);
        fill(recv->buffer, recv->bytes, (uint64_t)rank);
        MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, recv->buffer, recv->counts, recv->displs,
                      recv->type, comms->irr);
        CHECK(memcmp(expected, recv->buffer, recv->bytes) == 0);
        CHECK(mpi_test_served() == served + 1);
        free(from);
        free(expected);
        call_fini(&call);
    }
    MPI_Type_free(&vector);
}

/* The same arrays again, then with one thing changed in them, for which the blocks of the call before are wrong. */
static void test_repeats(const comms_t *comms)
{
    enum { ROOM = 8 };
    MPI_Datatype pair;
    side_t send, recv;
    int ranks;

    MPI_Comm_size(comms->irr, &ranks);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    side_init(&send, ranks);
    side_init(&recv, ranks);
    send.type = recv.type = MPI_INT;
    send.bytes = recv.bytes = (size_t)ranks * ROOM * sizeof(int);
    send.base = send.buffer = malloc(send.bytes);
    recv.base = recv.buffer = malloc(recv.bytes);
    fill(send.buffer, send.bytes, 7);
    for (int i = 0; i < ranks; i++) {
        send.counts[i] = recv.counts[i] = 2;
        send.displs[i] = recv.displs[i] = i * (ROOM / 2);
    }
    compare(comms, &send, &recv, 0, "the first call");
    compare(comms, &send, &recv, 0, "the same call");
    recv.displs[ranks - 1]++;
    compare(comms, &send, &recv, 0, "another place for the last block");
    send.displs[0]++;
    compare(comms, &send, &recv, 0, "another place of the first block");
    send.type = recv.type = pair;
    compare(comms, &send, &recv, 0, "another datatype");
    for (int i = 0; i < ranks; i++) {
        send.counts[i] = recv.counts[i] = 1;
    }
    compare(comms, &send, &recv, 0, "other counts");
    side_fini(&recv);
    side_fini(&send);
    MPI_Type_free(&pair);
}

/* Displacements beyond 2 GiB: an extent of 1 MiB puts block i at (3000 + i) MiB, where nothing else is touched. */
static void test_huge_displacements(const comms_t *comms)
{
    enum { MIB = 1 << 20, FIRST = 3000 };
    int ranks, rank;
    MPI_Datatype spread;
    side_t send, recv;
    int ok = 1;

    MPI_Comm_size(comms->irr, &ranks);
    MPI_Comm_rank(comms->irr, &rank);
    MPI_Type_create_resized(MPI_INT, 0, MIB, &spread);
    MPI_Type_commit(&spread);
    side_init(&send, ranks);
    side_init(&recv, ranks);
    send.base = send.buffer = calloc((size_t)(FIRST + ranks), MIB);
    recv.base = recv.buffer = calloc((size_t)(FIRST + ranks), MIB);
    for (int i = 0; i < ranks && send.buffer != NULL && recv.buffer != NULL; i++) {
        send.counts[i] = recv.counts[i] = 1;
        send.displs[i] = recv.displs[i] = FIRST + i;
        *(int *)(send.buffer + (size_t)(FIRST + i) * MIB) = rank * 1000 + i;
    }
    MPI_Alltoallv(send.base, send.counts, send.displs, spread, recv.base, recv.counts, recv.displs, spread,
                  comms->irr);
    for (int i = 0; i < ranks; i++) {
        ok = ok && *(int *)(recv.buffer + (size_t)(FIRST + i) * MIB) == i * 1000 + rank;
    }
    CHECK(ok);
    side_fini(&recv);
    side_fini(&send);
    MPI_Type_free(&spread);
}

/* A sender that sends more than the receiver expects: the receiver alone sees it, and nothing is overwritten. */
static void test_truncation(const comms_t *comms)
{
    enum { N = 64, GUARD = 12345 };
    int ranks, rank, result, class, intact = 1;
    side_t send, recv;
    int *sent, *got;

    MPI_Comm_size(comms->irr, &ranks);
    MPI_Comm_rank(comms->irr, &rank);
    MPI_Comm_set_errhandler(comms->irr, MPI_ERRORS_RETURN);
    side_init(&send, ranks);
    side_init(&recv, ranks);
    sent = calloc((size_t)ranks * 4 * N, sizeof(int));
    got = malloc((size_t)ranks * 4 * N * sizeof(int));
    for (int i = 0; i < ranks * 4 * N; i++) {
        got[i] = GUARD;
    }
    for (int i = 0; i < ranks; i++) {
        send.counts[i] = rank == 0 && i != 0 ? 2 * N : N;
        recv.counts[i] = N;
        send.displs[i] = recv.displs[i] = i * 4 * N;
    }
    result = MPI_Alltoallv(sent, send.counts, send.displs, MPI_INT, got, recv.counts, recv.displs, MPI_INT,
                           comms->irr);
    MPI_Error_class(result, &class);
    CHECK(class == (rank == 0 || ranks == 1 ? MPI_SUCCESS : MPI_ERR_TRUNCATE));
    for (int i = 0; i < ranks * 4 * N; i++) {
        intact = intact && (i % (4 * N) < N || got[i] == GUARD);
    }
    CHECK(intact);
    MPI_Comm_set_errhandler(comms->irr, MPI_ERRORS_ARE_FATAL);
    free(got);
    free(sent);
    side_fini(&recv);
    side_fini(&send);
}

/* Several communicators in turn: duplicates, halves, reversed ranks. */
static void test_communicators(uint64_t *state, char **keys, int nkeys)
{
    MPI_Comm parts[3];
    comms_t comms[3];
    int rank, ranks;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &parts[0]);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &parts[1]);
    MPI_Comm_split(MPI_COMM_WORLD, rank < ranks / 2, -rank, &parts[2]);
    for (int i = 0; i < 3; i++) {
        comms[i].irr = dup_irr(parts[i], keys, nkeys);
        comms[i].host = mpi_test_dup(parts[i], "ompi_comm_coll_preference", "^irr");
    }
    for (int round = 0; round < 6; round++) {
        int size;
        uint64_t part_state = *state + (uint64_t)round;

        MPI_Comm_size(comms[round % 3].irr, &size);
        if (size > 1) {
            run_shape(&comms[round % 3], 1 + round % 4, MPI_INT, MPI_INT, 0, &part_state, "several communicators");
        }
    }
    for (int i = 0; i < 3; i++) {
        MPI_Comm_free(&comms[i].irr);
        MPI_Comm_free(&comms[i].host);
        MPI_Comm_free(&parts[i]);
    }
}

/* ROUNDS and keys. */
static void run(char **group, int length)
{
    const int rounds = length > 0 ? atoi(group[0]) : 1, nkeys = length > 0 ? length - 1 : 0;
    unsigned long long served = mpi_test_served();
    uint64_t state = mpi_test_seed();
    comms_t comms;
    int ranks;

    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    comms.irr = dup_irr(MPI_COMM_WORLD, group + 1, nkeys);
    comms.host = mpi_test_dup(MPI_COMM_WORLD, "ompi_comm_coll_preference", "^irr");
    for (int i = 0; i < rounds && ranks > 1; i++) {
        test_types(&comms, &state);
        test_in_place(&comms, &state);
        test_communicators(&state, group + 1, nkeys);
    }
    if (ranks > 1) {
        test_repeats(&comms);
        test_huge_displacements(&comms);
        test_truncation(&comms);
        test_types(&comms, &state);
    } else {
        /* Alone there is nobody to exchange with: coll/irr leaves the communicator to others. */
        int one = 1, zero = 0, in = 7, out = 0;

        MPI_Alltoallv(&in, &one, &zero, MPI_INT, &out, &one, &zero, MPI_INT, comms.irr);
        CHECK(out == 7);
        CHECK(mpi_test_served() == served);
    }
    MPI_Comm_free(&comms.irr);
    MPI_Comm_free(&comms.host);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    mpi_test_served();
    mpi_test_groups(argv + 1, argc - 1, run);
    return mpi_test_end();
}
