/*
 * remote.h - single copy: reads the memory of another process of the node.
 *
 * The kernel copies from the memory of one process to that of another (process_vm_readv). The reader makes this one
 * copy; the owner of the memory only leaves it unchanged until the reader is done.
 *
 * A process may read another one under the same conditions as it may attach a debugger: same user, no security module
 * against it, and no container boundary between them, behind which process numbers have another meaning. So reading is
 * tried first: a process publishes the address and the value of a random word, and a process that reads this value
 * there reads the right process. Where the module Yama lets only ancestors attach (ptrace_scope 1), a process may
 * permit all processes of its user; irr_remote_offer does so, as Open MPI's vader and UCX do.
 *
 * Data of the other process decides what is read, but never where it is written or how much.
 *
 * Cost: a system call for the pieces of a call, more above two GiB, and some 100 ns per page.
 */
#ifndef IRR_REMOTE_H
#define IRR_REMOTE_H

#include "irr.h"

#include <sys/uio.h>

/* Descriptor for other processes, which try with it whether they may read this one; may be sent as bytes. */
typedef struct irr_remote_handle {
    uint64_t process, address, word;
} irr_remote_handle_t;

/*
 * Permits reading and sets *card. *word is filled with random bits unless it has some, and must not move while other
 * processes may read it.
 */
void irr_remote_offer(uint64_t *word, irr_remote_handle_t *handle);

/* Returns true if this process may read the process of the descriptor. */
bool irr_remote_works(const irr_remote_handle_t *handle);

/* Reads `count` pieces; from[i] and to[i] have equal lengths. Changes both arrays. Returns IRR_ERR_PEER on failure. */
irr_status_t irr_remote_read(uint64_t process, struct iovec *to, struct iovec *from, size_t count);

#endif
