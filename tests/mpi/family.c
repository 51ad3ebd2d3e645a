/*
 * family.c - random calls of the all-to-all family, blocking, nonblocking and persistent, against point-to-point
 * messages, byte by byte.
 *
 * A round takes a communicator, a collective, counts and datatypes at random, alike on all ranks but for datatypes,
 * which differ and match.  The reference is what the standard says the call does, one message for each block.  Whole
 * receive buffers are compared, gaps included, and the counters must show that coll/irr served its calls.  A persistent
 * request is started twice, from the same buffers.
 *
 *     mpi_family ROUNDS [INFO_KEY=VALUE ...] [, ROUNDS ...]   the keys go to the communicators of coll/irr
 */
#include "mpi_edges.h"

/* How the blocks of a call are described. */
typedef enum layout { UNIFORM, VECTORS, EACH } layout_t;

typedef enum form { BLOCKING, NONBLOCKING, PERSISTENT, FORMS } form_t;

static const char *const forms[FORMS] = { "", "nonblocking ", "persistent " };

typedef struct kind {
    const char *name;
    layout_t    layout;
    int         neighbors, in_place;
} kind_t;

static const kind_t kinds[] = {
    { "MPI_Alltoall",            UNIFORM, 0, 0 }, { "MPI_Alltoall in place",  UNIFORM, 0, 1 },
    { "MPI_Alltoallv",           VECTORS, 0, 0 }, { "MPI_Alltoallv in place", VECTORS, 0, 1 },
    { "MPI_Alltoallw",           EACH,    0, 0 }, { "MPI_Alltoallw in place", EACH,    0, 1 },
    { "MPI_Neighbor_alltoall",   UNIFORM, 1, 0 },
    { "MPI_Neighbor_alltoallv",  VECTORS, 1, 0 },
    { "MPI_Neighbor_alltoallw",  EACH,    1, 0 }
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]), DENSE_KINDS = 6 };

/* One side: a block for each edge, at offsets in bytes, or displacements as the call wants them. */
typedef struct blocks {
    const edges_t *edges;
    int           *counts, *displs;
    MPI_Aint      *offsets;
    MPI_Datatype  *types;    /* all the same unless each has its own */
    size_t         bytes;
    char          *memory, *base;
} blocks_t;

typedef struct round {
    const kind_t *kind;
    int           doubles;   /* of an element */
    int           most;      /* elements of a block */
    int           equal;     /* blocks have one element each */
    int           density;   /* so many of four blocks are not empty */
    int           boundary;  /* on an inter-communicator: the number of rank 0 of the second group; else 0 */
    form_t        form;
    uint64_t      seed;
    blocks_t      send, recv;
} round_t;

/* The keys say auto: who serves is not known, and Open MPI's own nonblocking and persistent calls are not tried. */
static int chooses;

/* ---- rounds ---- */

/* Elements of an edge: both ends know, by their numbers; in place, both directions have the same. */
static int count_of(const round_t *round, int from, int to, int number)
{
    const int swap = round->kind->in_place && from > to;
    uint64_t state = round->seed + (uint64_t)(swap ? to : from) * 7919 + (uint64_t)(swap ? from : to) * 104729 +
                     (uint64_t)number;

    if (round->equal) {
        return 1;
    }
    if (round->kind->layout == UNIFORM) {   /* each group sends what it likes */
        return from >= 0 && from < round->boundary ? (int)(round->seed / 3 % 4) : 1 + (int)(round->seed % 3);
    }
    return types_below(&state, 4) < round->density ? types_below(&state, round->most) : 0;
}

static void draw_counts(blocks_t *side, const pair_t *pair, const round_t *round, int sends)
{
    const edges_t *edges = side->edges;
    const int me = pair->first + pair->rank;

    for (int i = 0; i < edges->count; i++) {
        const int other = edges->ranks[i];

        side->counts[i] = sends ? count_of(round, me, pair->other_first + other, edges->numbers[i])
                                : count_of(round, pair->other_first + other, me, edges->numbers[i]);
        if (other == MPI_PROC_NULL && round->kind->layout != UNIFORM) {
            side->counts[i] = 1;   /* which nobody may touch */
        }
    }
}

