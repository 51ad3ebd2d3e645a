/*
 * irr_job.h - a test job: what N ranks exchange, their buffers, and the proof that every byte arrived.
 *
 * The blocks of a buffer lie in random order with guard bytes around each one, and are addressed from a
 * base in the middle, so that offsets are negative too.  A byte of input tells its source, its destination and
 * its place in the message; output is poisoned.
 */
#ifndef IRR_JOB_H
#define IRR_JOB_H

#include "irr.h"

typedef enum irr_job_kind {
    IRR_JOB_ZERO,        /* nothing */
    IRR_JOB_UNIFORM,     /* the same from each rank to each rank */
    IRR_JOB_HOT_ROW,     /* one rank sends to all */
    IRR_JOB_HOT_COLUMN,  /* all send to one rank */
    IRR_JOB_SELF,        /* each rank to itself */
    IRR_JOB_BANDED,      /* to itself and the two that follow */
    IRR_JOB_SPARSE,      /* a quarter of the messages, of any short length */
    IRR_JOB_MIXED,       /* one byte to most, about 100 kB to one rank or so */
    IRR_JOB_BLOCKS,      /* half of the messages, which each end has cut at random in up to four blocks */
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
    irr_block_t     **send;        /* by rank: what the problems point to */
    irr_block_t     **recv;
    bool             *undefined;   /* by receiver and source: whatever stands in the block is right */
    irr_job_buffer_t *input;       /* by rank */
    irr_job_buffer_t *output;
    unsigned char     salt;        /* added to each byte of input; for the next fill */
} irr_job_t;

/* A job of at most IRR_JOB_RANKS_MAX ranks, without buffers: what planning needs. */
irr_job_t *irr_job_create(int ranks, irr_job_kind_t kind, uint64_t seed);
void       irr_job_destroy(irr_job_t *job);

const char *irr_job_kind_name(irr_job_kind_t kind);

/* Bytes that a rank sends to another one. */
size_t irr_job_length(const irr_job_t *job, int from, int to);

/* Blocks of a rank beyond the first one of each message that it sends or receives. */
size_t irr_job_more(const irr_job_t *job, int rank);

/*
 * May a rank have copied so many bytes on a grid that knows all layouts?  Its message to itself, and at most what it
 * receives in several blocks.
 */
bool irr_job_may_stage(const irr_job_t *job, int rank, uint64_t bytes);

/* Makes the buffers if there are none; fills the input and poisons the output of all ranks. */
void irr_job_fill(irr_job_t *job);

/* Poisons the output of one rank of a filled job, so that the job can run again. */
void irr_job_poison(irr_job_t *job, int rank);

const void *irr_job_input(const irr_job_t *job, int rank);
void       *irr_job_output(const irr_job_t *job, int rank);

/* The blocks of a rank that receives from source: what they hold in the end does not count. */
void irr_job_disregard(irr_job_t *job, int rank, int source);

/* Makes a message shorter, at both ends, before the job is filled; what the blocks lose are guard bytes. */
void irr_job_shorten(irr_job_t *job, int from, int to, size_t length);

/* Makes those blocks shorter than the message.  The bytes that they lose are guard bytes from then on. */
void irr_job_cut(irr_job_t *job, int rank, int source, size_t length);

/* Makes a message shorter at its sender alone; what its receiver has of it in the end does not count. */
void irr_job_cut_sent(irr_job_t *job, int from, int to, size_t length);

/* Has every byte of a rank's output the right value, guards included?  Prints the first that has not. */
bool irr_job_verify(const irr_job_t *job, int rank);

#endif
