/*
 * endpoint.c - peers and their endpoints, the connections of UCX.
 *
 * The first send to a peer opens its endpoint: endpoints cost memory and time, and a process usually sends to few of
 * its peers. irr_ucx_close flushes and closes all endpoints.
 */
#include "transport/ucx/ucx.h"

#include "core/alloc.h"

#include <string.h>

irr_status_t irr_ucx_connect(irr_transport_t *transport, const void *address, size_t length, irr_peer_t **peer_p)
{
    irr_ucx_t *ucx = irr_ucx_of(transport);
    irr_peer_t *peer = irr_alloc(1, sizeof(*peer) + length);

    if (peer == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    peer->endpoint = NULL;
    peer->closing = NULL;
    peer->length = length;
    memcpy(peer->address, address, length);
    peer->next = ucx->peers;
    ucx->peers = peer;
    *peer_p = peer;
    return IRR_OK;
}

static irr_status_t open_endpoint(irr_ucx_t *ucx, irr_peer_t *peer)
{
    ucp_ep_params_t params = {
        .field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS,
        .address = (const ucp_address_t *)peer->address
    };
    ucs_status_t status = irr_ucx.ucp_ep_create(ucx->worker, &params, &peer->endpoint);

    if (status != UCS_OK) {
        peer->endpoint = NULL;
        return irr_ucx_status(status);
    }
    ucx->endpoints++;
    return IRR_OK;
}

irr_status_t irr_ucx_reach(irr_transport_t *transport, irr_peer_t *peer)
{
    irr_ucx_t *ucx = irr_ucx_of(transport);

    if (ucx->closed) {
        return IRR_ERR_CANCELED;   /* the endpoint may be closing; UCX must not use it any more */
    }
    return peer->endpoint != NULL ? IRR_OK : open_endpoint(ucx, peer);
}

/* Starts to close an endpoint. If UCX returns no request, the endpoint is closed already, even after an error. */
static void close_peer(irr_ucx_t *ucx, irr_peer_t *peer)
{
    ucp_request_param_t flush = { .op_attr_mask = 0 };
    ucs_status_ptr_t request = irr_ucx.ucp_ep_close_nbx(peer->endpoint, &flush);

    if (UCS_PTR_IS_PTR(request)) {
        peer->closing = request;
        return;
    }
    peer->endpoint = NULL;
    ucx->endpoints--;
}

void irr_ucx_close(irr_transport_t *transport)
{
    irr_ucx_t *ucx = irr_ucx_of(transport);

    if (ucx->closed) {
        return;
    }
    ucx->closed = true;
    for (irr_peer_t *peer = ucx->peers; peer != NULL; peer = peer->next) {
        if (peer->endpoint != NULL) {
            close_peer(ucx, peer);
        }
    }
}

irr_status_t irr_ucx_drain(irr_transport_t *transport)
{
    irr_ucx_t *ucx = irr_ucx_of(transport);

    for (irr_peer_t *peer = ucx->peers; peer != NULL; peer = peer->next) {
        if (peer->closing != NULL && irr_ucx.ucp_request_check_status(peer->closing) != UCS_INPROGRESS) {
            irr_ucx.ucp_request_free(peer->closing);
            peer->closing = NULL;
            peer->endpoint = NULL;
            ucx->endpoints--;
        }
    }
    return ucx->endpoints > 0 || irr_ucx_discards(ucx) ? IRR_IN_PROGRESS : IRR_OK;
}

void irr_ucx_free_peers(irr_ucx_t *ucx)
{
    while (ucx->peers != NULL) {
        irr_peer_t *peer = ucx->peers;

        ucx->peers = peer->next;
        irr_free(peer);
    }
}
