/*
 * coll_irr_setup.c - the setup of an engine communicator (irr.h), and the teardown of the engine in MPI_Finalize.
 *
 * Setup: these functions are steps of an agreement.  The last steps may plan an exchange on the new communicator.  The
 * engine communicates by the callbacks below, which run reductions over Open MPI's point-to-point messages.
 *
 * Teardown: a process may destroy its engine only after every process that can still send to it has flushed.  A barrier
 * waits until all of these processes have ended their last exchange.  Then each process flushes and closes its engine,
 * and a second barrier follows.  Only processes that share a communicator served by the engine send to each other, so
 * there is a barrier over the members of each served communicator, and none in a job without exchanges.  MPI may have
 * freed the communicator, so this file stores its members as a group of ranks of MPI_COMM_WORLD.  A group that is a
 * subset of another group needs no barrier: each of its members also stores the other group, so all of them skip the
 * barrier.  All ranks run their barriers in the same order of the groups, so no circular wait occurs.
 *
 * The teardown runs when the module of MPI_COMM_WORLD is destroyed: all processes are in MPI_Finalize then, and
 * point-to-point messages still work. coll_irr_timeout limits the wait for a missing process.
 *
 * Cost of the teardown: two dissemination barriers, O(log n) empty messages each, for each group of n ranks.
 */
#include "coll_irr_agreement.h"
#include "coll_irr_engine.h"
#include "coll_irr_settings.h"
#include "coll_irr_team.h"

/* ---- groups of processes, for the teardown ---- */

typedef mca_coll_irr_group_t group_t;

/* Sorted by compare.  No group is a subset of another group. */
static group_t *groups;

static int compare_ranks(const void *a, const void *b)
{
    int left = *(const int *)a, right = *(const int *)b;

    return (left > right) - (left < right);
}

static int compare(const group_t *a, const group_t *b)
{
    for (int i = 0; i < a->size && i < b->size; i++) {
        if (a->ranks[i] != b->ranks[i]) {
            return a->ranks[i] < b->ranks[i] ? -1 : 1;
        }
    }
    return (a->size > b->size) - (a->size < b->size);
}

/* Returns true if all ranks of `subset` are in `whole`. */
static bool is_subset(const group_t *subset, const group_t *whole)
{
    int found = 0;

    for (int i = 0; i < whole->size && found < subset->size; i++) {
        found += whole->ranks[i] == subset->ranks[found];
    }
    return found == subset->size;
}

/* NULL without memory. */
static group_t *create_group(const mca_coll_irr_ranks_t *ranks)
{
    const int size = ranks->size;
    group_t *group = malloc(sizeof(*group) + (size_t)size * sizeof(group->ranks[0]));

    if (group == NULL) {
        return NULL;
    }
    group->size = size;
    for (int i = 0; i < size; i++) {
        group->ranks[i] = (int)mca_coll_irr_process(ranks, i).vpid;
    }
    qsort(group->ranks, (size_t)size, sizeof(group->ranks[0]), compare_ranks);
    return group;
}

/* ---- callbacks of the engine ---- */

static irr_status_t allgather(void *context, const void *input, void *output, size_t bytes)
{
    mca_coll_irr_agreement_t *agreement = context;

    mca_coll_irr_reduction_gather(&agreement->reduction, input, output, bytes);
    return mca_coll_irr_reduction_test(&agreement->reduction);
}

static irr_status_t allreduce_max(void *context, uint64_t *values, size_t count)
{
    mca_coll_irr_agreement_t *agreement = context;

    mca_coll_irr_reduction_maxima(&agreement->reduction, values, count, &MCA_COLL_IRR_PARTNERS_ALL);
    return mca_coll_irr_reduction_test(&agreement->reduction);
}

static irr_status_t test(void *context)
{
    mca_coll_irr_agreement_t *agreement = context;

    return mca_coll_irr_reduction_test(&agreement->reduction);
}

/* The rank in the job is a unique name, because the engine serves no communicator across jobs. */
static uint64_t process_name(void *context, int rank)
{
    const mca_coll_irr_agreement_t *agreement = context;

    return mca_coll_irr_process(&agreement->module->ranks, rank).vpid;
}

/* ---- local trouble ---- */

