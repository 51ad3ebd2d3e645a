/*
 * coll_irr_settings.c - see coll_irr_settings.h: the component's rows of the table, the registration of all settings as
 * parameters, and the settings of a communicator.
 *
 * If any rank has a bad value, all ranks leave the communicator to Open MPI in the agreement of the first collective.
 */
#include "coll_irr_settings.h"

#include <limits.h>

enum { USER = IRR_SETTING_USER, EXPERT = IRR_SETTING_EXPERT, DEVELOPER = IRR_SETTING_DEVELOPER };

/* Value i of an algorithm parameter: the rows of the algorithm table, followed by "host". */
static const char *algorithm_name(int i)
{
    const char *name = irr_algorithm_name(i);

    return name == NULL && irr_algorithm_name(i - 1) != NULL ? "host" : name;
}

/* Value i of the parameter for the transport: auto, followed by the transports of this build. */
static const char *transport_name(int i)
{
    return i == 0 ? "auto" : irr_transport_name(i - 1);
}

#define AT(member) offsetof(mca_coll_irr_params_t, member)

/* A row of type IRR_SETTING_TEXT allows any text. */
static const irr_setting_t of_process[] = {
    { "priority", IRR_SETTING_WHOLE, USER, AT(priority), "40",
      "Priority of coll/irr, up to 100. coll/irr can serve collectives only if its priority is above the priority of "
      "Open MPI's component tuned, by default 30. A negative value disables coll/irr.",
      .allowed = "a whole number up to 100; a negative one disables coll/irr", .min = INT_MIN, .max = 100 },
    { "verbose", IRR_SETTING_WHOLE, USER, AT(verbose), "0",
      "Verbosity of coll/irr. 0: no output; 1: rank 0 of each communicator logs the algorithm that serves each "
      "collective, and the cause; 10 and more: output for debugging.",
      .allowed = "a whole number from 0 on", .min = 0, .max = INT_MAX },
    { "setup_share", IRR_SETTING_WHOLE, USER, AT(setup_share), "5",
      "Algorithm auto: limit of the cost of its trials of faster algorithms, in percent of the time in exchanges. "
      "0: no trials, so Open MPI serves all calls. Up to 100, a trial starts only if its gain may exceed its cost; "
      "above 100, a trial always starts.",
      .allowed = "a whole number of percent from 0 on; 0 tries nothing", .min = 0, .max = INT_MAX },
    { "transport", IRR_SETTING_NAME, USER, AT(transport), "auto",
      "Library for messages that do not go through shared memory. ucx: UCX; ofi: libfabric. auto: ofi if "
      "coll_irr_ofi_* is set and coll_irr_ucx_* is not, or if the job has several nodes and a network that only "
      "libfabric supports (Slingshot, EFA, Omni-Path); otherwise ucx. Must be the same on all ranks.",
      .value = transport_name },
    { "eager_bytes", IRR_SETTING_AUTO_SIZE, EXPERT, AT(eager_bytes), "auto",
      "Length in bytes of the longest message that is sent at once; a longer message waits until its receiver is "
      "ready. 0: UCX or libfabric chooses; auto: 64k if coll_irr_topology_file is set, or if UCX connects nodes "
      "without InfiniBand, otherwise as 0. UCX_RNDV_THRESH takes precedence.",
      .allowed = "auto, or a whole number, with an optional suffix k, m or g; 0: UCX or libfabric chooses" },
    { "ucx_tls", IRR_SETTING_TEXT, EXPERT, AT(ucx_tls), "", .help =
      "UCX transports that coll/irr may use, in the syntax of UCX_TLS. They do not apply to Open MPI's use of UCX. "
      "Empty: shared memory only (sysv,posix,self) if the job runs on one node, otherwise UCX's choice." },
    { "ucx_devices", IRR_SETTING_TEXT, EXPERT, AT(ucx_devices), "", .help =
      "Network devices that coll/irr may use through UCX, in the syntax of UCX_NET_DEVICES. They do not apply to "
      "Open MPI's use of UCX. Empty: UCX's choice." },
    { "ofi_provider", IRR_SETTING_TEXT, EXPERT, AT(ofi_provider), "", .help =
      "Provider of libfabric, as fi_info -p accepts it, such as tcp;ofi_rxm. Empty: the provider of a fast network "
      "adapter if there is one, otherwise tcp;ofi_rxm. Must be the same on all ranks." },
    { "ofi_domain", IRR_SETTING_TEXT, EXPERT, AT(ofi_domain), "", .help =
      "Domain of libfabric, as fi_info -d accepts it, such as eth0 or mlx5_0; or several domains with commas, the "
      "best first. Empty: any domain that Open MPI may use (btl_tcp_if_include, btl_tcp_if_exclude); on one node lo. "
      "Must be the same on all ranks." },
    { "machine_file", IRR_SETTING_TEXT, USER, AT(machine_file), "", .help =
      "File with the constants of the machine, which irr_tune writes. The algorithm auto uses the constants to "
      "select strategies for trials. The defaults are used if no file is named, if a rank cannot read the file, or "
      "if the constants of two ranks differ." },
    { "memory_file", IRR_SETTING_TEXT, USER, AT(memory_file), "", .help =
      "File in which jobs keep results of trials for later jobs: with auto, a strategy with a known speedup serves "
      "calls at once. Process 0 updates the file in MPI_Finalize. Use one file per cluster; irr_tune --show FILE "
      "prints it. Either all ranks or no rank must name a file." },
    { "report", IRR_SETTING_TEXT, USER, AT(report), "", .help =
      "Report of all-to-all collectives, which rank 0 writes at the end of the job. 1 or yes: a table on stderr; name "
      "of a file: a table in it, or JSON if the name ends in .json; empty, 0 or no: no report." },
    { "trace", IRR_SETTING_TEXT, EXPERT, AT(trace), "", .help =
      "Prefix of trace files: at the end of the job each process writes PREFIX.RANK.trace, with the times at which "
      "it sent and received each message. irr_trace converts these files to one file for Perfetto. Empty: no trace." }
};

