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

    for (int to = 0; to < problem->ranks; to++) {
        unsigned char *block = job->input + problem->send[to].offset;

        for (size_t i = 0; i < problem->send[to].length; i++) {
            block[i] = byte_of(problem->rank, to, i);
        }
    }
}

/* Blocks one behind the other; returns the end of the last one. */
static size_t lay_out(const irr_matrix_t *matrix, int rank, bool sends, irr_block_t *blocks)
{
    size_t end = 0;

    for (int i = 0; i < matrix->ranks; i++) {
        size_t length = (size_t)*(sends ? irr_matrix_at(matrix, rank, i) : irr_matrix_at(matrix, i, rank));

        blocks[i] = (irr_block_t){ (ptrdiff_t)end, length };
        end += length;
    }
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
    job->problem = (irr_problem_t){
        .ranks = ranks, .rank = rank, .send = job->blocks, .recv = job->blocks + ranks
    };
    job->input_bytes = lay_out(&matrix, rank, true, job->blocks);
    job->output_bytes = lay_out(&matrix, rank, false, job->blocks + ranks);
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

    for (int from = 0; from < problem->ranks; from++) {
        unsigned char *block = job->output + problem->recv[from].offset;

        for (size_t i = 0; i < problem->recv[from].length; i++) {
            block[i] = (unsigned char)~byte_of(from, problem->rank, i);
        }
    }
}

uint64_t irr_routes_job_verify(const irr_routes_job_t *job)
{
    const irr_problem_t *problem = &job->problem;
    uint64_t wrong = 0;

    for (int from = 0; from < problem->ranks; from++) {
        const unsigned char *block = job->output + problem->recv[from].offset;

        for (size_t i = 0; i < problem->recv[from].length; i++) {
            wrong += block[i] != byte_of(from, problem->rank, i);
        }
    }
    return wrong;
}
