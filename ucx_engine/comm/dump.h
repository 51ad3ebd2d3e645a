/*
 * dump.h - the count matrices of a running job as files, and how often each came.
 *
 *     PREFIX.K.index   a line a matrix, "EXCHANGES FILE", and "EXCHANGES -" for exchanges of matrices without a file
 *     PREFIX.K.N.mtx   the N-th matrix
 *
 * K is the first number whose index is not there: who makes that file has the number for good.  So communicators, and
 * jobs, never write to each other's files, whatever names they are given.  An index is whole whenever a matrix is
 * new, after 1, 2, 4, 8 ... exchanges, and at the end of the communicator; of a job that is killed it counts half or
 * more.
 *
 * A matrix that comes again is known by a hash of 64 bits, without what ranks have for themselves.  The files are
 * written by the rank that learns the matrix, and calls block on the file system.
 */
#ifndef IRR_DUMP_H
#define IRR_DUMP_H

#include "problem/matrix.h"

/*
 * Communicators that have one PREFIX, one after the other, and matrices of the first of them; of the K-th one in K.  An
 * application whose counts never repeat must not fill a disk.
 */
#define IRR_DUMP_MAX 1000

typedef struct irr_dump_matrix {
    uint64_t hash, exchanges;
} irr_dump_matrix_t;

/* Zeroed, nothing is written. */
typedef struct irr_dump {
    char              *prefix;       /* NULL: nothing is written */
    unsigned           number;       /* K; 0: there are no files yet */
    bool               ended;        /* there was trouble, and the user knows */
    irr_dump_matrix_t *list;         /* matrix N is list[N - 1] */
    size_t             count, max;
    uint64_t           exchanges;    /* all of them */
    uint64_t           others;       /* of matrices that have no file */
} irr_dump_t;

/* Opens nothing yet.  IRR_ERR_NO_MEMORY. */
irr_status_t irr_dump_init(irr_dump_t *dump, const char *prefix);

/* Writes the index. */
void irr_dump_fini(irr_dump_t *dump);

/*
 * The number of a matrix, which is written if it is new; 0: it has no file.  Tells the user of the last one, and of the
 * first that cannot be written, after which no more are.
 */
unsigned irr_dump_matrix(irr_dump_t *dump, const irr_matrix_t *matrix);

/* Counts an exchange of a matrix; 0: of one without a file.  There is a prefix. */
void irr_dump_exchange(irr_dump_t *dump, unsigned matrix);

#endif
