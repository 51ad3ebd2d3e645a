/*
 * board.c - see board.h.
 */
#include "board/board.h"

#include "core/alloc.h"
#include "problem/blocks.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define HEAD_BYTES   128
#define CELL_BYTES   128   /* two lines, of which the second is fetched with the first */

/* In front of the cells. */
struct irr_board_head {
    _Atomic uint32_t asleep;
    unsigned char    rest[HEAD_BYTES - sizeof(uint32_t)];
};

struct irr_board_cell {
    _Atomic uint32_t number;   /* of the exchange that it is for: the last thing that is written */
    uint32_t         kind;     /* an irr_board_kind_t */
    uint64_t         length;
    union {
        unsigned char bytes[IRR_BOARD_INSIDE_MAX];
        uint64_t      offset;
    };
};

_Static_assert(sizeof(irr_board_cell_t) == CELL_BYTES && sizeof(irr_board_head_t) == HEAD_BYTES &&
               2 * sizeof(irr_board_slate_t) % CELL_BYTES == 0, "cells of different ranks share no line");

/* ---- life ---- */

static size_t place_bytes(const irr_board_t *board)
{
    return HEAD_BYTES + 2 * sizeof(irr_board_slate_t) + (board->has_cells ? 2 * (size_t)board->count * CELL_BYTES : 0);
}

static irr_board_head_t *own_head(const irr_board_t *board)
{
    return (irr_board_head_t *)(board->segment->bytes + board->place);
}

/* For all members, in one half. */
static irr_board_cell_t *own_cells(const irr_board_t *board, int half)
{
    return (irr_board_cell_t *)((irr_board_slate_t *)(own_head(board) + 1) + 2) + half * board->count;
}

static _Atomic uint32_t *told(const irr_segment_t *segment, uint32_t id)
{
    return (_Atomic uint32_t *)(segment->bytes + (size_t)id * sizeof(uint32_t));
}

static irr_status_t allocate(irr_board_t *board)
{
    const size_t count = (size_t)board->count;

    board->members = irr_alloc_zero(count, sizeof(*board->members));
    board->pending = irr_alloc(count, sizeof(*board->pending));
    board->out = irr_alloc(count, sizeof(*board->out));
    board->in = irr_alloc(count, sizeof(*board->in));
    return board->members != NULL && board->pending != NULL && board->out != NULL && board->in != NULL
               ? IRR_OK : IRR_ERR_NO_MEMORY;
}

static void free_lists(irr_board_t *board)
{
    irr_free(board->in);
    irr_free(board->out);
    irr_free(board->pending);
    irr_free(board->members);
}

irr_status_t irr_board_init(irr_board_t *board, irr_segment_t *segment, uint32_t id, int count, int me, bool has_cells,
                            irr_board_card_t *card)
{
    irr_status_t status;

    *board = (irr_board_t){ .segment = segment, .id = id, .count = count, .me = me, .has_cells = has_cells };
    status = allocate(board);
    if (status == IRR_OK) {
        status = irr_segment_back(segment, (size_t)id * sizeof(uint32_t), sizeof(uint32_t));
    }
    if (status == IRR_OK) {
        status = irr_segment_take(segment, place_bytes(board), &board->place);
    }
    if (status != IRR_OK) {
        free_lists(board);
        memset(board, 0, sizeof(*board));
        return status;
    }
    memset(own_head(board), 0, place_bytes(board));
    *card = (irr_board_card_t){
        .segment = segment->card, .place = board->place,
        .number = atomic_load_explicit(told(segment, id), memory_order_relaxed)
    };
    return IRR_OK;
}

irr_status_t irr_board_join(irr_board_t *board, int member, int rank, const irr_view_t *view,
                            const irr_board_card_t *card)
{
    const size_t bytes = place_bytes(board);
    const irr_board_head_t *head;
    const irr_board_slate_t *slates;
    const irr_board_cell_t *cells;

    if (view->length < IRR_BOARD_TABLE || card->place % CELL_BYTES != 0 || card->place > view->length ||
        bytes > view->length - card->place || card->number > UINT32_MAX) {
        return IRR_ERR_PROTOCOL;
    }
    head = (const irr_board_head_t *)(view->bytes + card->place);
    slates = (const irr_board_slate_t *)(head + 1);
    board->members[member] = (irr_board_member_t){
        .rank = rank, .view = view, .head = head, .slates = { slates, slates + 1 } };
    if (board->has_cells) {
        cells = (const irr_board_cell_t *)(slates + 2);
        board->members[member].cells[0] = cells + board->me;
        board->members[member].cells[1] = cells + board->count + board->me;
    }
    if ((uint32_t)card->number > board->number) {
        board->number = (uint32_t)card->number;
    }
    return IRR_OK;
}