#undef AT
#define AT(member) offsetof(mca_coll_irr_settings_t, member)

/* The first rows name an algorithm. */
static const irr_setting_t of_communicator[] = {
    { "alltoallv_algorithm", IRR_SETTING_NAME, USER, AT(algorithms[MCA_COLL_IRR_ALLTOALLV_ALGORITHM]), "auto",
      "Algorithm for MPI_Alltoallv and MPI_Alltoallw: auto finds the fastest, host is Open MPI's implementation; man "
      "coll_irr describes all.",
      .value = algorithm_name },
    { "alltoall_algorithm", IRR_SETTING_NAME, USER, AT(algorithms[MCA_COLL_IRR_ALLTOALL_ALGORITHM]), "auto",
      "Algorithm for MPI_Alltoall, with the values of coll_irr_alltoallv_algorithm.",
      .value = algorithm_name },
    { "neighbor_algorithm", IRR_SETTING_NAME, USER, AT(algorithms[MCA_COLL_IRR_NEIGHBOR_ALGORITHM]), "auto",
      "Algorithm for MPI_Neighbor_alltoall, MPI_Neighbor_alltoallv and MPI_Neighbor_alltoallw, with the values of "
      "coll_irr_alltoallv_algorithm.",
      .value = algorithm_name },
    { "ranks_per_node", IRR_SETTING_SIZE, DEVELOPER, AT(ranks_per_node), "0",
      "Number of consecutive ranks of a communicator that algorithms treat as a node, for example the ranks of a "
      "NUMA domain or of a switch. 0 means the nodes that Open MPI knows.",
      .allowed = "a whole number, with an optional suffix k, m or g; 0 means the nodes that Open MPI knows" }
};

enum {
    PROCESS = sizeof(of_process) / sizeof(of_process[0]),
    COMMUNICATOR = sizeof(of_communicator) / sizeof(of_communicator[0])
};

static mca_coll_irr_setting_t table[PROCESS + COMMUNICATOR + IRR_SETTINGS_MAX];
static int count;

/* ---- the table ---- */

