/*
 * persistent.c - persistent MPI_Alltoallv of coll/irr against Open MPI's own MPI_Alltoallv, byte by byte.
 *
 *     mpi_persistent CASE [INFO_KEY=VALUE ...] [, CASE ...]   cases of the table at the end; the keys go to the
 *                                                             communicators of coll/irr
 */
#include "mpi_op.h"

#include <pthread.h>

static void run_types(MPI_Comm irr, MPI_Comm host, MPI_Datatype send_type, MPI_Datatype recv_type, uint64_t *state)
{
    for (int shape = 0; shape < SHAPES; shape++) {
        work_t work = { .in_place = 0 };

        call_init(&work.call, irr, shape, send_type, recv_type, shape % 2, state);
        work_open(&work, irr, host);
        work_run(&work, 4, 1);
        work_close(&work);
    }
}

static void run_in_place(MPI_Comm irr, MPI_Comm host, MPI_Datatype type, uint64_t *state)
{
    work_t work = { .in_place = 1 };

    call_init_in_place(&work.call, irr, type, state);
    work_open(&work, irr, host);
    work_run(&work, 4, 1);
    work_close(&work);
}

static void case_types(uint64_t *state)
{
    MPI_Comm irr = dup_irr(MPI_COMM_WORLD, keys, nkeys), host = make_host(MPI_COMM_WORLD);
    MPI_Datatype pair = pair_type(), vector = vector_type();
    int rank;

    MPI_Comm_rank(irr, &rank);
    run_types(irr, host, MPI_CHAR, MPI_CHAR, state);
    run_types(irr, host, MPI_DOUBLE, MPI_DOUBLE, state);
    run_types(irr, host, rank % 2 == 0 ? pair : vector, rank % 3 == 0 ? vector : pair, state);
    run_in_place(irr, host, MPI_DOUBLE, state);
    run_in_place(irr, host, vector, state);
    MPI_Type_free(&pair);
    MPI_Type_free(&vector);
    MPI_Comm_free(&irr);
    MPI_Comm_free(&host);
}

/* Requests are active together, started in an order of each rank's own, with plain calls between. */
static void case_together(uint64_t *state)
{
    enum { REQUESTS = 5, ROUNDS = 20 };
    MPI_Comm irr = dup_irr(MPI_COMM_WORLD, keys, nkeys), host = make_host(MPI_COMM_WORLD);
    work_t works[REQUESTS];
    MPI_Request requests[REQUESTS];
    int rank;

    MPI_Comm_rank(irr, &rank);
    for (int i = 0; i < REQUESTS; i++) {
        work_shape(&works[i], irr, host, i % SHAPES, state);
    }
    for (int round = 0; round < ROUNDS; round++) {
        int one = 1;

        for (int i = 0; i < REQUESTS; i++) {
            work_fill(&works[i]);
        }
        for (int i = 0; i < REQUESTS; i++) {
            MPI_Start(&works[(i * (1 + rank % 4) + rank + round) % REQUESTS].request);
            if (i == 2) {
                call_t call;

                call_init(&call, irr, 1, MPI_CHAR, MPI_CHAR, 0, state);
                MPI_Alltoallv(call.send.base, call.send.counts, call.send.displs, MPI_CHAR, call.recv.base,
                              call.recv.counts, call.recv.displs, MPI_CHAR, irr);
                MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_MIN, irr);
                call_fini(&call);
            }
        }
        for (int i = 0; i < REQUESTS; i++) {
            requests[i] = works[(i + rank) % REQUESTS].request;
        }
        MPI_Waitall(REQUESTS, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < REQUESTS; i++) {
            CHECK(work_is_right(&works[i]));
        }
    }
    for (int i = 0; i < REQUESTS; i++) {
        work_close(&works[(i + rank) % REQUESTS]);
    }
    MPI_Comm_free(&irr);
    MPI_Comm_free(&host);
}

