/*
 * library.c - loads UCX when the transport is opened, without its signal handlers.
 *
 * When libucs is loaded, it replaces the signal stack and the handlers of SIGSEGV, SIGBUS, SIGFPE and SIGILL, to print
 * where a program crashed; some releases also replace the handler of SIGHUP. A program with handlers of its own, such
 * as a program in Java or Julia, would lose its handlers silently. irr_ucx_load therefore restores the handlers at
 * once. UCX keeps its handlers in two cases: the user requests them by a variable, or Open MPI or the program has
 * loaded UCX before.
 */
#include "transport/ucx/ucx.h"

#include "core/log.h"
#include "transport/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* The names of the libraries in all versions since 1.0. */
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

/* Reads all handlers, except the handlers of two or three signals that the C library uses itself. */
static void read_handlers(handlers_t *handlers)
{
    memset(handlers, 0, sizeof(*handlers));
    for (int number = 1; number < NSIG; number++) {
        sigaction(number, NULL, &handlers->of[number]);
    }
    sigaltstack(NULL, &handlers->stack);
}

/*
 * Restores changed handlers. ucs_debug_disable_signal reinstates the previous handler of a signal, and UCX no longer
 * uses the signal.
 */
static void give_back(const handlers_t *before)
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

static bool is_there(const char *file)
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
    const bool keep = is_there(SIGNALS_LIBRARY) || handlers_are_wanted();
    handlers_t before;

    read_handlers(&before);
    loaded = irr_library_load(LIBRARY, names, sizeof(names) / sizeof(names[0]), &irr_ucx, why_not, sizeof(why_not));
    if (!keep && irr_ucx.ucs_debug_disable_signal != NULL) {
        give_back(&before);
    }
}

irr_status_t irr_ucx_load(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load);
    if (!loaded) {
        irr_log(IRR_LOG_ERROR, "transport ucx needs UCX, which cannot be loaded: %s; install it, or name another one "
                "(%stransport)", why_not, irr_log_prefix());
        return IRR_ERR_NOT_SUPPORTED;
    }
    return IRR_OK;
}
