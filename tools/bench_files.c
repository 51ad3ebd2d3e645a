/*
 * bench_files.c - results in files: as JSON, with all parameters and all times, for contrib/irr_chart and comparisons,
 * and as comma-separated values.
 *
 *     {"program": "irr_bench", "version": ..., "mpi": ..., "call": "MPI_Alltoallv",
 *      "first_group": 4 or null, "in_place": false, "datatype": "vector:8:4" or null, "ranks": 8,
 *      "input": {"matrix": FILE, "scale": 1.0} or {"pattern": NAME, "seed": 1, "scale": 1.0},
 *      "iterations": 100, "warmup": 10, "check": true, "check_each": false,
 *      "results": [{"unit": 1024, "messages": ..., "bytes": ..., "largest_message": ..., "lmax": ...,
 *                   "rows": [{"algorithm": "direct", "persistent": false, "served_by": "irr",
 *                             "median_us": ..., "times_us": [...], "hidden": 0.9, "alone_us": [...],
 *                             "counters": {"exchanges": 1.0, ...}, ...}]}]}
 *
 * A value that does not apply is null in JSON, and empty in the comma-separated file.  Times are in microseconds.  If
 * memory runs out, a function returns NULL instead of an incomplete list or object.  The list or object that should
 * contain it then becomes NULL as well, and so on up to the root; without a root the file is refused.
 */
#include "bench.h"

#include "chart.h"
#include "cli_options.h"
#include "cli_output.h"

#include <inttypes.h>

#define MICRO 1e6

static struct {
    irr_cli_output_t json, csv;   /* not open: not wanted */
    json_t          *root;        /* NULL: memory ran out */
    json_t          *results;     /* borrowed from root */
    bool             has_rows;
} files;

/* ---- comma-separated values ---- */

static const char csv_head[] =
    "unit,algorithm,persistent,served_by,median_us,min_us,max_us,mean_us,p90_us,p99_us,host_ratio,messages_sent,lmax,"
    "verified,alone_us,hidden,host_ratio_low,host_ratio_high,mb_per_s\n";

/* Writes a column; it is empty if the value is negative. */
static void put(double value, int decimals)
{
    fputc(',', files.csv.stream);
    if (value >= 0) {
        fprintf(files.csv.stream, "%.*f", decimals, value);
    }
}

static void write_csv(const irr_bench_result_t *result, int i)
{
    const irr_bench_row_t *row = &result->rows[i];
    const irr_bench_summary_t *s = &row->summary;
    const double times[] = { s->median, s->min, s->max, s->mean, s->p90, s->p99 };

    if (result->options->matrix == NULL) {
        fprintf(files.csv.stream, "%" PRIu64, result->unit);
    }
    fprintf(files.csv.stream, ",%s,%d,%s", row->name, row->starts, row->by_irr ? "irr" : "host");
    for (size_t k = 0; k < sizeof(times) / sizeof(times[0]); k++) {
        put(times[k] * MICRO, 3);
    }
    put(s->ratio, 4);
    put(row->counters[IRR_BENCH_COUNTER_messages_sent], 1);
    fprintf(files.csv.stream, ",%" PRIu64 ",%s", result->lmax,
            result->options->work.check == IRR_BENCH_CHECK_NONE ? "" : row->wrong ? "no" : "yes");
    put(s->alone * MICRO, 3);
    put(s->hidden, 4);
    put(s->ratio_low, 4);
    put(s->ratio_high, 4);
    put(s->rate, 3);
    fputc('\n', files.csv.stream);
}

/* ---- JSON ---- */

/* Return a number, or a time in microseconds, as JSON; null if it is negative. */
static json_t *number(double value)
{
    return value < 0 ? json_null() : json_real(value);
}

static json_t *micro(double seconds)
{
    return number(seconds * MICRO);
}

static json_t *input_of(const irr_bench_options_t *options)
{
    if (options->matrix != NULL) {
        return json_pack("{s:s, s:f}", "matrix", options->matrix, "scale", options->scale);
    }
    return json_pack("{s:s, s:I, s:f}", "pattern", options->pattern, "seed", (json_int_t)options->seed,
                     "scale", options->scale);
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
                     "datatype",
                     options->datatype != NULL ? json_string(options->datatype) : json_null(), "ranks", ranks,
                     "input", input_of(options),
                     "iterations", work->iterations, "warmup", work->warmup,
                     "check", work->check != IRR_BENCH_CHECK_NONE, "check_each", work->check == IRR_BENCH_CHECK_EACH,
                     "results");
}

static json_t *times_of(const double *seconds, int iterations)
{
    json_t *times = json_array();

    for (int i = 0; i < iterations; i++) {
        json_array_append_new(times, json_real(seconds[i] * MICRO));
    }
    return irr_chart_whole(times, (size_t)iterations);
}

