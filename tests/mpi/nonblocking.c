/*
 * nonblocking.c - nonblocking calls of coll/irr against Open MPI's own, byte by byte.
 *
 *     mpi_nonblocking CASE[:NUMBER] [served=yes|no] [INFO_KEY=VALUE ...] [, CASE ...]   see mpi_op.h
 */
#include "mpi_op.h"

/* ---- types ---- */

static void run_types(MPI_Comm irr, MPI_Comm host, MPI_Datatype send_type, MPI_Datatype recv_type, uint64_t *state)
{
    for (int shape = 0; shape < SHAPES; shape++) {
        work_t op = { .in_place = 0 };

        call_init(&op.call, irr, shape, send_type, recv_type, shape % 2, state);
        op_open(&op, irr, host);
        for (int i = 0; i < 3; i++) {
            CHECK(op_once(&op));
        }
        op_close(&op);
    }
}

static void run_in_place(MPI_Comm irr, MPI_Comm host, MPI_Datatype type, uint64_t *state)
{
    work_t op = { .in_place = 1 };

    call_init_in_place(&op.call, irr, type, state);
    op_open(&op, irr, host);
    for (int i = 0; i < 3; i++) {
        CHECK(op_once(&op));
    }
    op_close(&op);
}

static void case_types(uint64_t *state)
{
    MPI_Datatype pair = pair_type(), vector = vector_type();
    MPI_Comm irr, host;
    int rank;

    open_comms(&irr, &host);
    MPI_Comm_rank(irr, &rank);
    run_types(irr, host, MPI_CHAR, MPI_CHAR, state);
    run_types(irr, host, MPI_DOUBLE, MPI_DOUBLE, state);
    run_types(irr, host, rank % 2 == 0 ? pair : vector, rank % 3 == 0 ? vector : pair, state);
    run_in_place(irr, host, MPI_DOUBLE, state);
    run_in_place(irr, host, vector, state);
    MPI_Type_free(&pair);
    MPI_Type_free(&vector);
    free_comms(&irr, &host);
}

/* ---- many at a time ---- */

enum { TOGETHER = 12 };

/* What does not wait for the operations that are under way, alike on all ranks. */
static void other_calls(MPI_Comm irr, int round, uint64_t *state)
{
    int one = 1, rank, ranks, got = -1;
    MPI_Request barrier, sums;
    call_t call;

    MPI_Comm_rank(irr, &rank);
    MPI_Comm_size(irr, &ranks);
    switch (round % 4) {
    case 0:
        MPI_Ibarrier(irr, &barrier);
        MPI_Iallreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_SUM, irr, &sums);
        MPI_Wait(&sums, MPI_STATUS_IGNORE);
        MPI_Wait(&barrier, MPI_STATUS_IGNORE);
        CHECK(one == ranks);
        break;
    case 1:
        MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_SUM, irr);
        CHECK(one == ranks);
        break;
    case 2:
        call_init(&call, irr, 1, MPI_CHAR, MPI_CHAR, 0, state);
        MPI_Alltoallv(call.send.base, call.send.counts, call.send.displs, MPI_CHAR, call.recv.base, call.recv.counts,
                      call.recv.displs, MPI_CHAR, irr);
        call_fini(&call);
        break;
    default:
        MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % ranks, 3, &got, 1, MPI_INT, (rank + ranks - 1) % ranks, 3, irr,
                     MPI_STATUS_IGNORE);
        CHECK(got == (rank + ranks - 1) % ranks);
        break;
    }
}

