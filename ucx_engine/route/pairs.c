/* pairs.c - the plan of an exchange in place, with scratch memory as a ring; see pairs.h. */
#include "route/pairs.h"

#include "problem/blocks.h"

/* Offsets in scratch are multiples of a cache line. */
#define LINE 64

const irr_pairs_limits_t irr_pairs_limits = { .scratch = IRR_PAIRS_SCRATCH, .chunk = IRR_PAIRS_CHUNK };

/* The scratch is a ring.  A position is an offset that does not wrap around: it counts the bytes of all passes. */
typedef struct builder {
    const irr_problem_t      *problem;
    const irr_pairs_limits_t *limits;
    irr_plan_t               *plan;
    size_t                    copies;       /* 1 + index of the latest step that copies; 0: no step has copied */
    size_t                    position;     /* position of the next chunk */
    size_t                    oldest;       /* step at which the search for sends whose bytes are in use begins */
    size_t                    oldest_position;   /* position of the bytes of the first send from step `oldest` on */
} builder_t;

/* ---- scratch ---- */

/* Returns the first position, not before `position`, at which `bytes` bytes do not cross the end of the ring. */
static size_t fit(const builder_t *builder, size_t position, size_t bytes)
{
    const size_t at = position % builder->limits->scratch;

    return at + bytes > builder->limits->scratch ? position + builder->limits->scratch - at : position;
}

static size_t after(size_t position, size_t bytes)
{
    return position + (bytes + LINE - 1) / LINE * LINE;
}

/* Makes a copy depend on the sends whose bytes of scratch it overwrites. */
static irr_status_t wait_for_bytes(builder_t *builder, size_t copy, size_t position, size_t bytes)
{
    irr_plan_t *plan = builder->plan;
    irr_status_t status = IRR_OK;

    for (; builder->oldest < copy && status == IRR_OK; builder->oldest++) {
        const irr_step_t *step = &plan->steps[builder->oldest];

        if (step->kind != IRR_STEP_SEND) {
            continue;
        }
        builder->oldest_position = fit(builder, builder->oldest_position, step->bytes);
        if (builder->oldest_position + builder->limits->scratch >= position + bytes) {
            return IRR_OK;
        }
        status = irr_plan_depend(plan, copy, builder->oldest);
        builder->oldest_position = after(builder->oldest_position, step->bytes);
    }
    return status;
}

/* ---- steps ---- */

/* A chunk of a message.  The blocks form the message; the chunk is `length` bytes from byte `skip` on. */
typedef struct chunk {
    irr_blocks_t blocks;
    int          peer, number;
    size_t       skip, length;
    size_t       first;   /* the plan's step that receives the first chunk of the message */
} chunk_t;

/*
 * Appends a copy for each block of a chunk.  The first copy waits until the bytes of scratch for the whole chunk are
 * free.  Each other copy depends on the previous one; this costs no time, because the executor runs copies one by one.
 */
static irr_status_t add_copies(builder_t *builder, const chunk_t *chunk, size_t position)
{
    irr_blocks_cursor_t cursor = irr_blocks_at(chunk->blocks, chunk->skip);
    const size_t first = builder->plan->nsteps;
    irr_status_t status = IRR_OK;

    for (size_t done = 0; done < chunk->length && status == IRR_OK; ) {
        const irr_block_t block = irr_blocks_next(&cursor, chunk->length - done);
        const size_t at = (position + done) % builder->limits->scratch, before = builder->copies - 1;
        const irr_piece_t pieces[] = {
            { .buffer = IRR_BUFFER_OUTPUT, .offset = block.offset, .length = block.length },
            { .buffer = IRR_BUFFER_SCRATCH, .offset = (ptrdiff_t)at, .length = block.length } };

        status = irr_plan_add(builder->plan, &(irr_step_params_t){
            .kind = IRR_STEP_COPY, .peer = builder->problem->rank, .stage = 1, .pieces = pieces, .npieces = 2,
            .deps = &before, .ndeps = builder->copies > 0 });
        builder->copies = builder->plan->nsteps;
        done += block.length;
    }
    return status == IRR_OK && chunk->length > 0 ? wait_for_bytes(builder, first, position, chunk->length) : status;
}

