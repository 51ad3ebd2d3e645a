/*
 * runs.c - datatypes that differ in where their pieces are and in nothing else, each freed before the next one is made,
 * so that most lie where others were: each element must be where its own datatype says, and gaps stay as they are.
 *
 *     mpi_runs ROUNDS [INFO_KEY=VALUE ...] [, ROUNDS ...]   the keys go to the communicators
 */
#include "mpi_call.h"
#include "mpi_types.h"

enum { PIECES_MAX = 400, PIECE_MAX = 160, COUNT_MAX = 3, ROUNDS_MAX = 300 };

/* An element has pieces of so many doubles, in twice as many slots, the first and the last one of them taken. */
typedef struct layout {
    int          pieces, piece;
    int          slots[PIECES_MAX];
    int          piece_of[2 * PIECES_MAX];   /* by slot; -1: a gap */
    MPI_Datatype type;
} layout_t;

/* Few kinds, so that sizes and bounds come again; most with few pieces, and some with more than are kept. */
static void layout_init(layout_t *layout, uint64_t *state)
{
    static const int pieces[] = { 3, 4, 6, 16, PIECES_MAX }, sizes[] = { 2, 40, PIECE_MAX };
    const int few = types_below(state, 16) != 0;
    MPI_Datatype indexed;

    layout->pieces = pieces[few ? types_below(state, 4) : 4];
    layout->piece = sizes[few ? types_below(state, 3) : 0];
    memset(layout->piece_of, -1, sizeof(layout->piece_of));
    for (int i = 0, slot = 0; i < layout->pieces; i++, slot++) {
        const int room = 2 * layout->pieces - 1 - slot - (layout->pieces - 1 - i);

        slot += i == 0 ? 0 : i == layout->pieces - 1 ? room : types_below(state, (room < 3 ? room : 3) + 1);
        layout->slots[i] = slot * layout->piece;
        layout->piece_of[slot] = i;
    }
    MPI_Type_create_indexed_block(layout->pieces, layout->piece, layout->slots, MPI_DOUBLE, &indexed);
    MPI_Type_create_resized(indexed, 0, 2 * layout->pieces * layout->piece * (MPI_Aint)sizeof(double), &layout->type);
    MPI_Type_free(&indexed);
    MPI_Type_commit(&layout->type);
}

static double value(int from, int to, int i, int round)
{
    return from * 1e6 + to * 1e4 + round * 31 + i * 1e-3;
}

/* Sets the doubles of `count` elements, or counts those that are not as they would be set; gaps are -1. */
static int each(double *at, const layout_t *layout, int count, int from, int to, int round, int sets)
{
    const int doubles = layout->pieces * layout->piece;
    int wrong = 0;

    for (int i = 0; i < count * 2 * doubles; i++) {
        const int slot = i % (2 * doubles) / layout->piece, piece = layout->piece_of[slot];
        const int k = i / (2 * doubles) * doubles + piece * layout->piece + i % layout->piece;
        const double wanted = piece < 0 ? -1 : value(from, to, k, round);

        if (sets) {
            at[i] = wanted;
        }
        wrong += at[i] != wanted;
    }
    return wrong;
}

/* Plain on one side, the datatype on the other. */
static void check(MPI_Comm comm, const layout_t *layout, int count, int round)
{
    const int doubles = count * layout->pieces * layout->piece;
    double *typed, *plain;
    int ranks, rank, wrong = 0;

    MPI_Comm_size(comm, &ranks);
    MPI_Comm_rank(comm, &rank);
    typed = malloc((size_t)(ranks * 2 * doubles) * sizeof(*typed));
    plain = malloc((size_t)(ranks * doubles) * sizeof(*plain));
    for (int i = 0; i < ranks; i++) {
        each(typed + i * 2 * doubles, layout, count, rank, i, round, 1);
    }
    MPI_Alltoall(typed, count, layout->type, plain, doubles, MPI_DOUBLE, comm);
    for (int i = 0; i < ranks * doubles; i++) {
        wrong += plain[i] != value(i / doubles, rank, i % doubles, round);
        plain[i] = value(rank, i / doubles, i % doubles, round);
    }
    for (int i = 0; i < ranks * 2 * doubles; i++) {
        typed[i] = -1;
    }
    MPI_Alltoall(plain, doubles, MPI_DOUBLE, typed, count, layout->type, comm);
    for (int i = 0; i < ranks; i++) {
        wrong += each(typed + i * 2 * doubles, layout, count, i, rank, round, 0);
    }
    CHECK(wrong == 0);
    free(plain);
    free(typed);
}

static void run(char **group, int length)
{
    static MPI_Datatype seen[ROUNDS_MAX];
    const int rounds = length > 0 ? atoi(group[0]) : 0;
    MPI_Comm comm = dup_irr(MPI_COMM_WORLD, group + 1, length - 1);
    const unsigned long long served = mpi_test_served();
    uint64_t state = mpi_test_seed();
    layout_t layout;
    int again = 0;

    CHECK(rounds > 0 && rounds <= ROUNDS_MAX);
    for (int round = 0; round < rounds && round < ROUNDS_MAX; round++) {
        layout_init(&layout, &state);
        for (int i = 0; i < round; i++) {
            again += seen[i] == layout.type;
        }
        seen[round] = layout.type;
        check(comm, &layout, 1 + types_below(&state, COUNT_MAX), round);
        MPI_Type_free(&layout.type);
    }
    CHECK(again > 0);   /* else this shows nothing */
    CHECK(mpi_test_served() == served + 2 * (unsigned long long)rounds);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    mpi_test_served();
    mpi_test_groups(argv + 1, argc - 1, run);
    return mpi_test_end();
}
