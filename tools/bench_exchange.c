/*
 * bench_exchange.c - one rank's side of the exchange: counts, displacements, buffers, and what they hold.
 *
 * A rank allocates what its own row and column need.  Every byte of every exchange has a value that follows
 * from source, destination, offset and the number of the exchange, so each rank knows what must arrive
 * without being told, and a byte of an earlier exchange or of another message does not pass for the right
 * one.  Values are made eight bytes at a time; all ranks must have one byte order.
 */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

/* ---- counts and buffers ---- */

/* Rank 0 hands each rank its row of the matrix, or its column. */
static void scatter(const irr_matrix_t *matrix, bool columns, int *all, int *mine, int ranks)
{
    for (int i = 0; all != NULL && i < ranks; i++) {
        for (int j = 0; j < ranks; j++) {
            all[(size_t)i * (size_t)ranks + (size_t)j] =
                (int)(columns ? *irr_matrix_at(matrix, j, i) : *irr_matrix_at(matrix, i, j));
        }
    }
    MPI_Scatter(all, ranks, MPI_INT, mine, ranks, MPI_INT, 0, MPI_COMM_WORLD);
}

/* Displacements of blocks one behind the other; returns the sum, which irr_bench_load has checked. */
static size_t displace(const int *counts, int *offsets, int ranks)
{
    int sum = 0;

    for (int i = 0; i < ranks; i++) {
        offsets[i] = sum;
        sum += counts[i];
    }
    return (size_t)sum;
}

/* True on all ranks or on none. */
static bool all_have(bool mine)
{
    int have = mine;

    MPI_Allreduce(MPI_IN_PLACE, &have, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return have;
}

/* malloc(0) may return NULL, which must mean failure here. */
static void *room(size_t bytes)
{
    return malloc(bytes > 0 ? bytes : 1);
}

static bool make_counts(irr_bench_exchange_t *exchange, const irr_matrix_t *matrix)
{
    const size_t ranks = (size_t)exchange->ranks;
    int *all = exchange->rank == 0 ? room(ranks * ranks * sizeof(*all)) : NULL;
    bool good;

    exchange->ints = room(4 * ranks * sizeof(*exchange->ints));
    good = all_have(exchange->ints != NULL && (exchange->rank != 0 || all != NULL));
    if (good) {
        exchange->send_counts = exchange->ints;
        exchange->send_offsets = exchange->ints + ranks;
        exchange->recv_counts = exchange->ints + 2 * ranks;
        exchange->recv_offsets = exchange->ints + 3 * ranks;
        scatter(matrix, false, all, exchange->send_counts, exchange->ranks);
        scatter(matrix, true, all, exchange->recv_counts, exchange->ranks);
    }
    free(all);
    return good;
}

irr_cli_exit_t irr_bench_exchange_init(irr_bench_exchange_t *exchange, const irr_matrix_t *matrix)
{
    *exchange = (irr_bench_exchange_t){ 0 };
    MPI_Comm_size(MPI_COMM_WORLD, &exchange->ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &exchange->rank);
    if (make_counts(exchange, matrix)) {
        exchange->input = room(displace(exchange->send_counts, exchange->send_offsets, exchange->ranks));
        exchange->output = room(displace(exchange->recv_counts, exchange->recv_offsets, exchange->ranks));
    }
    if (all_have(exchange->input != NULL && exchange->output != NULL)) {
        return IRR_CLI_GOOD;
    }
    irr_bench_exchange_fini(exchange);
    if (exchange->rank == 0) {
        irr_cli_complain("not enough memory for the buffers of all ranks; try --scale or a smaller unit");
    }
    return IRR_CLI_REFUSED;
}

void irr_bench_exchange_fini(irr_bench_exchange_t *exchange)
{
    free(exchange->ints);
    free(exchange->input);
    free(exchange->output);
    exchange->ints = NULL;
    exchange->input = exchange->output = NULL;
}

/* ---- what the buffers hold ---- */

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t key_of(int source, int destination, uint64_t number)
{
    return mix(mix(number + 1) + ((uint64_t)source << 32) + (uint64_t)destination);
}

/* Bytes 8 * index to 8 * index + 7 of a message. */
static uint64_t word_of(uint64_t key, size_t index)
{
    uint64_t z = key + index * UINT64_C(0x9e3779b97f4a7c15);

    return z ^ (z >> 31);
}

/* flip: 0 writes the message, all ones its complement, in which every byte is wrong. */
static void write_message(unsigned char *bytes, size_t length, uint64_t key, uint64_t flip)
{
    for (size_t at = 0; at < length; at += sizeof(uint64_t)) {
        uint64_t word = word_of(key, at / sizeof(word)) ^ flip;

        memcpy(bytes + at, &word, length - at < sizeof(word) ? length - at : sizeof(word));
    }
}

/* The offset of the first byte that is wrong, length if none is. */
static size_t compare_message(const unsigned char *bytes, size_t length, uint64_t key)
{
    for (size_t at = 0; at < length; at += sizeof(uint64_t)) {
        const uint64_t word = word_of(key, at / sizeof(word));
        const size_t valid = length - at < sizeof(word) ? length - at : sizeof(word);

        if (memcmp(bytes + at, &word, valid) != 0) {
            while (bytes[at] == ((const unsigned char *)&word)[at % sizeof(word)]) {
                at++;
            }
            return at;
        }
    }
    return length;
}

void irr_bench_fill(const irr_bench_exchange_t *exchange, uint64_t number)
{
    const int me = exchange->rank;

    for (int i = 0; i < exchange->ranks; i++) {
        write_message(exchange->input + exchange->send_offsets[i], (size_t)exchange->send_counts[i],
                      key_of(me, i, number), 0);
        write_message(exchange->output + exchange->recv_offsets[i], (size_t)exchange->recv_counts[i],
                      key_of(i, me, number), UINT64_MAX);
    }
}

void irr_bench_verify(const irr_bench_exchange_t *exchange, uint64_t number, irr_bench_fault_t *fault)
{
    for (int i = 0; i < exchange->ranks && !fault->found; i++) {
        const unsigned char *bytes = exchange->output + exchange->recv_offsets[i];
        const size_t length = (size_t)exchange->recv_counts[i];
        const uint64_t key = key_of(i, exchange->rank, number);
        const size_t wrong = compare_message(bytes, length, key);

        if (wrong < length) {
            const uint64_t word = word_of(key, wrong / sizeof(word));

            *fault = (irr_bench_fault_t){ true, i, (int)wrong,
                                          ((const unsigned char *)&word)[wrong % sizeof(word)], bytes[wrong] };
        }
    }
}