static void draw_types(blocks_t *side, const round_t *round, uint64_t *state)
{
    const MPI_Datatype one = types_random(round->doubles, state);

    for (int i = 0; i < side->edges->count; i++) {
        if (round->kind->layout == EACH) {
            side->types[i] = types_random(round->doubles, state);
        } else {
            MPI_Type_dup(one, &side->types[i]);
        }
    }
    side->types[side->edges->count] = one;
}

/*
 * One block behind the other, as the uniform calls want them, or in any order with gaps; around a base in their middle.
 */
static void lay_out(blocks_t *side, layout_t layout, uint64_t *state)
{
    const int count = side->edges->count, begin = count > 0 ? types_below(state, count) : 0;
    MPI_Aint at = 0, lowest = 0, middle, lower, extent, true_lower, true_extent;

    for (int k = 0; k < count; k++) {
        const int i = layout == UNIFORM ? k : (begin + k * (count > 1 ? count - 1 : 1)) % count;

        MPI_Type_get_extent(side->types[i], &lower, &extent);
        side->offsets[i] = at - (layout == EACH ? lower : 0);
        at += (side->counts[i] + (layout == UNIFORM ? 0 : types_below(state, 2))) * extent;
    }
    MPI_Type_get_extent(side->types[count], &lower, &extent);
    MPI_Type_get_true_extent(side->types[count], &true_lower, &true_extent);
    lowest = layout == EACH ? 0 : lower;
    middle = layout == UNIFORM ? 0 : at / 2 / extent * extent;
    side->bytes = (size_t)(at + 2 * extent + true_extent);
    side->memory = malloc(side->bytes);
    side->base = side->memory - lowest + middle;
    for (int i = 0; i < count; i++) {
        side->offsets[i] -= middle;
        side->displs[i] = (int)(layout == EACH ? side->offsets[i] : side->offsets[i] / extent);
    }
}

static void blocks_init(blocks_t *side, const pair_t *pair, const round_t *round, int sends)
{
    const size_t room = (size_t)side->edges->count + 1;
    uint64_t own = round->seed + (uint64_t)((pair->first + pair->rank) * 2 + sends) * 65537;

    side->counts = calloc(room, sizeof(int));
    side->displs = calloc(room, sizeof(int));
    side->offsets = calloc(room, sizeof(*side->offsets));
    side->types = calloc(room, sizeof(*side->types));
    draw_counts(side, pair, round, sends);
    draw_types(side, round, &own);
    lay_out(side, round->kind->layout, &own);
    fill(side->memory, side->bytes, (uint64_t)((pair->first + pair->rank) * 7 + sends));
}

static void blocks_fini(blocks_t *side)
{
    for (int i = 0; i <= side->edges->count; i++) {
        MPI_Type_free(&side->types[i]);
    }
    free(side->memory);
    free(side->types);
    free(side->offsets);
    free(side->displs);
    free(side->counts);
}

/* Open MPI 4.1 retains as many datatypes of the call as there are neighbours: more, or less, than there are ranks. */
static int open_mpi_fails(const pair_t *pair, const kind_t *kind)
{
    return pair->has_neighbors && !kind->neighbors && kind->layout == EACH;
}

