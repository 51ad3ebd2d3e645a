/*
 * ofi.c - the libfabric transport: fabric, domain, endpoint, and the way down.
 *
 * One endpoint of tagged messages, one queue of completions, one table of addresses.  The engine serialises its calls,
 * so libfabric is asked for no locks.  What is opened besides: provider.c says on which provider and domain, and so what
 * listens.
 */
#include "transport/ofi/ofi.h"

#include "core/alloc.h"
#include "core/log.h"

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
    irr_log(IRR_LOG_ERROR, "libfabric cannot open %s of provider %s (ofi_provider) on domain %s (ofi_domain): %s", what,
            ofi->info->fabric_attr->prov_name, ofi->info->domain_attr->name, ofi->library->strerror(-error));
    return irr_ofi_status(error);
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
    irr_free(ofi);
}

static irr_status_t open_domain(irr_ofi_t *ofi, size_t job_ranks)
{
    struct fi_av_attr av = { .type = FI_AV_TABLE, .count = job_ranks };
    struct fi_cq_attr cq = { .format = FI_CQ_FORMAT_TAGGED, .wait_obj = FI_WAIT_NONE };
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
        return failed(ofi, "a table of addresses", error);
    }
    error = fi_cq_open(ofi->domain, &cq, &ofi->cq, NULL);
    return error != 0 ? failed(ofi, "a queue of completions", error) : IRR_OK;
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
    return error != 0 ? failed(ofi, "an endpoint", error) : IRR_OK;
}

irr_status_t irr_ofi_open(const irr_engine_config_t *config, irr_transport_t **transport_p)
{
    irr_ofi_t *ofi = irr_alloc_zero(1, sizeof(*ofi));
    irr_status_t status;

    if (ofi == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    status = irr_ofi_load(&ofi->library);
    if (status == IRR_OK) {
        status = irr_ofi_choose(ofi->library, config, &ofi->info);
    }
    if (status == IRR_OK) {
        status = open_domain(ofi, config->job_ranks);
    }
    if (status == IRR_OK) {
        status = open_endpoint(ofi);
    }
    if (status != IRR_OK) {
        free_transport(&ofi->super);
        return status;
    }
    /* Until it moves messages nobody gets it. */
    irr_log(IRR_LOG_ERROR, "transport ofi moves no messages yet");
    free_transport(&ofi->super);
    (void)transport_p;
    return IRR_ERR_NOT_SUPPORTED;
}
