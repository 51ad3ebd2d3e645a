/*
 * alltoallv.c - MPI_Alltoallv of coll/irr against Open MPI's own, byte by byte.
 *
 * Each case makes the same call on two duplicates of a communicator, one that coll/irr serves and one that it
 * does not, and compares the whole receive buffers, gaps included.  The performance variables must show that
 * coll/irr served its calls.
 *
 *     mpi_alltoallv [ROUNDS [INFO_KEY=VALUE ...]]   the keys go to the communicators of coll/irr
 */
#include "mpi_test.h"

typedef struct comms {
    MPI_Comm irr;
    MPI_Comm host;
} comms_t;

/* The arguments of one side. */
typedef struct side {
    int         *counts;
    int         *displs;
    MPI_Datatype type;
    char        *buffer;    /* start of memory */
    size_t       bytes;
    char        *base;      /* what MPI gets, may lie within the memory */
} side_t;

static MPI_Comm dup_irr(MPI_Comm comm, char **keys, int nkeys)
{
    MPI_Comm dup;
    MPI_Info info;

    MPI_Info_create(&info);
    for (int i = 0; i < nkeys; i++) {
        char key[128];
        const char *equals = strchr(keys[i], '=');

        snprintf(key, sizeof(key), "%.*s", (int)(equals - keys[i]), keys[i]);
        MPI_Info_set(info, key, equals + 1);
    }
    MPI_Comm_dup_with_info(comm, info, &dup);
    MPI_Info_free(&info);
    return dup;
}

static void fill(char *memory, size_t bytes, uint64_t seed)
{
    for (size_t i = 0; i < bytes; i++) {
        memory[i] = (char)(i * 31 + seed * 131 + (i >> 8) * 7);
    }
}

static void side_init(side_t *side, int ranks)
{
    memset(side, 0, sizeof(*side));
    side->counts = calloc((size_t)ranks, sizeof(int));
    side->displs = calloc((size_t)ranks, sizeof(int));
}

static void side_fini(side_t *side)
{
    free(side->counts);
    free(side->displs);
    free(side->buffer);
}

/* Lays the blocks out in a random order with gaps; a base in the middle makes some displacements negative. */
static void side_lay_out(side_t *side, int ranks, MPI_Datatype type, int middle, uint64_t *state)
{
    MPI_Aint lower, extent;
    int position = (int)(mpi_test_random(state) % 3), shift;
    int *order = malloc((size_t)ranks * sizeof(int));

    for (int i = 0; i < ranks; i++) {
        int j = (int)(mpi_test_random(state) % (uint64_t)(i + 1));

        order[i] = order[j];
        order[j] = i;
    }
    for (int i = 0; i < ranks; i++) {
        side->displs[order[i]] = position;
        position += side->counts[order[i]] + (int)(mpi_test_random(state) % 3);
    }
    free(order);
    shift = middle ? position / 2 : 0;
    for (int i = 0; i < ranks; i++) {
        side->displs[i] -= shift;
    }
    MPI_Type_get_extent(type, &lower, &extent);
    side->type = type;
    side->bytes = (size_t)(position + 2) * (size_t)extent;
    side->buffer = malloc(side->bytes);
    side->base = side->buffer + (MPI_Aint)shift * extent;
}

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

/* counts[i * ranks + j] elements go from i to j; the same on all ranks. */
typedef void (*counts_fn)(int *counts, int ranks, uint64_t *state);

static void counts_zero(int *counts, int ranks, uint64_t *state)
{
    (void)state;
    memset(counts, 0, (size_t)ranks * (size_t)ranks * sizeof(int));
}

static void counts_random(int *counts, int ranks, uint64_t *state)
{
    for (int i = 0; i < ranks * ranks; i++) {
        counts[i] = (int)(mpi_test_random(state) % 200);
    }
}

static void counts_sparse(int *counts, int ranks, uint64_t *state)
{
    for (int i = 0; i < ranks * ranks; i++) {
        counts[i] = mpi_test_random(state) % 4 == 0 ? (int)(mpi_test_random(state) % 3000) : 0;
    }
}

static void counts_one_row(int *counts, int ranks, uint64_t *state)
{
    int row = (int)(mpi_test_random(state) % (uint64_t)ranks);

    counts_zero(counts, ranks, state);
    for (int j = 0; j < ranks; j++) {
        counts[row * ranks + j] = 1 + (int)(mpi_test_random(state) % 5000);
    }
}

static void counts_one_column(int *counts, int ranks, uint64_t *state)
{
    int column = (int)(mpi_test_random(state) % (uint64_t)ranks);

    counts_zero(counts, ranks, state);
    for (int i = 0; i < ranks; i++) {
        counts[i * ranks + column] = 1 + (int)(mpi_test_random(state) % 5000);
    }
}

static void counts_large(int *counts, int ranks, uint64_t *state)
{
    counts_sparse(counts, ranks, state);
    counts[mpi_test_random(state) % (uint64_t)(ranks * ranks)] = 1 << 18;
    counts[mpi_test_random(state) % (uint64_t)(ranks * ranks)] = 1 << 16;
}

