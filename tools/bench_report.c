/*
 * bench_report.c - the output of irr_bench: a header of `#` lines and one row for each algorithm.
 *
 * Times are in microseconds, as in the files of results.  The order of the columns is fixed, so that scripts can rely
 * on it.  --full appends columns.  --columns inserts counters before `verified`.  --persistent inserts a second ratio
 * after the interval of the first ratio.  --overlap inserts two columns after the ratios.  A sweep inserts the unit
 * as the first column.
 */
#include "bench.h"

#include "cli_options.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define MICRO         1e6
#define COUNTER_WIDTH 12    /* smallest width of the columns of --columns */

/* ---- figures ---- */

/* Returns the smallest of the times for which at least this share of all times is not larger. */
static double percentile(const double *sorted, int count, double share)
{
    int rank = (int)ceil(share * count);

    return sorted[rank > 0 ? rank - 1 : 0];
}

/*
 * Returns half of the width of a 97.5 % interval of the median, as a number of positions in the sorted times.  The
 * number of times below the median has a binomial distribution.
 */
static int half_interval(int count)
{
    return (int)ceil(2.24 * sqrt(count) / 2);
}

/* Sorts and summarises at least one time.  Sets the ratios to negative values. */
static void summarise_times(double *times, int count, irr_bench_summary_t *summary)
{
    const int low = (count - 1) / 2 - half_interval(count), high = count / 2 + half_interval(count);
    double sum = 0;

    irr_cli_sort(times, count);
    for (int i = 0; i < count; i++) {
        sum += times[i];
    }
    *summary = (irr_bench_summary_t){
        .median = (times[(count - 1) / 2] + times[count / 2]) / 2,
        .min = times[0], .max = times[count - 1], .mean = sum / count,
        .p90 = percentile(times, count, 0.90), .p99 = percentile(times, count, 0.99),
        .median_low = times[low > 0 ? low : 0], .median_high = times[high < count ? high : count - 1],
        .ratio = -1, .ratio_low = -1, .ratio_high = -1, .start_ratio = -1, .alone = -1, .hidden = -1
    };
}

/* Returns the share of an exchange that a computation hides, from 0 to 1. */
static double hidden_share(double alone, double exposed)
{
    const double hidden = alone > 0 ? 1 - exposed / alone : 0;

    return hidden < 0 ? 0 : hidden > 1 ? 1 : hidden;
}

/*
 * Adds the figures of overlapped exchanges: the median of the exchange alone, and the hidden share.  The times of the
 * row include exchange and computation.
 */
static void overlap_figures(const irr_bench_row_t *row, int count, double *scratch, irr_bench_summary_t *summary)
{
    irr_bench_summary_t figures;

    memcpy(scratch, row->alone, (size_t)count * sizeof(*scratch));
    summarise_times(scratch, count, &figures);
    summary->alone = figures.median;
    for (int i = 0; i < count; i++) {
        scratch[i] = hidden_share(row->alone[i], row->exposed[i]);
    }
    summarise_times(scratch, count, &figures);
    summary->hidden = figures.median;
}

/* Returns the median of row host divided by the median of row i; negative if there is no row host. */
static double ratio(const irr_bench_summary_t *summaries, int host, int i)
{
    return host >= 0 && summaries[i].median > 0 ? summaries[host].median / summaries[i].median : -1;
}

/*
 * Computes the interval of the ratio from the intervals of both medians.  The probability that both medians are in
 * their intervals is 95 % or more; if so, the ratio is in its interval.
 */
static void ratio_interval(const irr_bench_summary_t *host, irr_bench_summary_t *summary)
{
    if (summary != host && summary->median_low > 0) {
        summary->ratio_low = host->median_low / summary->median_high;
        summary->ratio_high = host->median_high / summary->median_low;
    }
}

double irr_bench_rate(const irr_bench_facts_t *facts, const irr_bench_summary_t *summary)
{
    return summary->median > 0 ? (double)facts->busiest / summary->median / 1e6 : 0;
}

