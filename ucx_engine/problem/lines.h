/*
 * lines.h - reads untrusted text files line by line.  An error names the line, its content and the allowed values.
 */
#ifndef IRR_LINES_H
#define IRR_LINES_H

#include "irr.h"

/* Line and cause of an error; line 0: the file as a whole. */
typedef struct irr_file_error {
    size_t line;
    char   reason[160];
} irr_file_error_t;

/* Separators of words. */
#define IRR_LINES_BLANKS " \t\v\f\r"

typedef struct irr_lines {
    FILE             *stream;
    irr_file_error_t *error;
    size_t            line;    /* number of the current line, from 1 */
    bool              at_end;  /* there is no current line */
    char             *text;    /* the current line without its end */
    size_t            size;    /* of text: longest line and its end */
} irr_lines_t;

/* Allows pipes from now on, for tools.  In a job, a pipe whose writer does not end would hang. */
void irr_lines_take_pipes(void);

/*
 * Opens a file.  text, of size bytes, takes a line at a time; text and error belong to the caller and must last until
 * irr_lines_close.  Never waits for a writer.  IRR_ERR_IO, also if the file is not a regular one.
 */
irr_status_t irr_lines_open(irr_lines_t *lines, const char *path, char *text, size_t size,
                            irr_file_error_t *error);
void         irr_lines_close(irr_lines_t *lines);

/* Fills the error with the current line and a reason, which may quote the file, and returns the status. */
irr_status_t irr_lines_refuse(const irr_lines_t *lines, irr_status_t status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Reads the next line.  IRR_ERR_FORMAT: the line is too long or has a byte 0; IRR_ERR_IO. */
irr_status_t irr_lines_next(irr_lines_t *lines);

/* Reads the next line that is not blank and does not begin with a comment sign. */
irr_status_t irr_lines_next_data(irr_lines_t *lines, const char *comment_signs);

/* Returns the next word of a text, and advances *rest; at the end of the text, an empty word. */
char *irr_lines_word(char **rest);

/* Splits the line into its first `count` words; missing ones are empty.  Returns the number of words of the line. */
size_t irr_lines_split(irr_lines_t *lines, char **words, size_t count);

/* Reads a number of digits only.  IRR_ERR_FORMAT: signs, points, exponents, or a number outside min to max. */
irr_status_t irr_lines_number(const irr_lines_t *lines, const char *what, const char *word, uint64_t min,
                              uint64_t max, uint64_t *value_p);

#endif