/* Startall, and all ways to wait and test. */
static void case_completion(uint64_t *state)
{
    enum { REQUESTS = 3, ROUNDS = 12 };
    MPI_Comm irr = dup_irr(MPI_COMM_WORLD, keys, nkeys), host = make_host(MPI_COMM_WORLD);
    work_t works[REQUESTS];
    MPI_Request requests[REQUESTS];
    MPI_Status statuses[REQUESTS];
    int flag, index;

    for (int i = 0; i < REQUESTS; i++) {
        work_shape(&works[i], irr, host, 1 + i, state);
        requests[i] = works[i].request;
        MPI_Wait(&requests[i], &statuses[i]);   /* inactive: returns at once */
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < REQUESTS; i++) {
            work_fill(&works[i]);
        }
        MPI_Startall(REQUESTS, requests);
        flag = 0;
        if (round % 3 == 0) {
            while (!flag) {
                MPI_Testall(REQUESTS, requests, &flag, statuses);
            }
        } else if (round % 3 == 1) {
            for (int i = 0; i < REQUESTS; i++) {
                MPI_Waitany(REQUESTS, requests, &index, &statuses[i]);
                CHECK(work_is_right(&works[index]));
            }
            MPI_Waitany(REQUESTS, requests, &index, MPI_STATUS_IGNORE);
            CHECK(index == MPI_UNDEFINED);
        } else {
            for (int i = 0; i < REQUESTS; i++) {
                for (flag = 0; !flag;) {
                    MPI_Test(&requests[i], &flag, &statuses[i]);
                }
            }
        }
        for (int i = 0; i < REQUESTS; i++) {
            CHECK(work_is_right(&works[i]));
        }
    }
    for (int i = 0; i < REQUESTS; i++) {
        work_close(&works[i]);
    }
    MPI_Comm_free(&irr);
    MPI_Comm_free(&host);
}

/* The communicator goes first: while a request is inactive, and while it is active. */
static void case_orphans(uint64_t *state)
{
    MPI_Comm irr = dup_irr(MPI_COMM_WORLD, keys, nkeys), host = make_host(MPI_COMM_WORLD), other;
    work_t inactive, active;

    work_shape(&inactive, irr, host, 1, state);
    work_shape(&active, irr, host, 2, state);
    work_run(&inactive, 2, 1);
    work_fill(&active);
    MPI_Start(&active.request);
    MPI_Comm_free(&irr);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Wait(&active.request, MPI_STATUS_IGNORE);
    CHECK(work_is_right(&active));
    work_run(&inactive, 3, 1);
    work_run(&active, 3, 1);
    work_close(&inactive);
    work_run(&active, 1, 1);
    work_close(&active);
    MPI_Comm_free(&other);
    MPI_Comm_free(&host);
}

/* Requests that nobody frees: of a communicator that was freed, of one that was not, and of MPI_COMM_WORLD. */
static void case_leaked(uint64_t *state)
{
    MPI_Comm freed = dup_irr(MPI_COMM_WORLD, keys, nkeys), left = dup_irr(MPI_COMM_WORLD, keys, nkeys);
    MPI_Comm host = make_host(MPI_COMM_WORLD);
    work_t works[3];

    work_shape(&works[0], freed, host, 1, state);
    work_shape(&works[1], left, host, 1, state);
    work_shape(&works[2], MPI_COMM_WORLD, host, 1, state);
    for (int i = 0; i < 3; i++) {
        work_run(&works[i], i, 1);
    }
    MPI_Comm_free(&freed);
    MPI_Comm_free(&host);
}

