/*
 * comm.c - a communicator of the engine: set-up by agreement, and the end.
 *
 * Set-up is done in the first exchange and costs three all-reduces of a few words; if a member does not know all others
 * yet, one all-gather of addresses and one all-reduce more; and one for each time that members propose different ids; an
 * algorithm that asks where ranks are adds one all-gather where they are on several nodes, and one with boards, for
 * exchanges or agreements, one all-gather and one all-reduce (comm/boards.h).  With boards that may be all that there
 * is: then the ranks need no transport, and have a channel that leads nowhere; and if they do, they open it when they
 * know, which takes one all-reduce more.  What an exchange needs to end well, or alike on all ranks, is allocated here,
 * before the last agreement.
 */
#include "comm/agree.h"
#include "comm/comm_route.h"
#include "comm/exchange.h"
#include "comm/switches.h"

#include "core/alloc.h"
#include "core/log.h"
#include "exec/tag.h"

#include <string.h>

/* One entry of the all-gather: a length, then that many bytes and padding. */
static size_t entry_bytes(const irr_agreement_t *agreement)
{
    return sizeof(uint64_t) + agreement->address_bytes;
}

/* ---- what a rank needs by itself ---- */

/* In trouble a rank says why, but not what came of an earlier one. */
static void note_trouble(irr_comm_params_t *params, irr_status_t status, const char *reason)
{
    if (params->trouble == IRR_OK && status != IRR_OK) {
        params->trouble = status;
        params->reason = reason;
    }
}

static const char no_memory[] = "a rank has no memory for a communicator";

