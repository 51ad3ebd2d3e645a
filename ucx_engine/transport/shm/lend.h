/*
 * lend.h - reading the memory of another process of the node, which lends it.
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
 * What a lender says is checked: it says what is read, never where that is written to, nor how much.
 *
 * Cost: a system call for so many pieces or two GiB, and some 100 ns a page.
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

/* Reads so many pieces, each as long as the one that it goes to.  The arrays are used up.  IRR_ERR_PEER: it cannot. */
irr_status_t irr_lend_read(uint64_t process, struct iovec *to, struct iovec *from, size_t count);

#endif
