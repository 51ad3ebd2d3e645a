/*
 * setup.c - the setup of a communicator: the order of its steps, and the end; setup.h explains the terms.
 *
 * Cost: three all-reduces of a few words: one on settings, one on an id for the communicator, and one at the end. The
 * second is repeated while ranks propose different ids. Also one all-gather of labels if ranks are on several nodes;
 * or, if a rank lacks addresses of other ranks, one more all-reduce and one all-gather of labels and addresses.
 *
 * Ranks of a node use shared memory. The network is opened only for a communicator that needs it. If a rank has no
 * memory to share, or cannot map the memory of another rank of its node, all messages of the communicator go over the
 * network. Before the last all-reduce each rank allocates the memory that later exchanges need, and takes the address
 * space for shared memory. The last all-reduce detects a failed mapping and missing memory. Then each rank maps what
 * the other ranks have made for it, or gives its address space back.
 */
#include "comm/agree.h"
#include "comm/comm_route.h"
#include "comm/exchange.h"

#include "core/alloc.h"
#include "core/clock.h"
#include "core/log.h"
#include "exec/tag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char irr_setup_no_memory[] = "a rank has no memory for a communicator";

void irr_setup_note(irr_setup_t *setup, irr_status_t status, const char *reason)
{
    if (setup->params.trouble == IRR_OK && status != IRR_OK) {
        setup->params.trouble = status;
        setup->params.reason = reason;
    }
}

static const char *value_of(const char *given)
{
    return given != NULL ? given : "";
}

/* Writes the settings of the network with their values, for an error message. */
static void name_network(const irr_engine_t *engine, char *text, size_t size)
{
    const irr_engine_config_t *config = &engine->config;
    const irr_transport_t *network = engine->lanes->inner[IRR_LANE_FAR];
    const bool ofi = network != NULL && strcmp(network->caps.name, "ofi") == 0;
    const char *prefix = irr_log_prefix();

    snprintf(text, size, "%stransport '%.32s', %s%s '%.64s' and %s%s '%.64s'", prefix, value_of(config->transport),
             prefix, ofi ? "ofi_provider" : "ucx_tls", value_of(ofi ? config->ofi_provider : config->ucx_tls),
             prefix, ofi ? "ofi_domain" : "ucx_devices", value_of(ofi ? config->ofi_domain : config->ucx_devices));
}

void irr_setup_cannot(irr_setup_t *setup, irr_status_t status, const char *format, ...)
{
    char action[160], network[320];
    va_list arguments;

    if (status == IRR_OK || status == IRR_ERR_NO_MEMORY || setup->params.trouble != IRR_OK) {
        irr_setup_note(setup, status, irr_setup_no_memory);
        return;
    }
    va_start(arguments, format);
    vsnprintf(action, sizeof(action), format, arguments);
    va_end(arguments);
    name_network(setup->engine, network, sizeof(network));
    snprintf(setup->files.reason, sizeof(setup->files.reason), "rank %d of a communicator cannot %s: %s; each rank "
             "must reach all others with %s", setup->params.rank, action, irr_status_text(status), network);
    irr_setup_note(setup, status, setup->files.reason);
}

/* ---- collectives of the caller ---- */

/* Maps errors of the caller to IRR_ERR_OOB, except two that the user understands: a lost rank and a timeout. */
static irr_status_t from_caller(irr_status_t status)
{
    const bool known = status == IRR_OK || status == IRR_IN_PROGRESS || status == IRR_ERR_TIMEOUT ||
                       status == IRR_ERR_PEER;

    return known ? status : IRR_ERR_OOB;
}

/* Handles the status with which a collective was started. */
static irr_status_t started(irr_setup_t *setup, irr_status_t status, irr_step_fn next)
{
    setup->next = next;
    setup->waits = status == IRR_IN_PROGRESS;
    return from_caller(status);
}

irr_status_t irr_setup_reduce(irr_setup_t *setup, size_t count, irr_step_fn next)
{
    const irr_oob_t *oob = setup->params.oob;

    return started(setup, oob->allreduce_max(oob->context, setup->words, count), next);
}

irr_status_t irr_setup_gather(irr_setup_t *setup, const void *input, void *output, size_t bytes, irr_step_fn next)
{
    const irr_oob_t *oob = setup->params.oob;

    return started(setup, oob->allgather(oob->context, input, output, bytes), next);
}

/* ---- transports ---- */

static void open_network(irr_setup_t *setup)
{
    irr_engine_t *engine = setup->engine;
    const irr_status_t status = irr_engine_open_lane(engine, IRR_LANE_FAR);
    const char *reason = engine->reason[IRR_LANE_FAR];

    irr_setup_note(setup, status, reason[0] != '\0' ? reason : irr_setup_no_memory);
}

static irr_status_t refuse_network(irr_setup_t *setup)
{
    snprintf(setup->why, sizeof(setup->why), "the ranks do not share memory, or cannot read each other's");
    return IRR_ERR_NOT_SUPPORTED;
}

