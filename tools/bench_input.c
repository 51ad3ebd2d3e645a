/*
 * bench_input.c - the count matrix of a run: read or made, scaled, and checked against MPI's limits.
 *
 * MPI_Alltoallv counts and displaces in int, and irr_bench counts bytes, so no entry and no sum over a row
 * or a column may be above INT_MAX.  Between two groups, what ranks of one would send to each other is left out.
 */
#include "bench.h"

#include <inttypes.h>
#include <limits.h>

/* The name under which the user knows the matrix. */
static const char *input_name(const irr_bench_options_t *options)
{
    return options->matrix != NULL ? options->matrix : options->pattern;
}

/* A scale that brings so many bytes, not scaled yet, well below the limit. */
static double better_scale(double bytes)
{
    return 0.5 * INT_MAX / bytes;
}

static irr_cli_exit_t scale_entries(const irr_bench_options_t *options, irr_matrix_t *matrix)
{
    for (int i = 0; i < matrix->ranks; i++) {
        for (int j = 0; j < matrix->ranks; j++) {
            uint64_t *entry = irr_matrix_at(matrix, i, j);
            const double unscaled = (double)*entry;

            *entry = irr_cli_scaled(*entry, options->scale);
            if (*entry > INT_MAX) {
                irr_cli_complain("%.256s: entry (%d, %d) is %" PRIu64 " bytes, above the %d that MPI counts; "
                                 "try --scale %.1g", input_name(options), i + 1, j + 1, *entry, INT_MAX,
                                 better_scale(unscaled));
                return IRR_CLI_REFUSED;
            }
        }
    }
    return IRR_CLI_GOOD;
}

static irr_cli_exit_t check_sums(const irr_bench_options_t *options, const irr_matrix_t *matrix)
{
    for (int i = 0; i < matrix->ranks; i++) {
        for (int k = 0; k < 2; k++) {
            const uint64_t sum = irr_cli_sum(matrix, i, k == 0);

            if (sum > INT_MAX) {
                irr_cli_complain("%.256s: %s %d is %" PRIu64 " bytes in all, above the %d that MPI displaces; "
                                 "try --scale %.1g", input_name(options), k == 0 ? "row" : "column", i + 1,
                                 sum, INT_MAX, better_scale((double)sum / options->scale));
                return IRR_CLI_REFUSED;
            }
        }
    }
    return IRR_CLI_GOOD;
}

/* For MPI_Alltoall, which has one count for all, and for blocks of pieces. */
static irr_cli_exit_t check_equal(const irr_bench_options_t *options, const irr_matrix_t *matrix)
{
    const bool pieces = options->work.call == IRR_BENCH_ALLTOALLW;
    const int other = options->work.inter;   /* rank 0, or the first of the other group */
    const uint64_t first = *irr_matrix_at(matrix, 0, other);

    for (int i = 0; i < matrix->ranks; i++) {
        for (int j = 0; j < matrix->ranks; j++) {
            const uint64_t entry = *irr_matrix_at(matrix, i, j);

            if (entry != first && irr_bench_speak(&options->work, i, j)) {
                irr_cli_complain("%.256s: entry (%d, %d) is %" PRIu64 " bytes and entry (1, %d) is %" PRIu64 ": with "
                                 "--%s all must be equal, as in --pattern uniform", input_name(options), i + 1,
                                 j + 1, entry, other + 1, first, pieces ? "datatype" : "alltoall");
                return IRR_CLI_REFUSED;
            }
        }
    }
    if (pieces && irr_bench_span(&options->work, matrix->ranks, first) > INT_MAX) {
        irr_cli_complain("%.256s: with --datatype blocks begin up to %" PRIu64 " bytes apart, above the %d that MPI "
                         "displaces", input_name(options), irr_bench_span(&options->work, matrix->ranks, first),
                         INT_MAX);
        return IRR_CLI_REFUSED;
    }
    if (pieces && (first == 0 || first % (uint64_t)options->work.pieces != 0)) {
        irr_cli_complain("%.256s: entries are %" PRIu64 " bytes, which are not %d equal pieces; try another --unit",
                         input_name(options), first, options->work.pieces);
        return IRR_CLI_REFUSED;
    }
    return IRR_CLI_GOOD;
}

