/*
 * peer.c - peers: their addresses, and their entries in libfabric's address table.
 *
 * An address of this transport, with the length of each field in bytes:
 *
 *     version 1 | length of the provider's name 1 | logarithm of a fragment's length 1 | zero 1 |
 *     format of libfabric's address 4 | name of the provider | libfabric's address
 *
 * The first send to a peer makes its entry in the table, because a process usually sends to few of its peers. Addresses
 * from other processes are checked, because libfabric reads as many bytes as the format implies.
 */
#include "transport/ofi/ofi.h"

#include "core/alloc.h"
#include "core/log.h"

#include <string.h>

#define VERSION  2
#define NAME_MAX_BYTES 64

typedef struct head {
    uint8_t  version, name_length, fragment_log, zero;
    uint32_t format;
} head_t;

_Static_assert(sizeof(head_t) == 8, "the head of an address has no holes");

irr_status_t irr_ofi_make_address(irr_ofi_t *ofi)
{
    const char *name = ofi->info->fabric_attr->prov_name;
    const size_t name_length = strnlen(name, NAME_MAX_BYTES);
    head_t head = {
        .version = VERSION, .name_length = (uint8_t)name_length,
        .fragment_log = (uint8_t)__builtin_ctzll(ofi->fragment_max),
        .format = ofi->info->addr_format
    };
    size_t length = 0;
    char *address;
    int error = fi_getname(&ofi->ep->fid, NULL, &length);

    if (error != -FI_ETOOSMALL && error != 0) {
        return irr_ofi_status(error);
    }
    address = irr_alloc_zero(1, sizeof(head) + name_length + length);
    if (address == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    memcpy(address, &head, sizeof(head));
    memcpy(address + sizeof(head), name, name_length);
    error = fi_getname(&ofi->ep->fid, address + sizeof(head) + name_length, &length);
    if (error != 0) {
        irr_free(address);
        return irr_ofi_status(error);
    }
    ofi->address = address;
    ofi->address_length = sizeof(head) + name_length + length;
    return IRR_OK;
}

static irr_status_t refuse_provider(const irr_ofi_t *ofi, const char *name, size_t length)
{
    char theirs[NAME_MAX_BYTES + 1] = "";

    for (size_t i = 0; i < length && i < NAME_MAX_BYTES; i++) {
        theirs[i] = name[i] > ' ' && name[i] < 127 ? name[i] : '?';
    }
    irr_log(IRR_LOG_ERROR, "another rank uses provider %s of libfabric, and this rank uses %s; all ranks must "
            "use the same provider (%sofi_provider)", theirs, ofi->info->fabric_attr->prov_name, irr_log_prefix());
    return IRR_ERR_UNREACHABLE;
}

static irr_status_t refuse_fragments(const irr_ofi_t *ofi, unsigned log)
{
    irr_log(IRR_LOG_ERROR, "the longest message of provider %s of libfabric has 2^%u bytes on another rank, "
            "and 2^%d bytes on this rank; all ranks must use the same kind of domain (%sofi_domain)",
            ofi->info->fabric_attr->prov_name, log, __builtin_ctzll(ofi->fragment_max), irr_log_prefix());
    return IRR_ERR_UNREACHABLE;
}

/* Checks that an address comes from the same provider as this process uses, and that libfabric can read it. */
static irr_status_t check(const irr_ofi_t *ofi, const char *address, size_t length)
{
    head_t head, own;

    if (length < sizeof(head)) {
        return IRR_ERR_BAD_PARAM;
    }
    memcpy(&head, address, sizeof(head));
    memcpy(&own, ofi->address, sizeof(own));
    if (head.version != VERSION || length <= sizeof(head) + head.name_length) {
        return IRR_ERR_BAD_PARAM;
    }
    if (head.name_length != own.name_length ||
        memcmp(address + sizeof(head), (const char *)ofi->address + sizeof(own), own.name_length) != 0) {
        return refuse_provider(ofi, address + sizeof(head), head.name_length);
    }
    if (head.fragment_log != own.fragment_log) {
        return refuse_fragments(ofi, head.fragment_log);
    }
    if (head.format != own.format ||
        (own.format == FI_ADDR_STR ? address[length - 1] != '\0' : length != ofi->address_length)) {
        return IRR_ERR_BAD_PARAM;
    }
    return IRR_OK;
}

irr_status_t irr_ofi_connect(irr_transport_t *transport, const void *address, size_t length, irr_peer_t **peer_p)
{
    irr_ofi_t *ofi = irr_ofi_of(transport);
    irr_status_t status = check(ofi, address, length);
    irr_peer_t *peer;

    if (status != IRR_OK) {
        return status;
    }
    peer = irr_alloc(1, sizeof(*peer) + length);
    if (peer == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    peer->to = FI_ADDR_NOTAVAIL;
    irr_ofi_backlog_init(&peer->backlog);
    peer->length = length;
    memcpy(peer->address, address, length);
    peer->next = ofi->peers;
    ofi->peers = peer;
    *peer_p = peer;
    return IRR_OK;
}

static irr_status_t insert(irr_ofi_t *ofi, irr_peer_t *peer)
{
    head_t head;
    fi_addr_t to;
    int inserted;

    memcpy(&head, peer->address, sizeof(head));
    inserted = fi_av_insert(ofi->av, peer->address + sizeof(head) + head.name_length, 1, &to, 0, NULL);
    if (inserted != 1) {
        return inserted == -FI_ENOMEM ? IRR_ERR_NO_MEMORY : IRR_ERR_UNREACHABLE;
    }
    peer->to = to;
    ofi->endpoints++;
    return IRR_OK;
}

irr_status_t irr_ofi_reach(irr_transport_t *transport, irr_peer_t *peer)
{
    irr_ofi_t *ofi = irr_ofi_of(transport);

    if (ofi->closed) {
        return IRR_ERR_CANCELED;
    }
    return peer->to != FI_ADDR_NOTAVAIL ? IRR_OK : insert(ofi, peer);
}

void irr_ofi_free_peers(irr_ofi_t *ofi)
{
    while (ofi->peers != NULL) {
        irr_peer_t *peer = ofi->peers;

        ofi->peers = peer->next;
        irr_free(peer);
    }
}
