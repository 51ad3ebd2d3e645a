/*
 * coll_irr_rows.c - see coll_irr_rows.h: numbers with units, and what becomes of rows in a table.
 */
#include "coll_irr_rows.h"

#include <stddef.h>
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

void mca_coll_irr_time_text(uint64_t ns, char text[MCA_COLL_IRR_UNITS])
{
    static const char *const units[] = { "ns", "us", "ms", "s" };

    with_unit(ns, units, 4, text);
}

/* ---- rows ---- */

void mca_coll_irr_row_tried(mca_coll_irr_row_t *row, const char *way, double ratio)
{
    mca_coll_irr_tried_t *place = NULL;

    for (int i = 0; i < row->ways && place == NULL; i++) {
        place = strncmp(row->list[i].way, way, sizeof(place->way) - 1) == 0 ? &row->list[i] : NULL;
    }
    if (place == NULL && row->ways < MCA_COLL_IRR_ROW_WAYS) {
        place = &row->list[row->ways++];
    }
    for (int i = 0; i < MCA_COLL_IRR_ROW_WAYS && place == NULL; i++) {
        bool worst = row->list[i].ratio > ratio;

        for (int k = 0; k < MCA_COLL_IRR_ROW_WAYS; k++) {
            worst = worst && row->list[i].ratio >= row->list[k].ratio;
        }
        place = worst ? &row->list[i] : NULL;
    }
    if (place != NULL) {
        snprintf(place->way, sizeof(place->way), "%s", way);
        place->ratio = ratio;
    }
}

static bool ends(const char *text, size_t room)
{
    return memchr(text, '\0', room) != NULL;
}

bool mca_coll_irr_row_is_sound(const mca_coll_irr_row_t *row)
{
    bool sound = ends(row->name, sizeof(row->name)) && ends(row->call, sizeof(row->call)) &&
                 ends(row->way, sizeof(row->way)) && ends(row->why, sizeof(row->why)) && row->ranks >= 0 &&
                 row->nodes >= 0 && row->ways >= 0 && row->ways <= MCA_COLL_IRR_ROW_WAYS;

    for (int i = 0; sound && i < row->ways; i++) {
        sound = ends(row->list[i].way, sizeof(row->list[i].way)) && row->list[i].ratio >= 0 &&
                row->list[i].ratio < 1e9;
    }
    return sound;
}

/* ---- tables ---- */

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* What a rank measured: of this one all of it, of others where it is more. */
static void add_times(mca_coll_irr_row_t *into, const mca_coll_irr_row_t *row, bool of_this_rank)
{
    uint64_t *const sums[] = { &into->ns, &into->setup_ns, &into->saved_ns, &into->agreements, &into->tried,
                               &into->trial_exchanges };
    const uint64_t more[] = { row->ns, row->setup_ns, row->saved_ns, row->agreements, row->tried,
                              row->trial_exchanges };

    for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
        *sums[i] = of_this_rank ? *sums[i] + more[i] : larger(*sums[i], more[i]);
    }
}

/* What was found: by the last of this rank's communicators, or by any, as all its ranks have found the same. */
static void add_ways(mca_coll_irr_row_t *into, const mca_coll_irr_row_t *row, bool of_this_rank)
{
    if (strcmp(into->way, row->way) != 0) {
        snprintf(into->way, sizeof(into->way), "%s", "several ways");
    }
    if (of_this_rank && strcmp(into->why, row->why) != 0) {   /* its times are those of a rank */
        into->why[0] = '\0';
    }
    if (row->ways > 0 && (of_this_rank || into->ways == 0)) {
        into->ways = row->ways;
        memcpy(into->list, row->list, sizeof(into->list));
    }
}

static void add(mca_coll_irr_row_t *into, const mca_coll_irr_row_t *row, bool of_this_rank)
{
    into->communicators += row->communicators;
    into->exchanges += row->exchanges;
    into->room += row->room;
    into->messages += row->messages;
    into->bytes += row->bytes;
    into->longest = larger(into->longest, row->longest);
    into->ranks = into->ranks == row->ranks ? row->ranks : 0;
    into->nodes = into->nodes > row->nodes ? into->nodes : row->nodes;
    add_times(into, row, of_this_rank);
    add_ways(into, row, of_this_rank);
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
