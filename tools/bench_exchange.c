/*
 * bench_exchange.c - one rank's part of the exchange: counts, displacements, buffers, and their contents.
 *
 * Only rank 0 has the whole count matrix; another rank has its row and its column.  The value of a byte depends on
 * source, destination, offset and the number of the exchange.  Each rank can therefore compute the bytes that it
 * expects, and detects a byte of an earlier exchange or of another message.  A slot stands for a peer (bench_call.c).
 */
#include "bench.h"

#include "core/random.h"
#include "study/bytes.h"

#include <stdlib.h>
#include <string.h>

/* ---- blocks in memory ---- */

/* With a datatype a block is divided into pieces, and pieces of the next blocks fill the gaps between them. */

/* Returns the offset of byte number `byte` of a slot's block.  Sets *run_p to the number of contiguous bytes there. */
static size_t place_of(const irr_bench_exchange_t *exchange, const irr_bench_side_t *side, int slot, size_t byte,
                       size_t *run_p)
{
    const size_t length = (size_t)side->counts[slot], offset = (size_t)side->offsets[slot];
    size_t piece;

    if (side->types == NULL) {
        *run_p = length - byte;
        return offset + byte;
    }
    piece = length / (size_t)exchange->work->pieces;
    *run_p = piece - byte % piece;
    return offset + byte / piece * piece * (size_t)exchange->work->stride + byte % piece;
}

/* Creates the datatypes of a side.  Returns false if memory runs out. */
static bool types_init(const irr_bench_work_t *work, irr_bench_side_t *side, int slots)
{
    side->types = malloc((size_t)slots * sizeof(*side->types));
    for (int i = 0; side->types != NULL && i < slots; i++) {
        const int piece = side->counts[i] / work->pieces;

        MPI_Type_vector(work->pieces, piece, work->stride * piece, MPI_BYTE, &side->types[i]);
        MPI_Type_commit(&side->types[i]);
        side->ones[i] = 1;
    }
    return side->types != NULL;
}

/* ---- counts and buffers ---- */

/* Rank 0 sends each rank its row or column of the matrix, which contains the counts of the slots of a side. */
static void scatter(const irr_matrix_t *matrix, bool columns, int *all, int *row, const irr_bench_exchange_t *exchange,
                    irr_bench_side_t *side)
{
    const int ranks = exchange->ranks;

    for (int i = 0; all != NULL && i < ranks; i++) {
        for (int j = 0; j < ranks; j++) {
            all[(size_t)i * (size_t)ranks + (size_t)j] =
                (int)(columns ? *irr_matrix_at(matrix, j, i) : *irr_matrix_at(matrix, i, j));
        }
    }
    MPI_Scatter(all, ranks, MPI_INT, row, ranks, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < exchange->slots; i++) {
        side->counts[i] = row[side->ranks[i]];
    }
}

/* Allocates at least one byte: malloc(0) may return NULL, and NULL means failure here. */
static void *room(size_t bytes)
{
    return malloc(bytes > 0 ? bytes : 1);
}

static bool make_side(irr_bench_exchange_t *exchange, bool sends, irr_bench_side_t *side)
{
    int **const arrays[] = { &side->ranks, &side->numbers, &side->counts, &side->offsets, &side->longest, &side->ones };
    const size_t slots = (size_t)exchange->slots;

    side->ints = room(sizeof(arrays) / sizeof(arrays[0]) * slots * sizeof(*side->ints));
    if (side->ints == NULL) {
        return false;
    }
    for (size_t k = 0; k < sizeof(arrays) / sizeof(arrays[0]); k++) {
        *arrays[k] = side->ints + k * slots;
    }
    for (int i = 0; i < exchange->slots; i++) {
        side->ranks[i] = irr_bench_peer(exchange->work, exchange->ranks, exchange->rank, i, sends, &side->numbers[i]);
    }
    return true;
}

static bool make_counts(irr_bench_exchange_t *exchange, const irr_matrix_t *matrix, uint64_t unit)
{
    const size_t ranks = (size_t)exchange->ranks;
    int *all = exchange->rank == 0 ? room(ranks * ranks * sizeof(*all)) : NULL;
    int *row = room(ranks * sizeof(*row));
    bool good = make_side(exchange, true, &exchange->send);

    good = make_side(exchange, false, &exchange->recv) && good;
    good = irr_cli_all(good && row != NULL && (exchange->rank != 0 || all != NULL));
    if (good && exchange->work->call == IRR_BENCH_NEIGHBOR) {
        for (int i = 0; i < exchange->slots; i++) {
            exchange->send.counts[i] = exchange->recv.counts[i] = (int)unit;
        }
    } else if (good) {
        scatter(matrix, false, all, row, exchange, &exchange->send);
        scatter(matrix, true, all, row, exchange, &exchange->recv);
    }
    free(row);
    free(all);
    return good;
}

/*
 * Sets the displacements of the blocks.  Returns the bytes from the first block to the end of the last; irr_bench_load
 * has checked that they fit an int.  With datatypes all blocks are equally long, and `stride` of them interleave: a
 * piece of each, then the next piece of each, and so on.
 */
static size_t displace(const irr_bench_exchange_t *exchange, irr_bench_side_t *side)
{
    const irr_bench_work_t *work = exchange->work;
    int sum = 0;

    for (int i = 0; i < exchange->slots; i++) {
        side->offsets[i] = sum;
        if (work->call != IRR_BENCH_ALLTOALLW) {
            sum += side->counts[i];
        } else {
            const bool last = i % work->stride == work->stride - 1 || i == exchange->slots - 1;

            sum = last ? (i / work->stride + 1) * work->stride * side->counts[i] : sum + side->counts[i] / work->pieces;
        }
    }
    return (size_t)sum;
}

