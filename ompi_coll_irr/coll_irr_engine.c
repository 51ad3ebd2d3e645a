/*
 * coll_irr_engine.c - see coll_irr_engine.h.  The transport is chosen when the component opens; the first exchange
 * opens the engine.
 *
 * A libfabric provider that works over sockets accepts connections from anywhere.  If the user names no domain, the
 * provider uses the interfaces of this node that btl_tcp_if_include and btl_tcp_if_exclude permit to Open MPI's TCP.
 *
 * A blocking wait progresses all of MPI, because a peer may need our point-to-point messages before it can answer.  A
 * wait consists of attempts; an attempt tests the exchange some times.  If each rank has a processor, a wait spins.  A
 * long wait then sleeps, but only if all messages stay on the node, because such messages wake the rank at once.
 *
 * On an oversubscribed node, spinning would take the processor from the peer that a rank waits for.  A wait therefore
 * yields the processor between two attempts, and sleeps after some attempts without events, until the transport has an
 * event.  The sleep is bounded, because the rest of MPI does not wake this rank.
 */
#include "coll_irr_engine.h"
#include "coll_irr_interfaces.h"
#include "coll_irr_settings.h"

#include "transport/auto.h"

#include "opal/runtime/opal_progress.h"

#include <limits.h>
#include <sched.h>
#include <unistd.h>

/* ---- transport ---- */

static irr_transport_choice_t transport;

/* The part of the configuration that is equal on all ranks with the same parameters. */
static irr_engine_config_t common_config(void)
{
    const mca_coll_irr_params_t *params = &mca_coll_irr_component.params;

    return (irr_engine_config_t){
        .transport = params->transport > 0 ? mca_coll_irr_setting("transport")->row->value(params->transport) : NULL,
        .ucx_tls = params->ucx_tls,
        .ucx_devices = params->ucx_devices,
        .ofi_provider = params->ofi_provider,
        .ofi_domain = params->ofi_domain,
        .one_node = (size_t)mca_coll_irr_process_info.num_local_peers + 1 ==
                    (size_t)mca_coll_irr_process_info.num_procs
    };
}

void mca_coll_irr_transport_open(void)
{
    const irr_engine_config_t config = common_config();

    irr_transport_choose(&config, &transport);
}

const irr_transport_choice_t *mca_coll_irr_transport(void)
{
    return &transport;
}

void mca_coll_irr_network(irr_transport_choice_t *choice)
{
    const irr_engine_config_t config = common_config();

    *choice = transport;
    irr_transport_settle(&config, choice);
}

/* ---- interfaces ---- */

/* Returns a parameter of btl tcp, or the environment variable if the btl is not loaded. */
static const char *btl_list(const char *name, const char *variable)
{
    const int index = mca_base_var_find("ompi", "btl", "tcp", name);
    char *const *value = NULL;

    if (index >= 0 && mca_base_var_get_value(index, &value, NULL, NULL) == OPAL_SUCCESS && value != NULL) {
        return *value;
    }
    return getenv(variable);
}

/* Returns the interfaces that the btl parameters permit, or NULL if they name none. */
static const char *named_interfaces(void)
{
    static const char standard[] = "127.0.0.1/8,sppp";   /* Open MPI's default of btl_tcp_if_exclude */
    static char names[1024];
    const char *include = btl_list("if_include", "OMPI_MCA_btl_tcp_if_include");
    const char *exclude = btl_list("if_exclude", "OMPI_MCA_btl_tcp_if_exclude");
    const bool named = (include != NULL && include[0] != '\0') || (exclude != NULL && strcmp(exclude, standard) != 0);
    struct ifaddrs *all;
    bool found;

    if (!named || getifaddrs(&all) != 0) {
        return NULL;
    }
    found = mca_coll_irr_interfaces(all, include, exclude != NULL ? exclude : standard, names, sizeof(names));
    freeifaddrs(all);
    return found ? names : NULL;
}

/* ---- engine ---- */

/* Rounds of engine progress in an attempt.  A yield of the processor costs more than a few tests. */
#define ROUNDS 8

/* Rounds before the first attempt if each rank has a processor: most waits are short. */
#define FIRST_ROUNDS 64

