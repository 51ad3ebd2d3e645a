/*
 * remote.h - single copy: reads the memory of another process of the node.
 *
 * The kernel copies bytes from the memory of one process to the memory of another process (process_vm_readv). The
 * reader makes the only copy. The owner must leave the memory unchanged until the reader is done.
 *
 * A process may read another process if it may attach a debugger to the other process. Both processes must have the
 * same user, and no security module may forbid the access. Both must also see the same process numbers, which may not
 * be so in different containers. The transport therefore first tests whether it can read. Each process publishes the
 * address and the value of a random word. If a reader finds the value at the address, it reads the right process. If
 * the security module Yama lets only ancestors attach (ptrace_scope 1), a process may permit all processes of its user
 * to read; irr_remote_offer gives this permission, like Open MPI's vader and UCX.
 *
 * The other process determines the addresses that are read, but never the addresses or the number of bytes that are
 * written.
 *
 * Cost: one system call for all pieces (several if they have more than two GiB), and some 100 ns per page.
 */
#ifndef IRR_REMOTE_H
#define IRR_REMOTE_H

#include "irr.h"

#include <sys/uio.h>

/* Descriptor by which other processes test whether they may read this process. May be sent as bytes. */
typedef struct irr_remote_handle {
    uint64_t process, address, word;
} irr_remote_handle_t;

/*
 * Permits other processes to read this process, and sets *handle. If *word is 0, sets *word to random bits. *word must
 * not move while other processes may read it.
 */
void irr_remote_offer(uint64_t *word, irr_remote_handle_t *handle);

/* Returns true if this process may read the process of the descriptor. */
bool irr_remote_works(const irr_remote_handle_t *handle);

/* Reads `count` pieces; from[i] and to[i] have equal lengths. Changes both arrays. Returns IRR_ERR_PEER on failure. */
irr_status_t irr_remote_read(uint64_t process, struct iovec *to, struct iovec *from, size_t count);

#endif
