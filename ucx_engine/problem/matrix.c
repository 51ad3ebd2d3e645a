/*
 * matrix.c - the count matrix: the bytes that each rank sends to each other rank.
 *
 * The matrix is dense and stored row by row: 8 * P * P bytes for P ranks.  Tools and tests store whole matrices, and so
 * does rank 0 if the algorithm computes a schedule from the matrix.  All other ranks know only their own row and
 * column.
 */
#include "problem/matrix.h"

#include "core/alloc.h"

irr_status_t irr_matrix_init(irr_matrix_t *matrix, int ranks)
{
    uint64_t *entries;
    size_t row;

    if (ranks < 1) {
        return IRR_ERR_BAD_PARAM;
    }
    if (__builtin_mul_overflow((size_t)ranks, sizeof(*entries), &row)) {
        return IRR_ERR_NO_MEMORY;
    }
    entries = irr_alloc_zero((size_t)ranks, row);
    if (entries == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    matrix->ranks = ranks;
    matrix->entries = entries;
    return IRR_OK;
}

void irr_matrix_fini(irr_matrix_t *matrix)
{
    irr_free(matrix->entries);
    matrix->ranks = 0;
    matrix->entries = NULL;
}

uint64_t *irr_matrix_at(const irr_matrix_t *matrix, int from, int to)
{
    return &matrix->entries[(size_t)from * (size_t)matrix->ranks + (size_t)to];
}
