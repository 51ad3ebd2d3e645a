/*
 * slate.c - see slate.h.
 */
#include "board/slate.h"

#include <assert.h>
#include <string.h>

static irr_board_slate_t *own_slate(const irr_board_t *board)
{
    const irr_board_member_t *me = &board->members[board->me];
    const irr_board_slate_t *slate = me->slates[board->number & 1];

    return (irr_board_slate_t *)(board->segment->bytes + ((const unsigned char *)slate - me->view->bytes));
}

static void write_slate(irr_board_t *board, size_t count)
{
    irr_board_slate_t *slate = own_slate(board);

    slate->count = (uint32_t)count;
    memcpy(slate->words, board->words, count * sizeof(*slate->words));
    atomic_store_explicit(&slate->number, board->number, memory_order_release);
    irr_board_wake(board, &slate->number);
}

void irr_slate_start(irr_board_t *board, int speaker, uint64_t *words, size_t count)
{
    assert(board->npending == 0 && board->nlate == 0 && count > 0 && count <= IRR_SLATE_WORDS_MAX);
    board->number++;
    board->words = words;
    board->nwords = count;
    board->status = IRR_OK;
    for (int k = 1; k < board->count; k++) {
        const int from = (board->me + board->count - k) % board->count;

        if (speaker == IRR_SLATE_ALL || speaker == board->me || speaker == from) {
            board->pending[board->npending++] = from;
        }
    }
    if (speaker != board->me) {
        write_slate(board, count);
    }
}

void irr_slate_tell(irr_board_t *board, bool failed)
{
    write_slate(board, failed ? 0 : board->nwords);
}

irr_status_t irr_board_read_slate(irr_board_t *board, int member)
{
    const irr_board_slate_t *slate = board->members[member].slates[board->number & 1];
    const uint32_t count = slate->count;

    if (count != board->nwords) {
        return count == 0 ? IRR_ERR_PEER : IRR_ERR_PROTOCOL;
    }
    for (size_t i = 0; i < board->nwords; i++) {
        const uint64_t word = slate->words[i];

        board->words[i] = word > board->words[i] ? word : board->words[i];
    }
    return IRR_OK;
}
