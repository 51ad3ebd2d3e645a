/*
 * lines.h - reads text files from outside line by line, and says in which line what stood there and what is
 * allowed.
 */
#ifndef IRR_LINES_H
#define IRR_LINES_H

#include "irr.h"

/* Where and why a file was refused; line 0 means the file as a whole. */
typedef struct irr_file_error {
    size_t line;
    char   reason[160];
} irr_file_error_t;

/* What separates words. */
#define IRR_LINES_BLANKS " \t\v\f\r"

typedef struct irr_lines {
    FILE             *stream;
    irr_file_error_t *error;
    size_t            line;    /* number of the current line, from 1 */
    bool              at_end;  /* there is no current line */
    char             *text;    /* the current line without its end */
    size_t            size;    /* of text: longest line and its end */
} irr_lines_t;

/* From now on pipes are read, too: for tools.  In a job, a pipe whose writer does not end would be a hang. */
void irr_lines_take_pipes(void);

/*
 * Text has room for a line and is the caller's; it and error must last as long as the lines.  IRR_ERR_IO, also for
 * what is no regular file; never waits for a writer.
 */
irr_status_t irr_lines_open(irr_lines_t *lines, const char *path, char *text, size_t size,
                            irr_file_error_t *error);
void         irr_lines_close(irr_lines_t *lines);

/* Fills the error with the current line and a reason, which may quote the file; returns the status. */
irr_status_t irr_lines_refuse(const irr_lines_t *lines, irr_status_t status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The next line.  Refuses lines that are too long or have a byte 0. */
irr_status_t irr_lines_next(irr_lines_t *lines);

/* The next line that is not blank and does not begin with one of the comment signs. */
irr_status_t irr_lines_next_data(irr_lines_t *lines, const char *comment_signs);

/* Cuts the next word off a text, which moves on; at its end an empty one. */
char *irr_lines_word(char **rest);

/* Cuts the line into its first count words; missing ones are empty.  Returns the number of words in the line. */
size_t irr_lines_split(irr_lines_t *lines, char **words, size_t count);

/* Digits only: signs, points, exponents and what does not fit are refused, with the same sentence. */
irr_status_t irr_lines_number(const irr_lines_t *lines, const char *what, const char *word, uint64_t min,
                              uint64_t max, uint64_t *value_p);

#endif
