/* names.h - lists of names, and sorted names for searching. */
#ifndef IRR_NAMES_H
#define IRR_NAMES_H

#include "irr.h"

/* Largest length of a name in bytes, without the 0 at its end: the limit of DNS. */
#define IRR_NAME_MAX 255

/* A list of names; each name is allocated separately.  Zeroed: empty. */
typedef struct irr_names {
    char **list;
    size_t count, max;
} irr_names_t;

/* Appends a copy of the first `length` bytes of a name.  IRR_ERR_NO_MEMORY leaves the list unchanged. */
irr_status_t irr_names_add(irr_names_t *names, const char *name, size_t length);

/* Removes all names except the first `count`. */
void irr_names_cut(irr_names_t *names, size_t count);

void irr_names_fini(irr_names_t *names);

/*
 * Returns whether a text is a valid name: 1 to IRR_NAME_MAX printable ASCII bytes, without blanks and , [ ] " ' = # \
 */
bool irr_name_is_good(const char *text);

/* Returns whether a name may contain this byte. */
bool irr_name_has(char c);

/* A name, and its index in the list. */
typedef struct irr_sorted_name {
    const char *name;
    int         index;
} irr_sorted_name_t;

/* Fills sorted[count] with the names, sorted by name and then by index.  The names are borrowed.  O(n log n) time. */
void irr_names_sort(char *const *list, size_t count, irr_sorted_name_t *sorted);

/*
 * Returns the index in sorted[] of the first name that is not less than the first `length` bytes of name, or count if
 * all names are less.
 */
size_t irr_names_search(const irr_sorted_name_t *sorted, size_t count, const char *name, size_t length);

/*
 * Returns the index in the list of the first name that is equal to the first `length` bytes of name, or -1.  O(log n).
 */
int irr_names_find(const irr_sorted_name_t *sorted, size_t count, const char *name, size_t length);

#endif
