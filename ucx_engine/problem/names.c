/*
 * names.c - lists of names, and searching in sorted names; see names.h.  Names are compared byte by byte, as Slurm
 * does.
 */
#include "problem/names.h"

#include "core/alloc.h"

#include <stdlib.h>
#include <string.h>

irr_status_t irr_names_add(irr_names_t *names, const char *name, size_t length)
{
    irr_status_t status = IRR_GROW(names->list, names->max, names->count + 1);
    char *copy;

    if (status != IRR_OK) {
        return status;
    }
    copy = irr_alloc(length + 1, 1);
    if (copy == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    memcpy(copy, name, length);
    copy[length] = '\0';
    names->list[names->count++] = copy;
    return IRR_OK;
}

void irr_names_cut(irr_names_t *names, size_t count)
{
    while (names->count > count) {
        irr_free(names->list[--names->count]);
    }
}

void irr_names_fini(irr_names_t *names)
{
    irr_names_cut(names, 0);
    irr_free(names->list);
    *names = (irr_names_t){ .count = 0 };
}

bool irr_name_has(char c)
{
    return c > ' ' && c <= '~' && strchr(",[]\"'=#\\", c) == NULL;
}

bool irr_name_is_good(const char *text)
{
    size_t length = 0;

    while (length <= IRR_NAME_MAX && irr_name_has(text[length])) {
        length++;
    }
    return length > 0 && length <= IRR_NAME_MAX && text[length] == '\0';
}

static int by_name(const void *a, const void *b)
{
    const irr_sorted_name_t *x = a, *y = b;
    const int order = strcmp(x->name, y->name);

    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

void irr_names_sort(char *const *list, size_t count, irr_sorted_name_t *sorted)
{
    for (size_t i = 0; i < count; i++) {
        sorted[i] = (irr_sorted_name_t){ list[i], (int)i };
    }
    qsort(sorted, count, sizeof(*sorted), by_name);
}

size_t irr_names_search(const irr_sorted_name_t *sorted, size_t count, const char *name, size_t length)
{
    size_t low = 0, high = count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (strncmp(sorted[middle].name, name, length) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

int irr_names_find(const irr_sorted_name_t *sorted, size_t count, const char *name, size_t length)
{
    const size_t at = irr_names_search(sorted, count, name, length);

    return at < count && strncmp(sorted[at].name, name, length) == 0 && sorted[at].name[length] == '\0' ?
           sorted[at].index : -1;
}
