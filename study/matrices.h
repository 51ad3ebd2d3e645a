/*
 * matrices.h - count matrices for study: from files, and the patterns of the papers.
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
 * Fills a matrix with one of the papers' patterns.  unit: the length in bytes of a short message, or of the unit in
 * which the paper states lengths.  seed: seed of random patterns.  Returns IRR_ERR_BAD_PARAM if the name is unknown or
 * lengths overflow.
 */
irr_status_t irr_matrix_pattern(const char *name, int ranks, uint64_t unit, uint64_t seed, irr_matrix_t *matrix);

/* Return the name of pattern i and its one-line description, or NULL past the last. */
const char *irr_pattern_name(int i);
const char *irr_pattern_text(int i);

#endif