void irr_bench_summarise(const irr_bench_work_t *work, const irr_bench_row_t *rows, double *scratch,
                         irr_bench_summary_t *summaries)
{
    int host = -1, host_start = -1;

    for (int i = 0; i < work->rows; i++) {
        int *first = work->starts[i] ? &host_start : &host;

        memcpy(scratch, rows[i].times, (size_t)work->iterations * sizeof(*scratch));
        summarise_times(scratch, work->iterations, &summaries[i]);
        if (work->overlap) {
            overlap_figures(&rows[i], work->iterations, scratch, &summaries[i]);
        }
        *first = *first < 0 && work->algorithms[i] == IRR_BENCH_HOST ? i : *first;
    }
    for (int i = 0; i < work->rows; i++) {
        summaries[i].ratio = ratio(summaries, host, i);
        if (host >= 0) {
            ratio_interval(&summaries[host], &summaries[i]);
        }
        summaries[i].start_ratio = ratio(summaries, host_start, i);
    }
}

/* ---- lines ---- */

void irr_bench_library(char *text)
{
    int length;

    MPI_Get_library_version(text, &length);
    text[strcspn(text, ",\n")] = '\0';
}

static bool sweeps(const irr_bench_options_t *options)
{
    return options->work.unit_min != options->work.unit_max;
}

static void report_input(const irr_bench_options_t *options, const irr_bench_facts_t *facts)
{
    const irr_bench_work_t *work = &options->work;

    if (options->matrix != NULL) {
        printf("# matrix %s, scale %g\n", options->matrix, options->scale);
    } else if (sweeps(options)) {
        printf("# pattern %s, unit %" PRIu64 " to %" PRIu64 " bytes, seed %" PRIu64 ", scale %g\n",
               options->pattern, work->unit_min, work->unit_max, options->seed, options->scale);
        return;
    } else {
        printf("# pattern %s, unit %" PRIu64 " bytes, seed %" PRIu64 ", scale %g\n", options->pattern,
               work->unit_min, options->seed, options->scale);
    }
    printf("# messages: %" PRIu64 ", bytes in all: %" PRIu64 ", bytes of the largest message: %" PRIu64 "\n",
           facts->messages, facts->bytes, facts->largest);
}

/* Returns the width of the column of a counter, which is sufficient for its name and for the usual numbers. */
static int width_of(const char *counter)
{
    return strlen(counter) > COUNTER_WIDTH ? (int)strlen(counter) : COUNTER_WIDTH;
}

static void report_computation(const irr_bench_work_t *work)
{
    printf("# each beside a %s ", work->idle ? "sleep" : "computation");
    if (work->compute_us > 0) {
        printf("of %d us", work->compute_us);
    } else {
        printf("as long as the exchange alone");
    }
    printf(", with MPI_Test called %d times in it\n", work->tests);
}

void irr_bench_report_head(const irr_bench_options_t *options, int ranks, const irr_bench_facts_t *facts)
{
    static const char *const checks[] = {
        [IRR_BENCH_CHECK_NONE] = "nothing compared",
        [IRR_BENCH_CHECK_ENDS] = "bytes compared before and after",
        [IRR_BENCH_CHECK_EACH] = "every byte compared"
    };
    const irr_bench_work_t *work = &options->work;
    char library[MPI_MAX_LIBRARY_VERSION_STRING], manner[IRR_BENCH_NAME_MAX];

    irr_bench_library(library);
    irr_bench_call_manner(work, ranks, manner, sizeof(manner));
    printf("# irr_bench %s: %s, ranks: %d%s, %s\n", irr_cli_version(), irr_bench_call_name(work->call, work->overlap),
           ranks, manner, library);
    if (options->datatype != NULL) {
        printf("# datatype %s\n", options->datatype);
    }
    report_input(options, facts);
    printf("# iterations: %d after %d to warm up, us of the slowest rank; %s\n", work->iterations, work->warmup,
           checks[work->check]);
    if (work->overlap) {
        report_computation(work);
    }
    printf("#\n# ");
    if (sweeps(options)) {
        printf("%10s ", "unit");
    }
    printf("%-14s %10s %10s %10s %9s %13s", "algorithm", "median", "min", "max", "host/this", "interval");
    if (work->persistent) {
        printf(" %10s", "start/this");
    }
    if (work->overlap) {
        printf(" %10s %7s", "alone", "hidden");
    }
    printf(" %8s %9s", "messages", "MB/s");
    for (int i = 0; i < options->columns; i++) {
        const char *name = irr_bench_counter_name(options->column[i]);

        printf(" %*s", width_of(name), name);
    }
    printf(" %8s", "verified");
    if (options->full) {
        printf(" %10s %10s %10s %10s", "mean", "p90", "p99", "iterations");
    }
    printf("\n");
    fflush(stdout);
}

