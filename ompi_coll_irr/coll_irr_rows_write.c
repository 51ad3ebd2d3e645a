/*
 * coll_irr_rows_write.c - a table as text, and as JSON:
 *
 *     {"program": "coll_irr", "version": "1.2.3", "ranks": 4, "ranks_told": 4,
 *      "rows": [{NUMBERS, "communicator": "MPI_COMM_WORLD", "call": "MPI_Alltoallv", "ranks": 4, "nodes": 1,
 *                "way": "board", "reason": "because it has speedup 1.88 in trials", "speedup": [1.882, 1.882],
 *                "best_other_speedup": null, "ways": [{"way": "board", "trials": 1, "speedup": [1.882, 1.882]}, ...]},
 *               ...],
 *      "totals": [{"call": "MPI_Alltoallv", NUMBERS}, ...],
 *      "total": {NUMBERS}}
 *
 * NUMBERS are "communicators": 1, "exchanges": 2000, "messages": 24000, "bytes": ..., "mean_message": ...,
 * "longest_message": ..., "density": 1.000, "tried": 1, "trial_exchanges": 24, "agreements": 6, "time_ns": ...,
 * "setup_ns": ..., "setup_share": 0.012, "saved_ns": ..., "saved_range_ns": [..., ...].
 *
 * What is not known is null.  Numbers with a point are written as two whole ones, so that no locale puts a comma there;
 * and of names, which are the application's, only ASCII.
 */
#include "coll_irr_rows.h"

#include <inttypes.h>
#include <string.h>

/* A text as it may be printed. */
typedef struct clean {
    char text[MCA_COLL_IRR_REASON];
} clean_t;

/* What is not readable ASCII becomes a question mark; so does what JSON needs a backslash for. */
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

/* A part, and whether there is one. */
typedef struct part {
    bool   known;
    double value;
} part_t;

static part_t part_of(uint64_t some, uint64_t all)
{
    return (part_t){ all > 0, all > 0 ? (double)some / (double)all : 0 };
}

/* ---- text ---- */

static void percent_text(part_t part, char text[MCA_COLL_IRR_UNITS])
{
    snprintf(text, MCA_COLL_IRR_UNITS, "-");
    if (part.known) {
        snprintf(text, MCA_COLL_IRR_UNITS, "%.*f%%", part.value < 0.0995 ? 1 : 0, 100 * part.value);
    }
}

#define COLUMNS "%13s %8s %8s %8s %5s %8s %8s %6s %8s %8s %8s\n"

static void print_head(const mca_coll_irr_job_t *job, FILE *stream)
{
    fprintf(stream, "coll/irr %s: what all-to-all collectives did in a job of %d ranks.\n", job->version,
            job->ranks);
    if (job->told < job->ranks) {
        fprintf(stream, "Only %d ranks have told what they did: coll_irr_report is not the same on all.\n", job->told);
    }
    fputs("Bytes and messages are sums over the ranks, of what goes to others; times are those of the rank that\n"
          "has most. Set-up is what preparations and agreements took, and by which trials made exchanges longer; its\n"
          "share is of time and set-up together. Speedup is the time of Open MPI's own divided by that of an\n"
          "algorithm. Saved is by how much exchanges were shorter than by Open MPI's own, as trials tell; from and to\n"
          "are its interval, by the samples that were timed.\n\n", stream);
    fprintf(stream, COLUMNS, "exchanges", "bytes", "mean", "longest", "full", "time", "set-up", "share", "saved",
            "from", "to");
}

static void range_text(const mca_coll_irr_range_t *range, char *text, size_t size)
{
    if (range->max - range->min < 0.005) {
        snprintf(text, size, "%.2f", range->max);
    } else {
        snprintf(text, size, "%.2f to %.2f", range->min, range->max);
    }
}

/* Why the algorithm is what it is. */
static void print_reason(const mca_coll_irr_row_t *row, FILE *stream)
{
    char reason[MCA_COLL_IRR_REASON], speedup[48];

    mca_coll_irr_row_reason(row, reason, sizeof(reason));
    fprintf(stream, "    %s; ", clean(reason).text);
    if (row->tried > 0) {
        fprintf(stream, "tried %" PRIu64 " algorithm%s in %" PRIu64 " exchanges; ", row->tried,
                row->tried == 1 ? "" : "s", row->trial_exchanges);
    }
    fprintf(stream, "%" PRIu64 " agreement%s\n", row->agreements, row->agreements == 1 ? "" : "s");
    for (int i = 0; i < row->ways; i++) {
        const mca_coll_irr_tried_t *tried = &row->list[i];

        range_text(&tried->speedup, speedup, sizeof(speedup));
        fprintf(stream, "%s%s %s in %" PRIu64 " trial%s%s", i == 0 ? "    speedup: " : "; ", clean(tried->way).text,
                speedup, tried->trials, tried->trials == 1 ? "" : "s", i + 1 < row->ways ? "" : "\n");
    }
}

