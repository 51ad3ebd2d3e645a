/*
 * ends.c - nonblocking calls and persistent requests that end in an unusual way: after their communicator was freed,
 * with an error, in another thread, or at the end of the job.
 */
#include "mpi_call.h"
#include "mpi_memory.h"

#include <pthread.h>

static const mpi_form_t later[] = { NONBLOCKING, PERSISTENT };

/* Frees a communicator after `before` calls, while operations are in progress. Persistent requests remain usable. */
static void orphan(mpi_form_t form, int round, int before, uint64_t *state)
{
    static const int pairs[] = { ALL, ALL, HALVES, INTER_UNEVEN };
    mpi_call_t calls[3];
    mpi_pair_t pair;
    MPI_Comm other;

    mpi_pair_open(&pair, pairs[round % 4]);
    for (int i = 0; i < 3; i++) {
        mpi_call_init_plain(&calls[i], &pair, RANDOM + i, state);
        for (int k = 0; k < before; k++) {
            CHECK(mpi_call_once(&calls[i], form));
        }
    }
    for (int i = 0; i < 3; i++) {
        mpi_call_fill(&calls[i]);
        mpi_call_start(&calls[i], form);
    }
    MPI_Comm_free(&pair.irr);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    for (int i = 3; i-- > 0;) {
        CHECK(mpi_call_wait(&calls[i]) == MPI_SUCCESS && mpi_call_is_right(&calls[i]));
    }
    for (int k = 0; k < 3 * (2 + 3 * before) && form == PERSISTENT; k++) {
        CHECK(mpi_call_once(&calls[k % 3], form));
    }
    for (int i = 0; i < 3; i++) {
        mpi_call_fini(&calls[(i + pair.rank) % 3]);
    }
    MPI_Comm_free(&other);
    mpi_pair_fini(&pair);
}

/* Open MPI may serve the calls. */
static void case_orphan_calls(void)
{
    uint64_t state = mpi_test_seed();

    for (int round = 0; round < 12; round++) {
        orphan(NONBLOCKING, round, 2 * round, &state);
    }
}

/* The engine must serve persistent requests: Open MPI 4.1 cannot start a request of a freed communicator. */
static void case_orphans(void)
{
    uint64_t state = mpi_test_seed();

    case_orphan_calls();
    for (int round = 0; round < 3; round++) {
        orphan(PERSISTENT, round, mpi_job_number(round), &state);
    }
}

/* Checks that MPI refuses to free an active request. Rank 0 starts last, so the other ranks' requests stay active. */
static void case_active(void)
{
    uint64_t state = mpi_test_seed();
    mpi_call_t call;
    mpi_pair_t pair;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int form = 0; form < 2; form++) {
        mpi_pair_open(&pair, ALL);
        MPI_Comm_set_errhandler(pair.irr, MPI_ERRORS_RETURN);
        mpi_call_init_plain(&call, &pair, ONE, &state);
        if (later[form] == PERSISTENT) {
            mpi_call_request(&call);
        }
        for (int round = 0; round < mpi_job_number(5); round++) {
            mpi_call_fill(&call);
            if (pair.rank > 0) {
                mpi_call_start(&call, later[form]);
                CHECK(mpi_test_class(MPI_Request_free(&call.request)) == MPI_ERR_REQUEST);
            }
            MPI_Barrier(pair.plain);
            if (pair.rank == 0) {
                mpi_call_start(&call, later[form]);
            }
            CHECK(mpi_call_wait(&call) == MPI_SUCCESS && mpi_call_is_right(&call));
        }
        mpi_call_fini(&call);
        mpi_pair_fini(&pair);
    }
}

/* Makes rank 0 send twice as much as its receivers expect: to the other ranks, or in a uniform call to all ranks. */
static void lengthen(mpi_call_t *call)
{
    if (call->pair->rank == 0 && call->spec.kind->layout == UNIFORM) {
        call->send.each *= 2;
        call->recv.each *= 2;
    }
    for (int i = 1; i < call->pair->ranks && call->pair->rank == 0; i++) {
        call->send.counts[i] *= 2;
    }
}

/*
 * Makes a call with too much data between two correct calls. Its receivers get an error when they complete the call, no
 * other byte is overwritten, and the two other calls are right. Rank 0 starts persistent requests in another order than
 * the other ranks.
 */
