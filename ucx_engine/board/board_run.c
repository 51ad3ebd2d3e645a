/*
 * board_run.c - what a rank reads of others' boards, and how it sleeps until there is something; see board.h.
 */
#include "board/board.h"

#include "core/alloc.h"

#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- to read ---- */

static void keep(irr_board_t *board, irr_status_t status)
{
    if (board->status == IRR_OK) {
        board->status = status;
    }
}

void irr_board_scatter(irr_board_t *board, const irr_board_message_t *message, const unsigned char *bytes,
                       size_t length)
{
    const irr_block_t *block = board->problem->recv.list + message->first;

    board->bytes += length;
    for (; length > 0; block++) {
        const size_t part = length < block->length ? length : block->length;

        memcpy(irr_board_address(board->buffers.output, block->offset), bytes, part);
        bytes += part;
        length -= part;
    }
}

/* Do both ranks exchange in place?  Then what is lent is swapped for what the other one has. */
static bool is_swapped(const irr_board_t *board, const irr_board_cell_t *cell)
{
    return board->buffers.in_place && cell->in_place != 0;
}

/* What this rank has written for a member. */
static irr_board_cell_t *own_cell(const irr_board_t *board, int member)
{
    return &irr_board_own_cells(board, (int)(board->number & 1))[member];
}

static bool has_lent(const irr_board_t *board, int member)
{
    return own_cell(board, member)->kind == IRR_BOARD_LENT;
}

/* Of two ranks that have lent each swaps one half; else one of them swaps all. */
static void swap_lent(irr_board_t *board, int member, const irr_board_cell_t *cell, irr_blocks_t blocks, size_t length)
{
    unsigned char few[4096];   /* where there is no memory */
    const bool shares = has_lent(board, member), second = !shares || board->me > member;
    const size_t half = shares ? length / 2 : 0;
    const bool have = irr_renew(&board->scratch, &board->scratch_max, IRR_LEND_SCRATCH) == IRR_OK;
    const irr_lend_part_t part = {
        .skip = second ? half : 0, .bytes = second ? length - half : half,
        .scratch = have ? board->scratch : few, .scratch_bytes = have ? board->scratch_max : sizeof(few) };
    const irr_status_t status =
        irr_lend_swap(board->members[member].process, cell->lent, blocks, board->buffers.output, &part);

    keep(board, status);
    own_cell(board, member)->failed = status != IRR_OK;
    board->bytes_lent += 2 * part.bytes;
}

/* So many bytes, no more than are awaited. */
static void read_lent(irr_board_t *board, int member, const irr_board_cell_t *cell, size_t length)
{
    const irr_board_message_t *message = &board->sides.received[member];
    const irr_blocks_t to = { board->problem->recv.list + message->first, message->count };

    if (is_swapped(board, cell)) {
        swap_lent(board, member, cell, to, length);
        return;
    }
    keep(board, irr_lend_take(board->members[member].process, cell->lent, to, board->buffers.output, length));
    board->bytes_lent += length;
}

/* The cell is that of this exchange.  What it says is read once, and then checked. */
static void read_cell(irr_board_t *board, int member, const irr_board_cell_t *cell)
{
    const irr_view_t *view = board->members[member].view;
    const irr_board_message_t *message = &board->sides.received[member];
    const uint64_t length = cell->length;
    const unsigned char *bytes = cell->bytes;
    const uint32_t kind = cell->kind;
    uint64_t offset;

    switch (kind) {
    case IRR_BOARD_DIRECT:
        board->in[board->nin++] = member;
        return;
    case IRR_BOARD_LENT:
        board->borrows = true;
        break;
    case IRR_BOARD_LACKING:
        keep(board, IRR_ERR_PEER);
        return;
    case IRR_BOARD_INSIDE:
        if (length > IRR_BOARD_INSIDE_MAX) {
            keep(board, IRR_ERR_PROTOCOL);
            return;
        }
        break;
    case IRR_BOARD_BESIDE:
        offset = cell->offset;
        if (offset > view->length || length > view->length - offset) {
            keep(board, IRR_ERR_PROTOCOL);
            return;
        }
        bytes = view->bytes + offset;
        break;
    default:
        keep(board, IRR_ERR_PROTOCOL);
        return;
    }
    if (length > message->bytes) {
        keep(board, IRR_ERR_TRUNCATE);
    }
    if ((board->buffers.lacks & IRR_LACKS_OUTPUT) != 0) {
        return;
    }
    if (kind == IRR_BOARD_LENT) {
        read_lent(board, member, cell, length < message->bytes ? length : message->bytes);
    } else if (!is_swapped(board, cell) || !has_lent(board, member)) {   /* else that member swaps what both have */
        irr_board_scatter(board, message, bytes, length < message->bytes ? length : message->bytes);
    }
}

/* What says that a member has written what this rank waits for. */
static const _Atomic uint32_t *number_of(const irr_board_t *board, int member)
{
    const irr_board_member_t *other = &board->members[member];
    const int half = (int)(board->number & 1);

    return &other->cells[half]->number;
}

