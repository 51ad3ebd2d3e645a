/*
 * dump.h - writes count matrices to files while a job runs, and how many exchanges had each matrix. Entry (i, j) of the
 * count matrix of an exchange is the number of bytes that rank i sends to rank j.
 *
 *     PREFIX.K.index   one line per matrix, "EXCHANGES FILE"; a last line "EXCHANGES -" for all matrices without a file
 *     PREFIX.K.N.mtx   the N-th matrix
 *
 * Each communicator has a number K: the first number from 1 for which there is no index file when it creates one.
 * Communicators and jobs therefore never write to each other's files, even if their prefixes are equal. The index is
 * written again for each new matrix, after 1, 2, 4, 8 ... exchanges, and when the communicator is freed. After a job
 * was killed, the index therefore counts at least half of its exchanges.
 *
 * Two matrices count as equal if a hash of their entries outside the diagonal is equal. Only rank 0, which gathers the
 * matrices, writes files. The functions block on the file system.
 */
#ifndef IRR_DUMP_H
#define IRR_DUMP_H

#include "problem/matrix.h"

/*
 * Largest K. Index K has at most IRR_DUMP_MAX / K matrices, so that an application whose counts never repeat does not
 * fill the disk.
 */
#define IRR_DUMP_MAX 1000

typedef struct irr_dump_matrix {
    uint64_t hash, exchanges;
} irr_dump_matrix_t;

/* The dump of one communicator. A zeroed object writes nothing. */
typedef struct irr_dump {
    char              *prefix;       /* NULL: nothing is written */
    unsigned           number;       /* K; 0: no file was created yet */
    bool               ended;        /* a file could not be written, and the user was warned */
    irr_dump_matrix_t *list;         /* matrix N is list[N - 1] */
    size_t             count, max;
    uint64_t           exchanges;    /* number of all exchanges */
    uint64_t           others;       /* number of exchanges of matrices that have no file */
} irr_dump_t;

/* Creates no file yet. May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_dump_init(irr_dump_t *dump, const char *prefix);

/* Writes the index and frees the object. */
void irr_dump_fini(irr_dump_t *dump);

/*
 * Returns the number N of a matrix; 0: it has no file. Writes the matrix to a file if it is new. Warns the user when
 * the limit of matrices is reached, and reports the first write error; after it nothing more is written.
 */
unsigned irr_dump_matrix(irr_dump_t *dump, const irr_matrix_t *matrix);

/*
 * Counts an exchange. matrix: the number of its matrix, which irr_dump_matrix has returned. dump->prefix must not be
 * NULL.
 */
void irr_dump_exchange(irr_dump_t *dump, unsigned matrix);

#endif
