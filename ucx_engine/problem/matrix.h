/*
 * matrix.h - the count matrix: the bytes that each rank sends to each other rank.
 */
#ifndef IRR_MATRIX_H
#define IRR_MATRIX_H

#include "irr.h"

/* entry(i, j): bytes that rank i sends to rank j, row by row. */
typedef struct irr_matrix {
    int       ranks;
    uint64_t *entries;
} irr_matrix_t;

/* Creates a zero matrix, which irr_matrix_fini frees.  IRR_ERR_BAD_PARAM (ranks < 1); IRR_ERR_NO_MEMORY. */
irr_status_t irr_matrix_init(irr_matrix_t *matrix, int ranks);
void         irr_matrix_fini(irr_matrix_t *matrix);
uint64_t    *irr_matrix_at(const irr_matrix_t *matrix, int from, int to);

/* Most ranks that readers accept, for 2 GiB of matrix: a short file must not take all memory of the machine. */
#define IRR_MATRIX_RANKS_MAX 16384

/*
 * Writes a Matrix Market file, which study/matrices.h reads, row by row.  comment: one line, or NULL.
 * IRR_ERR_BAD_PARAM: an entry is above INT64_MAX, and nothing is written; IRR_ERR_IO: the stream, which is not flushed,
 * has an error.  May block.
 */
irr_status_t irr_matrix_write(const irr_matrix_t *matrix, const char *comment, FILE *stream);

#endif
