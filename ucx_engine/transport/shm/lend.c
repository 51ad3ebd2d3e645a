/*
 * lend.c - see lend.h.
 */
#include "transport/shm/lend.h"

#include "problem/blocks.h"

#include <errno.h>
#include <string.h>
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

typedef ssize_t (*mover_t)(pid_t process, const struct iovec *here, unsigned long nhere, const struct iovec *there,
                           unsigned long nthere, unsigned long flags);

static irr_status_t move(mover_t mover, uint64_t process, struct iovec *to, struct iovec *from, size_t count)
{
    size_t first = 0;

    while (first < count) {
        const ssize_t bytes = mover((pid_t)process, to + first, count - first, from + first, count - first, 0);

        if (bytes <= 0 && !(bytes < 0 && errno == EINTR)) {
            return IRR_ERR_PEER;
        }
        first = skip(to, from, first, bytes > 0 ? (size_t)bytes : 0);
    }
    return IRR_OK;
}

irr_status_t irr_lend_read(uint64_t process, struct iovec *to, struct iovec *from, size_t count)
{
    return move(process_vm_readv, process, to, from, count);
}

/* ---- lists of blocks ---- */

irr_lent_t irr_lent_of(irr_blocks_t blocks, const void *base)
{
    if (blocks.count == 1) {
        return (irr_lent_t){ .address = (uintptr_t)base + (uintptr_t)blocks.list[0].offset, .count = 1 };
    }
    return (irr_lent_t){ .address = (uintptr_t)blocks.list, .count = blocks.count, .base = (uintptr_t)base };
}

/* Pieces that are to be read, here and there; those that are swapped go to scratch first, so many bytes at most. */
typedef struct pieces {
    struct iovec   to[IRR_LEND_PIECES], from[IRR_LEND_PIECES];
    size_t         count, bytes, bytes_max;
    unsigned char *scratch;   /* NULL: they are not swapped */
} pieces_t;

/* Each as long as its piece, one behind the other. */
static void lay_out(const pieces_t *pieces, struct iovec *scratch)
{
    unsigned char *at = pieces->scratch;

    for (size_t i = 0; i < pieces->count; i++) {
        scratch[i] = (struct iovec){ at, pieces->to[i].iov_len };
        at += pieces->to[i].iov_len;
    }
}

static irr_status_t swap(uint64_t process, const pieces_t *pieces)
{
    struct iovec here[IRR_LEND_PIECES], there[IRR_LEND_PIECES];
    const size_t bytes = pieces->count * sizeof(*here);
    irr_status_t status;

    lay_out(pieces, here);
    memcpy(there, pieces->from, bytes);
    status = move(process_vm_readv, process, here, there, pieces->count);
    if (status == IRR_OK) {
        memcpy(here, pieces->to, bytes);
        memcpy(there, pieces->from, bytes);
        status = move(process_vm_writev, process, here, there, pieces->count);
    }
    lay_out(pieces, here);
    for (size_t i = 0; status == IRR_OK && i < pieces->count; i++) {
        memcpy(pieces->to[i].iov_base, here[i].iov_base, here[i].iov_len);
    }
    return status;
}

static irr_status_t flush(uint64_t process, pieces_t *pieces)
{
    const irr_status_t status = pieces->scratch != NULL
                                    ? swap(process, pieces)
                                    : irr_lend_read(process, pieces->to, pieces->from, pieces->count);

    pieces->count = pieces->bytes = 0;
    return status;
}

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
        const size_t room = pieces->bytes_max - pieces->bytes;
        const irr_block_t target = irr_blocks_next(to, bytes < room ? bytes : room);

        pieces->to[pieces->count] = (struct iovec){
            (void *)((uintptr_t)base + (uintptr_t)target.offset), target.length };
        pieces->from[pieces->count++] = (struct iovec){ (void *)address, target.length };
        address += target.length;
        bytes -= target.length;
        pieces->bytes += target.length;
        if (pieces->count == IRR_LEND_PIECES || pieces->bytes == pieces->bytes_max) {
            status = flush(process, pieces);
        }
    }
    return status;
}

/* Bytes behind the first so many. */
static irr_status_t take(uint64_t process, irr_lent_t lent, irr_blocks_t to, void *base, size_t skip, size_t bytes,
                         pieces_t *pieces)
{
    irr_block_t blocks[IRR_LEND_PIECES] = { { .offset = (ptrdiff_t)(uintptr_t)lent.address, .length = skip + bytes } };
    irr_blocks_cursor_t cursor = irr_blocks_at(to, skip);
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
            const size_t before = blocks[i].length < skip ? blocks[i].length : skip;
            const size_t rest = blocks[i].length - before, part = rest < bytes ? rest : bytes;

            status = take_block(process, from + (uintptr_t)blocks[i].offset + before, part, &cursor, base, pieces);
            skip -= before;
            bytes -= part;
        }
    }
    return status == IRR_OK ? flush(process, pieces) : status;
}

irr_status_t irr_lend_take(uint64_t process, irr_lent_t lent, irr_blocks_t to, void *base, size_t bytes)
{
    pieces_t pieces = { .bytes_max = SIZE_MAX };

    return take(process, lent, to, base, 0, bytes, &pieces);
}

irr_status_t irr_lend_swap(uint64_t process, irr_lent_t lent, irr_blocks_t blocks, void *base,
                           const irr_lend_part_t *part)
{
    pieces_t pieces = { .bytes_max = part->scratch_bytes, .scratch = part->scratch };

    return take(process, lent, blocks, base, part->skip, part->bytes, &pieces);
}
