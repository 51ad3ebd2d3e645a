/*
 * coll_irr_request.c - persistent requests: made, freed, and all that live.
 *
 * Each request has an engine communicator of its own, or several while ways are tried, so requests on one communicator
 * may be active together and be started in any order.  It keeps its communicator, so it may outlive what the user sees
 * of that.
 *
 * The progress function is registered while requests live, not while they are active: a start then takes no lock
 * of Open MPI's, and nothing is unregistered from within progress, which would skip another function.  Without
 * active requests it costs one look.
 *
 * Memory of requests is kept for the next ones and not given back before the end: Open MPI hooks req_free to
 * release datatypes, and looks into the request after it was freed.
 */
#include "coll_irr_tell.h"

#include "opal/runtime/opal_progress.h"

mca_coll_irr_requests_t mca_coll_irr_requests;

/* ---- what Open MPI calls ---- */

static int free_request(ompi_request_t **request_p)
{
    if (!REQUEST_COMPLETE(*request_p)) {
        return MPI_ERR_REQUEST;
    }
    mca_coll_irr_request_destroy((mca_coll_irr_request_t *)*request_p);
    *request_p = MPI_REQUEST_NULL;
    return OMPI_SUCCESS;
}

static int cancel(ompi_request_t *request, int flag)
{
    (void)request;
    (void)flag;
    return MPI_ERR_REQUEST;
}

/* ---- life ---- */

/* NULL without memory. */
static mca_coll_irr_request_t *take_spare(void)
{
    mca_coll_irr_request_t *request;

    opal_mutex_lock(&mca_coll_irr_requests.lock);
    request = mca_coll_irr_requests.spare;
    if (request != NULL) {
        mca_coll_irr_requests.spare = request->next;
    }
    opal_mutex_unlock(&mca_coll_irr_requests.lock);
    return request != NULL ? request : OBJ_NEW(mca_coll_irr_request_t);
}

static void give_spare(mca_coll_irr_request_t *request)
{
    opal_mutex_lock(&mca_coll_irr_requests.lock);
    request->next = mca_coll_irr_requests.spare;
    mca_coll_irr_requests.spare = request;
    opal_mutex_unlock(&mca_coll_irr_requests.lock);
}

static void link_request(mca_coll_irr_request_t *request)
{
    opal_mutex_lock(&mca_coll_irr_requests.lock);
    if (mca_coll_irr_requests.live == NULL) {
        opal_progress_register(mca_coll_irr_requests_progress);
    }
    request->prev = NULL;
    request->next = mca_coll_irr_requests.live;
    if (request->next != NULL) {
        request->next->prev = request;
    }
    mca_coll_irr_requests.live = request;
    opal_mutex_unlock(&mca_coll_irr_requests.lock);
}

static void unlink_request(mca_coll_irr_request_t *request)
{
    opal_mutex_lock(&mca_coll_irr_requests.lock);
    if (request->prev != NULL) {
        request->prev->next = request->next;
    } else {
        mca_coll_irr_requests.live = request->next;
    }
    if (request->next != NULL) {
        request->next->prev = request->prev;
    }
    if (mca_coll_irr_requests.live == NULL) {
        opal_progress_unregister(mca_coll_irr_requests_progress);
    }
    opal_mutex_unlock(&mca_coll_irr_requests.lock);
}

static void close_rooms(mca_coll_irr_request_t *request)
{
    mca_coll_irr_room_fini(&request->send_room);
    mca_coll_irr_room_fini(&request->recv_room);
}

/* The call of a new request: the blocks of both sides, packed copies, and all that packing needs. */
static int open_call(mca_coll_irr_request_t *request, bool in_place)
{
    mca_coll_irr_call_t *call = &request->call;
    const size_t ranks = (size_t)call->recv.slots;
    int result = OMPI_ERR_OUT_OF_RESOURCE;

    if (mca_coll_irr_room_init(&request->send_room, ranks) != IRR_OK) {
        return result;
    }
    if (mca_coll_irr_room_init(&request->recv_room, ranks) != IRR_OK) {
        goto err_rooms;
    }
    call->input.room = &request->send_room;
    call->output.room = &request->recv_room;
    mca_coll_irr_call_open(call, in_place);
    if (call->lacks != 0) {
        goto err_call;
    }
    result = mca_coll_irr_side_keep(&call->send);
    if (result != OMPI_SUCCESS) {
        goto err_call;
    }
    result = mca_coll_irr_side_keep(&call->recv);
    if (result == OMPI_SUCCESS) {
        return OMPI_SUCCESS;
    }
    mca_coll_irr_side_drop(&call->send);
err_call:
    mca_coll_irr_call_close(call);
err_rooms:
    close_rooms(request);
    return result;
}

