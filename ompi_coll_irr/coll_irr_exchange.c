/*
 * coll_irr_exchange.c - what a blocking call does: decides who serves it, packs what must be packed, exchanges,
 * unpacks.
 *
 * The other ranks are in the exchange whatever fails here.  A rank that cannot take part fails the communicator on all
 * its members.
 */
#include "coll_irr_engine.h"

static int exchange(mca_coll_irr_module_t *module, irr_comm_t *irr_comm, const mca_coll_irr_call_t *call)
{
    const irr_problem_t problem = mca_coll_irr_problem(call, &module->ranks);
    irr_exchange_t *running = irr_comm_exchange(irr_comm);
    irr_status_t status;

    irr_comm_use(irr_comm, module->number);
    status = irr_exchange_start(running, &problem, call->input.base, call->output.base);
    if (status == IRR_OK) {
        status = mca_coll_irr_engine_wait(running);
    }
    return mca_coll_irr_error(status);
}

int mca_coll_irr_exchange(mca_coll_irr_module_t *module, irr_comm_t *irr_comm, mca_coll_irr_call_t *call,
                          bool in_place)
{
    int result;

    call->input.room = &module->send_room;
    call->output.room = &module->recv_room;
    mca_coll_irr_call_open(call, in_place);
    result = call->lacks ? OMPI_ERR_OUT_OF_RESOURCE : mca_coll_irr_call_pack(call);
    if (result != OMPI_SUCCESS) {
        irr_comm_give_up(irr_comm, IRR_ERR_NO_MEMORY, "cannot start an exchange");
    } else {
        result = exchange(module, irr_comm, call);
    }
    if (result == OMPI_SUCCESS) {
        result = mca_coll_irr_call_unpack(call);
    }
    mca_coll_irr_call_close(call);
    return result;
}

int mca_coll_irr_host(const mca_coll_irr_module_t *module, mca_coll_irr_which_t which, const mca_coll_irr_call_t *call,
                      bool in_place)
{
    const mca_coll_irr_previous_t *previous = &module->previous[which][MCA_COLL_IRR_BLOCKING];

    return mca_coll_irr_collectives[which].host(previous, module->comm, call, in_place);
}

void mca_coll_irr_place(const mca_coll_irr_module_t *module, mca_coll_irr_which_t which, mca_coll_irr_call_t *call)
{
    const mca_coll_irr_neighbors_t *neighbors = module->neighbors;

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

int mca_coll_irr_call(mca_coll_irr_module_t *module, mca_coll_irr_which_t which, mca_coll_irr_call_t *call)
{
    const bool in_place = mca_coll_irr_call_in_place(call);
    mca_coll_irr_service_t *service;
    const int result = mca_coll_irr_activate(module, which, &service);

    if (result != OMPI_SUCCESS) {
        return result;
    }
    mca_coll_irr_place(module, which, call);
    return mca_coll_irr_serve(module, service, call, in_place);
}
