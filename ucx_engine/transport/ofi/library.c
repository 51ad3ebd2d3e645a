/* library.c - loads libfabric when the transport is opened, and sets variables of the environment that it reads. */
#include "transport/ofi/ofi.h"

#include "core/log.h"
#include "transport/library.h"

#include <pthread.h>
#include <stdlib.h>

/* The file name of the library in all versions since 1.0, including 2.x. */
#define LIBRARY "libfabric.so.1"

/* Number of bytes that rxm, a part of libfabric, puts before a message in a buffer; rounded up. */
#define HEADER_ROOM 256

static irr_ofi_library_t library;
static bool              loaded;
static char              why_not[256];

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
 * Sets variables for rxm, the part of libfabric that adds tagged messages to the providers tcp and verbs. A variable
 * that the user has set stays.
 *
 * DYN_RBUF and SAR_LIMIT: a message that is longer than its receive must not break the connection. rxm 1.17 over tcp
 * ends the connection if the message arrives directly in the memory of the receive, and uses freed memory if the
 * message arrives in segments. The value 0 switches both off.
 *
 * MSG_RX_SIZE and BUFFER_SIZE: rxm allocates some thousand buffers, each for one message without a rendezvous. By
 * default, with 16 KiB per buffer, a process takes 121 MB. With MSG_RX_SIZE 64 it takes 55 MB, or 150 MB with 64 KiB
 * per buffer. With 64 KiB, the algorithm tree over a switch of 100 Mbit/s is as fast as over UCX; with 16 KiB it takes
 * 1.1 to 1.4 times as long.
 *
 * UNIVERSE_SIZE: by default rxm's completion ring has room for 256 processes (12.6 MB). A process writes to the pages
 * of the ring one after the other, so its memory grows during the job as if it leaked.
 */
static void set_variables(size_t eager_bytes, size_t job_ranks)
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
    static const char *const names[] = { "fi_getinfo", "fi_freeinfo", "fi_dupinfo", "fi_fabric", "fi_strerror",
                                         "fi_version" };

    _Static_assert(sizeof(library) == sizeof(names), "one pointer for each name");
    loaded = irr_library_load(LIBRARY, names, sizeof(names) / sizeof(names[0]), &library, why_not,
                              sizeof(why_not)) && is_new_enough();
}

irr_status_t irr_ofi_load(const irr_engine_config_t *config, const irr_ofi_library_t **library_p)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load);
    if (!loaded) {
        irr_log(IRR_LOG_ERROR, "transport ofi needs libfabric %d.%d or newer, which cannot be loaded: %s; install it, "
                "or select another transport (%stransport)", FI_MAJOR(IRR_OFI_VERSION), FI_MINOR(IRR_OFI_VERSION),
                why_not, irr_log_prefix());
        return IRR_ERR_NOT_SUPPORTED;
    }
    set_variables(config->eager_bytes, config->job_ranks);
    *library_p = &library;
    return IRR_OK;
}
