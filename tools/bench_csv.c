/*
 * bench_csv.c - the rows of irr_bench as comma-separated values: a header line, and one line for each row and unit.
 *
 * Times are in microseconds.  A value that does not exist is left empty.
 */
#include "bench.h"

#include <inttypes.h>
#include <stdlib.h>

/* The names of irr_bench_figures_of, in their order, with lmax and verified inserted. */
static const char head[] =
    "unit,algorithm,persistent,served_by,median_us,min_us,max_us,mean_us,p90_us,p99_us,host_ratio,messages_sent,lmax,"
    "verified,alone_us,hidden,host_ratio_low,host_ratio_high,mb_per_s\n";

typedef struct csv {
    const char *path;
    FILE       *stream;
} csv_t;

static void *open(const irr_bench_options_t *options, int ranks)
{
    FILE *stream = irr_cli_output_open(options->csv);
    csv_t *csv = stream != NULL ? malloc(sizeof(*csv)) : NULL;

    (void)ranks;
    if (csv != NULL) {
        *csv = (csv_t){ options->csv, stream };
        fputs(head, stream);
    }
    return csv;
}

static void add_row(FILE *stream, const irr_bench_result_t *result, int i)
{
    const irr_bench_row_t *row = &result->rows[i];
    irr_bench_figure_t figures[IRR_BENCH_FIGURES];

    irr_bench_figures_of(result, i, figures);
    if (result->options->matrix == NULL) {
        fprintf(stream, "%" PRIu64, result->unit);
    }
    fprintf(stream, ",%s,%d,%s", row->name, row->starts, row->by_irr ? "irr" : "host");
    for (int k = 0; k < IRR_BENCH_FIGURES; k++) {
        if (k == IRR_BENCH_FIRST) {
            fprintf(stream, ",%" PRIu64 ",%s", result->facts.busiest,
                    result->options->work.check == IRR_BENCH_CHECK_NONE ? "" : row->wrong ? "no" : "yes");
        }
        fputc(',', stream);
        if (figures[k].value >= 0) {
            fprintf(stream, "%.*f", figures[k].decimals, figures[k].value);
        }
    }
    fputc('\n', stream);
}

static void add(void *output, const irr_bench_result_t *result)
{
    for (int i = 0; i < result->options->work.rows; i++) {
        add_row(((csv_t *)output)->stream, result, i);
    }
}

static irr_cli_exit_t close(void *output)
{
    csv_t *csv = output;
    const irr_cli_exit_t code = irr_cli_output_close(csv->stream, csv->path);

    free(csv);
    return code;
}

const irr_bench_output_t irr_bench_csv = { open, add, close };
