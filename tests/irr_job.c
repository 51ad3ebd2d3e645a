/*
 * irr_job.c - see irr_job.h.
 */
#include "irr_job.h"

#include "irr_test.h"

#include <stdlib.h>
#include <string.h>

#define POISON      0x5a
#define GUARD_MAX   16
#define SHORT_MAX   300
#define LONG_MIN    100000
#define WILD_OFFSET (PTRDIFF_MAX / 4)

const char *irr_job_kind_name(irr_job_kind_t kind)
{
    static const char *const names[] = {
        "zero", "uniform", "hot row", "hot column", "self", "banded", "sparse", "mixed"
    };

    return names[kind];
}

static size_t any_short(uint64_t *state)
{
    return 1 + irr_test_below(state, SHORT_MAX);
}

/* The length of a message; hot and unit were drawn once for the job. */
static size_t draw_length(irr_job_kind_t kind, int ranks, int from, int to, int hot, size_t unit, uint64_t *state)
{
    switch (kind) {
    case IRR_JOB_UNIFORM:
        return unit;
    case IRR_JOB_HOT_ROW:
        return from == hot ? any_short(state) : 0;
    case IRR_JOB_HOT_COLUMN:
        return to == hot ? any_short(state) : 0;
    case IRR_JOB_SELF:
        return from == to ? any_short(state) : 0;
    case IRR_JOB_BANDED:
        return (to - from + ranks) % ranks <= 2 ? any_short(state) : 0;
    case IRR_JOB_SPARSE:
        return irr_test_below(state, 4) == 0 ? any_short(state) : 0;
    case IRR_JOB_MIXED:
        return irr_test_below(state, (uint64_t)ranks) == 0 ? LONG_MIN + any_short(state) : 1;
    case IRR_JOB_ZERO:
    case IRR_JOB_KINDS:
        break;
    }
    return 0;
}

static void draw_order(int *order, int count, uint64_t *state)
{
    for (int i = 0; i < count; i++) {
        int j = (int)irr_test_below(state, (uint64_t)i + 1);

        order[i] = order[j];
        order[j] = i;
    }
}

/* Gives blocks that have lengths their offsets. */
static void lay_out(irr_block_t *blocks, int ranks, irr_job_buffer_t *buffer, uint64_t *state)
{
    size_t position = 1 + irr_test_below(state, GUARD_MAX);
    int order[IRR_JOB_RANKS_MAX];

    draw_order(order, ranks, state);
    for (int i = 0; i < ranks; i++) {
        blocks[order[i]].offset = (ptrdiff_t)position;
        position += blocks[order[i]].length + 1 + irr_test_below(state, GUARD_MAX);
    }
    buffer->bytes = position;
    buffer->base = irr_test_below(state, position);
    for (int i = 0; i < ranks; i++) {
        blocks[i].offset -= (ptrdiff_t)buffer->base;
        if (blocks[i].length == 0) {
            blocks[i].offset = irr_test_below(state, 2) == 0 ? WILD_OFFSET : -WILD_OFFSET;
        }
    }
}

irr_job_t *irr_job_create(int ranks, irr_job_kind_t kind, uint64_t seed)
{
    size_t n = (size_t)ranks;
    uint64_t state = seed;
    irr_job_t *job = irr_test_array(1, sizeof(*job));
    int hot = (int)irr_test_below(&state, n);
    size_t unit = any_short(&state);

    job->ranks = ranks;
    job->problems = irr_test_array(n, sizeof(*job->problems));
    job->send = irr_test_array(n * n, sizeof(*job->send));
    job->recv = irr_test_array(n * n, sizeof(*job->recv));
    job->undefined = irr_test_array(n * n, sizeof(*job->undefined));
    job->input = irr_test_array(n, sizeof(*job->input));
    job->output = irr_test_array(n, sizeof(*job->output));
    for (int from = 0; from < ranks; from++) {
        for (int to = 0; to < ranks; to++) {
            size_t length = draw_length(kind, ranks, from, to, hot, unit, &state);

            job->send[from * ranks + to].length = length;
            job->recv[to * ranks + from].length = length;
        }
    }
    for (int r = 0; r < ranks; r++) {
        lay_out(&job->send[r * ranks], ranks, &job->input[r], &state);
        lay_out(&job->recv[r * ranks], ranks, &job->output[r], &state);
        job->problems[r] = (irr_problem_t){
            .ranks = ranks, .rank = r, .send = &job->send[r * ranks], .recv = &job->recv[r * ranks]
        };
    }
    return job;
}

