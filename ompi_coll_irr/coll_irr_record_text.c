/*
 * coll_irr_record_text.c - writes the records of a report as text, and as JSON:
 *
 *     {"program": "coll_irr", "version": "1.2.3", "ranks": 4, "ranks_reporting": 4, "complete": true,
 *      "summary": "coll/irr served ...",
 *      "rows": [{NUMBERS, "communicator": "MPI_COMM_WORLD", "call": "MPI_Alltoallv", "ranks": 4, "nodes": 1,
 *                "strategy": "direct", "reason": "because it has speedup 1.88 in trials", "speedup": [1.882, 1.882],
 *                "best_other_speedup": null,
 *                "strategies": [{"strategy": "direct", "trials": 1, "speedup": [1.882, 1.882]}, ...]},
 *               ...],
 *      "totals": [{"call": "MPI_Alltoallv", NUMBERS}, ...],
 *      "total": {NUMBERS}}
 *
 * NUMBERS are the fields of mca_coll_irr_fields with a JSON key: "communicators": 1, "exchanges": 2000, ...,
 * "setup_share": 0.012, "saved_ns": ..., "saved_range_ns": [..., ...].  An unknown value is null.
 *
 * This file formats a number with a decimal point as two integers, because a locale could replace the point by a comma.
 * The application chooses the names of communicators, so this file replaces characters that are not printable ASCII.
 */
#include "coll_irr_record.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef mca_coll_irr_record_t record_t;
typedef mca_coll_irr_field_t  field_t;
typedef mca_coll_irr_table_t  table_t;

/* ---- numbers and texts ---- */

/* Values in the first unit have no decimals. */
static mca_coll_irr_size_t with_unit(double value, const char *const *units, int count)
{
    mca_coll_irr_size_t size;
    int unit = 0;

    while (unit + 1 < count && fabs(value) >= 999.5) {
        value /= 1000;
        unit++;
    }
    snprintf(size.text, sizeof(size.text), "%.*f %s", unit > 0 && fabs(value) < 9.95 ? 1 : 0, value, units[unit]);
    return size;
}

mca_coll_irr_size_t mca_coll_irr_bytes_text(double bytes)
{
    static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB" };

    return with_unit(bytes, units, 6);
}

mca_coll_irr_size_t mca_coll_irr_time_text(double ns)
{
    static const char *const units[] = { "ns", "us", "ms", "s" };

    return with_unit(ns, units, 4);
}

void mca_coll_irr_record_trials(const record_t *record, char text[MCA_COLL_IRR_TRIALS])
{
    text[0] = '\0';
    if (record->tried > 0) {
        snprintf(text, MCA_COLL_IRR_TRIALS, "tried other strategies %" PRIu64 " time%s, in %" PRIu64 " exchanges",
                 record->tried, record->tried == 1 ? "" : "s", record->trial_exchanges);
    }
}

/* The word before the speedup in a reason. */
#define SPEEDUP "speedup "

void mca_coll_irr_record_reason(const record_t *record, char *text, size_t size)
{
    const mca_coll_irr_range_t *range = record->speedup.max > 0 ? &record->speedup : &record->other;
    const char *number = strstr(record->why, SPEEDUP), *rest;

    if (record->why[0] == '\0') {
        snprintf(text, size, "for an unknown reason");
    } else if (record->similar == 0) {
        snprintf(text, size, "%s", record->why);
    } else if (number == NULL || range->max <= 0) {
        snprintf(text, size, "%s; similar on the other communicators", record->why);
    } else {
        number += strlen(SPEEDUP);
        for (rest = number; isdigit((unsigned char)*rest) || *rest == '.'; rest++) {
        }
        snprintf(text, size, "%.*s%.2f to %.2f%s", (int)(number - record->why), record->why, range->min, range->max,
                 rest);
    }
}

typedef struct clean {
    char text[MCA_COLL_IRR_SUMMARY + 80];
} clean_t;

