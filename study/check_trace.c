/*
 * check_trace.c - fourth phase of the plan checker: the reads and writes of each rank (rules 2 and 3).
 *
 * In the order of the plan, each range that a step reads is traced to the steps that wrote it.  The result is the
 * recipe of the step: the list of the bytes of earlier messages that the step reads.  If two steps use the same byte of
 * OUTPUT or SCRATCH and one of them writes it, one must depend on the other, directly or not.  Every execution of the
 * plan then has the same result as an execution in the order of the plan.  A step may reuse scratch if it depends on
 * all steps that used it before.
 *
 * Cost: for each step, the check visits all steps on which it depends, directly or not.  If the step writes to scratch
 * that other steps use, the check also sorts the uses of the steps that may run concurrently.  Everything else is a
 * binary search.
 *
 * In place, OUTPUT initially has the bytes that the rank sends, and INPUT is another name for OUTPUT.  The bytes are
 * overwritten once, by steps that depend on all steps that read the old bytes.  If a plan sends a byte after it was
 * overwritten, the check of the byte at its destination fails.
 *
 * Lists name a byte of INPUT by its offset, not by its block: send blocks may overlap, as in MPI, and then a byte
 * belongs to several blocks.
 */
#include "study/check.h"

#include "core/alloc.h"
#include "problem/blocks.h"

#include <string.h>

static const char *const buffer_names[] = { "INPUT", "OUTPUT", "SCRATCH" };

/* The state of the rank that is being traced. */
typedef struct tracer {
    irr_check_t     *check;
    bool             in_place;
    irr_segments_t   input;     /* ranges of its send blocks, if not in place; the origin is IRR_CHECK_OWN */
    irr_segments_t   recipe;    /* of the step */
    irr_segments_t   fresh;     /* ranges of OUTPUT that the step writes, in the order of its pieces */
    size_t          *ancestor;  /* element j is i + 1 if step i depends on step j */
    size_t          *stack;
    size_t           apart;     /* i + 1: step i was compared with the old readers of SCRATCH */
    irr_check_uses_t scratch_uses, place_uses;   /* uses by steps that may run concurrently */
} tracer_t;

static ptrdiff_t end_of(const irr_piece_t *piece)
{
    return piece->offset + (ptrdiff_t)piece->length;
}

/* Adds a message to the contents that `rank` must receive.  Its sender has the same length for the message. */
static irr_status_t want_message(tracer_t *tracer, int rank, irr_blocks_t message)
{
    irr_check_t *check = tracer->check;
    irr_segments_t *wanted = &check->rank[rank].wanted;
    const int from = message.list[0].rank;
    irr_blocks_cursor_t sent = irr_blocks_at(irr_blocks_of(check->problems[from].send, rank), 0);
    irr_blocks_cursor_t received = irr_blocks_at(message, 0);
    irr_block_t source, target;
    irr_status_t status = IRR_OK;

    while (status == IRR_OK && irr_blocks_pair(&sent, &received, &source, &target)) {
        const irr_segment_t *other = irr_segments_hit(wanted, target.offset, target.length);

        if (other != NULL) {
            return irr_check_fail(check, "problem of rank %d: recv blocks of ranks %zu and %d overlap", rank,
                                  other->origin, from);
        }
        status = irr_segments_put(wanted, (irr_segment_t){
            .offset = target.offset, .length = target.length, .origin = (size_t)from, .at = source.offset });
    }
    return status;
}

/* Sets the wanted contents of OUTPUT, and checks that no two receive blocks share a byte. */
static irr_status_t want_output(tracer_t *tracer, int rank)
{
    irr_status_t status = IRR_OK;

    for (irr_blocks_t left = tracer->check->problems[rank].recv; left.count > 0 && status == IRR_OK;) {
        const irr_blocks_t message = irr_blocks_first(left);

        status = want_message(tracer, rank, message);
        left = irr_blocks_after(left, message.count);
    }
    return status;
}

static irr_segments_t *input_of(tracer_t *tracer, int rank)
{
    return tracer->in_place ? &tracer->check->rank[rank].output : &tracer->input;
}