irr_status_t mca_coll_irr_setup_prepare(mca_coll_irr_agreement_t *agreement)
{
    mca_coll_irr_module_t *module = agreement->module;

    if (module->trouble != IRR_OK) {
        return module->trouble;
    }
    if (agreement->group == NULL) {
        agreement->group = create_group(&module->ranks);
    }
    if (agreement->group == NULL || mca_coll_irr_rooms_reserve(module) != IRR_OK) {
        return IRR_ERR_NO_MEMORY;
    }
    return mca_coll_irr_engine_open();
}

/* ---- steps ---- */

static irr_status_t end(mca_coll_irr_agreement_t *agreement, irr_status_t status)
{
    agreement->setup_result = status;
    agreement->sets_up = false;
    if (status != IRR_OK) {
        mca_coll_irr_setup_abandon(agreement);
    }
    agreement->next = agreement->then;
    return IRR_OK;
}

/* All ranks read the same maximum, and decline the communicator if planning failed on any rank. */
static irr_status_t read_plan_result(mca_coll_irr_agreement_t *agreement)
{
    const irr_status_t status = mca_coll_irr_reduction_test(&agreement->reduction);

    return end(agreement, status == IRR_OK && agreement->failed != 0 ? IRR_ERR_NOT_SUPPORTED : status);
}

/* Waits until this rank has planned the exchange.  Then asks whether any rank failed. */
static irr_status_t wait_for_plan(mca_coll_irr_agreement_t *agreement)
{
    const irr_status_t status = agreement->failed != 0 ? IRR_OK : irr_exchange_test(irr_comm_exchange(agreement->comm));

    if (status == IRR_IN_PROGRESS) {
        return status;
    }
    agreement->failed = agreement->failed != 0 || status != IRR_OK;
    return mca_coll_irr_agreement_reduce(agreement, &agreement->failed, 1, read_plan_result);
}

static irr_status_t wait_for_comm(mca_coll_irr_agreement_t *agreement)
{
    const irr_status_t status = irr_setup_test(&agreement->setup, &agreement->comm);

    if (status == IRR_IN_PROGRESS) {
        return status;
    }
    if (status != IRR_OK || !agreement->params.plans) {
        return end(agreement, status);
    }
    agreement->failed = irr_exchange_plan(irr_comm_exchange(agreement->comm), agreement->params.problem) != IRR_OK;
    agreement->next = wait_for_plan;
    return IRR_OK;
}

/* Returns a label of the node: its index if ranks_per_node is given, otherwise the lowest rank on the node. */
static uint64_t node_label(mca_coll_irr_module_t *module)
{
    size_t ranks_per_node = module->settings->ranks_per_node;
    int me = module->ranks.rank, lowest = 0;

    if (ranks_per_node > 0) {
        return (size_t)me / ranks_per_node;
    }
    while (lowest < me && !mca_coll_irr_is_on_my_node(&module->ranks, lowest)) {
        lowest++;
    }
    return (uint64_t)lowest;
}

/* Returns why this rank cannot take part, for the user. */
static const char *reason_of(const mca_coll_irr_agreement_t *agreement, irr_status_t trouble)
{
    switch (trouble) {
    case IRR_ERR_NO_MEMORY:
        return agreement->params.goal == MCA_COLL_IRR_OPEN ? "a rank has no memory for a persistent request"
                                                            : "a rank has no memory for a communicator";
    case IRR_ERR_OOB: return "a rank cannot look up the data that other ranks have published in MPI_Init";
    default:          return "a rank cannot open the engine of its process";
    }
}

