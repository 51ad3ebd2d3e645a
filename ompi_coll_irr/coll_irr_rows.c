/*
 * coll_irr_rows.c - see coll_irr_rows.h: numbers with units, and what becomes of rows in a table.
 */
#include "coll_irr_rows.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ---- */

/* With the last of the units however large; the first one is whole. */
static void with_unit(uint64_t number, const char *const *units, int count, char text[MCA_COLL_IRR_UNITS])
{
    double value = (double)number;
    int unit = 0;

    while (unit + 1 < count && value >= (unit == 0 ? 1000 : 999.5)) {
        value /= 1000;
        unit++;
    }
    snprintf(text, MCA_COLL_IRR_UNITS, "%.*f %s", unit > 0 && value < 9.95 ? 1 : 0, value, units[unit]);
}

void mca_coll_irr_bytes_text(uint64_t bytes, char text[MCA_COLL_IRR_UNITS])
{
    static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB" };

    with_unit(bytes, units, 6, text);
}

void mca_coll_irr_time_text(int64_t ns, char text[MCA_COLL_IRR_UNITS])
{
    static const char *const units[] = { "ns", "us", "ms", "s" };
    char size[MCA_COLL_IRR_UNITS];

    with_unit(ns < 0 ? -(uint64_t)ns : (uint64_t)ns, units, 4, size);
    snprintf(text, MCA_COLL_IRR_UNITS, "%s%.*s", ns < 0 ? "-" : "", MCA_COLL_IRR_UNITS - 2, size);
}

/* ---- rows ---- */

static void widen(mca_coll_irr_range_t *range, const mca_coll_irr_range_t *more)
{
    if (range->max <= 0) {
        *range = *more;
    } else if (more->max > 0) {
        range->min = more->min < range->min ? more->min : range->min;
        range->max = more->max > range->max ? more->max : range->max;
    }
}

/* Where the trials of a strategy are counted; NULL: there is no room, and it is the slowest of all. */
static mca_coll_irr_tried_t *place_of(mca_coll_irr_row_t *row, const mca_coll_irr_tried_t *tried)
{
    mca_coll_irr_tried_t *slowest = NULL;

    for (int i = 0; i < row->ways; i++) {
        if (strcmp(row->list[i].way, tried->way) == 0) {
            return &row->list[i];
        }
        slowest = slowest == NULL || row->list[i].speedup.max < slowest->speedup.max ? &row->list[i] : slowest;
    }
    if (row->ways == MCA_COLL_IRR_ROW_WAYS && slowest->speedup.max >= tried->speedup.max) {
        return NULL;
    }
    slowest = row->ways < MCA_COLL_IRR_ROW_WAYS ? &row->list[row->ways++] : slowest;
    *slowest = (mca_coll_irr_tried_t){ .trials = 0 };
    return slowest;
}

void mca_coll_irr_row_tried(mca_coll_irr_row_t *row, const mca_coll_irr_tried_t *tried)
{
    mca_coll_irr_tried_t *place = place_of(row, tried);

    if (place != NULL) {
        memcpy(place->way, tried->way, sizeof(place->way));
        place->trials += tried->trials;
        widen(&place->speedup, &tried->speedup);
    }
}

/* The word before the one number of such a cause. */
#define SPEEDUP "speedup "

void mca_coll_irr_row_reason(const mca_coll_irr_row_t *row, char *text, size_t size)
{
    const mca_coll_irr_range_t *range = row->speedup.max > 0 ? &row->speedup : &row->other;
    const char *number = strstr(row->why, SPEEDUP), *rest;

    if (row->why[0] == '\0') {
        snprintf(text, size, "because of nothing that is known");
    } else if (row->similar == 0) {
        snprintf(text, size, "%s", row->why);
    } else if (number == NULL || range->max <= 0) {
        snprintf(text, size, "%s; similar on the other communicators", row->why);
    } else {
        number += strlen(SPEEDUP);
        for (rest = number; isdigit((unsigned char)*rest) || *rest == '.'; rest++) {
        }
        snprintf(text, size, "%.*s%.2f to %.2f%s", (int)(number - row->why), row->why, range->min, range->max, rest);
    }
}