/* Question marks replace characters that are not printable ASCII or need a backslash in JSON. */
static clean_t clean(const char *text)
{
    clean_t made;
    size_t i;

    for (i = 0; text[i] != '\0' && i + 1 < sizeof(made.text); i++) {
        const bool readable = text[i] >= ' ' && text[i] <= '~' && text[i] != '"' && text[i] != '\\';

        made.text[i] = readable ? text[i] : '?';
    }
    made.text[i] = '\0';
    return made;
}

static clean_t reason_of(const record_t *record)
{
    char reason[MCA_COLL_IRR_REASON];

    mca_coll_irr_record_reason(record, reason, sizeof(reason));
    return clean(reason);
}

/* Returns true for the first record of its collective in the table. */
static bool is_first(const table_t *table, int record)
{
    int i = 0;

    while (strcmp(table->records[i].call, table->records[record].call) != 0) {
        i++;
    }
    return i == record;
}

/* ---- text ---- */

static mca_coll_irr_size_t value_text(mca_coll_irr_unit_t unit, double value)
{
    mca_coll_irr_size_t size;

    if (unit == MCA_COLL_IRR_BYTE) {
        return mca_coll_irr_bytes_text(isnan(value) ? 0 : value);
    }
    if (unit != MCA_COLL_IRR_COUNT && unit != MCA_COLL_IRR_FRACTION && !isnan(value)) {
        return mca_coll_irr_time_text(value);
    }
    if (isnan(value)) {
        snprintf(size.text, sizeof(size.text), "-");
    } else if (unit == MCA_COLL_IRR_FRACTION) {
        snprintf(size.text, sizeof(size.text), "%.*f%%", value < 0.0995 ? 1 : 0, 100 * value);
    } else {
        snprintf(size.text, sizeof(size.text), "%.0f", value);
    }
    return size;
}

/* Prints the numbers of a record, or the titles of the columns if record is NULL. */
static void print_columns(const record_t *record, FILE *stream)
{
    double values[MCA_COLL_IRR_FIELDS];
    const char *space = "";

    if (record != NULL) {
        mca_coll_irr_record_values(record, values);
    }
    for (int i = 0; i < MCA_COLL_IRR_FIELDS; i++) {
        const field_t *field = &mca_coll_irr_fields[i];

        if (field->column != NULL) {
            fprintf(stream, "%s%*s", space, (int)strlen(field->column),
                    record != NULL ? value_text(field->unit, values[i]).text : field->column);
            space = " ";
        }
    }
    fputc('\n', stream);
}

/* Text before the summary of a job that has not ended. */
#define SO_FAR "The job has not ended, so these are the numbers of rank 0 so far: "

static clean_t summary_of(const table_t *table, const mca_coll_irr_job_t *job)
{
    char summary[sizeof(SO_FAR) + MCA_COLL_IRR_SUMMARY];
    const int before = snprintf(summary, sizeof(summary), "%s", job->complete ? "" : SO_FAR);

    mca_coll_irr_table_summary(table, summary + before);
    return clean(summary);
}

static void print_head(const table_t *table, const mca_coll_irr_job_t *job, FILE *stream)
{
    fprintf(stream, "%s\n\n", summary_of(table, job).text);
    fprintf(stream, "coll/irr %s: all-to-all collectives in a job of %d rank%s.\n", job->version,
            job->ranks, job->ranks == 1 ? "" : "s");
    if (job->complete && job->reporting < job->ranks) {
        fprintf(stream, "Only %d ranks have reported: coll_irr_report is not set on all ranks.\n", job->reporting);
    }
    fputs("Bytes and messages are sums over the ranks, without the blocks that a rank sends to itself. Times are\n"
          "those of the rank with the longest time. Set-up is the time of preparations and agreements, and the\n"
          "extra time of exchanges in trials. Its share is set-up divided by the sum of time and set-up. Served is\n"
          "the percentage of exchanges by algorithms of coll/irr, also in trials. Speedup is the time of Open MPI's\n"
          "own algorithm divided by the time of an algorithm. Saved is the time in exchanges by the algorithm that\n"
          "replaced Open MPI's own, times (speedup - 1), minus set-up. From and to are the bounds of this\n"
          "estimate, by the bounds of the speedup. Saved is - if it is unknown, or if the bounds are further apart\n"
          "than time.\n\n", stream);
    print_columns(NULL, stream);
}

