/*
 * alltoall.c - MPI_Alltoall of coll/irr against Open MPI's own, byte by byte, alone and beside MPI_Alltoallv.
 *
 * Each case makes the same call on two duplicates of a communicator, one that coll/irr may serve and one that it
 * does not, and compares the whole receive buffers, gaps included.  The performance variables tell who served.
 *
 *     mpi_alltoall WHO [INFO_KEY=VALUE ...] [, WHO ...]
 *
 * WHO must serve MPI_Alltoall: irr; host; or divided, the same on a communicator of all ranks, while smaller ones are
 * not tried.  The keys go to the communicators that coll/irr may serve.
 */
#include "mpi_call.h"

typedef struct comms {
    MPI_Comm irr;
    MPI_Comm host;
    int      served;   /* must coll/irr serve MPI_Alltoall? */
} comms_t;

typedef struct keys {
    char **list;
    int    count;
    int    served;
} keys_t;

/* A buffer for all ranks' blocks, and what MPI gets of it. */
typedef struct room {
    char  *memory, *base;
    size_t bytes;
} room_t;

static void room_init(room_t *room, int elements, MPI_Datatype type, uint64_t seed)
{
    MPI_Aint lower, extent, true_lower, true_extent;

    MPI_Type_get_extent(type, &lower, &extent);
    MPI_Type_get_true_extent(type, &true_lower, &true_extent);
    room->bytes = (size_t)extent * (size_t)elements + (size_t)true_extent + 128;
    room->memory = malloc(room->bytes);
    room->base = room->memory + 64 - true_lower;
    fill(room->memory, room->bytes, seed);
}

static comms_t open_comms(MPI_Comm comm, const keys_t *keys)
{
    comms_t comms = { dup_irr(comm, keys->list, keys->count),
                      mpi_test_dup(comm, "ompi_comm_coll_preference", "^irr"), keys->served };
    int ranks;

    MPI_Comm_size(comm, &ranks);
    comms.served = comms.served && ranks > 1;
    return comms;
}

static void close_comms(comms_t *comms)
{
    MPI_Comm_free(&comms->irr);
    MPI_Comm_free(&comms->host);
}

/* Makes the call on both communicators and compares.  Open MPI does not hand on a call without bytes. */
static void compare(const comms_t *comms, int send_count, MPI_Datatype send_type, int recv_count,
                    MPI_Datatype recv_type, int in_place)
{
    unsigned long long served = mpi_test_served();
    int ranks, rank;
    room_t send, recv, expected;

    MPI_Comm_size(comms->irr, &ranks);
    MPI_Comm_rank(comms->irr, &rank);
    room_init(&send, ranks * send_count, send_type, (uint64_t)rank);
    room_init(&recv, ranks * recv_count, recv_type, (uint64_t)rank);
    room_init(&expected, ranks * recv_count, recv_type, (uint64_t)rank);
    /* The reference is never in place: some releases of Open MPI had bugs in that. */
    MPI_Alltoall(send.base, send_count, send_type, expected.base, recv_count, recv_type, comms->host);
    CHECK(mpi_test_served() == served);
    if (in_place) {
        MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, recv.base, recv_count, recv_type, comms->irr);
    } else {
        MPI_Alltoall(send.base, send_count, send_type, recv.base, recv_count, recv_type, comms->irr);
    }
    CHECK(memcmp(expected.memory, recv.memory, recv.bytes) == 0);
    CHECK(mpi_test_served() == served + (comms->served && recv_count > 0 ? 1 : 0));
    free(expected.memory);
    free(recv.memory);
    free(send.memory);
}

/* Three ints, the first before the address that MPI gets, and a gap behind the last. */
static MPI_Datatype negative_type(void)
{
    const int lengths[2] = { 1, 2 };
    const MPI_Aint places[2] = { -8, 4 };
    MPI_Datatype ints, resized;

    MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &ints);
    MPI_Type_create_resized(ints, -8, 32, &resized);
    MPI_Type_commit(&resized);
    MPI_Type_free(&ints);
    return resized;
}

static void test_types(const comms_t *comms)
{
    static const int counts[] = { 0, 1, 1000 };
    MPI_Datatype pair = pair_type(), vector = vector_type(), negative = negative_type();
    int rank;

    MPI_Comm_rank(comms->irr, &rank);
    for (int i = 0; i < 3; i++) {
        const int n = counts[i];

        compare(comms, n, MPI_CHAR, n, MPI_CHAR, 0);
        compare(comms, n, MPI_DOUBLE, n, MPI_DOUBLE, 0);
        compare(comms, n, vector, n, vector, 0);
        compare(comms, n, negative, n, negative, 0);
        compare(comms, 3 * n, MPI_INT, n, negative, 0);
        compare(comms, n, rank % 2 == 0 ? pair : vector, n, rank % 3 == 0 ? vector : pair, 0);
        compare(comms, n, MPI_DOUBLE, n, MPI_DOUBLE, 1);
        compare(comms, n, vector, n, vector, 1);
        compare(comms, n, negative, n, negative, 1);
    }
    compare(comms, 100000, MPI_CHAR, 100000, MPI_CHAR, 0);
    MPI_Type_free(&negative);
    MPI_Type_free(&vector);
    MPI_Type_free(&pair);
}

