/*
 * lend.h - reading the memory of another process of the node, which lends it; and swapping blocks with it.
 *
 * The kernel copies from the memory of one process into that of another one (process_vm_readv): one copy, made by the
 * reader, and nothing for the lender but to leave its memory as it is until the reader is done.
 *
 * Who may do that is who may attach a debugger: a process of the same user, if no security module forbids it, and no
 * wall of a container is between them, behind which the number of a process is that of another one.  So it is tried
 * before anybody relies on it: a process says where a word of random bits lies and what it is, and who finds it there
 * reads the right process.  Where the module Yama lets only ancestors attach (ptrace_scope 1), a process may allow all
 * of its user to; irr_lend_offer does, as Open MPI's vader and UCX do for the same purpose.
 *
 * What two ranks have for each other may be swapped: one reads, and writes (process_vm_writev) what was there.
 *
 * What a lender says is checked: it says what is read, never where that is written to, nor how much.
 *
 * Cost: a system call for IRR_LEND_PIECES pieces or two GiB, and some 100 ns a page.
 */
#ifndef IRR_LEND_H
#define IRR_LEND_H

#include "irr.h"

#include <sys/uio.h>

/* By which others find out whether they may read a process: numbers that may be sent as bytes. */
typedef struct irr_lend_card {
    uint64_t process, address, word;
} irr_lend_card_t;

/* Lets others try.  *word, which is filled in unless it has bits, stays where it is as long as somebody may. */
void irr_lend_offer(uint64_t *word, irr_lend_card_t *card);

/* May this process read that one? */
bool irr_lend_works(const irr_lend_card_t *card);

/* Pieces that are read at once. */
#define IRR_LEND_PIECES 64

/* Bytes of a block, in the mean, from which a list is lent: to read shorter ones takes longer than to copy them. */
#define IRR_LEND_BLOCK_MIN 8192

/* Reads so many pieces, each as long as the one that it goes to.  The arrays are used up.  IRR_ERR_PEER: it cannot. */
irr_status_t irr_lend_read(uint64_t process, struct iovec *to, struct iovec *from, size_t count);

/* What is lent, as its owner says: one block, or a list of them. */
typedef struct irr_lent {
    uint64_t address;   /* of the bytes of one block; or of an array of irr_block_t, */
    uint64_t count;     /* of so many, if they are more than one, */
    uint64_t base;      /* whose offsets are from there on */
} irr_lent_t;

/* What a process writes of its own. */
irr_lent_t irr_lent_of(irr_blocks_t blocks, const void *base);

/*
 * Reads the first bytes of what a process lends into the blocks of a list, which hold no less.  IRR_ERR_PEER: not all
 * could be read; IRR_ERR_PROTOCOL: it is less than that.
 */
irr_status_t irr_lend_take(uint64_t process, irr_lent_t lent, irr_blocks_t to, void *base, size_t bytes);

/* Of both that are swapped: so many bytes behind the first so many, through memory for some of them. */
typedef struct irr_lend_part {
    size_t         skip, bytes;
    unsigned char *scratch;
    size_t         scratch_bytes;
} irr_lend_part_t;

/*
 * The same for a part, and writes there what was in those bytes of the blocks.  Who lends allows that, and says where;
 * nothing is written but to what is lent.
 */
irr_status_t irr_lend_swap(uint64_t process, irr_lent_t lent, irr_blocks_t blocks, void *base,
                           const irr_lend_part_t *part);

/*
 * Bytes of scratch that are enough: each time they are full costs two system calls, beside which the bytes must be
 * many, and the cache must hold them.
 */
#define IRR_LEND_SCRATCH ((size_t)1 << 17)

#endif