/* All ways to complete some of what is under way, in an order of each rank's own. */
static void complete_all(work_t *ops, int count, int how)
{
    int order[TOGETHER], indices[TOGETHER], done = 0, rank;
    MPI_Request requests[TOGETHER];

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < count; i++) {
        order[i] = rank % 2 == 0 ? (i + rank) % count : count - 1 - (i + rank) % count;
        requests[i] = ops[order[i]].request;
        ops[order[i]].request = MPI_REQUEST_NULL;
    }
    while (done < count) {
        int got = 1, flag = 0;

        switch (how % 5) {
        case 0:
            MPI_Waitany(count, requests, &indices[0], MPI_STATUS_IGNORE);
            break;
        case 1:
            MPI_Testsome(count, requests, &got, indices, MPI_STATUSES_IGNORE);
            break;
        case 2:
            MPI_Waitsome(count, requests, &got, indices, MPI_STATUSES_IGNORE);
            break;
        case 3:
            MPI_Test(&requests[indices[0] = done], &flag, MPI_STATUS_IGNORE);
            got = flag;
            break;
        default:
            MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
            for (got = 0; got < count; got++) {
                indices[got] = got;
            }
            break;
        }
        for (int i = 0; i < got; i++) {
            CHECK(work_is_right(&ops[order[indices[i]]]));
        }
        done += got;
    }
}

/* They are alike in no two rounds. */
static void case_together(uint64_t *state)
{
    const int rounds = number > 0 ? number : 20;
    work_t ops[TOGETHER];
    MPI_Comm irr, host;

    open_comms(&irr, &host);
    for (int round = 0; round < rounds; round++) {
        const int count = 1 + (int)(mpi_test_random(state) % TOGETHER);

        for (int i = 0; i < count; i++) {
            op_shape(&ops[i], irr, host, (int)(mpi_test_random(state) % SHAPES), state);
            work_fill(&ops[i]);
        }
        for (int i = 0; i < count; i++) {
            op_start(&ops[i]);
            if (i == count / 2) {
                other_calls(irr, round, state);
            }
        }
        complete_all(ops, count, round);
        for (int i = 0; i < count; i++) {
            op_close(&ops[i]);
        }
    }
    free_comms(&irr, &host);
}

/* ---- a program of nonblocking calls alone ---- */

/* NUMBER calls, up to three at a time. */
static void case_only(uint64_t *state)
{
    const int calls = number > 0 ? number : 400;
    work_t ops[3];
    MPI_Comm irr, host;

    open_comms(&irr, &host);
    for (int i = 0; i < 3; i++) {
        op_shape(&ops[i], irr, host, 1 + i, state);
    }
    for (int k = 0; k < calls; k += 3) {
        const int at_once = 1 + k / 3 % 3;

        for (int i = 0; i < 3; i++) {
            work_fill(&ops[i]);
        }
        for (int i = 0; i < 3; i += at_once) {
            const int end = i + at_once < 3 ? i + at_once : 3;

            for (int j = i; j < end; j++) {
                op_start(&ops[j]);
            }
            for (int j = end; j-- > i;) {
                MPI_Wait(&ops[j].request, MPI_STATUS_IGNORE);
                CHECK(work_is_right(&ops[j]));
            }
        }
    }
    for (int i = 0; i < 3; i++) {
        op_close(&ops[i]);
    }
    free_comms(&irr, &host);
}

