/*
 * ucx.c - the UCX transport: context, worker, address, progress and shutdown.
 *
 * The transport has a context and a worker of its own, so its tags and settings do not affect other users of UCX in the
 * process. For this context, variables IRR_UCX_* of the environment override UCX_*. Opening UCX takes some
 * milliseconds, and some megabytes of memory.
 *
 * UCX's tcp transport accepts any process that connects to its listening socket. A job on one node therefore uses only
 * UCX's shared memory, which has no socket. In other jobs UCX selects among the transports and devices that the
 * configuration allows.
 *
 * UCX's transport cma aborts the process if the kernel refuses process_vm_readv, which UCX does not test beforehand. It
 * is used only if the user names it. Without it UCX opens segments when it creates an endpoint, and reports an error.
 *
 * Shutdown: `close` starts to flush and close the endpoints, and `drain` waits until all are closed. The caller then
 * waits until all processes have drained (a barrier), and calls `free`, which destroys the worker. Without the barrier,
 * the flush of another process could wait for this worker forever.
 */
#include "transport/ucx/ucx.h"

#include "core/alloc.h"
#include "core/log.h"
#include "core/text.h"
#include "transport/devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <strings.h>

/*
 * From 1.16 on, UCX by default uses version 2 of its protocol layer. Version 1 sends a list over tcp in packets of few
 * pieces each; if zero copy is off (ZCOPY_THRESH), it copies the list into full packets.
 */
#define PROTO_V2_MINOR 16

/* From 1.17 on, the names of the settings of UCX's transport tcp begin with TCP_. */
#define FULL_NAMES_MINOR 17

/*
 * UCX's transports within a node, except cma. sysv is first, because posix cannot share with non-dumpable processes.
 * The files of posix are longer than some limits (ulimit -f), and UCX then ends the process by SIGXFSZ. The second
 * value of each list is for processes with such a limit, and has no posix.
 */
static const char *const node_tls[] = { "sysv,posix,self", "sysv,self" };
static const char *const other_tls[] = { "^cma", "^cma,posix" };

/* Length in bytes from which a contiguous message is faster than a list, because UCX then reads it by RDMA. */
#define ZERO_COPY_MIN 32768

/* Number of pieces of a list that fit into one packet on all known transports: 3 with rc_mlx5, 6 with tcp. */
#define IOV_WIRE_MAX 3

irr_status_t irr_ucx_status(ucs_status_t status)
{
    switch (status) {
    case UCS_OK:                    return IRR_OK;
    case UCS_INPROGRESS:            return IRR_IN_PROGRESS;
    case UCS_ERR_NO_MEMORY:         return IRR_ERR_NO_MEMORY;
    case UCS_ERR_INVALID_PARAM:     return IRR_ERR_BAD_PARAM;
    case UCS_ERR_MESSAGE_TRUNCATED: return IRR_ERR_TRUNCATE;
    case UCS_ERR_CANCELED:          return IRR_ERR_CANCELED;
    case UCS_ERR_UNSUPPORTED:
    case UCS_ERR_NO_DEVICE:         return IRR_ERR_NOT_SUPPORTED;
    case UCS_ERR_UNREACHABLE:
    case UCS_ERR_CONNECTION_RESET:
    case UCS_ERR_ENDPOINT_TIMEOUT:
    case UCS_ERR_NOT_CONNECTED:     return IRR_ERR_UNREACHABLE;
    default:                        return IRR_ERR_TRANSPORT;
    }
}

/* Changes a setting of UCX. parameter: for the error message, the name of our setting that determines the value. */
static irr_status_t set(ucp_config_t *config, const char *name, const char *value, const char *parameter)
{
    ucs_status_t status = irr_ucx.ucp_config_modify(config, name, value);

    if (status != UCS_OK) {
        irr_log(IRR_LOG_ERROR, "ucx rejects '%.128s' as the value of UCX_%s, which follows from %s%s: %s; "
                "`ucx_info -cf` lists the allowed values of UCX_%s", value, name, irr_log_prefix(), parameter,
                irr_ucx.ucs_status_string(status), name);
    }
    return irr_ucx_status(status);
}

