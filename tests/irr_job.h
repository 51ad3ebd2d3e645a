/*
 * irr_job.h - a test job: the blocks that N ranks exchange, their buffers, and the proof that every byte arrived.
 *
 * The blocks of a buffer lie in random order with guard bytes around each block. Offsets count from a base in the
 * middle of the buffer, so some offsets are negative. A byte of input encodes its source, its destination and its
 * position in the message. Output is poisoned.
 */
#ifndef IRR_JOB_H
#define IRR_JOB_H

#include "irr.h"
#include "problem/matrix.h"

typedef enum irr_job_kind {
    IRR_JOB_ZERO,        /* no bytes */
    IRR_JOB_UNIFORM,     /* equal messages between all ranks */
    IRR_JOB_HOT_ROW,     /* one rank sends to all ranks */
    IRR_JOB_HOT_COLUMN,  /* all ranks send to one rank */
    IRR_JOB_SELF,        /* each rank sends to itself */
    IRR_JOB_BANDED,      /* each rank sends to itself and to the two next ranks */
    IRR_JOB_SPARSE,      /* a quarter of the messages, with random short lengths */
    IRR_JOB_MIXED,       /* each rank sends one byte to most ranks, and about 100 kB to about one rank */
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
    bool             *undefined;   /* by receiver and source: true if the block may have any contents */
    irr_job_buffer_t *input;       /* by rank */
    irr_job_buffer_t *output;
    unsigned char     salt;        /* added to each byte of input at the next fill */
} irr_job_t;

/*
 * Creates a job of at most IRR_JOB_RANKS_MAX ranks. The job has no buffers until irr_job_fill, because planning needs
 * no buffers.
 */
irr_job_t *irr_job_create(int ranks, irr_job_kind_t kind, uint64_t seed);
void       irr_job_destroy(irr_job_t *job);

/*
 * Creates a job in place: the output of a rank is its input. lengths: by rank and peer, the number of bytes that a rank
 * sends to a peer, which is also its room for this peer. Messages whose two ends differ are not verified.
 */
irr_job_t *irr_job_create_place(int ranks, const size_t *lengths, uint64_t seed);

/* Creates a job of equal messages between all ranks, of at least so many bytes. */
irr_job_t *irr_job_create_equal(int ranks, size_t least);

/* Returns the number of bytes that a rank sends to another rank. */
size_t irr_job_length(const irr_job_t *job, int from, int to);

/* Returns the number of bytes of each message.  The caller releases the matrix. */
irr_matrix_t irr_job_matrix(const irr_job_t *job);

/*
 * Returns true if a rank of a grid whose layouts are all known may have copied `bytes` bytes. The rank copies its
 * message to itself, and at most all data that it receives in several blocks.
 */
bool irr_job_may_stage(const irr_job_t *job, int rank, uint64_t bytes);

/* Fills the input and poisons the output of all ranks. Allocates the buffers if the job has no buffers. */
void irr_job_fill(irr_job_t *job);

/* Poisons the output of one rank of a filled job, or fills it again in place, so that the job can run again. */
void irr_job_poison(irr_job_t *job, int rank);

const void *irr_job_input(const irr_job_t *job, int rank);
void       *irr_job_output(const irr_job_t *job, int rank);

/* Shortens a message at both ends. The caller does so before it fills the job. The removed bytes become guard bytes. */
void irr_job_shorten(irr_job_t *job, int from, int to, size_t length);

/*
 * Shortens a rank's receive blocks for a message from source. The removed bytes become guard bytes, and the blocks are
 * not verified.
 */
void irr_job_cut(irr_job_t *job, int rank, int source, size_t length);

/* Shortens a message at its sender only; the receiver's blocks are not verified. */
void irr_job_cut_sent(irr_job_t *job, int from, int to, size_t length);

/* Returns true if every byte of a rank's output, guards included, has the right value.  Prints the first wrong byte. */
bool irr_job_verify(const irr_job_t *job, int rank);

#endif
