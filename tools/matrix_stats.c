/*
 * matrix_stats.c - figures that describe a count matrix.  Time O(P * P).
 *
 * A message is a nonzero entry from a rank to another one; the diagonal is counted separately.
 */
#include "matrix.h"

#include <inttypes.h>

/* The figures while they are counted; sums of doubles cannot overflow. */
typedef struct tally {
    irr_matrix_figures_t figures;
    double               total, busiest;   /* bytes of all ranks, and of the busiest one, in or out */
} tally_t;

/* Counts row or column i. */
static void count_line(const irr_matrix_t *matrix, int i, bool row, tally_t *tally)
{
    irr_matrix_figures_t *figures = &tally->figures;
    double bytes = 0;
    int messages = 0;

    for (int j = 0; j < matrix->ranks; j++) {
        uint64_t entry = i == j ? 0 : row ? *irr_matrix_at(matrix, i, j) : *irr_matrix_at(matrix, j, i);

        bytes += (double)entry;
        messages += entry > 0;
        figures->longest = entry > figures->longest ? entry : figures->longest;
        figures->bytes = row ? irr_cli_plus(figures->bytes, entry) : figures->bytes;
    }
    tally->busiest = bytes > tally->busiest ? bytes : tally->busiest;
    figures->degree = messages > figures->degree ? messages : figures->degree;
    if (row) {
        tally->total += bytes;
        figures->messages += (uint64_t)messages;
        figures->rows += messages == 0;
    } else {
        figures->columns += messages == 0;
    }
}

void irr_matrix_figures(const irr_matrix_t *matrix, irr_matrix_figures_t *figures)
{
    const double ranks = matrix->ranks, pairs = ranks * (ranks - 1);
    tally_t tally = { .total = 0 };

    for (int i = 0; i < matrix->ranks; i++) {
        count_line(matrix, i, true, &tally);
        count_line(matrix, i, false, &tally);
        tally.figures.self_bytes = irr_cli_plus(tally.figures.self_bytes, *irr_matrix_at(matrix, i, i));
    }
    *figures = tally.figures;
    figures->mean = figures->messages > 0 ? tally.total / (double)figures->messages : 0;
    figures->density = pairs > 0 ? (double)figures->messages / pairs : 0;
    figures->skew = tally.total > 0 ? tally.busiest * ranks / tally.total : 1;
}

irr_cli_exit_t irr_matrix_stats(const irr_matrix_t *matrix, const char *path, FILE *stream)
{
    irr_matrix_figures_t figures;

    (void)path;
    irr_matrix_figures(matrix, &figures);
    fprintf(stream, "ranks=%d\n", matrix->ranks);
    fprintf(stream, "messages=%" PRIu64 "\n", figures.messages);
    fprintf(stream, "bytes=%" PRIu64 "\n", figures.bytes);
    fprintf(stream, "self_bytes=%" PRIu64 "\n", figures.self_bytes);
    fprintf(stream, "lmax=%" PRIu64 "\n", irr_cli_lmax(matrix));
    fprintf(stream, "message_bytes_max=%" PRIu64 "\n", figures.longest);
    fprintf(stream, "message_bytes_mean=%.1f\n", figures.mean);
    fprintf(stream, "zero_rows=%d\n", figures.rows);
    fprintf(stream, "zero_columns=%d\n", figures.columns);
    fprintf(stream, "density=%.4f\n", figures.density);
    fprintf(stream, "degree_mean=%.2f\n", (double)figures.messages / matrix->ranks);
    fprintf(stream, "degree_max=%d\n", figures.degree);
    fprintf(stream, "skew=%.3f\n", figures.skew);
    return IRR_CLI_GOOD;
}
