/*
 * matrix.h - irr_matrix: makes count matrices, describes them, and changes their files.
 *
 *   irr_matrix.c         the commands
 *   matrix_options.c     the command line
 *   matrix_file.c        the kinds of files, and output
 *   matrix_stats.c       stats
 *   matrix_draw.c        draw: what the picture shows; contrib/chart draws it
 *   matrix_ucc.c         pattern files of ucc_perftest: read
 *   matrix_ucc_write.c   and written
 *   matrix_graph.c       METIS graph files
 *   matrix_partition.c   partition, by the METIS library
 *
 * One process, no MPI, no network.
 */
#ifndef IRR_TOOL_MATRIX_H
#define IRR_TOOL_MATRIX_H

#include "cli.h"
#include "problem/matrix.h"

/* ---- options ---- */

typedef enum irr_matrix_kind {
    IRR_MATRIX_BY_NAME,  /* what the end of the file's name says */
    IRR_MATRIX_MTX,
    IRR_MATRIX_UCC
} irr_matrix_kind_t;

typedef enum irr_matrix_command {
    IRR_MATRIX_GENERATE,
    IRR_MATRIX_STATS,
    IRR_MATRIX_DRAW,
    IRR_MATRIX_CONVERT,
    IRR_MATRIX_REDISTRIBUTE,
    IRR_MATRIX_PARTITION,
    IRR_MATRIX_NOTHING       /* help or version was printed */
} irr_matrix_command_t;

/* The strings are the command line's own, or constants. */
typedef struct irr_matrix_options {
    irr_matrix_command_t command;
    const char          *name;                         /* of the command */
    char               **operands;                     /* as many as the command has */
    int                  ranks, parts;                 /* 0: not given */
    uint64_t             unit;                         /* 0: not given */
    uint64_t             seed;
    uint64_t             collective;                   /* of a UCC file, from 1; 0: the only one */
    irr_matrix_kind_t    from, to;
    const char          *output;                       /* NULL or "-": stdout */
} irr_matrix_options_t;

/* Prints help or version to stdout, or one line to stderr if the command line is refused. */
irr_cli_exit_t irr_matrix_options_read(int argc, char **argv, irr_matrix_options_t *options);

/* ---- files; what fails is complained about ---- */

/* Reads the file of either kind. */
irr_cli_exit_t irr_matrix_load(const irr_matrix_options_t *options, const char *path, irr_matrix_t *matrix);

/* Writes the matrix where the options say, or to path if that is not NULL; how it was made stands in a comment. */
irr_cli_exit_t irr_matrix_save(const irr_matrix_options_t *options, const char *path, const irr_matrix_t *matrix);

/* Collective number `collective` of a pattern file, 0: the only one; errors as irr_matrix_read has them. */
irr_status_t irr_matrix_read_ucc(const char *path, uint64_t collective, irr_matrix_t *matrix,
                                 irr_file_error_t *error);

/* IRR_ERR_BAD_PARAM: an entry is above UINT32_MAX, and nothing was written; IRR_ERR_IO. */
irr_status_t irr_matrix_write_ucc(const irr_matrix_t *matrix, const char *comment, FILE *stream);

/* ---- commands that are more than a call ---- */

/* A message is an entry that is not zero, from a rank to another one; what a rank has for itself is counted apart. */
typedef struct irr_matrix_figures {
    uint64_t messages, bytes, self_bytes, longest;
    double   mean;                      /* bytes of a message */
    double   density;                   /* messages of all that could be */
    double   skew;                      /* bytes of the busiest rank, in or out, over the mean of all ranks */
    int      degree, rows, columns;     /* most messages of a rank; ranks that send, receive, nothing */
} irr_matrix_figures_t;

void irr_matrix_figures(const irr_matrix_t *matrix, irr_matrix_figures_t *figures);

/* Figures, or a heat map as SVG; path: the name of the matrix.  Complains and refuses if there is no picture. */
irr_cli_exit_t irr_matrix_stats(const irr_matrix_t *matrix, const char *path, FILE *stream);
irr_cli_exit_t irr_matrix_draw(const irr_matrix_t *matrix, const char *path, FILE *stream);

/* What the parts of a graph send each other; see matrix_partition.c. */
irr_cli_exit_t irr_matrix_partition(const irr_matrix_options_t *options, irr_matrix_t *matrix);

/* ---- graphs ---- */

/* As METIS wants it: the neighbours of vertex v, from 0, are edges[first[v]] to edges[first[v + 1] - 1]. */
typedef struct irr_matrix_graph {
    int32_t  vertices;
    int32_t *first, *edges;
} irr_matrix_graph_t;

/* Errors as irr_matrix_read has them; the graph is good: no loops, no edge twice, each edge in both directions. */
irr_status_t irr_matrix_graph_read(const char *path, irr_matrix_graph_t *graph, irr_file_error_t *error);
void         irr_matrix_graph_fini(irr_matrix_graph_t *graph);

#endif
