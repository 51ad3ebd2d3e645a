/*
 * mpi_edges.h - random communicators, and whom a rank sends blocks to on them: all ranks, those of the other group, or
 * the neighbours of a topology.
 *
 * An edge has a number, which both ends know: between two ranks the first one is 0, the next one 1; but on a grid it is
 * the slot of the sender.  So messages with these tags bring each block where the standard says.
 */
#ifndef MPI_EDGES_H
#define MPI_EDGES_H

#include "mpi_call.h"
#include "mpi_types.h"

/* Slots of one side: the rank at the other end, or MPI_PROC_NULL, and the number of the edge. */
typedef struct edges {
    int  count;
    int *ranks, *numbers;
} edges_t;

/* A communicator of coll/irr, and one of the same ranks for the reference. */
typedef struct pair {
    const char *name;
    MPI_Comm    irr, plain;
    int         ranks, rank;
    int         is_inter, has_nobody;
    int         first, other_first;   /* numbers of rank 0, and of rank 0 of the other group */
    int         has_neighbors;
    edges_t     all, out, in;
} pair_t;

enum { PAIRS = 9, FIRST_INTER = 6 };

static inline void edges_init(edges_t *edges, int count)
{
    edges->count = count;
    edges->ranks = calloc((size_t)count + 1, sizeof(int));
    edges->numbers = calloc((size_t)count + 1, sizeof(int));
}

static inline void edges_fini(edges_t *edges)
{
    free(edges->numbers);
    free(edges->ranks);
}

/* From lists in the order of their slots. */
static inline void edges_number(edges_t *edges)
{
    for (int i = 0; i < edges->count; i++) {
        edges->numbers[i] = 0;
        for (int before = 0; before < i; before++) {
            edges->numbers[i] += edges->ranks[before] == edges->ranks[i];
        }
    }
}

static inline void edges_shuffle(edges_t *edges, uint64_t *state)
{
    for (int i = edges->count - 1; i > 0; i--) {
        const int j = types_below(state, i + 1), rank = edges->ranks[i];

        edges->ranks[i] = edges->ranks[j];
        edges->ranks[j] = rank;
    }
}

/* How many edges lead from one rank to another; alike on all ranks for one seed. */
static inline int edges_between(uint64_t seed, int from, int to)
{
    static const int how_many[] = { 0, 0, 1, 1, 2, 3 };
    uint64_t state = seed + (uint64_t)from * 1000003 + (uint64_t)to;

    return how_many[mpi_test_random(&state) % 6];
}

/* The edges from a rank, or to it, in some order. */
static inline void edges_draw(edges_t *edges, uint64_t seed, int rank, int ranks, int to, uint64_t *state)
{
    edges_init(edges, 3 * ranks);
    edges->count = 0;
    for (int other = 0; other < ranks; other++) {
        const int more = to ? edges_between(seed, other, rank) : edges_between(seed, rank, other);

        for (int k = 0; k < more; k++) {
            edges->ranks[edges->count++] = other;
        }
    }
    edges_shuffle(edges, state);
    edges_number(edges);
}

/* ---- topologies ---- */

static inline MPI_Comm pair_grid(pair_t *pair, MPI_Comm comm, uint64_t *state)
{
    int dims[3] = { 0, 0, 0 }, periods[3];
    const int ndims = 1 + types_below(state, 3);
    MPI_Comm grid;

    MPI_Dims_create(pair->ranks, ndims, dims);
    for (int i = 0; i < ndims; i++) {
        const int j = types_below(state, i + 1), size = dims[i];

        dims[i] = dims[j];
        dims[j] = size;
        periods[i] = types_below(state, 3) > 0;
    }
    MPI_Cart_create(comm, ndims, dims, periods, 0, &grid);
    edges_init(&pair->out, 2 * ndims);
    edges_init(&pair->in, 2 * ndims);
    for (int i = 0; i < ndims; i++) {
        MPI_Cart_shift(grid, i, 1, &pair->out.ranks[2 * i], &pair->out.ranks[2 * i + 1]);
        MPI_Cart_shift(grid, i, 1, &pair->in.ranks[2 * i], &pair->in.ranks[2 * i + 1]);
        for (int up = 0; up < 2; up++) {
            pair->out.numbers[2 * i + up] = 2 * i + up;
            pair->in.numbers[2 * i + up] = 2 * i + 1 - up;
        }
    }
    return grid;
}