void irr_board_fini(irr_board_t *board)
{
    for (int half = 0; half < 2; half++) {
        if (board->beside_max[half] > 0) {
            irr_segment_give(board->segment, board->beside[half], board->beside_max[half]);
        }
    }
    if (board->segment != NULL) {
        irr_segment_give(board->segment, board->place, place_bytes(board));
        free_lists(board);
    }
    memset(board, 0, sizeof(*board));
}

bool irr_board_is_read(const irr_board_t *board, int member)
{
    const irr_view_t *view = board->members[member].view;
    _Atomic uint32_t *number = (_Atomic uint32_t *)(view->bytes + (size_t)board->id * sizeof(uint32_t));

    return (int32_t)(atomic_load_explicit(number, memory_order_acquire) - board->number) >= 0;
}

/* ---- sides ---- */

static void side_of(const irr_board_t *board, irr_blocks_t blocks, irr_board_message_t *side)
{
    size_t at = 0;

    for (int i = 0; i < board->count; i++) {
        irr_board_message_t *message = &side[i];

        while (at < blocks.count && blocks.list[at].rank < board->members[i].rank) {
            at++;
        }
        *message = (irr_board_message_t){ .first = at };
        for (; at < blocks.count && blocks.list[at].rank == board->members[i].rank; at++) {
            message->count++;
            message->bytes += blocks.list[at].length;
        }
    }
}

void irr_board_sides_of(const irr_board_t *board, const irr_problem_t *problem, irr_board_sides_t sides)
{
    side_of(board, problem->send, sides.sent);
    side_of(board, problem->recv, sides.received);
}

/* ---- to write ---- */

void irr_board_gather(const irr_block_t *blocks, size_t count, const void *input, unsigned char *bytes)
{
    for (size_t i = 0; i < count; i++) {
        memcpy(bytes, irr_board_address(input, blocks[i].offset), blocks[i].length);
        bytes += blocks[i].length;
    }
}

/* What goes beside the cells, if there were room for all of it. */
static size_t wanted_beside(const irr_board_t *board)
{
    const size_t most = irr_board_room(board->bytes_max);
    size_t bytes = 0;

    for (int i = 0; i < board->count; i++) {
        const size_t length = board->sides.sent[i].bytes;

        if (i != board->me && length > IRR_BOARD_INSIDE_MAX && length <= board->block_max) {
            bytes += irr_board_line_up(length);
        }
    }
    return bytes < most ? bytes : most;
}

/* The half is read by nobody now, so its memory may become another one.  Without more memory, what there was stays. */
static void make_room(irr_board_t *board, int half)
{
    const size_t wanted = wanted_beside(board);
    size_t place;

    if (wanted <= board->beside_max[half] || irr_segment_take(board->segment, wanted, &place) != IRR_OK) {
        return;
    }
    if (board->beside_max[half] > 0) {
        irr_segment_give(board->segment, board->beside[half], board->beside_max[half]);
    }
    board->beside[half] = place;
    board->beside_max[half] = wanted;
}

/* All but the number, which says that the rest is there. */
static void write_cell(irr_board_t *board, int member, irr_board_cell_t *cell, size_t *left)
{
    const irr_board_message_t *message = &board->sides.sent[member];
    const irr_block_t *blocks = board->problem->send.list + message->first;
    const int half = (int)(board->number & 1);
    const uint64_t offset = board->beside[half] + (board->beside_max[half] - *left);
    irr_board_kind_t kind = IRR_BOARD_LACKING;

    if ((board->buffers.lacks & IRR_LACKS_INPUT) == 0 || message->bytes == 0) {
        kind = irr_board_kind(message->bytes, board->block_max, left);
    }
    if (kind == IRR_BOARD_DIRECT) {
        board->out[board->nout++] = member;
    } else if (kind != IRR_BOARD_LACKING) {
        irr_board_gather(blocks, message->count, board->buffers.input,
                         kind == IRR_BOARD_INSIDE ? cell->bytes : board->segment->bytes + offset);
        board->bytes += message->bytes;
    }
    cell->length = message->bytes;
    cell->kind = kind;
    if (kind == IRR_BOARD_BESIDE) {
        cell->offset = offset;
    }
}

