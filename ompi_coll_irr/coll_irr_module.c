/*
 * coll_irr_module.c - the component structure that Open MPI looks up in mca_coll_irr.so, the functions that open and
 * close the component, and a module for each communicator.
 *
 * For each communicator Open MPI calls a query function, which returns a module, and then the module's enable function.
 * Both functions run inside Open MPI's progress, where any wait hangs a multi-threaded job.  They therefore use data of
 * this process only.  They make a decision that must be the same on all ranks only if the decision depends on the
 * communicator alone.  The first collective makes all other such decisions (coll_irr_agreement.c).
 *
 * In the first collective the ranks reach an agreement.  A rank without a module would not take part, and the other
 * ranks would wait for this rank.  The component therefore allocates a few spare modules in advance.  If there is no
 * memory for a module, the communicator gets a spare module.  The rank then takes part in the agreement, and declines
 * to use the engine.  For the same reason the memory of a module includes the operation classes of its nonblocking
 * calls and a team (coll_irr_team.h), which the first call uses.
 */
#include "coll_irr.h"
#include "coll_irr_engine.h"
#include "coll_irr_memory.h"
#include "coll_irr_settings.h"
#include "coll_irr_statistics.h"
#include "coll_irr_team.h"

/* A clause that says how the running Open MPI differs from the Open MPI of the build; "" if they do not differ. */
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

/* Returns NULL if this component serves the communicator, otherwise the reason.  The result is equal on all ranks. */
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
    if (is_of_other_jobs(comm->c_local_group) ||
        (OMPI_COMM_IS_INTER(comm) && is_of_other_jobs(comm->c_remote_group))) {
        return "communicators that span jobs are not served";
    }
    return NULL;
}

/* Number of spare modules, which serve as many communicators without memory for a module. */
enum { SPARES = 4 };

/* Number of spare modules that are missing.  Guarded by the component's lock. */
static volatile int spares_lacking = SPARES;   /* also read without the lock */

/* Returns a spare module, or NULL if there is no spare module. */
static mca_coll_irr_module_t *take_spare(void)
{
    mca_coll_irr_module_t *module;

    opal_mutex_lock(&mca_coll_irr_component.lock);
    for (module = mca_coll_irr_component.modules; module != NULL && !module->spare; module = module->next) {
    }
    if (module != NULL) {
        module->spare = false;
        spares_lacking++;
    }
    opal_mutex_unlock(&mca_coll_irr_component.lock);
    return module;
}

/* Returns a new module, or NULL if there is no memory for the module, its operation classes or its team. */
static mca_coll_irr_module_t *new_module(void)
{
    mca_coll_irr_module_t *module = OBJ_NEW(mca_coll_irr_module_t);

    if (module != NULL && (module->class == NULL || module->own_team == NULL)) {
        OBJ_RELEASE(module);
    }
    return module;
}

/* Allocates the missing spare modules, if there is memory.  Concurrent threads may allocate a few more than SPARES. */
static void make_spares(void)
{
    mca_coll_irr_module_t *spare;

    while (spares_lacking > 0 && (spare = new_module()) != NULL) {
        opal_mutex_lock(&mca_coll_irr_component.lock);
        spare->spare = true;
        spares_lacking--;
        opal_mutex_unlock(&mca_coll_irr_component.lock);
    }
}

static void close_spares(void)
{
    for (mca_coll_irr_module_t *spare = take_spare(); spare != NULL; spare = take_spare()) {
        OBJ_RELEASE(spare);
    }
}

/* Returns a new module, or a spare module if there is no memory, or NULL if there is no spare module either. */
static mca_coll_irr_module_t *make_module(void)
{
    mca_coll_irr_module_t *module = new_module();

    if (module != NULL) {
        make_spares();
        return module;
    }
    module = take_spare();
    if (module != NULL) {
        module->trouble = IRR_ERR_NO_MEMORY;
    }
    return module;
}

/*
 * Logs the collectives of MPI_COMM_WORLD that a component of a higher priority serves.  Open MPI enables the modules of
 * a communicator by ascending priority, so it enables modules of a higher priority after ours.  Call this function when
 * MPI_Init creates MPI_COMM_SELF, because all modules of MPI_COMM_WORLD are enabled then.  For other communicators
 * mca_coll_irr_log_above runs at their end.
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

/*
 * Stores the functions that served the communicator before ours, and retains their modules.  Sets our function in
 * `module` for each form of a collective that has such a function.
 */
static void keep_previous(mca_coll_irr_all_previous_t previous, const mca_coll_base_comm_coll_t *serving,
                          mca_coll_base_module_t *module)
{
    for (int which = 0; which < MCA_COLL_IRR_COLLECTIVES; which++) {
        for (int form = 0; form < MCA_COLL_IRR_FORMS; form++) {
            const mca_coll_irr_entry_t *entry = &mca_coll_irr_collectives[which].forms[form];
            mca_coll_irr_previous_t *served = &previous[which][form];

            memcpy(&served->function, (const char *)serving + entry->in_comm, sizeof(served->function));
            if (served->function == NULL) {
                continue;
            }
            memcpy(&served->module, (const char *)serving + entry->in_comm_module, sizeof(served->module));
            OBJ_RETAIN(served->module);
            memcpy((char *)module + entry->in_module, &entry->function, sizeof(entry->function));
        }
    }
}