static void look_at_borrowers(irr_board_t *board)
{
    int left = 0;

    for (int i = 0; i < board->nlent; i++) {
        const int member = board->lent[i];

        if (!irr_board_has_read(board, member, board->number)) {
            board->lent[left++] = member;
            continue;
        }
        board->news++;
        if (board->buffers.in_place && board->members[member].cells[board->number & 1]->failed) {
            keep(board, IRR_ERR_PEER);
        }
    }
    board->nlent = left;
}

irr_status_t irr_board_progress(irr_board_t *board)
{
    int left = 0;

    irr_board_write(board);
    if (board->buffers.in_place && (board->left & IRR_BOARD_WRITE) != 0) {
        return IRR_IN_PROGRESS;   /* what is read would overwrite it */
    }
    for (int i = 0; i < board->npending; i++) {
        const int member = board->pending[i];

        if (atomic_load_explicit(number_of(board, member), memory_order_acquire) == board->number) {
            read_cell(board, member, board->members[member].cells[board->number & 1]);
            irr_board_heard(board, member);
            board->news++;
        } else {
            board->pending[left++] = member;
        }
    }
    board->npending = left;
    if (left == 0 && (board->left & IRR_BOARD_READ) != 0) {
        irr_board_tell_read(board);
    }
    look_at_borrowers(board);
    if ((board->left & IRR_BOARD_WAKE) != 0) {
        irr_board_wake_members(board);
    }
    return irr_board_waits(board) ? IRR_IN_PROGRESS : board->status;
}

/* ---- to sleep ---- */

/* The numbers that this rank waits for now, and what they are to be. */
static int count_awaited(const irr_board_t *board)
{
    if ((board->left & IRR_BOARD_WRITE) != 0) {
        return 1;
    }
    return board->npending > 0 ? board->npending : board->nlent;
}

/* First who reads the half that is to be written, then cells, then all others. */
static const _Atomic uint32_t *awaited(const irr_board_t *board, int i, uint32_t *wanted)
{
    const int half = (int)(board->number & 1);

    *wanted = board->number;
    if ((board->left & IRR_BOARD_WRITE) != 0) {
        *wanted = board->number - 2;
        return &board->members[board->readers[half][board->nreaders[half] - 1]].head->read;
    }
    if (board->npending > 0) {
        return number_of(board, board->pending[i]);
    }
    return &board->members[board->lent[i]].head->read;
}

/* Is the i-th there?  *seen: what it is now. */
static bool is_there(const irr_board_t *board, int i, const _Atomic uint32_t **number_p, uint32_t *seen)
{
    uint32_t wanted;

    *number_p = awaited(board, i, &wanted);
    *seen = atomic_load_explicit(*number_p, memory_order_relaxed);
    return irr_board_is_past(*seen, wanted);
}

/* Who raises a number after this sees that somebody sleeps; what was raised before is seen here. */
bool irr_board_lie_down(irr_board_t *board, irr_board_bed_t *bed)
{
    const _Atomic uint32_t *first, *number;
    uint32_t seen, other;

    if (count_awaited(board) == 0 || is_there(board, 0, &first, &seen)) {
        return false;
    }
    atomic_store_explicit(&irr_board_own_head(board)->asleep, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    for (int i = 0; i < count_awaited(board); i++) {
        if (is_there(board, i, &number, &other)) {
            irr_board_get_up(board);
            return false;
        }
    }
    *bed = (irr_board_bed_t){ .word = first, .seen = seen };
    return true;
}

bool irr_board_sleep(const irr_board_bed_t *bed, unsigned timeout_us)
{
    const struct timespec timeout = { .tv_sec = timeout_us / 1000000, .tv_nsec = timeout_us % 1000000 * 1000L };

    return syscall(SYS_futex, bed->word, FUTEX_WAIT, bed->seen, &timeout, NULL, 0) == 0 || errno != ETIMEDOUT;
}

void irr_board_get_up(irr_board_t *board)
{
    atomic_store_explicit(&irr_board_own_head(board)->asleep, 0, memory_order_relaxed);
}

void irr_board_end(irr_board_t *board)
{
    if (atomic_load_explicit(&irr_board_own_head(board)->asleep, memory_order_relaxed) != 0) {
        irr_board_get_up(board);   /* another thread lay down; others read this word, so it is not written in vain */
    }
    atomic_store_explicit(irr_board_told(board->segment, board->id), board->number, memory_order_release);
}

void irr_board_give_up(irr_board_t *board)
{
    board->given_up = true;
    atomic_store_explicit(&irr_board_own_head(board)->given_up, 1, memory_order_release);
}

bool irr_board_is_given_up(const irr_board_t *board)
{
    for (int i = 0; i < board->count; i++) {
        const irr_board_head_t *head = board->members[i].head;

        if (head != NULL && atomic_load_explicit(&head->given_up, memory_order_acquire) != 0) {
            return true;
        }
    }
    return false;
}