/* Prints a number, or a dash if the number is negative. */
static void report_number(double value, int width, int decimals)
{
    if (value < 0) {
        printf(" %*s", width, "-");
    } else {
        printf(" %*.*f", width, decimals, value);
    }
}

static void report_time(double seconds)
{
    printf(" %10.2f", seconds * MICRO);
}

static void report_interval(const irr_bench_summary_t *summary)
{
    char text[32] = "-";

    if (summary->ratio_low >= 0) {
        const bool same = summary->ratio_low <= 1 && summary->ratio_high >= 1;

        snprintf(text, sizeof(text), same ? "no-difference" : "%.2f-%.2f", summary->ratio_low, summary->ratio_high);
    }
    printf(" %13s", text);
}

/* Prints a counter, with a decimal only if it is not an integer. */
static void report_count(double value, int width)
{
    report_number(value, width, value == floor(value) ? 0 : 1);
}

static void report_row(const irr_bench_result_t *result, int i)
{
    const irr_bench_options_t *options = result->options;
    const irr_bench_row_t *row = &result->rows[i];
    const irr_bench_summary_t *summary = &result->summaries[i];
    char name[64];

    snprintf(name, sizeof(name), "%s%s%s", row->name, IRR_BENCH_SUFFIX(row),
             !row->misled ? "" : row->by_irr ? "(irr)" : "(host)");
    printf("  ");
    if (sweeps(options)) {
        printf("%10" PRIu64 " ", result->unit);
    }
    printf("%-14s", name);
    report_time(summary->median);
    report_time(summary->min);
    report_time(summary->max);
    report_number(summary->ratio, 9, 2);
    report_interval(summary);
    if (options->work.persistent) {
        report_number(summary->start_ratio, 10, 2);
    }
    if (options->work.overlap) {
        report_time(summary->alone);
        report_number(summary->hidden, 7, 2);
    }
    report_count(row->counters[IRR_BENCH_COUNTER_messages_sent], 8);
    printf(" %9.1f", irr_bench_rate(&result->facts, summary));
    for (int k = 0; k < options->columns; k++) {
        report_count(row->counters[options->column[k]], width_of(irr_bench_counter_name(options->column[k])));
    }
    printf(" %8s", options->work.check == IRR_BENCH_CHECK_NONE ? "-" : row->wrong ? "no" : "yes");
    if (options->full) {
        report_time(summary->mean);
        report_time(summary->p90);
        report_time(summary->p99);
        printf(" %10d", options->work.iterations);
    }
    printf("\n");
}

void irr_bench_report_rows(const irr_bench_result_t *result)
{
    for (int i = 0; i < result->options->work.rows; i++) {
        report_row(result, i);
    }
    fflush(stdout);
}

void irr_bench_report_warning(bool loaded)
{
    if (loaded) {
        printf("# Warning: rows marked (host) were served by Open MPI and rows marked (irr) by coll/irr, contrary to "
               "their names; --mca coll_irr_verbose 10 prints the reasons.\n");
    } else {
        printf("# Warning: coll/irr is not loaded, so Open MPI served the rows marked (host).  Load coll/irr "
               "with --mca mca_base_component_path DIR:SYS_DEFAULT, where DIR is the folder of mca_coll_irr.so.\n");
    }
    fflush(stdout);
}
