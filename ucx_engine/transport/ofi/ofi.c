/*
 * ofi.c - the libfabric transport: opening and closing fabric, domain and endpoint.
 *
 * The transport has one endpoint for tagged messages, one completion queue and one address table. Only one thread uses
 * them at a time, so libfabric needs no locks. provider.c selects the provider and the domain, which is the network
 * device or interface.
 */
#include "transport/ofi/ofi.h"

#include "core/alloc.h"
#include "core/clock.h"
#include "core/log.h"

/* Longest message, in bytes, that the transport lets libfabric copy, so that the send completes at once. */
#define INJECT_MAX 256

/* If no send ends for this time in ns, drain gives up. An acknowledgement takes far less time. */
#define QUIET_NS UINT64_C(1000000000)

/* Sending a contiguous range of at least this length in bytes as a message of its own is faster than packing it. */
#define ZERO_COPY_MIN 32768

irr_status_t irr_ofi_status(ssize_t error)
{
    switch (error < 0 ? -error : error) {
    case 0:                return IRR_OK;
    case FI_ENOMEM:        return IRR_ERR_NO_MEMORY;
    case FI_EINVAL:        return IRR_ERR_BAD_PARAM;
    case FI_ETRUNC:        return IRR_ERR_TRUNCATE;
    case FI_ECANCELED:     return IRR_ERR_CANCELED;
    case FI_ENODATA:
    case FI_ENOSYS:
    case FI_EOPNOTSUPP:    return IRR_ERR_NOT_SUPPORTED;
    case FI_ECONNREFUSED:
    case FI_ECONNRESET:
    case FI_ECONNABORTED:
    case FI_EHOSTUNREACH:
    case FI_ENETUNREACH:
    case FI_ENOTCONN:
    case FI_ESHUTDOWN:
    case FI_ETIMEDOUT:     return IRR_ERR_UNREACHABLE;
    default:               return IRR_ERR_TRANSPORT;
    }
}

static irr_status_t failed(const irr_ofi_t *ofi, const char *what, int error)
{
    irr_log(IRR_LOG_ERROR, "libfabric cannot open %s of provider %s (%sofi_provider) on domain %s (%sofi_domain): "
            "%s; fi_info lists the providers and domains of this host", what, ofi->info->fabric_attr->prov_name,
            irr_log_prefix(), ofi->info->domain_attr->name, irr_log_prefix(), ofi->library->strerror(-error));
    return irr_ofi_status(error);
}

static irr_status_t address(irr_transport_t *transport, const void **address_p, size_t *length_p)
{
    *address_p = irr_ofi_of(transport)->address;
    *length_p = irr_ofi_of(transport)->address_length;
    return IRR_OK;
}

static irr_status_t arm(irr_transport_t *transport, int *fd_p)
{
    irr_ofi_t *ofi = irr_ofi_of(transport);
    struct fid *fid = &ofi->cq->fid;
    int error;

    if (!ofi->super.caps.wakes) {
        return IRR_ERR_NOT_SUPPORTED;
    }
    if (ofi->finished != NULL || ofi->backlogs != NULL) {
        return IRR_IN_PROGRESS;   /* progress must handle these; the descriptor does not report them */
    }
    error = fi_trywait(ofi->fabric, &fid, 1);
    if (error == -FI_EAGAIN) {
        return IRR_IN_PROGRESS;
    }
    if (error == 0) {
        *fd_p = ofi->event_fd;
    }
    return irr_ofi_status(error);
}

static void statistics(irr_transport_t *transport, uint64_t *endpoints, uint64_t *bytes_gathered)
{
    *endpoints = irr_ofi_of(transport)->endpoints;
    *bytes_gathered = irr_ofi_of(transport)->bytes_gathered;
}

static void close_transport(irr_transport_t *transport)
{
    irr_ofi_of(transport)->closed = true;
}

/*
 * Returns IRR_OK when all sends have ended and no message is being discarded. A rendezvous with a receiver that never
 * answers does not end, and cannot be cancelled. If no send ends for QUIET_NS, drain therefore gives up the remaining
 * sends. The caller must call progress in between, because libfabric moves messages only while it is called.
 */
static irr_status_t drain(irr_transport_t *transport)
{
    irr_ofi_t *ofi = irr_ofi_of(transport);
    const uint64_t now_ns = irr_clock_ns();

    if (ofi->sends != ofi->draining || ofi->backlogs != NULL) {
        ofi->draining = ofi->sends;
        ofi->quiet_ns = now_ns;
    }
    if ((ofi->sends > 0 && now_ns - ofi->quiet_ns < QUIET_NS) || irr_ofi_discards(ofi)) {
        return IRR_IN_PROGRESS;
    }
    ofi->endpoints = 0;
    return IRR_OK;
}

static void close_fid(fid_t fid)
{
    if (fid != NULL) {
        fi_close(fid);
    }
}

static void free_transport(irr_transport_t *transport)
{
    irr_ofi_t *ofi = irr_ofi_of(transport);

    close_fid(ofi->ep != NULL ? &ofi->ep->fid : NULL);
    close_fid(ofi->cq != NULL ? &ofi->cq->fid : NULL);
    close_fid(ofi->av != NULL ? &ofi->av->fid : NULL);
    close_fid(ofi->domain != NULL ? &ofi->domain->fid : NULL);
    close_fid(ofi->fabric != NULL ? &ofi->fabric->fid : NULL);
    if (ofi->info != NULL) {
        ofi->library->freeinfo(ofi->info);
    }
    irr_ofi_free_peers(ofi);
    irr_ofi_ops_free(ofi);
    irr_free(ofi->address);
    irr_free(ofi);
}

