/*
 * check_shape.c - first phase of the plan checker: every number is in its range, and for each message the problems
 * (lists of blocks) of sender and receiver have the same length.
 *
 * Nothing is trusted: a plan may have been written by hand or read from a file.  Time is linear in the size of the
 * problems and plans.
 */
#include "problem/blocks.h"
#include "study/check.h"

enum { WORD = sizeof(uint64_t) };

/* Returns true if a range is far from the ends of the type, so that later phases may add and subtract. */
static bool range_fits(ptrdiff_t offset, size_t length)
{
    return offset >= -IRR_SEGMENTS_LIMIT && offset <= IRR_SEGMENTS_LIMIT &&
           length <= (size_t)(IRR_SEGMENTS_LIMIT - offset) && length <= IRR_SEGMENTS_LIMIT;
}

static bool slice_fits(size_t first, size_t count, size_t total)
{
    return first <= total && count <= total - first;
}

static irr_status_t check_blocks(irr_check_t *check, int rank, irr_blocks_t blocks, const char *name)
{
    if (blocks.list == NULL && blocks.count > 0) {
        return irr_check_fail(check, "problem of rank %d has no %s blocks", rank, name);
    }
    for (size_t i = 0; i < blocks.count; i++) {
        if (!range_fits(blocks.list[i].offset, blocks.list[i].length)) {
            return irr_check_fail(check, "problem of rank %d: %s block %zu is out of range", rank, name, i);
        }
    }
    if (!irr_blocks_are_good(blocks, check->ranks)) {
        return irr_check_fail(check, "problem of rank %d: %s blocks are empty, or not sorted by rank", rank, name);
    }
    return IRR_OK;
}

/*
 * Checks that the exchange is in place on all ranks or on none.  In place, the send list and the receive list of a rank
 * must be equal.
 */
static irr_status_t check_place(irr_check_t *check, int rank)
{
    const irr_problem_t *problem = &check->problems[rank];
    const irr_blocks_t send = problem->send, recv = problem->recv;
    size_t same = 0;

    if (problem->in_place != check->problems[0].in_place) {
        return irr_check_fail(check, "problem of rank %d is%s in place, that of rank 0 is%s", rank,
                              problem->in_place ? "" : " not", problem->in_place ? " not" : "");
    }
    while (same < send.count && same < recv.count && send.list[same].rank == recv.list[same].rank &&
           send.list[same].offset == recv.list[same].offset && send.list[same].length == recv.list[same].length) {
        same++;
    }
    if (problem->in_place && (same < send.count || same < recv.count)) {
        return irr_check_fail(check, "problem of rank %d is in place, but its lists differ in block %zu", rank, same);
    }
    return IRR_OK;
}

static irr_status_t check_problem(irr_check_t *check, int rank)
{
    const irr_problem_t *problem = &check->problems[rank];
    irr_status_t status;

    if (problem->ranks != check->ranks || problem->rank != rank) {
        return irr_check_fail(check, "problem of rank %d of %d is for rank %d of %d", rank, check->ranks,
                              problem->rank, problem->ranks);
    }
    status = check_blocks(check, rank, problem->send, "send");
    if (status == IRR_OK) {
        status = check_blocks(check, rank, problem->recv, "recv");
    }
    return status == IRR_OK ? check_place(check, rank) : status;
}

static irr_status_t check_agreement(irr_check_t *check, int from)
{
    for (int to = 0; to < check->ranks; to++) {
        const size_t sent = irr_blocks_bytes(irr_blocks_of(check->problems[from].send, to));
        const size_t expected = irr_blocks_bytes(irr_blocks_of(check->problems[to].recv, from));

        if (sent != expected) {
            return irr_check_fail(check, "problems disagree: rank %d sends %zu bytes to rank %d, which expects "
                                  "%zu", from, sent, to, expected);
        }
    }
    return IRR_OK;
}

