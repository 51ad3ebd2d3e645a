/*
 * library.c - loads libfabric when it is asked for, so that a job that uses another transport never has it, and the
 * component starts where it is missing.  Once loaded it stays: libfabric does not like to be loaded twice.
 */
#include "transport/ofi/ofi.h"

#include "core/log.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

/* All versions since 1.0, and 2.x, have this name. */
#define LIBRARY "libfabric.so.1"

/* What rxm puts before a message in its buffer, and some. */
#define HEADER_ROOM 256

static irr_ofi_library_t library;
static bool              loaded;
static char              why_not[256];

static bool find(void *handle, const char *name, void *function_p)
{
    void *function = dlsym(handle, name);

    if (function == NULL) {
        snprintf(why_not, sizeof(why_not), "%s has no %s", LIBRARY, name);
        return false;
    }
    *(void **)function_p = function;
    return true;
}

static bool is_new_enough(void)
{
    const uint32_t version = library.version();

    if (FI_VERSION_LT(version, IRR_OFI_VERSION)) {
        snprintf(why_not, sizeof(why_not), "%s has version %u.%u", LIBRARY, FI_MAJOR(version), FI_MINOR(version));
        return false;
    }
    return true;
}

/*
 * What rxm reads from the environment and nowhere else; what the user has set stays.
 *
 * A message that is longer than its receive must harm nothing else.  Over tcp rxm 1.17 ends the connection if it arrives
 * straight in the memory of the receive, and goes on in memory that it has freed if it comes in segments.
 *
 * A process keeps some thousand buffers, each for a message that asks no receiver: 121 MB with their standard length of
 * 16 KiB, 55 with the number below.  With 64 KiB it is 150; aapc over a switch of 100 Mbit/s sends as fast as over UCX
 * then, and without takes 1.1 to 1.4 times as long.
 *
 * It also has a ring of completions for 256 processes, 12.6 MB that are touched bit by bit, which looks like memory that
 * is lost: so it is told how many there are.
 */
static void tame(size_t eager_bytes, size_t job_ranks)
{
    char text[32];

    setenv("FI_OFI_RXM_ENABLE_DYN_RBUF", "0", 0);
    setenv("FI_OFI_RXM_SAR_LIMIT", "0", 0);
    setenv("FI_OFI_RXM_MSG_RX_SIZE", "64", 0);
    if (job_ranks > 0) {
        snprintf(text, sizeof(text), "%zu", job_ranks);
        setenv("FI_UNIVERSE_SIZE", text, 0);
    }
    if (eager_bytes != IRR_BYTES_AUTO && eager_bytes > 0) {
        snprintf(text, sizeof(text), "%zu", eager_bytes + HEADER_ROOM);
        setenv("FI_OFI_RXM_BUFFER_SIZE", text, 0);
    }
}

static void load(void)
{
    void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

    if (handle == NULL) {
        snprintf(why_not, sizeof(why_not), "%s", dlerror());
        return;
    }
    loaded = find(handle, "fi_getinfo", &library.getinfo) && find(handle, "fi_freeinfo", &library.freeinfo) &&
             find(handle, "fi_dupinfo", &library.dupinfo) && find(handle, "fi_fabric", &library.fabric) &&
             find(handle, "fi_strerror", &library.strerror) && find(handle, "fi_version", &library.version) &&
             is_new_enough();
}

irr_status_t irr_ofi_load(const irr_engine_config_t *config, const irr_ofi_library_t **library_p)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load);
    if (!loaded) {
        irr_log(IRR_LOG_ERROR, "transport ofi needs libfabric %d.%d or newer, which cannot be loaded: %s",
                FI_MAJOR(IRR_OFI_VERSION), FI_MINOR(IRR_OFI_VERSION), why_not);
        return IRR_ERR_NOT_SUPPORTED;
    }
    tame(config->eager_bytes, config->job_ranks);
    *library_p = &library;
    return IRR_OK;
}
