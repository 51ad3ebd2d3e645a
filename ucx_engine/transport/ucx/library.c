/*
 * library.c - loads UCX when the transport is opened, and restores the signal handlers of the program.
 *
 * When libucs, a library of UCX, is loaded, it sets a signal stack and handlers of SIGSEGV, SIGBUS, SIGFPE and SIGILL
 * (in some releases also SIGHUP), which print where a program crashed. This would replace handlers of the program;
 * Java and Julia, for example, need theirs. irr_ucx_load therefore restores the handlers at once, except in two cases:
 * the user requests UCX's handlers by a variable, or Open MPI or the program has loaded libucs before.
 */
#include "transport/ucx/ucx.h"

#include "core/log.h"
#include "transport/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* The file names of the libraries in all versions since 1.0. */
#define LIBRARY "libucp.so.0"
#define SIGNALS_LIBRARY "libucs.so.0"

irr_ucx_library_t irr_ucx;

static bool loaded;
static char why_not[256];

/* The handlers of all signals, and the signal stack. */
typedef struct handlers {
    struct sigaction of[NSIG];
    stack_t          stack;
} handlers_t;

/* Reads all handlers, except those of two or three signals that the C library reserves. */
static void read_handlers(handlers_t *handlers)
{
    memset(handlers, 0, sizeof(*handlers));
    for (int number = 1; number < NSIG; number++) {
        sigaction(number, NULL, &handlers->of[number]);
    }
    sigaltstack(NULL, &handlers->stack);
}

/* Restores replaced handlers. ucs_debug_disable_signal reinstates the handler before UCX's, which UCX has stored. */
static void restore_handlers(const handlers_t *before)
{
    handlers_t now;

    read_handlers(&now);
    for (int number = 1; number < NSIG; number++) {
        if (now.of[number].sa_handler != before->of[number].sa_handler) {
            irr_ucx.ucs_debug_disable_signal(number);
        }
    }
    if (now.stack.ss_sp != before->stack.ss_sp) {
        sigaltstack(&before->stack, NULL);
    }
}

static bool is_loaded(const char *file)
{
    void *handle = dlopen(file, RTLD_LAZY | RTLD_NOLOAD);

    if (handle == NULL) {
        return false;
    }
    dlclose(handle);
    return true;
}

static bool handlers_are_wanted(void)
{
    return getenv("UCX_HANDLE_ERRORS") != NULL || getenv("UCX_ERROR_SIGNALS") != NULL ||
           getenv("UCX_DEBUG_SIGNO") != NULL;
}

static void load(void)
{
#define NAME(function) #function,
    static const char *const names[] = { IRR_UCX_FUNCTIONS(NAME) };
#undef NAME
    const bool keep = is_loaded(SIGNALS_LIBRARY) || handlers_are_wanted();
    handlers_t before;

    read_handlers(&before);
    loaded = irr_library_load(LIBRARY, names, sizeof(names) / sizeof(names[0]), &irr_ucx, why_not, sizeof(why_not));
    if (!keep && irr_ucx.ucs_debug_disable_signal != NULL) {
        restore_handlers(&before);
    }
}

const char *irr_ucx_missing(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load);
    return loaded ? NULL : why_not;
}

irr_status_t irr_ucx_load(void)
{
    if (irr_ucx_missing() != NULL) {
        irr_log(IRR_LOG_ERROR, "transport ucx needs UCX, which cannot be loaded: %s; install UCX, or select another "
                "transport (%stransport)", why_not, irr_log_prefix());
        return IRR_ERR_NOT_SUPPORTED;
    }
    return IRR_OK;
}