/* A wait on an oversubscribed node sleeps after this number of attempts without an event. */
#define IDLE_ATTEMPTS 20

/* True if the whole job is on this node. */
static bool one_node;

/* Longest sleep in microseconds; the sleep delays other MPI messages. */
#define SLEEP_US 1000

/* If each rank has a processor, a wait may sleep after this number of attempts (a few us each). */
#define LONG_IDLE 2000

/* Attempts between two rounds of progress of all of MPI on an oversubscribed node. */
#define MPI_ATTEMPTS 8

static size_t node_processes(void)
{
    return (size_t)mca_coll_irr_process_info.num_local_peers + 1;
}

bool mca_coll_irr_is_crowded(void)
{
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);

    return ompi_mpi_yield_when_idle || (cpus > 0 && node_processes() > (size_t)cpus);
}

/* Eager limit in bytes if the user gives a topology file, because such files are for Ethernet. */
#define EAGER_SWITCHES 65536

/* Uses the parameter of the topology file, not the info key: the engine may exist before the communicator. */
static size_t eager_bytes(void)
{
    const size_t given = mca_coll_irr_component.params.eager_bytes;
    const char *topology = mca_coll_irr_parameter_text(mca_coll_irr_setting("topology_file"));

    return given == IRR_BYTES_AUTO && topology[0] != '\0' ? EAGER_SWITCHES : given;
}

/*
 * Creates the engine, for threads if MPI_Init gave MPI_THREAD_MULTIPLE or ompi_mpi_thread_multiple is set now.  In 4.1
 * MPI_T_init_thread overwrites the variable; in 5.0 a later session may raise the level of MPI_Init.
 */
static irr_status_t create(void)
{
    irr_engine_config_t config = common_config();
    const char *prefix = mca_coll_irr_component.params.trace;
    char trace[PATH_MAX];

    config.interfaces = named_interfaces();
    config.eager_bytes = eager_bytes();
    snprintf(trace, sizeof(trace), "%s.%u.trace", prefix, mca_coll_irr_my_process());
    config.trace = prefix[0] != '\0' ? trace : "";
    config.threads = mca_coll_irr_component.threads || ompi_mpi_thread_multiple;
    config.job_ranks = (size_t)mca_coll_irr_process_info.num_procs;
    config.node_ranks = node_processes();
    mca_coll_irr_component.may_sleep = mca_coll_irr_is_crowded();
    one_node = config.one_node;
    return irr_engine_create(&config, &mca_coll_irr_component.engine);
}

bool mca_coll_irr_progress(time_t deadline)
{
    if (deadline != 0 && time(NULL) > deadline) {
        return false;
    }
    opal_progress();
    if (mca_coll_irr_component.engine_state == MCA_COLL_IRR_ENGINE_OPEN) {
        irr_engine_progress(mca_coll_irr_component.engine);
    }
    return true;
}

static int progress(void)
{
    return (int)irr_engine_progress(mca_coll_irr_component.engine);
}

irr_status_t mca_coll_irr_engine_open(void)
{
    mca_coll_irr_component_t *component = &mca_coll_irr_component;
    irr_status_t status = IRR_OK;

    opal_mutex_lock(&component->lock);
    if (component->engine_state == MCA_COLL_IRR_ENGINE_CLOSED) {
        status = create();
        component->engine_state = status == IRR_OK ? MCA_COLL_IRR_ENGINE_OPEN : MCA_COLL_IRR_ENGINE_FAILED;
        if (status == IRR_OK) {
            /*
             * A wait progresses the engine itself.  However, a rank whose exchange has ended may still have to send a
             * message that UCX could not send yet.  Without this registration its peers would wait for the message,
             * while the rank waits for them in a barrier.
             */
            opal_progress_register_lp(progress);
        }
    } else if (component->engine_state != MCA_COLL_IRR_ENGINE_OPEN) {
        status = IRR_ERR_NOT_SUPPORTED;
    }
    opal_mutex_unlock(&component->lock);
    return status;
}

/*
 * If processors are scarce, a missing message usually arrives only after other ranks have run, so an attempt tests
 * once.  A network may still deliver a message that was sent before, so an attempt tests more often if ranks of this
 * node use one.
 */
