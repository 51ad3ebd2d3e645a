/* dims.c - reads the dimensions of a grid: "auto", "8x8", "4x4x4", "2^6", "16x2^3". */
#include "irr.h"

#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

/* Reads a number from 1 to max at *text, and advances *text past it.  Returns 0 if there is no such number. */
static int number(const char **text, long max)
{
    char *end;
    long value;

    if (!isdigit((unsigned char)**text)) {
        return 0;
    }
    value = strtol(*text, &end, 10);
    *text = end;
    return value >= 1 && value <= max ? (int)value : 0;
}

/* Reads one factor: a size, or a size and its number of repetitions. */
static bool factor(const char **text, irr_dims_t *dims)
{
    int size = number(text, INT32_MAX), times = 1;

    if (size >= 2 && **text == '^') {
        (*text)++;
        times = number(text, IRR_DIMS_MAX);
    }
    if (size < 2 || times < 1 || dims->count + times > IRR_DIMS_MAX) {
        return false;
    }
    while (times-- > 0) {
        dims->size[dims->count++] = size;
    }
    return true;
}

irr_status_t irr_dims_parse(const char *text, irr_dims_t *dims)
{
    irr_dims_t read = { .count = 0 };

    if (strcasecmp(text, "auto") != 0) {
        do {
            if (!factor(&text, &read)) {
                return IRR_ERR_BAD_PARAM;
            }
        } while (*text++ == 'x');
        if (text[-1] != '\0') {
            return IRR_ERR_BAD_PARAM;
        }
    }
    *dims = read;
    return IRR_OK;
}
