/*
 * family.c - random calls of the all-to-all family against point-to-point messages, byte by byte.
 *
 * A round takes a communicator, a collective, counts and datatypes at random, alike on all ranks but for datatypes,
 * which differ and match.  The reference is what the standard says the call does, one message for each block.  Whole
 * receive buffers are compared, gaps included, and the counters must show that coll/irr served its calls.
 *
 *     mpi_family ROUNDS [INFO_KEY=VALUE ...] [, ROUNDS ...]   the keys go to the communicators of coll/irr
 */
#include "mpi_call.h"
#include "mpi_types.h"

enum { KINDS = 4, COMMS = 3 };
typedef enum kind { ALLTOALL, ALLTOALL_IN_PLACE, ALLTOALLV, ALLTOALLV_IN_PLACE } kind_t;

static const char *const names[KINDS] = {
    "MPI_Alltoall", "MPI_Alltoall in place", "MPI_Alltoallv", "MPI_Alltoallv in place"
};

/* A communicator of coll/irr, and one of the same ranks for the reference. */
typedef struct pair {
    MPI_Comm irr, plain;
    int      ranks, rank;
} pair_t;

/* One side: blocks of a datatype at displacements in elements. */
typedef struct blocks {
    int         *counts, *displs;
    MPI_Datatype type;
    size_t       bytes;
    char        *memory, *base;
} blocks_t;

typedef struct round {
    kind_t   kind;
    int      in_place, doubles;   /* of an element */
    blocks_t send, recv;
} round_t;

/* ---- rounds ---- */

static int *random_counts(const pair_t *pair, const round_t *round, uint64_t *state)
{
    const int ranks = pair->ranks, equal = 1 + types_below(state, 3), most = round->doubles > 64 ? 4 : 40;
    const int density = 1 + types_below(state, 4);
    int *counts = malloc((size_t)ranks * (size_t)ranks * sizeof(int));

    for (int i = 0; i < ranks * ranks; i++) {
        counts[i] = types_below(state, 4) < density ? types_below(state, most) : 0;
        if (round->kind == ALLTOALL || round->kind == ALLTOALL_IN_PLACE) {
            counts[i] = equal;
        }
    }
    for (int i = 0; round->in_place && i < ranks; i++) {
        for (int j = 0; j < i; j++) {
            counts[i * ranks + j] = counts[j * ranks + i];
        }
    }
    return counts;
}

/* One block behind the other, as MPI_Alltoall wants them, or in any order with gaps; around a base in their middle. */
static void lay_out(blocks_t *side, int ranks, int uniform, uint64_t *state)
{
    MPI_Aint lower, extent, true_lower, true_extent;
    int at = 0, begin = types_below(state, ranks);

    for (int k = 0; k < ranks; k++) {
        const int i = uniform ? k : (begin + k * (ranks > 1 ? ranks - 1 : 1)) % ranks;

        side->displs[i] = at;
        at += side->counts[i] + (uniform ? 0 : types_below(state, 2));
    }
    MPI_Type_get_extent(side->type, &lower, &extent);
    MPI_Type_get_true_extent(side->type, &true_lower, &true_extent);
    side->bytes = (size_t)(at + 2) * (size_t)extent + (size_t)true_extent;
    side->memory = malloc(side->bytes);
    side->base = side->memory - lower;
    if (!uniform) {
        for (int i = 0; i < ranks; i++) {
            side->displs[i] -= at / 2;
        }
        side->base += (MPI_Aint)(at / 2) * extent;
    }
}

static void blocks_init(blocks_t *side, const pair_t *pair, const int *counts, int step, int doubles, int uniform,
                        uint64_t *state)
{
    uint64_t own = *state + (uint64_t)(pair->rank * 2 + (step == 1));

    (void)mpi_test_random(state);
    side->counts = malloc((size_t)pair->ranks * sizeof(int));
    side->displs = malloc((size_t)pair->ranks * sizeof(int));
    for (int i = 0; i < pair->ranks; i++) {
        side->counts[i] = counts[i * step];
    }
    side->type = types_random(doubles, &own);
    lay_out(side, pair->ranks, uniform, &own);
    fill(side->memory, side->bytes, (uint64_t)(pair->rank * 7 + step));
}

static void blocks_fini(blocks_t *side)
{
    MPI_Type_free(&side->type);
    free(side->memory);
    free(side->displs);
    free(side->counts);
}

static void round_init(round_t *round, const pair_t *pair, uint64_t *state)
{
    static const int doubles[] = { 1, 2, 7, 64, 512, 1024 };
    int *counts, uniform;

    round->kind = (kind_t)types_below(state, KINDS);
    round->in_place = round->kind == ALLTOALL_IN_PLACE || round->kind == ALLTOALLV_IN_PLACE;
    round->doubles = doubles[types_below(state, (int)(sizeof(doubles) / sizeof(doubles[0])))];
    uniform = round->kind == ALLTOALL || round->kind == ALLTOALL_IN_PLACE;
    counts = random_counts(pair, round, state);
    blocks_init(&round->send, pair, counts + pair->rank * pair->ranks, 1, round->doubles, uniform, state);
    blocks_init(&round->recv, pair, counts + pair->rank, pair->ranks, round->doubles, uniform, state);
    free(counts);
}

