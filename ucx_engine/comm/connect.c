/*
 * connect.c - finds the members of a communicator, and opens a channel that reaches all of them.
 *
 * If a member lacks addresses of other members, finding the members takes one all-reduce, which detects missing memory,
 * and one all-gather of labels and addresses. If no member lacks an address, finding the members takes one all-gather
 * of labels, or no collective if all members are on one node. If the caller has a store of addresses, no member lacks
 * an address: the first send to a process fetches its address, as does the channel for the processes of the node.
 */
#include "comm/agree.h"

#include "core/alloc.h"

#include <string.h>

/* ---- labels and addresses ---- */

/* An entry of the all-gather. The address follows, padded to 8 bytes. */
typedef struct entry {
    int64_t  label;
    uint64_t length;
} entry_t;

static size_t entry_bytes(const irr_setup_t *setup)
{
    return sizeof(entry_t) + (setup->agreement.address_bytes + 7) / 8 * 8;
}

/* Connects the process of this name, or adds new addresses of a known process. The engine is locked. */
static irr_status_t connect_member(irr_engine_t *engine, uint64_t name, const void *address, uint64_t length,
                                   size_t max)
{
    irr_peer_t *peer = irr_peers_find(&engine->peers, name);
    irr_status_t status;

    if (length == 0 || length > max) {
        return IRR_ERR_UNREACHABLE;
    }
    if (peer != NULL) {
        return irr_lanes_learn(peer, address, (size_t)length);
    }
    status = irr_peers_reserve(&engine->peers, 1);
    if (status == IRR_OK) {
        status = engine->transport->ops->connect(engine->transport, address, (size_t)length, &peer);
    }
    if (status == IRR_OK) {
        irr_peers_add(&engine->peers, name, peer);
    }
    return status;
}

static void connect_members(irr_setup_t *setup)
{
    const irr_comm_params_t *params = &setup->params;
    irr_engine_t *engine = setup->engine;

    irr_lock_acquire(&engine->lock);
    for (int i = 0; i < params->ranks && params->trouble == IRR_OK; i++) {
        const entry_t *entry = (const entry_t *)(setup->gathered + (size_t)i * entry_bytes(setup));

        if (i != params->rank) {
            const uint64_t name = irr_members_name(&setup->comm->members, i);
            const irr_status_t status =
                connect_member(engine, name, entry + 1, entry->length, setup->agreement.address_bytes);

            irr_setup_cannot(setup, status, "use the address of rank %d", i);
        }
        if (!setup->placed) {
            setup->comm->labels[i] = (int)entry->label;
        }
    }
    irr_lock_release(&engine->lock);
}

static irr_status_t found(irr_setup_t *setup)
{
    setup->placed = true;
    setup->next = setup->then;
    return IRR_OK;
}

static irr_status_t entries_came(irr_setup_t *setup)
{
    if (setup->params.trouble == IRR_OK) {
        connect_members(setup);
    }
    irr_free(setup->gathered);
    setup->gathered = NULL;
    return found(setup);
}

static irr_status_t give_entry(irr_setup_t *setup)
{
    const size_t bytes = entry_bytes(setup);
    irr_transport_t *transport = setup->engine->transport;
    const void *address;
    size_t length;
    entry_t *own;

    if (setup->verdict != IRR_OK) {
        return setup->verdict;
    }
    own = (entry_t *)(setup->gathered + (size_t)setup->params.ranks * bytes);
    own->label = setup->label;
    irr_setup_cannot(setup, transport->ops->address(transport, &address, &length), "name its address");
    if (setup->params.trouble == IRR_OK) {
        own->length = length;
        memcpy(own + 1, address, length);
    }
    return irr_setup_gather(setup, own, setup->gathered, bytes, entries_came);
}

static irr_status_t gather_entries(irr_setup_t *setup)
{
    setup->gathered = irr_alloc_zero((size_t)setup->params.ranks + 1, entry_bytes(setup));
    if (setup->gathered == NULL) {
        irr_setup_note(setup, IRR_ERR_NO_MEMORY, irr_setup_no_memory);
    }
    return irr_agree_no_trouble(setup, give_entry);
}

irr_status_t irr_connect_find(irr_setup_t *setup, irr_step_fn next)
{
    irr_comm_t *comm = setup->comm;

    setup->then = next;
    setup->label = irr_comm_files_label(&setup->params, &setup->files);
    if (setup->agreement.addresses_needed) {
        return gather_entries(setup);
    }
    if (!setup->placed && !setup->agreement.one_node) {
        return irr_setup_gather(setup, &setup->label, comm->labels, sizeof(setup->label), found);
    }
    for (int i = 0; i < comm->ranks && !setup->placed; i++) {
        comm->labels[i] = setup->label;
    }
    return found(setup);
}

