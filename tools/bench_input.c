/*
 * bench_input.c - the count matrix of a run: read or made, scaled, and checked against MPI's limits.
 *
 * MPI_Alltoallv counts and displaces in int, and irr_bench counts bytes, so no entry and no sum over a row
 * or a column may be above INT_MAX.
 */
#include "bench.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>

/* The name under which the user knows the matrix. */
static const char *input_name(const irr_bench_options_t *options)
{
    return options->matrix != NULL ? options->matrix : options->pattern;
}

static irr_bench_exit_t read_file(const char *path, int ranks, irr_matrix_t *matrix)
{
    irr_file_error_t error = { 0 };
    irr_status_t status = irr_matrix_read(path, matrix, &error);

    if (status != IRR_OK && error.line > 0) {
        irr_bench_complain("%.256s:%zu: %s", path, error.line, error.reason);
        return IRR_BENCH_REFUSED;
    }
    if (status != IRR_OK) {
        irr_bench_complain("%.256s: %s", path, error.reason);
        return IRR_BENCH_REFUSED;
    }
    if (matrix->ranks != ranks) {
        irr_bench_complain("%.256s: matrix has %d rows, the job has %d ranks: they must be equal", path,
                           matrix->ranks, ranks);
        irr_matrix_fini(matrix);
        return IRR_BENCH_REFUSED;
    }
    return IRR_BENCH_GOOD;
}

static irr_bench_exit_t make_pattern(const irr_bench_options_t *options, int ranks, uint64_t unit,
                                     irr_matrix_t *matrix)
{
    const char *name = options->pattern;
    irr_status_t status = irr_matrix_pattern(name, ranks, unit, options->seed, matrix);

    if (status == IRR_ERR_BAD_PARAM) {
        irr_bench_complain("pattern %s overflows 64 bits with unit %" PRIu64 "; try a smaller one", name, unit);
        return IRR_BENCH_REFUSED;
    }
    if (status != IRR_OK) {
        irr_bench_complain("pattern %s for %d ranks: %s", name, ranks, irr_status_text(status));
        return IRR_BENCH_REFUSED;
    }
    return IRR_BENCH_GOOD;
}

/* A message stays a message, however small the scale makes it. */
static uint64_t scaled(uint64_t bytes, double scale)
{
    double product = nearbyint((double)bytes * scale);

    if (bytes == 0 || scale == 1) {
        return bytes;
    }
    if (product < 1) {
        return 1;
    }
    return product < (double)UINT64_MAX ? (uint64_t)product : UINT64_MAX;
}

/* A scale that brings so many bytes, not scaled yet, well below the limit. */
static double better_scale(double bytes)
{
    return 0.5 * INT_MAX / bytes;
}

static irr_bench_exit_t scale_entries(const irr_bench_options_t *options, irr_matrix_t *matrix)
{
    for (int i = 0; i < matrix->ranks; i++) {
        for (int j = 0; j < matrix->ranks; j++) {
            uint64_t *entry = irr_matrix_at(matrix, i, j);
            const double unscaled = (double)*entry;

            *entry = scaled(*entry, options->scale);
            if (*entry > INT_MAX) {
                irr_bench_complain("%.256s: entry (%d, %d) is %" PRIu64 " bytes, above the %d that MPI counts; "
                                   "try --scale %.1g", input_name(options), i + 1, j + 1, *entry, INT_MAX,
                                   better_scale(unscaled));
                return IRR_BENCH_REFUSED;
            }
        }
    }
    return IRR_BENCH_GOOD;
}

static irr_bench_exit_t check_sums(const irr_bench_options_t *options, const irr_matrix_t *matrix)
{
    for (int i = 0; i < matrix->ranks; i++) {
        uint64_t sums[2] = { 0, 0 };  /* row, column; at most 2^31 entries below 2^31 */

        for (int j = 0; j < matrix->ranks; j++) {
            sums[0] += *irr_matrix_at(matrix, i, j);
            sums[1] += *irr_matrix_at(matrix, j, i);
        }
        for (int k = 0; k < 2; k++) {
            if (sums[k] > INT_MAX) {
                irr_bench_complain("%.256s: %s %d is %" PRIu64 " bytes in all, above the %d that MPI displaces; "
                                   "try --scale %.1g", input_name(options), k == 0 ? "row" : "column", i + 1,
                                   sums[k], INT_MAX, better_scale((double)sums[k] / options->scale));
                return IRR_BENCH_REFUSED;
            }
        }
    }
    return IRR_BENCH_GOOD;
}

irr_bench_exit_t irr_bench_load(const irr_bench_options_t *options, int ranks, uint64_t unit,
                                irr_matrix_t *matrix)
{
    irr_bench_exit_t code;

    code = options->matrix != NULL ? read_file(options->matrix, ranks, matrix)
                                   : make_pattern(options, ranks, unit, matrix);
    if (code != IRR_BENCH_GOOD) {
        return code;
    }
    code = scale_entries(options, matrix);
    if (code == IRR_BENCH_GOOD) {
        code = check_sums(options, matrix);
    }
    if (code != IRR_BENCH_GOOD) {
        irr_matrix_fini(matrix);
    }
    return code;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

irr_bench_facts_t irr_bench_facts(const irr_matrix_t *matrix)
{
    irr_bench_facts_t facts = { 0 };

    for (int i = 0; i < matrix->ranks; i++) {
        uint64_t out = 0, in = 0;

        for (int j = 0; j < matrix->ranks; j++) {
            uint64_t bytes = *irr_matrix_at(matrix, i, j);

            out += bytes;
            in += *irr_matrix_at(matrix, j, i);
            facts.messages += bytes > 0;
            facts.largest = larger(facts.largest, bytes);
        }
        facts.bytes += out;
        facts.busiest = larger(facts.busiest, larger(out, in));
    }
    return facts;
}