static irr_status_t own_input(tracer_t *tracer, int rank)
{
    const irr_blocks_t blocks = tracer->check->problems[rank].send;
    irr_status_t status = IRR_OK;

    irr_segments_clear(&tracer->input);
    for (size_t i = 0; status == IRR_OK && i < blocks.count; i++) {
        const irr_block_t *block = &blocks.list[i];

        status = irr_segments_put(input_of(tracer, rank), (irr_segment_t){
            .offset = block->offset, .length = block->length, .origin = IRR_CHECK_OWN, .at = block->offset
        });
    }
    return status;
}

static irr_segments_t *list_of(tracer_t *tracer, int rank, irr_buffer_t buffer)
{
    switch (buffer) {
    case IRR_BUFFER_INPUT:   return input_of(tracer, rank);
    case IRR_BUFFER_OUTPUT:  return &tracer->check->rank[rank].output;
    case IRR_BUFFER_SCRATCH:
    case IRR_BUFFER_NOWHERE: break;
    }
    return &tracer->check->rank[rank].scratch;
}

/* Marks all steps that step i depends on, directly or not. */
static void mark_ancestors(tracer_t *tracer, const irr_plan_t *plan, size_t i)
{
    size_t depth = 0;

    for (tracer->stack[depth++] = i; depth > 0;) {
        const irr_step_t *step = &plan->steps[tracer->stack[--depth]];

        for (size_t d = 0; d < step->deps; d++) {
            size_t dep = plan->deps[step->first_dep + d];

            if (tracer->ancestor[dep] != i + 1) {
                tracer->ancestor[dep] = i + 1;
                tracer->stack[depth++] = dep;
            }
        }
    }
}

/* Checks that every byte of the piece was written by a step that step i depends on. */
static irr_status_t check_read(tracer_t *tracer, int rank, size_t i, const irr_piece_t *piece)
{
    const irr_segments_t *list = list_of(tracer, rank, piece->buffer);
    const char *name = buffer_names[piece->buffer];
    ptrdiff_t end = end_of(piece);

    if (!irr_segments_cover(list, piece->offset, piece->length)) {
        return irr_check_fail(tracer->check, "rank %d step %zu reads %s[%td,%td), which %s", rank, i, name,
                              piece->offset, end, list == input_of(tracer, rank)
                              ? "is not inside the send blocks" : "earlier steps have not fully written");
    }
    for (size_t s = irr_segments_find(list, piece->offset); s < list->count && list->items[s].offset < end; s++) {
        size_t writer = list->items[s].origin;

        if (writer == IRR_CHECK_RIGHT) {
            return irr_check_fail(tracer->check, "rank %d step %zu reads OUTPUT of an earlier batch", rank, i);
        }
        if (writer != IRR_CHECK_OWN && tracer->ancestor[writer] != i + 1) {
            return irr_check_fail(tracer->check, "rank %d step %zu reads %s[%td,%td) of step %zu, on which it "
                                  "does not depend", rank, i, name, piece->offset, end, writer);
        }
    }
    return IRR_OK;
}

static irr_buffer_t buffer_of(const tracer_t *tracer, const irr_piece_t *piece)
{
    return tracer->in_place && piece->buffer == IRR_BUFFER_INPUT ? IRR_BUFFER_OUTPUT : piece->buffer;
}

static bool overlap(const tracer_t *tracer, const irr_piece_t *a, const irr_piece_t *b)
{
    return buffer_of(tracer, a) == buffer_of(tracer, b) && a->length > 0 && b->length > 0 && a->offset < end_of(b) &&
           b->offset < end_of(a);
}