static void add(const irr_setting_t *row, mca_coll_irr_scope_t scope)
{
    mca_coll_irr_setting_t *setting = &table[count++];

    *setting = (mca_coll_irr_setting_t){ .row = row, .scope = scope };
    snprintf(setting->parameter, sizeof(setting->parameter), "%s%s", MCA_COLL_IRR_PREFIX, row->name);
}

mca_coll_irr_setting_t *mca_coll_irr_setting_at(int i)
{
    return i >= 0 && i < count ? &table[i] : NULL;
}

mca_coll_irr_setting_t *mca_coll_irr_setting(const char *name)
{
    int i = 0;

    while (i < count - 1 && strcmp(table[i].row->name, name) != 0) {
        i++;
    }
    return &table[i];
}

const mca_coll_irr_setting_t *mca_coll_irr_algorithm_setting(int algorithm)
{
    return &table[PROCESS + algorithm];
}

const char *mca_coll_irr_parameter(mca_coll_irr_which_t which)
{
    return mca_coll_irr_algorithm_setting(mca_coll_irr_collectives[which].algorithm)->parameter;
}

/* ---- registration ---- */

/*
 * Converts a text to a value of an enumeration.  Accepts a bad value, for which Open MPI's conversion would print a
 * message and use the default; the component warns the user later.
 */
static int take(mca_base_var_enum_t *self, const char *text, int *value)
{
    mca_coll_irr_setting_t *setting = mca_coll_irr_setting(self->enum_name + strlen(MCA_COLL_IRR_PREFIX));
    char *end;
    const long number = strtol(text, &end, 10);

    *value = irr_setting_index(setting->row, text);
    if (*value < 0 && *end == '\0' && end != text && number >= 0 && number <= INT_MAX &&
        setting->row->value((int)number) != NULL) {
        *value = (int)number;
    }
    if (*value < 0) {
        snprintf(setting->bad, sizeof(setting->bad), "%s", text);
    }
    return OPAL_SUCCESS;
}

int mca_coll_irr_setting_enum(const irr_setting_t *setting, const char *name, mca_base_var_enum_t **enumeration_p)
{
    mca_base_var_enum_value_t values[32] = { { 0, NULL } };

    for (int i = 0; setting->value(i) != NULL && i < 31; i++) {
        values[i] = (mca_base_var_enum_value_t){ i, setting->value(i) };
    }
    return mca_base_var_enum_create(name, values, enumeration_p);
}

static int register_setting(mca_coll_irr_setting_t *setting)
{
    const irr_setting_t *row = setting->row;
    const bool named = row->type == IRR_SETTING_NAME;
    mca_base_var_enum_t *enumeration = NULL;
    char help[512];
    int result;

    if (named) {
        result = mca_coll_irr_setting_enum(row, setting->parameter, &enumeration);
        if (result != OPAL_SUCCESS) {
            return result;
        }
        enumeration->value_from_string = take;
    }
    setting->index = 0;
    setting->text = (char *)row->standard;   /* Open MPI modifies a copy only */
    snprintf(help, sizeof(help), "%s%s", row->help,
             setting->scope == MCA_COLL_IRR_OF_PROCESS ? "" : " Also an info key.");
    result = mca_base_component_var_register(
        &mca_coll_irr_component.super.collm_version, row->name, help,
        named ? MCA_BASE_VAR_TYPE_INT : MCA_BASE_VAR_TYPE_STRING, enumeration, 0, 0,
        (mca_base_var_info_lvl_t)(OPAL_INFO_LVL_1 + row->level - 1), MCA_BASE_VAR_SCOPE_ALL_EQ,
        named ? (void *)&setting->index : (void *)&setting->text);
    if (enumeration != NULL) {
        OBJ_RELEASE(enumeration);
    }
    if (result >= 0 && row->older != NULL) {
        result = mca_base_var_register_synonym(result, "ompi", "coll", "irr", row->older, (mca_base_var_syn_flag_t)0);
    }
    return result;
}

/* Stores the value of a setting of the process; for a bad value, of which MPI_Init warns the user, the default. */
static void take_process(const mca_coll_irr_setting_t *setting)
{
    mca_coll_irr_params_t *params = &mca_coll_irr_component.params;

    if (!irr_setting_parse(setting->row, mca_coll_irr_parameter_text(setting), params)) {
        (void)irr_setting_parse(setting->row, setting->row->standard, params);
    }
}

