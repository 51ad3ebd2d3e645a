/*
 * yield.c - lets ranks of MPICH share cores: those that find nothing to do give the core to another.
 *
 * Debian's MPICH waits in ucp_worker_progress and never yields, so with many ranks a core each message takes a time
 * slice of all others: 24 ranks on 2 cores need seconds for what takes milliseconds so.  Open MPI yields by itself.
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