static json_t *counters_of(const irr_bench_row_t *row)
{
    json_t *counters = json_object();

    for (int i = 0; i < IRR_BENCH_COUNTERS; i++) {
        json_object_set_new(counters, irr_bench_counter_name(i), number(row->counters[i]));
    }
    return irr_chart_whole(counters, IRR_BENCH_COUNTERS);
}

static json_t *row_of(const irr_bench_result_t *result, int i)
{
    const irr_bench_row_t *row = &result->rows[i];
    const irr_bench_summary_t *s = &row->summary;
    const irr_bench_work_t *work = &result->options->work;

    return json_pack(
        "{s:s, s:b, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
        "algorithm", row->name, "persistent", row->starts, "served_by", row->by_irr ? "irr" : "host",
        "host_start_ratio", number(s->start_ratio),
        "verified", work->check != IRR_BENCH_CHECK_NONE ? json_boolean(!row->wrong) : json_null(),
        "counters", counters_of(row), "times_us", times_of(row->times, work->iterations),
        "alone_us", row->alone != NULL ? times_of(row->alone, work->iterations) : json_null(),
        "median_us", micro(s->median), "min_us", micro(s->min), "max_us", micro(s->max), "mean_us", micro(s->mean),
        "p90_us", micro(s->p90), "p99_us", micro(s->p99), "host_ratio", number(s->ratio),
        "messages_sent", number(row->counters[IRR_BENCH_COUNTER_messages_sent]), "hidden", number(s->hidden),
        "host_ratio_low", number(s->ratio_low), "host_ratio_high", number(s->ratio_high),
        "mb_per_s", number(s->rate));
}

static json_t *result_of(const irr_bench_result_t *result)
{
    const irr_bench_options_t *options = result->options;
    const irr_cli_messages_t *messages = &result->messages;
    json_t *unit = options->matrix != NULL ? json_null() : json_integer((json_int_t)result->unit);
    json_t *rows = json_array();

    for (int i = 0; i < options->work.rows; i++) {
        json_array_append_new(rows, row_of(result, i));
    }
    return json_pack("{s:o, s:I, s:I, s:I, s:I, s:o}", "unit", unit, "messages", (json_int_t)messages->count,
                     "bytes", (json_int_t)messages->bytes, "largest_message", (json_int_t)messages->longest,
                     "lmax", (json_int_t)result->lmax, "rows",
                     irr_chart_whole(rows, (size_t)options->work.rows));
}

static irr_cli_exit_t close_json(irr_cli_exit_t code)
{
    const char *path = files.json.path;
    const bool good = files.root != NULL && json_dumpf(files.root, files.json.stream, JSON_INDENT(1)) == 0;
    const irr_status_t status = good || ferror(files.json.stream) ? IRR_OK : IRR_ERR_NO_MEMORY;

    putc('\n', files.json.stream);
    json_decref(files.root);
    return irr_cli_output_close(&files.json, status == IRR_OK ? code : irr_cli_status(status, "%s", path));
}

/* ---- both ---- */

irr_cli_exit_t irr_bench_files_open(const irr_bench_options_t *options, int ranks)
{
    if (options->json != NULL) {
        if (irr_cli_output_open(options->json, &files.json) != IRR_CLI_GOOD) {
            return IRR_CLI_REFUSED;
        }
        files.root = root_of(options, ranks);
        files.results = json_object_get(files.root, "results");
    }
    if (options->csv != NULL) {
        if (irr_cli_output_open(options->csv, &files.csv) != IRR_CLI_GOOD) {
            return IRR_CLI_REFUSED;
        }
        fputs(csv_head, files.csv.stream);
    }
    return IRR_CLI_GOOD;
}

void irr_bench_files_add(const irr_bench_result_t *result)
{
    for (int i = 0; files.csv.stream != NULL && i < result->options->work.rows; i++) {
        write_csv(result, i);
    }
    files.has_rows = true;
    if (files.json.stream != NULL && json_array_append_new(files.results, result_of(result)) != 0) {
        json_decref(files.root);
        files.root = files.results = NULL;
    }
}

irr_cli_exit_t irr_bench_files_close(irr_cli_exit_t code)
{
    const irr_cli_exit_t kept = files.has_rows ? IRR_CLI_GOOD : code;   /* the first rows of a failed run are useful */
    const irr_cli_exit_t json = files.json.stream != NULL ? close_json(kept) : code;
    const irr_cli_exit_t csv = files.csv.stream != NULL ? irr_cli_output_close(&files.csv, kept) : code;
    const irr_cli_exit_t written = json > csv ? json : csv;

    return code != IRR_CLI_GOOD ? code : written;
}