/* Prints nothing if the number is unknown. */
static void print_number(const char *before, int32_t number, const char *noun, FILE *stream)
{
    if (number > 0) {
        fprintf(stream, "%s %" PRId32 " %s%s", before, number, noun, number == 1 ? "" : "s");
    }
}

static void print_title(const record_t *record, FILE *stream)
{
    fprintf(stream, "\n%s", clean(record->name).text);
    if (record->communicators > 1) {
        fprintf(stream, " x %" PRIu64, record->communicators);
    }
    fprintf(stream, ", %s", clean(record->call).text);
    print_number(",", record->ranks, "rank", stream);
    print_number(" on", record->nodes, "node", stream);
    fprintf(stream, ": %s\n", clean(record->strategy).text);
}

static void print_range(const mca_coll_irr_range_t *range, FILE *stream)
{
    if (range->max - range->min >= 0.005) {
        fprintf(stream, "%.2f to ", range->min);
    }
    fprintf(stream, "%.2f", range->max);
}

/* Prints the reason for the strategy, and all measured speedups. */
static void print_reason(const record_t *record, FILE *stream)
{
    char trials[MCA_COLL_IRR_TRIALS];

    mca_coll_irr_record_trials(record, trials);
    fprintf(stream, "    %s; %s%s%" PRIu64 " agreement%s\n", reason_of(record).text, trials,
            record->tried > 0 ? "; " : "", record->agreements, record->agreements == 1 ? "" : "s");
    for (int i = 0; i < record->strategies; i++) {
        const mca_coll_irr_tried_t *tried = &record->list[i];

        fprintf(stream, "%s%s ", i == 0 ? "    speedup: " : "; ", clean(tried->strategy).text);
        print_range(&tried->speedup, stream);
        fprintf(stream, " in %" PRIu64 " trial%s%s", tried->trials, tried->trials == 1 ? "" : "s",
                i + 1 < record->strategies ? "" : "\n");
    }
}

static void print_total(const table_t *table, const char *call, FILE *stream)
{
    record_t total;

    mca_coll_irr_table_total(table, call, &total);
    fprintf(stream, "\nTotal%s%s\n", call != NULL ? " of " : "", call != NULL ? clean(call).text : "");
    print_columns(&total, stream);
}

void mca_coll_irr_table_print(const table_t *table, const mca_coll_irr_job_t *job, FILE *stream)
{
    print_head(table, job, stream);
    if (table->count == 0) {
        fputs("The job made no such calls on communicators of several ranks.\n", stream);
        return;
    }
    for (int i = 0; i < table->count; i++) {
        print_title(&table->records[i], stream);
        print_columns(&table->records[i], stream);
        print_reason(&table->records[i], stream);
    }
    for (int i = 0; i < table->count; i++) {
        if (is_first(table, i)) {
            print_total(table, table->records[i].call, stream);
        }
    }
    print_total(table, NULL, stream);
}

/* ---- JSON ---- */

static void json_value(mca_coll_irr_unit_t unit, double value, FILE *stream)
{
    const uint64_t thousandths = (uint64_t)(isnan(value) || value < 0 ? 0 : value * 1000 + 0.5);

    if (isnan(value)) {
        fputs("null", stream);
    } else if (unit == MCA_COLL_IRR_FRACTION || unit == MCA_COLL_IRR_RATIO) {
        fprintf(stream, "%" PRIu64 ".%03d", thousandths / 1000, (int)(thousandths % 1000));
    } else {
        fprintf(stream, "%.0f", value);
    }
}

