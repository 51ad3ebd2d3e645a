/*
 * coll_irr_record.c - see coll_irr_record.h: the values of the fields, and how records are merged.
 */
#include "coll_irr_record.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef mca_coll_irr_record_t record_t;
typedef mca_coll_irr_range_t  range_t;
typedef mca_coll_irr_tried_t  tried_t;

/* ---- fields ---- */

const mca_coll_irr_field_t mca_coll_irr_fields[MCA_COLL_IRR_FIELDS] = {
    { .json = "communicators" },
    { .json = "exchanges", .column = "    exchanges", .variable = "exchanges",
      .text = "Number of calls of %s on the communicator since the measurement began" },
    { .json = "served", .variable = "served",
      .text = "Number of calls of %s that an algorithm of coll/irr served" },
    { .unit = MCA_COLL_IRR_FRACTION, .json = "served_share", .column = "served" },
    { .json = "messages" },
    { .unit = MCA_COLL_IRR_BYTE, .json = "bytes", .column = "   bytes" },
    { .unit = MCA_COLL_IRR_BYTE, .json = "mean_message", .column = "    mean" },
    { .unit = MCA_COLL_IRR_BYTE, .json = "longest_message", .column = " longest" },
    { .unit = MCA_COLL_IRR_FRACTION, .json = "density", .column = " full" },
    { .json = "tried", .variable = "tried",
      .text = "Number of times that trials have tried an algorithm for %s on the communicator" },
    { .json = "trial_exchanges", .variable = "trial_exchanges", .text = "Number of calls of %s in trials" },
    { .json = "agreements", .variable = "agreements",
      .text = "Number of agreements of the ranks of the communicator on the algorithm that serves %s" },
    { .unit = MCA_COLL_IRR_NS, .json = "time_ns", .column = "    time", .variable = "ns",
      .text = "Time in ns of this rank in calls of %s on the communicator, without agreements" },
    { .unit = MCA_COLL_IRR_NS, .json = "strategy_ns" },
    { .unit = MCA_COLL_IRR_NS, .json = "setup_ns", .column = "  set-up", .variable = "setup_ns",
      .text = "Time in ns of this rank in agreements and preparations for %s on the communicator, plus the time that "
              "trials of slower algorithms cost (a gauge)" },
    { .unit = MCA_COLL_IRR_FRACTION, .json = "setup_share", .column = " share" },
    { .unit = MCA_COLL_IRR_SIGNED_NS, .json = "saved_ns", .column = "   saved", .variable = "saved_ns",
      .text = "Time in ns that calls of %s on the communicator have saved compared with Open MPI, estimated from "
              "trials, minus setup_ns; negative: lost (a gauge)" },
    { .unit = MCA_COLL_IRR_LOW_NS, .json = "saved_range_ns", .column = "    from", .variable = "saved_low_ns",
      .text = "Lower bound of the saved time in ns of %s, from the samples of the trials (a gauge)" },
    { .unit = MCA_COLL_IRR_SIGNED_NS, .column = "      to", .variable = "saved_high_ns",
      .text = "Upper bound of the saved time in ns of %s, from the samples of the trials (a gauge)" },
    { .unit = MCA_COLL_IRR_RATIO, .variable = "speedup",
      .text = "Speedup over Open MPI of the algorithm that serves %s now, as its last trial measured; 0: there was no "
              "trial, or Open MPI serves (a gauge)" },
    { .unit = MCA_COLL_IRR_NAME, .variable = "strategy" }
};

static double ratio(uint64_t some, uint64_t whole)
{
    return whole > 0 ? (double)some / (double)whole : NAN;
}

bool mca_coll_irr_record_knows_saved(const record_t *record)
{
    return record->saves != 0 && record->saved_high_ns - record->saved_low_ns <= (double)record->ns;
}

void mca_coll_irr_record_values(const record_t *record, double values[MCA_COLL_IRR_FIELDS])
{
    const bool sends = record->messages > 0, saves = mca_coll_irr_record_knows_saved(record);
    const double all[] = {
        (double)record->communicators, (double)record->exchanges, (double)record->served,
        ratio(record->served, record->exchanges), (double)record->messages, (double)record->bytes,
        sends ? (double)(record->bytes / record->messages) : NAN, sends ? (double)record->longest : NAN,
        ratio(record->messages, record->all_messages), (double)record->tried, (double)record->trial_exchanges,
        (double)record->agreements, (double)record->ns, (double)record->strategy_ns, (double)record->setup_ns,
        ratio(record->setup_ns, record->ns + record->setup_ns), saves ? record->saved_ns : NAN,
        saves ? record->saved_low_ns : NAN, saves ? record->saved_high_ns : NAN, record->speedup.max,
        record->algorithm
    };

    _Static_assert(sizeof(all) == MCA_COLL_IRR_FIELDS * sizeof(*values), "in the order of the fields");
    memcpy(values, all, sizeof(all));
}