static irr_status_t check_piece(irr_check_t *check, int rank, size_t index, const irr_piece_t *piece)
{
    size_t scratch = check->plans[rank].scratch_bytes;

    if ((unsigned)piece->buffer > IRR_BUFFER_SCRATCH || (check->words > 0 && piece->length > 0 &&
                                                         piece->buffer != IRR_BUFFER_SCRATCH)) {
        return irr_check_fail(check, "rank %d step %zu: buffer %d is not allowed", rank, index, (int)piece->buffer);
    }
    if (!range_fits(piece->offset, piece->length)) {
        return irr_check_fail(check, "rank %d step %zu: piece of %zu bytes at %td is out of range", rank, index,
                              piece->length, piece->offset);
    }
    if (check->words > 0 && (piece->offset % WORD != 0 || piece->length % WORD != 0)) {
        return irr_check_fail(check, "rank %d step %zu: piece of %zu bytes at %td is no list of words", rank, index,
                              piece->length, piece->offset);
    }
    if (piece->buffer == IRR_BUFFER_SCRATCH &&
        (piece->offset < 0 || !slice_fits((size_t)piece->offset, piece->length, scratch))) {
        return irr_check_fail(check, "rank %d step %zu: piece of %zu bytes at %td is outside the scratch of %zu",
                              rank, index, piece->length, piece->offset, scratch);
    }
    return IRR_OK;
}

static bool is_signal(const irr_step_t *step)
{
    return step->kind == IRR_STEP_SIGNAL || step->kind == IRR_STEP_WAIT;
}

/* Checks that the pieces of a step are in range and have as many bytes as the step. */
static irr_status_t check_pieces(irr_check_t *check, int rank, size_t index)
{
    const irr_plan_t *plan = &check->plans[rank];
    const irr_step_t *step = &plan->steps[index];
    bool copy = irr_step_is_local(step->kind), signals = is_signal(step);
    size_t bytes = 0;

    if (!slice_fits(step->first_piece, step->pieces, plan->npieces) || step->pieces < 1 ||
        (copy && step->pieces != 2) || (signals && step->pieces != 1)) {
        return irr_check_fail(check, "rank %d step %zu: %u pieces from index %u on, the plan has %zu", rank, index,
                              step->pieces, step->first_piece, plan->npieces);
    }
    for (size_t i = 0; i < step->pieces; i++) {
        const irr_piece_t *piece = &plan->pieces[step->first_piece + i];
        irr_status_t status = check_piece(check, rank, index, piece);

        if (status != IRR_OK) {
            return status;
        }
        /* Both terms are at most IRR_SEGMENTS_LIMIT, so the sum cannot overflow. */
        bytes += copy && i == 1 ? 0 : piece->length;
        if (bytes > IRR_SEGMENTS_LIMIT) {
            return irr_check_fail(check, "rank %d step %zu: pieces are longer than any message", rank, index);
        }
    }
    if (bytes != step->bytes) {
        return irr_check_fail(check, "rank %d step %zu: pieces have %zu bytes, the step %zu", rank, index, bytes,
                              step->bytes);
    }
    if (signals && bytes > 0) {
        return irr_check_fail(check, "rank %d step %zu: a signal or a wait of %zu bytes", rank, index, bytes);
    }
    if (copy && plan->pieces[step->first_piece + 1].length < bytes) {
        return irr_check_fail(check, "rank %d step %zu: copies %zu bytes into %zu", rank, index, bytes,
                              plan->pieces[step->first_piece + 1].length);
    }
    if (step->kind == IRR_STEP_REDUCE && plan->pieces[step->first_piece + 1].length != bytes) {
        return irr_check_fail(check, "rank %d step %zu: reduces %zu bytes into %zu", rank, index, bytes,
                              plan->pieces[step->first_piece + 1].length);
    }
    return IRR_OK;
}

