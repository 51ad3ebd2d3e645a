/*
 * irr_text.h - one temporary file of a test, with whatever content, and what a reader of files must do with any.
 */
#ifndef IRR_TEXT_H
#define IRR_TEXT_H

#include "problem/lines.h"

/* Makes an empty file and returns its path, which is valid until close removes the file. */
const char *irr_text_open(void);
void        irr_text_close(void);

/* Replaces its content, and returns its path. */
const char *irr_text_fill(const char *text, size_t length);

/*
 * A reader under test: it checks and releases what it has read.  On failure it checks that the outputs are as before.
 */
typedef irr_status_t irr_text_read_t(const char *path, irr_file_error_t *error);

/* Gives the reader a file with this content, which exists during the call. */
irr_status_t irr_text_read(irr_text_read_t *read, const char *text, size_t length, irr_file_error_t *error);

/* A file that is refused for a reason, in a line; 0: as a whole. */
typedef struct irr_text_bad {
    const char *text;    /* NULL: the end of the table */
    size_t      length;  /* 0: up to the end of the string */
    size_t      line;
    const char *reason;
} irr_text_bad_t;

/*
 * The reader must fail with IRR_ERR_FORMAT and the reason on each file of the table, and with IRR_ERR_IO on a folder, a
 * pipe, a socket and a device, of which none may keep it waiting.
 */
void irr_text_check_bad(const irr_text_bad_t *table, irr_text_read_t *read);

/* IRR_ERR_IO without a file. */
void irr_text_check_missing(irr_text_read_t *read);

/* A line of so many bytes is read where it is a comment, and refused with one byte more. */
void irr_text_check_long(const char *head, char comment, size_t longest, const char *rest, irr_text_read_t *read);

/* Up to four bytes behind the first `kept` ones become others of the alphabet: read, or refused with a reason. */
void irr_text_check_damaged(const char *text, size_t kept, const char *alphabet, uint64_t *state,
                            irr_text_read_t *read);

/* Each allocation on the way to the content fails once: IRR_ERR_NO_MEMORY with a reason.  Returns their number. */
size_t irr_text_check_memory(const char *text, irr_text_read_t *read);

#endif
