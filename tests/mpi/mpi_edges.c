/*
 * mpi_edges.c - random communicators, and the peers of a rank on them (mpi_edges.h).
 */
#include "mpi_edges.h"

static void edges_init(mpi_edges_t *edges, int count)
{
    edges->count = count;
    edges->ranks = calloc((size_t)count + 1, sizeof(int));
    edges->numbers = calloc((size_t)count + 1, sizeof(int));
}

static void edges_fini(mpi_edges_t *edges)
{
    free(edges->numbers);
    free(edges->ranks);
}

/* Numbers the edges of a list of peers that is in the order of its slots. */
static void edges_number(mpi_edges_t *edges)
{
    for (int i = 0; i < edges->count; i++) {
        edges->numbers[i] = 0;
        for (int before = 0; before < i; before++) {
            edges->numbers[i] += edges->ranks[before] == edges->ranks[i];
        }
    }
}

static void edges_shuffle(mpi_edges_t *edges, uint64_t *state)
{
    for (int i = edges->count - 1; i > 0; i--) {
        const int j = mpi_test_below(state, i + 1), rank = edges->ranks[i];

        edges->ranks[i] = edges->ranks[j];
        edges->ranks[j] = rank;
    }
}

/* Returns the number of edges from one rank to another; it is the same on all ranks for one seed. */
static int edges_between(uint64_t seed, int from, int to)
{
    static const int how_many[] = { 0, 0, 1, 1, 2, 3 };
    uint64_t state = seed + (uint64_t)from * 1000003 + (uint64_t)to;

    return how_many[mpi_test_random(&state) % 6];
}

/* Draws the edges from a rank, or if `to` is true the edges to the rank, in random order. */
static void edges_draw(mpi_edges_t *edges, uint64_t seed, int rank, int ranks, int to, uint64_t *state)
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

static MPI_Comm pair_grid(mpi_pair_t *pair, MPI_Comm comm, uint64_t *state)
{
    int dims[3] = { 0, 0, 0 }, periods[3];
    const int ndims = 1 + mpi_test_below(state, 3);
    MPI_Comm grid;

    MPI_Dims_create(pair->ranks, ndims, dims);
    for (int i = 0; i < ndims; i++) {
        const int j = mpi_test_below(state, i + 1), size = dims[i];

        dims[i] = dims[j];
        dims[j] = size;
        periods[i] = mpi_test_below(state, 3) > 0;
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

/* Makes a graph in which two neighbours list each other equally often. */
static MPI_Comm pair_graph(mpi_pair_t *pair, MPI_Comm comm, uint64_t *state)
{
    const uint64_t seed = mpi_test_random(state);
    int *index = calloc((size_t)pair->ranks, sizeof(int)), count = 0;
    int *edges = calloc(3 * (size_t)pair->ranks * (size_t)pair->ranks, sizeof(int));
    MPI_Comm graph;

    for (int rank = 0; rank < pair->ranks; rank++) {
        mpi_edges_t mine;

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

static MPI_Comm pair_dist_graph(mpi_pair_t *pair, MPI_Comm comm, uint64_t *state)
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

/* Returns the group of a rank. The groups have different sizes, or are one rank and the rest, or even and odd ranks. */
static int inter_group(int which, int rank, int ranks)
{
    switch (which) {
    case INTER_UNEVEN: return rank > ranks / 3;
    case INTER_ONE:    return rank != ranks - 1;
    default:           return rank % 2;
    }
}

/* Makes an inter-communicator. INTER_REVERSED has the ranks of both groups in reversed order. */
static MPI_Comm pair_inter(mpi_pair_t *pair, int which)
{
    enum { TAG = 3 };
    const int reversed = which == INTER_REVERSED;
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
    pair->first = group * others;
    pair->other_first = (1 - group) * (ranks - others);
    return inter;
}

/* ---- life ---- */

/* Returns a communicator with the ranks and the order of the pair kind `which`. */
static MPI_Comm pair_ranks(int which)
{
    MPI_Comm comm;
    int rank, ranks;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    switch (which) {
    case REVERSED: MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm); break;
    case HALVES:   MPI_Comm_split(MPI_COMM_WORLD, ranks > 3 ? rank % 2 : 0, rank, &comm); break;
    default:       MPI_Comm_dup(MPI_COMM_WORLD, &comm); break;
    }
    return comm;
}

/* Fills the edges to all members of the communicator, or of the other group. */
static void pair_members(mpi_pair_t *pair, MPI_Comm comm)
{
    int others;

    MPI_Comm_size(comm, &pair->ranks);
    MPI_Comm_rank(comm, &pair->rank);
    MPI_Comm_test_inter(comm, &pair->is_inter);
    others = pair->ranks;
    if (pair->is_inter) {
        MPI_Comm_remote_size(comm, &others);
    }
    pair->has_nobody = pair->ranks == 1 && !pair->is_inter;
    edges_init(&pair->all, others);
    for (int i = 0; i < others; i++) {
        pair->all.ranks[i] = i;
    }
}

void mpi_pair_wrap(mpi_pair_t *pair, MPI_Comm comm)
{
    *pair = (mpi_pair_t){ .name = "wrapped", .irr = comm, .plain = MPI_COMM_NULL };
    pair_members(pair, comm);
}

void mpi_pair_init(mpi_pair_t *pair, int which, char **keys, int nkeys, uint64_t *state)
{
    static const char *const names[PAIRS] = { "all", "reversed", "halves", "grid", "graph", "distributed graph",
                                              "inter, uneven", "inter, one and all", "inter, reversed" };
    MPI_Comm comm, topology = MPI_COMM_NULL;

    memset(pair, 0, sizeof(*pair));
    comm = which < INTER_UNEVEN ? pair_ranks(which) : pair_inter(pair, which);
    pair->name = names[which];
    pair->plain = comm;
    pair_members(pair, comm);
    switch (which) {
    case GRID:       topology = pair_grid(pair, comm, state); break;
    case GRAPH:      topology = pair_graph(pair, comm, state); break;
    case DIST_GRAPH: topology = pair_dist_graph(pair, comm, state); break;
    default:         break;
    }
    pair->has_neighbors = topology != MPI_COMM_NULL;
    pair->irr = mpi_test_dup_keys(pair->has_neighbors ? topology : which == ALL ? MPI_COMM_WORLD : comm, keys, nkeys);
    if (pair->has_neighbors) {
        MPI_Comm_free(&topology);
    }
}

void mpi_pair_open(mpi_pair_t *pair, int which)
{
    uint64_t state = 1;

    mpi_pair_init(pair, which, mpi_job.keys, mpi_job.nkeys, &state);
}

void mpi_pair_fini(mpi_pair_t *pair)
{
    edges_fini(&pair->in);
    edges_fini(&pair->out);
    edges_fini(&pair->all);
    if (pair->plain == MPI_COMM_NULL) {
        return;
    }
    MPI_Comm_free(&pair->plain);
    if (pair->irr != MPI_COMM_NULL) {
        MPI_Comm_free(&pair->irr);
    }
}
