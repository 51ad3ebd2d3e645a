/* text.h - texts of the configuration, which may be NULL, and lists of words that are separated by commas. */
#ifndef IRR_TEXT_H
#define IRR_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Returns true if a text is neither NULL nor empty. */
static inline bool irr_given(const char *text)
{
    return text != NULL && text[0] != '\0';
}

/*
 * Returns the index of the first word of a list that is equal to the `length` bytes of `word`, or -1. compare: strncmp
 * or strncasecmp.
 */
static inline int irr_text_find(const char *list, const char *word, size_t length,
                                int (*compare)(const char *, const char *, size_t))
{
    for (int index = 0; *list != '\0'; index++) {
        const size_t bytes = strcspn(list, ",");

        if (bytes == length && compare(list, word, length) == 0) {
            return index;
        }
        list += bytes + (list[bytes] == ',');
    }
    return -1;
}

#endif
