/*
 * bench_input.c - the count matrix of a run: reads or makes it, scales it, and checks it against MPI's limits.
 *
 * Counts and displacements of MPI_Alltoallv are of type int, and irr_bench counts bytes.  No entry and no sum of a row
 * or a column may therefore exceed INT_MAX.  On an intercommunicator (--inter) ranks send only to ranks of the other
 * group, so the entries within a group are set to zero.
 */
#include "bench.h"

#include <inttypes.h>
#include <limits.h>

/* Returns the name of the matrix on the command line: its file, pattern, or topology of neighbours. */
static const char *input_name(const irr_bench_options_t *options)
{
    return options->matrix != NULL ? options->matrix : options->pattern;
}

/* Returns the value of --scale that turns a number of unscaled bytes into half of the limit. */
static double better_scale(double bytes)
{
    return 0.5 * INT_MAX / bytes;
}

/* Returns true if two ranks may send each other blocks: with --inter, if they are in different groups. */
static bool may_send(const irr_bench_work_t *work, int a, int b)
{
    return work->inter == 0 || (a < work->inter) != (b < work->inter);
}

/* Scales the entries.  On an intercommunicator, sets the entries within a group to zero. */
static irr_cli_exit_t scale_entries(const irr_bench_options_t *options, irr_matrix_t *matrix)
{
    for (int i = 0; i < matrix->ranks; i++) {
        for (int j = 0; j < matrix->ranks; j++) {
            uint64_t *entry = irr_matrix_at(matrix, i, j);
            const double unscaled = (double)*entry;

            *entry = may_send(&options->work, i, j) ? irr_cli_scaled(*entry, options->scale) : 0;
            if (*entry > INT_MAX) {
                return irr_cli_complain("%s: entry (%d, %d) is %" PRIu64 " bytes; MPI allows at most %d; "
                                        "try --scale %.1g", input_name(options), i + 1, j + 1, *entry, INT_MAX,
                                        better_scale(unscaled));
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
                return irr_cli_complain("%s: the sum of %s %d is %" PRIu64 " bytes; MPI allows at most %d; "
                                        "try --scale %.1g", input_name(options), k == 0 ? "row" : "column", i + 1, sum,
                                        INT_MAX, better_scale((double)sum / options->scale));
            }
        }
    }
    return IRR_CLI_GOOD;
}

/*
 * Refuses a matrix with different entries.  MPI_Alltoall has one count for all blocks.  --datatype divides each block
 * into the same number of equal pieces.
 */
static irr_cli_exit_t check_equal(const irr_bench_options_t *options, const irr_matrix_t *matrix)
{
    const bool pieces = options->work.call == IRR_BENCH_ALLTOALLW;
    const int receiver = options->work.inter;   /* a receiver of rank 0: itself, or the first rank of the other group */
    const uint64_t first = *irr_matrix_at(matrix, 0, receiver), stride = (uint64_t)options->work.stride;
    uint64_t span;

    for (int i = 0; i < matrix->ranks; i++) {
        for (int j = 0; j < matrix->ranks; j++) {
            const uint64_t entry = *irr_matrix_at(matrix, i, j);

            if (entry != first && may_send(&options->work, i, j)) {
                return irr_cli_complain("%s: entry (%d, %d) is %" PRIu64 " bytes and entry (1, %d) is %" PRIu64 ": "
                                        "with --%s all must be equal, as in --pattern uniform", input_name(options),
                                        i + 1, j + 1, entry, receiver + 1, first, pieces ? "datatype" : "alltoall");
            }
        }
    }
    if (!pieces) {
        return IRR_CLI_GOOD;
    }
    span = ((uint64_t)matrix->ranks + stride - 1) / stride * stride * first;   /* `stride` blocks interleave */
    if (span > INT_MAX) {
        return irr_cli_complain("%s: with --datatype the blocks of a rank extend over %" PRIu64 " bytes; MPI "
                                "allows at most %d", input_name(options), span, INT_MAX);
    }
    if (first == 0 || first % (uint64_t)options->work.pieces != 0) {
        return irr_cli_complain("%s: entries are %" PRIu64 " bytes, which are not %d equal pieces; try another "
                                "--unit", input_name(options), first, options->work.pieces);
    }
    return IRR_CLI_GOOD;
}

/* Refuses an asymmetric matrix for MPI_IN_PLACE: each received block replaces the block sent to the same rank. */
static irr_cli_exit_t check_symmetric(const irr_bench_options_t *options, const irr_matrix_t *matrix)
{
    int i, j;

    if (irr_cli_is_symmetric(matrix, &i, &j)) {
        return IRR_CLI_GOOD;
    }
    return irr_cli_complain("%s: entry (%d, %d) is %" PRIu64 " bytes and entry (%d, %d) is %" PRIu64 ": with "
                            "--in-place both must be equal, as in --pattern uniform", input_name(options), i + 1, j + 1,
                            *irr_matrix_at(matrix, i, j), j + 1, i + 1, *irr_matrix_at(matrix, j, i));
}

/* Makes the matrix in which each rank sends `unit` bytes to each of its neighbours. */
static irr_cli_exit_t make_neighbors(const irr_bench_work_t *work, int ranks, uint64_t unit, irr_matrix_t *matrix)
{
    if (irr_matrix_init(matrix, ranks) != IRR_OK) {
        return irr_cli_fail("not enough memory for a matrix of %d ranks", ranks);
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
        return irr_cli_read_matrix(options->matrix, ranks, "the job has", matrix);
    }
    return irr_cli_make_matrix(options->pattern, ranks, unit, options->seed, matrix);
}

/* Scales the matrix, and checks it against the limits of the MPI call. */
static irr_cli_exit_t scale_and_check(const irr_bench_options_t *options, irr_matrix_t *matrix)
{
    const irr_bench_work_t *work = &options->work;
    const bool equal = work->call == IRR_BENCH_ALLTOALL || work->call == IRR_BENCH_ALLTOALLW;

    if (work->inter >= matrix->ranks) {
        return irr_cli_complain("--inter '%d' leaves no rank for the second group; the job has %d ranks", work->inter,
                                matrix->ranks);
    }
    if (scale_entries(options, matrix) != IRR_CLI_GOOD || check_sums(options, matrix) != IRR_CLI_GOOD ||
        (equal && check_equal(options, matrix) != IRR_CLI_GOOD)) {
        return IRR_CLI_REFUSED;
    }
    return work->in_place ? check_symmetric(options, matrix) : IRR_CLI_GOOD;
}

irr_cli_exit_t irr_bench_load(const irr_bench_options_t *options, int ranks, uint64_t unit, irr_matrix_t *matrix)
{
    irr_cli_exit_t code = make(options, ranks, unit, matrix);

    if (code != IRR_CLI_GOOD) {
        return code;
    }
    code = scale_and_check(options, matrix);
    if (code != IRR_CLI_GOOD) {
        irr_matrix_fini(matrix);
    }
    return code;
}
