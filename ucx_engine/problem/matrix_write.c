/* matrix_write.c - writes a count matrix as a Matrix Market file.  Time O(P * P). */
#include "problem/matrix.h"

#include "irr.h"

#include <inttypes.h>

irr_status_t irr_matrix_write(const irr_matrix_t *matrix, const char *comment, FILE *stream)
{
    const size_t cells = (size_t)matrix->ranks * (size_t)matrix->ranks;
    size_t entries = 0;

    for (size_t i = 0; i < cells; i++) {
        if (matrix->entries[i] > INT64_MAX) {
            return IRR_ERR_BAD_PARAM;
        }
        entries += matrix->entries[i] > 0;
    }
    fprintf(stream, "%%%%MatrixMarket matrix coordinate integer general\n");
    if (comment != NULL) {
        fprintf(stream, "%% %s\n", comment);
    }
    fprintf(stream, "%d %d %zu\n", matrix->ranks, matrix->ranks, entries);
    for (int i = 0; i < matrix->ranks; i++) {
        for (int j = 0; j < matrix->ranks; j++) {
            uint64_t bytes = *irr_matrix_at(matrix, i, j);

            if (bytes > 0) {
                fprintf(stream, "%d %d %" PRIu64 "\n", i + 1, j + 1, bytes);
            }
        }
    }
    return ferror(stream) ? IRR_ERR_IO : IRR_OK;
}
