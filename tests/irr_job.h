/*
 * irr_job.h - a test job: the blocks that N ranks exchange, their buffers, and the proof that every byte arrived.
 *
 * The blocks of a buffer lie in random order with guard bytes around each one.  Offsets count from a base in the
 * middle, so some are negative.  A byte of input encodes its source, its destination and its place in the message.
 * Output is poisoned.
 */
#ifndef IRR_JOB_H
#define IRR_JOB_H

#include "irr.h"

typedef enum irr_job_kind {
    IRR_JOB_ZERO,        /* no bytes */
    IRR_JOB_UNIFORM,     /* equal messages between all ranks */
    IRR_JOB_HOT_ROW,     /* one rank sends to all */
    IRR_JOB_HOT_COLUMN,  /* all send to one rank */
    IRR_JOB_SELF,        /* each rank to itself */
    IRR_JOB_BANDED,      /* each rank to itself and to the two next ranks */
    IRR_JOB_SPARSE,      /* a quarter of the messages, with random short lengths */
    IRR_JOB_MIXED,       /* one byte to most ranks, about 100 kB to one rank or so */
    IRR_JOB_BLOCKS,      /* half of the messages, divided at random into up to four blocks at each end */
    IRR_JOB_KINDS
} irr_job_kind_t;

#define IRR_JOB_RANKS_MAX 300

typedef struct irr_job_buffer {
    unsigned char *memory;   /* NULL until the job is filled */
    size_t         bytes;
    size_t         base;     /* offset 0 of the blocks */
} irr_job_buffer_t;

typedef struct irr_job {
    int               ranks;
    irr_problem_t    *problems;    /* by rank */
    irr_block_t     **send;        /* by rank: the blocks of the problems */
    irr_block_t     **recv;
    bool             *undefined;   /* by receiver and source: any contents of the block are right */
    irr_job_buffer_t *input;       /* by rank */
    irr_job_buffer_t *output;
    unsigned char     salt;        /* added to each byte of input at the next fill */
} irr_job_t;

/* Creates a job of at most IRR_JOB_RANKS_MAX ranks, without buffers, which planning does not need. */
irr_job_t *irr_job_create(int ranks, irr_job_kind_t kind, uint64_t seed);
void       irr_job_destroy(irr_job_t *job);

/* Returns the bytes that a rank sends to another one. */
size_t irr_job_length(const irr_job_t *job, int from, int to);

/*
 * Returns true if a rank may have copied `bytes` on a grid that knows all layouts: its message to itself, and at most
 * all that it receives in several blocks.
 */
bool irr_job_may_stage(const irr_job_t *job, int rank, uint64_t bytes);

/* Allocates the buffers if there are none; fills the input and poisons the output of all ranks. */
void irr_job_fill(irr_job_t *job);

/* Poisons the output of one rank of a filled job, so that the job can run again. */
void irr_job_poison(irr_job_t *job, int rank);

const void *irr_job_input(const irr_job_t *job, int rank);
void       *irr_job_output(const irr_job_t *job, int rank);

/* Excludes from verification the blocks that a rank receives from source. */
void irr_job_disregard(irr_job_t *job, int rank, int source);

/* Shortens a message at both ends, before the job is filled.  The bytes that the blocks lose become guard bytes. */
void irr_job_shorten(irr_job_t *job, int from, int to, size_t length);

/*
 * Shortens a rank's receive blocks for a message from source.  The bytes that they lose become guard bytes, and the
 * blocks are not verified.
 */
void irr_job_cut(irr_job_t *job, int rank, int source, size_t length);

/* Shortens a message at its sender only; the receiver's blocks are not verified. */
void irr_job_cut_sent(irr_job_t *job, int from, int to, size_t length);

/* Returns true if every byte of a rank's output, guards included, has the right value.  Prints the first wrong byte. */
bool irr_job_verify(const irr_job_t *job, int rank);

#endif