/*
 * Opens shared memory, unless this process is alone on its node. Without shared memory the setup goes on. If the file
 * for the trace of messages cannot be written, this rank is in trouble.
 */
static void open_memory(irr_setup_t *setup)
{
    const irr_comm_params_t *params = &setup->params;
    irr_engine_t *engine = setup->engine;
    irr_status_t status = IRR_OK;

    if (params->settings.shm && params->ranks > 1 && engine->config.node_ranks != 1) {
        status = irr_engine_open_lane(engine, IRR_LANE_NEAR);
    }
    if (status == IRR_ERR_BAD_PARAM) {
        irr_setup_note(setup, status, engine->reason[IRR_LANE_NEAR]);
    }
    setup->lacks_memory = status != IRR_OK;
}

/* ---- the last steps, each above the step that starts it ---- */

static irr_status_t done(irr_setup_t *setup)
{
    setup->next = NULL;
    return setup->verdict;
}

static irr_status_t agree_end(irr_setup_t *setup);

static irr_status_t connect_again(irr_setup_t *setup)
{
    irr_connect_all(setup);
    return agree_end(setup);
}

static irr_status_t find_again(irr_setup_t *setup)
{
    return irr_connect_find(setup, connect_again);
}

/* Runs if a rank could not share memory with another rank of its node. All messages will go over the network. */
static irr_status_t go_far(irr_setup_t *setup)
{
    setup->agreement.shares = false;
    setup->agreement.network = true;
    if (setup->params.only_shared) {
        return refuse_network(setup);
    }
    open_network(setup);
    return irr_agree_addresses(setup, find_again);
}

/* Evaluates the last agreement: could all ranks share memory with the ranks of their nodes? */
static irr_status_t agreed_end(irr_setup_t *setup)
{
    const bool works = setup->verdict == IRR_OK && setup->lowest == 0;
    char reason[IRR_SETUP_WHY];

    if (setup->engine != NULL) {
        irr_connect_share(setup, works);
    }
    if (works || setup->verdict != IRR_OK) {
        return done(setup);
    }
    snprintf(reason, sizeof(reason), "rank %d of a communicator cannot share memory with rank %d, although both are on "
             "one node: %s", setup->params.rank, setup->unmapped, setup->unshared);
    irr_agree_warn(setup, setup->lowest, reason);
    return go_far(setup);
}

static irr_status_t agree_end(irr_setup_t *setup)
{
    return irr_agree_all(setup, setup->params.trouble, setup->params.reason, setup->unmapped < 0, agreed_end);
}

static irr_status_t route(irr_setup_t *setup)
{
    const bool needs_labels = irr_comm_route_needs_labels(&setup->params, &setup->files);
    irr_comm_t *comm = setup->comm;

    if (setup->params.trouble == IRR_OK &&
        irr_comm_route_init(comm, needs_labels ? comm->labels : NULL, &setup->files) != IRR_OK) {
        irr_setup_note(setup, IRR_ERR_NO_MEMORY, irr_setup_no_memory);
    }
    return agree_end(setup);
}

/* ---- the middle steps ---- */

static irr_status_t connect(irr_setup_t *setup)
{
    const bool asks = !setup->agreement.one_node && irr_switches_asked(&setup->params, &setup->files);

    irr_connect_all(setup);
    return asks ? irr_switches_find(setup, route) : route(setup);
}

/* Adds the communicator to the engine, with the agreed id. Then finds the members. */
static irr_status_t settle(irr_setup_t *setup)
{
    irr_comm_enter(setup->comm, setup->id);
    setup->entered = true;
    return irr_connect_find(setup, connect);
}

static irr_status_t find_id(irr_setup_t *setup)
{
    if (setup->agreement.network && setup->params.only_shared) {
        return refuse_network(setup);
    }
    if (setup->agreement.network) {
        open_network(setup);
    }
    return irr_agree_id(setup, settle);
}

/* ---- local preparation ---- */

