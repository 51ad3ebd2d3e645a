/*
 * bench_job_report.c - what irr_bench --job prints: a row for each kind of job and algorithm.
 *
 * Ratios are of two jobs of one pair, without coll/irr over with it; of these the median, the least and the most.
 * With --json all times are in the file:
 *
 *     {"program": "irr_bench", "version": ..., "mpi": ..., "call": "MPI_Alltoallv", "launch": ..., "pairs": 5,
 *      "seed": 1, "results": [{"traffic": "same", "ranks": 2, "calls": 20, "bytes": 8,
 *                   "runs": [{"algorithm": "host", "served": 0.0, "whole_ms": [...], "calls_ms": [...]},
 *                            {"algorithm": "auto", ...}]}]}
 *
 * bytes is null where the traffic has lengths of its own; the first run is the one without coll/irr.  With a command
 * that is the "call", and what it does not tell is null: traffic, calls, bytes, served, calls_ms.
 */
#include "bench_job.h"

#include "cli_options.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define MILLI 1e3

typedef enum clock_kind { WHOLE, CALLS, CLOCKS } clock_kind_t;

struct irr_job_report {
    const irr_job_options_t *options;
    irr_bench_json_t        *json;     /* NULL: none */
    double                  *values;   /* room for one a pair */
    double                   least[CLOCKS][IRR_BENCH_LIST_MAX];   /* median of all kinds so far, by algorithm */
};

static double seconds(const irr_job_sample_t *sample, clock_kind_t kind)
{
    return kind == WHOLE ? sample->whole : sample->calls;
}

/* A command does not tell how long its calls took. */
static clock_kind_t clocks_of(const irr_job_options_t *options)
{
    return options->command != NULL ? CALLS : CLOCKS;
}

/* ---- the table ---- */

/* The call, or the command's first word. */
static const char *what(const irr_job_options_t *options)
{
    const irr_bench_call_t call = options->job.alltoall ? IRR_BENCH_ALLTOALL : IRR_BENCH_ALLTOALLV;

    return options->command != NULL ? options->command[0] : irr_bench_call_name(call, false);
}

static void print_head(const irr_job_options_t *options)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING];

    irr_bench_library(library);
    printf("# irr_bench %s: whole jobs of %s, pairs: %d, by %s, %s\n", irr_cli_version(), what(options),
           options->pairs, options->launch, library);
    printf("# the jobs of each pair in random order, seed: %" PRIu64 "\n", options->seed);
    printf("# time without coll/irr / time with it: median, min and max of the pairs; above 1 it is faster\n");
    printf("# whole: the launcher from start to exit\n");
    printf("# calls: rank 0 from the first call to the end of the last one\n#\n");
    printf("# %-9s %5s %6s %6s %-10s %5s %4s %4s %5s %4s %4s %8s %8s %6s\n", "traffic", "ranks", "calls", "bytes",
           "algorithm", "whole", "min", "max", "calls", "min", "max", "whole_ms", "calls_ms", "served");
    fflush(stdout);
}

/* The ratios of run i, or with i = 0 the times without coll/irr. */
static irr_bench_summary_t summarise(irr_job_report_t *report, const irr_job_cell_t *cell, int i, clock_kind_t kind)
{
    const int pairs = report->options->pairs;
    irr_bench_summary_t summary;

    for (int p = 0; p < pairs; p++) {
        const double without = seconds(&cell->samples[p], kind);
        const double with = seconds(&cell->samples[i * pairs + p], kind);

        report->values[p] = i == 0 ? without : with > 0 ? without / with : 1;
    }
    irr_bench_figures(report->values, pairs, &summary);
    return summary;
}

static double served(const irr_job_report_t *report, const irr_job_cell_t *cell, int i)
{
    const int pairs = report->options->pairs;
    double sum = 0;

    for (int p = 0; p < pairs; p++) {
        sum += (double)cell->samples[i * pairs + p].served;
    }
    return sum / pairs / cell->job.calls;
}

/* What a command is called without its folders, and of our jobs what they do. */
static void print_job(const irr_job_options_t *options, const irr_job_cell_t *cell)
{
    char bytes[16] = "-";

    if (options->command != NULL) {
        const char *slash = strrchr(options->command[0], '/');

        printf("  %-9.9s %5d %6s %6s", slash != NULL ? slash + 1 : options->command[0], cell->ranks, "-", "-");
        return;
    }
    if (cell->job.traffic != IRR_JOB_ALTERNATING) {
        snprintf(bytes, sizeof(bytes), "%d", cell->job.bytes);
    }
    printf("  %-9s %5d %6d %6s", irr_job_traffic_name(cell->job.traffic), cell->ranks, cell->job.calls, bytes);
}