/* Returns true if UCX may use tcp. tls: a list in the format of UCX_TLS, which may have exclusions (^) or patterns. */
static bool has_tcp(const char *tls)
{
    return tls == NULL || strpbrk(tls, "^*?[") != NULL || irr_text_find(tls, "all", 3, strncasecmp) >= 0 ||
           irr_text_find(tls, "tcp", 3, strncasecmp) >= 0;
}

/* Returns true if the loaded UCX is older than 1.minor. */
static bool older_than(unsigned minor)
{
    unsigned major, own_minor, release;

    irr_ucx.ucp_get_version(&major, &own_minor, &release);
    return major == 1 && own_minor < minor;
}

/* Changes a setting of UCX, unless the user has set its variable. An error is only logged. */
static void prefer(ucp_config_t *config, const char *variable, const char *name, const char *value)
{
    ucs_status_t status = getenv(variable) == NULL ? irr_ucx.ucp_config_modify(config, name, value) : UCS_OK;

    if (status != UCS_OK) {
        irr_log(IRR_LOG_DEBUG, "ucx rejects value %s of %s: %s", value, variable, irr_ucx.ucs_status_string(status));
    }
}

/*
 * Sets the length of a tcp segment to 9 KiB. UCX's default, 8 KiB including headers, splits a message of 8 KiB into two
 * segments. The kernel delays the second segment until the first has left its queue, which takes a third of the time of
 * an exchange of such messages. Without tcp nothing is set, because UCX warns about settings of unused transports.
 */
static void tune(ucp_config_t *config, const char *tls)
{
    if (has_tcp(tls)) {
        prefer(config, "UCX_TCP_TX_SEG_SIZE", older_than(FULL_NAMES_MINOR) ? "TX_SEG_SIZE" : "TCP_TX_SEG_SIZE", "9K");
    }
}

/*
 * Longest message over tcp, in bytes, that is sent without a rendezvous. UCX must buffer such a message if its receive
 * is not posted yet, but most receives are posted in time.
 */
#define EAGER_TCP 65536

static bool has_adapters(void)
{
    irr_devices_t devices;

    irr_devices_look("/sys", &devices);
    return devices.ucx[0] != '\0';
}

/*
 * Returns the length in bytes up to which a message is sent without a rendezvous; 0: UCX's default. Over tcp a
 * rendezvous takes longer than the copies of 64 KiB that it saves. With adapters that access remote memory the best
 * length is lower, and UCX's default is good.
 */
static size_t eager_bytes(const irr_engine_config_t *config, const char *tls)
{
    if (config->eager_bytes != IRR_BYTES_AUTO) {
        return config->eager_bytes;
    }
    return !config->one_node && has_tcp(tls) && !has_adapters() ? EAGER_TCP : 0;
}

/* Makes UCX use a rendezvous for messages longer than `bytes`, unless the user has set the variable. */
static irr_status_t set_eager(ucp_config_t *config, size_t bytes)
{
    char text[32];

    if (getenv("UCX_RNDV_THRESH") != NULL || getenv("IRR_UCX_RNDV_THRESH") != NULL) {
        return IRR_OK;
    }
    snprintf(text, sizeof(text), "%zu", bytes + 1);
    return set(config, "RNDV_THRESH", text, "eager_bytes");
}