static int rounds_of_attempt(void)
{
    const mca_coll_irr_component_t *component = &mca_coll_irr_component;

    return component->may_sleep && !(one_node && irr_engine_has_network(component->engine)) ? 1 : ROUNDS;
}

static void let_others_run(unsigned attempt, unsigned idle)
{
    if (attempt % MPI_ATTEMPTS == 0) {
        opal_progress();
    }
    if (idle <= IDLE_ATTEMPTS) {
        sched_yield();
    } else if (irr_engine_wait(mca_coll_irr_component.engine, SLEEP_US) == IRR_ERR_TIMEOUT) {
        opal_progress();
    }
}

/*
 * Sleeps in a long wait if each rank has a processor.  The events of a network may come late, so a wait for one spins.
 */
static void rest(unsigned idle)
{
    if (idle > LONG_IDLE && !irr_engine_has_network(mca_coll_irr_component.engine)) {
        (void)irr_engine_wait(mca_coll_irr_component.engine, SLEEP_US);
    }
}

__attribute__((noinline))
static irr_status_t wait_longer(irr_exchange_t *exchange, unsigned events)
{
    const bool may_sleep = mca_coll_irr_component.may_sleep;
    irr_status_t status = IRR_IN_PROGRESS;
    unsigned idle = 0;

    for (unsigned attempt = 1; status == IRR_IN_PROGRESS; attempt++) {
        idle = events > 0 ? 0 : idle + 1;
        if (may_sleep) {
            let_others_run(attempt, idle);
        } else {
            opal_progress();
            rest(idle);
        }
        events = 0;
        status = irr_exchange_wait(exchange, rounds_of_attempt(), &events);
    }
    return status;
}

irr_status_t mca_coll_irr_engine_wait(irr_exchange_t *exchange)
{
    unsigned events = 0;
    const irr_status_t status =
        irr_exchange_wait(exchange, mca_coll_irr_component.may_sleep ? 1 : FIRST_ROUNDS, &events);

    return status == IRR_IN_PROGRESS ? wait_longer(exchange, events) : status;
}

int mca_coll_irr_complete(ompi_request_t *request, time_t deadline, size_t *bytes_p)
{
    while (!REQUEST_COMPLETE(request)) {
        if (!mca_coll_irr_progress(deadline)) {
            return OMPI_ERR_TIMEOUT;
        }
    }
    if (bytes_p != NULL) {
        *bytes_p = request->req_status._ucount;
    }
    ompi_request_free(&request);
    return OMPI_SUCCESS;
}

void mca_coll_irr_engine_close(void)
{
    opal_progress_unregister(progress);
    irr_engine_counters(mca_coll_irr_component.engine, &mca_coll_irr_component.last_counters);
    irr_engine_destroy(mca_coll_irr_component.engine);
    mca_coll_irr_component.engine = NULL;
}

void mca_coll_irr_counters(irr_counters_t *counters)
{
    opal_mutex_lock(&mca_coll_irr_component.lock);
    if (mca_coll_irr_component.engine_state == MCA_COLL_IRR_ENGINE_OPEN) {
        irr_engine_counters(mca_coll_irr_component.engine, counters);
    } else {
        *counters = mca_coll_irr_component.last_counters;
    }
    opal_mutex_unlock(&mca_coll_irr_component.lock);
}

int mca_coll_irr_error(irr_status_t status)
{
    switch (status) {
    case IRR_OK:                return OMPI_SUCCESS;
    case IRR_ERR_NO_MEMORY:     return OMPI_ERR_OUT_OF_RESOURCE;
    case IRR_ERR_BAD_PARAM:     return OMPI_ERR_BAD_PARAM;
    case IRR_ERR_NOT_SUPPORTED: return OMPI_ERR_NOT_SUPPORTED;
    case IRR_ERR_TRUNCATE:      return MPI_ERR_TRUNCATE;
    case IRR_ERR_UNREACHABLE:   return OMPI_ERR_UNREACH;
    case IRR_ERR_PEER:
    case IRR_ERR_TIMEOUT:       return MPI_ERR_OTHER;
    default:                    return OMPI_ERROR;
    }
}
