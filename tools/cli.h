/*
 * cli.h - common parts of the command-line tools: exit statuses, error messages, values, count matrices.
 *
 * If a tool refuses its input or fails, it prints one line to stderr.
 */
#ifndef IRR_CLI_H
#define IRR_CLI_H

#include "problem/lines.h"
#include "problem/matrix.h"

#include "study/matrices.h"

typedef enum irr_cli_exit {
    IRR_CLI_GOOD    = 0,
    IRR_CLI_WRONG   = 1,   /* the tool has done its work, and found an error, such as a wrong byte */
    IRR_CLI_REFUSED = 2,   /* a wrong option, value or file of the user */
    IRR_CLI_FAILED  = 3    /* the tool could not do its work: no memory, or an output that cannot be written */
} irr_cli_exit_t;

/* The help text; `wrong` says when the status is 1. */
#define IRR_CLI_STATUSES(wrong) "Exit status: 0 success; 1 " wrong "; 2 the input was refused."

/* Returns the exit status of the program: 0, 1 for IRR_CLI_WRONG and IRR_CLI_FAILED, or 2. */
int irr_cli_exit(irr_cli_exit_t code);

/* The name of the tool in its error messages; each tool defines it. */
extern const char irr_cli_program[];

/*
 * Prints an error message as one line on stderr.  Question marks replace control characters, such as line ends in a
 * quoted file name.  The middle of a long line becomes "...".  Returns IRR_CLI_REFUSED.
 */
irr_cli_exit_t irr_cli_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for a failure that is not the user's mistake.  Returns IRR_CLI_FAILED. */
irr_cli_exit_t irr_cli_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Returns IRR_CLI_GOOD for IRR_OK.  For an error prints an error message, the formatted text and the text of the
 * status, and returns IRR_CLI_REFUSED, or IRR_CLI_FAILED if memory is lacking.
 */
irr_cli_exit_t irr_cli_status(irr_status_t status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Reads an integer from min to max: `length` characters, of which the last may be a suffix k, m or g for 2^10, 2^20 or
 * 2^30.  Returns false and stores nothing if the text is anything else.
 */
bool irr_cli_size_digits(const char *text, size_t length, uint64_t min, uint64_t max, uint64_t *value_p);

/*
 * Returns the index of a name, or -1 after an error message, which lists the known names.  known(i) is name number i;
 * NULL: there are no more.  Old names of algorithms are known, too.  kind: what the name stands for, such as
 * "algorithm".  beside: another name for the list, which the caller accepts itself; or NULL.
 */
int irr_cli_find(const char *kind, const char *name, const char *beside, const char *(*known)(int i));

/* Moves the first name of a comma-separated list to `name`.  *list becomes NULL after the last name. */
void irr_cli_take_name(const char **list, char *name, size_t size);

/* Writes the numbers from 0 to count - 1 in a random order and advances *state. */
void irr_cli_shuffle(int *order, int count, uint64_t *state);

/* Sorts values in ascending order. */
void irr_cli_sort(double *values, int count);

/*
 * Returns the exit status for the result of reading a file.  On failure prints an error message with the name of the
 * file and the number of the line.
 */
irr_cli_exit_t irr_cli_file_read(const char *path, irr_status_t status, const irr_file_error_t *error);

/*
 * Prints the progress of a long run as one line on the terminal, a few times per second, from one second after the
 * first call on.  irr_cli_progress_end removes the line.  Without a terminal nothing is written.
 */
void irr_cli_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
void irr_cli_progress_end(void);

/* ---- count matrices (cli_matrix.c): functions that return an exit status print the error message ---- */

/*
 * irr_cli_redistribution reads "x,p,y,q" or "x,p,y,q,N": N elements move from cyclic(x) on p ranks to cyclic(y) on q
 * ranks (problem/redistribution.h).  It does not change the unit, the bytes of an element.  irr_cli_redistribute makes
 * the matrix of the bytes that move.  text: the user's text, for error messages.
 */
irr_cli_exit_t irr_cli_redistribution(const char *text, int ranks_max, irr_redistribution_t *redistribution);
irr_cli_exit_t irr_cli_redistribute(const char *text, const irr_redistribution_t *redistribution, irr_matrix_t *matrix);

/*
 * Reads a matrix from a file.  ranks: the number of rows that it must have; 0: any.  says: the words in front of this
 * number in the error message, such as "the job has".
 */
irr_cli_exit_t irr_cli_read_matrix(const char *path, int ranks, const char *says, irr_matrix_t *matrix);

/* Makes the matrix of a pattern; see irr_matrix_pattern. */
irr_cli_exit_t irr_cli_make_matrix(const char *pattern, int ranks, uint64_t unit, uint64_t seed, irr_matrix_t *matrix);

/*
 * Returns true if every two ranks have equal numbers of bytes for each other, which in-place calls need.  Otherwise
 * sets *low_p and *high_p to two ranks with different numbers.
 */
bool irr_cli_is_symmetric(const irr_matrix_t *matrix, int *low_p, int *high_p);

/* The messages of a matrix are its entries above 0.  A sum that overflows is UINT64_MAX. */
typedef struct irr_cli_messages {
    uint64_t count, bytes, longest;
} irr_cli_messages_t;

/* self: with the messages of ranks to themselves. */
irr_cli_messages_t irr_cli_messages(const irr_matrix_t *matrix, bool self);

/* Returns a + b, or UINT64_MAX if the sum overflows. */
uint64_t irr_cli_plus(uint64_t a, uint64_t b);

/* Returns the sum of row i or of column i, in bytes. */
uint64_t irr_cli_sum(const irr_matrix_t *matrix, int i, bool row);

/*
 * Returns the largest number of bytes that a rank sends or that it receives, including bytes for itself: Lmax of Liu,
 * Wang and Prasanna (JPDC).
 */
uint64_t irr_cli_lmax(const irr_matrix_t *matrix);

/* Returns bytes * scale, rounded to nearest and at most UINT64_MAX.  If bytes is not 0, the result is at least 1. */
uint64_t irr_cli_scaled(uint64_t bytes, double scale);

#endif
