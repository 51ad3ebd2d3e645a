/*
 * lend.c - see lend.h.
 */
#include "board/lend.h"

#include "problem/blocks.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <unistd.h>

/* ---- may it be done ---- */

void irr_lend_offer(uint64_t *word, irr_lend_card_t *card)
{
    if (*word == 0) {
        if (getrandom(word, sizeof(*word), GRND_NONBLOCK) != (ssize_t)sizeof(*word)) {
            *word = 0;   /* which nobody trusts */
        }
        (void)prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);   /* fails where nothing needs it */
    }
    *card = (irr_lend_card_t){ .process = (uint64_t)getpid(), .address = (uintptr_t)word, .word = *word };
}

bool irr_lend_works(const irr_lend_card_t *card)
{
    uint64_t word = 0;
    struct iovec to = { .iov_base = &word, .iov_len = sizeof(word) };
    struct iovec from = { .iov_base = (void *)(uintptr_t)card->address, .iov_len = sizeof(word) };

    return card->word != 0 && irr_lend_read(card->process, &to, &from, 1) == IRR_OK && word == card->word;
}

/* ---- pieces ---- */

/* So many bytes are there: what is left begins at the piece that is returned. */
static size_t skip(struct iovec *to, struct iovec *from, size_t first, size_t bytes)
{
    while (bytes > 0 && bytes >= to[first].iov_len) {
        bytes -= to[first++].iov_len;
    }
    if (bytes > 0) {
        to[first] = (struct iovec){ (char *)to[first].iov_base + bytes, to[first].iov_len - bytes };
        from[first] = (struct iovec){ (char *)from[first].iov_base + bytes, to[first].iov_len };
    }
    return first;
}

irr_status_t irr_lend_read(uint64_t process, struct iovec *to, struct iovec *from, size_t count)
{
    size_t first = 0;

    while (first < count) {
        const ssize_t bytes = process_vm_readv((pid_t)process, to + first, count - first, from + first, count - first,
                                               0);

        if (bytes <= 0 && !(bytes < 0 && errno == EINTR)) {
            return IRR_ERR_PEER;
        }
        first = skip(to, from, first, bytes > 0 ? (size_t)bytes : 0);
    }
    return IRR_OK;
}

/* ---- lists of blocks ---- */

irr_lent_t irr_lent_of(irr_blocks_t blocks, const void *base)
{
    if (blocks.count == 1) {
        return (irr_lent_t){ .address = (uintptr_t)base + (uintptr_t)blocks.list[0].offset, .count = 1 };
    }
    return (irr_lent_t){ .address = (uintptr_t)blocks.list, .count = blocks.count, .base = (uintptr_t)base };
}

/* Pieces that are to be read. */
typedef struct pieces {
    struct iovec to[IRR_LEND_PIECES], from[IRR_LEND_PIECES];
    size_t       count;
} pieces_t;

/* Up to so many blocks of what is lent, as that process has them; *blocks is what is lent behind them. */
static irr_status_t fetch(uint64_t process, irr_lent_t *lent, irr_block_t *blocks, size_t count)
{
    struct iovec to = { .iov_base = blocks, .iov_len = count * sizeof(*blocks) };
    struct iovec from = { .iov_base = (void *)(uintptr_t)lent->address, .iov_len = to.iov_len };

    lent->address += to.iov_len;
    lent->count -= count;
    return irr_lend_read(process, &to, &from, 1);
}

/* Reads bytes that lie in one block there, to wherever they go here. */
static irr_status_t take_block(uint64_t process, uintptr_t address, size_t bytes, irr_blocks_cursor_t *to, void *base,
                               pieces_t *pieces)
{
    irr_status_t status = IRR_OK;

    while (bytes > 0 && status == IRR_OK) {
        const irr_block_t target = irr_blocks_next(to, bytes);

        pieces->to[pieces->count] = (struct iovec){
            (void *)((uintptr_t)base + (uintptr_t)target.offset), target.length };
        pieces->from[pieces->count++] = (struct iovec){ (void *)address, target.length };
        address += target.length;
        bytes -= target.length;
        if (pieces->count == IRR_LEND_PIECES) {
            status = irr_lend_read(process, pieces->to, pieces->from, pieces->count);
            pieces->count = 0;
        }
    }
    return status;
}

irr_status_t irr_lend_take(uint64_t process, irr_lent_t lent, irr_blocks_t to, void *base, size_t bytes)
{
    irr_block_t blocks[IRR_LEND_PIECES] = { { .offset = (ptrdiff_t)(uintptr_t)lent.address, .length = bytes } };
    irr_blocks_cursor_t cursor = irr_blocks_at(to, 0);
    pieces_t pieces = { .count = 0 };
    irr_status_t status = IRR_OK;
    const uintptr_t from = lent.count == 1 ? 0 : lent.base;
    size_t have = lent.count == 1;

    lent.count -= have;
    for (size_t i = 0; bytes > 0 && status == IRR_OK; i++) {
        if (i == have) {
            have = lent.count < IRR_LEND_PIECES ? lent.count : IRR_LEND_PIECES;
            status = have > 0 ? fetch(process, &lent, blocks, have) : IRR_ERR_PROTOCOL;
            i = 0;
        }
        if (status == IRR_OK && blocks[i].length == 0) {
            status = IRR_ERR_PROTOCOL;   /* no list has such a block, and a long one of them would never end */
        }
        if (status == IRR_OK) {
            const size_t part = blocks[i].length < bytes ? blocks[i].length : bytes;

            status = take_block(process, from + (uintptr_t)blocks[i].offset, part, &cursor, base, &pieces);
            bytes -= part;
        }
    }
    return status == IRR_OK ? irr_lend_read(process, pieces.to, pieces.from, pieces.count) : status;
}