static bool ends(const char *text, size_t room)
{
    return memchr(text, '\0', room) != NULL;
}

static bool is_range(const mca_coll_irr_range_t *range)
{
    return range->min >= 0 && range->min <= range->max && range->max < 1e9;
}

static bool is_saved(int64_t ns)
{
    return ns >= -MCA_COLL_IRR_SAVED_MAX && ns <= MCA_COLL_IRR_SAVED_MAX;
}

bool mca_coll_irr_row_is_sound(const mca_coll_irr_row_t *row)
{
    bool sound = ends(row->name, sizeof(row->name)) && ends(row->call, sizeof(row->call)) &&
                 ends(row->way, sizeof(row->way)) && ends(row->why, sizeof(row->why)) && row->ranks >= 0 &&
                 row->nodes >= 0 && row->ways >= 0 && row->ways <= MCA_COLL_IRR_ROW_WAYS &&
                 is_range(&row->speedup) && is_range(&row->other) && is_saved(row->saved_ns) &&
                 is_saved(row->saved_low_ns) && is_saved(row->saved_high_ns);

    for (int i = 0; sound && i < row->ways; i++) {
        sound = ends(row->list[i].way, sizeof(row->list[i].way)) && is_range(&row->list[i].speedup);
    }
    return sound;
}

/* ---- tables ---- */

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static int64_t sum(int64_t a, int64_t b)
{
    const int64_t both = a + b;   /* of two that are sound */

    return both > MCA_COLL_IRR_SAVED_MAX ? MCA_COLL_IRR_SAVED_MAX
                                         : both < -MCA_COLL_IRR_SAVED_MAX ? -MCA_COLL_IRR_SAVED_MAX : both;
}

static void add_saved(mca_coll_irr_row_t *into, const mca_coll_irr_row_t *row)
{
    into->saves |= row->saves;
    into->saved_ns = sum(into->saved_ns, row->saved_ns);
    into->saved_low_ns = sum(into->saved_low_ns, row->saved_low_ns);
    into->saved_high_ns = sum(into->saved_high_ns, row->saved_high_ns);
}

static void add_times(mca_coll_irr_row_t *into, const mca_coll_irr_row_t *row, bool of_this_rank)
{
    if (of_this_rank) {
        into->ns += row->ns;
        into->setup_ns += row->setup_ns;
        add_saved(into, row);
        return;
    }
    if (row->ns > into->ns) {
        into->ns = row->ns;
        into->saves = 0;
        into->saved_ns = into->saved_low_ns = into->saved_high_ns = 0;
        add_saved(into, row);
    }
    into->setup_ns = larger(into->setup_ns, row->setup_ns);
}

/* Do both begin alike, up to the first number? */
static bool is_similar(const char *a, const char *b)
{
    while (*a == *b && *a != '\0' && !isdigit((unsigned char)*a)) {
        a++;
        b++;
    }
    return *a == *b || (isdigit((unsigned char)*a) && isdigit((unsigned char)*b));
}

/* What serves in the end, and why. */
static void add_texts(mca_coll_irr_row_t *into, const mca_coll_irr_row_t *row)
{
    if (into->communicators == 0) {
        memcpy(into->way, row->way, sizeof(into->way));
        memcpy(into->why, row->why, sizeof(into->why));
        into->similar = row->similar;
        return;
    }
    if (strcmp(into->way, row->way) != 0) {
        snprintf(into->way, sizeof(into->way), "%s", "several algorithms");
    }
    if (is_similar(into->why, row->why)) {
        into->similar |= row->similar | (strcmp(into->why, row->why) != 0);
    } else {
        into->similar = 0;
        snprintf(into->why, sizeof(into->why), "%s", "because communicators differ");
    }
}

