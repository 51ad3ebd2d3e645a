/*
 * coll_irr_calls.c - calls that return a request: nonblocking calls, and init calls of persistent requests.
 *
 * All nonblocking calls of a collective on a communicator form an operation class (coll_irr_request.h), for which the
 * ranks choose one strategy: an algorithm of the engine, or Open MPI's implementation.  A nonblocking call must not
 * wait for other ranks, so an agreement of the ranks is a part of the operation that the call starts.  Open MPI serves
 * the first call.  The ranks agree after it if the user has named an algorithm, otherwise after calls that all ranks
 * know.
 *
 * If a call starts during an agreement, its strategy is not known yet.  An exchange of the engine can start later, in
 * order.  A call to Open MPI cannot, because Open MPI assigns a tag to each call in call order.  However, a persistent
 * request of Open MPI takes the same tag, exchanges the same messages, and can start at any time.  A call during an
 * agreement therefore creates a persistent request.  This component starts the request if Open MPI serves the call, and
 * frees it otherwise.  A call that the engine serves at once also takes a tag.  Two conditions must hold: the
 * nonblocking and the persistent function belong to one module, and each call takes one tag.  Otherwise Open MPI serves
 * all nonblocking calls.
 *
 * With MPI_IN_PLACE a rank without bytes completes at once, and Open MPI 4.1 takes no tag for the call (5.0 does).
 * Because all ranks must take the same number of tags, a persistent request of Open MPI takes the tag of such a call.
 *
 * A rank without memory still takes part, because other ranks wait for it.  The module contains the memory of its
 * classes.  If there is no memory for a request, the request is on the stack, and the call blocks until the operation
 * has ended.
 *
 * If the engine serves a persistent request from the first start, everything that may fail, wait or differ between
 * ranks happens in the init call, which all ranks enter.  The ranks agree on an engine communicator and on a plan for
 * the request.  If any rank has an error, all ranks use a request of the previous module, which served the collective
 * before coll/irr.
 *
 * If the ranks choose by trials, a request has trials of its own.  Its first strategy is the strategy that blocking
 * calls of the collective found, or else an inner request of the previous module.  Its agreements need a tag, which
 * either all ranks or none must take.  In the first init call the ranks therefore vote whether all of them choose by
 * trials.
 *
 * Cost: a nonblocking call that Open MPI serves and coll/irr does not time needs no request of coll/irr.  An init call
 * takes an agreement and the time of planning.  With trials it takes the time of the previous module and one reduction,
 * and the first init call of a communicator takes two.
 */
#include "coll_irr_engine.h"
#include "coll_irr_memory.h"
#include "coll_irr_statistics.h"
#include "coll_irr_team.h"

#include "core/clock.h"

static const char *const not_libnbc = "another component than libnbc serves nonblocking calls";

static const mca_coll_irr_previous_t *previous_of(const mca_coll_irr_class_t *class, mca_coll_irr_form_t form)
{
    return &class->module->previous[class->service.which][form];
}

/* ---- nonblocking calls to Open MPI ---- */

static bool is_empty(const mca_coll_irr_call_t *call)
{
    const bool in_place = call->send.buffer == MPI_IN_PLACE;
    size_t bytes = 0;
    int rank;

    for (int k = 0; in_place && k < call->recv.slots && bytes == 0; k++) {
        bytes = mca_coll_irr_side_bytes(&call->recv, k, &rank);
    }
    return in_place && bytes == 0;
}

static int pass_on(mca_coll_irr_class_t *class, const mca_coll_irr_call_t *call, ompi_request_t **request_p)
{
    ompi_communicator_t *comm = class->module->comm;
    const int32_t tag = comm->c_nbc_tag;
    const int result = mca_coll_irr_host(class->module, class->service.which, MCA_COLL_IRR_NONBLOCKING, call, NULL,
                                         request_p);

    if (tag - comm->c_nbc_tag != 1 && !is_empty(call)) {
        class->unfit = not_libnbc;
    }
    return result;
}