int mca_coll_irr_settings_register(void)
{
    int result = OMPI_SUCCESS;

    count = 0;
    for (int i = 0; i < PROCESS; i++) {
        add(&of_process[i], MCA_COLL_IRR_OF_PROCESS);
    }
    for (int i = 0; i < COMMUNICATOR; i++) {
        add(&of_communicator[i], MCA_COLL_IRR_OF_COMMUNICATOR);
    }
    for (int i = 0; irr_setting_at(i) != NULL; i++) {
        add(irr_setting_at(i), MCA_COLL_IRR_OF_ENGINE);
    }
    for (int i = 0; i < count && result >= 0; i++) {
        result = register_setting(&table[i]);
        if (table[i].scope == MCA_COLL_IRR_OF_PROCESS) {
            take_process(&table[i]);
        }
    }
    return result < 0 ? result : OMPI_SUCCESS;
}

/* ---- texts ---- */

const char *mca_coll_irr_parameter_text(const mca_coll_irr_setting_t *setting)
{
    if (setting->row->type == IRR_SETTING_NAME) {
        return setting->index >= 0 ? setting->row->value(setting->index) : setting->bad;
    }
    return setting->text != NULL ? setting->text : setting->row->standard;
}

/* The info key may have the older name of the setting.  Returns false if there is no key. */
static bool get_key(const mca_coll_irr_setting_t *setting, ompi_communicator_t *keyed, char key[OPAL_MAX_INFO_VAL + 1])
{
    char older[sizeof(setting->parameter)];

    if (mca_coll_irr_info_get(keyed, setting->parameter, key, OPAL_MAX_INFO_VAL + 1)) {
        return true;
    }
    if (setting->row->older == NULL) {
        return false;
    }
    snprintf(older, sizeof(older), "%s%s", MCA_COLL_IRR_PREFIX, setting->row->older);
    return mca_coll_irr_info_get(keyed, older, key, OPAL_MAX_INFO_VAL + 1);
}

const char *mca_coll_irr_setting_text(const mca_coll_irr_setting_t *setting, ompi_communicator_t *keyed,
                                      char key[OPAL_MAX_INFO_VAL + 1], bool *keyed_p)
{
    const bool has_key = setting->scope != MCA_COLL_IRR_OF_PROCESS && get_key(setting, keyed, key);

    if (keyed_p != NULL) {
        *keyed_p = has_key;
    }
    return has_key ? key : mca_coll_irr_parameter_text(setting);
}

/* ---- bad values ---- */

bool mca_coll_irr_setting_is_bad(const mca_coll_irr_setting_t *setting, ompi_communicator_t *keyed,
                                 mca_coll_irr_bad_t *bad)
{
    char key[OPAL_MAX_INFO_VAL + 1];
    const char *text = mca_coll_irr_setting_text(setting, keyed, key, &bad->keyed);
    union {
        mca_coll_irr_settings_t of_communicator;
        mca_coll_irr_params_t   of_process;
    } values;   /* has room for a setting of any scope */

    bad->setting = setting;
    snprintf(bad->value, sizeof(bad->value), "%s", text);
    return !irr_setting_parse(setting->row, text, &values);
}

bool mca_coll_irr_find_bad(ompi_communicator_t *keyed, mca_coll_irr_bad_t *bad)
{
    int i = 0;

    while (i < count && !mca_coll_irr_setting_is_bad(&table[i], keyed, bad)) {
        i++;
    }
    return i < count;
}

/* ---- settings of a communicator ---- */

/* Reads one setting.  The settings own a copy of a text. */
static irr_status_t read_one(const mca_coll_irr_setting_t *setting, ompi_communicator_t *keyed,
                             mca_coll_irr_settings_t *settings)
{
    void *values = setting->scope == MCA_COLL_IRR_OF_ENGINE ? (void *)&settings->engine : (void *)settings;
    char key[OPAL_MAX_INFO_VAL + 1];
    const char *text = mca_coll_irr_setting_text(setting, keyed, key, NULL);

    if (setting->row->type == IRR_SETTING_TEXT) {
        text = strdup(text);
        if (text == NULL) {
            return IRR_ERR_NO_MEMORY;
        }
    }
    return irr_setting_parse(setting->row, text, values) ? IRR_OK : IRR_ERR_BAD_PARAM;
}

