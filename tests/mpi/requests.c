/*
 * requests.c - nonblocking calls and persistent requests: many at a time, completed by every function and in every
 * order; and blocking calls for which the ranks choose.  Every byte is compared.
 *
 * If the keys name no algorithm, Open MPI serves some calls.  Its nonblocking and persistent calls have bugs with
 * MPI_IN_PLACE and with some datatypes, so these cases use MPI_Alltoallv with integers.
 */
#include "mpi_call.h"

static const mpi_form_t later[] = { NONBLOCKING, PERSISTENT };

/* ---- many at a time ---- */

enum { POOL = 12, METHODS = 6 };

typedef struct pool {
    mpi_pair_t  pair;
    mpi_call_t  calls[POOL];
    mpi_form_t  forms[POOL];
} pool_t;

static void draw(pool_t *pool, int i, uint64_t *state)
{
    const int kind = mpi_test_below(state, DENSE_KINDS), shape = mpi_test_below(state, SHAPES);

    pool->forms[i] = later[mpi_test_below(state, 2)];
    if (mpi_job_is_named()) {
        /* Open MPI 4.1 takes no tag on a rank without data in place, so later calls would not match. */
        const mpi_spec_t spec = mpi_spec_random(kind, mpi_kinds[kind].in_place ? ONE : shape, state);

        mpi_call_init(&pool->calls[i], &pool->pair, &spec);
    } else {
        mpi_call_init_plain(&pool->calls[i], &pool->pair, shape, state);
    }
    if (pool->forms[i] == PERSISTENT) {
        mpi_call_request(&pool->calls[i]);
    }
}

/* Makes a call or two, the same on all ranks, which must not wait for the operations in progress. */
static void other_calls(const mpi_pair_t *pair, int round, uint64_t *state)
{
    int one = 1, got = -1, next = (pair->rank + 1) % pair->ranks, last = (pair->rank + pair->ranks - 1) % pair->ranks;
    MPI_Request barrier, sums;
    mpi_call_t call;

    switch (round % 4) {
    case 0:
        MPI_Ibarrier(pair->irr, &barrier);
        MPI_Iallreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_SUM, pair->irr, &sums);
        MPI_Wait(&sums, MPI_STATUS_IGNORE);
        MPI_Wait(&barrier, MPI_STATUS_IGNORE);
        CHECK(one == pair->ranks);
        break;
    case 1:
        MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_SUM, pair->irr);
        CHECK(one == pair->ranks);
        break;
    case 2:
        mpi_call_init_plain(&call, pair, RANDOM, state);
        CHECK(mpi_call_once(&call, BLOCKING));
        mpi_call_fini(&call);
        break;
    default:
        MPI_Sendrecv(&pair->rank, 1, MPI_INT, next, 3, &got, 1, MPI_INT, last, 3, pair->irr, MPI_STATUS_IGNORE);
        CHECK(got == last);
        break;
    }
}

/* Makes one call that completes requests. Returns the number of completed requests, and stores their indices. */
static int complete_some(MPI_Request *requests, int method, int done, int *indices)
{
    int got = 1, flag = 0;

    switch (method) {
    case 0:
        MPI_Waitany(POOL, requests, &indices[0], MPI_STATUS_IGNORE);
        return 1;
    case 1:
        MPI_Testsome(POOL, requests, &got, indices, MPI_STATUSES_IGNORE);
        return got;
    case 2:
        MPI_Waitsome(POOL, requests, &got, indices, MPI_STATUSES_IGNORE);
        return got;
    case 3:
        MPI_Test(&requests[indices[0] = done], &flag, MPI_STATUS_IGNORE);
        return flag;
    case 4:
        MPI_Testall(POOL, requests, &flag, MPI_STATUSES_IGNORE);
        break;
    default:
        flag = 1;
        MPI_Waitall(POOL, requests, MPI_STATUSES_IGNORE);
        break;
    }
    for (int i = 0; i < POOL; i++) {
        indices[i] = i;
    }
    return flag ? POOL : 0;
}

