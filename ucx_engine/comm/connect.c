/*
 * connect.c - steps of a setup that find the members of a communicator, and open a channel to all of them.
 *
 * A label is the number of a rank's node. A directory is a table of the addresses of processes (directory.h). A rank is
 * in trouble if it cannot take part in the setup, for example for lack of memory (comm/agree.c).
 *
 * Cost: if a member does not know the addresses of all members, one all-reduce, which detects missing memory, and one
 * all-gather of labels and addresses, which become a directory. Otherwise one all-gather of labels, or no collective if
 * all members are on one node. Opening the channel connects the processes of the node. Another process is connected
 * when the first message is sent to it.
 */
#include "comm/agree.h"

#include "core/alloc.h"
#include "core/log.h"

#include <stdio.h>
#include <string.h>

/* ---- labels and addresses ---- */

/*
 * Reads the labels from the gathered entries, and sets the names of the processes in them. If an address has no valid
 * length, this rank is in trouble.
 */
static void take_entries(irr_setup_t *setup)
{
    irr_comm_t *comm = setup->comm;

    for (int i = 0; i < comm->ranks; i++) {
        irr_directory_entry_t *entry = irr_directory_entry(setup->directory, (size_t)i);

        entry->name = irr_members_name(&comm->members, i);
        if (entry->length == 0 || entry->length > setup->agreement.address_bytes) {
            irr_setup_cannot(setup, IRR_ERR_UNREACHABLE, "use the address of rank %d", i);
        }
        if (!setup->placed) {
            comm->labels[i] = entry->label;
        }
    }
}

static irr_status_t found(irr_setup_t *setup)
{
    setup->placed = true;
    setup->next = setup->then;
    return IRR_OK;
}

static irr_status_t entries_came(irr_setup_t *setup)
{
    irr_engine_t *engine = setup->engine;

    take_entries(setup);
    irr_directory_sort(setup->directory, setup->label, &setup->host);
    irr_directory_offer(setup->directory, &setup->host);
    irr_lock_acquire(&engine->lock);
    irr_directories_add(&engine->directories, setup->directory);
    irr_lock_release(&engine->lock);
    setup->added = true;
    return found(setup);
}

static irr_status_t give_entry(irr_setup_t *setup)
{
    irr_transport_t *transport = setup->engine->transport;
    irr_directory_t *directory = setup->directory;
    const void *address = NULL;
    size_t length = 0;

    if (setup->verdict != IRR_OK) {
        return setup->verdict;
    }
    irr_setup_cannot(setup, transport->ops->address(transport, &address, &length), "name its address");
    return irr_setup_gather(setup, irr_directory_input(directory, setup->label, address, length),
                            irr_directory_entry(directory, 0), directory->stride, entries_came);
}

