/*
 * coll_irr_rows.c - see coll_irr_rows.h.
 */
#include "coll_irr_rows.h"

#include <stdio.h>

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
