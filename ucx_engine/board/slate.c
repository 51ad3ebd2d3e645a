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

void irr_board_write_slate(irr_board_t *board, size_t count)
{
    irr_board_slate_t *slate = own_slate(board);

    slate->count = (uint32_t)count;
    memcpy(slate->words, board->words, count * sizeof(*slate->words));
    atomic_store_explicit(&slate->number, board->number, memory_order_release);
    irr_board_wrote(board);
    irr_board_wake(board, &slate->number);
}

/* Who speaks reads all, and writes for all when it tells them. */
void irr_slate_start(irr_board_t *board, int speaker, uint64_t *words, size_t count)
{
    irr_board_partners_t partners = board->all;

    assert(!irr_board_waits(board) && count > 0 && count <= IRR_SLATE_WORDS_MAX);
    board->words = words;
    board->nwords = count;
    board->speaker = speaker;
    if (speaker != IRR_SLATE_ALL && speaker != board->me) {
        partners = (irr_board_partners_t){ .to = &board->speaker, .from = &board->speaker, .nto = 1, .nfrom = 1 };
    }
    irr_board_begin(board, &partners, speaker != board->me);
}

/* All have begun this agreement, so the half is free. */
void irr_slate_tell(irr_board_t *board, bool failed)
{
    irr_board_write_slate(board, failed ? 0 : board->nwords);
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