static void name_text(const mca_coll_irr_row_t *row, char *text, size_t size)
{
    if (row->communicators > 1) {
        snprintf(text, size, "%s x %" PRIu64, clean(row->name).text, row->communicators);
    } else {
        snprintf(text, size, "%s", clean(row->name).text);
    }
}

/* Only trials tell what was saved. */
static void saved_text(const mca_coll_irr_row_t *row, int64_t ns, char text[MCA_COLL_IRR_UNITS])
{
    snprintf(text, MCA_COLL_IRR_UNITS, "-");
    if (row->saves != 0) {
        mca_coll_irr_time_text(ns, text);
    }
}

/* Nothing where it is not known. */
static void print_number(const char *before, int32_t number, const char *what, FILE *stream)
{
    if (number > 0) {
        fprintf(stream, "%s %" PRId32 " %s%s", before, number, what, number == 1 ? "" : "s");
    }
}

static void print_numbers(const mca_coll_irr_row_t *row, FILE *stream)
{
    char count[24], bytes[MCA_COLL_IRR_UNITS], mean[MCA_COLL_IRR_UNITS], longest[MCA_COLL_IRR_UNITS];
    char full[MCA_COLL_IRR_UNITS], ns[MCA_COLL_IRR_UNITS], setup[MCA_COLL_IRR_UNITS], share[MCA_COLL_IRR_UNITS];
    char saved[MCA_COLL_IRR_UNITS], low[MCA_COLL_IRR_UNITS], high[MCA_COLL_IRR_UNITS];

    snprintf(count, sizeof(count), "%" PRIu64, row->exchanges);
    mca_coll_irr_bytes_text(row->bytes, bytes);
    mca_coll_irr_bytes_text(row->messages > 0 ? row->bytes / row->messages : 0, mean);
    mca_coll_irr_bytes_text(row->longest, longest);
    percent_text(part_of(row->messages, row->room), full);
    mca_coll_irr_time_text((int64_t)row->ns, ns);
    mca_coll_irr_time_text((int64_t)row->setup_ns, setup);
    percent_text(part_of(row->setup_ns, row->ns + row->setup_ns), share);
    saved_text(row, row->saved_ns, saved);
    saved_text(row, row->saved_low_ns, low);
    saved_text(row, row->saved_high_ns, high);
    fprintf(stream, COLUMNS, count, bytes, mean, longest, full, ns, setup, share, saved, low, high);
}

static void print_row(const mca_coll_irr_row_t *row, FILE *stream)
{
    char name[MCA_COLL_IRR_REASON + 32];

    name_text(row, name, sizeof(name));
    fprintf(stream, "\n%s, %s", name, clean(row->call).text);
    print_number(",", row->ranks, "rank", stream);
    print_number(" on", row->nodes, "node", stream);
    fprintf(stream, ": %s\n", clean(row->way).text);
    print_numbers(row, stream);
    print_reason(row, stream);
}

/* Is the row the first one of its collective? */
static bool is_first(const mca_coll_irr_table_t *table, int row)
{
    for (int i = 0; i < row; i++) {
        if (strcmp(table->rows[i].call, table->rows[row].call) == 0) {
            return false;
        }
    }
    return true;
}

/* Of each collective, and of the job. */
static void print_totals(const mca_coll_irr_table_t *table, FILE *stream)
{
    mca_coll_irr_row_t total;

    for (int i = 0; i < table->count; i++) {
        if (is_first(table, i)) {
            mca_coll_irr_table_total(table, table->rows[i].call, &total);
            fprintf(stream, "\nTotal of %s\n", clean(table->rows[i].call).text);
            print_numbers(&total, stream);
        }
    }
    mca_coll_irr_table_total(table, NULL, &total);
    fputs("\nTotal\n", stream);
    print_numbers(&total, stream);
}

void mca_coll_irr_table_print(const mca_coll_irr_table_t *table, const mca_coll_irr_job_t *job, FILE *stream)
{
    print_head(job, stream);
    for (int i = 0; i < table->count; i++) {
        print_row(&table->rows[i], stream);
    }
    if (table->count == 0) {
        fputs("none\n", stream);
    } else {
        print_totals(table, stream);
    }
}

/* ---- JSON ---- */

static void json_text(const char *key, const char *text, FILE *stream)
{
    if (text[0] == '\0') {
        fprintf(stream, ", \"%s\": null", key);
    } else {
        fprintf(stream, ", \"%s\": \"%s\"", key, clean(text).text);
    }
}

static void json_number(const char *key, uint64_t number, bool known, FILE *stream)
{
    if (known) {
        fprintf(stream, ", \"%s\": %" PRIu64, key, number);
    } else {
        fprintf(stream, ", \"%s\": null", key);
    }
}