static void print_row(irr_job_report_t *report, const irr_job_cell_t *cell, int i)
{
    const char *name = irr_bench_algorithm_name(report->options->algorithms[i - 1]);
    const clock_kind_t clocks = clocks_of(report->options);

    print_job(report->options, cell);
    printf(" %-10s", name);
    for (clock_kind_t kind = WHOLE; kind < clocks; kind++) {
        const irr_bench_summary_t ratio = summarise(report, cell, i, kind);
        double *least = &report->least[kind][i - 1];

        *least = *least > 0 && *least < ratio.median ? *least : ratio.median;
        printf(" %5.3f %4.2f %4.2f", ratio.median, ratio.min, ratio.max);
    }
    if (clocks == CLOCKS) {
        printf(" %8.1f %8.2f %6.2f\n", summarise(report, cell, 0, WHOLE).median * MILLI,
               summarise(report, cell, 0, CALLS).median * MILLI, served(report, cell, i));
    } else {
        printf(" %5s %4s %4s %8.1f %8s %6s\n", "-", "-", "-", summarise(report, cell, 0, WHOLE).median * MILLI,
               "-", "-");
    }
    fflush(stdout);
}

/* ---- JSON ---- */

static json_t *times_of(const irr_job_report_t *report, const irr_job_cell_t *cell, int i, clock_kind_t kind)
{
    const int pairs = report->options->pairs;
    json_t *times;

    if (kind >= clocks_of(report->options)) {
        return json_null();
    }
    times = json_array();
    for (int p = 0; p < pairs; p++) {
        json_array_append_new(times, json_real(seconds(&cell->samples[i * pairs + p], kind) * MILLI));
    }
    if (json_array_size(times) != (size_t)pairs) {
        json_decref(times);
        return NULL;
    }
    return times;
}

static json_t *run_of(const irr_job_report_t *report, const irr_job_cell_t *cell, int i)
{
    const int algorithm = i == 0 ? IRR_BENCH_HOST : report->options->algorithms[i - 1];
    json_t *share = report->options->command == NULL ? json_real(served(report, cell, i)) : json_null();

    return json_pack("{s:s, s:o, s:o, s:o}", "algorithm", irr_bench_algorithm_name(algorithm), "served", share,
                     "whole_ms", times_of(report, cell, i, WHOLE), "calls_ms", times_of(report, cell, i, CALLS));
}

static json_t *result_of(const irr_job_report_t *report, const irr_job_cell_t *cell)
{
    const bool ours = report->options->command == NULL;
    json_t *bytes = ours && cell->job.traffic != IRR_JOB_ALTERNATING ? json_integer(cell->job.bytes) : json_null();
    json_t *calls = ours ? json_integer(cell->job.calls) : json_null();
    json_t *runs = json_array();

    for (int i = 0; i <= report->options->nalgorithms; i++) {
        if (json_array_append_new(runs, run_of(report, cell, i)) != 0) {
            json_decref(runs);
            json_decref(bytes);
            json_decref(calls);
            return NULL;
        }
    }
    return json_pack("{s:s?, s:i, s:o, s:o, s:o}", "traffic", ours ? irr_job_traffic_name(cell->job.traffic) : NULL,
                     "ranks", cell->ranks, "calls", calls, "bytes", bytes, "runs", runs);
}

static json_t *root_of(const irr_job_options_t *options)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING];

    irr_bench_library(library);
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:i, s:I, s:[]}", "program", "irr_bench", "version", irr_cli_version(),
                     "mpi", library, "call", what(options), "launch", options->launch,
                     "pairs", options->pairs, "seed", (json_int_t)options->seed, "results");
}

/* ---- the report ---- */

irr_job_report_t *irr_job_report_open(const irr_job_options_t *options)
{
    irr_job_report_t *report = calloc(1, sizeof(*report));

    if (report == NULL || (report->values = calloc((size_t)options->pairs, sizeof(*report->values))) == NULL) {
        irr_cli_complain("no memory for the times of %d pairs", options->pairs);
        free(report);
        return NULL;
    }
    report->options = options;
    if (options->json != NULL && (report->json = irr_bench_json_create(options->json, root_of(options))) == NULL) {
        free(report->values);
        free(report);
        return NULL;
    }
    print_head(options);
    return report;
}

void irr_job_report_cell(irr_job_report_t *report, const irr_job_cell_t *cell)
{
    for (int i = 1; i <= report->options->nalgorithms; i++) {
        print_row(report, cell, i);
    }
    if (report->json != NULL) {
        irr_bench_json_append(report->json, result_of(report, cell));
    }
}

irr_cli_exit_t irr_job_report_close(irr_job_report_t *report)
{
    irr_cli_exit_t code = IRR_CLI_GOOD;

    for (int i = 0; i < report->options->nalgorithms && report->least[WHOLE][i] > 0; i++) {
        printf("# least median of %s: whole %.3f", irr_bench_algorithm_name(report->options->algorithms[i]),
               report->least[WHOLE][i]);
        if (clocks_of(report->options) == CLOCKS) {
            printf(", calls %.3f", report->least[CALLS][i]);
        }
        printf("\n");
    }
    if (report->json != NULL) {
        code = irr_bench_json_close(report->json);
    }
    free(report->values);
    free(report);
    return code;
}
