/*
 * coll_irr_module.c - the component structure that Open MPI looks up in mca_coll_irr.so, the functions that open and
 * close the component, and a module for each communicator.
 *
 * For each communicator Open MPI calls a query function, which returns a module, and then the module's enable function.
 * Both run inside Open MPI's progress, where any wait hangs a multi-threaded job, so they use data of this process
 * only.  A decision that must be the same on all ranks depends on the communicator alone, or is left to the first
 * collective (coll_irr_agreement.c).
 *
 * In the first collective the ranks reach an agreement.  A rank without a module would not take part, and the other
 * ranks would wait for it.  If there is no memory for a module, the communicator therefore gets one of a few spare
 * modules.  The rank then takes part in the agreement, and declines to use the engine.  For the same reason the memory
 * of a module includes the operation classes of its nonblocking calls and a team (coll_irr_team.h).
 *
 * The spare modules are created when the component opens.  A process without memory for them has no modules at all.
 * Its signature (coll_irr_vote.c) tells this to the other processes of the job, which leave all communicators with the
 * process to Open MPI.
 */
#include "coll_irr.h"
#include "coll_irr_engine.h"
#include "coll_irr_memory.h"
#include "coll_irr_settings.h"
#include "coll_irr_statistics.h"
#include "coll_irr_team.h"

/* How the running Open MPI differs from that of the build; "" if it does not. */
static char wrong_abi[96];

static int init_query(bool progress_threads, bool mpi_threads)
{
    char running[32];

    (void)progress_threads;
    mca_coll_irr_component.threads = mpi_threads;
    if (!mca_coll_irr_abi_matches(running, sizeof(running))) {
        snprintf(wrong_abi, sizeof(wrong_abi), "built for Open MPI %d.%d.%d, but %s runs", OMPI_MAJOR_VERSION,
                 OMPI_MINOR_VERSION, OMPI_RELEASE_VERSION, running);
    }
    return OMPI_SUCCESS;
}

static bool is_of_other_jobs(ompi_group_t *group)
{
    if (group == ompi_mpi_comm_world.comm.c_local_group) {   /* MPI_Comm_dup keeps the group */
        return false;
    }
    for (int i = 0; i < ompi_group_size(group); i++) {
        if (ompi_group_get_proc_name(group, i).jobid != OMPI_PROC_MY_NAME->jobid) {
            return true;
        }
    }
    return false;
}

static bool is_alone(ompi_communicator_t *comm)
{
    return ompi_comm_size(comm) < 2 && !OMPI_COMM_IS_INTER(comm);
}

/*
 * NULL: this component serves the communicator.  The result is equal on all ranks whose signatures are equal.
 */
static const char *reason_to_decline(ompi_communicator_t *comm)
{
    if (mca_coll_irr_component.params.priority < 0) {
        return "coll_irr_priority is negative";
    }
    if (is_alone(comm)) {
        return "there is nobody to exchange with";
    }
    if (mca_coll_irr_fault_tolerant_job()) {
        return "fault-tolerant jobs are not served";
    }
    if (wrong_abi[0] != '\0') {
        return wrong_abi;
    }
    if (!mca_coll_irr_component.takes_part) {
        return "there was no memory for coll/irr in MPI_Init";
    }
    if (is_of_other_jobs(comm->c_local_group) ||
        (OMPI_COMM_IS_INTER(comm) && is_of_other_jobs(comm->c_remote_group))) {
        return "communicators that span jobs are not served";
    }
    return NULL;
}

/* Spare modules, for as many communicators without memory.  Guarded by the component's lock. */
enum { SPARES = 4 };
static mca_coll_irr_module_t *spares[SPARES];
static volatile int nspares;   /* also read without the lock */

/* NULL: there is no memory for the module, its operation classes or its team. */
static mca_coll_irr_module_t *new_module(void)
{
    mca_coll_irr_module_t *module = OBJ_NEW(mca_coll_irr_module_t);

    if (module != NULL && (module->class == NULL || module->own_team == NULL)) {
        OBJ_RELEASE(module);
    }
    return module;
}

static mca_coll_irr_module_t *take_spare(void)
{
    mca_coll_irr_module_t *spare;

    opal_mutex_lock(&mca_coll_irr_component.lock);
    spare = nspares > 0 ? spares[--nspares] : NULL;
    opal_mutex_unlock(&mca_coll_irr_component.lock);
    return spare;
}