/* Returns the prefix of the matrix files of a communicator, from malloc; NULL: no dump, or no memory. */
static char *dump_prefix(ompi_communicator_t *comm, const char *prefix)
{
    unsigned rank = (unsigned)ompi_group_get_proc_name(comm->c_local_group, 0).vpid;
    char *made = NULL;

    if (prefix[0] != '\0' && asprintf(&made, "%s.%u-%u", prefix, rank, mca_coll_irr_comm_number(comm)) < 0) {
        made = NULL;
    }
    return made;
}

static irr_status_t read_settings(ompi_communicator_t *comm, ompi_communicator_t *keyed,
                                  mca_coll_irr_settings_t *settings)
{
    irr_status_t status = IRR_OK;
    mca_coll_irr_bad_t bad;
    char *prefix;

    for (int i = 0; i < count && status == IRR_OK; i++) {
        if (table[i].scope != MCA_COLL_IRR_OF_PROCESS) {
            status = read_one(&table[i], keyed, settings);
        } else if (mca_coll_irr_setting_is_bad(&table[i], NULL, &bad)) {
            status = IRR_ERR_BAD_PARAM;
        }
    }
    if (status != IRR_OK) {
        return status;
    }
    prefix = dump_prefix(comm, settings->engine.matrix_dump);
    free((char *)settings->engine.matrix_dump);
    settings->engine.matrix_dump = prefix;
    return IRR_OK;
}

static void destroy(mca_coll_irr_settings_t *settings)
{
    free((char *)settings->engine.schedule_file);
    free((char *)settings->engine.topology_file);
    free((char *)settings->engine.matrix_dump);
    free(settings);
}

static bool has_paths(const mca_coll_irr_settings_t *settings)
{
    return settings->engine.schedule_file[0] != '\0' || settings->engine.topology_file[0] != '\0' ||
           settings->engine.matrix_dump != NULL;
}

const mca_coll_irr_settings_t mca_coll_irr_settings_none;

/*
 * All communicators without info keys share these settings, if no parameter names a path: reading forty parameters
 * takes a third of the time of MPI_Comm_dup.  Guarded by the component's lock.
 */
static mca_coll_irr_settings_t *common;

/* Returns `common`, which another thread may have stored already. */
static const mca_coll_irr_settings_t *keep_common(mca_coll_irr_settings_t *settings)
{
    opal_mutex_lock(&mca_coll_irr_component.lock);
    if (common == NULL) {
        common = settings;
    } else {
        destroy(settings);
    }
    opal_mutex_unlock(&mca_coll_irr_component.lock);
    return common;
}

irr_status_t mca_coll_irr_settings_take(ompi_communicator_t *comm, ompi_communicator_t *keyed,
                                        const mca_coll_irr_settings_t **settings_p)
{
    mca_coll_irr_settings_t *made;
    irr_status_t status;

    opal_mutex_lock(&mca_coll_irr_component.lock);
    made = keyed == NULL ? common : NULL;
    opal_mutex_unlock(&mca_coll_irr_component.lock);
    if (made != NULL) {
        *settings_p = made;
        return IRR_OK;
    }
    made = calloc(1, sizeof(*made));
    if (made == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    made->engine = irr_settings_default();
    status = read_settings(comm, keyed, made);
    if (status != IRR_OK) {
        destroy(made);
        return status;
    }
    *settings_p = keyed == NULL && !has_paths(made) ? keep_common(made) : made;
    return IRR_OK;
}

void mca_coll_irr_settings_give(const mca_coll_irr_settings_t *settings)
{
    if (settings != common && settings != &mca_coll_irr_settings_none) {
        destroy((mca_coll_irr_settings_t *)settings);
    }
}

void mca_coll_irr_settings_close(void)
{
    if (common != NULL) {
        destroy(common);
        common = NULL;
    }
}