static irr_status_t gather_entries(irr_setup_t *setup)
{
    irr_connect_settle(setup);   /* a directory that this setup gathered before */
    if (irr_directory_create((size_t)setup->params.ranks, setup->agreement.address_bytes, setup->params.settings.shm,
                             &setup->directory) != IRR_OK) {
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

/* Connects a process. If it is connected already, adds transports that were opened since. The engine is locked. */
static irr_status_t connect_process(irr_engine_t *engine, uint64_t name, irr_peer_t **peer_p)
{
    size_t length = 0;
    const void *address = irr_directories_find(engine->directories, name, &length);
    irr_status_t status;

    if (address == NULL) {
        return IRR_ERR_UNREACHABLE;
    }
    if (*peer_p != NULL) {
        return irr_lanes_learn(*peer_p, address, length);
    }
    status = irr_peers_reserve(&engine->peers);
    if (status == IRR_OK) {
        status = engine->transport->ops->connect(engine->transport, address, length, peer_p);
    }
    if (status == IRR_OK) {
        irr_peers_add(&engine->peers, name, *peer_p);
    }
    return status;
}

/*
 * Finds the process of a rank, and connects it unless it is connected over shared memory (near) or the network (far),
 * as `kind` states.
 */
static irr_status_t find_peer(irr_finder_t *finder, int rank, irr_lane_kind_t kind, irr_peer_t **peer_p)
{
    const irr_comm_t *comm = (irr_comm_t *)((char *)finder - offsetof(irr_comm_t, finder));
    const uint64_t name = irr_members_name(&comm->members, rank);

    *peer_p = irr_peers_find(&comm->engine->peers, name);
    return *peer_p == NULL || irr_lanes_lacks(*peer_p, kind) ? connect_process(comm->engine, name, peer_p) : IRR_OK;
}

static bool is_near(const irr_setup_t *setup, int rank)
{
    const irr_comm_t *comm = setup->comm;

    return setup->agreement.shares && comm->labels[rank] == comm->labels[comm->rank];
}

/*
 * Returns a rank with the label of this rank that cannot share memory with this rank; -1: none. There may be one if
 * ranks run in several containers of one machine.
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

/*
 * Shares memory with the other ranks of the node. Returns a rank with which this rank cannot share memory, and stores
 * the reason; -1: none.
 */
static int share_all(irr_setup_t *setup)
{
    const irr_comm_t *comm = setup->comm;
    irr_status_t status = IRR_OK;
    int failed = -1;

    irr_log_keep(setup->unshared, sizeof(setup->unshared));
    for (int i = 0; i < comm->ranks && status == IRR_OK; i++) {
        if (i != comm->rank && is_near(setup, i)) {
            status = irr_channel_reach(comm->channel, i);
            failed = status != IRR_OK ? i : -1;
        }
    }
    irr_log_keep(NULL, 0);
    if (failed >= 0 && setup->unshared[0] == '\0') {
        snprintf(setup->unshared, sizeof(setup->unshared), "%s", irr_status_text(status));
    }
    return failed;
}

/*
 * Connects the next rank that this rank reaches over the network. A wrong configuration of transports or devices then
 * causes an error during the setup, and not during an exchange.
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

/*
 * Connects all ranks of this node. If the ranks cannot share memory by the transport shm, the kernel may also forbid
 * the shared memory of a network library. The setup detects this, so that no exchange fails.
 */
static void reach_node(irr_setup_t *setup)
{
    const irr_comm_t *comm = setup->comm;

    for (int i = 0; i < comm->ranks; i++) {
        if (i != comm->rank && comm->labels[i] == comm->labels[comm->rank]) {
            irr_setup_cannot(setup, irr_channel_reach(comm->channel, i), "reach rank %d", i);
        }
    }
}

/* Returns true if this rank has tried to share memory, and the ranks have agreed that some rank cannot. */
static bool could_not_share(const irr_setup_t *setup)
{
    const irr_engine_t *engine = setup->engine;

    return setup->params.settings.shm && !setup->agreement.shares &&
           (engine->lanes->inner[IRR_LANE_NEAR] != NULL || engine->reason[IRR_LANE_NEAR][0] != '\0');
}

/* Opens the channel. The engine is locked. */
static void connect(irr_setup_t *setup)
{
    irr_comm_t *comm = setup->comm;
    irr_status_t status;

    comm->finder.find = find_peer;
    setup->unmapped = find_alien(setup);
    if (setup->unmapped >= 0) {
        snprintf(setup->unshared, sizeof(setup->unshared), "it has no address of shared memory");
        return;   /* the members will agree to connect again, without shared memory */
    }
    status = irr_lanes_open_channel(comm->engine->lanes, (uint16_t)comm->id, comm->ranks, comm->rank, &comm->finder,
                                    setup->agreement.shares ? comm->labels : NULL, &comm->channel);
    irr_setup_cannot(setup, status, "open a channel to the other ranks");
    if (status == IRR_OK) {
        setup->unmapped = share_all(setup);
        reach_next(setup);
    }
    if (status == IRR_OK && could_not_share(setup)) {
        reach_node(setup);
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

void irr_connect_share(irr_setup_t *setup, bool works)
{
    irr_comm_t *comm = setup->comm;
    irr_transport_t *transport = setup->engine->transport;

    irr_lock_acquire(&setup->engine->lock);
    for (int i = 0; works && i < comm->ranks; i++) {
        if (i != comm->rank && is_near(setup, i)) {
            irr_channel_settle(comm->channel, i);
        }
    }
    if (!works && transport->ops->leave != NULL) {
        transport->ops->leave(transport);
    }
    irr_lock_release(&setup->engine->lock);
}

void irr_connect_settle(irr_setup_t *setup)
{
    if (!setup->added) {
        if (setup->directory != NULL) {
            irr_directory_destroy(setup->directory);
        }
    } else {
        irr_lock_acquire(&setup->engine->lock);
        irr_directory_share(setup->directory, &setup->host);
        setup->directory->settled = true;
        irr_lock_release(&setup->engine->lock);
    }
    setup->directory = NULL;
    setup->added = false;
}
