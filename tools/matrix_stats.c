/*
 * matrix_stats.c - what a count matrix is like, in figures.  Time O(P * P).
 *
 * Messages are entries that are not zero, from a rank to another one; what a rank has for itself is counted apart.
 */
#include "matrix.h"

#include <inttypes.h>

typedef struct figures {
    uint64_t messages, bytes, self_bytes, longest;
    double   total, busiest;            /* of bytes, in and out: no sum of theirs overflows */
    int      degree, rows, columns;     /* most messages of a rank; ranks that send, receive, nothing */
} figures_t;

/* Row or column i. */
static void count_line(const irr_matrix_t *matrix, int i, bool row, figures_t *figures)
{
    double bytes = 0;
    int messages = 0;

    for (int j = 0; j < matrix->ranks; j++) {
        uint64_t entry = i == j ? 0 : row ? *irr_matrix_at(matrix, i, j) : *irr_matrix_at(matrix, j, i);

        bytes += (double)entry;
        messages += entry > 0;
        figures->longest = entry > figures->longest ? entry : figures->longest;
        figures->bytes = row ? irr_cli_plus(figures->bytes, entry) : figures->bytes;
    }
    figures->busiest = bytes > figures->busiest ? bytes : figures->busiest;
    figures->degree = messages > figures->degree ? messages : figures->degree;
    if (row) {
        figures->total += bytes;
        figures->messages += (uint64_t)messages;
        figures->rows += messages == 0;
    } else {
        figures->columns += messages == 0;
    }
}

void irr_matrix_stats(const irr_matrix_t *matrix, FILE *stream)
{
    const double ranks = matrix->ranks, pairs = ranks * (ranks - 1);
    figures_t figures = { 0 };

    for (int i = 0; i < matrix->ranks; i++) {
        count_line(matrix, i, true, &figures);
        count_line(matrix, i, false, &figures);
        figures.self_bytes = irr_cli_plus(figures.self_bytes, *irr_matrix_at(matrix, i, i));
    }
    fprintf(stream, "ranks=%d\n", matrix->ranks);
    fprintf(stream, "messages=%" PRIu64 "\n", figures.messages);
    fprintf(stream, "bytes=%" PRIu64 "\n", figures.bytes);
    fprintf(stream, "self_bytes=%" PRIu64 "\n", figures.self_bytes);
    fprintf(stream, "lmax=%" PRIu64 "\n", irr_cli_lmax(matrix));
    fprintf(stream, "message_bytes_max=%" PRIu64 "\n", figures.longest);
    fprintf(stream, "message_bytes_mean=%.1f\n",
            figures.messages > 0 ? figures.total / (double)figures.messages : 0);
    fprintf(stream, "zero_rows=%d\n", figures.rows);
    fprintf(stream, "zero_columns=%d\n", figures.columns);
    fprintf(stream, "density=%.4f\n", pairs > 0 ? (double)figures.messages / pairs : 0);
    fprintf(stream, "degree_mean=%.2f\n", (double)figures.messages / ranks);
    fprintf(stream, "degree_max=%d\n", figures.degree);
    fprintf(stream, "skew=%.3f\n", figures.total > 0 ? figures.busiest * ranks / figures.total : 1);
}