int mca_coll_irr_request_host(mca_coll_irr_request_t *request)
{
    const int result = pass_on(request->class, &request->call, &request->inner);

    if (result != OMPI_SUCCESS) {
        request->inner = NULL;
    }
    return result;
}

/* ---- the class of nonblocking calls ---- */

static void begin_class(mca_coll_irr_class_t *class)
{
    const mca_coll_irr_previous_t *nonblocking = previous_of(class, MCA_COLL_IRR_NONBLOCKING);
    const mca_coll_irr_previous_t *persistent = previous_of(class, MCA_COLL_IRR_PERSISTENT);
    mca_coll_irr_service_t *service = &class->service;

    mca_coll_irr_team_find(class->module);
    mca_coll_irr_find_neighbors(class->module, service->which);
    class->tag = MCA_COLL_IRR_TAG_CLASS - (int)service->which;
    if (persistent->function == NULL || persistent->module != nonblocking->module) {
        class->unfit = not_libnbc;
    }
    mca_coll_irr_begin(class->module, service);    /* if the state stays NEW, the ranks agree after the first call */
}

static mca_coll_irr_class_t *class_of(mca_coll_irr_module_t *module, mca_coll_irr_which_t which)
{
    if (module->nonblocking[which] == NULL) {
        module->nonblocking[which] = &module->class[which];
        mca_coll_irr_class_init(module->nonblocking[which], module, which, MCA_COLL_IRR_NONBLOCKING);
        begin_class(module->nonblocking[which]);
    }
    return module->nonblocking[which];
}

void mca_coll_irr_nonblocking_end(mca_coll_irr_module_t *module)
{
    for (int i = 0; i < MCA_COLL_IRR_COLLECTIVES; i++) {
        if (module->nonblocking[i] != NULL) {
            mca_coll_irr_class_fini(module->nonblocking[i]);
            module->nonblocking[i] = NULL;
        }
    }
}

/* ---- nonblocking calls ---- */

/* The server of a call, as far as it is known when the call starts. */
typedef enum kind {
    PASSES,   /* Open MPI; coll/irr need not know when it ends */
    HOST,     /* Open MPI; coll/irr must know when it ends */
    ENGINE,
    DOUBT     /* depends on the agreement in progress */
} kind_t;

/* Returns true if coll/irr need not know when a call to Open MPI ends.  Counts the call if the ranks choose. */
static bool passes(mca_coll_irr_service_t *service)
{
    return service->record == NULL &&
           (service->state == MCA_COLL_IRR_DECLINED ||
            (service->state == MCA_COLL_IRR_CHOOSING && irr_choice_goes_on(&service->choice)));
}

/* Classifies a call.  Only calls set class->holds, so if it is false here, it remains false until the call ends. */
static kind_t classify(mca_coll_irr_class_t *class)
{
    mca_coll_irr_service_t *service = &class->service;
    kind_t kind;

    OPAL_THREAD_LOCK(&mca_coll_irr_requests.lock);
    if (class->holds && service->state != MCA_COLL_IRR_SERVING) {
        kind = class->unfit != NULL ? PASSES : DOUBT;    /* if unfit, Open MPI serves all calls */
    } else if (class->holds || mca_coll_irr_service_strategy(&class->service) != NULL) {
        kind = ENGINE;
    } else {
        kind = passes(service) ? PASSES : HOST;
    }
    OPAL_THREAD_UNLOCK(&mca_coll_irr_requests.lock);
    return kind;
}

/* Takes the tag that Open MPI would take if it served the call. */
static int take_tag(mca_coll_irr_request_t *request, kind_t kind)
{
    const mca_coll_irr_class_t *class = request->class;
    int result = OMPI_SUCCESS;

    if (kind == DOUBT || (kind == ENGINE && is_empty(&request->call))) {
        result = mca_coll_irr_host(class->module, class->service.which, MCA_COLL_IRR_PERSISTENT, &request->call,
                                   &ompi_mpi_info_null.info, &request->inner);
    } else if (kind == ENGINE) {
        (void)mca_coll_irr_tag(class->module->comm);
    }
    return result;
}