/* Completes all requests, in an order that differs from rank to rank. */
static void complete_all(pool_t *pool, int method)
{
    const int rank = pool->pair.rank;
    int order[POOL], indices[POOL], index;
    MPI_Request requests[POOL];

    for (int i = 0; i < POOL; i++) {
        order[i] = rank % 2 == 0 ? (i + rank) % POOL : POOL - 1 - (i + rank) % POOL;
        requests[i] = pool->calls[order[i]].request;
        if (pool->forms[order[i]] != PERSISTENT) {
            pool->calls[order[i]].request = MPI_REQUEST_NULL;
        }
    }
    for (int done = 0; done < POOL;) {
        const int got = complete_some(requests, method, done, indices);

        for (int i = 0; i < got; i++) {
            CHECK(mpi_call_is_right(&pool->calls[order[indices[i]]]));
        }
        done += got;
    }
    MPI_Waitall(POOL, requests, MPI_STATUSES_IGNORE);   /* inactive: returns at once */
    MPI_Waitany(POOL, requests, &index, MPI_STATUS_IGNORE);
    CHECK(index == MPI_UNDEFINED);
}

/* Starts nonblocking calls in one order, and between them persistent requests in an order that depends on the rank. */
static void start_all(pool_t *pool, int round, uint64_t *state)
{
    static const int strides[] = { 1, 5, 7, 11 };
    const mpi_pair_t *pair = &pool->pair;

    for (int i = 0; i < POOL; i++) {
        const int own = (i * strides[pair->rank % 4] + pair->rank + round) % POOL;

        if (pool->forms[i] == NONBLOCKING) {
            mpi_call_start(&pool->calls[i], NONBLOCKING);
        }
        if (pool->forms[own] == PERSISTENT) {
            mpi_call_start(&pool->calls[own], PERSISTENT);
        }
        if (i == POOL / 2) {
            other_calls(pair, round, state);
        }
    }
}

/* Keeps POOL operations in progress. Half of the nonblocking calls are replaced in a round, and few of the requests. */
static void case_together(void)
{
    uint64_t state = mpi_test_seed();
    pool_t pool;

    mpi_pair_open(&pool.pair, ALL);
    if (mpi_job_is_named()) {
        mpi_call_meet(&pool.pair);
    }
    for (int i = 0; i < POOL; i++) {
        draw(&pool, i, &state);
    }
    for (int round = 0; round < mpi_job_number(20); round++) {
        for (int i = 0; i < POOL; i++) {
            mpi_call_fill(&pool.calls[i]);
        }
        start_all(&pool, round, &state);
        complete_all(&pool, round % METHODS);
        for (int i = 0; i < POOL; i++) {
            if (mpi_test_below(&state, pool.forms[i] == PERSISTENT ? 30 : 2) == 0) {
                mpi_call_fini(&pool.calls[i]);
                draw(&pool, i, &state);
            }
        }
    }
    for (int i = 0; i < POOL; i++) {
        mpi_call_fini(&pool.calls[(i + pool.pair.rank) % POOL]);
    }
    mpi_pair_fini(&pool.pair);
}

/* ---- calls of one kind ---- */

/* Makes NUMBER nonblocking calls and no other calls, up to three at a time. */
static void case_only(void)
{
    uint64_t state = mpi_test_seed();
    mpi_call_t calls[3];
    mpi_pair_t pair;

    mpi_pair_open(&pair, ALL);
    for (int i = 0; i < 3; i++) {
        mpi_call_init_plain(&calls[i], &pair, RANDOM + i, &state);
    }
    for (int k = 0; k < mpi_job_number(400); k += 3) {
        const int at_once = 1 + k / 3 % 3;

        for (int i = 0; i < 3; i += at_once) {
            const int end = i + at_once < 3 ? i + at_once : 3;

            for (int j = i; j < end; j++) {
                mpi_call_fill(&calls[j]);
                mpi_call_start(&calls[j], NONBLOCKING);
            }
            for (int j = end; j-- > i;) {
                CHECK(mpi_call_wait(&calls[j]) == MPI_SUCCESS && mpi_call_is_right(&calls[j]));
            }
        }
    }
    for (int i = 0; i < 3; i++) {
        mpi_call_fini(&calls[i]);
    }
    mpi_pair_fini(&pair);
}

