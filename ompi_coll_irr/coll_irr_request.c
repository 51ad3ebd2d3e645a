/*
 * coll_irr_request.c - see coll_irr_request.h: creates, releases and reuses requests; starts and finishes their
 * operations on the engine; creates and ends operation classes.
 *
 * A request retains its communicator, so it may outlive the user's handle.  The component keeps the memory of requests,
 * with their room for blocks, until the end of the job.  Calls in steady state therefore allocate no memory.  The
 * memory must also stay valid because Open MPI hooks req_free to release datatypes, and reads the request after
 * req_free returns.
 *
 * MPI requires that counts and displacements remain unchanged until the call completes.  However, Open MPI's
 * implementation reads the arrays only in the call, and some programs rely on this.  A request therefore copies the
 * arrays that it needs to unpack data at the end.
 *
 * In an agreement the ranks choose the strategy of later operations.  The agreement is part of the operation after
 * which it is due.  During the agreement no exchange of the class is in progress: an operation that starts enters a
 * queue, and earlier exchanges have ended on this rank.  All timed operations are complete, and the agreement may close
 * strategies.
 *
 * The progress function is registered while classes exist, not only while operations are active.  A start then takes no
 * lock of Open MPI.  Also, unregistering a function inside Open MPI's progress would make it skip another function.  If
 * no operation is active, the progress function costs one test.
 */
#include "coll_irr_statistics.h"
#include "coll_irr_team.h"

#include "core/alloc.h"

#include "opal/runtime/opal_progress.h"

mca_coll_irr_requests_t mca_coll_irr_requests = { .lock = OPAL_MUTEX_STATIC_INIT };

/* ---- operations ---- */

irr_status_t mca_coll_irr_operation_start(mca_coll_irr_operation_t *operation, irr_comm_t *irr_comm)
{
    if (operation->failed != OMPI_SUCCESS) {
        irr_comm_give_up(irr_comm, IRR_ERR_NO_MEMORY, "cannot start an exchange");
        return IRR_ERR_NO_MEMORY;
    }
    if (operation->repeats) {
        operation->exchange = irr_comm_exchange(irr_comm);
        return irr_exchange_restart(operation->exchange, operation->input.base, operation->output.base);
    }
    return irr_exchange_start(operation->exchange, &operation->problem, operation->input.base,
                              operation->output.base);
}

/* A message that is too long does not affect other messages, so these are unpacked. */
int mca_coll_irr_operation_finish_packed(mca_coll_irr_operation_t *operation, int result)
{
    if (operation->failed != OMPI_SUCCESS) {
        result = operation->failed;
    } else if (result == OMPI_SUCCESS || result == MPI_ERR_TRUNCATE) {
        const int unpacked = mca_coll_irr_operation_unpack(operation);

        result = result == OMPI_SUCCESS ? unpacked : result;
    }
    if (!operation->repeats) {
        mca_coll_irr_operation_free_copies(operation);
    }
    return result;
}

/* ---- requests ---- */

void mca_coll_irr_request_give(mca_coll_irr_request_t *request)
{
    ompi_communicator_t *comm = request->super.super.req_mpi_object.comm;   /* the class may be freed already */

    OMPI_REQUEST_FINI(&request->super.super);
    OPAL_THREAD_LOCK(&mca_coll_irr_requests.lock);
    request->next = mca_coll_irr_requests.spare;
    mca_coll_irr_requests.spare = request;
    OPAL_THREAD_UNLOCK(&mca_coll_irr_requests.lock);
    OBJ_RELEASE(comm);
}