/* Reports the earlier step that touches the piece, and on which step i does not depend. */
static irr_status_t report_reuse(tracer_t *tracer, int rank, size_t i, const irr_piece_t *piece)
{
    const irr_plan_t *plan = &tracer->check->plans[rank];

    for (size_t j = tracer->check->rank[rank].first; j < i; j++) {
        const irr_step_t *step = &plan->steps[j];
        size_t pieces = tracer->ancestor[j] != i + 1 ? step->pieces : 0;

        for (size_t p = 0; p < pieces; p++) {
            if (overlap(tracer, &plan->pieces[step->first_piece + p], piece)) {
                return irr_check_fail(tracer->check, "rank %d step %zu writes %s[%td,%td) and does not "
                                      "depend on step %zu, which uses the same bytes", rank, i,
                                      buffer_names[piece->buffer], piece->offset, end_of(piece), j);
            }
        }
    }
    return IRR_OK;
}

/*
 * Checks a write to SCRATCH against old steps, those of earlier batches.  Step i must depend on the steps that have
 * written the bytes last; those steps depend on all earlier users of the bytes.  Nothing records which bytes old steps
 * have read, so step i must depend on all old steps that read SCRATCH.
 */
static irr_status_t check_old(tracer_t *tracer, int r, size_t i, const irr_piece_t *piece)
{
    const irr_check_rank_t *rank = &tracer->check->rank[r];
    const irr_segments_t *list = &rank->scratch;
    bool depends = true;

    for (size_t s = irr_segments_find(list, piece->offset); s < list->count && list->items[s].offset < end_of(piece);
         s++) {
        const size_t writer = list->items[s].origin;

        depends = depends && (writer >= rank->first || tracer->ancestor[writer] == i + 1);
    }
    for (size_t k = 0; k < rank->nreaders && rank->readers[k] < rank->first && tracer->apart != i + 1; k++) {
        depends = depends && tracer->ancestor[rank->readers[k]] == i + 1;
    }
    tracer->apart = i + 1;
    return depends ? IRR_OK : irr_check_fail(tracer->check, "rank %d step %zu reuses SCRATCH too early", r, i);
}

/* Checks a write to a range that earlier steps use: step i must depend on all of these steps. */
static irr_status_t check_reuse(tracer_t *tracer, int rank, size_t i, const irr_piece_t *piece)
{
    irr_check_uses_t *uses = piece->buffer == IRR_BUFFER_SCRATCH ? &tracer->scratch_uses : &tracer->place_uses;
    irr_status_t status = irr_check_uses_collect(uses, &tracer->check->plans[rank], i, tracer->ancestor);

    if (status == IRR_OK && piece->buffer == IRR_BUFFER_SCRATCH) {
        status = check_old(tracer, rank, i, piece);
    }
    if (status == IRR_OK && irr_check_uses_hit(uses, piece->offset, end_of(piece))) {
        status = report_reuse(tracer, rank, i, piece);
    }
    return status;
}

/*
 * Returns a step that has written bytes of the piece, if step i must not replace these bytes; otherwise IRR_CHECK_OWN.
 * A step must not replace bytes that any step has written to OUTPUT, or bytes that it has written itself.
 */
static size_t wrong_victim(const irr_segments_t *list, size_t i, const irr_piece_t *piece)
{
    for (size_t s = irr_segments_find(list, piece->offset);
         s < list->count && list->items[s].offset < end_of(piece); s++) {
        const size_t origin = list->items[s].origin;

        if (origin != IRR_CHECK_OWN && (piece->buffer == IRR_BUFFER_OUTPUT || origin == i)) {
            return origin;
        }
    }
    return IRR_CHECK_OWN;
}

static irr_status_t check_write(tracer_t *tracer, int rank, size_t i, const irr_piece_t *piece)
{
    const irr_segments_t *list = list_of(tracer, rank, piece->buffer);
    const char *name = buffer_names[piece->buffer];
    size_t victim = wrong_victim(list, i, piece);

    if (piece->buffer == IRR_BUFFER_INPUT) {
        return irr_check_fail(tracer->check, "rank %d step %zu writes INPUT[%td,%td)", rank, i, piece->offset,
                              end_of(piece));
    }
    if (piece->buffer == IRR_BUFFER_OUTPUT &&
        !irr_segments_cover(&tracer->check->rank[rank].wanted, piece->offset, piece->length)) {
        return irr_check_fail(tracer->check, "rank %d step %zu writes OUTPUT[%td,%td), which is not inside the "
                              "recv blocks", rank, i, piece->offset, end_of(piece));
    }
    if (victim != IRR_CHECK_OWN) {
        return irr_check_fail(tracer->check, "rank %d step %zu writes %s[%td,%td), which step %zu wrote already",
                              rank, i, name, piece->offset, end_of(piece), victim);
    }
    if (irr_segments_hit(list, piece->offset, piece->length) != NULL) {
        return check_reuse(tracer, rank, i, piece);
    }
    return IRR_OK;
}