/* ---- calls ---- */

static void call(const round_t *round, MPI_Comm comm)
{
    const blocks_t *recv = &round->recv, *send = round->in_place ? recv : &round->send;
    const void *input = round->in_place ? MPI_IN_PLACE : send->base;

    switch (round->kind) {
    case ALLTOALL:
    case ALLTOALL_IN_PLACE:
        MPI_Alltoall(input, send->counts[0], send->type, recv->base, recv->counts[0], recv->type, comm);
        break;
    default:
        MPI_Alltoallv(input, send->counts, send->displs, send->type, recv->base, recv->counts, recv->displs,
                      recv->type, comm);
    }
}

/* From the memory of `send`, which may be a copy of that of `recv`, into that of `recv`. */
static void refer(const round_t *round, const pair_t *pair, const blocks_t *send, const char *from)
{
    MPI_Request *requests = malloc(2 * (size_t)pair->ranks * sizeof(*requests));
    MPI_Aint lower, send_extent, recv_extent;

    MPI_Type_get_extent(send->type, &lower, &send_extent);
    MPI_Type_get_extent(round->recv.type, &lower, &recv_extent);
    for (int i = 0; i < pair->ranks; i++) {
        MPI_Irecv(round->recv.base + round->recv.displs[i] * recv_extent, round->recv.counts[i], round->recv.type, i,
                  0, pair->plain, &requests[i]);
    }
    for (int i = 0; i < pair->ranks; i++) {
        MPI_Isend(from + send->displs[i] * send_extent, send->counts[i], send->type, i, 0, pair->plain,
                  &requests[pair->ranks + i]);
    }
    MPI_Waitall(2 * pair->ranks, requests, MPI_STATUSES_IGNORE);
    free(requests);
}

static void compare(const round_t *round, const pair_t *pair, int number)
{
    const blocks_t *recv = &round->recv;
    const unsigned long long served = mpi_test_served();
    char *before = malloc(recv->bytes), *expected = malloc(recv->bytes);
    int same;

    memcpy(before, recv->memory, recv->bytes);
    refer(round, pair, round->in_place ? recv : &round->send,
          round->in_place ? before + (recv->base - recv->memory) : round->send.base);
    memcpy(expected, recv->memory, recv->bytes);
    memcpy(recv->memory, before, recv->bytes);
    call(round, pair->irr);
    same = memcmp(expected, recv->memory, recv->bytes) == 0;
    if (!same) {
        fprintf(stderr, "round %d, rank %d of %d: different bytes: %s, elements of %d doubles\n", number, pair->rank,
                pair->ranks, names[round->kind], round->doubles);
    }
    CHECK(same);
    CHECK(mpi_test_served() == served + 1);
    free(expected);
    free(before);
}

/* ---- communicators ---- */

static void pair_init(pair_t *pair, int which, char **keys, int nkeys)
{
    MPI_Comm comm;
    int rank, ranks;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    switch (which) {
    case 0:  MPI_Comm_dup(MPI_COMM_WORLD, &comm); break;
    case 1:  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm); break;
    default: MPI_Comm_split(MPI_COMM_WORLD, ranks > 3 ? rank % 2 : 0, rank, &comm); break;
    }
    pair->irr = dup_irr(comm, keys, nkeys);
    pair->plain = comm;
    MPI_Comm_size(comm, &pair->ranks);
    MPI_Comm_rank(comm, &pair->rank);
}

static void pair_fini(pair_t *pair)
{
    MPI_Comm_free(&pair->plain);
    MPI_Comm_free(&pair->irr);
}

static uint64_t seed;

static void run(char **group, int length)
{
    const int rounds = length > 0 ? atoi(group[0]) : 1;
    pair_t pairs[COMMS];
    uint64_t state = seed;

    for (int i = 0; i < COMMS; i++) {
        pair_init(&pairs[i], i, group + 1, length - 1);
    }
    for (int i = 0; i < rounds; i++) {
        const pair_t *pair = &pairs[types_below(&state, COMMS)];
        uint64_t own = mpi_test_random(&state);   /* groups of a split take different numbers of it */
        round_t round;

        round_init(&round, pair, &own);
        compare(&round, pair, i);
        blocks_fini(&round.recv);
        blocks_fini(&round.send);
    }
    for (int i = 0; i < COMMS; i++) {
        pair_fini(&pairs[i]);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    seed = mpi_test_seed();
    mpi_test_groups(argv + 1, argc - 1, run);
    return mpi_test_end();
}
