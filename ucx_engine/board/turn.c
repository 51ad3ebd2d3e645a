/*
 * turn.c - when a rank may write a half of its board again, and how others learn it; see board.h.
 *
 * Who begins exchange n writes the half of exchange n - 2.  Its partners of then must be done with that: each has read
 * all its cells of it, or was no reader of anything.  A rank knows that of a partner in one of two ways.
 *
 *   - It has read a cell n - 1 of that one, who wrote it after it had read all of n - 2, as it ends each exchange
 *     before it begins the next.  The number of the cell is stored with release and loaded with acquire, so what that
 *     one read of n - 2 comes before what is written now.  Among all ranks, and where neighbours write for each other,
 *     this is always so, and nothing is waited for.
 *   - It sees that `read` of that one is n - 2 or more, which is stored with release behind all reading of n - 2.  This
 *     is what is left where ranks write for others that do not write for them: a rank that sends on a ring, and hears
 *     only from behind, may be two exchanges ahead of its readers, and no more.
 *
 * What was written into the half before n - 2 needs no look: before n - 2 was written, its readers had read it.  So one
 * list a half is enough, and whoever is found to be done leaves it.  Cells and memory beside them go by that list.
 *
 * A partner that this rank does not hear from may be ahead of it by any number of exchanges, in which it has no cell of
 * this rank to read; so `read` is compared by its distance, which no two ranks have of 2^31.  A cell that is not
 * written for 2^32 exchanges would be taken for a new one.
 *
 * Who waits for `read` may sleep on it.  Among all ranks nobody waits for it unless something is lent, so nobody looks
 * for sleepers then, as a look costs a barrier of memory.  In an exchange of neighbours each looks at those who write
 * for it, and at all members if there was something before that it did not look for.  Only where an exchange of
 * neighbours follows one of all, and a rank is already in the one behind, can it sleep until its reader begins that
 * exchange; who sleeps does so for a bounded time.
 *
 * Cost: nothing where partners write for each other; else a miss of the cache a partner.
 */
#include "board/board.h"

#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- partners ---- */

/* Both lists are sorted by rank. */
static int members_of(const irr_board_t *board, const int *ranks, size_t count, int *members)
{
    size_t at = 0;
    int found = 0;

    for (int i = 0; i < board->count; i++) {
        while (at < count && ranks[at] < board->members[i].rank) {
            at++;
        }
        if (at < count && ranks[at] == board->members[i].rank && i != board->me) {
            members[found++] = i;
        }
    }
    return found;
}

irr_board_partners_t irr_board_partners_of(const irr_board_t *board, const irr_problem_t *problem, int *to, int *from)
{
    const irr_neighbors_t *neighbors = problem->neighbors;

    if (neighbors == NULL) {
        return board->all;
    }
    return (irr_board_partners_t){
        .to = to, .nto = members_of(board, neighbors->to, neighbors->nto, to),
        .from = from, .nfrom = members_of(board, neighbors->from, neighbors->nfrom, from), .sparse = true };
}

/* ---- turns ---- */

bool irr_board_has_read(irr_board_t *board, int member, uint32_t number)
{
    uint32_t *done = &board->done[member];

    if (!irr_board_is_past(*done, number)) {
        *done = atomic_load_explicit(&board->members[member].head->read, memory_order_acquire);
    }
    return irr_board_is_past(*done, number);
}

/* Readers that are done leave the list. */
static bool may_write(irr_board_t *board)
{
    const int half = (int)(board->number & 1);
    int *count = &board->nreaders[half];

    while (*count > 0 && irr_board_has_read(board, board->readers[half][*count - 1], board->number - 2)) {
        (*count)--;
    }
    return *count == 0;
}

void irr_board_write(irr_board_t *board)
{
    if ((board->left & IRR_BOARD_WRITE) == 0 || !may_write(board)) {
        return;
    }
    board->left &= ~(unsigned)IRR_BOARD_WRITE;
    irr_board_write_cells(board);
}

/* Nobody has read what was not there yet, so what says otherwise is as old as numbers are long. */
void irr_board_wrote(irr_board_t *board)
{
    const irr_board_partners_t *partners = &board->partners;
    const int half = (int)(board->number & 1);

    for (int k = 0; k < partners->nto; k++) {
        const int to = partners->to[k];

        board->readers[half][k] = to;
        if (irr_board_is_past(board->done[to], board->number)) {
            board->done[to] = board->number - 1;
        }
    }
    board->nreaders[half] = partners->nto;
}

void irr_board_begin(irr_board_t *board, const irr_board_partners_t *partners, bool writes)
{
    board->number++;
    board->status = IRR_OK;
    board->partners = *partners;
    board->left = IRR_BOARD_READ | (writes ? IRR_BOARD_WRITE : 0);
    board->npending = partners->nfrom;
    memcpy(board->pending, partners->from, (size_t)partners->nfrom * sizeof(*partners->from));
    irr_board_write(board);
}

void irr_board_stop(irr_board_t *board)
{
    board->left = 0;
    board->npending = board->nlent = 0;
}

/* ---- what others learn ---- */

void irr_board_heard(irr_board_t *board, int member)
{
    if (!irr_board_is_past(board->done[member], board->number - 1)) {
        board->done[member] = board->number - 1;
    }
}

void irr_board_tell_read(irr_board_t *board)
{
    _Atomic uint32_t *read = &irr_board_own_head(board)->read;
    const bool to_all = board->borrows || (board->partners.sparse && board->quiet);

    board->left &= ~(unsigned)IRR_BOARD_READ;
    board->borrows = false;
    atomic_store_explicit(read, board->number, memory_order_release);
    if (to_all) {
        irr_board_wake(board, read);
    } else if (board->partners.sparse) {
        irr_board_wake_some(board, board->partners.from, board->partners.nfrom, read);
    }
    board->quiet = !to_all && !board->partners.sparse;
}

void irr_board_wake_some(const irr_board_t *board, const int *members, int count, const _Atomic uint32_t *number)
{
    bool asleep = false;

    atomic_thread_fence(memory_order_seq_cst);
    for (int i = 0; i < count; i++) {
        const irr_board_head_t *head = board->members[members[i]].head;

        asleep = asleep || atomic_load_explicit(&head->asleep, memory_order_relaxed) != 0;
    }
    if (asleep) {
        (void)syscall(SYS_futex, number, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    }
}

void irr_board_wake(const irr_board_t *board, const _Atomic uint32_t *number)
{
    irr_board_wake_some(board, board->all.to, board->all.nto, number);
}
