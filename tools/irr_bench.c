/*
 * irr_bench.c - times an all-to-all call on irregular traffic, with coll/irr's algorithms and without it.
 *
 *     mpirun -np 8 irr_bench --matrix airfoil-8.mtx --algorithms host,a1,ac
 *
 * Works with any MPI and without the component; rows that coll/irr did not serve say so.  The exit status
 * is 0, 1 if a wrong byte arrived, 2 if the input was refused; it is the same on all ranks.
 */
#include "bench.h"

#include "cli_options.h"

#include <stdlib.h>

const char irr_cli_program[] = "irr_bench";

/* A run; rank 0 has all of it, the others work, comms, rows and scratch. */
typedef struct bench {
    int                 ranks;
    int                 rank;
    bool                launched;       /* by mpirun or srun; MPI_Init sets the same variables in a process alone */
    irr_bench_options_t options;
    irr_matrix_t        matrix;         /* of the unit that comes next, or without entries */
    uint64_t            unit;           /* of the matrix */
    irr_bench_json_t   *json;
    FILE               *csv;
    irr_bench_plot_t   *plot;
    bool                loaded;         /* coll/irr is in the job */
    bool                misled;         /* some row was not served by what its name says */
    MPI_Comm            comms[IRR_BENCH_ROWS_MAX];
    irr_bench_row_t     rows[IRR_BENCH_ROWS_MAX];
    double             *times;          /* scratch for one row, and those of all */
} bench_t;

/* What went worse. */
static irr_cli_exit_t larger(irr_cli_exit_t a, irr_cli_exit_t b)
{
    return a > b ? a : b;
}

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

/* Refuses all that can be refused before the first exchange: of a sweep, the largest unit is tried first. */
static irr_cli_exit_t prepare(bench_t *bench, int argc, char **argv)
{
    irr_cli_exit_t code = irr_bench_options_read(argc, argv, &bench->options);

    if (code != IRR_CLI_GOOD || !bench->options.work.run) {
        return code;
    }
    if (bench->ranks == 1 && !bench->launched) {
        irr_cli_complain("one rank has no other to exchange with: no launcher has started this process, as mpirun -n 4 "
                         "irr_bench does; srun needs --mpi=pmix");
        return IRR_CLI_REFUSED;
    }
    code = load(bench, bench->options.work.unit_max);
    if (code == IRR_CLI_GOOD && bench->options.json != NULL) {
        bench->json = irr_bench_json_open(&bench->options, bench->ranks);
        code = bench->json != NULL ? IRR_CLI_GOOD : IRR_CLI_REFUSED;
    }
    if (code == IRR_CLI_GOOD && bench->options.csv != NULL) {
        bench->csv = irr_bench_csv_open(bench->options.csv);
        code = bench->csv != NULL ? IRR_CLI_GOOD : IRR_CLI_REFUSED;
    }
    if (code == IRR_CLI_GOOD && bench->options.plot != NULL) {
        bench->plot = irr_bench_plot_open(&bench->options, bench->ranks);
        code = bench->plot != NULL ? IRR_CLI_GOOD : IRR_CLI_REFUSED;
    }
    return code;
}

static void report(bench_t *bench, const irr_bench_facts_t *facts)
{
    const irr_bench_work_t *work = &bench->options.work;
    irr_bench_summary_t summaries[IRR_BENCH_ROWS_MAX];
    const irr_bench_result_t result = { bench->unit, *facts, bench->rows, summaries };

    irr_bench_summarise(work, bench->rows, bench->times, summaries);
    irr_bench_report_rows(&bench->options, &result);
    if (bench->json != NULL) {
        irr_bench_json_add(bench->json, &bench->options, &result);
    }
    if (bench->csv != NULL) {
        irr_bench_csv_add(bench->csv, &bench->options, &result);
    }
    if (bench->plot != NULL) {
        irr_bench_plot_add(bench->plot, &result);
    }
    for (int i = 0; i < work->rows; i++) {
        bench->misled = bench->misled || bench->rows[i].misled;
    }
}

/* Ends all files, whatever became of the others. */
static irr_cli_exit_t close_files(bench_t *bench)
{
    irr_cli_exit_t code = IRR_CLI_GOOD;

    if (bench->json != NULL) {
        code = larger(code, irr_bench_json_close(bench->json));
    }
    if (bench->csv != NULL) {
        code = larger(code, irr_bench_file_close(bench->csv, bench->options.csv));
    }
    if (bench->plot != NULL) {
        code = larger(code, irr_bench_plot_close(bench->plot));
    }
    return code;
}