/* Prints null if `high` is unknown. */
static void json_interval(mca_coll_irr_unit_t unit, double low, double high, FILE *stream)
{
    if (isnan(high)) {
        fputs("null", stream);
        return;
    }
    fputc('[', stream);
    json_value(unit, low, stream);
    fputs(", ", stream);
    json_value(unit, high, stream);
    fputc(']', stream);
}

static void json_range(const char *key, const mca_coll_irr_range_t *range, FILE *stream)
{
    fprintf(stream, ", \"%s\": ", key);
    json_interval(MCA_COLL_IRR_RATIO, range->min, range->max > 0 ? range->max : NAN, stream);
}

static void json_numbers(const record_t *record, FILE *stream)
{
    double values[MCA_COLL_IRR_FIELDS];
    const char *comma = "";

    mca_coll_irr_record_values(record, values);
    for (int i = 0; i < MCA_COLL_IRR_FIELDS; i++) {
        const field_t *field = &mca_coll_irr_fields[i];

        if (field->json == NULL) {
            continue;
        }
        fprintf(stream, "%s\"%s\": ", comma, field->json);
        if (field->unit == MCA_COLL_IRR_LOW_NS) {
            json_interval(field->unit, values[i], values[i + 1], stream);
        } else {
            json_value(field->unit, values[i], stream);
        }
        comma = ", ";
    }
}

static void json_text(const char *key, const char *text, FILE *stream)
{
    const char *quote = text[0] != '\0' ? "\"" : "";

    fprintf(stream, ", \"%s\": %s%s%s", key, quote, text[0] != '\0' ? clean(text).text : "null", quote);
}

static void json_size(const char *key, int32_t size, FILE *stream)
{
    fprintf(stream, ", \"%s\": ", key);
    json_value(MCA_COLL_IRR_COUNT, size > 0 ? size : NAN, stream);
}

static void json_record(const record_t *record, FILE *stream)
{
    fputc('{', stream);
    json_numbers(record, stream);
    json_text("communicator", record->name, stream);
    json_text("call", record->call, stream);
    json_size("ranks", record->ranks, stream);
    json_size("nodes", record->nodes, stream);
    json_text("strategy", record->strategy, stream);
    json_text("reason", reason_of(record).text, stream);
    json_range("speedup", &record->speedup, stream);
    json_range("best_other_speedup", &record->other, stream);
    fputs(", \"strategies\": [", stream);
    for (int i = 0; i < record->strategies; i++) {
        fprintf(stream, "%s{\"strategy\": \"%s\", \"trials\": %" PRIu64, i > 0 ? ", " : "",
                clean(record->list[i].strategy).text, record->list[i].trials);
        json_range("speedup", &record->list[i].speedup, stream);
        fputc('}', stream);
    }
    fputs("]}", stream);
}

static void json_total(const table_t *table, const char *call, FILE *stream)
{
    record_t total;

    mca_coll_irr_table_total(table, call, &total);
    json_numbers(&total, stream);
    fputc('}', stream);
}

void mca_coll_irr_table_json(const table_t *table, const mca_coll_irr_job_t *job, FILE *stream)
{
    fprintf(stream, "{\"program\": \"coll_irr\", \"version\": \"%s\", \"ranks\": %d, \"ranks_reporting\": %d, "
            "\"complete\": %s,\n \"summary\": \"%s\",\n \"rows\": [", job->version, job->ranks, job->reporting,
            job->complete ? "true" : "false", summary_of(table, job).text);
    for (int i = 0; i < table->count; i++) {
        fputs(i > 0 ? ",\n  " : "\n  ", stream);
        json_record(&table->records[i], stream);
    }
    fputs("],\n \"totals\": [", stream);
    for (int i = 0; i < table->count; i++) {
        if (is_first(table, i)) {
            fprintf(stream, "%s{\"call\": \"%s\", ", i > 0 ? ",\n  " : "\n  ", clean(table->records[i].call).text);
            json_total(table, table->records[i].call, stream);
        }
    }
    fputs("],\n \"total\": {", stream);
    json_total(table, NULL, stream);
    fputs("}\n", stream);
}
