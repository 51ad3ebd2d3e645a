/*
 * bench_csv.c - the rows of irr_bench as comma-separated values: a header line, and one line a row and unit.
 *
 * Times are in microseconds; what there is not is left empty.
 */
#include "bench.h"

#include <inttypes.h>

#define MICRO 1e6

static const char head[] =
    "unit,algorithm,persistent,served_by,median_us,min_us,max_us,mean_us,p90_us,p99_us,host_ratio,messages_sent,lmax,"
    "verified,alone_us,hidden,host_ratio_low,host_ratio_high,mb_per_s\n";

FILE *irr_bench_csv_open(const char *path)
{
    FILE *stream = irr_bench_file_open(path);

    if (stream != NULL) {
        fputs(head, stream);
    }
    return stream;
}

void irr_bench_csv_add(FILE *stream, const irr_bench_options_t *options, const irr_bench_result_t *result)
{
    for (int i = 0; i < options->work.rows; i++) {
        const irr_bench_row_t *row = &result->rows[i];
        const irr_bench_summary_t *summary = &result->summaries[i];

        if (options->matrix == NULL) {
            fprintf(stream, "%" PRIu64, result->unit);
        }
        fprintf(stream, ",%s,%d,%s,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,", row->name, row->starts,
                row->by_irr ? "irr" : "host", summary->median * MICRO, summary->min * MICRO, summary->max * MICRO,
                summary->mean * MICRO, summary->p90 * MICRO, summary->p99 * MICRO);
        if (summary->ratio >= 0) {
            fprintf(stream, "%.4f", summary->ratio);
        }
        fprintf(stream, ",");
        if (row->counters[IRR_BENCH_COUNTER_messages_sent] >= 0) {
            fprintf(stream, "%.1f", row->counters[IRR_BENCH_COUNTER_messages_sent]);
        }
        fprintf(stream, ",%" PRIu64 ",%s,", result->facts.busiest,
                options->work.check == IRR_BENCH_CHECK_NONE ? "" : row->wrong ? "no" : "yes");
        if (options->work.overlap) {
            fprintf(stream, "%.3f,%.4f", summary->alone * MICRO, summary->hidden);
        } else {
            fputc(',', stream);
        }
        if (summary->ratio_low >= 0) {
            fprintf(stream, ",%.4f,%.4f", summary->ratio_low, summary->ratio_high);
        } else {
            fputs(",,", stream);
        }
        fprintf(stream, ",%.3f\n", irr_bench_rate(&result->facts, summary));
    }
}