/* In place, where what a rank sends to another one lies where as much will come from that one. */
static irr_cli_exit_t check_symmetric(const irr_bench_options_t *options, const irr_matrix_t *matrix)
{
    int i, j;

    if (irr_cli_is_symmetric(matrix, &i, &j)) {
        return IRR_CLI_GOOD;
    }
    irr_cli_complain("%.256s: entry (%d, %d) is %" PRIu64 " bytes and entry (%d, %d) is %" PRIu64 ": with "
                     "--in-place both must be equal, as in --pattern uniform", input_name(options), i + 1, j + 1,
                     *irr_matrix_at(matrix, i, j), j + 1, i + 1, *irr_matrix_at(matrix, j, i));
    return IRR_CLI_REFUSED;
}

/* Leaves out what ranks of one group would send to each other. */
static irr_cli_exit_t make_groups(const irr_bench_work_t *work, irr_matrix_t *matrix)
{
    if (work->inter >= matrix->ranks) {
        irr_cli_complain("--inter '%d' leaves none of the %d ranks for the second group; at most %d are allowed",
                         work->inter, matrix->ranks, matrix->ranks - 1);
        return IRR_CLI_REFUSED;
    }
    for (int i = 0; i < matrix->ranks; i++) {
        for (int j = 0; j < matrix->ranks; j++) {
            *irr_matrix_at(matrix, i, j) *= irr_bench_speak(work, i, j);
        }
    }
    return IRR_CLI_GOOD;
}

/* Of neighbours, each of which has so many bytes. */
static irr_cli_exit_t make_neighbors(const irr_bench_work_t *work, int ranks, uint64_t unit, irr_matrix_t *matrix)
{
    if (irr_matrix_init(matrix, ranks) != IRR_OK) {
        irr_cli_complain("not enough memory for a matrix of %d ranks", ranks);
        return IRR_CLI_REFUSED;
    }
    for (int rank = 0; rank < ranks; rank++) {
        for (int slot = 0; slot < irr_bench_slots(work, ranks, rank); slot++) {
            int number;

            *irr_matrix_at(matrix, rank, irr_bench_peer(work, ranks, rank, slot, true, &number)) += unit;
        }
    }
    return IRR_CLI_GOOD;
}

static irr_cli_exit_t make(const irr_bench_options_t *options, int ranks, uint64_t unit, irr_matrix_t *matrix)
{
    if (options->work.call == IRR_BENCH_NEIGHBOR) {
        return make_neighbors(&options->work, ranks, unit, matrix);
    }
    if (options->matrix != NULL) {
        return irr_cli_read_matrix_of(options->matrix, ranks, "the job has", matrix);
    }
    return irr_cli_make_matrix(options->pattern, ranks, unit, options->seed, matrix);
}

/* All that the call asks of a matrix. */
static irr_cli_exit_t fit(const irr_bench_options_t *options, irr_matrix_t *matrix)
{
    const irr_bench_work_t *work = &options->work;
    irr_cli_exit_t code = work->inter > 0 ? make_groups(work, matrix) : IRR_CLI_GOOD;

    if (code == IRR_CLI_GOOD) {
        code = scale_entries(options, matrix);
    }
    if (code == IRR_CLI_GOOD) {
        code = check_sums(options, matrix);
    }
    if (code == IRR_CLI_GOOD && (work->call == IRR_BENCH_ALLTOALL || work->call == IRR_BENCH_ALLTOALLW)) {
        code = check_equal(options, matrix);
    }
    if (code == IRR_CLI_GOOD && work->in_place) {
        code = check_symmetric(options, matrix);
    }
    return code;
}

irr_cli_exit_t irr_bench_load(const irr_bench_options_t *options, int ranks, uint64_t unit,
                              irr_matrix_t *matrix)
{
    irr_cli_exit_t code = make(options, ranks, unit, matrix);

    if (code != IRR_CLI_GOOD) {
        return code;
    }
    code = fit(options, matrix);
    if (code != IRR_CLI_GOOD) {
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
