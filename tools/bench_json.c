/*
 * bench_json.c - results as JSON, with all parameters and all times, for plots and comparisons.
 *
 *     {"program": "irr_bench", "version": ..., "mpi": ..., "call": "MPI_Alltoallv",
 *      "first_group": 4 or null, "in_place": false, "ranks": 8,
 *      "input": {"matrix": FILE} or {"pattern": NAME, "seed": 1}, and "scale": 1.0,
 *      "iterations": 100, "warmup": 10, "check": true, "check_each": false,
 *      "results": [{"unit": 1024, "messages": ..., "bytes": ..., "largest_message": ..., "lmax": ...,
 *                   "rows": [{"algorithm": "a1", "persistent": false, "served_by": "irr",
 *                             "median_us": ..., "times_us": [...], "hidden": 0.9, "alone_us": [...],
 *                             "counters": {"exchanges": 1.0, ...}, ...}]}]}
 *
 * What does not apply is null; each row names all counters.  A failure to build the tree is remembered as a
 * missing tree.
 */
#include "bench.h"

#include "cli_options.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define MICRO 1e6

struct irr_bench_json {
    const char *path;
    FILE       *stream;
    json_t     *root;     /* NULL: memory ran out */
    json_t     *results;  /* borrowed from root */
};

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
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:b, s:i, s:o, s:i, s:i, s:b, s:b, s:[]}", "program", "irr_bench",
                     "version", irr_cli_version(), "mpi", library, "call",
                     irr_bench_call_name(work->call, work->overlap), "first_group",
                     work->inter > 0 ? json_integer(work->inter) : json_null(), "in_place", work->in_place,
                     "ranks", ranks, "input", input_of(options), "iterations", work->iterations,
                     "warmup", work->warmup, "check", work->check != IRR_BENCH_CHECK_NONE,
                     "check_each", work->check == IRR_BENCH_CHECK_EACH, "results");
}

irr_bench_json_t *irr_bench_json_create(const char *path, json_t *root)
{
    irr_bench_json_t *json = malloc(sizeof(*json));
    FILE *stream;

    errno = ENOMEM;
    stream = json != NULL ? fopen(path, "w") : NULL;
    if (stream == NULL) {
        irr_cli_complain("%.256s: %s", path, strerror(errno));
        json_decref(root);
        free(json);
        return NULL;
    }
    *json = (irr_bench_json_t){ path, stream, root, json_object_get(root, "results") };
    return json;
}

irr_bench_json_t *irr_bench_json_open(const irr_bench_options_t *options, int ranks)
{
    return irr_bench_json_create(options->json, root_of(options, ranks));
}

void irr_bench_json_append(irr_bench_json_t *json, json_t *result)
{
    if (json_array_append_new(json->results, result) != 0) {
        json_decref(json->root);
        json->root = json->results = NULL;
    }
}

/* A number, or null where there is none. */
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

static json_t *row_of(const irr_bench_options_t *options, const irr_bench_facts_t *facts, const irr_bench_row_t *row,
                      const irr_bench_summary_t *summary)
{
    json_t *verified = options->work.check != IRR_BENCH_CHECK_NONE ? json_boolean(!row->wrong) : json_null();

    return json_pack("{s:s, s:b, s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:o, s:o, s:o, s:f, s:o, s:o, s:o, s:o, s:o, s:o, "
                     "s:o}",
                     "algorithm", row->name, "persistent", row->starts, "served_by", row->by_irr ? "irr" : "host",
                     "median_us", summary->median * MICRO, "min_us", summary->min * MICRO,
                     "max_us", summary->max * MICRO, "mean_us", summary->mean * MICRO,
                     "p90_us", summary->p90 * MICRO, "p99_us", summary->p99 * MICRO,
                     "host_ratio", number(summary->ratio), "host_ratio_low", number(summary->ratio_low),
                     "host_ratio_high", number(summary->ratio_high), "mb_per_s", irr_bench_rate(facts, summary),
                     "host_start_ratio", number(summary->start_ratio),
                     "messages_sent", number(row->counters[IRR_BENCH_COUNTER_messages_sent]),
                     "verified", verified, "counters", counters_of(row),
                     "times_us", times_of(row->times, options->work.iterations),
                     "hidden", number(summary->hidden), "alone_us", times_of(row->alone, options->work.iterations));
}

static json_t *result_of(const irr_bench_options_t *options, const irr_bench_result_t *result)
{
    const irr_bench_facts_t *facts = &result->facts;
    json_t *unit = options->matrix != NULL ? json_null() : json_integer((json_int_t)result->unit);
    json_t *rows = json_array();

    for (int i = 0; i < options->work.rows; i++) {
        if (json_array_append_new(rows, row_of(options, facts, &result->rows[i], &result->summaries[i])) != 0) {
            json_decref(rows);
            json_decref(unit);
            return NULL;
        }
    }
    return json_pack("{s:o, s:I, s:I, s:I, s:I, s:o}", "unit", unit, "messages", (json_int_t)facts->messages,
                     "bytes", (json_int_t)facts->bytes, "largest_message", (json_int_t)facts->largest,
                     "lmax", (json_int_t)facts->busiest, "rows", rows);
}

void irr_bench_json_add(irr_bench_json_t *json, const irr_bench_options_t *options,
                        const irr_bench_result_t *result)
{
    irr_bench_json_append(json, result_of(options, result));
}

irr_cli_exit_t irr_bench_json_close(irr_bench_json_t *json)
{
    irr_cli_exit_t code = IRR_CLI_GOOD;
    bool good;

    errno = ENOMEM;
    good = json->root != NULL && json_dumpf(json->root, json->stream, JSON_INDENT(1)) == 0 &&
           putc('\n', json->stream) != EOF;
    if (fclose(json->stream) != 0 || !good) {
        irr_cli_complain("%.256s: %s", json->path, strerror(errno));
        code = IRR_CLI_REFUSED;
    }
    json_decref(json->root);
    free(json);
    return code;
}