static void round_init(round_t *round, const pair_t *pair, uint64_t *state)
{
    static const int doubles[] = { 1, 2, 7, 64, 512, 1024 };
    const int neighbors = pair->has_neighbors && types_below(state, 4) > 0;

    round->kind = &kinds[neighbors ? DENSE_KINDS + types_below(state, KINDS - DENSE_KINDS)
                                   : types_below(state, DENSE_KINDS)];
    if (pair->is_inter && round->kind->in_place) {
        round->kind--;   /* which MPI does not have there */
    }
    round->doubles = doubles[types_below(state, (int)(sizeof(doubles) / sizeof(doubles[0])))];
    round->most = round->doubles > 64 ? 4 : 40;
    round->density = 1 + types_below(state, 4);
    round->equal = 0;
    round->boundary = pair->first > pair->other_first ? pair->first : pair->other_first;
    round->form = (form_t)types_below(state, FORMS);
    if (chooses || open_mpi_fails(pair, round->kind)) {
        round->form = BLOCKING;
    }
    round->seed = mpi_test_random(state);
    round->send.edges = neighbors ? &pair->out : &pair->all;
    round->recv.edges = neighbors ? &pair->in : &pair->all;
    blocks_init(&round->send, pair, round, 1);
    blocks_init(&round->recv, pair, round, 0);
}

/* ---- calls ---- */

static void call_neighbors(const round_t *round, MPI_Comm comm)
{
    const blocks_t *send = &round->send, *recv = &round->recv;

    switch (round->kind->layout) {
    case UNIFORM:
        MPI_Neighbor_alltoall(send->base, 1 + (int)(round->seed % 3), send->types[send->edges->count], recv->base,
                              1 + (int)(round->seed % 3), recv->types[recv->edges->count], comm);
        break;
    case VECTORS:
        MPI_Neighbor_alltoallv(send->base, send->counts, send->displs, send->types[send->edges->count], recv->base,
                               recv->counts, recv->displs, recv->types[recv->edges->count], comm);
        break;
    default:
        MPI_Neighbor_alltoallw(send->base, send->counts, send->offsets, send->types, recv->base, recv->counts,
                               recv->offsets, recv->types, comm);
    }
}

static void call(const round_t *round, MPI_Comm comm)
{
    const blocks_t *recv = &round->recv, *send = round->kind->in_place ? recv : &round->send;
    const void *input = round->kind->in_place ? MPI_IN_PLACE : send->base;

    if (round->kind->neighbors) {
        call_neighbors(round, comm);
        return;
    }
    switch (round->kind->layout) {
    case UNIFORM:
        MPI_Alltoall(input, send->counts[0], send->types[0], recv->base, recv->counts[0], recv->types[0], comm);
        break;
    case VECTORS:
        MPI_Alltoallv(input, send->counts, send->displs, send->types[0], recv->base, recv->counts, recv->displs,
                      recv->types[0], comm);
        break;
    default:
        MPI_Alltoallw(input, send->counts, send->displs, send->types, recv->base, recv->counts, recv->displs,
                      recv->types, comm);
    }
}

static void init_neighbors(const round_t *round, MPI_Comm comm, MPI_Request *request)
{
    const blocks_t *send = &round->send, *recv = &round->recv;

    switch (round->kind->layout) {
    case UNIFORM:
        INIT_CALL(Neighbor_alltoall)(send->base, 1 + (int)(round->seed % 3), send->types[send->edges->count],
                                     recv->base, 1 + (int)(round->seed % 3), recv->types[recv->edges->count], comm,
                                     MPI_INFO_NULL, request);
        break;
    case VECTORS:
        INIT_CALL(Neighbor_alltoallv)(send->base, send->counts, send->displs, send->types[send->edges->count],
                                      recv->base, recv->counts, recv->displs, recv->types[recv->edges->count], comm,
                                      MPI_INFO_NULL, request);
        break;
    default:
        INIT_CALL(Neighbor_alltoallw)(send->base, send->counts, send->offsets, send->types, recv->base,
                                      recv->counts, recv->offsets, recv->types, comm, MPI_INFO_NULL, request);
    }
}