/* Returns false if there are enough spares; another thread may have added one. */
static bool give_spare(mca_coll_irr_module_t *module)
{
    bool lacks;

    opal_mutex_lock(&mca_coll_irr_component.lock);
    lacks = nspares < SPARES;
    if (lacks) {
        spares[nspares++] = module;
    }
    opal_mutex_unlock(&mca_coll_irr_component.lock);
    return lacks;
}

/* Creates modules until there are SPARES spares.  Returns false if there is no memory. */
static bool fill_spares(void)
{
    mca_coll_irr_module_t *spare = NULL;

    while (nspares < SPARES && (spare = new_module()) != NULL) {
        if (!give_spare(spare)) {
            OBJ_RELEASE(spare);
        }
    }
    return nspares >= SPARES;
}

/* A spare module if there is no memory, or NULL if there is no spare module either. */
static mca_coll_irr_module_t *make_module(void)
{
    mca_coll_irr_module_t *module = new_module();

    if (module != NULL) {
        (void)fill_spares();
    } else if ((module = take_spare()) != NULL) {
        module->trouble = IRR_ERR_NO_MEMORY;
    }
    return module;
}

/*
 * Logs the collectives of MPI_COMM_WORLD that a component of a higher priority serves.  Open MPI enables modules by
 * ascending priority, so modules of a higher priority are missing when ours is enabled.  Call this when MPI_Init
 * creates MPI_COMM_SELF. For other communicators mca_coll_irr_log_above runs at their end.
 */
static void log_world(void)
{
    for (mca_coll_irr_module_t *module = mca_coll_irr_component.modules; module != NULL; module = module->next) {
        if (module->comm == &ompi_mpi_comm_world.comm) {
            mca_coll_irr_log_above(module);
        }
    }
}

static int enable(mca_coll_base_module_t *base, ompi_communicator_t *comm);

static mca_coll_base_module_t *comm_query(ompi_communicator_t *comm, int *priority)
{
    const char *reason = reason_to_decline(comm);
    mca_coll_irr_module_t *module;

    if (comm == &ompi_mpi_comm_world.comm) {
        mca_coll_irr_check_warn();
    } else if (comm == &ompi_mpi_comm_self.comm) {
        log_world();
    }
    if (reason != NULL) {
        opal_output_verbose(!is_alone(comm) && ompi_comm_rank(comm) == 0 ? 1 : 10,
                            mca_coll_irr_component.output, "coll:irr: communicator %s is left to Open MPI: %s",
                            comm->c_name, reason);
        return NULL;
    }
    module = make_module();
    if (module == NULL) {
        return NULL;
    }
    module->super.coll_module_enable = enable;
    *priority = mca_coll_irr_component.params.priority;
    return &module->super;
}

/* ---- the functions that served the communicator before coll/irr ---- */

enum { CALLS = MCA_COLL_IRR_COLLECTIVES * MCA_COLL_IRR_FORMS };

static const mca_coll_irr_entry_t *entry_at(int call)
{
    return &mca_coll_irr_collectives[call / MCA_COLL_IRR_FORMS].forms[call % MCA_COLL_IRR_FORMS];
}

static mca_coll_irr_previous_t *previous_at(mca_coll_irr_module_t *module, int call)
{
    return &module->previous[call / MCA_COLL_IRR_FORMS][call % MCA_COLL_IRR_FORMS];
}

/*
 * Stores the functions that served the communicator before ours, and retains their modules.  Offers our function to
 * Open MPI for each form of a collective that has such a function.
 */
static void keep_previous(mca_coll_irr_module_t *module, const mca_coll_base_comm_coll_t *serving)
{
    for (int i = 0; i < CALLS; i++) {
        const mca_coll_irr_entry_t *entry = entry_at(i);
        mca_coll_irr_previous_t *previous = previous_at(module, i);

        memcpy(&previous->function, (const char *)serving + entry->in_comm, sizeof(previous->function));
        if (previous->function != NULL) {
            memcpy(&previous->module, (const char *)serving + entry->in_comm_module, sizeof(previous->module));
            OBJ_RETAIN(previous->module);
            memcpy((char *)&module->super + entry->in_module, &entry->function, sizeof(entry->function));
        }
    }
}

