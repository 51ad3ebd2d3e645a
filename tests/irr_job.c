/*
 * irr_job.c - see irr_job.h.
 */
#include "irr_job.h"

#include "irr_test.h"

#include "problem/blocks.h"

#define POISON      0x5a
#define GUARD_MAX   16
#define SHORT_MAX   300
#define LONG_MIN    100000
#define BLOCKS_MAX  4

static size_t any_short(uint64_t *state)
{
    return 1 + irr_test_below(state, SHORT_MAX);
}

/* Draws the length of a message. The caller draws `hot` and `unit` once per job. */
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
    case IRR_JOB_BLOCKS:
        return irr_test_below(state, 2) == 0 ? any_short(state) : 0;
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

/* Sets the offsets of blocks whose lengths are known. */
static void lay_out(irr_block_t *blocks, int count, irr_job_buffer_t *buffer, uint64_t *state)
{
    size_t position = 1 + irr_test_below(state, GUARD_MAX);
    int order[BLOCKS_MAX * IRR_JOB_RANKS_MAX];

    draw_order(order, count, state);
    for (int i = 0; i < count; i++) {
        blocks[order[i]].offset = (ptrdiff_t)position;
        position += blocks[order[i]].length + 1 + irr_test_below(state, GUARD_MAX);
    }
    buffer->bytes = position;
    buffer->base = irr_test_below(state, position);
    for (int i = 0; i < count; i++) {
        blocks[i].offset -= (ptrdiff_t)buffer->base;
    }
}

/* Divides a message into at most `most` blocks.  Returns their number. */
static int cut(irr_block_t *blocks, int rank, size_t length, int most, uint64_t *state)
{
    int count = 0;

    while (length > 0) {
        const size_t some = count + 1 < most ? 1 + irr_test_below(state, length) : length;

        blocks[count++] = (irr_block_t){ .rank = rank, .length = some };
        length -= some;
    }
    return count;
}

/* Makes the blocks of one side of a rank. lengths: the lengths of its messages, one in every `step` entries. */
static irr_blocks_t open_side(int ranks, int most, const size_t *lengths, int step, irr_block_t **list_p,
                              irr_job_buffer_t *buffer, uint64_t *state)
{
    irr_block_t *list = irr_test_array((size_t)(BLOCKS_MAX * ranks), sizeof(*list));
    int count = 0;

    for (int i = 0; i < ranks; i++) {
        count += cut(list + count, i, lengths[i * step], most, state);
    }
    lay_out(list, count, buffer, state);
    *list_p = list;
    return (irr_blocks_t){ .list = list, .count = (size_t)count };
}

static irr_job_t *make(int ranks, bool in_place)
{
    const size_t n = (size_t)ranks;
    irr_job_t *job = irr_test_array(1, sizeof(*job));

    job->ranks = ranks;
    job->problems = irr_test_array(n, sizeof(*job->problems));
    job->send = irr_test_array(n, sizeof(*job->send));
    job->recv = irr_test_array(n, sizeof(*job->recv));
    job->undefined = irr_test_array(n * n, sizeof(*job->undefined));
    job->input = irr_test_array(n, sizeof(*job->input));
    job->output = irr_test_array(n, sizeof(*job->output));
    for (int r = 0; r < ranks; r++) {
        job->problems[r] = (irr_problem_t){ .ranks = ranks, .rank = r, .in_place = in_place };
    }
    return job;
}