void irr_job_destroy(irr_job_t *job)
{
    for (int r = 0; r < job->ranks; r++) {
        free(job->input[r].memory);
        free(job->output[r].memory);
    }
    free(job->output);
    free(job->input);
    free(job->undefined);
    free(job->recv);
    free(job->send);
    free(job->problems);
    free(job);
}

size_t irr_job_length(const irr_job_t *job, int from, int to)
{
    return job->send[from * job->ranks + to].length;
}

/* Byte i of what one rank sends to another. */
static unsigned char byte_of(int from, int to, size_t i)
{
    return (unsigned char)((size_t)from * 151 + (size_t)to * 59 + i * 7 + (i >> 8) * 13 + (i >> 16) * 29);
}

/* Writes a block of a buffer. */
static void write_block(const irr_job_t *job, unsigned char *memory, size_t base, const irr_block_t *block,
                        int from, int to)
{
    for (size_t i = 0; i < block->length; i++) {
        memory[base + (size_t)block->offset + i] = (unsigned char)(byte_of(from, to, i) + job->salt);
    }
}

static void open_buffer(irr_job_buffer_t *buffer)
{
    if (buffer->memory == NULL) {
        buffer->memory = irr_test_array(buffer->bytes, 1);
    }
    memset(buffer->memory, POISON, buffer->bytes);
}

void irr_job_fill(irr_job_t *job)
{
    for (int r = 0; r < job->ranks; r++) {
        open_buffer(&job->input[r]);
        open_buffer(&job->output[r]);
        for (int to = 0; to < job->ranks; to++) {
            write_block(job, job->input[r].memory, job->input[r].base, &job->send[r * job->ranks + to], r, to);
        }
    }
}

void irr_job_poison(irr_job_t *job, int rank)
{
    memset(job->output[rank].memory, POISON, job->output[rank].bytes);
}

const void *irr_job_input(const irr_job_t *job, int rank)
{
    return job->input[rank].memory + job->input[rank].base;
}

void *irr_job_output(const irr_job_t *job, int rank)
{
    return job->output[rank].memory + job->output[rank].base;
}

void irr_job_disregard(irr_job_t *job, int rank, int source)
{
    job->undefined[rank * job->ranks + source] = true;
}

void irr_job_shorten(irr_job_t *job, int from, int to, size_t length)
{
    job->send[from * job->ranks + to].length = length;
    job->recv[to * job->ranks + from].length = length;
}

void irr_job_cut(irr_job_t *job, int rank, int source, size_t length)
{
    job->recv[rank * job->ranks + source].length = length;
    irr_job_disregard(job, rank, source);
}

/* What the output of a rank should be; blocks that do not count are as they are. */
static unsigned char *expected_output(const irr_job_t *job, int rank)
{
    const irr_job_buffer_t *output = &job->output[rank];
    unsigned char *expected = irr_test_array(output->bytes, 1);

    memset(expected, POISON, output->bytes);
    for (int from = 0; from < job->ranks; from++) {
        const irr_block_t *block = &job->recv[rank * job->ranks + from];

        if (!job->undefined[rank * job->ranks + from]) {
            write_block(job, expected, output->base, block, from, rank);
        } else if (block->length > 0) {
            memcpy(expected + output->base + block->offset, output->memory + output->base + block->offset,
                   block->length);
        }
    }
    return expected;
}

bool irr_job_verify(const irr_job_t *job, int rank)
{
    const irr_job_buffer_t *output = &job->output[rank];
    unsigned char *expected = expected_output(job, rank);
    size_t i = 0;

    while (i < output->bytes && output->memory[i] == expected[i]) {
        i++;
    }
    if (i < output->bytes) {
        printf("# rank %d of %d: output[%td] is 0x%02x instead of 0x%02x\n", rank, job->ranks,
               (ptrdiff_t)i - (ptrdiff_t)output->base, output->memory[i], expected[i]);
    }
    free(expected);
    return i == output->bytes;
}