/* Starts one persistent request, and makes no other call. */
static void case_starts(void)
{
    uint64_t state = mpi_test_seed();
    mpi_call_t call;
    mpi_pair_t pair;

    mpi_pair_open(&pair, ALL);
    mpi_call_init_plain(&call, &pair, RANDOM, &state);
    for (int i = 0; i < mpi_job_number(480); i++) {
        CHECK(mpi_call_once(&call, PERSISTENT));
    }
    mpi_call_fini(&call);
    mpi_pair_fini(&pair);
}

/* Makes NUMBER nonblocking calls, of each collective, with equal blocks and gaps, and starts requests. */
static void case_types(void)
{
    static const int kinds[] = {
        ALLTOALL, ALLTOALL_IN_PLACE, ALLTOALLV, ALLTOALLW, NEIGHBOR_ALLTOALL, NEIGHBOR_ALLTOALLV, NEIGHBOR_ALLTOALLW
    };
    uint64_t state = mpi_test_seed();
    mpi_pair_t pairs[2];

    mpi_pair_open(&pairs[0], ALL);
    mpi_pair_open(&pairs[1], DIST_GRAPH);
    for (int k = 0; k < mpi_job_number(60); k++) {
        const int persistent = k >= mpi_job_number(60) * 3 / 4;
        mpi_spec_t spec = mpi_spec_plain(persistent ? ALLTOALLV + k % 2 : kinds[k % 7], mpi_count_most, 0,
                                         mpi_test_random(&state));
        mpi_call_t call;

        spec.base = MPI_DOUBLE;
        spec.items = spec.pieces = 2;
        spec.most = k % 5 == 4 ? 0 : 1 + k * 31 % 500;
        mpi_call_init(&call, &pairs[spec.kind->neighbors], &spec);
        for (int i = 0; i < (persistent ? mpi_job_number(60) : 3); i++) {
            CHECK(mpi_call_once(&call, later[persistent]));
        }
        mpi_call_fini(&call);
    }
    mpi_pair_fini(&pairs[1]);
    mpi_pair_fini(&pairs[0]);
}

/* ---- calls for which the ranks choose ---- */

/* Returns a block's bytes in a call of case_change. The seed is twice the number of the call. */
static int count_changing(const mpi_spec_t *spec, int from, int to, int edge)
{
    const int call = (int)(spec->seed / 2);

    (void)edge;
    return (from + to + call) % 5 == 0 ? 0 : (from * to + from + to + call * 7) % spec->most;
}

/* Makes a call of bytes once, or starts a persistent request three times. */
static void change_once(const mpi_pair_t *pair, int kind, mpi_counts_t counts, int most, int number, mpi_form_t form)
{
    mpi_spec_t spec = mpi_spec_plain(kind, counts, most, 2 * (uint64_t)number);
    mpi_call_t call;

    spec.base = MPI_BYTE;
    mpi_call_init(&call, pair, &spec);
    for (int i = 0; i < (form == PERSISTENT ? 3 : 1); i++) {
        CHECK(mpi_call_once(&call, form));
    }
    mpi_call_fini(&call);
}

/*
 * Makes NUMBER calls for which the ranks choose a strategy. The second half of the calls has longer blocks, so that the
 * ranks choose again. Some calls are in place. The calls run on a communicator of all ranks, and on a communicator of
 * every second rank, whose ranks make another choice. Finally a persistent request uses the chosen strategy.
 */
