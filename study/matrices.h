/*
 * matrices.h - count matrices from files, and with the communication patterns of papers.  Entry (i, j) of a count
 * matrix is the number of bytes that rank i sends to rank j.
 */
#ifndef IRR_MATRICES_H
#define IRR_MATRICES_H

#include "problem/lines.h"
#include "problem/matrix.h"

/*
 * Reads a square Matrix Market file ("matrix coordinate integer general") with entries in bytes.  May block on the file
 * system.  Errors: IRR_ERR_IO, IRR_ERR_NO_MEMORY and IRR_ERR_FORMAT.  The latter includes repeated entries, entries
 * below 0 or above INT64_MAX, indices outside the matrix, more than IRR_MATRIX_RANKS_MAX ranks, and files that end
 * early.  On an error *error is filled and *matrix is unchanged.
 */
irr_status_t irr_matrix_read(const char *path, irr_matrix_t *matrix, irr_file_error_t *error);

/*
 * Creates a matrix with a pattern of a paper.  unit: number of bytes that stand for one element, the paper's unit of
 * lengths.  seed: for patterns with random numbers.  Returns IRR_ERR_BAD_PARAM if no pattern has this name, or if a
 * length exceeds INT64_MAX.  May return IRR_ERR_NO_MEMORY.
 */
irr_status_t irr_matrix_pattern(const char *name, int ranks, uint64_t unit, uint64_t seed, irr_matrix_t *matrix);

/* Return the name and the description of pattern i, counted from 0, or NULL if there is no pattern i. */
const char *irr_pattern_name(int i);
const char *irr_pattern_text(int i);

#endif