irr_job_t *irr_job_create(int ranks, irr_job_kind_t kind, uint64_t seed)
{
    const int most = kind == IRR_JOB_BLOCKS ? BLOCKS_MAX : 1;
    size_t n = (size_t)ranks, *lengths = irr_test_array(n * n, sizeof(*lengths));
    uint64_t state = seed;
    irr_job_t *job = make(ranks, false);
    int hot = (int)irr_test_below(&state, n);
    size_t unit = any_short(&state);

    for (int from = 0; from < ranks; from++) {
        for (int to = 0; to < ranks; to++) {
            lengths[from * ranks + to] = draw_length(kind, ranks, from, to, hot, unit, &state);
        }
    }
    for (int r = 0; r < ranks; r++) {
        irr_problem_t *problem = &job->problems[r];

        problem->send = open_side(ranks, most, lengths + r * ranks, 1, &job->send[r], &job->input[r], &state);
        problem->recv = open_side(ranks, most, lengths + r, ranks, &job->recv[r], &job->output[r], &state);
    }
    free(lengths);
    return job;
}

irr_job_t *irr_job_create_place(int ranks, const size_t *lengths, uint64_t seed)
{
    irr_job_t *job = make(ranks, true);

    for (int r = 0; r < ranks; r++) {
        irr_problem_t *problem = &job->problems[r];

        problem->send = problem->recv = open_side(ranks, BLOCKS_MAX, lengths + r * ranks, 1, &job->recv[r],
                                                  &job->output[r], &seed);
        for (int peer = 0; peer < ranks; peer++) {
            job->undefined[r * ranks + peer] = lengths[r * ranks + peer] != lengths[peer * ranks + r];
        }
    }
    return job;
}

irr_job_t *irr_job_create_equal(int ranks, size_t least)
{
    uint64_t seed = 1;
    irr_job_t *job = irr_job_create(ranks, IRR_JOB_UNIFORM, seed);

    while (irr_job_length(job, 0, 0) < least) {
        irr_job_destroy(job);
        job = irr_job_create(ranks, IRR_JOB_UNIFORM, ++seed);
    }
    return job;
}

irr_matrix_t irr_job_matrix(const irr_job_t *job)
{
    irr_matrix_t matrix;

    irr_test_must(irr_matrix_init(&matrix, job->ranks));
    for (int i = 0; i < job->ranks * job->ranks; i++) {
        matrix.entries[i] = irr_job_length(job, i / job->ranks, i % job->ranks);
    }
    return matrix;
}