/* ---- records from other processes ---- */

static bool ends(const char *text, size_t room)
{
    return memchr(text, '\0', room) != NULL;
}

static bool is_range(const range_t *range)
{
    return range->min >= 0 && range->min <= range->max && range->max < 1e9;
}

static bool is_time(double ns)
{
    return ns >= -MCA_COLL_IRR_NS_MAX && ns <= MCA_COLL_IRR_NS_MAX;
}

bool mca_coll_irr_record_is_sound(const record_t *record)
{
    bool sound = ends(record->name, sizeof(record->name)) && ends(record->call, sizeof(record->call)) &&
                 ends(record->strategy, sizeof(record->strategy)) && ends(record->why, sizeof(record->why)) &&
                 record->ranks >= 0 && record->nodes >= 0 && record->strategies >= 0 &&
                 record->strategies <= MCA_COLL_IRR_RECORD_STRATEGIES && is_range(&record->speedup) &&
                     is_range(&record->other) &&
                 is_time((double)record->ns) && is_time((double)record->strategy_ns) &&
                 is_time((double)record->setup_ns) && is_time(record->saved_ns) &&
                 is_time(record->saved_low_ns) && is_time(record->saved_high_ns);

    for (int i = 0; sound && i < record->strategies; i++) {
        sound = ends(record->list[i].strategy, sizeof(record->list[i].strategy)) && is_range(&record->list[i].speedup);
    }
    return sound;
}

/* ---- merging records ---- */

static void widen(range_t *range, const range_t *more)
{
    if (range->max <= 0) {
        *range = *more;
    } else if (more->max > 0) {
        range->min = more->min < range->min ? more->min : range->min;
        range->max = more->max > range->max ? more->max : range->max;
    }
}

/* NULL: the list is full and no entry is slower. */
static tried_t *entry_of(record_t *record, const tried_t *tried)
{
    tried_t *slowest = NULL;

    for (int i = 0; i < record->strategies; i++) {
        tried_t *one = &record->list[i];

        if (strcmp(one->strategy, tried->strategy) == 0) {
            return one;
        }
        slowest = slowest == NULL || one->speedup.max < slowest->speedup.max ? one : slowest;
    }
    if (record->strategies < MCA_COLL_IRR_RECORD_STRATEGIES) {
        slowest = &record->list[record->strategies++];
    } else if (slowest->speedup.max >= tried->speedup.max) {
        return NULL;
    }
    *slowest = (tried_t){ .trials = 0 };
    return slowest;
}

