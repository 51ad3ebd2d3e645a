/*
 * comm.c - a communicator after its setup (setup.c): its entry in the lists of the engine, its failure, its
 * destruction.
 */
#include "comm/comm_route.h"
#include "comm/exchange.h"

#include "core/alloc.h"

void irr_comm_enter(irr_comm_t *comm, uint32_t id)
{
    irr_engine_t *engine = comm->engine;

    comm->id = id;
    irr_lock_acquire(&engine->lock);
    comm->next = engine->comms;
    if (comm->next != NULL) {
        comm->next->prev = comm;
    }
    engine->comms = comm;
    irr_lock_release(&engine->lock);
}

static void unlink_comm(irr_comm_t *comm)
{
    irr_engine_t *engine = comm->engine;

    if (engine->unexpected.next_search == comm) {
        engine->unexpected.next_search = comm->next;
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

/* Removes a communicator from engine->busy (communicators with running exchanges). Cancels its receives. */
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
 * Puts a communicator into the list of destroyed communicators whose memory is freed with the transport. Until then the
 * transport may access messages of the communicator, and the engine may still inform other ranks that the communicator
 * has failed. The id of the communicator stays in use.
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
    buried = comm->failed != IRR_OK || comm->queue.open > 0;
    unlink_comm(comm);
    close_exchanges(comm);
    irr_unexpected_free_id(&engine->unexpected, comm->id);
    if (buried) {
        bury(comm);
    } else {
        irr_comm_close_channel(comm);
        irr_ids_give(&engine->ids, comm->id);
    }
    irr_lock_release(&engine->lock);
    if (!buried) {
        irr_comm_free(comm);
    }
}

void irr_comm_give_up(irr_comm_t *comm, irr_status_t status, const char *reason)
{
    irr_lock_acquire(&comm->engine->lock);
    irr_comm_fail(comm, status, reason);
    irr_lock_release(&comm->engine->lock);
}

bool irr_comm_has_failed(irr_comm_t *comm)
{
    bool failed;

    irr_lock_acquire(&comm->engine->lock);
    irr_comm_listen(comm);
    failed = comm->failed != IRR_OK;
    irr_lock_release(&comm->engine->lock);
    return failed;
}

void irr_comm_use(irr_comm_t *comm, uint64_t user)
{
    if (comm->user != user) {
        comm->user = user;
        comm->handed = true;
        comm->unexpected = 0;
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
    irr_members_fini(&comm->members);
    irr_free(comm);
}
