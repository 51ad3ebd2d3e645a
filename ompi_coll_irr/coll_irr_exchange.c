/*
 * coll_irr_exchange.c - what a blocking call does: decides who serves it, packs what must be packed, exchanges,
 * unpacks.
 *
 * The other ranks are in the exchange whatever fails here.  A rank that cannot take part fails the communicator on all
 * its members.
 */
#include "coll_irr_choose.h"
#include "coll_irr_engine.h"
#include "coll_irr_team.h"
#include "coll_irr_tell.h"

#include "core/clock.h"

static irr_status_t exchange(const mca_coll_irr_module_t *module, irr_comm_t *irr_comm)
{
    const mca_coll_irr_bytes_t *bytes = &module->bytes;
    irr_exchange_t *running = irr_comm_exchange(irr_comm);
    irr_status_t status;

    irr_comm_use(irr_comm, module->number);
    status = irr_exchange_start(running, &bytes->problem, bytes->input.base, bytes->output.base);
    return status == IRR_OK ? mca_coll_irr_engine_wait(running) : status;
}

int mca_coll_irr_exchange(mca_coll_irr_module_t *module, irr_comm_t *irr_comm, const mca_coll_irr_call_t *call)
{
    mca_coll_irr_bytes_t *bytes = &module->bytes;
    int result = OMPI_SUCCESS;
    bool copied;

    mca_coll_irr_bytes_open(bytes, call, &module->ranks);
    copied = bytes->lacks || mca_coll_irr_bytes_are_copied(bytes);
    if (copied) {
        result = bytes->lacks ? OMPI_ERR_OUT_OF_RESOURCE : mca_coll_irr_bytes_pack(bytes, call);
    }
    if (result == OMPI_SUCCESS) {
        result = mca_coll_irr_error(exchange(module, irr_comm));
    } else {
        irr_comm_give_up(irr_comm, IRR_ERR_NO_MEMORY, "cannot start an exchange");
    }
    if (copied) {
        result = result == OMPI_SUCCESS ? mca_coll_irr_bytes_unpack(bytes, call) : result;
        mca_coll_irr_bytes_free_copies(bytes);
    }
    return result;
}

int mca_coll_irr_host(const mca_coll_irr_module_t *module, mca_coll_irr_which_t which, const mca_coll_irr_call_t *call)
{
    const mca_coll_irr_previous_t *previous = &module->previous[which][MCA_COLL_IRR_BLOCKING];

    return mca_coll_irr_collectives[which].host(previous, module->comm, call);
}

void mca_coll_irr_place(const mca_coll_irr_module_t *module, mca_coll_irr_which_t which, mca_coll_irr_call_t *call)
{
    const mca_coll_irr_neighbors_t *neighbors = module->neighbors;

    if (mca_coll_irr_in_place(call)) {
        call->send = call->recv;
        call->send.buffer = MPI_IN_PLACE;
    }
    call->neighbors = NULL;
    if (!mca_coll_irr_has_neighbors(module, which)) {
        call->send.slots = call->recv.slots = module->ranks.size;
        call->send.places = call->recv.places = call->send.slots;
    } else if (neighbors != NULL) {   /* if not, no rank is served */
        call->send.places = neighbors->send_places;
        call->recv.places = neighbors->recv_places;
        call->send.slots = neighbors->sends;
        call->send.order = neighbors->order;
        call->recv.slots = neighbors->receives;
        call->recv.order = neighbors->recv_order;
        call->neighbors = &neighbors->ranks;
    }
}

static int dispatch(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service, const mca_coll_irr_call_t *call)
{
    if (mca_coll_irr_team_awaits(module, service)) {   /* this communicator does not join, or not yet */
        return mca_coll_irr_host(module, service->which, call);
    }
    switch (service->state) {
    case MCA_COLL_IRR_CHOOSING: return mca_coll_irr_choose(module, service, call);
    case MCA_COLL_IRR_SERVING:  return mca_coll_irr_exchange(module, service->irr_comm, call);
    case MCA_COLL_IRR_FAILED:   return mca_coll_irr_error(IRR_ERR_PEER);
    default:                    return mca_coll_irr_host(module, service->which, call);
    }
}

/* The same where somebody asked what calls take. */
__attribute__((noinline))
static int measure(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service, const mca_coll_irr_call_t *call)
{
    const uint64_t setup_ns = service->setup_ns, begin_ns = irr_clock_ns();
    const int result = dispatch(module, service, call);

    mca_coll_irr_tally_call(module, service, &call->send, irr_clock_ns() - begin_ns - (service->setup_ns - setup_ns));
    return result;
}

int mca_coll_irr_call(mca_coll_irr_module_t *module, mca_coll_irr_which_t which, mca_coll_irr_call_t *call)
{
    mca_coll_irr_service_t *service;
    const int result = mca_coll_irr_activate(module, which, &service);

    if (result != OMPI_SUCCESS) {
        return result;
    }
    mca_coll_irr_place(module, which, call);
    return service->row != NULL || mca_coll_irr_component.measures ? measure(module, service, call)
                                                                   : dispatch(module, service, call);
}