void mca_coll_irr_record_tried(record_t *record, const tried_t *tried)
{
    tried_t *entry = entry_of(record, tried);

    if (entry != NULL) {
        memcpy(entry->strategy, tried->strategy, sizeof(entry->strategy));
        entry->trials += tried->trials;
        widen(&entry->speedup, &tried->speedup);
    }
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/*
 * A record of another rank has times of the same exchanges, so the function keeps the longest time instead of the sum.
 */
static void add_times(record_t *into, const record_t *record, bool of_this_rank)
{
    const bool longest = record->ns > into->ns;

    if (longest && !of_this_rank) {
        into->ns = into->strategy_ns = into->setup_ns = 0;
        into->saves = 0;
        into->saved_ns = into->saved_low_ns = into->saved_high_ns = 0;
    }
    if (longest || of_this_rank) {
        into->ns += record->ns;
        into->strategy_ns += record->strategy_ns;
        into->setup_ns += record->setup_ns;
        into->saves |= record->saves;
        into->saved_ns += record->saved_ns;
        into->saved_low_ns += record->saved_low_ns;
        into->saved_high_ns += record->saved_high_ns;
    }
}

/* Returns true if the texts are equal up to the first number. */
static bool is_similar(const char *a, const char *b)
{
    while (*a == *b && *a != '\0' && !isdigit((unsigned char)*a)) {
        a++;
        b++;
    }
    return *a == *b || (isdigit((unsigned char)*a) && isdigit((unsigned char)*b));
}

/* The text of rank 0 has precedence over the text of another rank. */
static void add_texts(record_t *into, const record_t *record)
{
    if (into->communicators == 0) {
        if (record->communicators > 0 || into->strategy[0] == '\0') {
            memcpy(into->strategy, record->strategy, sizeof(into->strategy));
            memcpy(into->why, record->why, sizeof(into->why));
            into->similar = record->similar;
            into->nodes = record->nodes;
        }
    } else if (record->communicators > 0) {
        if (strcmp(into->strategy, record->strategy) != 0) {
            snprintf(into->strategy, sizeof(into->strategy), "%s", "several algorithms");
        }
        into->similar |= record->similar | (strcmp(into->why, record->why) != 0);
        if (!is_similar(into->why, record->why)) {
            into->similar = 0;
            snprintf(into->why, sizeof(into->why), "%s", "because communicators differ");
        }
        into->nodes = into->nodes == record->nodes ? record->nodes : 0;
    }
}

/* Adds the numbers that rank 0 of each communicator counts. */
static void add_counts(record_t *into, const record_t *record)
{
    into->communicators += record->communicators;
    into->exchanges += record->exchanges;
    into->served += record->served;
    into->agreements += record->agreements;
    into->tried += record->tried;
    into->trial_exchanges += record->trial_exchanges;
    widen(&into->speedup, &record->speedup);
    widen(&into->other, &record->other);
    for (int i = 0; i < record->strategies; i++) {
        mca_coll_irr_record_tried(into, &record->list[i]);
    }
}

static void add(record_t *into, const record_t *record, bool of_this_rank)
{
    add_texts(into, record);
    if (record->communicators > 0) {
        add_counts(into, record);
    }
    into->ranks = into->ranks == record->ranks ? record->ranks : 0;
    into->all_messages += record->all_messages;
    into->messages += record->messages;
    into->bytes += record->bytes;
    into->longest = larger(into->longest, record->longest);
    add_times(into, record, of_this_rank);
}

/* ---- tables ---- */

void mca_coll_irr_table_total(const mca_coll_irr_table_t *table, const char *call, record_t *total)
{
    *total = (record_t){ .ranks = 0 };
    for (int i = 0; i < table->count; i++) {
        record_t record = table->records[i];

        if (!mca_coll_irr_record_knows_saved(&record)) {
            record.saves = 0;
            record.saved_ns = record.saved_low_ns = record.saved_high_ns = 0;
        }
        if (call == NULL || strcmp(record.call, call) == 0) {
            add(total, &record, true);
        }
    }
}

/* The record with the same ranks and call, and with by_name also the same name; NULL: not in the table. */
static record_t *find(mca_coll_irr_table_t *table, const record_t *record, bool by_name)
{
    for (int i = 0; i < table->count; i++) {
        record_t *other = &table->records[i];

        if (other->ranks == record->ranks && strcmp(other->call, record->call) == 0 &&
            (!by_name || strcmp(other->name, record->name) == 0)) {
            return other;
        }
    }
    return NULL;
}

/* Appends an empty record with the same name, call and ranks. */
static record_t *append(mca_coll_irr_table_t *table, const record_t *record)
{
    record_t *made = &table->records[table->count++];

    *made = (record_t){ .ranks = record->ranks };
    memcpy(made->name, record->name, sizeof(made->name));
    memcpy(made->call, record->call, sizeof(made->call));
    return made;
}

/* Returns the record to merge a record with, if the table has room for at most one more. */
static record_t *find_to_merge(mca_coll_irr_table_t *table, const record_t *record)
{
    record_t *found = find(table, record, false);

    if (found == NULL) {
        found = table->count < MCA_COLL_IRR_RECORDS ? append(table, record)
                                                    : &table->records[MCA_COLL_IRR_RECORDS - 1];
    }
    if (strcmp(found->call, record->call) != 0) {
        snprintf(found->call, sizeof(found->call), "%s", "several");
    }
    snprintf(found->name, sizeof(found->name), "%s", "others");
    return found;
}

void mca_coll_irr_table_add(mca_coll_irr_table_t *table, const record_t *record, bool of_this_rank)
{
    record_t *found = find(table, record, true);

    if (found == NULL) {
        found = table->count < MCA_COLL_IRR_RECORDS - 1 ? append(table, record) : find_to_merge(table, record);
    }
    add(found, record, of_this_rank);
}

static int compare(const void *a, const void *b)
{
    const record_t *left = a, *right = b;

    return (left->ns < right->ns) - (left->ns > right->ns);
}

void mca_coll_irr_table_sort(mca_coll_irr_table_t *table)
{
    qsort(table->records, (size_t)table->count, sizeof(table->records[0]), compare);
}
