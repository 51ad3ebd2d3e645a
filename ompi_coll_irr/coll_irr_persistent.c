/*
 * coll_irr_persistent.c - MPI_Alltoallv_init: agree, plan, try, or leave it to the previous module.
 *
 * A persistent collective is planned once and started many times.  Where it is served from the start, all that may
 * fail, wait or differ between ranks is done here, where all ranks are: each takes its own trouble into the agreement
 * on an engine communicator for the request, which plans its exchange, and in which all say whether that went well.  If
 * not, all ranks have a request of the previous module.
 *
 * Where the ranks choose, a request begins with what its class has found, or with an inner request of the previous
 * module, and is tried on its own (coll_irr_request.c).  The first init call on a communicator asks whether all choose:
 * only then may it take a tag for agreements, which must not be done on some ranks alone.
 *
 * Cost: an agreement as for a communicator's first collective, and what planning takes; or, where the ranks choose,
 * that of the previous module and one dissemination a communicator.
 */
#include "coll_irr_tell.h"

#include "core/clock.h"

/* An init call. */
typedef struct args {
    mca_coll_irr_module_t *module;
    mca_coll_irr_side_t    send, recv;
    bool                   in_place;
    ompi_info_t           *info;
} args_t;

/* A request of the previous module. */
static int init_previous(const args_t *args, ompi_request_t **request_p)
{
    const mca_coll_irr_side_t *send = &args->send, *recv = &args->recv;
    const mca_coll_irr_module_t *module = args->module;
    const mca_coll_irr_previous_t *previous = &module->previous[MCA_COLL_IRR_ALLTOALLV][MCA_COLL_IRR_PERSISTENT];
    const mca_coll_base_module_alltoallv_init_fn_t host = (mca_coll_base_module_alltoallv_init_fn_t)previous->function;

    return host(args->in_place ? MPI_IN_PLACE : send->buffer, send->counts, send->displs, send->datatype, recv->buffer,
                recv->counts, recv->displs, recv->datatype, module->comm, args->info, request_p, previous->module);
}

/*
 * Collective, with or without a request on this rank: an engine communicator with a plan for it.
 * IRR_ERR_NOT_SUPPORTED, alike on all ranks, or IRR_ERR_OOB.
 */
static irr_status_t open_planned(mca_coll_irr_module_t *module, const irr_settings_t *settings,
                                 mca_coll_irr_request_t *request, irr_status_t trouble, irr_comm_t **comm_p)
{
    const mca_coll_irr_purpose_t purpose = { .plans = true, .call = request == NULL ? NULL : &request->call };
    mca_coll_irr_opening_t opening;

    mca_coll_irr_opening_start(&opening, module, MCA_COLL_BASE_TAG_BARRIER, settings, &purpose, trouble,
                               "a rank has no memory for a persistent request");
    return mca_coll_irr_opening_wait(&opening, comm_p);
}

static mca_coll_irr_request_t *create(const args_t *args)
{
    return mca_coll_irr_request_create(args->module, args->in_place ? &args->recv : &args->send, &args->recv,
                                       args->in_place);
}

/* Collective: a request that is served, or IRR_ERR_NOT_SUPPORTED alike on all ranks. */
static irr_status_t create_served(const args_t *args, const irr_settings_t *settings, ompi_request_t **request_p)
{
    const uint64_t begin_ns = mca_coll_irr_component.measures ? irr_clock_ns() : 0;
    mca_coll_irr_request_t *request = create(args);
    irr_comm_t *irr_comm;
    irr_status_t status = open_planned(args->module, settings, request, request == NULL ? IRR_ERR_NO_MEMORY : IRR_OK,
                                       &irr_comm);

    if (status == IRR_OK) {
        request->service.irr_comm = irr_comm;
        request->service.state = MCA_COLL_IRR_SERVING;
        mca_coll_irr_tally_request(request, begin_ns);
        *request_p = &request->super.super;
    } else if (request != NULL) {
        mca_coll_irr_request_destroy(request);
    }
    return status;
}

/* ---- where the ranks choose ---- */

