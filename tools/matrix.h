/*
 * matrix.h - irr_matrix: makes count matrices, describes them, and converts their files.
 *
 *   irr_matrix.c         the command line and the commands
 *   matrix_file.c        the kinds of files, and output
 *   matrix_stats.c       stats, and draw: the contents of the picture; contrib/chart draws it
 *   matrix_ucc.c         reads and writes pattern files of ucc_perftest
 *   matrix_partition.c   partition: reads a METIS graph file and divides the graph by the METIS library
 *
 * The tool is one process, without MPI and network.
 */
#ifndef IRR_TOOL_MATRIX_H
#define IRR_TOOL_MATRIX_H

#include "cli.h"
#include "problem/matrix.h"

/* ---- options ---- */

typedef enum irr_matrix_kind {
    IRR_MATRIX_BY_NAME,  /* the suffix of the file's name decides */
    IRR_MATRIX_MTX,
    IRR_MATRIX_UCC
} irr_matrix_kind_t;

/* The command line.  Its strings are arguments of the program or constants. */
typedef struct irr_matrix_options {
    const char          *name;                         /* name of the command */
    char               **operands;                     /* operands; the command determines their number */
    int                  ranks, parts;                 /* 0: not given */
    uint64_t             unit;                         /* 0: not given */
    uint64_t             seed;
    uint64_t             collective;                   /* number in a UCC file, from 1; 0: the only one */
    irr_matrix_kind_t    from, to;
    const char          *output;                       /* NULL or "-": stdout */
} irr_matrix_options_t;

/* ---- files; functions print an error message when they fail ---- */

/* Reads a matrix from the file of the first operand. */
irr_cli_exit_t irr_matrix_load(const irr_matrix_options_t *options, irr_matrix_t *matrix);

/* Writes the matrix to the output.  A comment in the file lists the options that made the matrix. */
irr_cli_exit_t irr_matrix_save(const irr_matrix_options_t *options, const irr_matrix_t *matrix);

/* Reads collective number `collective` of a pattern file; 0: the only one.  Errors are those of irr_matrix_read. */
irr_status_t irr_matrix_read_ucc(const char *path, uint64_t collective, irr_matrix_t *matrix, irr_file_error_t *error);

/* Writes a pattern file.  No entry may be above UINT32_MAX. */
void irr_matrix_write_ucc(const irr_matrix_t *matrix, const char *comment, FILE *stream);

/* ---- commands with files of their own ---- */

/* Write figures of a matrix, or a heat map as SVG.  path: name of the matrix.  Print an error message on failure. */
irr_cli_exit_t irr_matrix_stats(const irr_matrix_t *matrix, const char *path, FILE *stream);
irr_cli_exit_t irr_matrix_draw(const irr_matrix_t *matrix, const char *path, FILE *stream);

/* Makes the matrix of the bytes that the parts of a graph send to each other; see matrix_partition.c. */
irr_cli_exit_t irr_matrix_partition(const irr_matrix_options_t *options, irr_matrix_t *matrix);

#endif
