/*
 * connect.c - the steps of a set-up to a channel on the transport, by which a rank reaches all others.
 *
 * Where a member does not know all others yet, one all-reduce, because memory may be missing, and one all-gather of
 * addresses; else nothing is said.
 */
#include "comm/agree.h"

#include "core/alloc.h"

#include <string.h>

/* One entry of the all-gather: a length, then that many bytes and padding. */
static size_t entry_bytes(const irr_opening_t *opening)
{
    return sizeof(uint64_t) + opening->agreement.address_bytes;
}

/* Connects the member of that rank unless its process is known; the engine is locked. */
static irr_status_t connect_member(irr_engine_t *engine, uint64_t name, const char *entry, size_t max)
{
    irr_peer_t *peer;
    uint64_t length;
    irr_status_t status;

    if (irr_peers_find(&engine->peers, name) != NULL) {
        return IRR_OK;
    }
    memcpy(&length, entry, sizeof(length));
    if (length == 0 || length > max) {
        return IRR_ERR_UNREACHABLE;
    }
    status = engine->transport->ops->connect(engine->transport, entry + sizeof(length), (size_t)length, &peer);
    if (status == IRR_OK) {
        irr_peers_add(&engine->peers, name, peer);
    }
    return status;
}

static irr_status_t connect_members(const irr_opening_t *opening)
{
    const irr_comm_params_t *params = &opening->params;
    irr_engine_t *engine = opening->engine;
    irr_status_t status;

    irr_lock_acquire(&engine->lock);
    status = irr_peers_reserve(&engine->peers, (size_t)params->ranks);
    for (int i = 0; i < params->ranks && status == IRR_OK; i++) {
        if (i != params->rank) {
            status = connect_member(engine, params->oob->process_name(params->oob->context, i),
                                    opening->gathered + (size_t)i * entry_bytes(opening),
                                    opening->agreement.address_bytes);
        }
    }
    irr_lock_release(&engine->lock);
    return status;
}

/*
 * Looks the members up, all of which are known, and opens the endpoint to the next rank: where transports or
 * devices are wrong on a node, it does not reach its neighbour, and that is better found out here than in the
 * exchange.
 */
static void find_peers(irr_opening_t *opening)
{
    const irr_oob_t *oob = opening->params.oob;
    irr_comm_t *comm = opening->comm;
    irr_transport_t *transport = comm->engine->transport;

    irr_lock_acquire(&comm->engine->lock);
    for (int i = 0; i < comm->ranks; i++) {
        if (i != comm->rank) {
            comm->peers[i] = irr_peers_find(&comm->engine->peers, oob->process_name(oob->context, i));
        }
    }
    if (comm->ranks > 1) {
        irr_opening_note(opening, transport->ops->reach(transport, comm->peers[(comm->rank + 1) % comm->ranks]),
                         "the transports and devices that a rank may use do not reach the rank after it");
    }
    irr_lock_release(&comm->engine->lock);
}

/* All members are known, or this rank is in trouble. */
static irr_status_t known(irr_opening_t *opening)
{
    if (opening->params.trouble == IRR_OK) {
        find_peers(opening);
    }
    opening->next = opening->then;
    return IRR_OK;
}

static irr_status_t addresses_came(irr_opening_t *opening)
{
    if (opening->params.trouble == IRR_OK) {
        irr_opening_note(opening, connect_members(opening), irr_opening_no_memory);
    }
    irr_free(opening->gathered);
    opening->gathered = NULL;
    return known(opening);
}

static irr_status_t give_address(irr_opening_t *opening)
{
    const size_t bytes = entry_bytes(opening);
    irr_transport_t *transport = opening->engine->transport;
    const void *address;
    uint64_t length;
    size_t own_bytes;
    char *own;

    if (opening->verdict != IRR_OK) {
        return opening->verdict;
    }
    own = opening->gathered + (size_t)opening->params.ranks * bytes;
    irr_opening_note(opening, transport->ops->address(transport, &address, &own_bytes), irr_opening_no_memory);
    if (opening->params.trouble == IRR_OK) {
        length = own_bytes;
        memcpy(own, &length, sizeof(length));
        memcpy(own + sizeof(length), address, own_bytes);
    }
    return irr_opening_gather(opening, own, opening->gathered, bytes, addresses_came);
}

static irr_status_t open_channel(irr_comm_t *comm)
{
    irr_transport_t *transport = comm->engine->transport;
    irr_status_t status;

    irr_lock_acquire(&comm->engine->lock);
    status = transport->ops->open_channel(transport, (uint16_t)comm->id, comm->ranks, comm->rank, comm->peers,
                                          &comm->channel);
    irr_lock_release(&comm->engine->lock);
    return status;
}

irr_status_t irr_connect_all(irr_opening_t *opening, irr_step_fn next)
{
    opening->then = next;
    irr_opening_note(opening, open_channel(opening->comm), irr_opening_no_memory);
    if (!opening->agreement.addresses_needed) {
        return known(opening);
    }
    opening->gathered = irr_alloc_zero((size_t)opening->params.ranks + 1, entry_bytes(opening));
    if (opening->gathered == NULL) {
        irr_opening_note(opening, IRR_ERR_NO_MEMORY, irr_opening_no_memory);
    }
    return irr_agree_no_trouble(opening, give_address);
}
