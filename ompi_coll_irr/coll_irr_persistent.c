/*
 * coll_irr_persistent.c - init calls: agree, plan, try, or leave the request to the previous module.
 *
 * A persistent collective is planned once and started many times.  If it is served from the start, everything that may
 * fail, wait or differ between ranks happens in the init call, which all ranks enter.  Each rank brings its own trouble
 * into the agreement on an engine communicator for the request.  The agreement plans the exchange, and all ranks state
 * whether this succeeded.  If not, all ranks use a request of the previous module.
 *
 * If the ranks choose, a request starts with the strategy that its class has found, or with an inner request of the
 * previous module, and has its own trials (coll_irr_request.h).  The first init call on a communicator asks whether all
 * ranks choose: only then may it take a tag for agreements, because all ranks or none must take it.
 *
 * Cost: an agreement as for a communicator's first collective, and the time of planning.  If the ranks choose, the cost
 * of the previous module and one dissemination, and one more in the first init call of a communicator.
 */
#include "coll_irr_memory.h"
#include "coll_irr_dispatch.h"
#include "coll_irr_engine.h"
#include "coll_irr_statistics.h"

#include "core/clock.h"

/* The arguments of an init call. */
typedef struct args {
    mca_coll_irr_module_t *module;
    mca_coll_irr_which_t   which;
    mca_coll_irr_call_t   *call;
    ompi_info_t           *info;
} args_t;

/* ---- creation ---- */

/* Returns an inactive request with its own class, whose service the caller completes.  NULL without memory. */
static mca_coll_irr_request_t *create(const args_t *args)
{
    const mca_coll_irr_entry_t *entry = &mca_coll_irr_collectives[args->which].forms[MCA_COLL_IRR_PERSISTENT];
    mca_coll_irr_class_t *class = malloc(sizeof(*class));
    mca_coll_irr_request_t *request = NULL;

    if (class != NULL) {
        mca_coll_irr_class_init(class, args->module, args->which, entry->call);
        class->service.state = MCA_COLL_IRR_DECLINED;
        memcpy(class->service.why, mca_coll_irr_team_service(args->module->team, args->which)->why,
               sizeof(class->service.why));
        request = mca_coll_irr_request_take(class, args->call, true);
    }
    if (request == NULL || !mca_coll_irr_request_open(request)) {
        goto err_memory;
    }
    mca_coll_irr_side_hold(&request->call.send, true);
    mca_coll_irr_side_hold(&request->call.recv, true);
    class->request = request;
    return request;

err_memory:
    if (request != NULL) {
        mca_coll_irr_operation_close(&request->operation);
        mca_coll_irr_request_give(request);
    }
    if (class != NULL) {
        mca_coll_irr_class_fini(class);
        free(class);
    }
    return NULL;
}

/* Creates a request of the previous module. */
static int init_previous(const args_t *args, ompi_request_t **request_p)
{
    return mca_coll_irr_host(args->module, args->which, MCA_COLL_IRR_PERSISTENT, args->call, args->info, request_p);
}

/*
 * Sets up an engine communicator with a plan for the request.  Collective; the request may be NULL on this rank.
 * Returns IRR_ERR_NOT_SUPPORTED, alike on all ranks, or an error of rounds.
 */
static irr_status_t open_planned(mca_coll_irr_module_t *module, const irr_settings_t *settings,
                                 mca_coll_irr_request_t *request, irr_status_t trouble, irr_comm_t **comm_p)
{
    const mca_coll_irr_aim_t aim = {
        .goal = MCA_COLL_IRR_OPEN, .tag = MCA_COLL_IRR_TAG_BLOCKING, .blocking = true, .plans = true,
        .problem = request == NULL ? NULL : &request->operation.bytes.problem, .settings = settings,
        .trouble = trouble, .reason = "a rank has no memory for a persistent request" };

    return mca_coll_irr_agree(module, NULL, &aim, comm_p);
}

/*
 * Creates a request that is served.  Collective.  Returns IRR_ERR_NOT_SUPPORTED alike on all ranks, or an error of
 * rounds.
 */
static irr_status_t create_served(const args_t *args, const irr_settings_t *settings, ompi_request_t **request_p)
{
    const uint64_t begin_ns = irr_clock_ns();
    mca_coll_irr_request_t *request = create(args);
    irr_comm_t *irr_comm;
    irr_status_t status = open_planned(args->module, settings, request, request == NULL ? IRR_ERR_NO_MEMORY : IRR_OK,
                                       &irr_comm);

    if (status == IRR_OK) {
        request->class->service.irr_comm = irr_comm;
        request->class->service.state = MCA_COLL_IRR_SERVING;
        mca_coll_irr_stats_request(request, begin_ns);
        *request_p = &request->super.super;
    } else if (request != NULL) {
        mca_coll_irr_request_destroy(request);
    }
    return status;
}

/* ---- requests for which the ranks choose ---- */

