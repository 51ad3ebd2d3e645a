/*
 * calls.c - calls of the all-to-all family.  Each call must deliver the right bytes, leave gaps unchanged, and be
 * served as expected.  mpi_calls has these cases, and the cases of other files that make no allocation fail.
 */
#include "mpi_call.h"

#include <sys/mman.h>

/*
 * Returns true if a key selects auto. With auto the test cannot know whether coll/irr or Open MPI serves a call, so it
 * makes only blocking calls.
 */
static int chooses(void)
{
    for (int i = 0; i < mpi_job.nkeys; i++) {
        if (strstr(mpi_job.keys[i], "=auto") != NULL) {
            return 1;
        }
    }
    return 0;
}

static int is_left(void)
{
    return mpi_job.must_serve == 0;
}

/* Returns the number of calls, of `times` calls, that coll/irr must have served. */
static unsigned long long wanted(const mpi_call_t *call, mpi_form_t form, int times)
{
    return !is_left() && mpi_call_is_served(call, form) ? (unsigned long long)times : 0;
}

/* Makes a call `times` times. The first call is also compared with point-to-point messages. */
static void check(const mpi_pair_t *pair, const mpi_spec_t *spec, mpi_form_t form, int times)
{
    const unsigned long long served = mpi_test_served();
    int good = 1;
    mpi_call_t call;

    mpi_call_init(&call, pair, spec);
    for (int i = 0; i < times; i++) {
        mpi_call_fill(&call);
        CHECK(i > 0 || mpi_call_agrees(&call));
        mpi_call_start(&call, form);
        good = CHECK(mpi_call_wait(&call) == MPI_SUCCESS) && CHECK(mpi_call_is_right(&call)) && good;
    }
    if (!chooses() && !pair->has_nobody) {
        good = CHECK(mpi_test_served() == served + wanted(&call, form, times)) && good;
    }
    if (!good) {
        fprintf(stderr, "rank %d of %d, %s: %s %s, elements of %d, seed %llu\n", pair->rank, pair->ranks, pair->name,
                mpi_forms[form], spec->kind->name, spec->items, (unsigned long long)spec->seed);
    }
    mpi_call_fini(&call);
}

static void open_pairs(mpi_pair_t *pairs, int count, uint64_t *state)
{
    for (int i = 0; i < count; i++) {
        uint64_t own = mpi_test_random(state);   /* in mpi_pair_init, ranks may draw different amounts */

        mpi_pair_init(&pairs[i], i, mpi_job.keys, mpi_job.nkeys, &own);
        if (!chooses() && !is_left()) {
            mpi_call_meet(&pairs[i]);
        }
    }
}

static void close_pairs(mpi_pair_t *pairs, int count)
{
    for (int i = 0; i < count; i++) {
        mpi_pair_fini(&pairs[i]);
    }
}

/* Makes NUMBER calls with a random communicator, collective, form, counts and datatypes. */
static void case_random(void)
{
    static const int shapes[] = {
        RANDOM, RANDOM, RANDOM, RANDOM, RANDOM, RANDOM, ZERO, ONE, SPARSE, ROW, COLUMN, LARGE
    };
    uint64_t state = mpi_test_seed();
    mpi_pair_t pairs[PAIRS];

    open_pairs(pairs, PAIRS, &state);
    for (int i = 0; i < mpi_job.number; i++) {
        const mpi_pair_t *pair = &pairs[mpi_test_below(&state, PAIRS)];
        uint64_t own = mpi_test_random(&state);
        const int dense = !pair->has_neighbors || mpi_test_below(&own, 4) == 0;
        int kind = dense ? mpi_test_below(&own, DENSE_KINDS) : DENSE_KINDS + mpi_test_below(&own, KINDS - DENSE_KINDS);
        const mpi_form_t form = (mpi_form_t)mpi_test_below(&own, FORMS);
        mpi_spec_t spec;

        kind -= pair->is_inter && mpi_kinds[kind].in_place;   /* MPI has no calls in place on inter-communicators */
        spec = mpi_spec_random(kind, shapes[mpi_test_below(&own, 12)], &own);
        if (chooses() || mpi_call_breaks_host(pair, spec.kind)) {
            check(pair, &spec, BLOCKING, 1);
        } else {
            check(pair, &spec, form, form == PERSISTENT ? 2 : 1);
        }
    }
    close_pairs(pairs, PAIRS);
}