void irr_board_start(irr_board_t *board, const irr_problem_t *problem, irr_board_sides_t sides,
                     irr_board_buffers_t buffers)
{
    const int half = (int)(++board->number & 1);
    irr_board_cell_t *cells = own_cells(board, half);
    size_t left;

    board->words = NULL;
    board->problem = problem;
    board->sides = sides;
    board->buffers = buffers;
    board->status = IRR_OK;
    board->bytes = 0;
    board->npending = board->nout = board->nin = 0;
    make_room(board, half);
    left = board->beside_max[half];
    for (int k = 1; k < board->count; k++) {
        const int to = (board->me + k) % board->count, from = (board->me + board->count - k) % board->count;

        write_cell(board, to, &cells[to], &left);
        atomic_store_explicit(&cells[to].number, board->number, memory_order_release);
        board->pending[board->npending++] = from;
    }
}

/* Who falls asleep now sees the cells; who slept before is seen. */
void irr_board_wake_members(const irr_board_t *board)
{
    const irr_board_cell_t *cells = own_cells(board, (int)(board->number & 1));

    atomic_thread_fence(memory_order_seq_cst);
    for (int i = 0; i < board->count; i++) {
        if (i != board->me && atomic_load_explicit(&board->members[i].head->asleep, memory_order_relaxed) != 0) {
            (void)syscall(SYS_futex, &cells[i].number, FUTEX_WAKE, 1, NULL, NULL, 0);
        }
    }
}

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

/* The cell is that of this exchange.  What it says is read once, and then checked. */
static void read_cell(irr_board_t *board, int member, const irr_board_cell_t *cell)
{
    const irr_view_t *view = board->members[member].view;
    const irr_board_message_t *message = &board->sides.received[member];
    const uint64_t length = cell->length;
    const unsigned char *bytes = cell->bytes;
    uint64_t offset;

    switch (cell->kind) {
    case IRR_BOARD_DIRECT:
        board->in[board->nin++] = member;
        return;
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
    if ((board->buffers.lacks & IRR_LACKS_OUTPUT) == 0) {
        irr_board_scatter(board, message, bytes, length < message->bytes ? length : message->bytes);
    }
}

/* What says that a member has written what this rank waits for. */
static const _Atomic uint32_t *number_of(const irr_board_t *board, int member)
{
    const irr_board_member_t *other = &board->members[member];
    const int half = (int)(board->number & 1);

    return board->words != NULL ? &other->slates[half]->number : &other->cells[half]->number;
}

static void read_member(irr_board_t *board, int member)
{
    if (board->words != NULL) {
        keep(board, irr_board_read_slate(board, member));
    } else {
        read_cell(board, member, board->members[member].cells[board->number & 1]);
    }
}

irr_status_t irr_board_progress(irr_board_t *board)
{
    int left = 0;

    for (int i = 0; i < board->npending; i++) {
        const int member = board->pending[i];

        if (atomic_load_explicit(number_of(board, member), memory_order_acquire) == board->number) {
            read_member(board, member);
            board->news++;
        } else {
            board->pending[left++] = member;
        }
    }
    board->npending = left;
    return left > 0 ? IRR_IN_PROGRESS : board->status;
}

void irr_board_wake(const irr_board_t *board, const _Atomic uint32_t *number)
{
    bool asleep = false;

    atomic_thread_fence(memory_order_seq_cst);
    for (int i = 0; i < board->count; i++) {
        asleep = asleep || atomic_load_explicit(&board->members[i].head->asleep, memory_order_relaxed) != 0;
    }
    if (asleep) {
        (void)syscall(SYS_futex, number, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    }
}

/* The i-th of the numbers that this rank waits for: first those of members. */
static const _Atomic uint32_t *awaited(const irr_board_t *board, int i)
{
    if (board->npending > 0) {
        return number_of(board, board->pending[i]);
    }
    return board->late[i];
}

/* Who raises a number after this sees that somebody sleeps; what was raised before is seen here. */
bool irr_board_lie_down(irr_board_t *board, irr_board_bed_t *bed)
{
    const _Atomic uint32_t *first = awaited(board, 0);
    const int count = board->npending > 0 ? board->npending : board->nlate;
    const uint32_t seen = atomic_load_explicit(first, memory_order_relaxed);

    if (seen == board->number) {
        return false;
    }
    atomic_store_explicit(&own_head(board)->asleep, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    for (int i = 0; i < count; i++) {
        if (atomic_load_explicit(awaited(board, i), memory_order_relaxed) == board->number) {
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
    atomic_store_explicit(&own_head(board)->asleep, 0, memory_order_relaxed);
}

void irr_board_end(irr_board_t *board)
{
    if (atomic_load_explicit(&own_head(board)->asleep, memory_order_relaxed) != 0) {
        irr_board_get_up(board);   /* another thread lay down; others read this word, so it is not written in vain */
    }
    atomic_store_explicit(told(board->segment, board->id), board->number, memory_order_release);
}
