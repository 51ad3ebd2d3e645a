/*
 * irr_gathers.h - N ranks in one process and one thread whose rows of a random matrix rank 0 gathers over loopback,
 * and to which it scatters them again, twice as long; then they agree whether all went well.
 *
 * The number of rounds is bounded, so a gather that hangs is a failure and not a time-out.
 */
#ifndef IRR_GATHERS_H
#define IRR_GATHERS_H

#include "irr_fleet.h"

#include "exec/binomial.h"
#include "exec/consensus.h"

typedef enum irr_gathers_phase {
    IRR_GATHERS_IDLE, IRR_GATHERS_UP, IRR_GATHERS_DOWN, IRR_GATHERS_AGREES
} irr_gathers_phase_t;

typedef struct irr_gathers_rank {
    irr_binomial_t      tree;
    irr_consensus_t     consensus;
    irr_exec_env_t      env;
    irr_gathers_phase_t phase;
    bool                trouble;   /* it starts without memory for its row */
    irr_status_t        status;    /* its own first failure */
    bool                right;     /* what it was told is what it has said */
    unsigned            mark;      /* the worst of all ranks, when it is idle again */
} irr_gathers_rank_t;

typedef struct irr_gathers {
    irr_fleet_t        *fleet;
    uint64_t           *lengths;    /* the matrix, row by row */
    irr_gathers_rank_t *rank;
    uint32_t            sequence;   /* of gathers, the one to come */
} irr_gathers_t;

/* Seed and eager_max as irr_fabric_create has them; the matrix is zero. */
irr_gathers_t *irr_gathers_create(int ranks, uint64_t seed, size_t eager_max, size_t max_bytes);
void           irr_gathers_destroy(irr_gathers_t *gathers);

/* Where the length from one rank to another one is. */
uint64_t *irr_gathers_at(const irr_gathers_t *gathers, int from, int to);

/* Fills the matrix: some rows are empty, some full, most sparse. */
void irr_gathers_fill(irr_gathers_t *gathers, uint64_t *state);

/* Bytes of all rows as they are sent. */
size_t irr_gathers_bytes(const irr_gathers_t *gathers);

/* Starts one rank. */
void irr_gathers_start(irr_gathers_t *gathers, int rank);

/* Progresses all ranks until none of those that started runs, at most so many times; false: some still run. */
bool irr_gathers_progress(irr_gathers_t *gathers, int rounds);

/* Starts all ranks from `first` on around, progresses so often between them, and ends; false as above. */
bool irr_gathers_run(irr_gathers_t *gathers, int first, int between);

/* How many ranks do not end with this mark, or with mark 0 were not told what they have said. */
int irr_gathers_wrong(const irr_gathers_t *gathers, unsigned mark);

/* ceil(log2 ranks) */
int irr_gathers_rounds(int ranks);

/* How often a gather may progress all ranks. */
#define IRR_GATHERS_ROUNDS 20000

#endif
