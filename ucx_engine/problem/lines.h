/*
 * lines.h - reads untrusted text files line by line.  A description of an error names the line, its content and the
 * allowed values.
 */
#ifndef IRR_LINES_H
#define IRR_LINES_H

#include "irr.h"

/* The description of an error.  line: number of the line; 0: the error concerns the whole file. */
typedef struct irr_file_error {
    size_t line;
    char   reason[160];
} irr_file_error_t;

/* Characters that separate words. */
#define IRR_LINES_BLANKS " \t\v\f\r"

typedef struct irr_lines {
    FILE             *stream;
    irr_file_error_t *error;
    size_t            line;    /* number of the current line, from 1 */
    bool              at_end;  /* true at the end of the file: there is no current line */
    char             *text;    /* the current line without its newline */
    size_t            size;    /* bytes of `text`: the longest line, and the 0 at its end */
} irr_lines_t;

/*
 * Allows irr_lines_open to open pipes from now on.  Only tools call this: a job would hang if the writer of the pipe
 * never ended.
 */
void irr_lines_take_pipes(void);

/*
 * Opens a file.  text, of size bytes, receives one line at a time; text and error belong to the caller and must exist
 * until irr_lines_close.  Never waits for the writer of a pipe.  Returns IRR_ERR_IO if the file cannot be opened or is
 * not a regular file.
 */
irr_status_t irr_lines_open(irr_lines_t *lines, const char *path, char *text, size_t size,
                            irr_file_error_t *error);
void         irr_lines_close(irr_lines_t *lines);

/*
 * Sets the error: the number of the current line, and a formatted reason, which may quote the file.  Returns `status`.
 */
irr_status_t irr_lines_refuse(const irr_lines_t *lines, irr_status_t status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Reads the next line.  Returns IRR_ERR_FORMAT if the line is too long or has a byte 0.  May return IRR_ERR_IO. */
irr_status_t irr_lines_next(irr_lines_t *lines);

/* Reads the next line that is not blank and does not begin with a comment sign. */
irr_status_t irr_lines_next_data(irr_lines_t *lines, const char *comment_signs);

/* Returns the next word of the text *rest, and advances *rest past it; returns an empty word at the end of the text. */
char *irr_lines_word(char **rest);

/*
 * Sets words[count] to the first `count` words of the line; missing words are "".  Returns the number of all words of
 * the line.
 */
size_t irr_lines_split(irr_lines_t *lines, char **words, size_t count);

/*
 * Reads `length` decimal digits.  Returns false and stores nothing if a character is no digit, or if the number is not
 * from min to max.
 */
bool irr_lines_digits(const char *text, size_t length, uint64_t min, uint64_t max, uint64_t *value_p);

/*
 * Reads a number from min to max, written with digits only.  Returns IRR_ERR_FORMAT if the word is any other text.
 * `what` names the number in the error message.
 */
irr_status_t irr_lines_number(const irr_lines_t *lines, const char *what, const char *word, uint64_t min,
                              uint64_t max, uint64_t *value_p);

#endif
