/*
 * coll_irr_rows_write.c - a table as text, and as JSON:
 *
 *     {"program": "coll_irr", "version": "1.2.3", "ranks": 4, "ranks_told": 4,
 *      "rows": [{"communicators": 1, "communicator": "MPI_COMM_WORLD", "call": "MPI_Alltoallv", "ranks": 4, "nodes": 1,
 *                "exchanges": 2000, "messages": 24000, "bytes": ..., "mean_message": ..., "longest_message": ...,
 *                "density": 1.000, "way": "board", "reason": "0.53 of ...",
 *                "ways": [{"way": "board", "ratio": 0.531}, ...],
 *                "tried": 1, "trial_exchanges": 24, "agreements": 6, "time_ns": ..., "setup_ns": ...,
 *                "setup_share": 0.012, "saved_ns": ...}, ...]}
 *
 * What is not known is null.  Numbers with a point are written as two whole ones, so that no locale puts a comma there;
 * and of names, which are the application's, only ASCII.
 */
#include "coll_irr_rows.h"

#include <inttypes.h>

/* A text as it may be printed. */
typedef struct clean {
    char text[288];
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

#define COLUMNS "%13s %8s %8s %8s %5s %8s %8s %6s %8s\n"

static void print_head(const mca_coll_irr_job_t *job, FILE *stream)
{
    fprintf(stream, "coll/irr %s: what all-to-all collectives did in a job of %d ranks.\n", job->version,
            job->ranks);
    if (job->told < job->ranks) {
        fprintf(stream, "Only %d ranks have told what they did: coll_irr_report is not the same on all.\n", job->told);
    }
    fputs("Bytes and messages are sums over the ranks, of what goes to others; times are those of the rank\n"
          "that has most. Set-up is what preparations, agreements and trials took. Saved is how much less\n"
          "exchanges took than by Open MPI's own, as measured in trials.\n\n", stream);
    fprintf(stream, COLUMNS, "exchanges", "bytes", "mean", "longest", "full", "time", "set-up", "", "saved");
}

/* Why the way is what it is. */
static void print_reason(const mca_coll_irr_row_t *row, FILE *stream)
{
    fprintf(stream, "    %s%s", clean(row->why).text, row->why[0] != '\0' ? "; " : "");
    if (row->tried > 0) {
        fprintf(stream, "tried %" PRIu64 " way%s in %" PRIu64 " exchanges; ", row->tried, row->tried == 1 ? "" : "s",
                row->trial_exchanges);
    }
    fprintf(stream, "%" PRIu64 " agreement%s\n", row->agreements, row->agreements == 1 ? "" : "s");
    for (int i = 0; i < row->ways; i++) {
        fprintf(stream, "%s%s %.2f%s", i == 0 ? "    trials, of the time of Open MPI's own: " : "; ",
                clean(row->list[i].way).text, row->list[i].ratio, i + 1 < row->ways ? "" : "\n");
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
static void saved_text(const mca_coll_irr_row_t *row, char text[MCA_COLL_IRR_UNITS])
{
    snprintf(text, MCA_COLL_IRR_UNITS, "-");
    if (row->ways > 0) {
        mca_coll_irr_time_text(row->saved_ns, text);
    }
}

/* Nothing where it is not known. */
static void print_number(const char *before, int32_t number, const char *what, FILE *stream)
{
    if (number > 0) {
        fprintf(stream, "%s %" PRId32 " %s%s", before, number, what, number == 1 ? "" : "s");
    }
}

static void print_row(const mca_coll_irr_row_t *row, FILE *stream)
{
    char name[320], count[24], bytes[MCA_COLL_IRR_UNITS];
    char mean[MCA_COLL_IRR_UNITS], longest[MCA_COLL_IRR_UNITS], full[MCA_COLL_IRR_UNITS], ns[MCA_COLL_IRR_UNITS];
    char setup[MCA_COLL_IRR_UNITS], share[MCA_COLL_IRR_UNITS], saved[MCA_COLL_IRR_UNITS];

    name_text(row, name, sizeof(name));
    fprintf(stream, "\n%s, %s", name, clean(row->call).text);
    print_number(",", row->ranks, "rank", stream);
    print_number(" on", row->nodes, "node", stream);
    fprintf(stream, ": %s\n", clean(row->way).text);
    snprintf(count, sizeof(count), "%" PRIu64, row->exchanges);
    mca_coll_irr_bytes_text(row->bytes, bytes);
    mca_coll_irr_bytes_text(row->messages > 0 ? row->bytes / row->messages : 0, mean);
    mca_coll_irr_bytes_text(row->longest, longest);
    percent_text(part_of(row->messages, row->room), full);
    mca_coll_irr_time_text(row->ns, ns);
    mca_coll_irr_time_text(row->setup_ns, setup);
    percent_text(part_of(row->setup_ns, row->ns), share);
    saved_text(row, saved);
    fprintf(stream, COLUMNS, count, bytes, mean, longest, full, ns, setup, share, saved);
    print_reason(row, stream);
}

void mca_coll_irr_table_print(const mca_coll_irr_table_t *table, const mca_coll_irr_job_t *job, FILE *stream)
{
    print_head(job, stream);
    for (int i = 0; i < table->count; i++) {
        print_row(&table->rows[i], stream);
    }
    if (table->count == 0) {
        fputs("none\n", stream);
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

static void json_ways(const mca_coll_irr_row_t *row, FILE *stream)
{
    fputs(", \"ways\": [", stream);
    for (int i = 0; i < row->ways; i++) {
        fprintf(stream, "%s{\"way\": \"%s\", \"ratio\": ", i > 0 ? ", " : "", clean(row->list[i].way).text);
        put_part(row->list[i].ratio, stream);
        fputc('}', stream);
    }
    fputc(']', stream);
}

static void json_row(const mca_coll_irr_row_t *row, FILE *stream)
{
    fprintf(stream, "{\"communicators\": %" PRIu64, row->communicators);
    json_text("communicator", row->name, stream);
    json_text("call", row->call, stream);
    json_number("ranks", (uint64_t)row->ranks, row->ranks > 0, stream);
    json_number("nodes", (uint64_t)row->nodes, row->nodes > 0, stream);
    json_number("exchanges", row->exchanges, true, stream);
    json_number("messages", row->messages, true, stream);
    json_number("bytes", row->bytes, true, stream);
    json_number("mean_message", row->messages > 0 ? row->bytes / row->messages : 0, row->messages > 0, stream);
    json_number("longest_message", row->longest, row->messages > 0, stream);
    json_part("density", part_of(row->messages, row->room), stream);
    json_text("way", row->way, stream);
    json_text("reason", row->why, stream);
    json_ways(row, stream);
    json_number("tried", row->tried, true, stream);
    json_number("trial_exchanges", row->trial_exchanges, true, stream);
    json_number("agreements", row->agreements, true, stream);
    json_number("time_ns", row->ns, true, stream);
    json_number("setup_ns", row->setup_ns, true, stream);
    json_part("setup_share", part_of(row->setup_ns, row->ns), stream);
    json_number("saved_ns", row->saved_ns, row->ways > 0, stream);
    fputc('}', stream);
}

void mca_coll_irr_table_json(const mca_coll_irr_table_t *table, const mca_coll_irr_job_t *job, FILE *stream)
{
    fprintf(stream, "{\"program\": \"coll_irr\", \"version\": \"%s\", \"ranks\": %d, \"ranks_told\": %d,\n \"rows\": [",
            job->version, job->ranks, job->told);
    for (int i = 0; i < table->count; i++) {
        fputs(i > 0 ? ",\n  " : "\n  ", stream);
        json_row(&table->rows[i], stream);
    }
    fputs("]}\n", stream);
}
