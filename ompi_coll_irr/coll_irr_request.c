/*
 * coll_irr_request.c - persistent requests: start, progress, completion, free.
 *
 * Each request has an engine communicator of its own, so requests on one communicator may be active together and
 * be started in any order.  A start packs what must be packed and posts the planned exchange; Open MPI's progress
 * moves it and completes the request.  Neither allocates.
 *
 * The progress function is registered while requests live, not while they are active: a start then takes no lock
 * of Open MPI's, and nothing is unregistered from within progress, which would skip another function.  Without
 * active requests it costs one look.
 *
 * Where ranks share processors, what a wait needs has to be sent by ranks that do not run: so it gives way before
 * it looks, and not only after.  A test in a program that computes must not pay for that, and cannot be told from
 * a wait but by the time since it was here before.
 *
 * Memory of requests is kept for the next ones and not given back before the end: Open MPI hooks req_free to
 * release datatypes, and looks into the request after it was freed.
 */
#include "coll_irr_tell.h"

#include "core/clock.h"

#include "opal/runtime/opal_progress.h"

#include <sched.h>

/* Most rounds of engine progress at a time: peers that never stop must not keep the rest of MPI waiting. */
#define LOOKS_MAX 32

/* A caller that comes back within this time does nothing but wait. */
#define AT_ONCE_NS 1000

/* Times that a wait gives way before the rest of MPI has its turn. */
#define TURNS 3

static struct {
    opal_mutex_t                     lock;     /* guards what follows; a request is completed without it */
    mca_coll_irr_request_t          *spare;    /* for the next ones */
    mca_coll_irr_request_t          *live;
    mca_coll_irr_request_t *volatile active;   /* also looked at without the lock */
    uint64_t                         left_ns;  /* when a start or progress last returned to its caller */
} requests;

/* ---- progress and completion ---- */

/* Takes the requests whose exchanges are over off the list of active ones; the lock is held. */
static mca_coll_irr_request_t *take_done(void)
{
    mca_coll_irr_request_t *request = requests.active, *left = NULL, *done = NULL;

    while (request != NULL) {
        mca_coll_irr_request_t *next = request->next_active, **list = &left;
        irr_status_t status = irr_exchange_test(irr_comm_exchange(request->irr_comm));

        if (status != IRR_IN_PROGRESS) {
            request->super.super.req_status.MPI_ERROR = mca_coll_irr_error(status);
            list = &done;
        }
        request->next_active = *list;
        *list = request;
        request = next;
    }
    requests.active = left;
    return done;
}

static void complete(mca_coll_irr_request_t *request)
{
    ompi_status_public_t *status = &request->super.super.req_status;

    if (request->row != NULL) {
        request->row->ns += irr_clock_ns() - request->begin_ns;
        request->row->exchanges++;
    }
    if (status->MPI_ERROR == OMPI_SUCCESS) {
        status->MPI_ERROR = request->packed;
    }
    if (status->MPI_ERROR == OMPI_SUCCESS) {
        status->MPI_ERROR = mca_coll_irr_call_unpack(&request->call);
    }
    ompi_request_complete(&request->super.super, true);
}

/* Looks as long as that brings something; the lock is held.  Returns the requests that are over. */
static mca_coll_irr_request_t *look(void)
{
    mca_coll_irr_request_t *done;
    unsigned events;
    int looks = 0;

    do {
        events = irr_engine_progress(mca_coll_irr_component.engine);
        done = take_done();
    } while (done == NULL && events > 0 && ++looks < LOOKS_MAX);
    return done;
}

/*
 * The same for a caller that only waits, on a node where others need the processor: first they, then we.  The lock
 * is held, but not while we give way; false if another thread has it then.
 */
static bool give_way_and_look(mca_coll_irr_request_t **done_p)
{
    *done_p = NULL;
    for (int turn = 0; turn < TURNS && *done_p == NULL; turn++) {
        opal_mutex_unlock(&requests.lock);
        sched_yield();
        if (opal_mutex_trylock(&requests.lock) != 0) {
            return false;
        }
        *done_p = look();
    }
    return true;
}

/*
 * Called by Open MPI; returns the number of events.  If there were none Open MPI yields the processor where it is
 * scarce, which is our own business there.
 */
static int progress(void)
{
    const bool scarce = mca_coll_irr_component.may_sleep;
    mca_coll_irr_request_t *done, *next;
    int events = scarce;

    if (requests.active == NULL || opal_mutex_trylock(&requests.lock) != 0) {
        return 0;
    }
    if (!scarce || irr_clock_ns() - requests.left_ns > AT_ONCE_NS) {
        done = look();
    } else if (!give_way_and_look(&done)) {
        return events;
    }
    requests.left_ns = scarce ? irr_clock_ns() : 0;
    opal_mutex_unlock(&requests.lock);
    for (; done != NULL; done = next) {
        next = done->next_active;
        complete(done);
        events++;
    }
    return events;
}

/* ---- what Open MPI calls ---- */