/* Allocates the communicator, and what does not depend on its id and its nodes. */
static irr_status_t allocate(irr_setup_t *setup)
{
    const irr_comm_params_t *params = &setup->params;
    irr_comm_t *comm = irr_alloc_zero(1, sizeof(*comm));

    if (comm == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    comm->engine = setup->engine;
    comm->ranks = params->ranks;
    comm->rank = params->rank;
    comm->settings = params->settings;
    comm->started_ns = params->settings.timeout > 0 ? irr_clock_ns() : 0;
    comm->labels = irr_alloc((size_t)params->ranks, sizeof(*comm->labels));
    if (comm->labels == NULL || irr_members_init(&comm->members, params->oob, params->ranks) != IRR_OK) {
        irr_comm_free(comm);
        return IRR_ERR_NO_MEMORY;
    }
    setup->comm = comm;
    return IRR_OK;
}

/* Checks the parameters. After an error this rank is in trouble, which the first agreement reports. */
static void check_params(irr_comm_params_t *params, irr_comm_files_t *files)
{
    if (params->trouble != IRR_OK) {
        return;
    }
    if (params->ranks > IRR_CHANNEL_RANKS_MAX) {
        params->trouble = IRR_ERR_NOT_SUPPORTED;
        params->reason = "the communicator has more than 16777216 ranks, which is the limit";
    } else if (irr_algorithm_name(params->settings.algorithm) == NULL ||
               irr_compose_name((int)params->settings.compose) == NULL ||
               irr_overlap_name((int)params->settings.overlap) == NULL ||
               irr_pacing_name((int)params->settings.pacing) == NULL ||
               irr_host_route_name((int)params->settings.host_route) == NULL) {
        params->trouble = IRR_ERR_BAD_PARAM;
        params->reason = "the settings of a communicator name an algorithm, a composition, an overlap, a pacing or a "
                         "host route that does not exist";
    } else if (irr_comm_route_lacks(&params->settings)) {
        params->trouble = IRR_ERR_BAD_PARAM;
        snprintf(files->reason, sizeof(files->reason), "algorithm redistribution needs a value of %sredistribution: "
                 "x,p,y,q", irr_log_prefix());
        params->reason = files->reason;
    } else if (!irr_comm_route_fits(&params->settings, params->ranks)) {
        params->trouble = IRR_ERR_BAD_PARAM;
        snprintf(files->reason, sizeof(files->reason), "%sdims has %d sizes, which make more than 15 stages: "
                 "a balanced algorithm has two stages per size", irr_log_prefix(), params->settings.dims.count);
        params->reason = files->reason;
    }
}

_Static_assert(IRR_CHANNEL_RANKS_MAX == 16777216 && IRR_TAG_STAGES_MAX == 15, "the texts above name these limits");

static irr_status_t begin(irr_setup_t *setup)
{
    irr_comm_params_t *params = &setup->params;

    check_params(params, &setup->files);
    irr_comm_files_read(params, &setup->files);
    irr_switches_read(params, &setup->files);
    if (params->trouble == IRR_OK) {
        irr_setup_note(setup, allocate(setup), irr_setup_no_memory);
    }
    if (params->trouble == IRR_OK) {
        open_memory(setup);
    }
    return irr_agree_start(setup, find_id);
}

/* ---- start, test, end ---- */

static void undo(irr_setup_t *setup)
{
    if (setup->entered) {
        irr_comm_destroy(setup->comm);
    } else if (setup->comm != NULL) {
        irr_agree_release(setup);
        irr_comm_free(setup->comm);
    }
    setup->comm = NULL;
}

/*
 * Abandons the buffers of a collective that timed out. They are not freed, because the caller may still write to them.
 */
static void leave_to_caller(irr_setup_t *setup)
{
    setup->gathered = NULL;
    if (!setup->added) {
        setup->directory = NULL;
    }
    if (setup->comm != NULL) {
        setup->comm->labels = NULL;
    }
}

static void end(irr_setup_t *setup, irr_status_t status)
{
    if (status == IRR_ERR_TIMEOUT) {
        leave_to_caller(setup);
    }
    if (status == IRR_OK) {
        irr_free(setup->comm->labels);
        setup->comm->labels = NULL;
        irr_comm_files_doubt(setup->comm, &setup->params, &setup->files);
    } else {
        undo(setup);
    }
    irr_comm_files_fini(&setup->files);
    irr_connect_settle(setup);
    irr_free(setup->gathered);
    setup->status = status;
}

void irr_setup_start(irr_setup_t *setup, irr_engine_t *engine, const irr_comm_params_t *params)
{
    *setup = (irr_setup_t){
        .engine = engine, .params = *params, .id = IRR_IDS_NONE, .next = begin, .status = IRR_IN_PROGRESS
    };
}

irr_status_t irr_setup_test(irr_setup_t *setup, irr_comm_t **comm_p)
{
    irr_status_t status = IRR_OK;

    if (setup->status == IRR_IN_PROGRESS) {
        if (setup->waits) {
            status = from_caller(setup->params.oob->test(setup->params.oob->context));
            setup->waits = status == IRR_IN_PROGRESS;
        }
        while (status == IRR_OK && setup->next != NULL) {
            status = setup->next(setup);
        }
        if (status != IRR_IN_PROGRESS) {
            end(setup, status);
        }
    }
    if (setup->status == IRR_OK) {
        *comm_p = setup->comm;
    }
    return setup->status;
}

void irr_setup_abandon(irr_setup_t *setup)
{
    if (setup->status == IRR_IN_PROGRESS) {
        end(setup, IRR_ERR_CANCELED);
    }
}

irr_status_t irr_comm_create(irr_engine_t *engine, const irr_comm_params_t *params, irr_comm_t **comm_p)
{
    irr_setup_t setup;
    irr_status_t status;

    irr_setup_start(&setup, engine, params);
    do {
        status = irr_setup_test(&setup, comm_p);
    } while (status == IRR_IN_PROGRESS);
    return status;
}
