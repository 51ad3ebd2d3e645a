/* matrix.h - the count matrix: the bytes that each rank sends to each other rank. */
#ifndef IRR_MATRIX_H
#define IRR_MATRIX_H

#include "irr.h"

/* Entry (i, j) is the number of bytes that rank i sends to rank j.  Entries are stored row by row. */
typedef struct irr_matrix {
    int       ranks;
    uint64_t *entries;
} irr_matrix_t;

/*
 * Creates a zero matrix, which irr_matrix_fini frees.  Returns IRR_ERR_BAD_PARAM if ranks < 1.  May return
 * IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_matrix_init(irr_matrix_t *matrix, int ranks);
void         irr_matrix_fini(irr_matrix_t *matrix);
uint64_t    *irr_matrix_at(const irr_matrix_t *matrix, int from, int to);

/*
 * Largest number of ranks of a matrix in a file; such a matrix takes 2 GiB of memory.  Without this limit a short file
 * could make a program allocate all memory.
 */
#define IRR_MATRIX_RANKS_MAX 16384

/*
 * Writes a Matrix Market file, row by row; study/matrices.h reads it.  comment: one line, or NULL.  The stream is not
 * flushed.  Writes nothing and returns IRR_ERR_BAD_PARAM if an entry is above INT64_MAX.  Returns IRR_ERR_IO if the
 * stream has an error.  May block.
 */
irr_status_t irr_matrix_write(const irr_matrix_t *matrix, const char *comment, FILE *stream);

#endif