/* Collective: the request begins with the way that its class has found, if all ranks can. */
static void take_found(mca_coll_irr_module_t *module, mca_coll_irr_request_t *request)
{
    const mca_coll_irr_service_t *class = &module->services[MCA_COLL_IRR_ALLTOALLV];
    mca_coll_irr_service_t *service = &request->service;
    irr_status_t trouble = IRR_OK;
    irr_settings_t settings;

    if (!mca_coll_irr_service_settings(module, class, &settings)) {
        return;
    }
    service->candidates = calloc(1, sizeof(*service->candidates));
    if (service->candidates == NULL) {
        trouble = IRR_ERR_NO_MEMORY;
    } else {
        service->candidates->open[1] = class->candidates->open[class->choice.way];
    }
    if (open_planned(module, &settings, request, trouble, &service->ways[1]) == IRR_OK) {
        irr_choice_found(&service->choice, class->choice.ratio);
        service->grouped = true;   /* as those of the class are */
    } else {
        service->ways[1] = NULL;
    }
}

/*
 * Collective: a request that is tried on its own.  A rank without memory for it returns an error, as it does from Open
 * MPI's own; the others cannot know.
 */
static int create_tried(const args_t *args, ompi_request_t **request_p)
{
    mca_coll_irr_module_t *module = args->module;
    const int tag = mca_coll_irr_tag(module->comm);
    mca_coll_irr_request_t *request = create(args);
    mca_coll_irr_trying_t *trying = calloc(1, sizeof(*trying));
    int result = OMPI_ERR_OUT_OF_RESOURCE;

    if (request == NULL || trying == NULL) {
        goto err_memory;
    }
    result = init_previous(args, &trying->inner);
    if (result != OMPI_SUCCESS) {
        goto err_memory;
    }
    trying->tag = tag;
    trying->load.sent = mca_coll_irr_add_side(&request->call.send, ompi_comm_rank(module->comm), &trying->load);
    trying->load.received = mca_coll_irr_add_side(&request->call.recv, ompi_comm_rank(module->comm), &trying->load);
    request->trying = trying;
    request->service.state = MCA_COLL_IRR_CHOOSING;
    irr_choice_init(&request->service.choice, (uint32_t)mca_coll_irr_component.params.setup_share);
    take_found(module, request);
    mca_coll_irr_tally_request(request, 0);
    *request_p = &request->super.super;
    return OMPI_SUCCESS;

err_memory:
    free(trying);
    if (request != NULL) {
        mca_coll_irr_request_destroy(request);
    }
    return result;
}

int mca_coll_irr_alltoallv_init(const void *sbuf, mca_coll_irr_counts_t scounts, mca_coll_irr_displs_t sdispls,
                                ompi_datatype_t *sdtype, void *rbuf, mca_coll_irr_counts_t rcounts,
                                mca_coll_irr_displs_t rdispls, ompi_datatype_t *rdtype, ompi_communicator_t *comm,
                                ompi_info_t *info, ompi_request_t **request_p, mca_coll_base_module_t *base)
{
    mca_coll_irr_module_t *module = (mca_coll_irr_module_t *)base;
    mca_coll_irr_service_t *class = &module->services[MCA_COLL_IRR_ALLTOALLV];
    const int ranks = ompi_comm_size(comm);
    const args_t args = {
        .module = module,
        .send = { .buffer = (void *)sbuf, .counts = scounts, .displs = sdispls, .datatype = sdtype, .slots = ranks },
        .recv = { .buffer = rbuf, .counts = rcounts, .displs = rdispls, .datatype = rdtype, .slots = ranks },
        .in_place = sbuf == MPI_IN_PLACE,
        .info = info
    };
    irr_status_t status = IRR_ERR_NOT_SUPPORTED;
    irr_settings_t settings;
    int result = mca_coll_irr_activate(module, class);

    if (result == OMPI_SUCCESS && class->state == MCA_COLL_IRR_CHOOSING) {
        result = mca_coll_irr_choose_ask(module, class);
    }
    if (result != OMPI_SUCCESS) {
        return result;
    }
    if (class->state == MCA_COLL_IRR_CHOOSING) {
        return create_tried(&args, request_p);
    }
    if (mca_coll_irr_service_settings(module, class, &settings)) {
        status = create_served(&args, &settings, request_p);
    }
    if (status != IRR_ERR_NOT_SUPPORTED) {
        return mca_coll_irr_error(status);
    }
    opal_output_verbose(10, mca_coll_irr_component.output, "coll:irr: a persistent request of communicator %s is "
                        "left to others", comm->c_name);
    return init_previous(&args, request_p);
}