/* Returns true if the process may not make files of any length. */
static bool has_file_limit(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/* Returns the value to set for UCX_TLS, or NULL if UCX chooses. */
static const char *tls_of(const irr_engine_config_t *config)
{
    return irr_given(config->ucx_tls) ? config->ucx_tls : config->one_node ? node_tls[has_file_limit()] : NULL;
}

static irr_status_t configure(const irr_engine_config_t *config, ucp_config_t *ucp_config)
{
    const char *tls = tls_of(config);
    const size_t eager = eager_bytes(config, tls);
    irr_status_t status = IRR_OK;

    tune(ucp_config, tls);
    if (older_than(PROTO_V2_MINOR)) {
        status = set(ucp_config, "ZCOPY_THRESH", "inf", "transport");
    }
    if (status == IRR_OK && eager > 0) {
        status = set_eager(ucp_config, eager);
    }
    if (status == IRR_OK && tls != NULL) {
        status = set(ucp_config, "TLS", tls, "ucx_tls");
    } else if (getenv("IRR_UCX_TLS") == NULL) {
        prefer(ucp_config, "UCX_TLS", "TLS", other_tls[has_file_limit()]);
    }
    if (status == IRR_OK && irr_given(config->ucx_devices)) {
        status = set(ucp_config, "NET_DEVICES", config->ucx_devices, "ucx_devices");
    }
    return status;
}

static irr_status_t open_context(irr_ucx_t *ucx, const irr_engine_config_t *config)
{
    ucp_params_t params = {
        .field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_MT_WORKERS_SHARED | UCP_PARAM_FIELD_NAME |
                      UCP_PARAM_FIELD_ESTIMATED_NUM_EPS | UCP_PARAM_FIELD_ESTIMATED_NUM_PPN,
        .features = UCP_FEATURE_TAG | UCP_FEATURE_WAKEUP,
        .mt_workers_shared = 0,
        .estimated_num_eps = config->job_ranks,
        .estimated_num_ppn = config->node_ranks,
        .name = "irr"
    };
    ucp_config_t *ucp_config;
    ucs_status_t ucs_status;
    irr_status_t status;

    ucs_status = irr_ucx.ucp_config_read("IRR", NULL, &ucp_config);
    if (ucs_status != UCS_OK) {
        irr_log(IRR_LOG_ERROR, "ucx cannot read its configuration from the variables UCX_* of the environment: %s",
                irr_ucx.ucs_status_string(ucs_status));
        return irr_ucx_status(ucs_status);
    }
    status = configure(config, ucp_config);
    if (status == IRR_OK) {
        ucs_status = irr_ucx.ucp_init_version(UCP_API_MAJOR, UCP_API_MINOR, &params, ucp_config, &ucx->context);
        status = irr_ucx_status(ucs_status);
        if (status != IRR_OK) {
            irr_log(IRR_LOG_ERROR, "ucx opens no transport with TLS %s (%sucx_tls) and devices %s (%sucx_devices): %s; "
                    "ucx_info -d lists the transports and devices of this host",
                    tls_of(config) != NULL ? tls_of(config) : "chosen by UCX",
                    irr_log_prefix(), irr_given(config->ucx_devices) ? config->ucx_devices : "chosen by UCX",
                    irr_log_prefix(), irr_ucx.ucs_status_string(ucs_status));
        }
    }
    irr_ucx.ucp_config_release(ucp_config);
    return status;
}

/* Creates the worker. On one node UCX needs files in /dev/shm for its shared memory; our transport shm needs none. */
static irr_status_t open_worker(irr_ucx_t *ucx, bool one_node)
{
    ucp_worker_params_t params = {
        .field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
        .thread_mode = UCS_THREAD_MODE_SERIALIZED   /* the engine calls from one thread at a time */
    };
    ucs_status_t status = irr_ucx.ucp_worker_create(ucx->context, &params, &ucx->worker);

    if (status != UCS_OK) {
        irr_log(IRR_LOG_ERROR, "ucx cannot create a worker: %s%s%s%s", irr_ucx.ucs_status_string(status),
                one_node ? " (UCX needs about 5 MB per rank in a writable /dev/shm; with " : "",
                one_node ? irr_log_prefix() : "", one_node ? "shm=1 the ranks need no files there)" : "");
        return irr_ucx_status(status);
    }
    status = irr_ucx.ucp_worker_get_address(ucx->worker, &ucx->address, &ucx->address_length);
    if (status != UCS_OK) {
        irr_ucx.ucp_worker_destroy(ucx->worker);
        irr_log(IRR_LOG_ERROR, "ucx cannot determine the address of its worker: %s", irr_ucx.ucs_status_string(status));
        return irr_ucx_status(status);
    }
    ucx->super.caps.wakes = irr_ucx.ucp_worker_get_efd(ucx->worker, &ucx->event_fd) == UCS_OK;
    return IRR_OK;
}

static irr_status_t address(irr_transport_t *transport, const void **address_p, size_t *length_p)
{
    *address_p = irr_ucx_of(transport)->address;
    *length_p = irr_ucx_of(transport)->address_length;
    return IRR_OK;
}

static unsigned progress(irr_transport_t *transport)
{
    return irr_ucx.ucp_worker_progress(irr_ucx_of(transport)->worker);
}

static irr_status_t arm(irr_transport_t *transport, int *fd_p)
{
    irr_ucx_t *ucx = irr_ucx_of(transport);
    ucs_status_t status;

    if (!ucx->super.caps.wakes) {
        return IRR_ERR_NOT_SUPPORTED;
    }
    status = irr_ucx.ucp_worker_arm(ucx->worker);
    if (status == UCS_ERR_BUSY) {
        return IRR_IN_PROGRESS;
    }
    if (status == UCS_OK) {
        *fd_p = ucx->event_fd;
    }
    return irr_ucx_status(status);
}

static void statistics(irr_transport_t *transport, uint64_t *endpoints, uint64_t *bytes_gathered)
{
    *endpoints = irr_ucx_of(transport)->endpoints;
    *bytes_gathered = irr_ucx_of(transport)->bytes_gathered;
}

/*
 * Keeps a context with pending sends until the process ends. UCX cannot cancel sends, and it aborts the process if a
 * context is destroyed while the memory of a send is registered.
 */
static void keep_context(irr_ucx_t *ucx)
{
    static irr_ucx_t *kept;

    ucx->kept = kept;
    kept = ucx;
    irr_log(IRR_LOG_DEBUG, "ucx: some sends were not received; their memory is kept until the process ends");
}

static void free_transport(irr_transport_t *transport)
{
    irr_ucx_t *ucx = irr_ucx_of(transport);

    irr_ucx.ucp_dt_destroy(ucx->gather);
    irr_ucx.ucp_worker_release_address(ucx->worker, ucx->address);
    irr_ucx.ucp_worker_destroy(ucx->worker);
    irr_ucx_free_peers(ucx);
    if (ucx->sending > 0) {
        keep_context(ucx);
        return;
    }
    irr_ucx.ucp_cleanup(ucx->context);
    irr_free(ucx);
}

static const irr_transport_ops_t ops = {
    .address = address,
    .connect = irr_ucx_connect,
    .reach = irr_ucx_reach,
    .open_channel = irr_ucx_open_channel,
    .close_channel = irr_ucx_close_channel,
    .send = irr_ucx_send,
    .recv = irr_ucx_recv,
    .abandon = irr_ucx_abandon,
    .discard = irr_ucx_discard,
    .progress = progress,
    .arm = arm,
    .statistics = statistics,
    .close = irr_ucx_close,
    .drain = irr_ucx_drain,
    .free = free_transport
};

irr_status_t irr_ucx_open(const irr_engine_config_t *config, irr_transport_t **transport_p)
{
    irr_status_t status = irr_ucx_has_room();
    irr_ucx_t *ucx;

    if (status == IRR_OK) {
        status = irr_ucx_load();
    }
    if (status != IRR_OK) {
        return status;
    }
    ucx = irr_alloc_zero(1, sizeof(*ucx));
    if (ucx == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    ucx->super.ops = &ops;
    ucx->super.caps = (irr_transport_caps_t){
        .name = "ucx", .pieces_max = { SIZE_MAX, SIZE_MAX },
        .iov_wire_max = IOV_WIRE_MAX, .gather_max = IRR_UCX_GATHER_MAX, .zero_copy_min = ZERO_COPY_MIN
    };
    status = irr_ucx_gather_create(&ucx->gather);
    if (status != IRR_OK) {
        goto err_free;
    }
    status = open_context(ucx, config);
    if (status != IRR_OK) {
        goto err_datatype;
    }
    status = open_worker(ucx, config->one_node);
    if (status != IRR_OK) {
        goto err_context;
    }
    *transport_p = &ucx->super;
    return IRR_OK;

err_context:
    irr_ucx.ucp_cleanup(ucx->context);
err_datatype:
    irr_ucx.ucp_dt_destroy(ucx->gather);
err_free:
    irr_free(ucx);
    return status;
}
