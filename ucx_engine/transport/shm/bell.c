/*
 * bell.c - sleeping, and waking another process.
 *
 * The bell of a process is a pipe. Other processes open the pipe through /proc of its owner, like the owner's segment.
 * Before a process sleeps, it sets a flag in its segment, checks its lanes once more, and polls the pipe. When a
 * process has written or released a slot of a lane, it reads the flag of the process at the other end of the lane. If
 * the flag is set, it writes a byte to the pipe of that process. No process keeps a descriptor of another process's
 * pipe, so the number of open files does not grow with the number of partners.
 *
 * Messages need no memory fence. A sender may therefore read the flag while its own store to the lane is still in the
 * store buffer of its processor, and invisible to the receiver. The receiver yields between setting its flag and
 * checking its lanes, which usually gives the store enough time. If the store takes longer, the wakeup is lost; callers
 * limit their sleeps for this case. A barrier in the kernel (membarrier) would be exact, but a process with threads
 * waits at least 10 ms to register for the barrier.
 */
#include "transport/shm/shm.h"

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
    bool news = false;

    if (shm->bell[0] == 0) {
        return IRR_ERR_NOT_SUPPORTED;
    }
    atomic_store_explicit(asleep(shm), 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    sched_yield();
    shm->armed = true;
    for (size_t i = 0; i < shm->nactive; i++) {
        news = news || irr_shm_may_send(shm->active[i]) || irr_shm_may_receive(shm->active[i]);
    }
    if (news) {
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
    file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);   /* opened for reading, too: if a pipe has no reader, SIGPIPE
                                                             would kill this process when it writes */
    if (file >= 0) {
        (void)!write(file, &byte, 1);   /* if the pipe is full, the other process wakes anyway */
        close(file);
    }
}