/* The same of equal blocks; every seventh call in place. */
static void case_equal(uint64_t *state)
{
    const int calls = number > 0 ? number : 60;
    MPI_Comm irr, host;
    int ranks, rank, *in, *out, *want;

    (void)state;
    open_comms(&irr, &host);
    MPI_Comm_size(irr, &ranks);
    MPI_Comm_rank(irr, &rank);
    in = malloc(2000 * (size_t)ranks * sizeof(int));
    out = malloc(2000 * (size_t)ranks * sizeof(int));
    want = malloc(2000 * (size_t)ranks * sizeof(int));
    for (int k = 0; k < calls; k++) {
        const int count = k % 5 == 4 ? 0 : 1 + k * 31 % 2000, in_place = k % 7 == 3;
        MPI_Request request;

        for (int i = 0; i < ranks * count; i++) {
            in[i] = rank * 1000003 + k * 101 + i;
            out[i] = in_place ? in[i] : -1;
        }
        MPI_Alltoall(in, count, MPI_INT, want, count, MPI_INT, host);
        MPI_Ialltoall(in_place ? MPI_IN_PLACE : in, count, MPI_INT, out, count, MPI_INT, irr, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(memcmp(out, want, (size_t)ranks * (size_t)count * sizeof(int)) == 0);
    }
    free(in);
    free(out);
    free(want);
    free_comms(&irr, &host);
}

/* ---- the rest of the family ---- */

enum { LONGEST = 300 };

static int value_of(int call, int from, int to, int i)
{
    return call * 1000003 + from * 10007 + to * 101 + i;
}

/* Columns of doubles, one a rank, become rows. */
static void call_w(MPI_Comm irr, int call)
{
    const int count = call % 4 == 3 ? 0 : 1 + call % 50;
    int ranks, rank, *counts, *out_counts, *in_displs, *out_displs;
    MPI_Datatype *in_types, *out_types, column;
    MPI_Request request;
    double *in, *out;

    MPI_Comm_size(irr, &ranks);
    MPI_Comm_rank(irr, &rank);
    in = calloc((size_t)ranks * 51, sizeof(double));
    out = calloc((size_t)ranks * 51, sizeof(double));
    counts = calloc(4 * (size_t)ranks, sizeof(int));
    out_counts = counts + 3 * ranks;
    in_displs = counts + ranks;
    out_displs = counts + 2 * ranks;
    in_types = calloc(2 * (size_t)ranks, sizeof(MPI_Datatype));
    out_types = in_types + ranks;
    MPI_Type_vector(count, 1, ranks, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    for (int i = 0; i < ranks; i++) {
        counts[i] = i % 2 == 0 ? 1 : count;
        out_counts[i] = count;
        in_types[i] = i % 2 == 0 ? column : MPI_DOUBLE;
        out_types[i] = MPI_DOUBLE;
        in_displs[i] = i % 2 == 0 ? i * (int)sizeof(double) : 51 * i * (int)sizeof(double);
        out_displs[i] = 51 * i * (int)sizeof(double);
    }
    for (int i = 0; i < 51 * ranks; i++) {
        in[i] = value_of(call, rank, 0, i);
        out[i] = -1;
    }
    MPI_Ialltoallw(in, counts, in_displs, in_types, out, out_counts, out_displs, out_types, irr, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < ranks; i++) {
        for (int k = 0; k < 51; k++) {
            const int at = rank % 2 == 0 ? rank + k * ranks : 51 * rank + k;

            CHECK(out[51 * i + k] == (k < count ? value_of(call, i, 0, at) : -1));
        }
    }
    MPI_Type_free(&column);
    free(in_types);
    free(counts);
    free(in);
    free(out);
}

/* To the next two ranks, from the last two. */
static void call_neighbors(MPI_Comm ring, int call)
{
    static int in[2 * LONGEST], out[2 * LONGEST];
    const int most = 1 + call % LONGEST;
    int ranks, rank, to[2], from[2], sent[2], got[2], displs[2] = { LONGEST, 0 };
    MPI_Datatype types[2] = { MPI_INT, MPI_INT };
    MPI_Aint far[2] = { LONGEST * (MPI_Aint)sizeof(int), 0 };
    MPI_Request request;

    MPI_Comm_size(ring, &ranks);
    MPI_Comm_rank(ring, &rank);
    for (int i = 0; i < 2; i++) {
        to[i] = (rank + i + 1) % ranks;
        from[i] = (rank + ranks * 2 - i - 1) % ranks;
        sent[i] = call % 3 == 0 ? most : (to[i] + rank + call) % most;
        got[i] = call % 3 == 0 ? most : (from[i] + rank + call) % most;
        displs[i] = call % 3 == 0 ? i * most : displs[i];
        for (int k = 0; k < sent[i]; k++) {
            in[displs[i] + k] = value_of(call, rank, to[i], k);
        }
    }
    memset(out, 0x33, sizeof(out));
    switch (call % 3) {
    case 0:
        MPI_Ineighbor_alltoall(in, most, MPI_INT, out, most, MPI_INT, ring, &request);
        break;
    case 1:
        MPI_Ineighbor_alltoallv(in, sent, displs, MPI_INT, out, got, displs, MPI_INT, ring, &request);
        break;
    default:
        MPI_Ineighbor_alltoallw(in, sent, far, types, out, got, far, types, ring, &request);
        break;
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < got[i]; k++) {
            CHECK(out[displs[i] + k] == value_of(call, from[i], rank, k));
        }
    }
}

/* What must be served is, of each kind. */
static void case_family(uint64_t *state)
{
    const int calls = number > 0 ? number : 60, weights[2] = { 1, 1 };
    MPI_Comm irr, host, ring, graph;
    int ranks, rank, to[2], from[2];

    (void)state;
    open_comms(&irr, &host);
    MPI_Comm_size(irr, &ranks);
    MPI_Comm_rank(irr, &rank);
    for (int i = 0; i < 2; i++) {
        to[i] = (rank + i + 1) % ranks;
        from[i] = (rank + ranks * 2 - i - 1) % ranks;
    }
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, from, weights, 2, to, weights, MPI_INFO_NULL, 0, &graph);
    ring = dup_irr(graph, keys, nkeys);
    for (int k = 0; k < calls; k++) {
        call_w(irr, k);
        call_neighbors(ring, k);
    }
    MPI_Comm_free(&ring);
    MPI_Comm_free(&graph);
    free_comms(&irr, &host);
}

