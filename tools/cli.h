/*
 * cli.h - common parts of the command-line tools: exit statuses, error messages, values, count matrices.
 *
 * A refusal is one line on stderr; the tool then ends with IRR_CLI_REFUSED.
 */
#ifndef IRR_CLI_H
#define IRR_CLI_H

#include "problem/lines.h"
#include "problem/matrix.h"

#include "study/matrices.h"

typedef enum irr_cli_exit {
    IRR_CLI_GOOD    = 0,
    IRR_CLI_WRONG   = 1,   /* a check found an error */
    IRR_CLI_REFUSED = 2
} irr_cli_exit_t;

/* The name of the tool in its error messages; each tool defines it. */
extern const char irr_cli_program[];

/*
 * Prints an error message of one line to stderr, even if the user's text that it quotes has line ends.  Returns
 * IRR_CLI_REFUSED.
 */
irr_cli_exit_t irr_cli_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Returns IRR_CLI_GOOD for IRR_OK.  For an error prints an error message, the formatted text and the text of the
 * status, and returns IRR_CLI_REFUSED.
 */
irr_cli_exit_t irr_cli_status(irr_status_t status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reads decimal digits like irr_lines_digits, and an optional suffix k, m or g for 2^10, 2^20 or 2^30. */
bool irr_cli_size_digits(const char *text, size_t length, uint64_t min, uint64_t max, uint64_t *value_p);

/*
 * Returns the row of a name in a table.  If the table lacks the name, prints an error message that lists all names and
 * the additional name `beside` (may be NULL), and returns -1.
 */
int irr_cli_find(const char *kind, const char *name, const char *beside, const char *(*known)(int i));

/* Moves the first name of a comma-separated list to `name`.  *list becomes NULL after the last name. */
void irr_cli_take_name(const char **list, char *name, size_t size);

/* Writes the numbers from 0 to count - 1 in a random order and advances *state. */
void irr_cli_shuffle(int *order, int count, uint64_t *state);

/* Sorts values in ascending order. */
void irr_cli_sort(double *values, int count);

/*
 * Returns the exit status for the result of reading a file.  On failure prints an error message with the file's name
 * and the line.
 */
irr_cli_exit_t irr_cli_file_read(const char *path, irr_status_t status, const irr_file_error_t *error);

/*
 * Prints the progress of a long run as one line on the terminal, a few times per second, from one second after the
 * first call on.  irr_cli_progress_end removes the line.  Without a terminal nothing is written.
 */
void irr_cli_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
void irr_cli_progress_end(void);

/*
 * Open and close the output file, or stdout if path is NULL or "-".  On failure they print an error message and return
 * NULL or IRR_CLI_REFUSED.  A pipe that no process reads is refused; it is never waited for.  irr_cli_output_keep opens
 * any path as a file, and keeps its contents.
 */
FILE          *irr_cli_output_open(const char *path);
FILE          *irr_cli_output_keep(const char *path);
irr_cli_exit_t irr_cli_output_close(FILE *stream, const char *path);

/*
 * Closes the output of a command that ended with `code`.  Returns `code` or the result of closing, whichever is worse.
 * Removes an incomplete file.
 */
irr_cli_exit_t irr_cli_output_end(FILE *stream, const char *path, irr_cli_exit_t code);

/* ---- count matrices (cli_matrix.c) ---- */

/*
 * irr_cli_redistribution reads a redistribution "x,p,y,q" or "x,p,y,q,N", and does not change its unit.
 * irr_cli_redistribute makes the matrix of a redistribution.  text: the user's text, for error messages.
 */
irr_cli_exit_t irr_cli_redistribution(const char *text, int ranks_max, irr_redistribution_t *redistribution);
irr_cli_exit_t irr_cli_redistribute(const char *text, const irr_redistribution_t *redistribution,
                                    irr_matrix_t *matrix);

/* Read a matrix from a file, or make it from a pattern.  On failure they print an error message. */
irr_cli_exit_t irr_cli_read_matrix(const char *path, irr_matrix_t *matrix);
/*
 * Reads a matrix that must have `ranks` ranks.  says: the source of this number for the error message, such as "the job
 * has".
 */
irr_cli_exit_t irr_cli_read_matrix_of(const char *path, int ranks, const char *says, irr_matrix_t *matrix);
irr_cli_exit_t irr_cli_make_matrix(const char *pattern, int ranks, uint64_t unit, uint64_t seed,
                                   irr_matrix_t *matrix);

/*
 * Returns true if every two ranks have equal numbers of bytes for each other, which in-place calls need.  Otherwise
 * sets *low_p and *high_p to two ranks with different numbers.
 */
bool irr_cli_is_symmetric(const irr_matrix_t *matrix, int *low_p, int *high_p);

/* Returns a + b, or UINT64_MAX if the sum overflows. */
uint64_t irr_cli_plus(uint64_t a, uint64_t b);

/* Returns the sum of row i or of column i, in bytes. */
uint64_t irr_cli_sum(const irr_matrix_t *matrix, int i, bool row);

/* Returns the maximum over all ranks of bytes sent and bytes received, messages to itself included (Lmax of JPDC). */
uint64_t irr_cli_lmax(const irr_matrix_t *matrix);

/* Returns bytes * scale, rounded to nearest, saturated.  A nonzero count stays at least 1. */
uint64_t irr_cli_scaled(uint64_t bytes, double scale);

#endif
