/*
 * board.c - life, and what a rank writes on its own board; see board.h.
 */
#include "board/board.h"

#include "core/alloc.h"
#include "problem/blocks.h"

#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

_Static_assert(sizeof(irr_board_cell_t) == IRR_BOARD_CELL && sizeof(irr_board_head_t) == IRR_BOARD_HEAD,
               "cells of different ranks share no line");

/* ---- life ---- */

static size_t place_bytes(const irr_board_t *board)
{
    return IRR_BOARD_HEAD + 2 * (size_t)board->count * IRR_BOARD_CELL;
}

/* Others come in another order on each rank, so that not all look at the same one at a time. */
static irr_status_t allocate(irr_board_t *board)
{
    const size_t count = (size_t)board->count;
    int *to = NULL, *from = NULL;
    const irr_array_t arrays[] = {
        IRR_ARRAY(board->members, count), IRR_ARRAY(board->done, count), IRR_ARRAY(board->pending, count),
        IRR_ARRAY(board->out, count), IRR_ARRAY(board->in, count), IRR_ARRAY(board->lent, count),
        IRR_ARRAY(board->readers[0], count), IRR_ARRAY(board->readers[1], count), IRR_ARRAY(to, count),
        IRR_ARRAY(from, count)
    };

    if (IRR_ALLOC_ARRAYS(arrays) != IRR_OK) {
        return IRR_ERR_NO_MEMORY;
    }
    for (int k = 1; k < board->count; k++) {
        to[k - 1] = (board->me + k) % board->count;
        from[k - 1] = (board->me + board->count - k) % board->count;
    }
    board->all = (irr_board_partners_t){ .to = to, .from = from, .nto = board->count - 1, .nfrom = board->count - 1 };
    return IRR_OK;
}

/* All that others wait for is as old as the board, and not as new as a number that is yet to come. */
static void count_from(irr_board_t *board, uint32_t number)
{
    irr_board_head_t *head = irr_board_own_head(board);

    board->number = number;
    atomic_store_explicit(&head->read, number, memory_order_relaxed);
    for (int half = 0; half < 2; half++) {
        for (int i = 0; i < board->count; i++) {
            atomic_store_explicit(&irr_board_own_cells(board, half)[i].number, number, memory_order_relaxed);
        }
    }
}

irr_status_t irr_board_init(irr_board_t *board, irr_segment_t *segment, uint32_t id, int count, int me,
                            irr_board_card_t *card)
{
    irr_status_t status;

    *board = (irr_board_t){ .segment = segment, .id = id, .count = count, .me = me };
    status = allocate(board);
    if (status == IRR_OK) {
        status = irr_segment_back(segment, (size_t)id * sizeof(uint32_t), sizeof(uint32_t));
    }
    if (status == IRR_OK) {
        status = irr_segment_take(segment, place_bytes(board), &board->place);
    }
    if (status != IRR_OK) {
        irr_free(board->members);
        memset(board, 0, sizeof(*board));
        return status;
    }
    memset(irr_board_own_head(board), 0, place_bytes(board));
    *card = (irr_board_card_t){
        .segment = segment->card, .place = board->place,
        .number = atomic_load_explicit(irr_board_told(segment, id), memory_order_relaxed)
    };
    return IRR_OK;
}