/* ---- the channel ---- */

/* Fetches the address of a process, and connects the process. */
static irr_status_t fetch_member(const irr_comm_t *comm, uint64_t name)
{
    const irr_store_t *store = comm->engine->config.store;
    void *address = irr_alloc(1, comm->address_bytes);
    size_t length = 0;
    irr_status_t status = IRR_ERR_NO_MEMORY;

    if (address != NULL) {
        status = store->fetch(store->context, name, address, comm->address_bytes, &length);
    }
    if (status == IRR_OK) {
        status = connect_member(comm->engine, name, address, length, comm->address_bytes);
    }
    irr_free(address);
    return status;
}

static irr_status_t find_peer(irr_finder_t *finder, int rank, irr_lane_kind_t kind, irr_peer_t **peer_p)
{
    const irr_comm_t *comm = (irr_comm_t *)((char *)finder - offsetof(irr_comm_t, finder));
    const irr_peers_t *peers = &comm->engine->peers;
    const uint64_t name = irr_members_name(&comm->members, rank);
    irr_status_t status = IRR_OK;

    *peer_p = irr_peers_find(peers, name);
    if (comm->engine->config.store != NULL && (*peer_p == NULL || irr_lanes_lacks(*peer_p, kind))) {
        status = fetch_member(comm, name);
        *peer_p = irr_peers_find(peers, name);
    }
    return status == IRR_OK && *peer_p == NULL ? IRR_ERR_UNREACHABLE : status;
}

static bool is_near(const irr_setup_t *setup, int rank)
{
    const irr_comm_t *comm = setup->comm;

    return setup->agreement.shares && comm->labels[rank] == comm->labels[comm->rank];
}

/*
 * Returns a rank that has the label of this rank but cannot share memory with this rank; -1: none. Such a rank exists
 * if Open MPI and the kernel see nodes differently.
 */
static int find_alien(const irr_setup_t *setup)
{
    const irr_comm_t *comm = setup->comm;

    for (int i = 0; i < comm->ranks; i++) {
        irr_peer_t *peer;

        if (i != comm->rank && is_near(setup, i) &&
            find_peer(&setup->comm->finder, i, IRR_LANE_NEAR, &peer) == IRR_OK &&
            irr_lanes_lacks(peer, IRR_LANE_NEAR)) {
            return i;
        }
    }
    return -1;
}

/* Maps the memory of the other ranks of the node. Returns a rank whose memory cannot be mapped; -1: none. */
static int map_all(const irr_setup_t *setup)
{
    const irr_comm_t *comm = setup->comm;

    for (int i = 0; i < comm->ranks; i++) {
        if (i != comm->rank && is_near(setup, i) && irr_channel_reach(comm->channel, i) != IRR_OK) {
            return i;
        }
    }
    return -1;
}

/*
 * Opens the endpoint to the next rank that is reached over the network. A wrong configuration of transports or devices
 * then fails in the setup and not in an exchange.
 */
static void reach_next(irr_setup_t *setup)
{
    const irr_comm_t *comm = setup->comm;
    int next = (comm->rank + 1) % comm->ranks;

    while (next != comm->rank && is_near(setup, next)) {
        next = (next + 1) % comm->ranks;
    }
    if (next != comm->rank) {
        irr_setup_cannot(setup, irr_channel_reach(comm->channel, next), "reach rank %d", next);
    }
}

/* Opens the channel; all members are known. The engine is locked. */
static void connect(irr_setup_t *setup)
{
    irr_comm_t *comm = setup->comm;
    irr_status_t status;

    comm->finder = (irr_finder_t){ .fetches = comm->engine->config.store != NULL, .find = find_peer };
    setup->unmapped = find_alien(setup);
    if (setup->unmapped >= 0) {
        return;   /* all members connect again, without shared memory */
    }
    status = irr_lanes_open_channel(comm->engine->lanes, (uint16_t)comm->id, comm->ranks, comm->rank, &comm->finder,
                                    setup->agreement.shares ? comm->labels : NULL, &comm->channel);
    irr_setup_cannot(setup, status, "open a channel to the other ranks");
    if (status == IRR_OK) {
        setup->unmapped = map_all(setup);
        reach_next(setup);
    }
}

void irr_connect_all(irr_setup_t *setup)
{
    irr_lock_acquire(&setup->engine->lock);
    irr_comm_close_channel(setup->comm);
    setup->unmapped = -1;
    if (setup->params.trouble == IRR_OK) {
        connect(setup);
    }
    irr_lock_release(&setup->engine->lock);
}