static void put_part(double value, FILE *stream)
{
    const uint64_t thousandths = (uint64_t)(value * 1000 + 0.5);

    fprintf(stream, "%" PRIu64 ".%03d", thousandths / 1000, (int)(thousandths % 1000));
}

static void json_part(const char *key, part_t part, FILE *stream)
{
    fprintf(stream, ", \"%s\": ", key);
    if (part.known) {
        put_part(part.value, stream);
    } else {
        fputs("null", stream);
    }
}

static void json_range(const char *key, const mca_coll_irr_range_t *range, FILE *stream)
{
    if (range->max <= 0) {
        fprintf(stream, ", \"%s\": null", key);
        return;
    }
    fprintf(stream, ", \"%s\": [", key);
    put_part(range->min, stream);
    fputs(", ", stream);
    put_part(range->max, stream);
    fputc(']', stream);
}

static void json_saved(const mca_coll_irr_row_t *row, FILE *stream)
{
    if (row->saves != 0) {
        fprintf(stream, ", \"saved_ns\": %" PRId64 ", \"saved_range_ns\": [%" PRId64 ", %" PRId64 "]", row->saved_ns,
                row->saved_low_ns, row->saved_high_ns);
    } else {
        fputs(", \"saved_ns\": null, \"saved_range_ns\": null", stream);
    }
}

static void json_numbers(const mca_coll_irr_row_t *row, FILE *stream)
{
    fprintf(stream, "\"communicators\": %" PRIu64, row->communicators);
    json_number("exchanges", row->exchanges, true, stream);
    json_number("messages", row->messages, true, stream);
    json_number("bytes", row->bytes, true, stream);
    json_number("mean_message", row->messages > 0 ? row->bytes / row->messages : 0, row->messages > 0, stream);
    json_number("longest_message", row->longest, row->messages > 0, stream);
    json_part("density", part_of(row->messages, row->room), stream);
    json_number("tried", row->tried, true, stream);
    json_number("trial_exchanges", row->trial_exchanges, true, stream);
    json_number("agreements", row->agreements, true, stream);
    json_number("time_ns", row->ns, true, stream);
    json_number("setup_ns", row->setup_ns, true, stream);
    json_part("setup_share", part_of(row->setup_ns, row->ns + row->setup_ns), stream);
    json_saved(row, stream);
}

static void json_ways(const mca_coll_irr_row_t *row, FILE *stream)
{
    fputs(", \"ways\": [", stream);
    for (int i = 0; i < row->ways; i++) {
        fprintf(stream, "%s{\"way\": \"%s\", \"trials\": %" PRIu64, i > 0 ? ", " : "", clean(row->list[i].way).text,
                row->list[i].trials);
        json_range("speedup", &row->list[i].speedup, stream);
        fputc('}', stream);
    }
    fputc(']', stream);
}

static void json_row(const mca_coll_irr_row_t *row, FILE *stream)
{
    char reason[MCA_COLL_IRR_REASON];

    fputc('{', stream);
    json_numbers(row, stream);
    json_text("communicator", row->name, stream);
    json_text("call", row->call, stream);
    json_number("ranks", (uint64_t)row->ranks, row->ranks > 0, stream);
    json_number("nodes", (uint64_t)row->nodes, row->nodes > 0, stream);
    json_text("way", row->way, stream);
    mca_coll_irr_row_reason(row, reason, sizeof(reason));
    json_text("reason", reason, stream);
    json_range("speedup", &row->speedup, stream);
    json_range("best_other_speedup", &row->other, stream);
    json_ways(row, stream);
    fputc('}', stream);
}

static void json_totals(const mca_coll_irr_table_t *table, FILE *stream)
{
    mca_coll_irr_row_t total;
    bool more = false;

    fputs("],\n \"totals\": [", stream);
    for (int i = 0; i < table->count; i++) {
        if (is_first(table, i)) {
            mca_coll_irr_table_total(table, table->rows[i].call, &total);
            fprintf(stream, "%s{\"call\": \"%s\", ", more ? ",\n  " : "\n  ", clean(table->rows[i].call).text);
            json_numbers(&total, stream);
            fputc('}', stream);
            more = true;
        }
    }
    mca_coll_irr_table_total(table, NULL, &total);
    fputs("],\n \"total\": {", stream);
    json_numbers(&total, stream);
    fputs("}}\n", stream);
}

void mca_coll_irr_table_json(const mca_coll_irr_table_t *table, const mca_coll_irr_job_t *job, FILE *stream)
{
    fprintf(stream, "{\"program\": \"coll_irr\", \"version\": \"%s\", \"ranks\": %d, \"ranks_told\": %d,\n \"rows\": [",
            job->version, job->ranks, job->told);
    for (int i = 0; i < table->count; i++) {
        fputs(i > 0 ? ",\n  " : "\n  ", stream);
        json_row(&table->rows[i], stream);
    }
    json_totals(table, stream);
}
