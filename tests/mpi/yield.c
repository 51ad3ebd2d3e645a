/*
 * yield.c - lets ranks of MPICH share cores. A rank without work yields its core to another rank.
 *
 * Debian's MPICH waits in ucp_worker_progress and never yields. With many ranks on a core each message then waits for a
 * time slice of every other rank, and 24 ranks on 2 cores need seconds instead of milliseconds. Open MPI yields without
 * this library.
 */
#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>

unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*progress)(void *worker);
    unsigned done;

    if (progress == NULL) {
        *(void **)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
    }
    done = progress(worker);
    if (done == 0) {
        sched_yield();
    }
    return done;
}