void mca_coll_irr_request_destroy(mca_coll_irr_request_t *request)
{
    if (request->inner != NULL && ompi_request_free(&request->inner) != OMPI_SUCCESS) {
        return;   /* the inner request is active, because a rank gave up its request, and still uses this memory */
    }
    mca_coll_irr_class_fini(request->class);
    mca_coll_irr_reduction_leave(&request->class->module->ranks, NULL, request->class);
    mca_coll_irr_side_hold(&request->call.recv, false);
    mca_coll_irr_side_hold(&request->call.send, false);
    mca_coll_irr_operation_free_copies(&request->operation);
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

void mca_coll_irr_request_init(mca_coll_irr_request_t *request, mca_coll_irr_class_t *class,
                               const mca_coll_irr_call_t *call, bool persistent)
{
    ompi_request_t *base = &request->super.super;

    OMPI_REQUEST_INIT(base, persistent);
    base->req_status = ompi_status_empty;
    base->req_mpi_object.comm = class->module->comm;
    base->req_free = free_request;   /* Open MPI may have hooked req_free for the last request in this memory */
    OBJ_RETAIN(class->module->comm);
    request->class = class;
    request->call = *call;
    request->operation.exchange = NULL;
    request->operation.repeats = persistent;
    request->operation.failed = OMPI_ERR_OUT_OF_RESOURCE;   /* until mca_coll_irr_request_open finds memory */
    request->inner = NULL;
}

mca_coll_irr_request_t *mca_coll_irr_request_take(mca_coll_irr_class_t *class, const mca_coll_irr_call_t *call,
                                                  bool persistent)
{
    mca_coll_irr_request_t *request;

    OPAL_THREAD_LOCK(&mca_coll_irr_requests.lock);
    request = mca_coll_irr_requests.spare;
    if (request != NULL) {
        mca_coll_irr_requests.spare = request->next;
    }
    OPAL_THREAD_UNLOCK(&mca_coll_irr_requests.lock);
    request = request != NULL ? request : OBJ_NEW(mca_coll_irr_request_t);
    if (request != NULL) {
        mca_coll_irr_request_init(request, class, call, persistent);
    }
    return request;
}

/* ---- calls ---- */

bool mca_coll_irr_request_open(mca_coll_irr_request_t *request)
{
    mca_coll_irr_call_t *call = &request->call;
    mca_coll_irr_operation_t *operation = &request->operation;
    const bool repeats = operation->repeats;
    const size_t sent = repeats ? mca_coll_irr_side_arrays(&call->send) : 0;

    if (mca_coll_irr_operation_reserve(operation, (size_t)call->send.slots, (size_t)call->recv.slots) != IRR_OK ||
        irr_renew(&request->arrays, &request->arrays_bytes, sent + mca_coll_irr_side_arrays(&call->recv)) != IRR_OK) {
        return false;
    }
    mca_coll_irr_operation_open(operation, call, &request->class->module->ranks);
    if (repeats) {
        mca_coll_irr_side_copy(&call->send, request->arrays);
    }
    if (repeats || operation->output.packed != NULL) {
        mca_coll_irr_side_copy(&call->recv, request->arrays + sent);
    }
    return operation->failed == OMPI_SUCCESS;
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
    mca_coll_irr_operation_fini(&request->operation);
    irr_free(request->arrays);
}

OBJ_CLASS_INSTANCE(mca_coll_irr_request_t, ompi_coll_base_nbc_request_t, construct, destruct);

void mca_coll_irr_requests_close(void)
{
    while (mca_coll_irr_requests.spare != NULL) {
        mca_coll_irr_request_t *request = mca_coll_irr_requests.spare;

        mca_coll_irr_requests.spare = request->next;
        OBJ_RELEASE(request);
    }
}

/* ---- classes ---- */

void mca_coll_irr_class_init(mca_coll_irr_class_t *class, mca_coll_irr_module_t *module, mca_coll_irr_which_t which,
                             mca_coll_irr_form_t form)
{
    memset(class, 0, sizeof(*class));
    class->module = module;
    class->service = (mca_coll_irr_service_t){
        .which = which, .call = mca_coll_irr_collectives[which].forms[form].call,
        .algorithm = mca_coll_irr_algorithm_of(module, which) };
    OPAL_THREAD_LOCK(&mca_coll_irr_requests.lock);
    if (mca_coll_irr_requests.live == NULL) {
        opal_progress_register(mca_coll_irr_requests_progress);
    }
    MCA_COLL_IRR_LINK(class, mca_coll_irr_requests.live);
    OPAL_THREAD_UNLOCK(&mca_coll_irr_requests.lock);
}

void mca_coll_irr_class_fini(mca_coll_irr_class_t *class)
{
    OPAL_THREAD_LOCK(&mca_coll_irr_requests.lock);
    MCA_COLL_IRR_UNLINK(class);
    if (mca_coll_irr_requests.live == NULL) {
        opal_progress_unregister(mca_coll_irr_requests_progress);
    }
    OPAL_THREAD_UNLOCK(&mca_coll_irr_requests.lock);
    mca_coll_irr_stats_class_end(class);
    mca_coll_irr_service_end(&class->service);
    free(class->service.candidates);
}

void mca_coll_irr_requests_stats(void)
{
    OPAL_THREAD_LOCK(&mca_coll_irr_requests.lock);
    for (mca_coll_irr_class_t *class = mca_coll_irr_requests.live; class != NULL; class = class->next) {
        mca_coll_irr_stats_class_end(class);
    }
    OPAL_THREAD_UNLOCK(&mca_coll_irr_requests.lock);
}

void mca_coll_irr_requests_strand(void)
{
    mca_coll_irr_class_t *agreeing = mca_coll_irr_requests.agreeing;

    OPAL_THREAD_LOCK(&mca_coll_irr_requests.lock);
    for (; agreeing != NULL; agreeing = agreeing->next_agreeing) {
        mca_coll_irr_agreement_abandon(&agreeing->agreement);
    }
    for (mca_coll_irr_class_t *class = mca_coll_irr_requests.live; class != NULL; class = class->next) {
        mca_coll_irr_service_end(&class->service);
    }
    mca_coll_irr_requests.active = NULL;
    mca_coll_irr_requests.agreeing = NULL;
    if (mca_coll_irr_requests.live != NULL) {
        opal_progress_unregister(mca_coll_irr_requests_progress);
    }
    OPAL_THREAD_UNLOCK(&mca_coll_irr_requests.lock);
}

/* ---- persistent requests that a rank gave up after an error ---- */

void mca_coll_irr_class_lose(mca_coll_irr_class_t *class)
{
    mca_coll_irr_service_t *service = &class->service;
    const char *reason = service->state == MCA_COLL_IRR_FAILED ? NULL   /* one message is enough */
                         : "loses a persistent request, which ended in an error";

    for (int i = 0; i < IRR_TRIAL_STRATEGIES; i++) {
        if (service->strategies[i] != NULL) {
            irr_comm_give_up(service->strategies[i], IRR_ERR_PEER, reason);
            reason = NULL;
        }
    }
    (void)mca_coll_irr_fail(service, IRR_ERR_PEER);
}

bool mca_coll_irr_class_is_lost(mca_coll_irr_class_t *class)
{
    mca_coll_irr_service_t *service = &class->service;

    if (service->state == MCA_COLL_IRR_CHOOSING && mca_coll_irr_service_has_failed(service)) {
        (void)mca_coll_irr_fail(service, IRR_ERR_PEER);
    }
    return service->state == MCA_COLL_IRR_FAILED;
}
