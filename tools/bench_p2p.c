/*
 * bench_p2p.c - an exchange as applications write it by hand: MPI_Irecv for each block to receive, MPI_Isend for each
 * block to send, both in the order of ranks, and MPI_Waitall.
 *
 * An empty block has no message, as both ends know the counts.  The block that a rank has for itself is a message, too.
 */
#include "bench.h"

/* One message for the block of a slot.  The number of the edge is the tag: two ranks may be neighbours twice. */
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

int irr_bench_p2p_start(const irr_bench_exchange_t *exchange, MPI_Comm comm)
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

void irr_bench_p2p(const irr_bench_exchange_t *exchange, MPI_Comm comm)
{
    MPI_Waitall(irr_bench_p2p_start(exchange, comm), exchange->requests, MPI_STATUSES_IGNORE);
}