static const struct {
    const char *name;
    counts_fn   fill;
} shapes[] = {
    { "zero", counts_zero }, { "random", counts_random }, { "sparse", counts_sparse },
    { "one row", counts_one_row }, { "one column", counts_one_column }, { "large", counts_large }
};

enum { SHAPES = sizeof(shapes) / sizeof(shapes[0]) };

/* A vector with gaps of two doubles, and the contiguous type of equal signature. */
static MPI_Datatype vector_type(void)
{
    MPI_Datatype vector, resized;

    MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &vector);
    MPI_Type_create_resized(vector, 0, 4 * (MPI_Aint)sizeof(double), &resized);
    MPI_Type_commit(&resized);
    MPI_Type_free(&vector);
    return resized;
}

static MPI_Datatype pair_type(void)
{
    MPI_Datatype pair;

    MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
    MPI_Type_commit(&pair);
    return pair;
}

/* One call with types that may differ between the sides and between the ranks, but match. */
static void run_shape(const comms_t *comms, int shape, MPI_Datatype send_type, MPI_Datatype recv_type, int middle,
                      uint64_t *state, const char *what)
{
    int ranks, rank;
    int *counts;
    side_t send, recv;

    MPI_Comm_size(comms->irr, &ranks);
    MPI_Comm_rank(comms->irr, &rank);
    counts = malloc((size_t)ranks * (size_t)ranks * sizeof(int));
    shapes[shape].fill(counts, ranks, state);
    side_init(&send, ranks);
    side_init(&recv, ranks);
    for (int i = 0; i < ranks; i++) {
        send.counts[i] = counts[rank * ranks + i];
        recv.counts[i] = counts[i * ranks + rank];
    }
    side_lay_out(&send, ranks, send_type, middle, state);
    side_lay_out(&recv, ranks, recv_type, middle, state);
    fill(send.buffer, send.bytes, (uint64_t)rank);
    compare(comms, &send, &recv, 0, what);
    side_fini(&recv);
    side_fini(&send);
    free(counts);
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

/* The same counts in both directions between each two ranks, as MPI_IN_PLACE wants them. */
static void test_in_place(const comms_t *comms, uint64_t *state)
{
    int ranks, rank, *counts;
    side_t recv;
    MPI_Datatype vector = vector_type();

    MPI_Comm_size(comms->irr, &ranks);
    MPI_Comm_rank(comms->irr, &rank);
    counts = malloc((size_t)ranks * (size_t)ranks * sizeof(int));
    for (int k = 0; k < 2; k++) {
        unsigned long long served = mpi_test_served();
        char *expected, *from;

        counts_random(counts, ranks, state);
        side_init(&recv, ranks);
        for (int i = 0; i < ranks; i++) {
            recv.counts[i] = counts[rank < i ? rank * ranks + i : i * ranks + rank];
        }
        side_lay_out(&recv, ranks, k == 0 ? MPI_DOUBLE : vector, 0, state);
        expected = malloc(recv.bytes);
        from = malloc(recv.bytes);
        fill(expected, recv.bytes, (uint64_t)rank);
        memcpy(from, expected, recv.bytes);
        /* The reference is the call that is not in place: some releases of Open MPI had bugs in the other. */
        MPI_Alltoallv(from, recv.counts, recv.displs, recv.type, expected, recv.counts, recv.displs, recv.type,
                      comms->host);
        fill(recv.buffer, recv.bytes, (uint64_t)rank);
        MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, recv.buffer, recv.counts, recv.displs,
                      recv.type, comms->irr);
        CHECK(memcmp(expected, recv.buffer, recv.bytes) == 0);
        CHECK(mpi_test_served() == served + 1);
        free(from);
        free(expected);
        side_fini(&recv);
    }
    free(counts);
    MPI_Type_free(&vector);
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

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1, ranks;
    uint64_t state;
    comms_t comms;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    state = mpi_test_seed();
    comms.irr = dup_irr(MPI_COMM_WORLD, argv + 2, argc > 2 ? argc - 2 : 0);
    comms.host = mpi_test_dup(MPI_COMM_WORLD, "ompi_comm_coll_preference", "^irr");
    for (int i = 0; i < rounds && ranks > 1; i++) {
        test_types(&comms, &state);
        test_in_place(&comms, &state);
        test_communicators(&state, argv + 2, argc > 2 ? argc - 2 : 0);
    }
    if (ranks > 1) {
        test_huge_displacements(&comms);
        test_truncation(&comms);
        test_types(&comms, &state);
    } else {
        /* Alone there is nobody to exchange with: coll/irr leaves the communicator to others. */
        int one = 1, zero = 0, in = 7, out = 0;

        MPI_Alltoallv(&in, &one, &zero, MPI_INT, &out, &one, &zero, MPI_INT, comms.irr);
        CHECK(out == 7);
        CHECK(mpi_test_served() == 0);
    }
    MPI_Comm_free(&comms.irr);
    MPI_Comm_free(&comms.host);
    return mpi_test_end();
}
