/*
 * bell.c - sleeping, and waking another process.
 *
 * The bell of a process is a pipe. Before the process sleeps, it sets a flag in its segment (memory that its partners
 * can read), checks its FIFOs once more, and then polls the pipe. After a partner, the process at the other end of a
 * FIFO, has sent or consumed a slot, it reads the flag. If the flag is set, the partner opens the pipe through /proc,
 * writes a byte, and closes the pipe. The number of open files therefore does not grow with the number of partners.
 *
 * A wakeup can be lost, because a send has no memory fence; the fence would take time. When the sender reads the flag,
 * its store to the FIFO may still be in the store buffer of its processor, where the receiver does not see the store.
 * The receiver therefore yields between setting the flag and checking its FIFOs, which usually is long enough for the
 * store to become visible. For the remaining cases callers limit the time of a sleep. The system call membarrier would
 * prevent lost wakeups, but its first call in a process with threads takes at least 10 ms.
 */
#include "transport/shm/shm.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

void irr_shm_open_bell(irr_shm_t *shm)
{
    if (pipe2(shm->bell, O_CLOEXEC | O_NONBLOCK) != 0) {
        shm->bell[0] = shm->bell[1] = 0;
    }
}

void irr_shm_close_bell(irr_shm_t *shm)
{
    if (shm->bell[0] != 0) {
        close(shm->bell[0]);
        close(shm->bell[1]);
    }
}

static _Atomic uint32_t *asleep(irr_shm_t *shm)
{
    return &((irr_shm_table_t *)shm->segment.bytes)->asleep;
}

void irr_shm_disarm(irr_shm_t *shm)
{
    char bytes[64];

    shm->armed = false;
    atomic_store_explicit(asleep(shm), 0, memory_order_relaxed);
    while (read(shm->bell[0], bytes, sizeof(bytes)) == (ssize_t)sizeof(bytes)) {
    }
}

irr_status_t irr_shm_arm(irr_transport_t *transport, int *fd_p)
{
    irr_shm_t *shm = irr_shm_of(transport);
    bool has_work = false;

    if (shm->bell[0] == 0) {
        return IRR_ERR_NOT_SUPPORTED;
    }
    atomic_store_explicit(asleep(shm), 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    sched_yield();
    shm->armed = true;
    for (size_t i = 0; i < shm->nactive; i++) {
        has_work = has_work || irr_shm_may_send(shm->active[i]) || irr_shm_may_receive(shm->active[i]);
    }
    if (has_work) {
        irr_shm_disarm(shm);
        return IRR_IN_PROGRESS;
    }
    *fd_p = shm->bell[0];
    return IRR_OK;
}

void irr_shm_ring(const irr_peer_t *peer)
{
    const char byte = 0;
    char path[64];
    int file;

    if (peer->address.bell == 0) {
        return;
    }
    snprintf(path, sizeof(path), "/proc/%llu/fd/%llu", (unsigned long long)peer->address.segment.process,
             (unsigned long long)peer->address.bell);
    file = (int)TEMP_FAILURE_RETRY(open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK));   /* also for reading, because writing
                                                                                      to a pipe without a reader would
                                                                                      end this process by SIGPIPE */
    if (file >= 0) {
        (void)!TEMP_FAILURE_RETRY(write(file, &byte, 1));   /* if the pipe is full, the partner wakes anyway */
        close(file);
    }
}