static void truncate_one(const mpi_pair_t *pair, int kind, mpi_form_t form)
{
    enum { COUNT = 64 };
    mpi_spec_t spec = mpi_spec_plain(kind, mpi_count_most, 4 * COUNT, 5);
    const int swap = form == PERSISTENT && pair->rank == 0;
    mpi_call_t calls[3];

    spec.most = COUNT;
    for (int i = 0; i < 3; i++) {
        mpi_call_init(&calls[i], pair, &spec);
        mpi_call_fill(&calls[i]);
    }
    lengthen(&calls[1]);
    for (int i = 0; i < 3 && form == PERSISTENT; i++) {
        mpi_call_request(&calls[i]);
    }
    for (int i = 0; i < 3; i++) {
        mpi_call_start(&calls[swap ? 2 - i : i], form);
    }
    CHECK(mpi_test_class(mpi_call_wait(&calls[1])) == (pair->rank == 0 ? MPI_SUCCESS : MPI_ERR_TRUNCATE));
    CHECK(pair->rank == 0 || mpi_call_is_intact(&calls[1]));
    for (int i = 2; i >= 0; i -= 2) {
        CHECK(mpi_call_wait(&calls[i]) == MPI_SUCCESS && mpi_call_is_right(&calls[i]));
    }
    for (int i = 0; i < 3; i++) {
        mpi_call_fini(&calls[i]);
    }
}

static void case_truncation(void)
{
    mpi_pair_t pair;

    mpi_pair_open(&pair, ALL);
    mpi_call_meet(&pair);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);   /* completion raises errors on MPI_COMM_WORLD */
    MPI_Comm_set_errhandler(pair.irr, MPI_ERRORS_RETURN);
    for (int round = 0; round < 2; round++) {
        truncate_one(&pair, ALLTOALLV, NONBLOCKING);
        if (!mpi_job_is_named()) {
            continue;   /* Open MPI's implementation has other errors */
        }
        truncate_one(&pair, ALLTOALL, BLOCKING);
        truncate_one(&pair, ALLTOALLV, BLOCKING);
        truncate_one(&pair, ALLTOALLV, PERSISTENT);
    }
    mpi_pair_fini(&pair);
}