/* Appends the steps of a chunk: the copies to scratch, the send from scratch, and the receive. */
static irr_status_t add_chunk(builder_t *builder, const chunk_t *chunk)
{
    irr_plan_t *plan = builder->plan;
    const size_t position = fit(builder, builder->position, chunk->length);
    const irr_piece_t staged = {
        .buffer = IRR_BUFFER_SCRATCH, .offset = (ptrdiff_t)(position % builder->limits->scratch),
        .length = chunk->length };
    irr_status_t status = add_copies(builder, chunk, position);
    const size_t deps[] = { plan->nsteps - 1, chunk->first };
    const bool is_first = chunk->skip == 0;
    irr_step_params_t params = {
        .kind = IRR_STEP_SEND, .peer = chunk->peer, .stage = 1, .number = chunk->number, .pieces = &staged,
        .npieces = 1, .deps = chunk->length > 0 ? deps : deps + 1, .ndeps = (chunk->length > 0) + (size_t)!is_first };

    builder->position = after(position, chunk->length);
    if (status == IRR_OK) {
        status = irr_plan_add(plan, &params);
    }
    params.kind = IRR_STEP_RECV;
    params.npieces = 0;
    params.replaceable = is_first && irr_blocks_bytes(chunk->blocks) > builder->limits->chunk;
    if (status == IRR_OK) {
        status = irr_plan_add(plan, &params);
    }
    if (status == IRR_OK) {
        status = irr_plan_add_part(plan, IRR_BUFFER_OUTPUT, chunk->blocks, chunk->skip, chunk->length);
    }
    return status;
}

/* chunks_of returns the number of chunks of a message; first_of, for several chunks, the length of the first one. */
static size_t chunks_of(const builder_t *builder, size_t bytes)
{
    const size_t max = builder->limits->chunk;

    return bytes <= max ? 1 : (bytes + max + 4) / (max + 2);
}

static size_t first_of(const builder_t *builder, size_t chunks)
{
    const size_t max = builder->limits->chunk;

    return max + 2 * (chunks < max / 2 ? chunks : max / 2) - 3;
}

/* Appends the chunks of a message.  The last chunk may be empty, because the length of the first fixes their number. */
static irr_status_t add_message(builder_t *builder, irr_blocks_t blocks)
{
    const irr_problem_t *problem = builder->problem;
    const size_t bytes = irr_blocks_bytes(blocks), max = builder->limits->chunk;
    const size_t chunks = chunks_of(builder, bytes), peer = (size_t)blocks.list[0].rank;
    chunk_t chunk = {
        .blocks = blocks, .peer = (int)peer, .length = chunks == 1 ? bytes : first_of(builder, chunks),
        .number = (int)((peer + (size_t)problem->rank) % (size_t)problem->ranks) + 1 };
    irr_status_t status;

    status = add_chunk(builder, &chunk);
    chunk.first = builder->plan->nsteps - 1;
    for (size_t i = 1; (i < chunks || chunk.skip + chunk.length < bytes) && status == IRR_OK; i++) {
        chunk.skip += chunk.length;
        chunk.length = bytes - chunk.skip < max ? bytes - chunk.skip : max;
        status = add_chunk(builder, &chunk);
    }
    return status;
}

/* In step 0 the peer is rank `start`; in step k it is rank (start + k) mod P. */
irr_status_t irr_pairs_build(const irr_problem_t *problem, const irr_pairs_limits_t *limits, irr_plan_t *plan)
{
    const irr_blocks_t all = problem->recv;
    const int start = (problem->ranks - problem->rank) % problem->ranks;
    builder_t builder = { .problem = problem, .limits = limits, .plan = plan };
    irr_status_t status = IRR_OK;
    size_t low = 0, count;

    irr_plan_reset(plan, problem);
    while (low < all.count && all.list[low].rank < start) {
        low++;
    }
    for (size_t done = 0; done < all.count && status == IRR_OK; done += count) {
        const size_t at = (low + done) % all.count;
        const irr_blocks_t blocks = irr_blocks_first(irr_blocks_after(all, at));

        count = blocks.count;
        status = blocks.list[0].rank == problem->rank ? IRR_OK : add_message(&builder, blocks);
    }
    return status;
}