static irr_status_t check_deps(irr_check_t *check, int rank, size_t index)
{
    const irr_plan_t *plan = &check->plans[rank];
    const irr_step_t *step = &plan->steps[index];

    if (!slice_fits(step->first_dep, step->deps, plan->ndeps)) {
        return irr_check_fail(check, "rank %d step %zu: %u dependencies from index %u on, the plan has %zu", rank,
                              index, step->deps, step->first_dep, plan->ndeps);
    }
    for (size_t i = 0; i < step->deps; i++) {
        size_t dep = plan->deps[step->first_dep + i];

        if (dep >= index) {
            return irr_check_fail(check, "rank %d step %zu: depends on step %zu, which is not an earlier one",
                                  rank, index, dep);
        }
    }
    return IRR_OK;
}

static irr_status_t check_step(irr_check_t *check, int rank, size_t index)
{
    const irr_plan_t *plan = &check->plans[rank];
    const irr_step_t *step = &plan->steps[index];
    bool copy = irr_step_is_local(step->kind), signals = is_signal(step);
    irr_status_t status;

    if ((unsigned)step->kind > (check->words > 0 ? IRR_STEP_REDUCE : IRR_STEP_WAIT)) {
        return irr_check_fail(check, "rank %d step %zu: step kind %d is not allowed", rank, index, (int)step->kind);
    }
    if (step->peer < 0 || step->peer >= check->ranks || (copy && step->peer != rank) ||
        (signals && step->peer == rank)) {
        return irr_check_fail(check, "rank %d step %zu: peer %d is not allowed", rank, index, step->peer);
    }
    if (step->stage < 1 || step->stage > plan->stages) {
        return irr_check_fail(check, "rank %d step %zu: stage %d is not from 1 to %d", rank, index, step->stage,
                              plan->stages);
    }
    if (copy || signals ? step->number != 0 : step->number < 1) {
        return irr_check_fail(check, "rank %d step %zu: number %d is not allowed", rank, index, step->number);
    }
    status = check_pieces(check, rank, index);
    return status == IRR_OK ? check_deps(check, rank, index) : status;
}

static bool array_fits(const void *array, size_t count, size_t max)
{
    return count <= max && (array != NULL || count == 0);
}

static irr_status_t check_plan(irr_check_t *check, int rank)
{
    const irr_plan_t *plan = &check->plans[rank];
    irr_status_t status = IRR_OK;

    if (plan->ranks != check->ranks || plan->rank != rank) {
        return irr_check_fail(check, "plan of rank %d of %d is for rank %d of %d", rank, check->ranks, plan->rank,
                              plan->ranks);
    }
    if (!array_fits(plan->steps, plan->nsteps, plan->steps_max) ||
        !array_fits(plan->pieces, plan->npieces, plan->pieces_max) ||
        !array_fits(plan->deps, plan->ndeps, plan->deps_max)) {
        return irr_check_fail(check, "plan of rank %d has more steps, pieces or dependencies than room", rank);
    }
    if (plan->scratch_bytes > IRR_SEGMENTS_LIMIT || check->words > IRR_SEGMENTS_LIMIT / WORD) {
        return irr_check_fail(check, "plan of rank %d has a scratch of %zu bytes", rank, plan->scratch_bytes);
    }
    if (plan->scratch_bytes < check->rank[rank].scratch_bytes) {
        return irr_check_fail(check, "plan of rank %d has less scratch than earlier steps use", rank);
    }
    check->rank[rank].scratch_bytes = plan->scratch_bytes;
    for (size_t i = check->rank[rank].first; status == IRR_OK && i < plan->nsteps; i++) {
        status = check_step(check, rank, i);
    }
    return status;
}

irr_status_t irr_check_problems(irr_check_t *check)
{
    irr_status_t status = IRR_OK;

    for (int r = 0; status == IRR_OK && r < check->ranks; r++) {
        status = check_problem(check, r);
    }
    for (int r = 0; status == IRR_OK && r < check->ranks; r++) {
        status = check_agreement(check, r);
    }
    return status;
}

irr_status_t irr_check_shape(irr_check_t *check)
{
    irr_status_t status = IRR_OK;

    for (int r = 0; status == IRR_OK && r < check->ranks; r++) {
        status = check->rank[r].fresh ? check_plan(check, r) : IRR_OK;
    }
    return status;
}