static void init(const round_t *round, MPI_Comm comm, MPI_Request *request)
{
    const blocks_t *recv = &round->recv, *send = round->kind->in_place ? recv : &round->send;
    const void *input = round->kind->in_place ? MPI_IN_PLACE : send->base;

    if (round->kind->neighbors) {
        init_neighbors(round, comm, request);
        return;
    }
    switch (round->kind->layout) {
    case UNIFORM:
        INIT_CALL(Alltoall)(input, send->counts[0], send->types[0], recv->base, recv->counts[0], recv->types[0], comm,
                            MPI_INFO_NULL, request);
        break;
    case VECTORS:
        INIT_CALL(Alltoallv)(input, send->counts, send->displs, send->types[0], recv->base, recv->counts,
                             recv->displs, recv->types[0], comm, MPI_INFO_NULL, request);
        break;
    default:
        INIT_CALL(Alltoallw)(input, send->counts, send->displs, send->types, recv->base, recv->counts, recv->displs,
                             recv->types, comm, MPI_INFO_NULL, request);
    }
}

static void begin_neighbors(const round_t *round, MPI_Comm comm, MPI_Request *request)
{
    const blocks_t *send = &round->send, *recv = &round->recv;

    switch (round->kind->layout) {
    case UNIFORM:
        MPI_Ineighbor_alltoall(send->base, 1 + (int)(round->seed % 3), send->types[send->edges->count], recv->base,
                               1 + (int)(round->seed % 3), recv->types[recv->edges->count], comm, request);
        break;
    case VECTORS:
        MPI_Ineighbor_alltoallv(send->base, send->counts, send->displs, send->types[send->edges->count], recv->base,
                                recv->counts, recv->displs, recv->types[recv->edges->count], comm, request);
        break;
    default:
        MPI_Ineighbor_alltoallw(send->base, send->counts, send->offsets, send->types, recv->base, recv->counts,
                                recv->offsets, recv->types, comm, request);
    }
}

static void begin(const round_t *round, MPI_Comm comm, MPI_Request *request)
{
    const blocks_t *recv = &round->recv, *send = round->kind->in_place ? recv : &round->send;
    const void *input = round->kind->in_place ? MPI_IN_PLACE : send->base;

    if (round->kind->neighbors) {
        begin_neighbors(round, comm, request);
        return;
    }
    switch (round->kind->layout) {
    case UNIFORM:
        MPI_Ialltoall(input, send->counts[0], send->types[0], recv->base, recv->counts[0], recv->types[0], comm,
                      request);
        break;
    case VECTORS:
        MPI_Ialltoallv(input, send->counts, send->displs, send->types[0], recv->base, recv->counts, recv->displs,
                       recv->types[0], comm, request);
        break;
    default:
        MPI_Ialltoallw(input, send->counts, send->displs, send->types, recv->base, recv->counts, recv->displs,
                       recv->types, comm, request);
    }
}