static void drop_previous(mca_coll_irr_all_previous_t previous)
{
    for (int which = 0; which < MCA_COLL_IRR_COLLECTIVES; which++) {
        for (int form = 0; form < MCA_COLL_IRR_FORMS; form++) {
            if (previous[which][form].function != NULL) {
                OBJ_RELEASE(previous[which][form].module);
            }
        }
    }
}

/* ---- enable and disable ---- */

/* Makes a module serve a form of a collective. */
static void install(mca_coll_base_comm_coll_t *serving, const mca_coll_irr_entry_t *entry,
                    mca_coll_irr_function_t function, mca_coll_base_module_t *module)
{
    memcpy((char *)serving + entry->in_comm, &function, sizeof(function));
    memcpy((char *)serving + entry->in_comm_module, &module, sizeof(module));
}

/* Makes our module serve what the previous modules serve, or undoes this. */
static void install_all(mca_coll_irr_module_t *module, mca_coll_base_comm_coll_t *serving, bool ours)
{
    for (int i = 0; i < MCA_COLL_IRR_COLLECTIVES * MCA_COLL_IRR_FORMS; i++) {
        const int which = i / MCA_COLL_IRR_FORMS, form = i % MCA_COLL_IRR_FORMS;
        const mca_coll_irr_entry_t *entry = &mca_coll_irr_collectives[which].forms[form];
        const mca_coll_irr_previous_t *previous = &module->previous[which][form];

        if (ours && previous->function != NULL) {
            install(serving, entry, entry->function, &module->super);
        } else if (previous->function != NULL) {
            install(serving, entry, previous->function, previous->module);
        }
    }
}

/* Open MPI disables modules by descending priority, so no module of a higher priority serves any more. */
static int disable(mca_coll_base_module_t *base, ompi_communicator_t *comm)
{
    install_all((mca_coll_irr_module_t *)base, comm->c_coll, false);
    return OMPI_SUCCESS;
}

static int enable(mca_coll_base_module_t *base, ompi_communicator_t *comm)
{
    mca_coll_irr_module_t *module = (mca_coll_irr_module_t *)base;
    const mca_coll_base_comm_coll_t *previous = comm->c_coll;

    if (previous->coll_alltoallv == NULL) {
        opal_output_verbose(ompi_comm_rank(comm) == 0 ? 1 : 10, mca_coll_irr_component.output, "coll:irr: communicator "
                            "%s is left to Open MPI: no component of a lower priority serves it", comm->c_name);
        return OMPI_ERR_NOT_AVAILABLE;
    }
    module->comm = comm;
    mca_coll_irr_ranks_init(&module->ranks, comm);
    module->keyed = mca_coll_irr_info_has(comm, MCA_COLL_IRR_PREFIX) ? comm : NULL;
    keep_previous(module->previous, previous, &module->super);
    if (module->trouble == IRR_OK) {
        module->trouble = mca_coll_irr_settings_take(comm, module->keyed, &module->settings, &module->bad);
    }
    module->ranks.timeout = module->settings->engine.timeout;
    if (MCA_COLL_IRR_INSTALLS) {
        module->super.coll_module_disable = disable;
        install_all(module, comm->c_coll, true);
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

/*
 * Local: closes the engine and everything that uses the engine, at the end of the job.  Open MPI serves later calls.
 */
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

/* Completes the records of the collectives that were called on a communicator. */
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

/*
 * Frees a module.  Ranks free a communicator at different times, so this function waits for other ranks only if the
 * module is that of MPI_COMM_WORLD.
 */
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
    free(module->bad);
    free(module->neighbors);
    mca_coll_irr_reduction_leave(&module->ranks, NULL, module->class);    /* an agreement may be in progress */
    mca_coll_irr_settings_give(module->settings);
    mca_coll_irr_bytes_fini(&module->operation.bytes);
    drop_previous(module->previous);
    mca_coll_irr_ranks_fini(&module->ranks);
}

OBJ_CLASS_INSTANCE(mca_coll_irr_module_t, mca_coll_base_module_t, construct, destruct);

/* ---- component ---- */

static int irr_register(void)
{
    const int result = mca_coll_irr_settings_register();

    return result < 0 ? result : mca_coll_irr_pvars_register();
}

static int irr_open(void)
{
    OBJ_CONSTRUCT(&mca_coll_irr_component.lock, opal_mutex_t);
    mca_coll_irr_messages_open();
    mca_coll_irr_runs_open();
    mca_coll_irr_requests_open();
    mca_coll_irr_transport_open();
    mca_coll_irr_modes_open();
    mca_coll_irr_signature_open();
    mca_coll_irr_check_open();
    mca_coll_irr_report_open();
    return OMPI_SUCCESS;
}

static int irr_close(void)
{
    strand_modules();
    mca_coll_irr_report_close();
    close_spares();
    mca_coll_irr_teams_close();
    mca_coll_irr_memory_close();
    mca_coll_irr_settings_close();
    mca_coll_irr_lookups_close();
    mca_coll_irr_requests_close();
    mca_coll_irr_runs_close();
    mca_coll_irr_messages_close();
    OBJ_DESTRUCT(&mca_coll_irr_component.lock);
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
    .output = -1
};
