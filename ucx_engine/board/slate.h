/*
 * slate.h - how the ranks of a node agree without messages: each learns the maxima of a few words of all.
 *
 * Beside the cells of its board a rank has a slate, for words that are for all others.  Agreements and exchanges take
 * numbers in one row, and slates have halves that take turns as those of cells do (board/board.h).
 *
 * Alone on their node's side, all write, and each reads all.  Where the node has to agree with others, one of its ranks
 * speaks for it: the others write and wait for its slate; it reads theirs, agrees with those who speak for other nodes,
 * and writes what came of it.
 *
 * Halves are written again when all have read them (board/turn.c).  Who ends agreement n knows, by itself or by who
 * speaks, that all others have begun it, and so are done with what was before.
 *
 * A slate says how many words it has.  None: its rank has failed, and so have those who read it.
 *
 * Cost: a store of a line or three and L - 1 misses of the cache for L ranks of the node, or where one speaks three
 * misses one after the other; no message, no allocation.
 */
#ifndef IRR_SLATE_H
#define IRR_SLATE_H

#include "board/board.h"

#define IRR_SLATE_WORDS_MAX 16

/* In place of a member that speaks. */
#define IRR_SLATE_ALL (-1)

/*
 * Begins an agreement; the words of this rank become the maxima of those that it reads, and are borrowed until it is
 * over.  All members give the same count, from 1 to IRR_SLATE_WORDS_MAX, and the same member that speaks, or
 * IRR_SLATE_ALL.  irr_board_progress goes on with it, irr_board_end ends it.  Never blocks, never fails.
 */
void irr_slate_start(irr_board_t *board, int speaker, uint64_t *words, size_t count);

/* Who speaks has read all, and tells them what the words are now, or that it failed. */
void irr_slate_tell(irr_board_t *board, bool failed);

#endif
