/*
 * nonblocking_ends.c - nonblocking calls that end in an unusual way: without their communicator, wrongly, in another
 * thread.
 *
 *     mpi_nonblocking_ends CASE[:NUMBER] [served=yes|no] [INFO_KEY=VALUE ...] [, CASE ...]   see mpi_op.h
 */
#include "mpi_op.h"

#include <pthread.h>

/* The communicator goes while operations are under way. */
static void case_orphans(uint64_t *state)
{
    for (int round = 0; round < 12; round++) {
        work_t ops[3];
        MPI_Comm irr, host, other;

        open_comms(&irr, &host);
        for (int i = 0; i < 3; i++) {
            op_shape(&ops[i], irr, host, 1 + i, state);
            for (int k = 0; k < round * 2; k++) {
                CHECK(op_once(&ops[i]));
            }
        }
        for (int i = 0; i < 3; i++) {
            work_fill(&ops[i]);
        }
        for (int i = 0; i < 3; i++) {
            op_start(&ops[i]);
        }
        MPI_Comm_free(&irr);
        MPI_Comm_dup(MPI_COMM_WORLD, &other);
        for (int i = 3; i-- > 0;) {
            MPI_Wait(&ops[i].request, MPI_STATUS_IGNORE);
            CHECK(work_is_right(&ops[i]));
            op_close(&ops[i]);
        }
        MPI_Comm_free(&other);
        MPI_Comm_free(&host);
    }
}

