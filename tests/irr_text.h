/* irr_text.h - a temporary file with any contents, and checks that every reader of files must pass. */
#ifndef IRR_TEXT_H
#define IRR_TEXT_H

#include "problem/lines.h"

/* Makes an empty file and returns its path, which is valid until irr_text_close removes the file. */
const char *irr_text_open(void);
void        irr_text_close(void);

/* Replaces the contents of the file, and returns its path. */
const char *irr_text_fill(const char *text, size_t length);

/*
 * A reader under test. On success the function checks and releases the result. On failure it checks that the outputs
 * are unchanged.
 */
typedef irr_status_t irr_text_read_t(const char *path, irr_file_error_t *error);

/* Calls the reader with a file with these contents.  The file exists during the call. */
irr_status_t irr_text_read(irr_text_read_t *read, const char *text, size_t length, irr_file_error_t *error);

/* A file that a reader refuses, and the line number in the error message; 0: the message has no line number. */
typedef struct irr_text_bad {
    const char *text;    /* NULL: the end of the table */
    size_t      length;  /* 0: up to the end of the string */
    size_t      line;
    const char *reason;
} irr_text_bad_t;

/*
 * Asserts that the reader returns IRR_ERR_FORMAT with the reason for each file of the table. Asserts that the reader
 * returns IRR_ERR_IO for a folder, a pipe, a socket and a device, and does not block.
 */
void irr_text_check_bad(const irr_text_bad_t *table, irr_text_read_t *read);

/*
 * Replaces up to four bytes behind the first `kept` bytes by other bytes of the alphabet. Asserts that the reader
 * accepts the file, or refuses it with a reason.
 */
void irr_text_check_damaged(const char *text, size_t kept, const char *alphabet, uint64_t *state,
                            irr_text_read_t *read);

#endif