static irr_status_t note_reader(irr_check_rank_t *rank, size_t i)
{
    const irr_status_t status = IRR_GROW(rank->readers, rank->readers_max, rank->nreaders + 1);

    if (status == IRR_OK) {
        rank->readers[rank->nreaders++] = i;
    }
    return status;
}

/* Traces the reads of a send, a copy or a reduction, and sets its recipe. */
static irr_status_t trace_read(tracer_t *tracer, int rank, size_t i, const irr_piece_t *pieces, size_t count)
{
    irr_status_t status = IRR_OK;
    ptrdiff_t position = 0;
    bool scratch = false;

    irr_segments_clear(&tracer->recipe);
    for (size_t p = 0; status == IRR_OK && p < count; p++) {
        const irr_piece_t *piece = &pieces[p];

        if (piece->length == 0) {
            continue;
        }
        scratch = scratch || piece->buffer == IRR_BUFFER_SCRATCH;
        status = check_read(tracer, rank, i, piece);
        if (status == IRR_OK) {
            status = irr_segments_copy(list_of(tracer, rank, piece->buffer), piece->offset, piece->length,
                                       &tracer->recipe, position);
        }
        position += (ptrdiff_t)piece->length;
    }
    if (status == IRR_OK) {
        status = irr_segments_assign(&tracer->check->recipes[irr_check_id(tracer->check, rank, i)], &tracer->recipe);
    }
    return status == IRR_OK && scratch ? note_reader(&tracer->check->rank[rank], i) : status;
}

/* Adds the ranges of OUTPUT that step i writes.  No other step has written them. */
static irr_status_t add_fresh(tracer_t *tracer, int rank, size_t i)
{
    irr_segments_t *fresh = &tracer->fresh;

    irr_segments_sort(fresh);
    for (size_t s = 1; s < fresh->count; s++) {
        const irr_segment_t *a = &fresh->items[s - 1], *b = &fresh->items[s];

        if (irr_segment_end(a) > b->offset) {
            a = a->at > b->at ? a : b;
            return irr_check_fail(tracer->check, "rank %d step %zu writes OUTPUT[%td,%td), which step %zu wrote "
                                  "already", rank, i, a->offset, irr_segment_end(a), i);
        }
    }
    return irr_segments_merge(list_of(tracer, rank, IRR_BUFFER_OUTPUT), fresh);
}

/* Traces the writes of a receive or local step.  The last piece may be longer than the rest of the message. */
static irr_status_t trace_write(tracer_t *tracer, int rank, size_t i, const irr_piece_t *pieces, size_t count)
{
    size_t left = tracer->check->plans[rank].steps[i].bytes;
    irr_status_t status = IRR_OK;
    ptrdiff_t position = 0;

    irr_segments_clear(&tracer->fresh);
    for (size_t p = 0; status == IRR_OK && p < count; p++) {
        irr_piece_t piece = pieces[p];

        piece.length = piece.length < left ? piece.length : left;
        if (piece.length == 0) {
            continue;
        }
        status = check_write(tracer, rank, i, &piece);
        if (status == IRR_OK) {
            const irr_segment_t segment = {
                .offset = piece.offset, .length = piece.length, .origin = i, .at = position };

            status = piece.buffer == IRR_BUFFER_OUTPUT && !tracer->in_place
                         ? irr_segments_add(&tracer->fresh, segment)
                         : irr_segments_put(list_of(tracer, rank, piece.buffer), segment);
        }
        position += (ptrdiff_t)piece.length;
        left -= piece.length;
    }
    return status == IRR_OK ? add_fresh(tracer, rank, i) : status;
}

