/*
 * matrices.h - count matrices to study: of files, and the patterns of the papers.
 */
#ifndef IRR_MATRICES_H
#define IRR_MATRICES_H

#include "problem/lines.h"
#include "problem/matrix.h"

/*
 * Reads a square Matrix Market file ("matrix coordinate integer general"), entries in bytes.  Repeated
 * entries, entries below zero or above INT64_MAX, indices outside the matrix, more than
 * IRR_MATRIX_RANKS_MAX ranks and files that end early are errors.  May block on the file system.  On failure *error
 * is filled and *matrix is untouched.
 */
irr_status_t irr_matrix_read(const char *path, irr_matrix_t *matrix, irr_file_error_t *error);

/*
 * Fills a matrix with one of the papers' patterns, seeded: unit is the length of a short message or the
 * paper's unit, in bytes.  Unknown names are IRR_ERR_BAD_PARAM; products that overflow too.
 */
irr_status_t irr_matrix_pattern(const char *name, int ranks, uint64_t unit, uint64_t seed, irr_matrix_t *matrix);

/* The name of pattern i and its one-line description; NULL past the last. */
const char *irr_pattern_name(int i);
const char *irr_pattern_text(int i);

#endif