/* After an error the operation is not pending. */
static int start(mca_coll_irr_request_t *request, kind_t kind)
{
    mca_coll_irr_class_t *class = request->class;
    const int result = take_tag(request, kind);

    if (result != OMPI_SUCCESS) {
        return result;
    }
    if (class->service.state != MCA_COLL_IRR_SERVING) {
        request->load = mca_coll_irr_load(&request->call, class->module->ranks.rank);
    }
    mca_coll_irr_stats_load(class->module, &class->service, &request->call.send);
    if (kind != HOST) {
        (void)mca_coll_irr_request_open(request);   /* if there is no memory, the exchange fails */
    }
    mca_coll_irr_request_begin(request);
    return OMPI_SUCCESS;
}

/*
 * Serves a call on a rank without memory for a request.  Other ranks are in the operation, so this rank must take part.
 */
static int start_and_wait(mca_coll_irr_class_t *class, const mca_coll_irr_call_t *call, kind_t kind)
{
    ompi_communicator_t *comm = class->module->comm;
    mca_coll_irr_request_t request;
    int result;

    OBJ_CONSTRUCT(&request, mca_coll_irr_request_t);
    mca_coll_irr_request_init(&request, class, call, false);
    result = start(&request, kind);
    if (result == OMPI_SUCCESS) {
        ompi_request_wait_completion(&request.super.super);
        result = request.super.super.req_status.MPI_ERROR;
    }
    OMPI_REQUEST_FINI(&request.super.super);
    OBJ_DESTRUCT(&request);
    OBJ_RELEASE(comm);
    return result;
}

int mca_coll_irr_icall(mca_coll_irr_module_t *module, mca_coll_irr_which_t which, mca_coll_irr_call_t *call,
                       ompi_request_t **request_p)
{
    mca_coll_irr_class_t *class = class_of(module, which);
    mca_coll_irr_request_t *request;
    kind_t kind;
    int result;

    if (class->service.state == MCA_COLL_IRR_FAILED) {
        return mca_coll_irr_error(IRR_ERR_PEER);
    }
    mca_coll_irr_stats_reserve(&class->service);
    if (class->service.record != NULL) {
        mca_coll_irr_report_update();
    }
    kind = classify(class);
    if (kind == PASSES) {
        return pass_on(class, call, request_p);
    }
    mca_coll_irr_set_ranks(module, which, call);
    request = mca_coll_irr_request_take(class, call, false);
    if (request == NULL) {
        *request_p = &ompi_request_empty;
        return start_and_wait(class, call, kind);
    }
    result = start(request, kind);
    if (result != OMPI_SUCCESS) {
        mca_coll_irr_request_give(request);
        return result;
    }
    *request_p = &request->super.super;
    return OMPI_SUCCESS;
}

/* ---- persistent requests ---- */

/* The arguments of an init call. */
typedef struct args {
    mca_coll_irr_module_t *module;
    mca_coll_irr_which_t   which;
    mca_coll_irr_call_t   *call;
    ompi_info_t           *info;
} args_t;

/*
 * Returns an inactive request with its own class, in state DECLINED; NULL without memory.  The caller sets another
 * state.
 */
