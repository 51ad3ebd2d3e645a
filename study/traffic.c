/*
 * traffic.c - see traffic.h.
 */
#include "study/traffic.h"

#include <math.h>

#define TILE 256   /* number of columns that are summed in one pass over the matrix, which is stored by rows */

typedef struct sums {
    double messages, bytes;
} sums_t;

static void add(sums_t *sums, uint64_t bytes)
{
    sums->messages += bytes > 0;
    sums->bytes += (double)bytes;
}

static void raise(sums_t *most, const sums_t *sums)
{
    most->messages = fmax(most->messages, sums->messages);
    most->bytes = fmax(most->bytes, sums->bytes);
}

/* Sums TILE columns from `first` on.  Raises *most to the largest sums, and *longest to the longest message. */
static void sum_columns(const irr_matrix_t *matrix, int first, sums_t *most, double *longest)
{
    const int count = matrix->ranks - first < TILE ? matrix->ranks - first : TILE;
    sums_t sums[TILE] = { { 0, 0 } };

    for (int i = 0; i < matrix->ranks; i++) {
        for (int k = 0; k < count; k++) {
            const uint64_t bytes = i != first + k ? *irr_matrix_at(matrix, i, first + k) : 0;

            add(&sums[k], bytes);
            *longest = fmax(*longest, (double)bytes);
        }
    }
    for (int k = 0; k < count; k++) {
        raise(most, &sums[k]);
    }
}

irr_traffic_t irr_traffic_of(const irr_matrix_t *matrix, int node_ranks)
{
    sums_t rows = { 0, 0 }, columns = { 0, 0 };
    double longest = 0;

    for (int i = 0; i < matrix->ranks; i++) {
        sums_t row = { 0, 0 };

        for (int j = 0; j < matrix->ranks; j++) {
            add(&row, i != j ? *irr_matrix_at(matrix, i, j) : 0);
        }
        raise(&rows, &row);
    }
    for (int first = 0; first < matrix->ranks; first += TILE) {
        sum_columns(matrix, first, &columns, &longest);
    }
    return (irr_traffic_t){
        .ranks = matrix->ranks, .node_ranks = node_ranks < matrix->ranks ? node_ranks : matrix->ranks,
        .own_processors = true,
        .messages = fmax(rows.messages, columns.messages), .lesser_messages = fmin(rows.messages, columns.messages),
        .bytes = fmax(rows.bytes, columns.bytes), .lesser_bytes = fmin(rows.bytes, columns.bytes), .longest = longest
    };
}
