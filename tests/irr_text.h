/*
 * irr_text.h - one temporary file of a test, with whatever content, and the files that a reader must refuse.
 */
#ifndef IRR_TEXT_H
#define IRR_TEXT_H

#include "problem/lines.h"

/* Makes an empty file, whose path is returned until close, which removes it. */
const char *irr_text_open(void);
void        irr_text_close(void);

/* Replaces its content, and returns its path. */
const char *irr_text_fill(const char *text, size_t length);

/* A file that is refused for a reason, in a line; 0: as a whole. */
typedef struct irr_text_bad {
    const char *text;    /* NULL: the end of the table */
    size_t      length;  /* 0: up to the end of the string */
    size_t      line;
    const char *reason;
} irr_text_bad_t;

/* read must fail with IRR_ERR_FORMAT on all files of the table; that it leaves its output alone is its own check. */
void irr_text_check_bad(const irr_text_bad_t *table, irr_status_t (*read)(const char *path, irr_file_error_t *error));

#endif