static mca_coll_irr_request_t *create(const args_t *args)
{
    mca_coll_irr_class_t *class = malloc(sizeof(*class));
    mca_coll_irr_request_t *request;

    if (class == NULL) {
        return NULL;
    }
    mca_coll_irr_class_init(class, args->module, args->which, MCA_COLL_IRR_PERSISTENT);
    class->service.state = MCA_COLL_IRR_DECLINED;
    memcpy(class->service.why, mca_coll_irr_team_service(args->module->team, args->which)->why,
           sizeof(class->service.why));
    request = mca_coll_irr_request_take(class, args->call, true);
    if (request != NULL && mca_coll_irr_request_open(request)) {
        mca_coll_irr_side_hold(&request->call.send, true);
        mca_coll_irr_side_hold(&request->call.recv, true);
        class->request = request;
        return request;
    }
    if (request != NULL) {
        mca_coll_irr_operation_free_copies(&request->operation);
        mca_coll_irr_request_give(request);
    }
    mca_coll_irr_class_fini(class);
    free(class);
    return NULL;
}

static int init_previous(const args_t *args, ompi_request_t **request_p)
{
    return mca_coll_irr_host(args->module, args->which, MCA_COLL_IRR_PERSISTENT, args->call, args->info, request_p);
}

/*
 * Sets up an engine communicator with a plan for the request, which may be NULL if `trouble` is an error.  Collective.
 * Returns IRR_OK; IRR_ERR_NOT_SUPPORTED, on all ranks, if some rank cannot take part; or an error of a reduction.
 */
static irr_status_t open_planned(mca_coll_irr_module_t *module, const irr_settings_t *settings,
                                 mca_coll_irr_request_t *request, irr_status_t trouble, irr_comm_t **comm_p)
{
    const mca_coll_irr_agreement_params_t params = {
        .goal = MCA_COLL_IRR_OPEN, .tag = MCA_COLL_IRR_TAG_BLOCKING, .blocking = true, .plans = true,
        .problem = request == NULL ? NULL : &request->operation.problem, .settings = settings,
        .trouble = trouble };

    return mca_coll_irr_agree(module, NULL, &params, comm_p);
}

/* Creates a request that the engine serves.  Collective.  Returns as open_planned. */
static irr_status_t create_served(const args_t *args, const irr_settings_t *settings, ompi_request_t **request_p)
{
    const uint64_t begin_ns = irr_clock_ns();
    mca_coll_irr_request_t *request = create(args);
    irr_comm_t *irr_comm;
    irr_status_t status = open_planned(args->module, settings, request, request == NULL ? IRR_ERR_NO_MEMORY : IRR_OK,
                                       &irr_comm);

    if (status == IRR_OK) {
        request->class->service.strategies[0] = irr_comm;
        request->class->service.state = MCA_COLL_IRR_SERVING;
        mca_coll_irr_stats_request(request, begin_ns);
        *request_p = &request->super.super;
    } else if (request != NULL) {
        mca_coll_irr_request_destroy(request);
    }
    return status;
}

/* ---- persistent requests for which the ranks choose strategies by trials ---- */

/*
 * Makes the strategy that blocking calls found the current strategy of the request, if all ranks can open it.
 * Collective.  Returns IRR_OK or an error of a reduction.
 */
static irr_status_t take_found(mca_coll_irr_module_t *module, mca_coll_irr_request_t *request)
{
    mca_coll_irr_service_t *service = &request->class->service;
    const mca_coll_irr_service_t *blocking = mca_coll_irr_team_service(module->team, service->which);
    irr_status_t trouble = IRR_OK, status;
    irr_settings_t settings;

    if (!mca_coll_irr_service_settings(module, blocking, &settings)) {
        return IRR_OK;
    }
    if (mca_coll_irr_service_has_candidates(service)) {
        service->candidates->open[1] = blocking->candidates->open[blocking->choice.strategy];
    } else {
        trouble = IRR_ERR_NO_MEMORY;
    }
    status = open_planned(module, &settings, request, trouble, &service->strategies[1]);
    if (status == IRR_OK) {
        irr_choice_found(&service->choice, &blocking->choice.speedup);
    } else {
        service->strategies[1] = NULL;
    }
    return status == IRR_ERR_NOT_SUPPORTED ? IRR_OK : status;
}

