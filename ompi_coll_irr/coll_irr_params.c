/*
 * coll_irr_params.c - registers the MCA parameters: those of the settings, and a few that the process has once.
 */
#include "coll_irr_settings.h"

#include <errno.h>
#include <limits.h>
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

/* ---- parameters of the process that are read once ---- */

/* A whole number in a range; false: leaves it. */
static bool parse_whole(const char *text, long least, long most, void *number)
{
    char *end;
    long value;

    errno = 0;
    value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || value < least || value > most) {
        return false;
    }
    *(int *)number = (int)value;
    return true;
}

static bool parse_priority(const char *text, void *number)
{
    return parse_whole(text, INT_MIN, 100, number);
}

static bool parse_count(const char *text, void *number)
{
    return parse_whole(text, 0, INT_MAX, number);
}

static mca_coll_irr_text_t process_texts[] = {
    {
        MCA_COLL_IRR_PREFIX "priority", "40",
        "Priority of the irr coll component, up to 100. Above the priority of tuned (30 by default) coll/irr serves "
        "what its algorithms are named for; a negative value disables it.",
        OPAL_INFO_LVL_4, parse_priority, "a whole number up to 100; a negative one disables coll/irr",
        offsetof(mca_coll_irr_params_t, priority), NULL
    }, {
        MCA_COLL_IRR_PREFIX "verbose", "0",
        "Verbosity of the irr coll component. 0 is silent, 1 says what serves each collective of a communicator and "
        "why, by its rank 0, 10 and more is for debugging.",
        OPAL_INFO_LVL_5, parse_count, "a whole number from 0 on",
        offsetof(mca_coll_irr_params_t, verbose), NULL
    }, {
        MCA_COLL_IRR_PREFIX "setup_share", "5",
        "With the algorithm auto: percentage of the time of exchanges that may be spent on opening coll/irr and on "
        "finding out which algorithm is faster than Open MPI's own; above 100 also where that cannot pay. 0 finds "
        "nothing out: auto is Open MPI's own.",
        OPAL_INFO_LVL_4, parse_count, "a whole number of percent from 0 on; 0 tries nothing",
        offsetof(mca_coll_irr_params_t, setup_share), NULL
    }, {
        MCA_COLL_IRR_PREFIX "eager_bytes", "auto",
        "Messages of so many bytes and less go without asking the receiver first, with an optional suffix k, m or g. 0 "
        "leaves it to UCX; auto: 64k for a job with coll_irr_topology_file, and for one between nodes without "
        "InfiniBand, as UCX loses a third of TCP's rate by asking, otherwise as 0. UCX_RNDV_THRESH is stronger.",
        OPAL_INFO_LVL_5, mca_coll_irr_parse_auto_size,
        "auto, or a whole number, with an optional suffix k, m or g; 0 means UCX's own choice",
        offsetof(mca_coll_irr_params_t, eager_bytes), NULL
    }
};

enum { PROCESS_TEXTS = sizeof(process_texts) / sizeof(process_texts[0]) };

mca_coll_irr_text_t *mca_coll_irr_process_text_at(int i)
{
    return i >= 0 && i < PROCESS_TEXTS ? &process_texts[i] : NULL;
}

/* A bad value leaves the default.  MPI_Init names it, and no communicator is served. */
static int register_process(void)
{
    int result = OMPI_SUCCESS;

    for (int i = 0; i < PROCESS_TEXTS && result >= 0; i++) {
        mca_coll_irr_text_t *row = &process_texts[i];
        void *value = (char *)&mca_coll_irr_component.params + row->offset;

        result = register_text(row->parameter + strlen(MCA_COLL_IRR_PREFIX), row->help, row->standard, row->level,
                               &row->value);
        if (row->value == NULL || !row->parse(row->value, value)) {
            (void)row->parse(row->standard, value);
        }
    }
    return result;
}

irr_status_t mca_coll_irr_process_bad(mca_coll_irr_bad_t *bad)
{
    const mca_coll_irr_choice_t *transport = &mca_coll_irr_choices[MCA_COLL_IRR_TRANSPORT];
    mca_coll_irr_params_t scratch;

    for (int i = 0; i < PROCESS_TEXTS; i++) {
        const mca_coll_irr_text_t *row = &process_texts[i];
        const char *text = row->value != NULL ? row->value : "";

        if (!row->parse(text, (char *)&scratch + row->offset)) {
            return mca_coll_irr_bad_value(row->parameter, text, false, row->allowed, bad);
        }
    }
    return *transport->storage != MCA_COLL_IRR_BAD_NAME
               ? IRR_OK : mca_coll_irr_bad_name(transport->parameter, transport->bad, false, transport->name, bad);
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
        register_process(),
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
        register_text("machine_file",
                      "File with the constants of the machine, as irr_tune writes it: with the algorithm auto, what "
                      "is worth a trial follows from them. Empty means the default constants, which all ranks take, "
                      "too, where one cannot read its file, or has other constants than the rest.",
                      "", OPAL_INFO_LVL_4, &params->machine_file),
        register_text("memory_file",
                      "File of what trials have found, for the next job: with the algorithm auto, ranks that remember "
                      "a gain take it at once. Read in the first exchanges, and added to in MPI_Finalize, by process "
                      "0; made if there is none. It holds for one machine, and is text: irr_tune --show FILE. Has to "
                      "be given on all ranks or on none. Empty: a job remembers only what it finds itself.",
                      "", OPAL_INFO_LVL_3, &params->memory_file),
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
        mca_coll_irr_pvars_register()
    };

    for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
        if (results[i] < 0) {
            return results[i];
        }
    }
    return OMPI_SUCCESS;
}