static void case_change(void)
{
    const int calls = mpi_job.number;
    mpi_pair_t all, half;

    mpi_pair_open(&all, ALL);
    mpi_pair_open(&half, HALVES);
    for (int i = 0; i < calls; i++) {
        const int kind = i % 7 == 3 ? ALLTOALLV_IN_PLACE : ALLTOALLV, is_first = i < calls / 2;

        change_once(&all, kind, count_changing, is_first ? 40 : 600, i, BLOCKING);
        if (i % 3 == 0) {
            change_once(&half, kind, count_changing, is_first ? 40 : 600, i, BLOCKING);
        }
        change_once(&all, ALLTOALL, mpi_count_most, is_first ? 8 : 256, i, BLOCKING);
    }
    change_once(&all, ALLTOALLV, count_changing, 600, calls, PERSISTENT);
    mpi_pair_fini(&half);
    mpi_pair_fini(&all);
}

/* Repeats equal counts on communicators of the same processes in opposite orders, with one request after another. */
static void case_reversed(void)
{
    mpi_pair_t pairs[2];

    mpi_pair_open(&pairs[0], ALL);
    mpi_pair_open(&pairs[1], REVERSED);
    for (int i = 0; i < 12; i++) {
        change_once(&pairs[i % 2], ALLTOALLV, mpi_count_most, 12, i, later[i / 6]);
    }
    mpi_pair_fini(&pairs[1]);
    mpi_pair_fini(&pairs[0]);
}

/* ---- no rank waits in a call, and other operations are served in the meantime ---- */

/* Lets one rank make all its calls before it lets the next rank begin, so that no call may wait for other ranks. */
static void case_ahead(void)
{
    enum { CALLS = 90 };
    uint64_t state = mpi_test_seed();
    mpi_call_t *calls = calloc(CALLS, sizeof(*calls));
    int go = 0;
    mpi_pair_t pair;

    mpi_pair_open(&pair, ALL);
    for (int i = 0; i < CALLS; i++) {
        mpi_call_init_plain(&calls[i], &pair, i % LARGE, &state);
        mpi_call_fill(&calls[i]);
    }
    if (pair.rank > 0) {
        MPI_Recv(&go, 1, MPI_INT, pair.rank - 1, 0, pair.irr, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < CALLS; i++) {
        mpi_call_start(&calls[i], NONBLOCKING);
    }
    if (pair.rank + 1 < pair.ranks) {
        MPI_Send(&go, 1, MPI_INT, pair.rank + 1, 0, pair.irr);
    }
    for (int i = 0; i < CALLS; i++) {
        CHECK(mpi_call_wait(&calls[i]) == MPI_SUCCESS && mpi_call_is_right(&calls[i]));
        mpi_call_fini(&calls[i]);
    }
    free(calls);
    mpi_pair_fini(&pair);
}

/* One rank sends only after its operation is complete. The other ranks wait in MPI_Recv, which must progress theirs. */
static void case_inside(void)
{
    uint64_t state = mpi_test_seed();
    int go = 0;
    mpi_call_t call;
    mpi_pair_t pair;

    mpi_pair_open(&pair, ALL);
    mpi_call_init_plain(&call, &pair, LARGE, &state);
    for (int i = 0; i < 50; i++) {
        const int first = i % pair.ranks;

        mpi_call_fill(&call);
        mpi_call_start(&call, NONBLOCKING);
        if (pair.rank == first) {
            mpi_call_wait(&call);
            for (int j = 0; j < pair.ranks; j++) {
                if (j != first) {
                    MPI_Send(&go, 1, MPI_INT, j, 0, pair.irr);
                }
            }
        } else {
            MPI_Recv(&go, 1, MPI_INT, first, 0, pair.irr, MPI_STATUS_IGNORE);
        }
        CHECK(mpi_call_wait(&call) == MPI_SUCCESS && mpi_call_is_right(&call));
    }
    mpi_call_fini(&call);
    mpi_pair_fini(&pair);
}

MPI_CASES(mpi_cases_requests,
    { "together", case_together, 0 }, { "only", case_only, 0 }, { "starts", case_starts, 0 },
    { "types", case_types, 0 }, { "change", case_change, 0 }, { "reversed", case_reversed, 0 },
    { "ahead", case_ahead, 0 }, { "inside", case_inside, 0 });