irr_status_t irr_board_join(irr_board_t *board, int member, int rank, const irr_view_t *view,
                            const irr_board_card_t *card)
{
    const size_t bytes = place_bytes(board);
    const irr_board_head_t *head;
    const irr_board_cell_t *cells;

    if (view->length < IRR_BOARD_TABLE || card->place % IRR_BOARD_CELL != 0 || card->place > view->length ||
        bytes > view->length - card->place || card->number > UINT32_MAX) {
        return IRR_ERR_PROTOCOL;
    }
    head = (const irr_board_head_t *)(view->bytes + card->place);
    cells = (const irr_board_cell_t *)(head + 1) + board->me;
    board->members[member] = (irr_board_member_t){
        .rank = rank, .process = card->segment.process, .view = view, .head = head,
        .cells = { cells, cells + board->count } };
    if ((uint32_t)card->number > board->number) {
        count_from(board, (uint32_t)card->number);
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
        irr_free(board->members);
    }
    irr_free(board->scratch);
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

/* In place to swap is three copies; and to read short blocks from another's memory takes longer than to copy them. */
static size_t message_max(const irr_board_t *board, const irr_board_message_t *message)
{
    const bool is_short = message->count > 1 && message->bytes / message->count < IRR_LEND_BLOCK_MIN;

    return board->buffers.in_place || is_short ? board->short_max : board->block_max;
}

size_t irr_board_copies(const irr_board_t *board)
{
    const size_t share = irr_board_room(board->bytes_max) / (size_t)board->count & ~(size_t)63;

    return board->short_max < share ? board->short_max : share;
}

/* What goes beside the cells, if there were room for all of it. */
static size_t wanted_beside(const irr_board_t *board)
{
    const size_t most = irr_board_room(board->bytes_max);
    size_t bytes = 0;

    for (int i = 0; i < board->count; i++) {
        const size_t length = board->sides.sent[i].bytes;

        if (i != board->me && length > IRR_BOARD_INSIDE_MAX && length <= message_max(board, &board->sides.sent[i])) {
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
        kind = irr_board_kind(message->bytes, message_max(board, message), board->lends, left);
    }
    if (kind == IRR_BOARD_DIRECT) {
        board->out[board->nout++] = member;
    } else if (kind == IRR_BOARD_LENT) {
        board->lent[board->nlent++] = member;
        cell->lent = irr_lent_of((irr_blocks_t){ blocks, message->count }, board->buffers.input);
    } else if (kind != IRR_BOARD_LACKING) {
        irr_board_gather(blocks, message->count, board->buffers.input,
                         kind == IRR_BOARD_INSIDE ? cell->bytes : board->segment->bytes + offset);
        board->bytes += message->bytes;
    }
    cell->length = message->bytes;
    cell->kind = (uint16_t)kind;
    cell->in_place = board->buffers.in_place;
    cell->failed = false;
    if (kind == IRR_BOARD_BESIDE) {
        cell->offset = offset;
    }
}

void irr_board_write_cells(irr_board_t *board)
{
    const int half = (int)(board->number & 1);
    irr_board_cell_t *cells = irr_board_own_cells(board, half);
    size_t left;

    make_room(board, half);
    left = board->beside_max[half];
    for (int k = 0; k < board->partners.nto; k++) {
        const int to = board->partners.to[k];

        write_cell(board, to, &cells[to], &left);
        atomic_store_explicit(&cells[to].number, board->number, memory_order_release);
    }
    irr_board_wrote(board);
    board->left |= IRR_BOARD_WAKE;
}

void irr_board_start(irr_board_t *board, const irr_problem_t *problem, const irr_board_partners_t *partners,
                     irr_board_sides_t sides, irr_board_buffers_t buffers)
{
    board->problem = problem;
    board->sides = sides;
    board->buffers = buffers;
    board->bytes = board->bytes_lent = 0;
    board->borrows = false;
    board->nout = board->nin = board->nlent = 0;
    irr_board_begin(board, partners, true);
}

/* Who falls asleep now sees the cells; who slept before is seen. */
void irr_board_wake_members(irr_board_t *board)
{
    const irr_board_cell_t *cells = irr_board_own_cells(board, (int)(board->number & 1));
    const irr_board_partners_t *partners = &board->partners;

    board->left &= ~(unsigned)IRR_BOARD_WAKE;
    atomic_thread_fence(memory_order_seq_cst);
    for (int k = 0; k < partners->nto; k++) {
        const int to = partners->to[k];

        if (atomic_load_explicit(&board->members[to].head->asleep, memory_order_relaxed) != 0) {
            (void)syscall(SYS_futex, &cells[to].number, FUTEX_WAKE, 1, NULL, NULL, 0);
        }
    }
}
