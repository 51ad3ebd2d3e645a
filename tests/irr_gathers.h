/*
 * irr_gathers.h - N ranks in one process and one thread that gather the rows of a random matrix over loopback.
 *
 * The number of rounds of a gather is bounded, so one that hangs is a failure and not a time-out.
 */
#ifndef IRR_GATHERS_H
#define IRR_GATHERS_H

#include "irr_fleet.h"

#include "exec/gather.h"

typedef struct irr_gathers {
    irr_fleet_t  *fleet;
    irr_block_t  *blocks;     /* the matrix, row by row: lengths */
    irr_gather_t *gather;     /* by rank, and so on */
    bool         *started;
    irr_status_t *trouble;    /* that a rank starts with */
    irr_status_t *result;
    uint32_t      sequence;   /* of gathers, the one to come */
} irr_gathers_t;

/* Seed and eager_max as irr_fabric_create has them; the matrix is zero. */
irr_gathers_t *irr_gathers_create(int ranks, uint64_t seed, size_t eager_max, size_t max_bytes);
void           irr_gathers_destroy(irr_gathers_t *gathers);

/* Where the length from one rank to another one is. */
size_t *irr_gathers_at(const irr_gathers_t *gathers, int from, int to);

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

/* Has this rank the rows of all, as it reads them and as a matrix? */
bool irr_gathers_right(const irr_gathers_t *gathers, int rank);

/* How many ranks do not have this result, or not the right rows with IRR_OK. */
int irr_gathers_wrong(const irr_gathers_t *gathers, irr_status_t result);

/* ceil(log2 ranks) */
int irr_gathers_rounds(int ranks);

/* How often a gather may progress all ranks. */
#define IRR_GATHERS_ROUNDS 20000

#endif
