/*
 * irr_bench.c - times an all-to-all call on irregular traffic, with coll/irr's algorithms and without it.
 *
 *     mpirun -np 8 irr_bench --matrix airfoil-8.mtx --algorithms host,direct,natural
 *
 * Works with any MPI and without the component; the output marks rows that coll/irr did not serve.  The exit status is
 * 1 if a wrong byte arrived, 2 if the input was refused, and otherwise 0.  It is the same on all ranks.
 */
#include "bench.h"

#include "cli_options.h"

#include <stdlib.h>

const char irr_cli_program[] = "irr_bench";

/* A run.  Rank 0 has all members; the other ranks have work, rows and scratch. */
typedef struct bench {
    int                 ranks;
    int                 rank;
    bool                launched;       /* started by mpirun or srun; tested before MPI_Init sets the same variables */
    irr_bench_options_t options;
    irr_matrix_t        matrix;         /* matrix of the next unit, or empty */
    uint64_t            unit;           /* unit of the matrix */
    bool                loaded;         /* coll/irr is in the job */
    bool                misled;         /* some row was not served as its name states */
    irr_bench_row_t     rows[IRR_BENCH_ROWS_MAX];
    double             *times;          /* scratch for one row, and the times of all rows */
} bench_t;

/* ---- rank 0 ---- */

static irr_cli_exit_t load(bench_t *bench, uint64_t unit)
{
    irr_cli_exit_t code;

    if (bench->matrix.entries != NULL && (bench->options.matrix != NULL || bench->unit == unit)) {
        return IRR_CLI_GOOD;
    }
    irr_matrix_fini(&bench->matrix);
    code = irr_bench_load(&bench->options, bench->ranks, unit, &bench->matrix);
    if (code == IRR_CLI_GOOD) {
        bench->unit = unit;
    }
    return code;
}

/* Refuses bad input before the first exchange.  In a sweep, checks the matrix of the largest unit. */
static irr_cli_exit_t prepare(bench_t *bench, int argc, char **argv)
{
    irr_cli_exit_t code = irr_bench_options_read(argc, argv, &bench->options);

    if (code != IRR_CLI_GOOD || !bench->options.work.run) {
        return code;
    }
    if (bench->ranks == 1 && !bench->launched) {
        return irr_cli_complain("no launcher has started this process: use mpirun -n 4 irr_bench, or srun with "
                                "--mpi=pmix");
    }
    code = load(bench, bench->options.work.unit_max);
    return code == IRR_CLI_GOOD ? irr_bench_files_open(&bench->options, bench->ranks) : code;
}

static void report(bench_t *bench)
{
    const irr_bench_result_t result = {
        &bench->options, bench->unit, irr_cli_messages(&bench->matrix, true), irr_cli_lmax(&bench->matrix), bench->rows
    };

    irr_bench_summarise(&result, bench->times);
    irr_bench_report_rows(&result);
    irr_bench_files_add(&result);
    for (int i = 0; i < bench->options.work.rows; i++) {
        bench->misled = bench->misled || bench->rows[i].misled;
    }
}

/* ---- all ranks ---- */

/* Allocates the times.  Either all ranks have memory, or all ranks return an error. */
static irr_cli_exit_t allocate_times(bench_t *bench)
{
    const irr_bench_work_t *work = &bench->options.work;
    const size_t iterations = (size_t)work->iterations, rows = (size_t)work->rows;

    bench->times = calloc((work->overlap ? 3 : 1) * rows + 1, iterations * sizeof(*bench->times));
    for (size_t i = 0; bench->times != NULL && i < rows; i++) {
        bench->rows[i].times = bench->times + (i + 1) * iterations;
        bench->rows[i].alone = work->overlap ? bench->times + (rows + i + 1) * iterations : NULL;
        bench->rows[i].exposed = work->overlap ? bench->times + (2 * rows + i + 1) * iterations : NULL;
    }
    return irr_cli_all_have(bench->times != NULL, "not enough memory for the times of %d iterations; try fewer",
                            work->iterations);
}

/* Measures all rows with the matrix of one unit. */
static irr_cli_exit_t run_unit(bench_t *bench, uint64_t unit)
{
    const irr_bench_work_t *work = &bench->options.work;
    irr_bench_exchange_t exchange;
    irr_cli_exit_t code = (irr_cli_exit_t)irr_cli_agree(bench->rank == 0 ? (int)load(bench, unit) : 0);

    if (code != IRR_CLI_GOOD) {
        return code;
    }
    code = irr_bench_exchange_init(&exchange, work, &bench->matrix, unit);
    if (code != IRR_CLI_GOOD) {
        return code;
    }
    if (bench->rank == 0 && unit == work->unit_min) {
        irr_bench_report_head(&bench->options, bench->ranks, &bench->matrix);
    }
    code = irr_bench_measure(work, &exchange, bench->rows);
    if (bench->rank == 0) {
        report(bench);
    }
    irr_bench_exchange_fini(&exchange);
    return code;
}

/* Measures all units.  Wrong bytes do not end a sweep, as the results of the other rows are useful. */
static irr_cli_exit_t run_units(bench_t *bench)
{
    const irr_bench_work_t *work = &bench->options.work;
    irr_cli_exit_t code = allocate_times(bench);

    for (uint64_t unit = work->unit_min; code <= IRR_CLI_WRONG; unit *= 2) {
        const irr_cli_exit_t result = run_unit(bench, unit);

        code = result > code ? result : code;
        if (unit == 0 || unit > work->unit_max / 2) {
            break;
        }
    }
    return code;
}

static irr_cli_exit_t run(bench_t *bench, int argc, char **argv)
{
    irr_bench_work_t *work = &bench->options.work;
    irr_cli_exit_t code = (irr_cli_exit_t)irr_cli_agree(bench->rank == 0 ? (int)prepare(bench, argc, argv) : 0);

    MPI_Bcast(work, sizeof(*work), MPI_BYTE, 0, MPI_COMM_WORLD);
    if (code != IRR_CLI_GOOD || !work->run) {
        return code;
    }
    bench->loaded = irr_bench_pvars_open();
    if (work->loop != IRR_BENCH_LOOP_NONE) {
        code = (irr_cli_exit_t)irr_cli_agree((int)irr_bench_loop(work, &bench->matrix, bench->loaded));
    } else {
        irr_bench_rows_create(work, bench->rows);
        code = run_units(bench);
        irr_bench_rows_destroy(work, bench->rows);
    }
    irr_bench_pvars_close();
    if (bench->misled) {
        irr_bench_report_warning(bench->loaded);
    }
    return code;
}

int main(int argc, char **argv)
{
    bench_t bench = { .rank = -1 };
    irr_cli_exit_t code;

    if (irr_cli_asks_only(argc, argv)) {
        return irr_cli_exit(irr_bench_options_read(argc, argv, &bench.options));
    }
    bench.launched = irr_cli_is_launched();
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &bench.ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &bench.rank);
    code = run(&bench, argc, argv);
    code = (irr_cli_exit_t)irr_cli_agree((int)irr_bench_files_close(code));
    irr_matrix_fini(&bench.matrix);
    free(bench.times);
    MPI_Finalize();
    return irr_cli_exit(code);
}
