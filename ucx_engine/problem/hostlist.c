/*
 * hostlist.c - expands lists of host names with ranges in brackets; see hostlist.h.
 *
 * An item is the part of a list between two separators: a name that may contain groups.  A group is a list of ranges in
 * brackets.  expand() writes a name from left to right into one buffer.  At a group it writes each number of the group,
 * and calls itself for the rest of the item.  The depth of the recursion is therefore the number of groups of an item,
 * at most IRR_NAME_MAX.  Each branch of the recursion ends with a name or an error, so the number of names limits the
 * time.
 */
#include "problem/hostlist.h"

#include <inttypes.h>
#include <string.h>

#define SEPARATORS ", \t\v\f\r\n"

typedef struct expansion {
    const char  *end;                    /* end of the item */
    char         name[IRR_NAME_MAX + 1];
    irr_names_t *names;
    char        *reason;
    size_t       size;
} expansion_t;

typedef struct range {
    uint64_t first, last;
    int      width;
} range_t;

static irr_status_t refuse(const expansion_t *expansion, const char *format, const char *text, size_t length)
{
    snprintf(expansion->reason, expansion->size, format, (int)(length < 64 ? length : 64), text);
    return IRR_ERR_BAD_PARAM;
}

/*
 * Reads at most 18 digits, so that the number fits 64 bits.  Returns the rest of the text, or NULL if there is no
 * digit.
 */
static const char *read_number(const char *text, const char *end, uint64_t *value)
{
    enum { DIGITS_MAX = 18 };
    const char *at = text;

    *value = 0;
    while (at < end && at - text < DIGITS_MAX && *at >= '0' && *at <= '9') {
        *value = *value * 10 + (uint64_t)(*at++ - '0');
    }
    return at > text ? at : NULL;
}

/* Reads the text between two commas of a group: a number, or two numbers with a dash between them. */
static irr_status_t read_range(const expansion_t *expansion, const char *text, const char *end, range_t *range)
{
    const char *at = read_number(text, end, &range->first);
    const size_t length = (size_t)(end - text);

    if (at != NULL) {
        range->width = (int)(at - text);
        range->last = range->first;
        if (at < end && *at == '-') {
            at = read_number(at + 1, end, &range->last);
        }
    }
    if (at != end) {
        return refuse(expansion, "'%.*s' in brackets is not a number or a range such as 0-7", text, length);
    }
    if (range->last < range->first) {
        return refuse(expansion, "range '%.*s' descends", text, length);
    }
    return IRR_OK;
}

static irr_status_t add_name(expansion_t *expansion, size_t length)
{
    irr_status_t status;

    if (expansion->names->count >= IRR_HOSTLIST_MAX) {
        snprintf(expansion->reason, expansion->size, "more than %d names", IRR_HOSTLIST_MAX);
        return IRR_ERR_BAD_PARAM;
    }
    status = irr_names_add(expansion->names, expansion->name, length);
    if (status != IRR_OK) {
        snprintf(expansion->reason, expansion->size, "not enough memory for %zu names",
                 expansion->names->count + 1);
    }
    return status;
}

static irr_status_t expand(expansion_t *expansion, const char *at, size_t length);

/* Appends each number of a range to the first `length` bytes of the name, and expands the text `rest` after it. */
static irr_status_t expand_range(expansion_t *expansion, const range_t *range, const char *rest, size_t length)
{
    irr_status_t status = IRR_OK;

    for (uint64_t n = range->first; status == IRR_OK && n <= range->last; n++) {
        const size_t room = sizeof(expansion->name) - length;
        const int digits = snprintf(expansion->name + length, room, "%0*" PRIu64, range->width, n);

        if ((size_t)digits >= room) {
            return refuse(expansion, "name '%.*s...' is longer than 255 bytes", expansion->name, length);
        }
        status = expand(expansion, rest, length + (size_t)digits);
    }
    return status;
}

/* Expands a group and the text after it.  at: the text after the opening bracket. */
static irr_status_t expand_group(expansion_t *expansion, const char *at, size_t length)
{
    const char *close = memchr(at, ']', (size_t)(expansion->end - at));
    irr_status_t status = IRR_OK;
    range_t range;

    if (close == NULL) {
        return refuse(expansion, "']' is missing behind '[%.*s'", at, (size_t)(expansion->end - at));
    }
    while (status == IRR_OK && at <= close) {
        const char *comma = memchr(at, ',', (size_t)(close - at));
        const char *end = comma != NULL ? comma : close;

        status = read_range(expansion, at, end, &range);
        status = status == IRR_OK ? expand_range(expansion, &range, close + 1, length) : status;
        at = end + 1;
    }
    return status;
}

/* Expands the rest of an item.  The buffer has the first `length` bytes of the name. */
static irr_status_t expand(expansion_t *expansion, const char *at, size_t length)
{
    for (; at < expansion->end && irr_name_has(*at); at++) {
        if (length == IRR_NAME_MAX) {
            return refuse(expansion, "name '%.*s...' is longer than 255 bytes", expansion->name, length);
        }
        expansion->name[length++] = *at;
    }
    if (at == expansion->end) {
        return add_name(expansion, length);
    }
    if (*at == '[') {
        return expand_group(expansion, at + 1, length);
    }
    return refuse(expansion, *at == ']' ? "']' without a '[' before '%.*s'"
                                        : "a name must not contain the first byte of '%.*s'",
                  at, (size_t)(expansion->end - at));
}

/* Returns the end of an item: a separator outside brackets, or the end of the text. */
static const char *end_of_item(const char *text)
{
    bool inside = false;

    for (; *text != '\0' && (inside || strchr(SEPARATORS, *text) == NULL); text++) {
        inside = *text == '[' || (inside && *text != ']');
    }
    return text;
}

irr_status_t irr_hostlist_expand(const char *text, irr_names_t *names, char *reason, size_t size)
{
    const size_t before = names->count;
    expansion_t expansion = { .names = names, .reason = reason, .size = size };
    irr_status_t status = IRR_OK;

    for (text += strspn(text, SEPARATORS); status == IRR_OK && *text != '\0'; text += strspn(text, SEPARATORS)) {
        expansion.end = end_of_item(text);
        status = expand(&expansion, text, 0);
        text = expansion.end;
    }
    if (status == IRR_OK && names->count == before) {
        snprintf(reason, size, "list of names is empty");
        status = IRR_ERR_BAD_PARAM;
    }
    if (status != IRR_OK) {
        irr_names_cut(names, before);
    }
    return status;
}