/* ---- nobody waits in a call, and others are served meanwhile ---- */

/* One rank makes all its calls, and only then tells the others to begin: so none of them may wait for others. */
static void case_ahead(uint64_t *state)
{
    enum { CALLS = 90 };
    work_t *ops = calloc(CALLS, sizeof(*ops));
    MPI_Request all[CALLS];
    MPI_Comm irr, host;
    int rank, ranks, go = 0;

    open_comms(&irr, &host);
    MPI_Comm_rank(irr, &rank);
    MPI_Comm_size(irr, &ranks);
    for (int i = 0; i < CALLS; i++) {
        op_shape(&ops[i], irr, host, i % 5, state);
        work_fill(&ops[i]);
    }
    if (rank > 0) {
        MPI_Recv(&go, 1, MPI_INT, rank - 1, 0, irr, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < CALLS; i++) {
        op_start(&ops[i]);
        all[i] = ops[i].request;
        ops[i].request = MPI_REQUEST_NULL;
    }
    if (rank + 1 < ranks) {
        MPI_Send(&go, 1, MPI_INT, rank + 1, 0, irr);
    }
    MPI_Waitall(CALLS, all, MPI_STATUSES_IGNORE);
    for (int i = 0; i < CALLS; i++) {
        CHECK(work_is_right(&ops[i]));
        op_close(&ops[i]);
    }
    free(ops);
    free_comms(&irr, &host);
}

/* The first rank waits for its operation, and only then sends what the others wait for in calls of another kind. */
static void case_inside(uint64_t *state)
{
    work_t op;
    MPI_Comm irr, host;
    int rank, ranks, go = 0;

    open_comms(&irr, &host);
    MPI_Comm_rank(irr, &rank);
    MPI_Comm_size(irr, &ranks);
    op_shape(&op, irr, host, 5, state);
    for (int i = 0; i < 50; i++) {
        work_fill(&op);
        op_start(&op);
        if (rank == i % ranks) {
            MPI_Wait(&op.request, MPI_STATUS_IGNORE);
            for (int j = 0; j < ranks; j++) {
                if (j != rank) {
                    MPI_Send(&go, 1, MPI_INT, j, 0, irr);
                }
            }
        } else {
            MPI_Recv(&go, 1, MPI_INT, i % ranks, 0, irr, MPI_STATUS_IGNORE);
            MPI_Wait(&op.request, MPI_STATUS_IGNORE);
        }
        CHECK(work_is_right(&op));
    }
    op_close(&op);
    free_comms(&irr, &host);
}

const op_case_t op_cases[] = {
    { "types", case_types }, { "together", case_together }, { "only", case_only }, { "equal", case_equal },
    { "family", case_family }, { "ahead", case_ahead }, { "inside", case_inside }, { NULL, NULL }
};

int main(int argc, char **argv)
{
    return op_main(argc, argv);
}