/* Whoever has a neighbour is its neighbour as often. */
static inline MPI_Comm pair_graph(pair_t *pair, MPI_Comm comm, uint64_t *state)
{
    const uint64_t seed = mpi_test_random(state);
    int *index = calloc((size_t)pair->ranks, sizeof(int)), count = 0;
    int *edges = calloc(3 * (size_t)pair->ranks * (size_t)pair->ranks, sizeof(int));
    MPI_Comm graph;

    for (int rank = 0; rank < pair->ranks; rank++) {
        edges_t mine;

        edges_init(&mine, 3 * pair->ranks);
        mine.count = 0;
        for (int other = 0; other < pair->ranks; other++) {
            const int low = rank < other ? rank : other, high = rank < other ? other : rank;

            for (int k = edges_between(seed, low, high); k > 0; k--) {
                mine.ranks[mine.count++] = other;
            }
        }
        edges_shuffle(&mine, state);
        memcpy(edges + count, mine.ranks, (size_t)mine.count * sizeof(int));
        index[rank] = count += mine.count;
        edges_fini(&mine);
    }
    MPI_Graph_create(comm, pair->ranks, index, edges, 0, &graph);
    MPI_Graph_neighbors_count(graph, pair->rank, &count);
    edges_init(&pair->out, count);
    edges_init(&pair->in, count);
    MPI_Graph_neighbors(graph, pair->rank, count, pair->out.ranks);
    MPI_Graph_neighbors(graph, pair->rank, count, pair->in.ranks);
    edges_number(&pair->out);
    edges_number(&pair->in);
    free(edges);
    free(index);
    return graph;
}

static inline MPI_Comm pair_dist_graph(pair_t *pair, MPI_Comm comm, uint64_t *state)
{
    const uint64_t seed = mpi_test_random(state);
    uint64_t own = seed + (uint64_t)pair->rank;
    MPI_Comm graph;
    int *weights;

    edges_draw(&pair->out, seed, pair->rank, pair->ranks, 0, &own);
    edges_draw(&pair->in, seed, pair->rank, pair->ranks, 1, &own);
    weights = calloc(3 * (size_t)pair->ranks, sizeof(int));
    MPI_Dist_graph_create_adjacent(comm, pair->in.count, pair->in.ranks, weights, pair->out.count, pair->out.ranks,
                                   weights, MPI_INFO_NULL, 0, &graph);
    free(weights);
    return graph;
}

/* ---- inter-communicators ---- */

/* The group of a rank of MPI_COMM_WORLD: uneven ones, one against the others, or every other rank. */
static inline int inter_group(int which, int rank, int ranks)
{
    switch (which - FIRST_INTER) {
    case 0:  return rank > ranks / 3;
    case 1:  return rank != ranks - 1;
    default: return rank % 2;
    }
}

/* The last one has the ranks of both groups in reversed order. */
static inline MPI_Comm pair_inter(pair_t *pair, int which)
{
    enum { TAG = 3 };
    const int reversed = which == PAIRS - 1;
    int ranks, rank, leader = -1, group, others;
    MPI_Comm half, inter;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    group = inter_group(which, rank, ranks);
    for (int i = 0; i < ranks; i++) {
        leader = inter_group(which, i, ranks) != group && (leader < 0 || reversed) ? i : leader;
    }
    MPI_Comm_split(MPI_COMM_WORLD, group, reversed ? -rank : rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, leader, TAG, &inter);
    MPI_Comm_free(&half);
    MPI_Comm_remote_size(inter, &others);
    pair->is_inter = 1;
    pair->first = group * others;
    pair->other_first = (1 - group) * (ranks - others);
    return inter;
}

/* ---- life ---- */

/* The ranks of pair number `which`, in their order. */
static inline MPI_Comm pair_ranks(int which)
{
    MPI_Comm comm;
    int rank, ranks;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    switch (which) {
    case 1:  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm); break;
    case 2:  MPI_Comm_split(MPI_COMM_WORLD, ranks > 3 ? rank % 2 : 0, rank, &comm); break;
    default: MPI_Comm_dup(MPI_COMM_WORLD, &comm); break;
    }
    return comm;
}

static inline void pair_init(pair_t *pair, int which, char **keys, int nkeys, uint64_t *state)
{
    static const char *const names[PAIRS] = { "all", "reversed", "halves", "grid", "graph", "distributed graph",
                                              "inter, uneven", "inter, one and all", "inter, reversed" };
    MPI_Comm comm, topology = MPI_COMM_NULL;
    int others;

    memset(pair, 0, sizeof(*pair));
    comm = which < FIRST_INTER ? pair_ranks(which) : pair_inter(pair, which);
    pair->name = names[which];
    pair->plain = comm;
    MPI_Comm_size(comm, &pair->ranks);
    MPI_Comm_rank(comm, &pair->rank);
    others = pair->ranks;
    if (pair->is_inter) {
        MPI_Comm_remote_size(comm, &others);
    }
    edges_init(&pair->all, others);
    for (int i = 0; i < others; i++) {
        pair->all.ranks[i] = i;
    }
    switch (which) {
    case 3:  topology = pair_grid(pair, comm, state); break;
    case 4:  topology = pair_graph(pair, comm, state); break;
    case 5:  topology = pair_dist_graph(pair, comm, state); break;
    default: break;
    }
    pair->has_nobody = pair->ranks == 1 && !pair->is_inter;
    pair->has_neighbors = topology != MPI_COMM_NULL;
    pair->irr = dup_irr(pair->has_neighbors ? topology : comm, keys, nkeys);
    if (pair->has_neighbors) {
        MPI_Comm_free(&topology);
    }
}

static inline void pair_fini(pair_t *pair)
{
    edges_fini(&pair->in);
    edges_fini(&pair->out);
    edges_fini(&pair->all);
    MPI_Comm_free(&pair->plain);
    MPI_Comm_free(&pair->irr);
}

#endif