/* Makes each collective in each form with each shape. If Open MPI serves, makes only calls without known bugs. */
static void case_each(void)
{
    static const mpi_pair_kind_t on[] = { ALL, DIST_GRAPH };
    uint64_t state = mpi_test_seed();
    mpi_pair_t pairs[2];

    for (int i = 0; i < 2; i++) {
        mpi_pair_init(&pairs[i], (int)on[i], mpi_job.keys, mpi_job.nkeys, &state);
        if (!is_left()) {
            mpi_call_meet(&pairs[i]);
        }
    }
    for (int k = 0; k < KINDS * FORMS * SHAPES; k++) {
        const int kind = k / FORMS / SHAPES, shape = k % SHAPES;
        const mpi_form_t form = (mpi_form_t)(k / SHAPES % FORMS);
        const mpi_spec_t spec = mpi_spec_random(kind, shape, &state);

        if (!is_left() || (form == BLOCKING && !spec.kind->in_place && !spec.kind->neighbors)) {
            check(&pairs[spec.kind->neighbors], &spec, form, 2);
        }
    }
    close_pairs(pairs, 2);
}

/*
 * Makes each collective of neighbors in each form on NUMBER grids. Most grids have a periodic dimension of one or two
 * ranks, so both edges of a rank in this dimension lead to one rank.
 */
static void case_grids(void)
{
    uint64_t state = 1;

    for (int i = 0; i < mpi_job.number; i++) {
        mpi_pair_t grid;

        mpi_pair_init(&grid, GRID, mpi_job.keys, mpi_job.nkeys, &state);
        mpi_call_meet(&grid);
        for (int k = 0; k < (KINDS - DENSE_KINDS) * FORMS; k++) {
            const mpi_spec_t spec = mpi_spec_random(DENSE_KINDS + k / FORMS, RANDOM, &state);

            check(&grid, &spec, (mpi_form_t)(k % FORMS), 2);
        }
        mpi_pair_fini(&grid);
    }
}

static int count_two(const mpi_spec_t *spec, int from, int to, int edge)
{
    (void)spec, (void)from, (void)to, (void)edge;
    return 2;
}

/* Sets the counts of a side, and its datatype unless `type` is MPI_DATATYPE_NULL, and converts the displacements. */
static void change(mpi_side_t *side, MPI_Datatype type, int count)
{
    for (int i = 0; i <= side->edges->count; i++) {
        if (type != MPI_DATATYPE_NULL) {
            MPI_Type_free(&side->types[i]);
            MPI_Type_dup(type, &side->types[i]);
        }
        side->counts[i] = count;
        side->offsets[i] = side->displs[i] * mpi_types_extent(side->types[i]);
    }
}

/* Repeats a call with the same arrays, then with changes that invalidate the blocks of the previous call. */
static void case_repeats(void)
{
    enum { ROOM = 8 };
    uint64_t state = mpi_test_seed();
    const mpi_spec_t spec = mpi_spec_plain(ALLTOALLV, count_two, ROOM, state);
    MPI_Datatype pair_of_ints;
    mpi_pair_t pair;
    mpi_call_t call;

    mpi_pair_open(&pair, ALL);
    mpi_call_init(&call, &pair, &spec);
    MPI_Type_contiguous(2, MPI_INT, &pair_of_ints);
    MPI_Type_commit(&pair_of_ints);
    for (int i = 0; i < pair.ranks; i++) {
        call.send.displs[i] = call.recv.displs[i] = i * ROOM / 2;
    }
    for (int step = 0; step < 6; step++) {
        const MPI_Datatype type = step == 4 ? pair_of_ints : MPI_DATATYPE_NULL;

        call.recv.displs[pair.ranks - 1] += step == 2;
        call.send.displs[0] += step == 3;
        change(&call.send, type, step == 5 ? 1 : 2);
        change(&call.recv, type, step == 5 ? 1 : 2);
        CHECK(mpi_call_once(&call, BLOCKING));
    }
    mpi_call_fini(&call);
    mpi_pair_fini(&pair);
    MPI_Type_free(&pair_of_ints);
}

