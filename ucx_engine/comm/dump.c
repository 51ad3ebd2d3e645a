/*
 * dump.c - see dump.h.
 */
#include "comm/dump.h"

#include "core/log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* False, with errno: the file is not there, or not whole. */
static bool write_file(const char *path, const irr_matrix_t *matrix)
{
    FILE *stream = fopen(path, "wx");
    irr_status_t status;

    if (stream == NULL) {
        return false;
    }
    status = irr_matrix_write(matrix, "bytes that rank row - 1 sends to rank column - 1", stream);
    return fclose(stream) == 0 && status == IRR_OK;
}

void irr_dump(const char *prefix, const irr_matrix_t *matrix, unsigned *count)
{
    char path[4096];
    bool written = false;

    errno = EEXIST;
    while (prefix != NULL && !written && errno == EEXIST && *count < IRR_DUMP_MAX) {
        int length = snprintf(path, sizeof(path), "%s.%u.mtx", prefix, ++*count);

        errno = ENAMETOOLONG;
        written = length >= 0 && (size_t)length < sizeof(path) && write_file(path, matrix);
        if (!written && errno != EEXIST) {
            irr_log(IRR_LOG_ERROR, "count matrix %.256s.%u.mtx cannot be written: %s; no more are", prefix, *count,
                    strerror(errno));
            *count = IRR_DUMP_MAX;
        } else if (*count == IRR_DUMP_MAX) {
            irr_log(IRR_LOG_WARN, "no count matrix after %.256s.%u.mtx is written", prefix, *count);
        }
    }
}