/*
 * Starts the request with the strategy that its class has found, if all ranks can.  Collective.  Returns an error of
 * rounds.
 */
static irr_status_t take_found(mca_coll_irr_module_t *module, mca_coll_irr_request_t *request)
{
    mca_coll_irr_service_t *service = &request->class->service;
    const mca_coll_irr_service_t *class = mca_coll_irr_team_service(module->team, service->which);
    irr_status_t trouble = IRR_OK, status;
    irr_settings_t settings;

    if (!mca_coll_irr_service_settings(module, class, &settings)) {
        return IRR_OK;
    }
    if (mca_coll_irr_service_has_candidates(service)) {
        service->candidates->open[1] = class->candidates->open[class->choice.strategy];
    } else {
        trouble = IRR_ERR_NO_MEMORY;
    }
    status = open_planned(module, &settings, request, trouble, &service->strategies[1]);
    if (status == IRR_OK) {
        irr_choice_found(&service->choice, &class->choice.speedup);
        service->grouped = true;   /* like the strategies of the class */
    } else {
        service->strategies[1] = NULL;
    }
    return status == IRR_ERR_NOT_SUPPORTED ? IRR_OK : status;
}

/*
 * Creates a request with its own trials.  Collective.  If a rank has no memory for it, all ranks use Open MPI's request
 * instead, because the starts of a request in a trial include agreements.
 */
static int create_tried(const args_t *args, ompi_request_t **request_p)
{
    mca_coll_irr_module_t *module = args->module;
    const int tag = mca_coll_irr_tag(module->comm);
    const uint64_t begin_ns = irr_clock_ns();
    mca_coll_irr_request_t *request = create(args);
    mca_coll_irr_service_t *service;
    ompi_request_t *inner = MPI_REQUEST_NULL;
    const int result = init_previous(args, &inner);
    uint64_t failed = request == NULL || result != OMPI_SUCCESS;
    irr_status_t status = mca_coll_irr_maxima(&module->ranks, &failed, 1);

    if (status != IRR_OK || failed != 0) {
        if (request != NULL) {
            mca_coll_irr_request_destroy(request);
        }
        if (status == IRR_OK) {
            *request_p = inner;
            return result;
        }
        if (result == OMPI_SUCCESS) {
            ompi_request_free(&inner);
        }
        return mca_coll_irr_fail(mca_coll_irr_team_service(module->team, args->which), status);
    }
    request->inner = inner;
    request->ready = true;
    request->load = mca_coll_irr_load(&request->call, module->ranks.rank);
    request->class->tag = tag;
    service = &request->class->service;
    service->state = MCA_COLL_IRR_CHOOSING;
    service->asked = true;   /* asked by the class */
    irr_choice_init(&service->choice, (uint32_t)mca_coll_irr_component.params.setup_share,
                    mca_coll_irr_memory_is_given());
    status = take_found(module, request);
    if (status != IRR_OK) {
        mca_coll_irr_request_destroy(request);
        return mca_coll_irr_fail(mca_coll_irr_team_service(module->team, args->which), status);
    }
    mca_coll_irr_stats_request(request,
                               mca_coll_irr_team_service(module->team, args->which)->choice.strategy != 0 ? begin_ns
                                   : 0);
    *request_p = &request->super.super;
    return OMPI_SUCCESS;
}

int mca_coll_irr_init_call(mca_coll_irr_module_t *module, mca_coll_irr_which_t which, mca_coll_irr_call_t *call,
                           ompi_info_t *info, ompi_request_t **request_p)
{
    mca_coll_irr_service_t *class;
    const args_t args = { .module = module, .which = which, .call = call, .info = info };
    irr_status_t status = IRR_ERR_NOT_SUPPORTED;
    irr_settings_t settings;
    int result = mca_coll_irr_activate(module, which, &class);

    if (result == OMPI_SUCCESS && class->state == MCA_COLL_IRR_CHOOSING && !class->asked) {
        const mca_coll_irr_aim_t aim = {
            .goal = MCA_COLL_IRR_ASK, .tag = MCA_COLL_IRR_TAG_BLOCKING, .blocking = true };

        result = mca_coll_irr_error(mca_coll_irr_agree(module, class, &aim, NULL));
    }
    if (result != OMPI_SUCCESS) {
        return result;
    }
    mca_coll_irr_place(module, which, call);
    if (class->state == MCA_COLL_IRR_CHOOSING && !mca_coll_irr_is_served(class)) {
        return create_tried(&args, request_p);
    }
    if (mca_coll_irr_service_settings(module, class, &settings)) {
        status = create_served(&args, &settings, request_p);
    }
    if (status != IRR_ERR_NOT_SUPPORTED) {
        return mca_coll_irr_error(status);
    }
    opal_output_verbose(10, mca_coll_irr_component.output, "coll:irr: a persistent request of communicator %s is "
                        "left to others", module->comm->c_name);
    return init_previous(&args, request_p);
}