/* Passes null pointers for buffers without data. */
static void case_nothing(void)
{
    int *zeros;
    mpi_pair_t pair;

    mpi_pair_open(&pair, ALL);
    zeros = calloc((size_t)pair.ranks, sizeof(int));
    for (int i = 0; i < 70; i++) {
        MPI_Request requests[2];

        MPI_Ialltoallv(NULL, zeros, zeros, MPI_INT, NULL, zeros, zeros, MPI_INT, pair.irr, &requests[0]);
        MPI_Ialltoall(NULL, 0, MPI_INT, NULL, 0, MPI_INT, pair.irr, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    free(zeros);
    mpi_pair_fini(&pair);
}

/*
 * Makes empty calls in place, which take no tag of Open MPI 4.1. In even rounds an empty call is the first call of the
 * communicator. In each round an empty call follows a call that rank 0 has not completed, so rank 0 does not know yet
 * whether the other ranks take a tag. Later calls on the communicator must match.
 */
static void case_empty(void)
{
    const mpi_spec_t nothing = mpi_spec_plain(ALLTOALLV_IN_PLACE, mpi_shapes[ZERO], 0, 1);
    uint64_t state = mpi_test_seed();

    for (int round = 0; round < 6; round++) {
        mpi_call_t call, empty[2];
        unsigned long long served;
        MPI_Request barrier;
        mpi_pair_t pair;

        mpi_pair_open(&pair, ALL);
        mpi_call_init_plain(&call, &pair, RANDOM, &state);
        mpi_call_init(&empty[0], &pair, &nothing);
        mpi_call_init(&empty[1], &pair, &nothing);
        mpi_call_fill(&call);
        mpi_call_start(round % 2 == 0 ? &empty[0] : &call, NONBLOCKING);
        if (pair.rank > 0) {
            mpi_call_wait(round % 2 == 0 ? &empty[0] : &call);
        }
        mpi_call_start(&empty[1], NONBLOCKING);
        MPI_Ibarrier(pair.irr, &barrier);
        CHECK(mpi_call_wait(&empty[0]) == MPI_SUCCESS && mpi_call_wait(&call) == MPI_SUCCESS);
        CHECK(mpi_call_wait(&empty[1]) == MPI_SUCCESS && MPI_Wait(&barrier, MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(round % 2 == 0 || mpi_call_is_right(&call));
        served = mpi_test_served();
        CHECK(mpi_call_once(&call, NONBLOCKING));
        CHECK(mpi_test_served() == served + 1);
        mpi_call_fini(&empty[1]);
        mpi_call_fini(&empty[0]);
        mpi_call_fini(&call);
        mpi_pair_fini(&pair);
    }
}

/* Gives one rank a bad info key. Open MPI must then serve all calls and requests. */
static void case_refused(void)
{
    const unsigned long long served = mpi_test_served();
    uint64_t state = mpi_test_seed();
    mpi_call_t call;
    mpi_pair_t pair;

    mpi_pair_open(&pair, ALL);
    MPI_Comm_free(&pair.irr);
    pair.irr = mpi_test_dup(MPI_COMM_WORLD, "coll_irr_compose", mpi_job.rank == 1 ? "nonsense" : "auto");
    for (int form = 0; form < FORMS; form++) {
        mpi_call_init_plain(&call, &pair, RANDOM, &state);
        for (int i = 0; i < 3; i++) {
            CHECK(mpi_call_once(&call, (mpi_form_t)form));
        }
        mpi_call_fini(&call);
    }
    CHECK(mpi_test_served() == served);
    mpi_pair_fini(&pair);
}

/*
 * Makes an allocation fail on one rank while the ranks agree. The ranks must not try the strategy, and all results must
 * be right. An info key isolates each communicator from the results of earlier communicators. No rank runs ahead,
 * because its messages would wait on the heap, and the communicator fails if memory for them is missing; sweep.c tests
 * this case.
 */
static void case_memory(void)
{
    char key[] = "coll_irr_alltoallv_algorithm=auto", *keys[] = { key };
    uint64_t state = mpi_test_seed();
    long failed = 0;

    mpi_memory_watch();
    for (long nth = 1; nth < 40; nth += 3) {
        mpi_call_t call;
        mpi_pair_t pair;

        mpi_pair_init(&pair, ALL, keys, 1, &state);
        mpi_call_init_plain(&call, &pair, RANDOM, &state);
        mpi_call_request(&call);
        if (pair.rank == 1) {
            mpi_memory_fail(nth, 1);
        }
        for (int i = 0; i < 70; i++) {
            MPI_Barrier(pair.plain);
            CHECK(mpi_call_once(&call, PERSISTENT));
        }
        failed += mpi_memory_fail(0, 0);
        mpi_call_fini(&call);
        mpi_pair_fini(&pair);
    }
    CHECK(mpi_job.rank != 1 || failed > 0);
}

/* ---- the end of the job ---- */

/* Leaks persistent requests of a freed communicator, of a leaked communicator, and of MPI_COMM_WORLD. */
static void case_leaked(void)
{
    uint64_t state = mpi_test_seed();
    mpi_pair_t pairs[3];
    mpi_call_t calls[3];

    for (int i = 0; i < 3; i++) {
        mpi_pair_open(&pairs[i], ALL);
        mpi_call_init_plain(&calls[i], &pairs[i], RANDOM + i, &state);
        calls[i].comm = i == 2 ? MPI_COMM_WORLD : calls[i].comm;
        mpi_call_request(&calls[i]);
        for (int k = 0; k < mpi_job_number(i); k++) {
            CHECK(mpi_call_once(&calls[i], PERSISTENT));
        }
    }
    MPI_Comm_free(&pairs[0].irr);
}

/* Starts requests of short and of long messages that are not completed before MPI_Finalize. */
static void start_and_leave(int starts)
{
    mpi_pair_t pair;

    mpi_pair_open(&pair, ALL);
    for (int i = 0; i < 2; i++) {
        mpi_spec_t spec = mpi_spec_plain(ALLTOALLV, mpi_count_most, 0, 1);
        mpi_call_t call;

        spec.most = i == 0 ? 16 : 100000;
        mpi_call_init(&call, &pair, &spec);
        mpi_call_fill(&call);
        mpi_call_request(&call);
        if (starts) {
            mpi_call_start(&call, PERSISTENT);
        }
    }
}

static void case_left_active(void)
{
    start_and_leave(1);
}

/* Starts requests on one rank whose peers never start theirs. */
static void case_left_alone(void)
{
    start_and_leave(mpi_job.rank == 1);
}

/* ---- threads ---- */

enum { THREADS = 3 };

/* The work of a thread: two calls on its own communicator, or a request of a communicator that all threads share. */
typedef struct work {
    mpi_form_t form;
    mpi_pair_t pair;
    mpi_call_t calls[2];
} work_t;

static int both_are_right(const work_t *work)
{
    return mpi_call_is_right(&work->calls[0]) && mpi_call_is_right(&work->calls[1]);
}

static void *run_thread(void *argument)
{
    work_t *work = argument;
    mpi_call_t *calls = work->calls;
    intptr_t bad = 0;

    for (int i = 0; i < 60; i++) {
        if (work->form == PERSISTENT) {
            bad += !mpi_call_once(&calls[0], PERSISTENT);
            continue;
        }
        for (int k = 0; k < 2; k++) {
            mpi_call_fill(&calls[k]);
            mpi_call_start(&calls[k], NONBLOCKING);
        }
        for (int flag = 0; i % 2 == 1 && !flag;) {
            MPI_Request both[2] = { calls[0].request, calls[1].request };

            MPI_Testall(2, both, &flag, MPI_STATUSES_IGNORE);
            if (flag) {
                calls[0].request = calls[1].request = MPI_REQUEST_NULL;
            }
        }
        mpi_call_wait(&calls[1]);
        mpi_call_wait(&calls[0]);
        bad += !both_are_right(work);
    }
    return (void *)bad;
}

/* Completes a call that another thread has started. */
static void *complete_one(void *argument)
{
    mpi_call_wait(argument);
    return NULL;
}

static void run_threads(mpi_form_t form)
{
    uint64_t state = mpi_test_seed();
    pthread_t threads[THREADS];
    work_t works[THREADS];
    void *bad;

    for (int t = 0; t < THREADS; t++) {
        works[t].form = form;
        mpi_pair_open(&works[t].pair, ALL);
        for (int i = 0; i < 2; i++) {
            const mpi_pair_t *pair = &works[form == PERSISTENT ? 0 : t].pair;

            mpi_call_init_plain(&works[t].calls[i], pair, RANDOM + t % 2 + i, &state);
            if (form == PERSISTENT) {
                mpi_call_request(&works[t].calls[i]);
            }
        }
    }
    for (int t = 0; t < THREADS; t++) {
        CHECK(pthread_create(&threads[t], NULL, run_thread, &works[t]) == 0);
    }
    for (int t = 0; t < THREADS; t++) {
        pthread_join(threads[t], &bad);
        CHECK(bad == NULL);
    }
    for (int i = 0; i < 30; i++) {
        mpi_call_fill(&works[0].calls[0]);
        mpi_call_start(&works[0].calls[0], form);
        CHECK(pthread_create(&threads[0], NULL, complete_one, &works[0].calls[0]) == 0);
        CHECK(mpi_call_once(&works[1].calls[0], form));
        pthread_join(threads[0], NULL);
        CHECK(mpi_call_is_right(&works[0].calls[0]));
    }
    for (int t = 0; t < THREADS; t++) {
        mpi_call_fini(&works[t].calls[0]);
        mpi_call_fini(&works[t].calls[1]);
    }
    for (int t = 0; t < THREADS; t++) {
        mpi_pair_fini(&works[t].pair);
    }
}

static void case_threads(void)
{
    if (CHECK(mpi_job.thread_level == MPI_THREAD_MULTIPLE)) {
        run_threads(NONBLOCKING);
        run_threads(PERSISTENT);
    }
}

MPI_CASES(mpi_cases_ends,
    { "orphans", case_orphans, 0 }, { "orphan_calls", case_orphan_calls, 0 }, { "active", case_active, 0 },
    { "truncation", case_truncation, 0 },
    { "nothing", case_nothing, 0 }, { "empty", case_empty, 0 }, { "refused", case_refused, 0 },
    { "memory", case_memory, 0 }, { "leaked", case_leaked, 0 }, { "left_active", case_left_active, 0 },
    { "left_alone", case_left_alone, 0 }, { "threads", case_threads, 1 });
