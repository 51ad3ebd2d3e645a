/*
 * dump.h - the count matrices of a running job as files.
 */
#ifndef IRR_DUMP_H
#define IRR_DUMP_H

#include "irr.h"

/* Files of one communicator; an application whose counts never repeat must not fill a disk. */
#define IRR_DUMP_MAX 1000

/*
 * Writes a matrix to PREFIX.N.mtx, N one more than *count, which counts matrices; nothing if there is no prefix, and
 * after IRR_DUMP_MAX of them.  Tells the user of the first file that cannot be written, and then writes no more.  May
 * block on the file system.
 */
void irr_dump(const char *prefix, const irr_matrix_t *matrix, unsigned *count);

#endif