/* Reserves address space. With MALLOC_PERTURB_, calloc would write to all pages. */
static void *reserve(size_t bytes)
{
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

/* Uses blocks beyond 2 and 4 GiB.  Elements are so far apart that very little of the memory is touched. */
static void case_far(void)
{
    enum { COUNT = 2, RANKS = 5 };
    const size_t apart = (size_t)512 << 20;
    const int elements = mpi_job.ranks * COUNT;
    MPI_Comm comm = mpi_test_dup_keys(MPI_COMM_WORLD, mpi_job.keys, mpi_job.nkeys);
    int counts[RANKS], displs[RANKS], wrong = 0;
    MPI_Datatype spread;
    char *send = reserve((size_t)elements * apart), *recv = reserve((size_t)elements * apart);

    if (mpi_test_sum(send != MAP_FAILED && recv != MAP_FAILED && mpi_job.ranks <= RANKS) == mpi_job.ranks) {
        MPI_Type_create_resized(MPI_INT, 0, (MPI_Aint)apart, &spread);
        MPI_Type_commit(&spread);
        for (int i = 0; i < elements; i++) {
            *(int *)(send + (size_t)i * apart) = mpi_job.rank * 1000 + i;
            counts[i / COUNT] = COUNT;
            displs[i / COUNT] = i / COUNT * COUNT;
        }
        for (int call = 0; call < 2; call++) {
            if (call == 0) {
                MPI_Alltoall(send, COUNT, spread, recv, COUNT, spread, comm);
            } else {
                MPI_Alltoallv(send, counts, displs, spread, recv, counts, displs, spread, comm);
            }
            for (int i = 0; i < elements; i++) {
                int *at = (int *)(recv + (size_t)i * apart);

                wrong += *at != i / COUNT * 1000 + mpi_job.rank * COUNT + i % COUNT;
                *at = -1;
            }
        }
        MPI_Type_free(&spread);
    }
    CHECK(wrong == 0);
    munmap(recv, (size_t)elements * apart);
    munmap(send, (size_t)elements * apart);
    MPI_Comm_free(&comm);
}

/*
 * Uses datatypes that differ only in the positions of their pieces. Each datatype is freed before the next datatype is
 * made, so most handles have the address of an earlier datatype. There are few kinds of datatypes, so that sizes and
 * bounds recur. Most datatypes have few pieces, and some have more pieces than the component remembers.
 */
static void case_runs(void)
{
    enum { ROUNDS_MAX = 300, MANY = 400 };
    static const int pieces[] = { 3, 4, 6, 16 }, runs[] = { 2, 40, 160 };
    static MPI_Datatype seen[ROUNDS_MAX];
    uint64_t state = mpi_test_seed();
    mpi_pair_t pair;
    int again = 0;

    mpi_pair_open(&pair, ALL);
    for (int round = 0; round < mpi_job.number && round < ROUNDS_MAX; round++) {
        const int few = mpi_test_below(&state, 16) != 0, most = few ? pieces[mpi_test_below(&state, 4)] : MANY;
        mpi_spec_t spec = mpi_spec_plain(ALLTOALL, mpi_shapes[ONE], 0, mpi_test_random(&state));
        mpi_call_t call;

        spec.base = MPI_DOUBLE;
        spec.pieces = -most;
        spec.items = most * runs[few ? mpi_test_below(&state, 3) : 0];
        mpi_call_init(&call, &pair, &spec);
        for (int i = 0; i < round; i++) {
            again += seen[i] == call.send.types[pair.ranks];
        }
        seen[round] = call.send.types[pair.ranks];
        CHECK(mpi_call_once(&call, BLOCKING));
        mpi_call_fini(&call);
    }
    CHECK(again > 0);   /* otherwise the test has checked no recurring address */
    mpi_pair_fini(&pair);
}

/* Checks that coll/irr leaves a communicator of one rank to other components. */
static void case_alone(void)
{
    MPI_Comm comm = mpi_test_dup_keys(MPI_COMM_SELF, mpi_job.keys, mpi_job.nkeys);
    const unsigned long long served = mpi_test_served();

    CHECK(mpi_call_works(comm));
    CHECK(mpi_test_served() == served);
    MPI_Comm_free(&comm);
}

MPI_CASES(mpi_cases_calls,
    { "random", case_random, 0 }, { "each", case_each, 0 }, { "grids", case_grids, 0 },
    { "repeats", case_repeats, 0 }, { "far", case_far, 0 },
    { "runs", case_runs, 0 }, { "alone", case_alone, 0 });

MPI_TEST_MAIN(mpi_cases_calls, mpi_cases_default, mpi_cases_lanes, mpi_cases_life, mpi_cases_requests,
              mpi_cases_sockets, mpi_cases_wide)
