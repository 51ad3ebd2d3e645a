/*
 * coll_irr_record_summary.c - the sentence with which a report begins: whether coll/irr served the exchanges of the
 * job, whether that helped and how much, and if not, why not.
 *
 * An algorithm is in use for a record if it serves the exchanges at the end of the record, or has replaced Open MPI for
 * some time.  The sentence takes the reason from the record with the longest time in exchanges.
 */
#include "coll_irr_record.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

typedef mca_coll_irr_record_t record_t;
typedef mca_coll_irr_table_t  table_t;

/* The end of the text, and the room in bytes from there on. */
typedef struct sentence {
    char  *text;
    size_t size;
} sentence_t;

__attribute__((format(printf, 2, 3)))
static void add(sentence_t *sentence, const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(sentence->text, sentence->size, format, arguments);
    va_end(arguments);
    if (length > 0 && (size_t)length < sentence->size) {
        sentence->text += length;
        sentence->size -= (size_t)length;
    }
}

static mca_coll_irr_size_t time_text(double ns)
{
    return mca_coll_irr_time_text(ns);
}

/* ---- facts ---- */

static bool is_left(const record_t *record)
{
    return strcmp(record->strategy, MCA_COLL_IRR_HOST_TEXT) == 0 || record->served == 0;
}

static bool is_used(const record_t *record)
{
    return record->strategy_ns > 0 || !is_left(record);
}

/* Returns the name of the algorithm in use; NULL: no algorithm is in use. */
static const char *algorithm_in_use(const table_t *table)
{
    const char *name = NULL;

    for (int i = 0; i < table->count; i++) {
        const record_t *record = &table->records[i];

        if (!is_used(record)) {
            continue;
        }
        if (is_left(record) || (name != NULL && strcmp(name, record->strategy) != 0)) {
            return "several algorithms";
        }
        name = record->strategy;
    }
    return name;
}

static const record_t *longest(const table_t *table)
{
    const record_t *found = &table->records[0];

    for (int i = 1; i < table->count; i++) {
        found = table->records[i].ns > found->ns ? &table->records[i] : found;
    }
    return found;
}

/* ---- clauses ---- */

static void add_exchanges(sentence_t *sentence, uint64_t exchanges, bool all)
{
    add(sentence, "%s%" PRIu64 " exchange%s", all && exchanges > 1 ? "all " : "", exchanges, exchanges == 1 ? "" : "s");
}

static void add_reason(sentence_t *sentence, const table_t *table)
{
    const record_t *record = longest(table);
    char reason[MCA_COLL_IRR_REASON];

    mca_coll_irr_record_reason(record, reason, sizeof(reason));
    if (table->count > 1) {
        add(sentence, " (most of the time: %s on %s)", record->call, record->name);
    }
    add(sentence, ", %s", reason);
}

/* Adds how much the algorithms in use have saved. */
static void add_saved(sentence_t *sentence, const record_t *total)
{
    const mca_coll_irr_size_t low = time_text(total->saved_low_ns), high = time_text(total->saved_high_ns);
    const mca_coll_irr_size_t is = time_text(fabs(total->saved_ns));

    if (total->strategy_ns == 0 && total->speedup.max <= 0) {   /* the user has named the algorithms */
        add(sentence, "; no trial has compared that with Open MPI, so the saved time is unknown");
    } else if (!mca_coll_irr_record_knows_saved(total)) {
        add(sentence, ", but the saved time is unknown, because times in trials vary too much");
    } else if (total->saved_low_ns > 0) {
        add(sentence, " and saved %s (%s to %s)", is.text, low.text, high.text);
    } else if (total->saved_high_ns < 0) {
        add(sentence, " and lost %s (%s to %s)", is.text, time_text(-total->saved_high_ns).text,
            time_text(-total->saved_low_ns).text);
    } else {
        add(sentence, ", but it is not certain that this saved time: %s to %s", low.text, high.text);
    }
    add(sentence, "; exchanges took %s.", time_text((double)total->ns).text);
}

static void add_used(sentence_t *sentence, const record_t *total, const char *algorithm)
{
    const double percent = 100 * (double)total->served / (double)total->exchanges;

    add(sentence, "coll/irr served ");
    if (total->served < total->exchanges) {
        add(sentence, "%.*f %% of ", percent < 9.95 ? 1 : 0, percent);
    }
    add_exchanges(sentence, total->exchanges, total->served >= total->exchanges);
    add(sentence, " by %s", algorithm);
    add_saved(sentence, total);
}

void mca_coll_irr_table_summary(const table_t *table, char text[MCA_COLL_IRR_SUMMARY])
{
    sentence_t sentence = { text, MCA_COLL_IRR_SUMMARY };
    const char *algorithm = algorithm_in_use(table);
    record_t total;

    mca_coll_irr_table_total(table, NULL, &total);
    if (total.exchanges == 0) {
        add(&sentence, "Open MPI passed no exchange to coll/irr.");
    } else if (algorithm != NULL) {
        add_used(&sentence, &total, algorithm);
    } else if (total.served > 0) {
        add(&sentence, "coll/irr served %" PRIu64 " of ", total.served);
        add_exchanges(&sentence, total.exchanges, false);
        add(&sentence, " in trials and left the others to Open MPI");
        add_reason(&sentence, table);
        add(&sentence, "; set-up took %s, exchanges took %s.", time_text((double)total.setup_ns).text,
            time_text((double)total.ns).text);
    } else {
        add(&sentence, "coll/irr left ");
        add_exchanges(&sentence, total.exchanges, true);
        add(&sentence, " to Open MPI");
        add_reason(&sentence, table);
        add(&sentence, ".");
    }
}
