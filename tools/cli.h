/*
 * cli.h - what the command-line tools share: exit statuses, complaints, values, count matrices.
 *
 * A refusal is one line on stderr, and the tool ends with IRR_CLI_REFUSED.
 */
#ifndef IRR_CLI_H
#define IRR_CLI_H

#include "problem/lines.h"
#include "problem/matrix.h"

#include "study/matrices.h"

typedef enum irr_cli_exit {
    IRR_CLI_GOOD    = 0,
    IRR_CLI_WRONG   = 1,   /* what was to be proved is not so */
    IRR_CLI_REFUSED = 2
} irr_cli_exit_t;

/* The name of the tool, for its complaints; each tool defines it. */
extern const char irr_cli_program[];

/* One line to stderr.  What the user gave may be quoted in it: it stays one line all the same. */
void irr_cli_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Decimal digits only, no sign, no blanks; false and no output if the number is not within min and max. */
bool irr_cli_digits(const char *text, size_t length, uint64_t min, uint64_t max, uint64_t *value_p);

/* The same, with an optional suffix k, m or g for 2^10, 2^20, 2^30. */
bool irr_cli_size_digits(const char *text, size_t length, uint64_t min, uint64_t max, uint64_t *value_p);

/* The row of a name in a table; -1: none, after a complaint that lists all names, `beside` (may be NULL) among them. */
int irr_cli_find(const char *kind, const char *name, const char *beside, const char *(*known)(int i));

/* Takes the first name off a list with commas between, of which NULL is left behind the last. */
void irr_cli_take_name(const char **list, char *name, size_t size);

/* The numbers from 0 to count - 1, in an order that follows from *state, and another one the next time. */
void irr_cli_shuffle(int *order, int count, uint64_t *state);

/* What reading a file came to; complains with its name and line. */
irr_cli_exit_t irr_cli_file_read(const char *path, irr_status_t status, const irr_file_error_t *error);

/*
 * Says on the terminal, from the second second after the first call on and a few times a second, how far a long run is;
 * end removes the line.  Without a terminal nothing is written.
 */
void irr_cli_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
void irr_cli_progress_end(void);

/* A file for output, or stdout if path is NULL or "-".  They complain and return NULL, or IRR_CLI_REFUSED. */
FILE          *irr_cli_output_open(const char *path);
irr_cli_exit_t irr_cli_output_close(FILE *stream, const char *path);

/* Ends the output of a command that ended with this code; returns the worse code.  A file that is not whole goes. */
irr_cli_exit_t irr_cli_output_end(FILE *stream, const char *path, irr_cli_exit_t code);

/* ---- count matrices (cli_matrix.c) ---- */

/* A redistribution "x,p,y,q" or "x,p,y,q,N", whose unit is left as it is; and its matrix. text: for complaints. */
irr_cli_exit_t irr_cli_redistribution(const char *text, int ranks_max, irr_redistribution_t *redistribution);
irr_cli_exit_t irr_cli_redistribute(const char *text, const irr_redistribution_t *redistribution,
                                    irr_matrix_t *matrix);

/* A matrix from a file or a pattern. */
irr_cli_exit_t irr_cli_read_matrix(const char *path, irr_matrix_t *matrix);
/* Of so many ranks; says: what says so, as "the job has". */
irr_cli_exit_t irr_cli_read_matrix_of(const char *path, int ranks, const char *says, irr_matrix_t *matrix);
irr_cli_exit_t irr_cli_make_matrix(const char *pattern, int ranks, uint64_t unit, uint64_t seed,
                                   irr_matrix_t *matrix);

/* Whether each two ranks have as much for each other, as in place they must; if not, two of which that is not so. */
bool irr_cli_is_symmetric(const irr_matrix_t *matrix, int *low_p, int *high_p);

/* UINT64_MAX stands for all sums that are more. */
uint64_t irr_cli_plus(uint64_t a, uint64_t b);

/* The bytes of row i, or of column i. */
uint64_t irr_cli_sum(const irr_matrix_t *matrix, int i, bool row);

/* The most bytes that one rank sends or receives, its message to itself included: JPDC's Lmax. */
uint64_t irr_cli_lmax(const irr_matrix_t *matrix);

/* To nearest, saturating; a message stays a message, however small the scale makes it. */
uint64_t irr_cli_scaled(uint64_t bytes, double scale);

#endif
