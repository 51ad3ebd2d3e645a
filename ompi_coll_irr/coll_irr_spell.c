/*
 * coll_irr_spell.c - see coll_irr_spell.h: the distance of Damerau and Levenshtein without overlapping swaps, row by
 * row.
 */
#include "coll_irr_spell.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

enum { LONGEST = 63 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

int mca_coll_irr_distance(const char *one, const char *other)
{
    const size_t rows = strlen(one), columns = strlen(other);
    int table[3][LONGEST + 1];   /* the last rows, in turn */

    if (rows > LONGEST || columns > LONGEST) {
        return strcmp(one, other) == 0 ? 0 : INT_MAX;
    }
    for (size_t k = 0; k <= columns; k++) {
        table[0][k] = (int)k;
    }
    for (size_t i = 1; i <= rows; i++) {
        int *row = table[i % 3];
        const int *above = table[(i + 2) % 3], *swapped = table[(i + 1) % 3];

        row[0] = (int)i;
        for (size_t k = 1; k <= columns; k++) {
            row[k] = least(least(above[k], row[k - 1]) + 1, above[k - 1] + (one[i - 1] != other[k - 1]));
            if (i > 1 && k > 1 && one[i - 1] == other[k - 2] && one[i - 2] == other[k - 1]) {
                row[k] = least(row[k], swapped[k - 2] + 1);
            }
        }
    }
    return table[rows % 3][columns];
}

int mca_coll_irr_distance_max(const char *name)
{
    const size_t length = strlen(name);

    return length < 16 ? 2 : 4;
}
