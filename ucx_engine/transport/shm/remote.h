/*
 * remote.h - reads the memory of another process of the node, for single copy.
 *
 * process_vm_readv copies from the memory of another process, the owner, to the memory of the calling process. This is
 * the only copy of a message. The owner must not change the memory until the reader is done.
 *
 * Linux permits this to a process that may attach a debugger to the owner. Both must have the same user, and no
 * security module may forbid it. Both must be in the same PID namespace; two containers usually have different ones. A
 * transport therefore tests whether it can read: each process publishes the address and the value of a random word. A
 * reader that finds the value at the address has the right process and the permission. The security module Yama may
 * permit the access only to ancestors of the owner (ptrace_scope 1). The owner can then permit it to all processes of
 * its user; irr_remote_offer does so, as do UCX and vader of Open MPI.
 *
 * The test does not guarantee later reads. The kernel refuses to read some kinds of memory, memory that the owner has
 * protected (mprotect), and every memory of a process that has become non-dumpable (prctl).
 *
 * The owner determines which of its addresses are read. The reader alone determines where and how many bytes are
 * written.
 *
 * Cost: one system call for all pieces (several if they have more than two GiB), and some 100 ns per page.
 */
#ifndef IRR_REMOTE_H
#define IRR_REMOTE_H

#include "irr.h"

#include <sys/uio.h>

/* Lets another process test whether it may read the memory of this process. May be sent as bytes. */
typedef struct irr_remote_handle {
    uint64_t process, address, word;
} irr_remote_handle_t;

/*
 * Permits other processes to read the memory of this process, and sets *handle. If *word is 0, sets it to random bits.
 * If the kernel has no random bits yet, *word stays 0, and no process reads. *word must stay at its address while other
 * processes may read it.
 */
void irr_remote_offer(uint64_t *word, irr_remote_handle_t *handle);

/* Returns true if this process may read the memory of the process of the handle. */
bool irr_remote_works(const irr_remote_handle_t *handle);

/*
 * Reads `count` ranges from[i] of a process to to[i] of equal lengths. Changes both arrays. Returns
 * IRR_ERR_NOT_SUPPORTED if the kernel refuses to read some of the bytes; others may then be in to[i]. Returns
 * IRR_ERR_PEER if the process has ended.
 */
irr_status_t irr_remote_read(uint64_t process, struct iovec *to, struct iovec *from, size_t count);

#endif