/* Blocks beyond 2 and 4 GiB: elements are so far apart that nearly nothing of the memory is touched. */
static void test_far_blocks(const comms_t *comms)
{
    enum { COUNT = 2, RANKS = 5 };
    const size_t apart = (size_t)512 << 20;
    int ranks, rank, ok = 1, have;
    MPI_Datatype spread;
    char *send, *recv;

    MPI_Comm_size(comms->irr, &ranks);
    MPI_Comm_rank(comms->irr, &rank);
    if (ranks > RANKS) {
        return;
    }
    MPI_Type_create_resized(MPI_INT, 0, (MPI_Aint)apart, &spread);
    MPI_Type_commit(&spread);
    send = calloc((size_t)ranks * COUNT, apart);
    recv = calloc((size_t)ranks * COUNT, apart);
    have = send != NULL && recv != NULL;
    MPI_Allreduce(MPI_IN_PLACE, &have, 1, MPI_INT, MPI_MIN, comms->host);
    for (int i = 0; have && i < ranks * COUNT; i++) {
        *(int *)(send + (size_t)i * apart) = rank * 1000 + i;
    }
    if (have) {
        MPI_Alltoall(send, COUNT, spread, recv, COUNT, spread, comms->irr);
    }
    for (int i = 0; have && i < ranks * COUNT; i++) {
        ok = ok && *(int *)(recv + (size_t)i * apart) == i / COUNT * 1000 + rank * COUNT + i % COUNT;
    }
    CHECK(ok);
    free(recv);
    free(send);
    MPI_Type_free(&spread);
}

/* Rank 0 has twice the count of the others, which alone see it, and nothing is overwritten. */
static void test_truncation(const comms_t *comms)
{
    enum { N = 64, GUARD = 12345 };
    int ranks, rank, count, result, class, intact = 1;
    int *sent, *got;

    MPI_Comm_size(comms->irr, &ranks);
    MPI_Comm_rank(comms->irr, &rank);
    MPI_Comm_set_errhandler(comms->irr, MPI_ERRORS_RETURN);
    count = rank == 0 ? 2 * N : N;
    sent = calloc((size_t)ranks * 3 * N, sizeof(int));
    got = malloc((size_t)ranks * 3 * N * sizeof(int));
    for (int i = 0; i < ranks * 3 * N; i++) {
        got[i] = GUARD;
    }
    result = MPI_Alltoall(sent, count, MPI_INT, got, count, MPI_INT, comms->irr);
    MPI_Error_class(result, &class);
    CHECK(class == (rank == 0 ? MPI_SUCCESS : MPI_ERR_TRUNCATE));
    for (int i = ranks * count; i < ranks * 3 * N; i++) {
        intact = intact && got[i] == GUARD;
    }
    CHECK(intact);
    MPI_Comm_set_errhandler(comms->irr, MPI_ERRORS_ARE_FATAL);
    free(got);
    free(sent);
}

/* MPI_Alltoallv in between, with counts of its own. */
static void exchange_v(const comms_t *comms, uint64_t *state)
{
    unsigned long long served = mpi_test_served();
    char *expected;
    call_t call;
    int ranks;

    MPI_Comm_size(comms->irr, &ranks);
    call_init(&call, comms->irr, 1, MPI_INT, MPI_INT, 0, state);
    expected = malloc(call.recv.bytes);
    fill(expected, call.recv.bytes, 3);
    fill(call.recv.buffer, call.recv.bytes, 3);
    MPI_Alltoallv(call.send.base, call.send.counts, call.send.displs, MPI_INT, expected, call.recv.counts,
                  call.recv.displs, MPI_INT, comms->host);
    MPI_Alltoallv(call.send.base, call.send.counts, call.send.displs, MPI_INT, call.recv.base, call.recv.counts,
                  call.recv.displs, MPI_INT, comms->irr);
    CHECK(memcmp(expected, call.recv.buffer, call.recv.bytes) == 0);
    CHECK(mpi_test_served() == served + (ranks > 1));
    free(expected);
    call_fini(&call);
}

/* Both collectives on one communicator, either of them first; parts of the job, in other orders of ranks. */
static void test_mixed(const keys_t *keys, uint64_t *state)
{
    int rank, ranks;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < 6; i++) {
        uint64_t part_state = *state + (uint64_t)i;
        MPI_Comm part;
        comms_t comms;

        MPI_Comm_split(MPI_COMM_WORLD, i / 2 == 0 ? 0 : i / 2 == 1 ? rank % 2 : rank < ranks / 2, i % 2 ? -rank : rank,
                       &part);
        comms = open_comms(part, keys);
        if (i % 2 == 0) {
            exchange_v(&comms, &part_state);
        }
        for (int k = 1; k < 4; k++) {
            compare(&comms, 37 * k, MPI_INT, 37 * k, MPI_INT, 0);
            exchange_v(&comms, &part_state);
        }
        close_comms(&comms);
        MPI_Comm_free(&part);
    }
}

/* WHO and keys. */
static void run(char **group, int length)
{
    keys_t keys = { group + 1, length - 1, length > 0 && strcmp(group[0], "irr") == 0 };
    uint64_t state;
    comms_t comms, self;

    if (!CHECK(length > 0)) {
        return;
    }
    state = mpi_test_seed();
    comms = open_comms(MPI_COMM_WORLD, &keys);
    self = open_comms(MPI_COMM_SELF, &keys);
    test_types(&comms);
    test_types(&self);
    test_far_blocks(&comms);
    if (comms.served) {
        test_truncation(&comms);
        test_types(&comms);
    }
    if (strcmp(group[0], "divided") != 0) {
        test_mixed(&keys, &state);
    }
    close_comms(&self);
    close_comms(&comms);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    mpi_test_served();
    mpi_test_groups(argv + 1, argc - 1, run);
    return mpi_test_end();
}