/* ---- all ranks ---- */

/* What rank 0 decided. */
static irr_cli_exit_t agree(irr_cli_exit_t code)
{
    int value = (int)code;

    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return (irr_cli_exit_t)value;
}

/* Memory for the times, on all ranks or on none. */
static irr_cli_exit_t allocate_times(bench_t *bench)
{
    const irr_bench_work_t *work = &bench->options.work;
    const size_t iterations = (size_t)work->iterations, rows = (size_t)work->rows;
    int have;

    bench->times = calloc((work->overlap ? 3 : 1) * rows + 1, iterations * sizeof(*bench->times));
    for (size_t i = 0; bench->times != NULL && i < rows; i++) {
        bench->rows[i].times = bench->times + (i + 1) * iterations;
        bench->rows[i].alone = work->overlap ? bench->times + (rows + i + 1) * iterations : NULL;
        bench->rows[i].exposed = work->overlap ? bench->times + (2 * rows + i + 1) * iterations : NULL;
    }
    have = bench->times != NULL;
    MPI_Allreduce(MPI_IN_PLACE, &have, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (!have && bench->rank == 0) {
        irr_cli_complain("not enough memory for the times of %d iterations; try fewer", work->iterations);
    }
    return have ? IRR_CLI_GOOD : IRR_CLI_REFUSED;
}

/* All rows with one matrix. */
static irr_cli_exit_t run_unit(bench_t *bench, uint64_t unit)
{
    const irr_bench_work_t *work = &bench->options.work;
    irr_bench_facts_t facts = { 0 };
    irr_bench_exchange_t exchange;
    irr_cli_exit_t code = agree(bench->rank == 0 ? load(bench, unit) : IRR_CLI_GOOD);

    if (code != IRR_CLI_GOOD) {
        return code;
    }
    code = irr_bench_exchange_init(&exchange, work, &bench->matrix, unit);
    if (code != IRR_CLI_GOOD) {
        return code;
    }
    if (bench->rank == 0) {
        facts = irr_bench_facts(&bench->matrix);
    }
    if (bench->rank == 0 && unit == work->unit_min) {
        irr_bench_report_head(&bench->options, bench->ranks, &facts);
    }
    code = irr_bench_measure(work, bench->comms, &exchange, bench->rows);
    if (bench->rank == 0) {
        report(bench, &facts);
    }
    irr_bench_exchange_fini(&exchange);
    return code;
}

/* Wrong bytes do not end a sweep: the other rows are worth seeing. */
static irr_cli_exit_t run_units(bench_t *bench)
{
    const irr_bench_work_t *work = &bench->options.work;
    irr_cli_exit_t code = allocate_times(bench);

    for (uint64_t unit = work->unit_min; code != IRR_CLI_REFUSED; unit *= 2) {
        irr_cli_exit_t result = run_unit(bench, unit);

        code = larger(code, result);
        if (unit == 0 || unit > work->unit_max / 2) {
            break;
        }
    }
    return code;
}

static irr_cli_exit_t run(bench_t *bench, int argc, char **argv)
{
    irr_bench_work_t *work = &bench->options.work;
    irr_cli_exit_t code = agree(bench->rank == 0 ? prepare(bench, argc, argv) : IRR_CLI_GOOD);

    MPI_Bcast(work, sizeof(*work), MPI_BYTE, 0, MPI_COMM_WORLD);
    if (code != IRR_CLI_GOOD || !work->run) {
        return code;
    }
    bench->loaded = irr_bench_pvars_open();
    if (work->loop != IRR_BENCH_LOOP_NONE) {
        code = agree(irr_bench_loop(work, &bench->matrix, bench->loaded));
    } else {
        irr_bench_comms_create(work, bench->comms);
        code = run_units(bench);
        irr_bench_comms_destroy(work, bench->comms);
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
    irr_cli_exit_t code, written;

    if (irr_cli_asks_only(argc, argv)) {
        return (int)irr_bench_options_read(argc, argv, &bench.options);
    }
    bench.launched = irr_cli_is_launched();
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &bench.ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &bench.rank);
    code = run(&bench, argc, argv);
    written = agree(close_files(&bench));
    irr_matrix_fini(&bench.matrix);
    free(bench.times);
    MPI_Finalize();
    return code != IRR_CLI_GOOD ? (int)code : (int)written;
}
