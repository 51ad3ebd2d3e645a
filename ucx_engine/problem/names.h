/*
 * names.h - lists of names, and names sorted so that one of many is found.
 */
#ifndef IRR_NAMES_H
#define IRR_NAMES_H

#include "irr.h"

/* Bytes of a name at most, without its end: what DNS allows. */
#define IRR_NAME_MAX 255

/* Zeroed, it is empty.  Each name is memory of its own. */
typedef struct irr_names {
    char **list;
    size_t count, max;
} irr_names_t;

/* Appends a copy of the first length bytes of a name.  IRR_ERR_NO_MEMORY leaves the list as it is. */
irr_status_t irr_names_add(irr_names_t *names, const char *name, size_t length);

/* Forgets all but the first count names. */
void irr_names_cut(irr_names_t *names, size_t count);

void irr_names_fini(irr_names_t *names);

/* Text that may be a name: 1 to IRR_NAME_MAX printable ASCII bytes, no blank and none of , [ ] " ' = # and \ */
bool irr_name_is_good(const char *text);

/* May this byte be in a name? */
bool irr_name_has(char c);

/* A name, and which of the list it is. */
typedef struct irr_sorted_name {
    const char *name;
    int         index;
} irr_sorted_name_t;

/* By name, equal ones by index; the names stay the list's.  O(n log n). */
void irr_names_sort(char *const *list, size_t count, irr_sorted_name_t *sorted);

/* The place of the first sorted name that is not below the first length bytes of name; count if all are. */
size_t irr_names_search(const irr_sorted_name_t *sorted, size_t count, const char *name, size_t length);

/* Index of the first name that is the same; -1 if there is none.  O(log n). */
int irr_names_find(const irr_sorted_name_t *sorted, size_t count, const char *name, size_t length);

#endif