void irr_job_destroy(irr_job_t *job)
{
    for (int r = 0; r < job->ranks; r++) {
        free(job->input[r].memory);
        free(job->output[r].memory);
        free(job->send[r]);
        free(job->recv[r]);
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
    return irr_blocks_bytes(irr_blocks_of(job->problems[from].send, to));
}

bool irr_job_may_stage(const irr_job_t *job, int rank, uint64_t bytes)
{
    const uint64_t own = irr_job_length(job, rank, rank);
    uint64_t most = own;

    for (irr_blocks_t left = job->problems[rank].recv; left.count > 0;) {
        const irr_blocks_t message = irr_blocks_first(left);

        most += message.count > 1 && message.list[0].rank != rank ? irr_blocks_bytes(message) : 0;
        left = irr_blocks_after(left, message.count);
    }
    return bytes >= own && bytes <= most;
}

/* Returns byte i of the message from one rank to another. */
static unsigned char byte_of(int from, int to, size_t i)
{
    return (unsigned char)((size_t)from * 151 + (size_t)to * 59 + i * 7 + (i >> 8) * 13 + (i >> 16) * 29);
}

/* Writes a block, which begins at byte `at` of its message. Sanitizers do not check it, because that takes long. */
__attribute__((no_sanitize("address", "undefined")))
static void write_block(const irr_job_t *job, unsigned char *base, const irr_block_t *block, size_t at, int from,
                        int to)
{
    for (size_t i = 0; i < block->length; i++) {
        base[block->offset + (ptrdiff_t)i] = (unsigned char)(byte_of(from, to, at + i) + job->salt);
    }
}

/* Returns the position of block i in its message. */
static size_t start_of(irr_blocks_t blocks, size_t i)
{
    size_t at = 0;

    for (size_t k = i; k > 0 && blocks.list[k - 1].rank == blocks.list[i].rank; k--) {
        at += blocks.list[k - 1].length;
    }
    return at;
}

static void open_buffer(irr_job_buffer_t *buffer)
{
    if (buffer->memory == NULL) {
        buffer->memory = irr_test_array(buffer->bytes, 1);
    }
    memset(buffer->memory, POISON, buffer->bytes);
}

/* Writes the messages that a rank sends. */
static void write_input(const irr_job_t *job, int rank, const irr_job_buffer_t *buffer)
{
    const irr_blocks_t blocks = job->problems[rank].send;

    for (size_t i = 0; i < blocks.count; i++) {
        const irr_block_t *block = &blocks.list[i];

        write_block(job, buffer->memory + buffer->base, block, start_of(blocks, i), rank, block->rank);
    }
}

void irr_job_fill(irr_job_t *job)
{
    for (int r = 0; r < job->ranks; r++) {
        open_buffer(&job->input[r]);
        open_buffer(&job->output[r]);
        write_input(job, r, job->problems[r].in_place ? &job->output[r] : &job->input[r]);
    }
}

void irr_job_poison(irr_job_t *job, int rank)
{
    open_buffer(&job->output[rank]);
    if (job->problems[rank].in_place) {
        write_input(job, rank, &job->output[rank]);
    }
}

const void *irr_job_input(const irr_job_t *job, int rank)
{
    return job->problems[rank].in_place ? irr_job_output(job, rank) : job->input[rank].memory + job->input[rank].base;
}

void *irr_job_output(const irr_job_t *job, int rank)
{
    return job->output[rank].memory + job->output[rank].base;
}

/* Excludes from verification the blocks that a rank receives from source. */
static void disregard(irr_job_t *job, int rank, int source)
{
    job->undefined[rank * job->ranks + source] = true;
}

/* Keeps the first `length` bytes of the blocks for a rank. */
static void shorten(irr_block_t *list, irr_blocks_t *blocks, int rank, size_t length)
{
    size_t count = 0;

    for (size_t i = 0; i < blocks->count; i++) {
        irr_block_t block = list[i];

        if (block.rank == rank) {
            block.length = block.length < length ? block.length : length;
            length -= block.length;
        }
        if (block.length > 0) {
            list[count++] = block;
        }
    }
    blocks->count = count;
}

void irr_job_shorten(irr_job_t *job, int from, int to, size_t length)
{
    shorten(job->send[from], &job->problems[from].send, to, length);
    shorten(job->recv[to], &job->problems[to].recv, from, length);
}

void irr_job_cut(irr_job_t *job, int rank, int source, size_t length)
{
    shorten(job->recv[rank], &job->problems[rank].recv, source, length);
    disregard(job, rank, source);
}

void irr_job_cut_sent(irr_job_t *job, int from, int to, size_t length)
{
    shorten(job->send[from], &job->problems[from].send, to, length);
    disregard(job, to, from);
}

/* Returns the expected output of a rank. Undefined blocks are copied from the real output. */
static unsigned char *expected_output(const irr_job_t *job, int rank)
{
    const irr_job_buffer_t *output = &job->output[rank];
    unsigned char *expected = irr_test_array(output->bytes, 1);

    memset(expected, POISON, output->bytes);
    for (size_t i = 0; i < job->problems[rank].recv.count; i++) {
        const irr_block_t *block = &job->recv[rank][i];

        if (!job->undefined[rank * job->ranks + block->rank]) {
            write_block(job, expected + output->base, block, start_of(job->problems[rank].recv, i), block->rank, rank);
        } else {
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
    const bool same = memcmp(output->memory, expected, output->bytes) == 0;
    size_t i = 0;

    if (!same) {
        while (output->memory[i] == expected[i]) {
            i++;
        }
        printf("# rank %d of %d: output[%td] is 0x%02x instead of 0x%02x\n", rank, job->ranks,
               (ptrdiff_t)i - (ptrdiff_t)output->base, output->memory[i], expected[i]);
    }
    free(expected);
    return same;
}
