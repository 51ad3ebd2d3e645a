/*
 * coll_irr_params.c - registers the MCA parameters: those of the settings, and a few that the process has once.
 */
#include "coll_irr_settings.h"

#include <stdlib.h>

/*
 * Open MPI would tell the user about a bad value with a text of its own and go on with the default, which
 * nobody asked for.  So the value is taken here and told when a communicator would use it.
 */
static int take(mca_base_var_enum_t *self, const char *text, int *value)
{
    mca_coll_irr_choice_t *choice = mca_coll_irr_choices;
    char *end;
    long number = strtol(text, &end, 10);

    while (strcmp(choice->parameter, self->enum_name) != 0) {
        choice++;
    }
    *value = mca_coll_irr_parse_name(text, choice->name);
    if (*value == MCA_COLL_IRR_BAD_NAME && *end == '\0' && number >= 0 && number <= INT_MAX &&
        choice->name((int)number) != NULL) {
        *value = (int)number;
    }
    if (*value == MCA_COLL_IRR_BAD_NAME) {
        snprintf(choice->bad, sizeof(choice->bad), "%s", text);
    }
    return OPAL_SUCCESS;
}

static int register_var(const char *name, const char *help, mca_base_var_type_t type,
                        mca_base_var_enum_t *enumeration, mca_base_var_info_lvl_t level,
                        mca_base_var_scope_t scope, void *storage)
{
    return mca_base_component_var_register(&mca_coll_irr_component.super.collm_version, name, help, type,
                                           enumeration, 0, 0, level, scope, storage);
}

int mca_coll_irr_choice_enum(const mca_coll_irr_choice_t *choice, const char *name,
                             mca_base_var_enum_t **enumeration_p)
{
    mca_base_var_enum_value_t values[32] = { { 0, NULL } };

    for (int i = 0; choice->name(i) != NULL && i < 31; i++) {
        values[i] = (mca_base_var_enum_value_t){ i, choice->name(i) };
    }
    return mca_base_var_enum_create(name, values, enumeration_p);
}

static int register_choice(mca_coll_irr_choice_t *choice)
{
    mca_base_var_enum_t *enumeration;
    int result = mca_coll_irr_choice_enum(choice, choice->parameter, &enumeration);

    if (result != OPAL_SUCCESS) {
        return result;
    }
    enumeration->value_from_string = take;
    *choice->storage = 0;
    result = register_var(choice->parameter + strlen(MCA_COLL_IRR_PREFIX), choice->help, MCA_BASE_VAR_TYPE_INT,
                          enumeration, choice->level, MCA_BASE_VAR_SCOPE_ALL_EQ, choice->storage);
    OBJ_RELEASE(enumeration);
    return result;
}

static int register_int(const char *name, const char *help, int standard, mca_base_var_info_lvl_t level,
                        int *storage)
{
    *storage = standard;
    return register_var(name, help, MCA_BASE_VAR_TYPE_INT, NULL, level, MCA_BASE_VAR_SCOPE_READONLY, storage);
}

/* Open MPI copies the standard text before it may write. */
static int register_text(const char *name, const char *help, const char *standard,
                         mca_base_var_info_lvl_t level, char **storage)
{
    *storage = (char *)standard;
    return register_var(name, help, MCA_BASE_VAR_TYPE_STRING, NULL, level, MCA_BASE_VAR_SCOPE_ALL_EQ, storage);
}

/* From the table of algorithms, so that a new row needs no text here. */
static const char *algorithm_help(void)
{
    static char text[4096];
    size_t length = (size_t)snprintf(text, sizeof(text), "Algorithm for MPI_Alltoallv and MPI_Alltoallw. Also "
                                     "an info key of a communicator. host: Open MPI's own.");

    for (int i = 0; irr_algorithm_name(i) != NULL && length < sizeof(text); i++) {
        length += (size_t)snprintf(text + length, sizeof(text) - length, " %s: %s.", irr_algorithm_name(i),
                                   irr_algorithm_text(i));
    }
    return text;
}

/* What a communicator uses: the rows of both tables. */
static int register_settings(void)
{
    int result = OMPI_SUCCESS;

    mca_coll_irr_choices[MCA_COLL_IRR_ALLTOALLV_ALGORITHM].help = algorithm_help();
    for (int i = 0; i < MCA_COLL_IRR_ALL_CHOICES && result >= 0; i++) {
        result = register_choice(&mca_coll_irr_choices[i]);
    }
    for (int i = 0; mca_coll_irr_text_at(i) != NULL && result >= 0; i++) {
        mca_coll_irr_text_t *row = mca_coll_irr_text_at(i);

        result = register_text(row->parameter + strlen(MCA_COLL_IRR_PREFIX), row->help, row->standard, row->level,
                               &row->value);
    }
    return result;
}