/* Parts of the job, ranks in other orders, and ranks that take no part. */
static void case_parts(uint64_t *state)
{
    int rank, ranks, size;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int kind = 0; kind < 3; kind++) {
        int colour = kind == 0 ? rank % 2 : kind == 1 ? rank < ranks / 2 : rank == ranks - 1 ? MPI_UNDEFINED : 0;
        uint64_t part_state = *state + (uint64_t)kind;
        MPI_Comm part, irr, host;
        work_t works[2];

        MPI_Comm_split(MPI_COMM_WORLD, colour, -rank, &part);
        if (part == MPI_COMM_NULL) {
            continue;
        }
        irr = dup_irr(part, keys, nkeys);
        host = make_host(part);
        MPI_Comm_size(part, &size);
        for (int i = 0; i < 2; i++) {
            work_shape(&works[i], irr, host, 1 + i, &part_state);
            work_run(&works[i], 3, size > 1);
        }
        work_close(&works[rank % 2]);
        MPI_Comm_free(&irr);
        work_close(&works[1 - rank % 2]);
        MPI_Comm_free(&host);
        MPI_Comm_free(&part);
    }
}

/* One rank has a bad info key: all have a request of Open MPI's own. */
static void case_refused(uint64_t *state)
{
    MPI_Comm host = make_host(MPI_COMM_WORLD), irr;
    unsigned long long served = mpi_test_served();
    work_t work;
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    irr = mpi_test_dup(MPI_COMM_WORLD, "coll_irr_compose", rank == 1 ? "nonsense" : "auto");
    work_shape(&work, irr, host, 1, state);
    work_run(&work, 3, 0);
    CHECK(mpi_test_served() == served);
    work_close(&work);
    MPI_Comm_free(&irr);
    MPI_Comm_free(&host);
}

/* A request that is active cannot be freed, and goes on. */
static void case_active(uint64_t *state)
{
    MPI_Comm irr = dup_irr(MPI_COMM_WORLD, keys, nkeys), host = make_host(MPI_COMM_WORLD);
    work_t work;
    int rank, class;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    call_init_in_place(&work.call, irr, MPI_INT, state);
    work.in_place = 1;
    for (int i = 0; i < work.call.recv.counts[0]; i++) {
        ((int *)work.call.recv.base)[i] = i;
    }
    work_open(&work, irr, host);
    work_fill(&work);
    if (rank > 0) {
        MPI_Start(&work.request);
        if (work.saved.counts[0] > 0) {
            MPI_Error_class(MPI_Request_free(&work.request), &class);
            CHECK(class == MPI_ERR_REQUEST);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Start(&work.request);
    }
    MPI_Wait(&work.request, MPI_STATUS_IGNORE);
    CHECK(work_is_right(&work));
    work_close(&work);
    MPI_Comm_free(&irr);
    MPI_Comm_free(&host);
}

/* A request by which each rank has `expected` ints from each other, while rank 0 sends `sent`. */
static MPI_Request make_uneven(MPI_Comm comm, int sent, int expected, int *out, int *in, int stride)
{
    MPI_Request request;
    side_t send, recv;

    sides_init_uneven(&send, &recv, comm, sent, expected, stride);
    ALLTOALLV_INIT(out, send.counts, send.displs, MPI_INT, in, recv.counts, recv.displs, MPI_INT, comm,
                   MPI_INFO_NULL, &request);
    side_fini(&recv);
    side_fini(&send);
    return request;
}

/*
 * Rank 0 sends more than the others expect: they learn it from their wait, also while another request is active,
 * and nothing is overwritten.
 */
static void case_truncation(uint64_t *state)
{
    enum { N = 64, STRIDE = 4 * N, GUARD = 12345 };
    MPI_Comm irr = dup_irr(MPI_COMM_WORLD, keys, nkeys);
    int ranks, rank, class, index, intact = 1, *sent, *got, *other;
    MPI_Request requests[2];

    (void)state;
    MPI_Comm_size(irr, &ranks);
    MPI_Comm_rank(irr, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(irr, MPI_ERRORS_RETURN);
    sent = calloc((size_t)ranks * STRIDE, sizeof(int));
    got = malloc((size_t)ranks * STRIDE * sizeof(int));
    other = calloc((size_t)ranks * STRIDE, sizeof(int));
    for (int i = 0; i < ranks * STRIDE; i++) {
        got[i] = GUARD;
    }
    requests[0] = make_uneven(irr, N, N, sent, other, STRIDE);
    requests[1] = make_uneven(irr, 2 * N, N, sent, got, STRIDE);
    if (rank != 0) {
        MPI_Start(&requests[0]);
    }
    MPI_Start(&requests[1]);
    MPI_Error_class(MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE), &class);
    CHECK(class == (rank == 0 ? MPI_SUCCESS : MPI_ERR_TRUNCATE));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Start(&requests[0]);
    }
    CHECK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE) == MPI_SUCCESS);
    for (int i = 0; i < ranks * STRIDE; i++) {
        intact = intact && (i % STRIDE < N || got[i] == GUARD);
    }
    CHECK(intact);
    for (int i = 0; i < 2; i++) {
        if (requests[i] != MPI_REQUEST_NULL) {
            MPI_Request_free(&requests[i]);
        }
    }
    free(other);
    free(got);
    free(sent);
    MPI_Comm_free(&irr);
}