static int begin_and_wait(const round_t *round, MPI_Comm comm)
{
    MPI_Request request;

    begin(round, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return 1;
}

/* The memory of the receiving side is the same before each start. */
static int start_twice(const round_t *round, MPI_Comm comm)
{
    const blocks_t *recv = &round->recv;
    char *before = malloc(recv->bytes);
    MPI_Request request;

    memcpy(before, recv->memory, recv->bytes);
    init(round, comm, &request);
    for (int i = 0; i < 2; i++) {
        memcpy(recv->memory, before, recv->bytes);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
    free(before);
    return 2;
}

/* Returns how often coll/irr must serve. */
static int go(const round_t *round, const pair_t *pair)
{
    switch (round->form) {
    case NONBLOCKING: return begin_and_wait(round, pair->irr);
    case PERSISTENT:  return start_twice(round, pair->irr);
    default:          call(round, pair->irr); return 1;
    }
}

/* From the memory of `send`, which may be a copy of that of `recv`, into that of `recv`. */
static void refer(const round_t *round, const pair_t *pair, const blocks_t *send, const char *from)
{
    const blocks_t *recv = &round->recv;
    const int ins = recv->edges->count, outs = send->edges->count;
    MPI_Request *requests = malloc((size_t)(ins + outs + 1) * sizeof(*requests));

    for (int i = 0; i < ins; i++) {
        MPI_Irecv(recv->base + recv->offsets[i], recv->counts[i], recv->types[i], recv->edges->ranks[i],
                  recv->edges->numbers[i], pair->plain, &requests[i]);
    }
    for (int i = 0; i < outs; i++) {
        MPI_Isend(from + send->offsets[i], send->counts[i], send->types[i], send->edges->ranks[i],
                  send->edges->numbers[i], pair->plain, &requests[ins + i]);
    }
    MPI_Waitall(ins + outs, requests, MPI_STATUSES_IGNORE);
    free(requests);
}

static void compare(const round_t *round, const pair_t *pair, int number)
{
    const blocks_t *recv = &round->recv;
    const unsigned long long served = mpi_test_served();
    char *before = malloc(recv->bytes), *expected = malloc(recv->bytes);
    unsigned long long times;
    int same;

    memcpy(before, recv->memory, recv->bytes);
    refer(round, pair, round->kind->in_place ? recv : &round->send,
          round->kind->in_place ? before + (recv->base - recv->memory) : round->send.base);
    memcpy(expected, recv->memory, recv->bytes);
    memcpy(recv->memory, before, recv->bytes);
    times = (unsigned long long)go(round, pair);
    same = memcmp(expected, recv->memory, recv->bytes) == 0;
    if (!same) {
        fprintf(stderr, "round %d, rank %d of %d, %s: different bytes: %s%s, elements of %d doubles\n", number,
                pair->rank, pair->ranks, pair->name, forms[round->form], round->kind->name,
                round->doubles);
    }
    CHECK(same);
    CHECK(pair->has_nobody || chooses || mpi_test_served() == served + times);
    free(expected);
    free(before);
}

/*
 * The first nonblocking call of a collective on a communicator goes to Open MPI, of which 4.1 fails or brings wrong
 * bytes where blocks are of different lengths on a grid, and breaks later calls where one rank has nothing to exchange
 * in place.  So that is one of equal blocks.
 */
static void meet(const pair_t *pair)
{
    static const kind_t firsts[] = {
        { "", UNIFORM, 0, 0 }, { "", VECTORS, 0, 0 }, { "", EACH, 0, 0 },
        { "", UNIFORM, 1, 0 }, { "", VECTORS, 1, 0 }, { "", EACH, 1, 0 }
    };

    for (int i = 0; i < (pair->has_neighbors ? 6 : 3); i++) {
        round_t round = { .kind = &firsts[i], .doubles = 1, .most = 1, .equal = 1 };

        if (open_mpi_fails(pair, round.kind)) {
            continue;
        }
        round.send.edges = i < 3 ? &pair->all : &pair->out;
        round.recv.edges = i < 3 ? &pair->all : &pair->in;
        blocks_init(&round.send, pair, &round, 1);
        blocks_init(&round.recv, pair, &round, 0);
        (void)begin_and_wait(&round, pair->irr);
        blocks_fini(&round.recv);
        blocks_fini(&round.send);
    }
}

static uint64_t seed;

static void run(char **group, int length)
{
    const int rounds = length > 0 ? atoi(group[0]) : 1;
    pair_t pairs[PAIRS];
    uint64_t state = seed;

    chooses = length > 1 && strstr(group[1], "=auto") != NULL;
    for (int i = 0; i < PAIRS; i++) {
        uint64_t own = mpi_test_random(&state);   /* a round takes different numbers of it on the groups of a split */

        pair_init(&pairs[i], i, group + 1, length - 1, &own);
        if (!chooses) {
            meet(&pairs[i]);
        }
    }
    for (int i = 0; i < rounds; i++) {
        const pair_t *pair = &pairs[types_below(&state, PAIRS)];
        uint64_t own = mpi_test_random(&state);
        round_t round;

        round_init(&round, pair, &own);
        compare(&round, pair, i);
        blocks_fini(&round.recv);
        blocks_fini(&round.send);
    }
    for (int i = 0; i < PAIRS; i++) {
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