static int start_one(mca_coll_irr_request_t *request)
{
    ompi_request_t *base = &request->super.super;
    irr_status_t status;

    if (base->req_state != OMPI_REQUEST_INACTIVE || request->irr_comm == NULL) {
        return MPI_ERR_REQUEST;
    }
    request->begin_ns = request->row != NULL ? irr_clock_ns() : 0;
    /* The peers wait for our part of the exchange, so it runs even if the datatype engine fails. */
    request->packed = mca_coll_irr_call_pack(&request->call);
    status = irr_exchange_restart(irr_comm_exchange(request->irr_comm), request->call.input.base,
                                  request->call.output.base);
    if (status != IRR_OK) {
        return MPI_ERR_INTERN;
    }
    base->req_status.MPI_ERROR = OMPI_SUCCESS;
    base->req_complete = REQUEST_PENDING;
    base->req_state = OMPI_REQUEST_ACTIVE;
    opal_mutex_lock(&requests.lock);
    request->next_active = requests.active;
    requests.active = request;
    requests.left_ns = mca_coll_irr_component.may_sleep ? irr_clock_ns() : 0;
    opal_mutex_unlock(&requests.lock);
    return OMPI_SUCCESS;
}

static int start(size_t count, ompi_request_t **started)
{
    int result = OMPI_SUCCESS;

    for (size_t i = 0; i < count && result == OMPI_SUCCESS; i++) {
        result = start_one((mca_coll_irr_request_t *)started[i]);
    }
    return result;
}

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

    opal_mutex_lock(&requests.lock);
    request = requests.spare;
    if (request != NULL) {
        requests.spare = request->next;
    }
    opal_mutex_unlock(&requests.lock);
    return request != NULL ? request : OBJ_NEW(mca_coll_irr_request_t);
}

static void give_spare(mca_coll_irr_request_t *request)
{
    opal_mutex_lock(&requests.lock);
    request->next = requests.spare;
    requests.spare = request;
    opal_mutex_unlock(&requests.lock);
}

static void link_request(mca_coll_irr_request_t *request)
{
    opal_mutex_lock(&requests.lock);
    if (requests.live == NULL) {
        opal_progress_register(progress);
    }
    request->prev = NULL;
    request->next = requests.live;
    if (request->next != NULL) {
        request->next->prev = request;
    }
    requests.live = request;
    opal_mutex_unlock(&requests.lock);
}

static void unlink_request(mca_coll_irr_request_t *request)
{
    opal_mutex_lock(&requests.lock);
    if (request->prev != NULL) {
        request->prev->next = request->next;
    } else {
        requests.live = request->next;
    }
    if (request->next != NULL) {
        request->next->prev = request->prev;
    }
    if (requests.live == NULL) {
        opal_progress_unregister(progress);
    }
    opal_mutex_unlock(&requests.lock);
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

mca_coll_irr_request_t *mca_coll_irr_request_create(ompi_communicator_t *comm, const mca_coll_irr_side_t *send,
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
    base->req_mpi_object.comm = comm;
    base->req_free = free_request;   /* the last user of this memory may have hooked it */
    request->irr_comm = NULL;
    request->row = NULL;
    link_request(request);
    return request;
}

void mca_coll_irr_request_destroy(mca_coll_irr_request_t *request)
{
    unlink_request(request);
    mca_coll_irr_tally_request_end(request);
    if (request->irr_comm != NULL) {
        irr_comm_destroy(request->irr_comm);
    }
    close_call(request);
    OMPI_REQUEST_FINI(&request->super.super);
    give_spare(request);
}

/* Errors of what is freed are MPI_COMM_WORLD's, as those of all requests of no communicator. */
void mca_coll_irr_requests_orphan(ompi_communicator_t *comm)
{
    opal_mutex_lock(&requests.lock);
    for (mca_coll_irr_request_t *request = requests.live; request != NULL; request = request->next) {
        if (request->super.super.req_mpi_object.comm == comm) {
            request->super.super.req_mpi_object.comm = &ompi_mpi_comm_world.comm;
        }
    }
    opal_mutex_unlock(&requests.lock);
}

void mca_coll_irr_requests_tally(void)
{
    opal_mutex_lock(&requests.lock);
    for (mca_coll_irr_request_t *request = requests.live; request != NULL; request = request->next) {
        mca_coll_irr_tally_request_end(request);
    }
    opal_mutex_unlock(&requests.lock);
}

void mca_coll_irr_requests_strand(void)
{
    opal_mutex_lock(&requests.lock);
    for (mca_coll_irr_request_t *request = requests.live; request != NULL; request = request->next) {
        if (request->irr_comm != NULL) {
            irr_comm_destroy(request->irr_comm);
            request->irr_comm = NULL;
        }
    }
    requests.active = NULL;
    if (requests.live != NULL) {
        opal_progress_unregister(progress);
    }
    opal_mutex_unlock(&requests.lock);
}

static void construct(mca_coll_irr_request_t *request)
{
    ompi_request_t *base = &request->super.super;

    base->req_type = OMPI_REQUEST_COLL;
    base->req_start = start;
    base->req_cancel = cancel;
}

OBJ_CLASS_INSTANCE(mca_coll_irr_request_t, ompi_coll_base_nbc_request_t, construct, NULL);

void mca_coll_irr_requests_open(void)
{
    OBJ_CONSTRUCT(&requests.lock, opal_mutex_t);
}

void mca_coll_irr_requests_close(void)
{
    while (requests.spare != NULL) {
        mca_coll_irr_request_t *request = requests.spare;

        requests.spare = request->next;
        OBJ_RELEASE(request);
    }
    OBJ_DESTRUCT(&requests.lock);
}
