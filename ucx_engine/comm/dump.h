/*
 * dump.h - writes the count matrices of a running job to files, with the number of exchanges of each.
 *
 *     PREFIX.K.index   one line per matrix, "EXCHANGES FILE"; "EXCHANGES -" counts exchanges of matrices without a file
 *     PREFIX.K.N.mtx   the N-th matrix
 *
 * K is the first number without an index file; the process that creates this file owns the number. Communicators and
 * jobs therefore never write to each other's files, even with equal prefixes. The index is rewritten whenever a matrix
 * is new, after 1, 2, 4, 8 ... exchanges, and when the communicator is freed; after a kill the index counts at least
 * half of the exchanges.
 *
 * A matrix is identified by a hash of 64 bits, which ignores the diagonal. Only the rank that gathers the matrices
 * writes files; its calls block on the file system.
 */
#ifndef IRR_DUMP_H
#define IRR_DUMP_H

#include "problem/matrix.h"

/*
 * Limit of indexes per PREFIX; index K has at most IRR_DUMP_MAX / K matrices. An application whose counts never repeat
 * must not fill a disk.
 */
#define IRR_DUMP_MAX 1000

typedef struct irr_dump_matrix {
    uint64_t hash, exchanges;
} irr_dump_matrix_t;

/* A zeroed object writes nothing. */
typedef struct irr_dump {
    char              *prefix;       /* NULL: nothing is written */
    unsigned           number;       /* K; 0: no files yet */
    bool               ended;        /* a file could not be written, and the user was warned */
    irr_dump_matrix_t *list;         /* matrix N is list[N - 1] */
    size_t             count, max;
    uint64_t           exchanges;    /* number of exchanges */
    uint64_t           others;       /* number of exchanges of matrices that have no file */
} irr_dump_t;

/* Initializes a dump without creating a file. May return IRR_ERR_NO_MEMORY. */
irr_status_t irr_dump_init(irr_dump_t *dump, const char *prefix);

/* Writes the index and frees the object. */
void irr_dump_fini(irr_dump_t *dump);

/*
 * Returns the number of a matrix; 0: the matrix has no file. Writes a new matrix to a file. Warns the user at the last
 * matrix of the limit and at the first write error. After a write error, writes no more.
 */
unsigned irr_dump_matrix(irr_dump_t *dump, const irr_matrix_t *matrix);

/* Counts an exchange. matrix: the number of its matrix; 0: a matrix without a file. dump->prefix must be set. */
void irr_dump_exchange(irr_dump_t *dump, unsigned matrix);

#endif
