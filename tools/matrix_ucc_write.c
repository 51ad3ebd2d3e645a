/*
 * matrix_ucc_write.c - writes a pattern file of ucc_perftest; matrix_ucc.c has the format.
 *
 * Counts are bytes, so the benchmark must run with -d int8.  It reads lines of at most 8191 bytes, so a long row is
 * written on several lines.  Each line begins with a blank, as the benchmark ignores others.
 */
#include "matrix.h"

#include <inttypes.h>

/* A line of COUNTS_A_LINE counts, each with ten digits and a comma, is far below the limit. */
#define COUNTS_A_LINE 512

static void write_row(const irr_matrix_t *matrix, int i, FILE *stream)
{
    for (int j = 0; j < matrix->ranks; j++) {
        bool first = j % COUNTS_A_LINE == 0, last = j + 1 == matrix->ranks || (j + 1) % COUNTS_A_LINE == 0;

        fprintf(stream, "%s%" PRIu64 "%s", first ? "    " : ",", *irr_matrix_at(matrix, i, j), last ? "\n" : "");
    }
}

irr_status_t irr_matrix_write_ucc(const irr_matrix_t *matrix, const char *comment, FILE *stream)
{
    const size_t cells = (size_t)matrix->ranks * (size_t)matrix->ranks;

    for (size_t i = 0; i < cells; i++) {
        if (matrix->entries[i] > UINT32_MAX) {
            return IRR_ERR_BAD_PARAM;
        }
    }
    fprintf(stream, "# %s\n# ucc_perftest -c alltoallv -d int8 --gen file:name=...\n", comment);
    fprintf(stream, "[format]\nversion = 1.0\n\n");
    fprintf(stream, "[collective]\ntype = ALLTOALLV\nteam_size = %d\ndatatype = INT8\nflags = COUNT_32BIT\n",
            matrix->ranks);
    fprintf(stream, "counts = {\n");
    for (int i = 0; i < matrix->ranks; i++) {
        write_row(matrix, i, stream);
    }
    fprintf(stream, "}\n");
    return ferror(stream) ? IRR_ERR_IO : IRR_OK;
}
