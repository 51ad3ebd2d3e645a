/*
 * coll_irr_request.c - requests of nonblocking and persistent calls: creation, release, and reuse.
 *
 * A request retains its communicator, so it may outlive the user's handle.  Memory of requests, with their room for
 * blocks, is kept until the end of the job, so calls in steady state allocate none.  There is another reason: Open MPI
 * hooks req_free to release datatypes, and reads the request after it was freed.
 *
 * MPI requires that counts and displacements of a nonblocking call remain unchanged until it completes.  However, Open
 * MPI's own reads them only in the call, and some programs rely on this.  Arrays that are needed later are therefore
 * copied; unpacking at the end needs them.
 */
#include "coll_irr_statistics.h"

/* ---- lifetime ---- */

static void give_spare(mca_coll_irr_request_t *request)
{
    OPAL_THREAD_LOCK(&mca_coll_irr_requests.lock);
    request->next = mca_coll_irr_requests.spare;
    mca_coll_irr_requests.spare = request;
    OPAL_THREAD_UNLOCK(&mca_coll_irr_requests.lock);
}

/* Makes one more request than are in use, so that a call without memory has a request. */
static void make_spare(void)
{
    mca_coll_irr_request_t *request = OBJ_NEW(mca_coll_irr_request_t);

    if (request != NULL) {
        give_spare(request);
    }
}

/* Returns a request; NULL without memory. */
static mca_coll_irr_request_t *take_spare(void)
{
    mca_coll_irr_request_t *request;
    bool last;

    OPAL_THREAD_LOCK(&mca_coll_irr_requests.lock);
    request = mca_coll_irr_requests.spare;
    if (request != NULL) {
        mca_coll_irr_requests.spare = request->next;
    }
    last = mca_coll_irr_requests.spare == NULL;
    OPAL_THREAD_UNLOCK(&mca_coll_irr_requests.lock);
    if (last) {
        make_spare();
    }
    return request != NULL ? request : OBJ_NEW(mca_coll_irr_request_t);
}

void mca_coll_irr_request_give(mca_coll_irr_request_t *request)
{
    ompi_communicator_t *comm = request->super.super.req_mpi_object.comm;   /* the class may be freed already */

    OMPI_REQUEST_FINI(&request->super.super);
    give_spare(request);
    OBJ_RELEASE(comm);
}

void mca_coll_irr_request_destroy(mca_coll_irr_request_t *request)
{
    if (request->inner != NULL && ompi_request_free(&request->inner) != OMPI_SUCCESS) {
        return;   /* it waits for a rank that has lost its request, and still uses the memory of this one */
    }
    mca_coll_irr_class_fini(request->class);
    mca_coll_irr_rounds_leave(&request->class->module->ranks, NULL, request->class);
    mca_coll_irr_side_hold(&request->call.recv, false);
    mca_coll_irr_side_hold(&request->call.send, false);
    mca_coll_irr_operation_close(&request->operation);
    mca_coll_irr_request_give(request);
}

static int free_request(ompi_request_t **request_p)
{
    mca_coll_irr_request_t *request = (mca_coll_irr_request_t *)*request_p;

    if (!REQUEST_COMPLETE(*request_p)) {
        return MPI_ERR_REQUEST;
    }
    if (request->super.super.req_persistent) {
        mca_coll_irr_request_destroy(request);
    } else {
        mca_coll_irr_request_give(request);
    }
    *request_p = MPI_REQUEST_NULL;
    return OMPI_SUCCESS;
}

static int cancel(ompi_request_t *request, int flag)
{
    (void)request;
    (void)flag;
    return MPI_ERR_REQUEST;
}

static void init_request(mca_coll_irr_request_t *request, mca_coll_irr_class_t *class,
                         const mca_coll_irr_call_t *call, bool persistent)
{
    ompi_request_t *base = &request->super.super;

    OMPI_REQUEST_INIT(base, persistent);
    base->req_status = ompi_status_empty;
    base->req_mpi_object.comm = class->module->comm;
    base->req_free = free_request;   /* the last user of this memory may have hooked it */
    OBJ_RETAIN(class->module->comm);
    request->class = class;
    request->call = *call;
    request->operation.exchange = NULL;
    request->operation.opened = false;
    request->operation.repeats = persistent;
    request->operation.failed = request->failed = OMPI_SUCCESS;
    request->inner = NULL;
    request->ready = false;
}

mca_coll_irr_request_t *mca_coll_irr_request_take(mca_coll_irr_class_t *class, const mca_coll_irr_call_t *call,
                                                  bool persistent)
{
    mca_coll_irr_request_t *request = take_spare();

    if (request != NULL) {
        init_request(request, class, call, persistent);
    }
    return request;
}

void mca_coll_irr_request_construct(mca_coll_irr_request_t *request, mca_coll_irr_class_t *class,
                                    const mca_coll_irr_call_t *call)
{
    OBJ_CONSTRUCT(request, mca_coll_irr_request_t);
    init_request(request, class, call, false);
}

void mca_coll_irr_request_destruct(mca_coll_irr_request_t *request)
{
    ompi_communicator_t *comm = request->super.super.req_mpi_object.comm;

    OMPI_REQUEST_FINI(&request->super.super);
    OBJ_DESTRUCT(request);
    OBJ_RELEASE(comm);
}

/* ---- calls ---- */

/* Makes room for arrays of this many bytes.  Returns false without memory. */
static bool reserve_arrays(mca_coll_irr_request_t *request, size_t bytes)
{
    void *arrays;

    if (bytes <= request->arrays_bytes) {
        return true;
    }
    arrays = realloc(request->arrays, bytes);
    if (arrays == NULL) {
        return false;
    }
    request->arrays = arrays;
    request->arrays_bytes = bytes;
    return true;
}

bool mca_coll_irr_request_open(mca_coll_irr_request_t *request)
{
    mca_coll_irr_call_t *call = &request->call;
    mca_coll_irr_operation_t *operation = &request->operation;
    const bool repeats = operation->repeats;
    const size_t sent = repeats ? mca_coll_irr_side_arrays(&call->send) : 0;

    if (mca_coll_irr_bytes_reserve(&operation->bytes, (size_t)call->send.slots, (size_t)call->recv.slots) != IRR_OK ||
        !reserve_arrays(request, sent + mca_coll_irr_side_arrays(&call->recv))) {
        return false;
    }
    mca_coll_irr_operation_open(operation, call, &request->class->module->ranks);
    if (repeats) {
        mca_coll_irr_side_copy(&call->send, request->arrays);
    }
    if (repeats || operation->bytes.output.packed != NULL) {
        mca_coll_irr_side_copy(&call->recv, (char *)request->arrays + sent);
    }
    return !operation->bytes.lacks;
}

/* ---- all requests ---- */

static void construct(mca_coll_irr_request_t *request)
{
    ompi_request_t *base = &request->super.super;

    memset((char *)request + sizeof(request->super), 0, sizeof(*request) - sizeof(request->super));
    base->req_type = OMPI_REQUEST_COLL;
    base->req_start = mca_coll_irr_request_start;
    base->req_cancel = cancel;
}

static void destruct(mca_coll_irr_request_t *request)
{
    mca_coll_irr_bytes_fini(&request->operation.bytes);
    free(request->arrays);
}

OBJ_CLASS_INSTANCE(mca_coll_irr_request_t, ompi_coll_base_nbc_request_t, construct, destruct);

void mca_coll_irr_requests_open(void)
{
    OBJ_CONSTRUCT(&mca_coll_irr_requests.lock, opal_mutex_t);
    make_spare();
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