/* Prepares a request for its own trials.  It takes ownership of `inner`, the request of the previous module. */
static void begin_trials(mca_coll_irr_request_t *request, ompi_request_t *inner, int tag)
{
    mca_coll_irr_service_t *service = &request->class->service;

    request->inner = inner;
    request->load = mca_coll_irr_load(&request->call, request->class->module->ranks.rank);
    request->class->tag = tag;
    service->state = MCA_COLL_IRR_CHOOSING;
    service->voted = true;   /* the ranks have voted for blocking calls */
    irr_choice_init(&service->choice, (uint32_t)mca_coll_irr_component.params.setup_share,
                    mca_coll_irr_memory_is_given());
}

/*
 * Creates a request with its own trials.  Collective.  If a rank has no memory for it, all ranks use Open MPI's
 * request, because all ranks must take part in the agreements of its starts.
 */
static int create_tried(const args_t *args, ompi_request_t **request_p)
{
    mca_coll_irr_service_t *blocking = mca_coll_irr_team_service(args->module->team, args->which);
    const int tag = mca_coll_irr_tag(args->module->comm);
    const uint64_t begin_ns = irr_clock_ns();
    mca_coll_irr_request_t *request = create(args);
    ompi_request_t *inner = MPI_REQUEST_NULL;
    const int result = init_previous(args, &inner);
    uint64_t failed = request == NULL || result != OMPI_SUCCESS;
    irr_status_t status = mca_coll_irr_maxima(&args->module->ranks, &failed, 1);
    const bool tries = status == IRR_OK && failed == 0;

    if (tries) {
        begin_trials(request, inner, tag);
        status = take_found(args->module, request);
    }
    if (tries && status == IRR_OK) {
        mca_coll_irr_stats_request(request, blocking->choice.strategy != 0 ? begin_ns : 0);
        *request_p = &request->super.super;
        return OMPI_SUCCESS;
    }
    if (request != NULL) {
        mca_coll_irr_request_destroy(request);
    }
    if (status == IRR_OK) {
        *request_p = inner;
        return result;
    }
    if (!tries && result == OMPI_SUCCESS) {
        ompi_request_free(&inner);
    }
    return mca_coll_irr_fail(blocking, status);
}

int mca_coll_irr_init_call(mca_coll_irr_module_t *module, mca_coll_irr_which_t which, mca_coll_irr_call_t *call,
                           ompi_info_t *info, ompi_request_t **request_p)
{
    mca_coll_irr_service_t *service;
    const args_t args = { .module = module, .which = which, .call = call, .info = info };
    irr_status_t status = IRR_ERR_NOT_SUPPORTED;
    irr_settings_t settings;
    int result = mca_coll_irr_activate(module, which, &service);

    if (result == OMPI_SUCCESS && service->state == MCA_COLL_IRR_CHOOSING && !service->voted) {
        const mca_coll_irr_agreement_params_t params = {
            .goal = MCA_COLL_IRR_VOTE, .tag = MCA_COLL_IRR_TAG_BLOCKING, .blocking = true };

        result = mca_coll_irr_error(mca_coll_irr_agree(module, service, &params, NULL));
    }
    if (result != OMPI_SUCCESS) {
        return result;
    }
    mca_coll_irr_set_ranks(module, which, call);
    if (service->state == MCA_COLL_IRR_CHOOSING && !mca_coll_irr_is_served(service)) {
        return create_tried(&args, request_p);
    }
    if (mca_coll_irr_service_settings(module, service, &settings)) {
        status = create_served(&args, &settings, request_p);
    }
    if (status != IRR_ERR_NOT_SUPPORTED) {
        return mca_coll_irr_error(status);
    }
    opal_output_verbose(10, mca_coll_irr_component.output, "coll:irr: a persistent request of communicator %s is "
                        "left to Open MPI", module->comm->c_name);
    return init_previous(&args, request_p);
}