static const irr_transport_ops_t ops = {
    .address = address,
    .connect = irr_ofi_connect,
    .reach = irr_ofi_reach,
    .open_channel = irr_ofi_open_channel,
    .close_channel = irr_ofi_close_channel,
    .send = irr_ofi_send,
    .recv = irr_ofi_recv,
    .abandon = irr_ofi_abandon,
    .discard = irr_ofi_discard,
    .progress = irr_ofi_progress,
    .arm = arm,
    .statistics = statistics,
    .close = close_transport,
    .drain = drain,
    .free = free_transport
};

/*
 * Returns the length of a fragment: the largest power of two up to the provider's longest message. An address (peer.c)
 * has the logarithm of this length, in one byte, so ranks can check that they use the same length.
 */
static size_t fragment_max(size_t message_max)
{
    size_t fragment = (SIZE_MAX >> 1) + 1;

    while (fragment > message_max && message_max > 0) {   /* 0: no maximum */
        fragment >>= 1;
    }
    return fragment;
}

/* Sets the limits and capabilities that follow from the provider. */
static void describe(irr_ofi_t *ofi)
{
    const struct fi_info *info = ofi->info;
    const int bits = irr_ofi_tag_bits(info) - IRR_CHANNEL_ID_BITS - IRR_OFI_TAG_BITS;

    ofi->rank_bits = bits < IRR_CHANNEL_RANK_BITS ? bits : IRR_CHANNEL_RANK_BITS;
    ofi->inject_max = info->tx_attr->inject_size < INJECT_MAX ? info->tx_attr->inject_size : INJECT_MAX;
    ofi->fragment_max = fragment_max(info->ep_attr->max_msg_size);
    ofi->recvs_many = info->rx_attr->size / 2;
    ofi->super.ops = &ops;
    ofi->super.caps = (irr_transport_caps_t){
        .name = "ofi", .pieces_max = { 1, SIZE_MAX }, .iov_wire_max = 1, .gather_max = SIZE_MAX,
        .zero_copy_min = ZERO_COPY_MIN
    };
}

/* Opens the completion queue with a descriptor to sleep on, or without one if the provider has none. */
static int open_queue(irr_ofi_t *ofi)
{
    struct fi_cq_attr attr = { .format = FI_CQ_FORMAT_TAGGED, .wait_obj = FI_WAIT_FD };
    int error = fi_cq_open(ofi->domain, &attr, &ofi->cq, NULL);

    if (error == 0 && fi_control(&ofi->cq->fid, FI_GETWAIT, &ofi->event_fd) == 0) {
        ofi->super.caps.wakes = true;
        return 0;
    }
    if (error == 0) {
        fi_close(&ofi->cq->fid);
        ofi->cq = NULL;
    }
    attr.wait_obj = FI_WAIT_NONE;
    return fi_cq_open(ofi->domain, &attr, &ofi->cq, NULL);
}

static irr_status_t open_domain(irr_ofi_t *ofi, size_t job_ranks)
{
    struct fi_av_attr av = { .type = FI_AV_TABLE, .count = job_ranks };
    int error;

    error = ofi->library->fabric(ofi->info->fabric_attr, &ofi->fabric, NULL);
    if (error != 0) {
        return failed(ofi, "the fabric", error);
    }
    error = fi_domain(ofi->fabric, ofi->info, &ofi->domain, NULL);
    if (error != 0) {
        return failed(ofi, "the domain", error);
    }
    error = fi_av_open(ofi->domain, &av, &ofi->av, NULL);
    if (error != 0) {
        return failed(ofi, "an address table", error);
    }
    error = open_queue(ofi);
    return error != 0 ? failed(ofi, "a completion queue", error) : IRR_OK;
}

static irr_status_t open_endpoint(irr_ofi_t *ofi)
{
    int error = fi_endpoint(ofi->domain, ofi->info, &ofi->ep, NULL);

    if (error == 0) {
        error = fi_ep_bind(ofi->ep, &ofi->av->fid, 0);
    }
    if (error == 0) {
        error = fi_ep_bind(ofi->ep, &ofi->cq->fid, FI_TRANSMIT | FI_RECV);
    }
    if (error == 0) {
        error = fi_enable(ofi->ep);
    }
    if (error != 0) {
        return failed(ofi, "an endpoint", error);
    }
    return irr_ofi_make_address(ofi);
}

irr_status_t irr_ofi_open(const irr_engine_config_t *config, irr_transport_t **transport_p)
{
    irr_ofi_t *ofi = irr_alloc_zero(1, sizeof(*ofi));
    irr_status_t status;

    if (ofi == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    ofi->finished_last = &ofi->finished;
    irr_ofi_backlog_init(&ofi->receives);
    status = irr_ofi_load(config, &ofi->library);
    if (status == IRR_OK) {
        status = irr_ofi_choose(ofi->library, config, &ofi->info);
    }
    if (status == IRR_OK) {
        describe(ofi);
        status = open_domain(ofi, config->job_ranks);
    }
    if (status == IRR_OK) {
        status = open_endpoint(ofi);
    }
    if (status != IRR_OK) {
        free_transport(&ofi->super);
        return status;
    }
    irr_log(IRR_LOG_DEBUG, "libfabric uses provider %s on domain %s", ofi->info->fabric_attr->prov_name,
            ofi->info->domain_attr->name);
    *transport_p = &ofi->super;
    return IRR_OK;
}