static void *run_thread(void *argument)
{
    intptr_t bad = 0;

    for (int i = 0; i < 100; i++) {
        bad += !work_once(argument);
    }
    return (void *)bad;
}

/* Each thread has a request of its own, on the same communicator. */
static void case_threads(uint64_t *state)
{
    enum { THREADS = 2 };
    MPI_Comm irr = dup_irr(MPI_COMM_WORLD, keys, nkeys), hosts[THREADS];
    pthread_t threads[THREADS];
    work_t works[THREADS];
    void *bad;

    for (int i = 0; i < THREADS; i++) {
        hosts[i] = make_host(MPI_COMM_WORLD);
        work_shape(&works[i], irr, hosts[i], 1 + i, state);
    }
    for (int i = 0; i < THREADS && thread_level == MPI_THREAD_MULTIPLE; i++) {
        CHECK(pthread_create(&threads[i], NULL, run_thread, &works[i]) == 0);
    }
    for (int i = 0; i < THREADS && thread_level == MPI_THREAD_MULTIPLE; i++) {
        pthread_join(threads[i], &bad);
        CHECK(bad == NULL);
    }
    for (int i = 0; i < THREADS; i++) {
        work_close(&works[i]);
        MPI_Comm_free(&hosts[i]);
    }
    MPI_Comm_free(&irr);
}

/* Requests of short and of long messages that nobody waits for before MPI_Finalize. */
static void start_and_leave(int starts)
{
    enum { SHORT = 16, LONG = 100000 };
    MPI_Comm irr = dup_irr(MPI_COMM_WORLD, keys, nkeys);
    const int counts[] = { SHORT, LONG };
    int ranks;

    MPI_Comm_size(irr, &ranks);
    for (int i = 0; i < 2; i++) {
        int *out = calloc((size_t)ranks * (size_t)counts[i], sizeof(int));
        int *in = calloc((size_t)ranks * (size_t)counts[i], sizeof(int));
        MPI_Request request = make_uneven(irr, counts[i], counts[i], out, in, counts[i]);

        if (starts) {
            MPI_Start(&request);
        }
    }
}

static void case_left_active(uint64_t *state)
{
    (void)state;
    start_and_leave(1);
}

/* The peers of the one that starts never do. */
static void case_left_alone(uint64_t *state)
{
    int rank;

    (void)state;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    start_and_leave(rank == 1);
}

const op_case_t op_cases[] = {
    { "types", case_types }, { "together", case_together }, { "completion", case_completion },
    { "orphans", case_orphans }, { "leaked", case_leaked }, { "parts", case_parts }, { "refused", case_refused },
    { "active", case_active }, { "truncation", case_truncation }, { "threads", case_threads },
    { "left_active", case_left_active }, { "left_alone", case_left_alone }, { NULL, NULL }
};

int main(int argc, char **argv)
{
    return op_main(argc, argv);
}
