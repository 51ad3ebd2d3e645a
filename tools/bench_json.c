/*
 * bench_json.c - results as JSON, with all parameters and all times, for contrib/irr_chart and comparisons.
 *
 *     {"program": "irr_bench", "version": ..., "mpi": ..., "call": "MPI_Alltoallv",
 *      "first_group": 4 or null, "in_place": false, "datatype": "vector:8:4" or null, "ranks": 8,
 *      "input": {"matrix": FILE} or {"pattern": NAME, "seed": 1}, and "scale": 1.0,
 *      "iterations": 100, "warmup": 10, "check": true, "check_each": false,
 *      "results": [{"unit": 1024, "messages": ..., "bytes": ..., "largest_message": ..., "lmax": ...,
 *                   "rows": [{"algorithm": "direct", "persistent": false, "served_by": "irr",
 *                             "median_us": ..., "times_us": [...], "hidden": 0.9, "alone_us": [...],
 *                             "counters": {"exchanges": 1.0, ...}, ...}]}]}
 *
 * A value that does not apply is null.  Each row names all counters.  If memory runs out while the tree is built, the
 * root becomes NULL.
 */
#include "bench.h"

#include "cli_options.h"

#include <jansson.h>
#include <stdlib.h>

#define MICRO 1e6

typedef struct file {
    const char *path;
    FILE       *stream;
    json_t     *root;     /* NULL: memory ran out */
    json_t     *results;  /* borrowed from root */
} file_t;

static json_t *input_of(const irr_bench_options_t *options)
{
    if (options->matrix != NULL) {
        return json_pack("{s:s, s:f}", "matrix", options->matrix, "scale", options->scale);
    }
    return json_pack("{s:s, s:I, s:f}", "pattern", options->pattern, "seed", (json_int_t)options->seed,
                     "scale", options->scale);
}

/* Returns a text, or JSON's null if there is none. */
static json_t *text_or_null(const char *text)
{
    return text != NULL ? json_string(text) : json_null();
}

static json_t *root_of(const irr_bench_options_t *options, int ranks)
{
    const irr_bench_work_t *work = &options->work;
    char library[MPI_MAX_LIBRARY_VERSION_STRING];

    irr_bench_library(library);
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:b, s:o, s:i, s:o, s:i, s:i, s:b, s:b, s:[]}", "program", "irr_bench",
                     "version", irr_cli_version(), "mpi", library, "call",
                     irr_bench_call_name(work->call, work->overlap), "first_group",
                     work->inter > 0 ? json_integer(work->inter) : json_null(), "in_place", work->in_place,
                     "datatype", text_or_null(options->datatype), "ranks", ranks, "input", input_of(options),
                     "iterations", work->iterations, "warmup", work->warmup,
                     "check", work->check != IRR_BENCH_CHECK_NONE, "check_each", work->check == IRR_BENCH_CHECK_EACH,
                     "results");
}

static void *open(const irr_bench_options_t *options, int ranks)
{
    FILE *stream = irr_cli_output_open(options->json);
    file_t *file = stream != NULL ? malloc(sizeof(*file)) : NULL;

    if (file != NULL) {
        *file = (file_t){ options->json, stream, root_of(options, ranks), NULL };
        file->results = json_object_get(file->root, "results");
    }
    return file;
}

/* Returns a number, or JSON's null if there is none. */
static json_t *number(double value)
{
    return value < 0 ? json_null() : json_real(value);
}

static json_t *times_of(const double *seconds, int iterations)
{
    json_t *times = seconds != NULL ? json_array() : json_null();

    for (int i = 0; seconds != NULL && i < iterations; i++) {
        if (json_array_append_new(times, json_real(seconds[i] * MICRO)) != 0) {
            json_decref(times);
            return NULL;
        }
    }
    return times;
}

static json_t *counters_of(const irr_bench_row_t *row)
{
    json_t *counters = json_object();

    for (int i = 0; i < IRR_BENCH_COUNTERS; i++) {
        if (json_object_set_new(counters, irr_bench_counter_name(i), number(row->counters[i])) != 0) {
            json_decref(counters);
            return NULL;
        }
    }
    return counters;
}

/* Returns an object of a row's properties without its figures. */
static json_t *base_of(const irr_bench_options_t *options, const irr_bench_row_t *row,
                       const irr_bench_summary_t *summary)
{
    json_t *verified = options->work.check != IRR_BENCH_CHECK_NONE ? json_boolean(!row->wrong) : json_null();

    return json_pack("{s:s, s:b, s:s, s:o, s:o, s:o, s:o, s:o}", "algorithm", row->name, "persistent", row->starts,
                     "served_by", row->by_irr ? "irr" : "host", "host_start_ratio", number(summary->start_ratio),
                     "verified", verified, "counters", counters_of(row),
                     "times_us", times_of(row->times, options->work.iterations),
                     "alone_us", times_of(row->alone, options->work.iterations));
}

static json_t *row_of(const irr_bench_result_t *result, int i)
{
    json_t *row = base_of(result->options, &result->rows[i], &result->summaries[i]);
    irr_bench_figure_t figures[IRR_BENCH_FIGURES];

    irr_bench_figures_of(result, i, figures);
    for (int k = 0; k < IRR_BENCH_FIGURES; k++) {   /* alone_us is there already, with all times */
        if (json_object_get(row, figures[k].name) == NULL &&
            json_object_set_new(row, figures[k].name, number(figures[k].value)) != 0) {
            json_decref(row);
            return NULL;
        }
    }
    return row;
}

static json_t *result_of(const irr_bench_result_t *result)
{
    const irr_bench_options_t *options = result->options;
    const irr_bench_facts_t *facts = &result->facts;
    json_t *unit = options->matrix != NULL ? json_null() : json_integer((json_int_t)result->unit);
    json_t *rows = json_array();

    for (int i = 0; i < options->work.rows; i++) {
        if (json_array_append_new(rows, row_of(result, i)) != 0) {
            json_decref(rows);
            json_decref(unit);
            return NULL;
        }
    }
    return json_pack("{s:o, s:I, s:I, s:I, s:I, s:o}", "unit", unit, "messages", (json_int_t)facts->messages,
                     "bytes", (json_int_t)facts->bytes, "largest_message", (json_int_t)facts->largest,
                     "lmax", (json_int_t)facts->busiest, "rows", rows);
}

static void add(void *output, const irr_bench_result_t *result)
{
    file_t *file = output;

    if (json_array_append_new(file->results, result_of(result)) != 0) {
        json_decref(file->root);
        file->root = file->results = NULL;
    }
}

static irr_cli_exit_t close(void *output)
{
    file_t *file = output;
    const bool good = file->root != NULL && json_dumpf(file->root, file->stream, JSON_INDENT(1)) == 0 &&
                      putc('\n', file->stream) != EOF;
    irr_cli_exit_t code = irr_cli_output_close(file->stream, file->path);

    if (!good && code == IRR_CLI_GOOD) {
        irr_cli_complain("%.256s: %s", file->path, irr_status_text(IRR_ERR_NO_MEMORY));
        code = IRR_CLI_REFUSED;
    }
    json_decref(file->root);
    free(file);
    return code;
}

const irr_bench_output_t irr_bench_json = { open, add, close };
