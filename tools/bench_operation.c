/*
 * bench_operation.c - how a row of irr_bench exchanges: by the call, by its nonblocking form, by a persistent request,
 * or by point-to-point messages.  Each has a start that returns the number of requests to complete; a blocking call has
 * none.
 *
 * Point-to-point messages are those of many applications: MPI_Irecv for each block to receive, MPI_Isend for each block
 * to send, both in the order of ranks, and MPI_Waitall.  An empty block has no message, as both ends know the counts.
 * The block that a rank has for itself is also a message.
 *
 * Open MPI 4.1 has persistent collectives as an extension, under the names that MPI 4.0 adopted later.
 */
#include "bench.h"

#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define ALLTOALLV_INIT MPI_Alltoallv_init
#elif defined(OMPI_MAJOR_VERSION)
#include <mpi-ext.h>
#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
#define ALLTOALLV_INIT MPIX_Alltoallv_init
#endif
#endif

/* ---- the call ---- */

void irr_bench_call(const irr_bench_exchange_t *exchange, MPI_Comm comm)
{
    const irr_bench_side_t *send = &exchange->send, *recv = &exchange->recv;

    switch (exchange->work->call) {
    case IRR_BENCH_ALLTOALL:
        MPI_Alltoall(exchange->from, send->counts[0], MPI_BYTE, recv->buffer, recv->counts[0], MPI_BYTE, comm);
        break;
    case IRR_BENCH_ALLTOALLW:
        MPI_Alltoallw(exchange->from, send->ones, send->offsets, send->types, recv->buffer, recv->ones, recv->offsets,
                      recv->types, comm);
        break;
    case IRR_BENCH_NEIGHBOR:
        MPI_Neighbor_alltoallv(exchange->from, send->counts, send->offsets, MPI_BYTE, recv->buffer, recv->counts,
                               recv->offsets, MPI_BYTE, comm);
        break;
    default:
        MPI_Alltoallv(exchange->from, send->counts, send->offsets, MPI_BYTE, recv->buffer, recv->counts, recv->offsets,
                      MPI_BYTE, comm);
    }
}

static void start_call(const irr_bench_exchange_t *exchange, MPI_Comm comm, MPI_Request *request)
{
    const irr_bench_side_t *send = &exchange->send, *recv = &exchange->recv;

    switch (exchange->work->call) {
    case IRR_BENCH_ALLTOALL:
        MPI_Ialltoall(exchange->from, send->counts[0], MPI_BYTE, recv->buffer, recv->counts[0], MPI_BYTE, comm,
                      request);
        break;
    case IRR_BENCH_ALLTOALLW:
        MPI_Ialltoallw(exchange->from, send->ones, send->offsets, send->types, recv->buffer, recv->ones, recv->offsets,
                       recv->types, comm, request);
        break;
    case IRR_BENCH_NEIGHBOR:
        MPI_Ineighbor_alltoallv(exchange->from, send->counts, send->offsets, MPI_BYTE, recv->buffer, recv->counts,
                                recv->offsets, MPI_BYTE, comm, request);
        break;
    default:
        MPI_Ialltoallv(exchange->from, send->counts, send->offsets, MPI_BYTE, recv->buffer, recv->counts, recv->offsets,
                       MPI_BYTE, comm, request);
    }
}

/* ---- persistent requests ---- */

bool irr_bench_persistent(void)
{
#ifdef ALLTOALLV_INIT
    return true;
#else
    return false;
#endif
}

static void create_request(MPI_Comm comm, const irr_bench_exchange_t *exchange, MPI_Request *request)
{
#ifdef ALLTOALLV_INIT
    const irr_bench_side_t *send = &exchange->send, *recv = &exchange->recv;

    ALLTOALLV_INIT(exchange->from, send->counts, send->offsets, MPI_BYTE, recv->buffer, recv->counts, recv->offsets,
                   MPI_BYTE, comm, MPI_INFO_NULL, request);
#else
    (void)comm;
    (void)exchange;
    (void)request;
#endif
}

/* ---- point-to-point messages ---- */

/* Posts one message for the block of a slot.  Its tag is the number of the edge: two ranks may be neighbours twice. */
static void post(const irr_bench_exchange_t *exchange, MPI_Comm comm, bool sends, int slot, MPI_Request *request)
{
    const irr_bench_side_t *side = sends ? &exchange->send : &exchange->recv;
    const int peer = exchange->work->inter > 0 ? slot : side->ranks[slot], tag = side->numbers[slot];
    const int count = side->types != NULL ? side->ones[slot] : side->counts[slot];
    MPI_Datatype type = side->types != NULL ? side->types[slot] : MPI_BYTE;
    unsigned char *block = side->buffer + side->offsets[slot];

    if (sends) {
        MPI_Isend(block, count, type, peer, tag, comm, request);
    } else {
        MPI_Irecv(block, count, type, peer, tag, comm, request);
    }
}

static int post_all(const irr_bench_exchange_t *exchange, MPI_Comm comm)
{
    int count = 0;

    for (int i = 0; i < exchange->slots; i++) {
        if (exchange->recv.counts[i] > 0) {
            post(exchange, comm, false, i, &exchange->requests[count++]);
        }
    }
    for (int i = 0; i < exchange->slots; i++) {
        if (exchange->send.counts[i] > 0) {
            post(exchange, comm, true, i, &exchange->requests[count++]);
        }
    }
    return count;
}

/* ---- operations ---- */

void irr_bench_operations_create(const irr_bench_work_t *work, const MPI_Comm *comms,
                                 const irr_bench_exchange_t *exchange, irr_bench_operation_t *operations)
{
    for (int i = 0; i < work->rows; i++) {
        operations[i] = (irr_bench_operation_t){ .comm = comms[i], .persistent = MPI_REQUEST_NULL,
                                                 .by_hand = work->algorithms[i] == IRR_BENCH_P2P };
        if (work->starts[i]) {
            create_request(comms[i], exchange, &operations[i].persistent);
        }
    }
}

void irr_bench_operations_destroy(const irr_bench_work_t *work, irr_bench_operation_t *operations)
{
    for (int i = 0; i < work->rows; i++) {
        if (operations[i].persistent != MPI_REQUEST_NULL) {
            MPI_Request_free(&operations[i].persistent);
        }
    }
}

int irr_bench_start(const irr_bench_exchange_t *exchange, const irr_bench_operation_t *operation)
{
    if (operation->by_hand) {
        return post_all(exchange, operation->comm);
    }
    if (operation->persistent != MPI_REQUEST_NULL) {
        exchange->requests[0] = operation->persistent;
        MPI_Start(&exchange->requests[0]);
        return 1;
    }
    if (exchange->work->overlap) {
        start_call(exchange, operation->comm, &exchange->requests[0]);
        return 1;
    }
    irr_bench_call(exchange, operation->comm);
    return 0;
}