static void close_call(mca_coll_irr_request_t *request)
{
    mca_coll_irr_side_drop(&request->call.recv);
    mca_coll_irr_side_drop(&request->call.send);
    mca_coll_irr_call_close(&request->call);
    close_rooms(request);
}

mca_coll_irr_request_t *mca_coll_irr_request_create(mca_coll_irr_module_t *module, const mca_coll_irr_side_t *send,
                                                    const mca_coll_irr_side_t *recv, bool in_place)
{
    mca_coll_irr_request_t *request = take_spare();
    ompi_request_t *base;

    if (request == NULL) {
        return NULL;
    }
    base = &request->super.super;
    request->call = (mca_coll_irr_call_t){ .send = *send, .recv = *recv };
    request->send_room = request->recv_room = (mca_coll_irr_room_t){ .list = NULL };
    if (open_call(request, in_place) != OMPI_SUCCESS) {
        give_spare(request);
        return NULL;
    }
    OMPI_REQUEST_INIT(base, true);
    base->req_status = ompi_status_empty;
    base->req_mpi_object.comm = module->comm;
    base->req_free = free_request;   /* the last user of this memory may have hooked it */
    OBJ_RETAIN(module->comm);
    request->module = module;
    request->service = (mca_coll_irr_service_t){
        .which = MCA_COLL_IRR_ALLTOALLV, .state = MCA_COLL_IRR_DECLINED,
        .call = mca_coll_irr_collectives[MCA_COLL_IRR_ALLTOALLV].forms[MCA_COLL_IRR_PERSISTENT].call };
    request->trying = NULL;
    link_request(request);
    return request;
}

static void end_trying(mca_coll_irr_request_t *request)
{
    if (request->trying != NULL && request->trying->inner != NULL) {
        ompi_request_free(&request->trying->inner);
    }
    free(request->trying);
    free(request->service.candidates);
}

void mca_coll_irr_request_destroy(mca_coll_irr_request_t *request)
{
    ompi_communicator_t *comm = request->module->comm;

    unlink_request(request);
    mca_coll_irr_tally_request_end(request);
    mca_coll_irr_service_end(&request->service);
    end_trying(request);
    close_call(request);
    OMPI_REQUEST_FINI(&request->super.super);
    give_spare(request);
    OBJ_RELEASE(comm);
}

void mca_coll_irr_requests_tally(void)
{
    opal_mutex_lock(&mca_coll_irr_requests.lock);
    for (mca_coll_irr_request_t *request = mca_coll_irr_requests.live; request != NULL; request = request->next) {
        mca_coll_irr_tally_request_end(request);
    }
    opal_mutex_unlock(&mca_coll_irr_requests.lock);
}

void mca_coll_irr_requests_strand(void)
{
    mca_coll_irr_request_t *agreeing = mca_coll_irr_requests.agreeing;

    opal_mutex_lock(&mca_coll_irr_requests.lock);
    for (; agreeing != NULL; agreeing = agreeing->next_active) {
        mca_coll_irr_agreement_abandon(&agreeing->trying->agreement);
    }
    for (mca_coll_irr_request_t *request = mca_coll_irr_requests.live; request != NULL; request = request->next) {
        mca_coll_irr_service_end(&request->service);
    }
    mca_coll_irr_requests.active = mca_coll_irr_requests.agreeing = NULL;
    if (mca_coll_irr_requests.live != NULL) {
        opal_progress_unregister(mca_coll_irr_requests_progress);
    }
    opal_mutex_unlock(&mca_coll_irr_requests.lock);
}

static void construct(mca_coll_irr_request_t *request)
{
    ompi_request_t *base = &request->super.super;

    base->req_type = OMPI_REQUEST_COLL;
    base->req_start = mca_coll_irr_request_start;
    base->req_cancel = cancel;
}

OBJ_CLASS_INSTANCE(mca_coll_irr_request_t, ompi_coll_base_nbc_request_t, construct, NULL);

void mca_coll_irr_requests_open(void)
{
    OBJ_CONSTRUCT(&mca_coll_irr_requests.lock, opal_mutex_t);
}

void mca_coll_irr_requests_close(void)
{
    while (mca_coll_irr_requests.spare != NULL) {
        mca_coll_irr_request_t *request = mca_coll_irr_requests.spare;

        mca_coll_irr_requests.spare = request->next;
        OBJ_RELEASE(request);
    }
    OBJ_DESTRUCT(&mca_coll_irr_requests.lock);
}
