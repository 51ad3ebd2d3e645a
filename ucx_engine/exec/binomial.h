/*
 * binomial.h - rank 0 hears what each rank has to say, as the row of a count matrix, and tells each rank its part, as
 * what it does in a schedule.
 *
 * Both are some bytes a rank, and go along the binomial tree of ranks 0 to P - 1: the parent of a rank lacks its lowest
 * bit, its children are at distances 1, 2, 4 .. below that bit.  The ranks below a child follow it, so what comes from
 * the children, the nearest one first, is in the order of ranks: a list of parts (exec/bytes.h), into which only rank 0
 * looks on the way up.
 *
 * In either direction a rank hears, and then tells, what is at and below it.  A word goes ahead, with the length or
 * with a mark: why there is nothing.  So each receive is posted for a length that the receiver knows, or throws away.
 *
 * No rank may stop alone.  One that failed (no memory, too many bytes, a malformed message) still hears all, and tells
 * a mark, as does who hears of it: upwards rank 0 learns the worst, downwards all below.
 *
 * Cost: two messages a rank and direction, 2 ceil(log2 P) one after the other; O(n) bytes and time on rank 0 for n
 * bytes in all; memory on a rank for what is at and below it in the tree.
 */
#ifndef IRR_BINOMIAL_H
#define IRR_BINOMIAL_H

#include "exec/bytes.h"
#include "exec/own_plan.h"

#define IRR_BINOMIAL_CHILDREN_MAX 30

/* The larger one tells.  0: all is there. */
enum {
    IRR_MARK_LARGE = 1,   /* more bytes than the limit, and nothing worse */
    IRR_MARK_FAILED,
    IRR_MARKS
};

typedef enum irr_binomial_state {
    IRR_BINOMIAL_HEARS_WORDS,
    IRR_BINOMIAL_HEARS_PARTS,
    IRR_BINOMIAL_TELLS,
    IRR_BINOMIAL_OVER
} irr_binomial_state_t;

/* May not be moved while it runs.  Zeroed is empty. */
typedef struct irr_binomial {
    int                  ranks, rank, children;
    size_t               max_bytes;
    irr_own_plan_t       moves;
    irr_exec_env_t       env;
    irr_binomial_state_t state;
    bool                 down;
    irr_bytes_t          parts;    /* of this rank and those below it, of all on rank 0; until the next start */
    size_t               ends[IRR_BINOMIAL_CHILDREN_MAX + 1];   /* where what each one is told begins, and the end */
    uint64_t             words[IRR_BINOMIAL_CHILDREN_MAX];      /* of each one that is heard or told */
    unsigned             mark;
    irr_status_t         status;   /* the first failure here */
    irr_reader_t         own;      /* this rank's part of what rank 0 told */
} irr_binomial_t;

/* max_bytes: of all parts with their lengths on the way up, alike on all ranks; 0: no limit.  IRR_ERR_NO_MEMORY. */
irr_status_t irr_binomial_init(irr_binomial_t *binomial, int ranks, int rank, size_t max_bytes);
void         irr_binomial_fini(irr_binomial_t *binomial);

/* Begins this rank's part in `parts`; who has written it ends it (irr_bytes_end). */
size_t irr_binomial_begin(irr_binomial_t *binomial);

/*
 * Start on all ranks, first up and then down.  Before the latter rank 0 has put the parts of all ranks into `parts`, or
 * its mark says why not.  Of env channel, tag_base and counters are used; what they point to is borrowed until it is
 * over.  Messages are of kind IRR_TAG_HEADER, and of stages 1 and 2.  Never block.
 */
void irr_binomial_up(irr_binomial_t *binomial, const irr_exec_env_t *env);
void irr_binomial_down(irr_binomial_t *binomial, unsigned mark);

/*
 * Goes on after progress of the transport.  IRR_IN_PROGRESS; then the status.  Upwards, the mark says on rank 0 whether
 * all parts are there; downwards, if the status is IRR_OK, whether the own part is, or why not.
 */
irr_status_t irr_binomial_progress(irr_binomial_t *binomial);

#endif