irr_status_t mca_coll_irr_setup_begin(mca_coll_irr_agreement_t *agreement, const irr_settings_t *settings,
                                      irr_status_t trouble, mca_coll_irr_step_t then)
{
    mca_coll_irr_module_t *module = agreement->module;
    const mca_coll_irr_service_t *service = agreement->comm_service;
    const irr_comm_params_t params = {
        .ranks = module->ranks.size,
        .rank = module->ranks.rank,
        .settings = *settings,
        .oob = &agreement->oob,
        .trouble = trouble,
        .reason = reason_of(agreement, trouble),
        .parameter = service != NULL ? mca_coll_irr_parameter(service->which) : NULL,
        .otherwise = "Open MPI's own algorithm serves the communicator",
        .host = mca_coll_irr_process_info.nodename,
        .node = (int)node_label(module),
        .switch_address = getenv("SLURM_TOPOLOGY_ADDR"),
        .switch_pattern = getenv("SLURM_TOPOLOGY_ADDR_PATTERN"),
        .only_shared = agreement->only_shared
    };

    opal_output_verbose(10, mca_coll_irr_component.output, "coll:irr: rank %d of communicator %s is on node %d",
                        params.rank, module->comm->c_name, params.node);
    agreement->oob = (irr_oob_t){
        .context = agreement, .allgather = allgather, .allreduce_max = allreduce_max, .test = test,
        .process_name = process_name
    };
    irr_setup_start(&agreement->setup, mca_coll_irr_component.engine, &params);
    agreement->then = then;
    agreement->sets_up = true;
    agreement->next = wait_for_comm;
    return IRR_OK;
}

const char *mca_coll_irr_setup_why(const mca_coll_irr_agreement_t *agreement)
{
    return agreement->setup.why[0] != '\0' ? agreement->setup.why : "a rank cannot plan its exchange";
}

void mca_coll_irr_setup_abandon(mca_coll_irr_agreement_t *agreement)
{
    if (agreement->next == wait_for_comm) {
        irr_setup_abandon(&agreement->setup);
    }
    if (agreement->comm != NULL) {
        irr_comm_destroy(agreement->comm);
        agreement->comm = NULL;
    }
}

/* ---- teardown ---- */

/*
 * Adds a group to the list, and frees the groups that are subsets of it; or frees the group if it is a subset itself.
 * The caller must hold the lock.
 */
static void add(group_t *group)
{
    group_t **link = &groups;

    while (*link != NULL) {
        group_t *other = *link;

        if (is_subset(group, other)) {   /* the list then has no group that is a subset of this group */
            free(group);
            return;
        }
        if (is_subset(other, group)) {
            *link = other->next;
            free(other);
        } else {
            link = &other->next;
        }
    }
    for (link = &groups; *link != NULL && compare(*link, group) < 0; link = &(*link)->next) {
    }
    group->next = *link;
    *link = group;
}

void mca_coll_irr_teardown_add(mca_coll_irr_group_t *group)
{
    opal_mutex_lock(&mca_coll_irr_component.lock);
    add(group);
    opal_mutex_unlock(&mca_coll_irr_component.lock);
}

static void barriers(time_t deadline)
{
    irr_status_t status = IRR_OK;
    mca_coll_irr_reduction_t reduction;
    mca_coll_irr_ranks_t world = { .size = 0 };

    mca_coll_irr_ranks_init(&world, &ompi_mpi_comm_world.comm);
    mca_coll_irr_reduction_init(&reduction, &world, MCA_COLL_BASE_TAG_BARRIER);
    for (group_t *group = groups; group != NULL && status == IRR_OK; group = group->next) {
        mca_coll_irr_reduction_barrier(&reduction, group->ranks, group->size);
        status = mca_coll_irr_reduction_wait(&reduction, deadline);
    }
}

/* The parameter coll_irr_timeout in seconds; 0: no limit.  The teardown belongs to no communicator. */
static size_t timeout_of_job(void)
{
    const mca_coll_irr_setting_t *setting = mca_coll_irr_setting("timeout");
    irr_settings_t settings = { .timeout = 0 };

    (void)irr_setting_parse(setting->row, mca_coll_irr_parameter_text(setting), &settings);
    return settings.timeout;
}

void mca_coll_irr_teardown(void)
{
    mca_coll_irr_component_t *component = &mca_coll_irr_component;
    const size_t seconds = timeout_of_job();

    if (component->engine_state == MCA_COLL_IRR_ENGINE_OPEN) {
        const time_t deadline = seconds > 0 ? time(NULL) + (time_t)seconds : 0;

        barriers(deadline);
        irr_engine_close(component->engine);
        while (irr_engine_drain(component->engine) == IRR_IN_PROGRESS && mca_coll_irr_progress(deadline)) {
        }
        barriers(deadline);
    }
}

void mca_coll_irr_groups_free(void)
{
    while (groups != NULL) {
        group_t *group = groups;

        groups = group->next;
        free(group);
    }
}