int mca_coll_irr_params_register(void)
{
    mca_coll_irr_params_t *params = &mca_coll_irr_component.params;
    const int results[] = {
        register_int("priority",
                     "Priority of the irr coll component, from 0 to 100. Above the priority of tuned (30 by "
                     "default) coll/irr serves what its algorithms are named for; a negative value disables it.",
                     40, OPAL_INFO_LVL_4, &params->priority),
        register_int("verbose",
                     "Verbosity of the irr coll component. 0 is silent, 1 says what serves each collective of a "
                     "communicator and why, by its rank 0, 10 and more is for debugging.",
                     0, OPAL_INFO_LVL_5, &params->verbose),
        register_int("setup_share",
                     "With the algorithm auto: percentage of the time of exchanges that may be spent on opening "
                     "coll/irr and on finding out which algorithm is faster than Open MPI's own; above 100 also "
                     "where that cannot pay. 0 finds nothing out: auto is Open MPI's own.",
                     5, OPAL_INFO_LVL_4, &params->setup_share),
        register_settings(),
        register_text("ucx_tls",
                      "Transports that coll/irr's own UCX worker may use, in the syntax of UCX_TLS. Empty means "
                      "shared memory alone (sm,self) for a job on one node, and UCX's own choice otherwise.",
                      "", OPAL_INFO_LVL_4, &params->ucx_tls),
        register_text("ucx_devices",
                      "Network devices that coll/irr's own UCX worker may use, in the syntax of UCX_NET_DEVICES. "
                      "Empty means UCX's own choice.",
                      "", OPAL_INFO_LVL_4, &params->ucx_devices),
        register_text("ofi_provider",
                      "Provider of libfabric, as fi_info -p takes it, such as tcp;ofi_rxm. Empty means the best that "
                      "is found: an adapter's own, or tcp;ofi_rxm. Must be the same on all "
                      "ranks.",
                      "", OPAL_INFO_LVL_4, &params->ofi_provider),
        register_text("ofi_domain",
                      "Domain of libfabric, as fi_info -d takes it, such as eth0 or mlx5_0; several with commas, the "
                      "best first. Empty means any, but of interfaces that a provider listens on only those that Open "
                      "MPI was told to use (btl_tcp_if_include, btl_tcp_if_exclude), and for a job on one node only "
                      "lo. Must be the same on all ranks.",
                      "", OPAL_INFO_LVL_4, &params->ofi_domain),
        register_text("eager_bytes",
                      "Messages of so many bytes and less go without asking the receiver first, with an optional "
                      "suffix k, m or g. 0 leaves it to UCX; auto: 64k for a job with coll_irr_topology_file, and for "
                      "one between nodes without InfiniBand, as UCX loses a third of TCP's rate by asking, otherwise "
                      "as 0. UCX_RNDV_THRESH is stronger.",
                      "auto", OPAL_INFO_LVL_5, &params->eager_bytes),
        register_text("machine_file",
                      "File with the constants of the machine, as irr_tune writes it: with the algorithm auto, what "
                      "is worth a trial follows from them. Empty means the default constants, which all ranks take, "
                      "too, where one cannot read its file, or has other constants than the rest.",
                      "", OPAL_INFO_LVL_4, &params->machine_file),
        register_text("report",
                      "What all-to-all collectives did, at the end of the job, by rank 0: 1: as a table on "
                      "stderr; the name of a file: as a table there, or, if it ends in .json, as JSON. Empty or 0: "
                      "nothing is measured.",
                      "", OPAL_INFO_LVL_3, &params->report),
        register_text("trace",
                      "Prefix of files, one a process: PREFIX.RANK.trace, where it writes at the end of the job when "
                      "each of its messages was sent and received. irr_trace turns them into one that Perfetto shows. "
                      "Empty: no trace.",
                      "", OPAL_INFO_LVL_5, &params->trace),
        mca_coll_irr_pvars_register(),
        mca_coll_irr_pvars_comm_register()
    };

    for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
        if (results[i] < 0) {
            return results[i];
        }
    }
    return OMPI_SUCCESS;
}