static irr_status_t trace_step(tracer_t *tracer, int rank, size_t i)
{
    const irr_plan_t *plan = &tracer->check->plans[rank];
    const irr_step_t *step = &plan->steps[i];
    const irr_piece_t *pieces = &plan->pieces[step->first_piece];
    irr_status_t status;

    mark_ancestors(tracer, plan, i);
    switch (step->kind) {
    case IRR_STEP_SEND:
        return trace_read(tracer, rank, i, pieces, step->pieces);
    case IRR_STEP_RECV:
        return trace_write(tracer, rank, i, pieces, step->pieces);
    case IRR_STEP_SIGNAL:
    case IRR_STEP_WAIT:
        return IRR_OK;
    case IRR_STEP_COPY:
    case IRR_STEP_REDUCE:
        break;
    }
    if (overlap(tracer, &pieces[0], &pieces[1])) {
        return irr_check_fail(tracer->check, "rank %d step %zu copies a range onto itself", rank, i);
    }
    status = trace_read(tracer, rank, i, pieces, step->kind == IRR_STEP_REDUCE ? 2 : 1);
    return status == IRR_OK ? trace_write(tracer, rank, i, &pieces[1], 1) : status;
}

static irr_status_t trace_rank(tracer_t *tracer, int r)
{
    irr_check_rank_t *rank = &tracer->check->rank[r];
    const size_t steps = tracer->check->plans[r].nsteps;
    irr_status_t status = rank->begun ? IRR_OK : want_output(tracer, r);

    tracer->in_place = tracer->check->problems[r].in_place;
    if (status == IRR_OK) {
        status = own_input(tracer, r);
    }
    rank->begun = true;
    if (status == IRR_OK && tracer->check->words > 0) {
        status = irr_segments_put(&rank->scratch, (irr_segment_t){
            .length = tracer->check->words * sizeof(uint64_t), .origin = IRR_CHECK_OWN });
    }
    tracer->scratch_uses.owner = tracer->place_uses.owner = 0;
    tracer->scratch_uses.first = tracer->place_uses.first = rank->first;
    tracer->apart = 0;
    memset(tracer->ancestor, 0, steps * sizeof(*tracer->ancestor));
    for (size_t i = rank->first; status == IRR_OK && i < steps; i++) {
        status = trace_step(tracer, r, i);
    }
    if (tracer->check->words > 0) {   /* a reduction does not use OUTPUT */
        rank->output = rank->scratch;
        rank->scratch = (irr_segments_t){ .count = 0 };
    }
    return status;
}

irr_status_t irr_check_trace(irr_check_t *check)
{
    size_t most = 0;
    tracer_t tracer = {
        .check = check, .scratch_uses = { .buffers = 1u << IRR_BUFFER_SCRATCH },
        .place_uses = { .buffers = 1u << IRR_BUFFER_INPUT | 1u << IRR_BUFFER_OUTPUT } };
    irr_status_t status;

    for (int r = 0; r < check->ranks; r++) {
        most = check->plans[r].nsteps > most ? check->plans[r].nsteps : most;
    }
    status = IRR_ALLOC_ARRAYS(((irr_array_t[]){ IRR_ARRAY(tracer.ancestor, most), IRR_ARRAY(tracer.stack, most) }));
    for (int r = 0; status == IRR_OK && r < check->ranks; r++) {
        status = check->rank[r].fresh ? trace_rank(&tracer, r) : IRR_OK;
    }
    irr_check_uses_fini(&tracer.place_uses);
    irr_check_uses_fini(&tracer.scratch_uses);
    irr_segments_fini(&tracer.recipe);
    irr_segments_fini(&tracer.fresh);
    irr_segments_fini(&tracer.input);
    irr_free(tracer.ancestor);   /* also frees the stack */
    return status;
}
