/*
 * routes_job.c - the exchange that irr_routes runs, from a pattern.  A byte depends on source, destination and
 * offset, so one that comes from elsewhere is wrong.
 */
#include "routes.h"

#include <stdlib.h>
#include <string.h>

static unsigned char byte_of(int source, int destination, size_t offset)
{
    return (unsigned char)(source * 131 + destination * 29 + (int)(offset % 251) + (int)(offset / 251 % 241));
}

static void fill(const irr_routes_job_t *job)
{
    const irr_problem_t *problem = &job->problem;

    for (size_t k = 0; k < problem->send.count; k++) {
        const irr_block_t *block = &problem->send.list[k];

        for (size_t i = 0; i < block->length; i++) {
            job->input[block->offset + (ptrdiff_t)i] = byte_of(problem->rank, block->rank, i);
        }
    }
}

/* Blocks one behind the other; returns the end of the last one. */
static size_t lay_out(const irr_matrix_t *matrix, int rank, bool sends, irr_block_t *list, irr_blocks_t *blocks)
{
    size_t end = 0, count = 0;

    for (int i = 0; i < matrix->ranks; i++) {
        size_t length = (size_t)*(sends ? irr_matrix_at(matrix, rank, i) : irr_matrix_at(matrix, i, rank));

        if (length > 0) {
            list[count++] = (irr_block_t){ .rank = i, .offset = (ptrdiff_t)end, .length = length };
        }
        end += length;
    }
    *blocks = (irr_blocks_t){ .list = list, .count = count };
    return end;
}

void irr_routes_job_init(irr_routes_job_t *job, int ranks, int rank)
{
    const irr_routes_options_t *options = job->options;
    irr_matrix_t matrix;

    irr_routes_must("making the pattern",
                    irr_matrix_pattern(irr_pattern_name(options->pattern), ranks, options->unit, options->seed,
                                       &matrix));
    job->blocks = calloc((size_t)ranks * 2, sizeof(*job->blocks));
    irr_routes_must("laying out the exchange", job->blocks == NULL ? IRR_ERR_NO_MEMORY : IRR_OK);
    job->problem = (irr_problem_t){ .ranks = ranks, .rank = rank };
    job->input_bytes = lay_out(&matrix, rank, true, job->blocks, &job->problem.send);
    job->output_bytes = lay_out(&matrix, rank, false, job->blocks + ranks, &job->problem.recv);
    irr_matrix_fini(&matrix);
    job->input = malloc(job->input_bytes + 1);
    job->output = malloc(job->output_bytes + 1);
    irr_routes_must("making the buffers",
                    job->input == NULL || job->output == NULL ? IRR_ERR_NO_MEMORY : IRR_OK);
    fill(job);
}

void irr_routes_job_fini(irr_routes_job_t *job)
{
    free(job->output);
    free(job->input);
    free(job->blocks);
}

void irr_routes_job_poison(const irr_routes_job_t *job)
{
    const irr_problem_t *problem = &job->problem;

    for (size_t k = 0; k < problem->recv.count; k++) {
        const irr_block_t *block = &problem->recv.list[k];

        for (size_t i = 0; i < block->length; i++) {
            job->output[block->offset + (ptrdiff_t)i] = (unsigned char)~byte_of(block->rank, problem->rank, i);
        }
    }
}

uint64_t irr_routes_job_verify(const irr_routes_job_t *job)
{
    const irr_problem_t *problem = &job->problem;
    uint64_t wrong = 0;

    for (size_t k = 0; k < problem->recv.count; k++) {
        const irr_block_t *block = &problem->recv.list[k];

        for (size_t i = 0; i < block->length; i++) {
            wrong += job->output[block->offset + (ptrdiff_t)i] != byte_of(block->rank, problem->rank, i);
        }
    }
    return wrong;
}
