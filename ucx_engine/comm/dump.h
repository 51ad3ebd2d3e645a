/*
 * dump.h - the count matrices of a running job as files.
 */
#ifndef IRR_DUMP_H
#define IRR_DUMP_H

#include "problem/matrix.h"

/* Files of one communicator; an application whose counts never repeat must not fill a disk. */
#define IRR_DUMP_MAX 1000

/*
 * Writes a matrix to PREFIX.N.mtx, N the first number above *count for which there is no such file, and sets *count;
 * nothing if the prefix is NULL, or N would be above IRR_DUMP_MAX.  Tells the user of the last one, and of the first
 * that cannot be written, after which no more are.  May block on the file system.
 */
void irr_dump(const char *prefix, const irr_matrix_t *matrix, unsigned *count);

#endif