/* What is under way cannot be freed, and goes on. */
static void case_active(uint64_t *state)
{
    MPI_Comm irr, host;
    int rank, class;
    work_t op;

    open_comms(&irr, &host);
    MPI_Comm_rank(irr, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    op_shape(&op, irr, host, 1, state);
    for (int i = 0; i < 3; i++) {
        CHECK(op_once(&op));
    }
    work_fill(&op);
    if (rank > 0) {
        op_start(&op);
        if (op.saved.counts[0] > 0) {
            MPI_Error_class(MPI_Request_free(&op.request), &class);
            CHECK(class == MPI_ERR_REQUEST);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        op_start(&op);
    }
    MPI_Wait(&op.request, MPI_STATUS_IGNORE);
    CHECK(work_is_right(&op));
    op_close(&op);
    free_comms(&irr, &host);
}

/* Each rank has `expected` ints from each other, while rank 0 sends `sent`. */
static MPI_Request uneven(MPI_Comm comm, int sent, int expected, int *out, int *in, int stride)
{
    MPI_Request request;
    side_t send, recv;

    sides_init_uneven(&send, &recv, comm, sent, expected, stride);
    MPI_Ialltoallv(out, send.counts, send.displs, MPI_INT, in, recv.counts, recv.displs, MPI_INT, comm, &request);
    side_fini(&recv);
    side_fini(&send);
    return request;
}

/* Rank 0 sends more than the others expect: they learn it when they complete it; others beside it are right. */
static void case_truncation(uint64_t *state)
{
    enum { N = 64, STRIDE = 4 * N, GUARD = 12345 };
    MPI_Comm irr = dup_irr(MPI_COMM_WORLD, keys, nkeys);
    int ranks, rank, class, intact = 1, *out, *got, *other;

    (void)state;
    MPI_Comm_size(irr, &ranks);
    MPI_Comm_rank(irr, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(irr, MPI_ERRORS_RETURN);
    out = calloc((size_t)ranks * STRIDE, sizeof(int));
    got = malloc((size_t)ranks * STRIDE * sizeof(int));
    other = malloc((size_t)ranks * STRIDE * sizeof(int));
    for (int i = 0; i < 3; i++) {
        MPI_Request request = uneven(irr, N, N, out, other, STRIDE);

        CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    }
    for (int i = 0; i < ranks * STRIDE; i++) {
        got[i] = GUARD;
        other[i] = 1;
    }
    for (int round = 0; round < 2; round++) {
        MPI_Request requests[3];

        requests[0] = uneven(irr, N, N, out, other, STRIDE);
        requests[1] = uneven(irr, 2 * N, N, out, got, STRIDE);
        requests[2] = uneven(irr, N, N, out, other, STRIDE);
        MPI_Error_class(MPI_Wait(&requests[1], MPI_STATUS_IGNORE), &class);
        CHECK(class == (rank == 0 ? MPI_SUCCESS : MPI_ERR_TRUNCATE));
        CHECK(MPI_Wait(&requests[2], MPI_STATUS_IGNORE) == MPI_SUCCESS);
        CHECK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE) == MPI_SUCCESS);
    }
    for (int i = 0; i < ranks * STRIDE; i++) {
        intact = intact && (i % STRIDE < N ? other[i] == 0 : got[i] == GUARD && other[i] == 1);
    }
    CHECK(intact);
    free(other);
    free(got);
    free(out);
    MPI_Comm_free(&irr);
}

/* Null pointers where nothing is sent or received. */
static void case_nothing(uint64_t *state)
{
    MPI_Comm irr = dup_irr(MPI_COMM_WORLD, keys, nkeys);
    int ranks, *zeros;

    (void)state;
    MPI_Comm_size(irr, &ranks);
    zeros = calloc((size_t)ranks, sizeof(int));
    for (int i = 0; i < 70; i++) {
        MPI_Request requests[2];

        MPI_Ialltoallv(NULL, zeros, zeros, MPI_INT, NULL, zeros, zeros, MPI_INT, irr, &requests[0]);
        MPI_Ialltoall(NULL, 0, MPI_INT, NULL, 0, MPI_INT, irr, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    free(zeros);
    MPI_Comm_free(&irr);
}

/* An operation in place that has no bytes. */
static MPI_Request in_place_empty(MPI_Comm comm, const int *zeros)
{
    MPI_Request request;

    MPI_Ialltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, NULL, zeros, zeros, MPI_INT, comm, &request);
    return request;
}

/*
 * In place and without a byte, which takes no tag of Open MPI 4.1's: as the first call, which says nothing of those
 * that follow, and while rank 0 does not know yet what the others do.  What comes after it on the communicator meets.
 */
static void case_empty(uint64_t *state)
{
    for (int round = 0; round < 6; round++) {
        MPI_Request requests[3];
        MPI_Comm irr, host;
        int rank, ranks, *zeros;
        work_t op;
        unsigned long long served;

        open_comms(&irr, &host);
        MPI_Comm_rank(irr, &rank);
        op_shape(&op, irr, host, 1, state);
        MPI_Comm_size(irr, &ranks);
        zeros = calloc((size_t)ranks, sizeof(int));
        work_fill(&op);
        if (round % 2 == 0) {
            requests[0] = in_place_empty(irr, zeros);
        } else {
            op_start(&op);
            requests[0] = op.request;
        }
        if (rank > 0) {
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        }
        requests[1] = in_place_empty(irr, zeros);
        MPI_Ibarrier(irr, &requests[2]);
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
        op.request = MPI_REQUEST_NULL;
        CHECK(round % 2 == 0 || work_is_right(&op));
        served = mpi_test_served();
        CHECK(op_once(&op));
        CHECK(mpi_test_served() == served + 1);
        op_close(&op);
        free(zeros);
        free_comms(&irr, &host);
    }
}

/* ---- threads ---- */

/* MPI_Test by one thread, while another one starts and waits. */
static void *run_thread(void *argument)
{
    work_t *ops = argument;
    intptr_t bad = 0;

    for (int i = 0; i < 60; i++) {
        work_fill(&ops[0]);
        work_fill(&ops[1]);
        op_start(&ops[0]);
        op_start(&ops[1]);
        if (i % 2 == 0) {
            MPI_Wait(&ops[1].request, MPI_STATUS_IGNORE);
            MPI_Wait(&ops[0].request, MPI_STATUS_IGNORE);
        } else {
            for (int flag = 0; !flag;) {
                MPI_Request both[2] = { ops[0].request, ops[1].request };

                MPI_Testall(2, both, &flag, MPI_STATUSES_IGNORE);
            }
            ops[0].request = ops[1].request = MPI_REQUEST_NULL;
        }
        bad += !work_is_right(&ops[0]) + !work_is_right(&ops[1]);
    }
    return (void *)bad;
}

/* What is started here is completed there. */
static void *complete_one(void *argument)
{
    MPI_Wait(argument, MPI_STATUS_IGNORE);
    return NULL;
}

static void case_threads(uint64_t *state)
{
    enum { THREADS = 3 };
    MPI_Comm irr[THREADS], host[THREADS];
    work_t ops[THREADS][2];
    pthread_t threads[THREADS];

    if (!CHECK(thread_level == MPI_THREAD_MULTIPLE)) {
        return;
    }
    for (int t = 0; t < THREADS; t++) {
        open_comms(&irr[t], &host[t]);
        for (int i = 0; i < 2; i++) {
            op_shape(&ops[t][i], irr[t], host[t], 1 + t + i, state);
        }
    }
    for (int t = 0; t < THREADS; t++) {
        CHECK(pthread_create(&threads[t], NULL, run_thread, ops[t]) == 0);
    }
    for (int t = 0; t < THREADS; t++) {
        void *bad;

        pthread_join(threads[t], &bad);
        CHECK(bad == NULL);
    }
    for (int i = 0; i < 30; i++) {
        work_fill(&ops[0][0]);
        op_start(&ops[0][0]);
        CHECK(pthread_create(&threads[0], NULL, complete_one, &ops[0][0].request) == 0);
        CHECK(op_once(&ops[1][0]));
        pthread_join(threads[0], NULL);
        CHECK(work_is_right(&ops[0][0]));
    }
    for (int t = 0; t < THREADS; t++) {
        op_close(&ops[t][0]);
        op_close(&ops[t][1]);
        free_comms(&irr[t], &host[t]);
    }
}

const op_case_t op_cases[] = {
    { "orphans", case_orphans }, { "active", case_active }, { "truncation", case_truncation },
    { "nothing", case_nothing }, { "empty", case_empty }, { "threads", case_threads }, { NULL, NULL }
};

int main(int argc, char **argv)
{
    return op_main(argc, argv);
}