/* What rank 0 of each communicator tells. */
static void add_counts(mca_coll_irr_row_t *into, const mca_coll_irr_row_t *row)
{
    add_texts(into, row);
    into->nodes = into->communicators == 0 || into->nodes == row->nodes ? row->nodes : 0;
    into->communicators += row->communicators;
    into->exchanges += row->exchanges;
    into->agreements += row->agreements;
    into->tried += row->tried;
    into->trial_exchanges += row->trial_exchanges;
    widen(&into->speedup, &row->speedup);
    widen(&into->other, &row->other);
    for (int i = 0; i < row->ways; i++) {
        mca_coll_irr_row_tried(into, &row->list[i]);
    }
}

static void add(mca_coll_irr_row_t *into, const mca_coll_irr_row_t *row, bool of_this_rank)
{
    if (row->communicators > 0) {
        add_counts(into, row);
    }
    into->ranks = into->ranks == row->ranks ? row->ranks : 0;
    into->room += row->room;
    into->messages += row->messages;
    into->bytes += row->bytes;
    into->longest = larger(into->longest, row->longest);
    add_times(into, row, of_this_rank);
}

void mca_coll_irr_table_total(const mca_coll_irr_table_t *table, const char *call, mca_coll_irr_row_t *total)
{
    *total = (mca_coll_irr_row_t){ .ranks = 0 };
    for (int i = 0; i < table->count; i++) {
        if (call == NULL || strcmp(table->rows[i].call, call) == 0) {
            add(total, &table->rows[i], true);
        }
    }
}

/* The row of this kind, and of this name if it matters; NULL if there is none. */
static mca_coll_irr_row_t *find(mca_coll_irr_table_t *table, const mca_coll_irr_row_t *row, bool by_name)
{
    for (int i = 0; i < table->count; i++) {
        mca_coll_irr_row_t *other = &table->rows[i];

        if (other->ranks == row->ranks && strcmp(other->call, row->call) == 0 &&
            (!by_name || strcmp(other->name, row->name) == 0)) {
            return other;
        }
    }
    return NULL;
}

/* Where there is no room for one more row. */
static mca_coll_irr_row_t *find_company(mca_coll_irr_table_t *table, const mca_coll_irr_row_t *row)
{
    mca_coll_irr_row_t *found = find(table, row, false);

    found = found != NULL ? found : &table->rows[MCA_COLL_IRR_ROWS - 1];
    if (table->count < MCA_COLL_IRR_ROWS && found == &table->rows[MCA_COLL_IRR_ROWS - 1]) {
        *found = *row;
        memset(&found->communicators, 0, sizeof(*found) - offsetof(mca_coll_irr_row_t, communicators));
        table->count = MCA_COLL_IRR_ROWS;
    }
    if (strcmp(found->call, row->call) != 0) {
        snprintf(found->call, sizeof(found->call), "%s", "several");
    }
    snprintf(found->name, sizeof(found->name), "%s", "others");
    return found;
}

void mca_coll_irr_table_add(mca_coll_irr_table_t *table, const mca_coll_irr_row_t *row, bool of_this_rank)
{
    mca_coll_irr_row_t *found = find(table, row, true);

    if (found == NULL && table->count < MCA_COLL_IRR_ROWS - 1) {
        table->rows[table->count++] = *row;
        return;
    }
    add(found != NULL ? found : find_company(table, row), row, of_this_rank);
}

static int compare(const void *a, const void *b)
{
    const mca_coll_irr_row_t *left = a, *right = b;

    return (left->ns < right->ns) - (left->ns > right->ns);
}

void mca_coll_irr_table_sort(mca_coll_irr_table_t *table)
{
    qsort(table->rows, (size_t)table->count, sizeof(table->rows[0]), compare);
}
