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

/* Sorts the values. */
static double median_of(double *values, int count)
{
    irr_cli_sort(values, count);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* Returns a percentile of the sorted times: the smallest time that at least this share of the times does not exceed. */
static double percentile(const double *sorted, int count, double share)
{
    int rank = (int)ceil(share * count);

    return sorted[rank > 0 ? rank - 1 : 0];
}

/*
 * Returns half of the width of a 97.5 % confidence interval of the median, in positions of the sorted times: 2.24
 * standard deviations of the number of times below the true median, which has a binomial distribution.
 */
static int half_interval(int count)
{
    return (int)ceil(2.24 * sqrt(count) / 2);
}

/* Sorts and summarises at least one time.  Sets the ratios to negative values. */
static void summarise_times(double *times, int count, irr_bench_summary_t *summary)
{
    const int low = (count - 1) / 2 - half_interval(count), high = count / 2 + half_interval(count);
    const double median = median_of(times, count);
    double sum = 0;

    for (int i = 0; i < count; i++) {
        sum += times[i];
    }
    *summary = (irr_bench_summary_t){
        .median = median, .min = times[0], .max = times[count - 1], .mean = sum / count,
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

/* Adds the figures of overlapped exchanges: the median of the exchange alone, and the median hidden share. */
static void overlap_figures(irr_bench_row_t *row, int count, double *scratch)
{
    memcpy(scratch, row->alone, (size_t)count * sizeof(*scratch));
    row->summary.alone = median_of(scratch, count);
    for (int i = 0; i < count; i++) {
        scratch[i] = hidden_share(row->alone[i], row->exposed[i]);
    }
    row->summary.hidden = median_of(scratch, count);
}

/*
 * Sets the ratios of a row to the plain and to the persistent row of Open MPI; NULL: there is none.  With a probability
 * of at least 95 % both medians are in their intervals of 97.5 %, and then the ratio is in its interval.
 */
static void set_ratios(const irr_bench_row_t *host, const irr_bench_row_t *host_start, irr_bench_row_t *row)
{
    irr_bench_summary_t *s = &row->summary;

    if (host != NULL && s->median > 0) {
        s->ratio = host->summary.median / s->median;
    }
    if (host_start != NULL && s->median > 0) {
        s->start_ratio = host_start->summary.median / s->median;
    }
    if (host != NULL && row != host && s->median_low > 0) {
        s->ratio_low = host->summary.median_low / s->median_high;
        s->ratio_high = host->summary.median_high / s->median_low;
    }
}

void irr_bench_summarise(const irr_bench_result_t *result, double *scratch)
{
    const irr_bench_work_t *work = &result->options->work;
    const irr_bench_row_t *hosts[2] = { NULL, NULL };   /* the first rows of Open MPI, plain and persistent */

    for (int i = 0; i < work->rows; i++) {
        irr_bench_row_t *row = &result->rows[i];
        const irr_bench_row_t **host = &hosts[row->starts];

        memcpy(scratch, row->times, (size_t)work->iterations * sizeof(*scratch));
        summarise_times(scratch, work->iterations, &row->summary);
        if (work->overlap) {
            overlap_figures(row, work->iterations, scratch);
        }
        *host = *host == NULL && row->algorithm == IRR_BENCH_HOST ? row : *host;
    }
    for (int i = 0; i < work->rows; i++) {
        irr_bench_summary_t *summary = &result->rows[i].summary;

        summary->rate = summary->median > 0 ? (double)result->lmax / summary->median / 1e6 : 0;
        set_ratios(hosts[false], hosts[true], &result->rows[i]);
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

static void report_input(const irr_bench_options_t *options, const irr_matrix_t *matrix)
{
    const irr_cli_messages_t messages = irr_cli_messages(matrix, true);
    char more[32] = "";

    if (options->matrix != NULL) {
        printf("# matrix %s, scale %g\n", options->matrix, options->scale);
    } else {
        if (sweeps(options)) {
            snprintf(more, sizeof(more), " to %" PRIu64, options->work.unit_max);
        }
        printf("# pattern %s, unit %" PRIu64 "%s bytes, seed %" PRIu64 ", scale %g\n", options->pattern,
               options->work.unit_min, more, options->seed, options->scale);
    }
    if (sweeps(options)) {
        return;   /* the messages vary */
    }
    printf("# messages: %" PRIu64 ", bytes in all: %" PRIu64 ", bytes of the largest message: %" PRIu64 "\n",
           messages.count, messages.bytes, messages.longest);
}

static void report_computation(const irr_bench_work_t *work)
{
    char time[48] = "as long as the exchange alone";

    if (work->compute_us > 0) {
        snprintf(time, sizeof(time), "of %d us", work->compute_us);
    }
    printf("# each beside a %s %s, with MPI_Test called %d times in it\n", work->idle ? "sleep" : "computation", time,
           work->tests);
}

/* ---- the table ---- */

/* Print a column: its title if row is NULL, otherwise a text or a number.  A dash replaces a negative number. */
static void put_text(const irr_bench_row_t *row, const char *title, int width, const char *text)
{
    printf(" %*s", width, row != NULL ? text : title);
}

static void put(const irr_bench_row_t *row, const char *title, int width, int decimals, double value)
{
    char text[64] = "-";

    if (value >= 0) {
        snprintf(text, sizeof(text), "%.*f", decimals, value);
    }
    put_text(row, title, width, text);
}

static void put_time(const irr_bench_row_t *row, const char *title, double seconds)
{
    put(row, title, 10, 2, seconds * MICRO);
}

/* Prints the column of a counter, with a decimal only if the value is not an integer. */
static void put_count(const irr_bench_row_t *row, const char *title, int width, int counter)
{
    const double value = row != NULL ? row->counters[counter] : 0;

    put(row, title, width, value == floor(value) ? 0 : 1, value);
}

/* Prints the first columns: the unit of a sweep, and the name of the algorithm. */
static void put_name(const irr_bench_options_t *options, uint64_t unit, const irr_bench_row_t *row)
{
    char name[64] = "algorithm", units[32] = "unit";

    if (row != NULL) {
        snprintf(units, sizeof(units), "%" PRIu64, unit);
        snprintf(name, sizeof(name), "%s%s%s", row->name, IRR_BENCH_SUFFIX(row),
                 !row->misled ? "" : row->by_irr ? "(irr)" : "(host)");
    }
    printf(row != NULL ? "  " : "# ");
    if (sweeps(options)) {
        printf("%10s ", units);
    }
    printf("%-14s", name);
}

static void put_interval(const irr_bench_row_t *row, double low, double high)
{
    char text[64] = "-";

    if (low >= 0) {
        snprintf(text, sizeof(text), low <= 1 && high >= 1 ? "no-difference" : "%.2f-%.2f", low, high);
    }
    put_text(row, "interval", 13, text);
}

/* Prints row i, or the titles if result is NULL. */
static void report_line(const irr_bench_options_t *options, const irr_bench_result_t *result, int i)
{
    static const irr_bench_summary_t none;
    const irr_bench_work_t *work = &options->work;
    const irr_bench_row_t *row = result != NULL ? &result->rows[i] : NULL;
    const irr_bench_summary_t *s = row != NULL ? &row->summary : &none;

    put_name(options, result != NULL ? result->unit : 0, row);
    put_time(row, "median", s->median);
    put_time(row, "min", s->min);
    put_time(row, "max", s->max);
    put(row, "host/this", 9, 2, s->ratio);
    put_interval(row, s->ratio_low, s->ratio_high);
    if (work->persistent) {
        put(row, "start/this", 10, 2, s->start_ratio);
    }
    if (work->overlap) {
        put_time(row, "alone", s->alone);
        put(row, "hidden", 7, 2, s->hidden);
    }
    put_count(row, "messages", 8, IRR_BENCH_COUNTER_messages_sent);
    put(row, "MB/s", 9, 1, s->rate);
    for (int k = 0; k < options->columns; k++) {
        const char *name = irr_bench_counter_name(options->column[k]);

        put_count(row, name, strlen(name) > COUNTER_WIDTH ? (int)strlen(name) : COUNTER_WIDTH, options->column[k]);
    }
    put_text(row, "verified", 8, work->check == IRR_BENCH_CHECK_NONE ? "-" : row != NULL && row->wrong ? "no" : "yes");
    if (options->full) {
        put_time(row, "mean", s->mean);
        put_time(row, "p90", s->p90);
        put_time(row, "p99", s->p99);
        put(row, "iterations", 10, 0, work->iterations);
    }
    printf("\n");
}

void irr_bench_report_head(const irr_bench_options_t *options, int ranks, const irr_matrix_t *matrix)
{
    static const char *const checks[] = {
        [IRR_BENCH_CHECK_NONE] = "nothing compared",
        [IRR_BENCH_CHECK_ENDS] = "bytes compared before and after",
        [IRR_BENCH_CHECK_EACH] = "every byte compared"
    };
    const irr_bench_work_t *work = &options->work;
    char library[MPI_MAX_LIBRARY_VERSION_STRING], groups[64] = "";

    irr_bench_library(library);
    if (work->inter > 0) {
        snprintf(groups, sizeof(groups), ", groups of %d and %d ranks", work->inter, ranks - work->inter);
    }
    printf("# irr_bench %s: %s, ranks: %d%s, %s\n", irr_cli_version(), irr_bench_call_name(work->call, work->overlap),
           ranks, work->in_place ? ", in place" : groups, library);
    if (options->datatype != NULL) {
        printf("# datatype %s\n", options->datatype);
    }
    report_input(options, matrix);
    printf("# iterations: %d after %d to warm up, us of the slowest rank; %s\n", work->iterations, work->warmup,
           checks[work->check]);
    if (work->overlap) {
        report_computation(work);
    }
    printf("#\n");
    report_line(options, NULL, 0);
    fflush(stdout);
}

void irr_bench_report_rows(const irr_bench_result_t *result)
{
    for (int i = 0; i < result->options->work.rows; i++) {
        report_line(result->options, result, i);
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
               "with --mca mca_base_component_path SYS_DEFAULT:DIR, where DIR is the folder of mca_coll_irr.so.\n");
    }
    fflush(stdout);
}