static void drop_previous(mca_coll_irr_module_t *module)
{
    for (int i = 0; i < CALLS; i++) {
        if (previous_at(module, i)->function != NULL) {
            OBJ_RELEASE(previous_at(module, i)->module);
        }
    }
}

/* ---- enable and disable ---- */

/* Makes our module serve what the previous modules serve, or undoes this. */
static void install(mca_coll_irr_module_t *module, mca_coll_base_comm_coll_t *serving, bool ours)
{
    const mca_coll_base_module_t *base = &module->super;

    for (int i = 0; i < CALLS; i++) {
        const mca_coll_irr_entry_t *entry = entry_at(i);
        const mca_coll_irr_previous_t *previous = previous_at(module, i);

        if (previous->function != NULL) {
            memcpy((char *)serving + entry->in_comm, ours ? &entry->function : &previous->function,
                   sizeof(entry->function));
            memcpy((char *)serving + entry->in_comm_module, ours ? (const void *)&base : &previous->module,
                   sizeof(base));
        }
    }
}

/* Open MPI disables modules by descending priority, so no module of a higher priority serves any more. */
static int disable(mca_coll_base_module_t *base, ompi_communicator_t *comm)
{
    install((mca_coll_irr_module_t *)base, comm->c_coll, false);
    return OMPI_SUCCESS;
}

static int enable(mca_coll_base_module_t *base, ompi_communicator_t *comm)
{
    mca_coll_irr_module_t *module = (mca_coll_irr_module_t *)base;
    ompi_communicator_t *keyed = mca_coll_irr_info_has(comm, MCA_COLL_IRR_PREFIX) ? comm : NULL;

    if (comm->c_coll->coll_alltoallv == NULL) {
        opal_output_verbose(ompi_comm_rank(comm) == 0 ? 1 : 10, mca_coll_irr_component.output, "coll:irr: communicator "
                            "%s is left to Open MPI: no component of a lower priority serves it", comm->c_name);
        return OMPI_ERR_NOT_AVAILABLE;
    }
    module->comm = comm;
    mca_coll_irr_ranks_init(&module->ranks, comm);
    module->keyed = keyed != NULL;
    mca_coll_irr_demands_take(keyed, &module->demands);
    keep_previous(module, comm->c_coll);
    if (module->trouble == IRR_OK) {
        module->trouble = mca_coll_irr_settings_take(comm, keyed, &module->settings);
    }
    if (module->trouble == IRR_ERR_BAD_PARAM) {
        (void)mca_coll_irr_find_bad(keyed, &module->bad);
    }
    module->ranks.timeout = module->settings->engine.timeout;
    if (MCA_COLL_IRR_INSTALLS) {
        module->super.coll_module_disable = disable;
        install(module, comm->c_coll, true);
    }
    return OMPI_SUCCESS;
}

/* ---- lifetime ---- */

static void construct(mca_coll_irr_module_t *module)
{
    size_t base = sizeof(module->super);

    memset((char *)module + base, 0, sizeof(*module) - base);
    module->settings = &mca_coll_irr_settings_none;
    module->class = malloc(MCA_COLL_IRR_COLLECTIVES * sizeof(*module->class));
    module->own_team = mca_coll_irr_team_create();
    opal_mutex_lock(&mca_coll_irr_component.lock);
    module->number = ++mca_coll_irr_component.numbers;
    MCA_COLL_IRR_LINK(module, mca_coll_irr_component.modules);
    opal_mutex_unlock(&mca_coll_irr_component.lock);
}

/* At the end of the job: closes the engine and everything that uses it.  Open MPI serves later calls. */
static void strand_modules(void)
{
    mca_coll_irr_component_t *component = &mca_coll_irr_component;

    mca_coll_irr_requests_strand();
    mca_coll_irr_teams_each(mca_coll_irr_service_end);
    for (mca_coll_irr_module_t *module = component->modules; module != NULL; module = module->next) {
        mca_coll_irr_ranks_fini(&module->ranks);   /* Open MPI frees the communicators later, one by one */
    }
    if (component->engine_state == MCA_COLL_IRR_ENGINE_OPEN) {
        mca_coll_irr_engine_close();
    }
    component->engine_state = MCA_COLL_IRR_ENGINE_GONE;
    mca_coll_irr_groups_free();
}