/* Returns the length of the longest block of a side, or `least` if that is more. */
static size_t longest(const irr_bench_side_t *side, int slots, size_t least)
{
    for (int i = 0; i < slots; i++) {
        least = (size_t)side->counts[i] > least ? (size_t)side->counts[i] : least;
    }
    return least;
}

/* Fills a side.  buffer: with MPI_IN_PLACE that of the receive side; NULL: allocates one.  False: no memory. */
static bool fill_side(const irr_bench_exchange_t *exchange, irr_bench_side_t *side, unsigned char *buffer)
{
    const size_t bytes = displace(exchange, side);

    memcpy(side->longest, side->counts, (size_t)exchange->slots * sizeof(*side->longest));
    side->buffer = buffer != NULL ? buffer : room(bytes);
    return side->buffer != NULL && (exchange->work->call != IRR_BENCH_ALLTOALLW ||
                                    types_init(exchange->work, side, exchange->slots));
}

irr_cli_exit_t irr_bench_exchange_init(irr_bench_exchange_t *exchange, const irr_bench_work_t *work,
                                       const irr_matrix_t *matrix, uint64_t unit)
{
    irr_cli_exit_t code;
    bool good;

    *exchange = (irr_bench_exchange_t){ .work = work };
    MPI_Comm_size(MPI_COMM_WORLD, &exchange->ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &exchange->rank);
    exchange->slots = irr_bench_slots(work, exchange->ranks, exchange->rank);
    good = make_counts(exchange, matrix, unit);
    if (good) {
        exchange->message = room(longest(&exchange->send, exchange->slots,
                                         longest(&exchange->recv, exchange->slots, 0)));
        exchange->requests = room(2 * (size_t)exchange->slots * sizeof(*exchange->requests));
        good = fill_side(exchange, &exchange->recv, NULL);
        good = fill_side(exchange, &exchange->send, work->in_place ? exchange->recv.buffer : NULL) &&
               exchange->message != NULL && exchange->requests != NULL && good;
        exchange->from = work->in_place ? MPI_IN_PLACE : exchange->send.buffer;
    }
    code = irr_cli_all_have(good, "not enough memory for the buffers of all ranks; try smaller counts");
    if (code != IRR_CLI_GOOD) {
        irr_bench_exchange_fini(exchange);
    }
    return code;
}

static void side_fini(const irr_bench_exchange_t *exchange, irr_bench_side_t *side)
{
    for (int i = 0; side->types != NULL && i < exchange->slots; i++) {
        MPI_Type_free(&side->types[i]);
    }
    free(side->types);
    free(side->buffer);
    free(side->ints);
    *side = (irr_bench_side_t){ .ints = NULL };
}

void irr_bench_exchange_fini(irr_bench_exchange_t *exchange)
{
    if (exchange->send.buffer == exchange->recv.buffer) {
        exchange->send.buffer = NULL;
    }
    side_fini(exchange, &exchange->send);
    side_fini(exchange, &exchange->recv);
    free(exchange->message);
    free(exchange->requests);
}

/* ---- contents of the buffers ---- */

/* Returns the key of the bytes of a block in exchange `number`.  edge: the number of the block if there are several. */
static uint64_t key_of(int source, int destination, int edge, uint64_t number)
{
    uint64_t key = number;

    key = irr_random(&key) + (uint64_t)edge;
    key = irr_random(&key) + ((uint64_t)source << 32) + (uint64_t)destination;
    return irr_random(&key);
}

/* Copies exchange->message into the block of a slot, or the block into exchange->message. */
static void copy_block(const irr_bench_exchange_t *exchange, const irr_bench_side_t *side, int slot, bool into_block)
{
    const size_t length = (size_t)side->counts[slot];
    size_t run;

    for (size_t at = 0; at < length; at += run) {
        unsigned char *place = side->buffer + place_of(exchange, side, slot, at, &run);

        if (into_block) {
            memcpy(place, exchange->message + at, run);
        } else {
            memcpy(exchange->message + at, place, run);
        }
    }
}

void irr_bench_fill(const irr_bench_exchange_t *exchange, uint64_t number)
{
    const irr_bench_side_t *send = &exchange->send, *recv = &exchange->recv;
    const int me = exchange->rank;

    for (int i = 0; i < exchange->slots; i++) {
        irr_bytes_write(exchange->message, (size_t)send->counts[i],
                        key_of(me, send->ranks[i], send->numbers[i], number), 0);
        copy_block(exchange, send, i, true);
        if (!exchange->work->in_place) {
            irr_bytes_write(exchange->message, (size_t)recv->counts[i],
                            key_of(recv->ranks[i], me, recv->numbers[i], number), UINT64_MAX);
            copy_block(exchange, recv, i, true);
        }
    }
}

void irr_bench_verify(const irr_bench_exchange_t *exchange, uint64_t number, irr_bench_fault_t *fault)
{
    const irr_bench_side_t *recv = &exchange->recv;

    for (int i = 0; i < exchange->slots && !fault->found; i++) {
        const size_t length = (size_t)recv->counts[i];
        const uint64_t key = key_of(recv->ranks[i], exchange->rank, recv->numbers[i], number);
        size_t wrong;

        copy_block(exchange, recv, i, false);
        wrong = irr_bytes_right(exchange->message, length, key);
        if (wrong < length) {
            *fault = (irr_bench_fault_t){ true, recv->ranks[i], (int)wrong, irr_bytes_at(key, wrong),
                                          exchange->message[wrong] };
        }
    }
}