/* All but what has to wait for the id and the nodes.  *entries_p: room for the all-gather of boards and our own. */
static irr_status_t allocate(irr_engine_t *engine, const irr_comm_params_t *params, const irr_comm_files_t *files,
                             irr_comm_t **comm_p, irr_boards_entry_t **entries_p)
{
    const size_t ranks = (size_t)params->ranks;
    irr_comm_t *comm = irr_alloc_zero(1, sizeof(*comm));

    if (comm == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    comm->engine = engine;
    comm->ranks = params->ranks;
    comm->rank = params->rank;
    comm->settings = params->settings;
    comm->channel = &comm->nowhere;
    comm->peers = irr_alloc_zero(ranks, sizeof(*comm->peers));
    comm->labels = irr_alloc(irr_comm_route_needs_labels(params, files) ? ranks : 0, sizeof(*comm->labels));
    *entries_p = irr_alloc_zero(irr_comm_route_has_boards(params, files) ? ranks + 1 : 0, sizeof(**entries_p));
    if (comm->peers == NULL || comm->labels == NULL || *entries_p == NULL) {
        irr_free(*entries_p);
        *entries_p = NULL;
        irr_comm_free(comm);
        return IRR_ERR_NO_MEMORY;
    }
    *comm_p = comm;
    return IRR_OK;
}

static void open_transport(irr_engine_t *engine, irr_comm_params_t *params)
{
    const irr_status_t status = irr_engine_open_transport(engine);

    note_trouble(params, status, engine->reason[0] != '\0' ? engine->reason : no_memory);
}

/* The engine knows the communicator from now on, which has an id. */
static void enter(irr_comm_t *comm, uint32_t id)
{
    irr_engine_t *engine = comm->engine;

    comm->id = id;
    irr_channel_init(&comm->nowhere, irr_transport_none(), (uint16_t)id, comm->ranks, comm->rank, comm->peers);
    irr_lock_acquire(&engine->lock);
    comm->next = engine->comms;
    if (comm->next != NULL) {
        comm->next->prev = comm;
    }
    engine->comms = comm;
    irr_lock_release(&engine->lock);
}

/* ---- the others ---- */

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

static irr_status_t connect_members(irr_comm_t *comm, const irr_comm_params_t *params,
                                    const irr_agreement_t *agreement, const char *entries)
{
    irr_engine_t *engine = comm->engine;
    irr_status_t status;

    irr_lock_acquire(&engine->lock);
    status = irr_peers_reserve(&engine->peers, (size_t)params->ranks);
    for (int i = 0; i < params->ranks && status == IRR_OK; i++) {
        if (i != params->rank) {
            status = connect_member(engine, params->oob->process_name(params->oob->context, i),
                                    entries + (size_t)i * entry_bytes(agreement), agreement->address_bytes);
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
static void find_peers(irr_comm_t *comm, irr_comm_params_t *params)
{
    const irr_oob_t *oob = params->oob;
    irr_transport_t *transport = comm->engine->transport;

    irr_lock_acquire(&comm->engine->lock);
    for (int i = 0; i < comm->ranks; i++) {
        if (i != comm->rank) {
            comm->peers[i] = irr_peers_find(&comm->engine->peers, oob->process_name(oob->context, i));
        }
    }
    if (comm->ranks > 1) {
        note_trouble(params, transport->ops->reach(transport, comm->peers[(comm->rank + 1) % comm->ranks]),
                     "the transports and devices that a rank may use do not reach the rank after it");
    }
    irr_lock_release(&comm->engine->lock);
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

/* Collective: the addresses of all.  A local failure becomes trouble for the next agreement. */
static irr_status_t exchange_addresses(irr_comm_t *comm, irr_comm_params_t *params, const irr_agreement_t *agreement)
{
    irr_transport_t *transport = comm->engine->transport;
    char *entries = irr_alloc_zero((size_t)params->ranks + 1, entry_bytes(agreement));
    const void *address;
    uint64_t length;
    size_t bytes;
    irr_status_t status;

    note_trouble(params, entries == NULL ? IRR_ERR_NO_MEMORY : IRR_OK, no_memory);
    status = irr_agree_no_trouble(params);
    if (status == IRR_OK) {
        char *own = entries + (size_t)params->ranks * entry_bytes(agreement);

        note_trouble(params, transport->ops->address(transport, &address, &bytes), no_memory);
        if (params->trouble == IRR_OK) {
            length = bytes;
            memcpy(own, &length, sizeof(length));
            memcpy(own + sizeof(length), address, bytes);
        }
        status = params->oob->allgather(params->oob->context, own, entries, entry_bytes(agreement)) == IRR_OK
                     ? IRR_OK : IRR_ERR_OOB;
    }
    if (status == IRR_OK && params->trouble == IRR_OK) {
        note_trouble(params, connect_members(comm, params, agreement, entries), no_memory);
    }
    irr_free(entries);
    return status;
}

/* Collective: comes to a channel on the transport, by which it reaches all others. */
static irr_status_t connect_all(irr_comm_t *comm, irr_comm_params_t *params, const irr_agreement_t *agreement)
{
    irr_status_t status = IRR_OK;

    note_trouble(params, open_channel(comm), no_memory);
    if (agreement->addresses_needed) {
        status = exchange_addresses(comm, params, agreement);
    }
    if (status == IRR_OK && params->trouble == IRR_OK) {
        find_peers(comm, params);
    }
    return status;
}

/* Collective: learns where the members are, and comes to boards. */
static irr_status_t exchange_labels(irr_comm_t *comm, irr_comm_params_t *params, const irr_comm_files_t *files,
                                    bool one_node, irr_boards_entry_t *entries)
{
    const irr_oob_t *oob = params->oob;
    const int label = irr_comm_files_label(params, files);

    for (int i = 0; i < comm->ranks && one_node; i++) {
        comm->labels[i] = label;
    }
    if (!one_node && oob->allgather(oob->context, &label, comm->labels, sizeof(label)) != IRR_OK) {
        return IRR_ERR_OOB;
    }
    return irr_comm_route_has_boards(params, files) ? irr_boards_join(comm, params, entries) : IRR_OK;
}

/* Collective: all that follows the id. */
static irr_status_t settle(irr_comm_t *comm, irr_comm_params_t *params, irr_comm_files_t *files,
                           irr_agreement_t *agreement, irr_boards_entry_t *entries)
{
    const bool needs_labels = irr_comm_route_needs_labels(params, files);
    const bool may_stay = irr_comm_route_may_stay(params, files);
    irr_status_t status = IRR_OK;
    bool stays;

    if (needs_labels) {
        status = exchange_labels(comm, params, files, agreement->one_node, entries);
    }
    stays = may_stay && agreement->one_node && comm->board != NULL && comm->board->lends;
    if (status == IRR_OK && params->only_boards && !stays) {
        status = IRR_ERR_NOT_SUPPORTED;
    }
    if (status == IRR_OK && may_stay && !stays) {
        open_transport(comm->engine, params);
        status = irr_agree_addresses(comm->engine, params, agreement);
    }
    if (status == IRR_OK && !stays) {
        status = connect_all(comm, params, agreement);
    }
    if (status == IRR_OK && !agreement->one_node && irr_switches_asked(params, files)) {
        status = irr_switches_find(comm, params, files, agreement->path_bytes);
    }
    if (status != IRR_OK) {
        return status;
    }
    if (params->trouble == IRR_OK) {
        note_trouble(params, irr_comm_route_init(comm, needs_labels ? comm->labels : NULL, files), no_memory);
    }
    return irr_agree_no_trouble(params);
}

/* What the engine itself finds wrong becomes trouble of this rank, told in the agreement like the host's. */
static void check_params(irr_comm_params_t *params)
{
    if (params->trouble != IRR_OK) {
        return;
    }
    if (params->ranks > IRR_CHANNEL_RANKS_MAX) {
        params->trouble = IRR_ERR_NOT_SUPPORTED;
        params->reason = "the communicator has more ranks than a message can name, which is 1048576";
    } else if (irr_algorithm_name(params->settings.algorithm) == NULL ||
               irr_compose_name((int)params->settings.compose) == NULL ||
               irr_overlap_name((int)params->settings.overlap) == NULL ||
               irr_pacing_name((int)params->settings.pace) == NULL ||
               irr_host_route_name((int)params->settings.host_route) == NULL) {
        params->trouble = IRR_ERR_BAD_PARAM;
        params->reason = "the settings of a communicator name an algorithm, a composition, an overlap, a pace or a "
                         "host route that does not exist";
    } else if (irr_comm_route_lacks(&params->settings)) {
        params->trouble = IRR_ERR_BAD_PARAM;
        params->reason = "the algorithm redist needs a redistribution, as x,p,y,q";
    } else if (!irr_comm_route_fits(&params->settings, params->ranks)) {
        params->trouble = IRR_ERR_BAD_PARAM;
        params->reason = "the dims of a communicator make more than 15 stages, and a balanced algorithm has two a "
                         "dimension";
    }
}

_Static_assert(IRR_CHANNEL_RANKS_MAX == 1048576 && IRR_TAG_STAGES_MAX == 15, "texts above say so");

/* Collective. */
static irr_status_t find_id(irr_engine_t *engine, const irr_comm_params_t *params, uint32_t *id_p)
{
    irr_status_t status = irr_agree_id(engine, params->oob, id_p);

    if (status == IRR_ERR_NOT_SUPPORTED && params->rank == 0) {
        irr_log(IRR_LOG_WARN, "none of the %u communicator ids is free at all ranks of a communicator",
                (unsigned)IRR_IDS_COUNT);
    }
    return status;
}

irr_status_t irr_comm_create(irr_engine_t *engine, const irr_comm_params_t *given, irr_comm_t **comm_p)
{
    irr_comm_params_t params = *given;
    irr_comm_files_t files = { .host = 0 };
    irr_boards_entry_t *entries = NULL;
    irr_comm_t *comm = NULL;
    irr_agreement_t agreement;
    irr_status_t status;
    uint32_t id = IRR_IDS_NONE;

    check_params(&params);
    irr_comm_files_read(&params, &files);
    irr_switches_read(&params, &files);
    if (params.trouble == IRR_OK) {
        note_trouble(&params, allocate(engine, &params, &files, &comm, &entries), no_memory);
    }
    if (params.trouble == IRR_OK && !irr_comm_route_may_stay(&params, &files)) {
        open_transport(engine, &params);
    }
    status = irr_agree_start(engine, &params, &files, &agreement);
    if (status == IRR_OK) {
        status = find_id(engine, &params, &id);
    }
    if (status == IRR_OK) {
        enter(comm, id);
        status = settle(comm, &params, &files, &agreement, entries);
    }
    if (status == IRR_OK) {
        irr_comm_files_doubt(comm, &params, &files);
        *comm_p = comm;
    } else if (id != IRR_IDS_NONE) {
        irr_comm_destroy(comm);
    } else if (comm != NULL) {
        irr_comm_free(comm);
    }
    irr_comm_files_fini(&files);
    irr_free(entries);
    return status;
}

static void unlink_comm(irr_comm_t *comm)
{
    irr_engine_t *engine = comm->engine;

    if (engine->strays.turn == comm) {
        engine->strays.turn = comm->next;
    }
    if (comm->prev != NULL) {
        comm->prev->next = comm->next;
    } else {
        engine->comms = comm->next;
    }
    if (comm->next != NULL) {
        comm->next->prev = comm->prev;
    }
}

/* The exchanges that are open go no further. */
static void close_exchanges(irr_comm_t *comm)
{
    irr_comm_t **link = &comm->engine->busy;

    while (*link != NULL && *link != comm) {
        link = &(*link)->next_busy;
    }
    if (*link != NULL) {
        *link = comm->next_busy;
        irr_comm_abandon(comm);
    }
}

/*
 * What the transport may still have of a communicator stays until the transport is gone; so does its id, and its
 * channel, on which the others may still have to be told.
 */
static void bury(irr_comm_t *comm)
{
    comm->next = comm->engine->buried;
    comm->engine->buried = comm;
}

void irr_comm_destroy(irr_comm_t *comm)
{
    irr_engine_t *engine = comm->engine;
    bool buried;

    irr_lock_acquire(&engine->lock);
    buried = comm->failed != IRR_OK || comm->open.count > 0;
    unlink_comm(comm);
    close_exchanges(comm);
    irr_strays_free_id(&engine->strays, comm->id);
    irr_boards_leave(comm);
    if (buried) {
        bury(comm);
    } else {
        comm->channel->transport->ops->close_channel(comm->channel);
        irr_ids_give(&engine->ids, comm->id);
    }
    irr_lock_release(&engine->lock);
    if (!buried) {
        irr_comm_free(comm);
    }
}

irr_exchange_t *irr_comm_exchange(const irr_comm_t *comm)
{
    return comm->exchange;
}

void irr_comm_free(irr_comm_t *comm)
{
    irr_comm_route_fini(comm);
    irr_free(comm->labels);
    irr_free(comm->peers);
    irr_free(comm);
}