/* Completes the records of the collectives of a communicator. */
static void end_stats(mca_coll_irr_module_t *module)
{
    for (int i = 0; i < MCA_COLL_IRR_COLLECTIVES; i++) {
        if (module->called[i]) {
            mca_coll_irr_stats_end(module, mca_coll_irr_team_service(module->team, i));
        }
    }
}

/* Adds the records of all communicators and requests to the report. */
static void report_all(void)
{
    for (mca_coll_irr_module_t *module = mca_coll_irr_component.modules; module != NULL; module = module->next) {
        end_stats(module);
    }
    mca_coll_irr_teams_each(mca_coll_irr_stats_close);
    mca_coll_irr_requests_stats();
}

/* Ranks free a communicator at different times, so only the module of MPI_COMM_WORLD waits for other ranks. */
static void destruct(mca_coll_irr_module_t *module)
{
    if (module->comm != NULL) {
        mca_coll_irr_log_above(module);
    }
    if (module->comm == &ompi_mpi_comm_world.comm) {
        report_all();
        mca_coll_irr_report_end();
        mca_coll_irr_memory_end();
        mca_coll_irr_teardown();
        strand_modules();
    }
    opal_mutex_lock(&mca_coll_irr_component.lock);
    MCA_COLL_IRR_UNLINK(module);
    opal_mutex_unlock(&mca_coll_irr_component.lock);
    mca_coll_irr_nonblocking_end(module);
    end_stats(module);
    mca_coll_irr_team_leave(module);
    free(module->own_team);
    free(module->neighbors);
    mca_coll_irr_reduction_leave(&module->ranks, NULL, module->class);    /* an agreement may be in progress */
    mca_coll_irr_settings_give(module->settings);
    mca_coll_irr_operation_fini(&module->operation);
    drop_previous(module);
    mca_coll_irr_ranks_fini(&module->ranks);
}

OBJ_CLASS_INSTANCE(mca_coll_irr_module_t, mca_coll_base_module_t, construct, destruct);

/* ---- component ---- */

static int irr_register(void)
{
    const int result = mca_coll_irr_settings_register();

    return result < 0 ? result : mca_coll_irr_pvars_register();
}

/*
 * Returns true if this process can have modules of coll/irr.  A process that is alone in its job needs no modules:
 * communicators of one rank, and those that span jobs, are left to Open MPI.
 */
static bool takes_part(void)
{
    return mca_coll_irr_abi_matches(NULL, 0) && (mca_coll_irr_process_info.num_procs < 2 || fill_spares());
}

static int irr_open(void)
{
    mca_coll_irr_messages_open();
    mca_coll_irr_component.takes_part = takes_part();
    mca_coll_irr_has_devices = mca_coll_irr_knows_devices();
    mca_coll_irr_transport_open();
    mca_coll_irr_demands_open();
    mca_coll_irr_signature_open();
    mca_coll_irr_check_open();
    mca_coll_irr_report_open();
    return OMPI_SUCCESS;
}

static int irr_close(void)
{
    strand_modules();
    mca_coll_irr_report_close();
    for (mca_coll_irr_module_t *spare = take_spare(); spare != NULL; spare = take_spare()) {
        OBJ_RELEASE(spare);
    }
    mca_coll_irr_teams_close();
    mca_coll_irr_memory_close();
    mca_coll_irr_settings_close();
    mca_coll_irr_lookups_close();
    mca_coll_irr_requests_close();
    mca_coll_irr_runs_close();
    mca_coll_irr_messages_close();
    return OMPI_SUCCESS;
}

mca_coll_irr_component_t mca_coll_irr_component = {
    .super = {
        .collm_version = {
            MCA_COLL_IRR_BASE_VERSION,
            .mca_component_name = "irr",
            MCA_BASE_MAKE_VERSION(component, IRR_VERSION_MAJOR, IRR_VERSION_MINOR, IRR_VERSION_RELEASE),
            .mca_open_component = irr_open,
            .mca_close_component = irr_close,
            .mca_register_component_params = irr_register
        },
        .collm_data = {
            MCA_BASE_METADATA_PARAM_NONE
        },
        .collm_init_query = init_query,
        .collm_comm_query = comm_query
    },
    .output = -1,
    .lock = OPAL_MUTEX_STATIC_INIT
};
