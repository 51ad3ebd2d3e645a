/*
 * coll_irr_settings.c - the settings of a communicator, from parameters and the info keys of the same names.
 *
 * A bad value becomes trouble in the agreement of the first collective.  All ranks then leave the communicator to Open
 * MPI, even if only one rank has the bad value, and one rank prints a help text with the value and the allowed values.
 */
#include "coll_irr_settings.h"

#include <limits.h>
#include <stdlib.h>

/* ---- texts ---- */

const char *mca_coll_irr_parameter_text(const mca_coll_irr_setting_t *setting)
{
    if (setting->row->type == IRR_SETTING_NAME) {
        return setting->place >= 0 ? setting->row->value(setting->place) : setting->bad;
    }
    return setting->text != NULL ? setting->text : setting->row->standard;
}

/* Copies the text of an info key; the key may have the older name of the setting. */
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

const char *const mca_coll_irr_algorithm_parameters[MCA_COLL_IRR_ALGORITHMS] = {
    [MCA_COLL_IRR_ALLTOALLV_ALGORITHM] = MCA_COLL_IRR_PREFIX "alltoallv_algorithm",
    [MCA_COLL_IRR_ALLTOALL_ALGORITHM] = MCA_COLL_IRR_PREFIX "alltoall_algorithm",
    [MCA_COLL_IRR_NEIGHBOR_ALGORITHM] = MCA_COLL_IRR_PREFIX "neighbor_algorithm"
};

size_t mca_coll_irr_timeout(void)
{
    const mca_coll_irr_setting_t *setting = mca_coll_irr_setting("timeout");
    irr_settings_t settings = { .timeout = 0 };

    (void)irr_setting_parse(setting->row, mca_coll_irr_parameter_text(setting), &settings);
    return settings.timeout;
}

/* ---- bad values ---- */

static void set_bad(const mca_coll_irr_setting_t *setting, const char *value, bool keyed, mca_coll_irr_bad_t *bad)
{
    snprintf(bad->parameter, sizeof(bad->parameter), "%s", setting->parameter);
    snprintf(bad->value, sizeof(bad->value), "%s", value);
    irr_setting_allowed(setting->row, bad->allowed, sizeof(bad->allowed));
    bad->keyed = keyed;
}

bool mca_coll_irr_setting_is_bad(const mca_coll_irr_setting_t *setting, mca_coll_irr_bad_t *bad)
{
    const char *text = mca_coll_irr_parameter_text(setting);
    union {
        mca_coll_irr_settings_t of_communicator;
        mca_coll_irr_params_t   of_process;
    } values;   /* a value of any scope */
    const bool is_bad = !irr_setting_parse(setting->row, text, &values);

    if (is_bad) {
        set_bad(setting, text, false, bad);
    }
    return is_bad;
}

/* Omits the newlines at the end of the help text. */
void mca_coll_irr_bad_text(const mca_coll_irr_bad_t *bad, char text[MCA_COLL_IRR_BAD_TEXT])
{
    char *help = opal_show_help_string("help-coll-irr.txt", "bad-value", false, bad->parameter, bad->value,
                                       bad->allowed);
    size_t length = help != NULL ? strlen(help) : 0;

    while (length > 0 && help[length - 1] == '\n') {
        length--;
    }
    snprintf(text, MCA_COLL_IRR_BAD_TEXT, "%.*s", help != NULL ? (int)length : INT_MAX,
             help != NULL ? help : bad->parameter);
    free(help);
}

void mca_coll_irr_warn_bad(const mca_coll_irr_bad_t *bad)
{
    char text[MCA_COLL_IRR_BAD_TEXT];

    mca_coll_irr_bad_text(bad, text);
    mca_coll_irr_warn("engine-message", text);
}

/* ---- settings of a communicator ---- */

/* Reads one setting; texts are copied. */
static irr_status_t read_one(const mca_coll_irr_setting_t *setting, ompi_communicator_t *keyed,
                             mca_coll_irr_settings_t *settings, mca_coll_irr_bad_t *bad)
{
    void *values = setting->scope == MCA_COLL_IRR_OF_ENGINE ? (void *)&settings->engine : (void *)settings;
    char key[OPAL_MAX_INFO_VAL + 1];
    bool has_key;
    const char *text = mca_coll_irr_setting_text(setting, keyed, key, &has_key);

    if (setting->row->type == IRR_SETTING_TEXT) {
        text = strdup(text);
        if (text == NULL) {
            return IRR_ERR_NO_MEMORY;
        }
    }
    if (!irr_setting_parse(setting->row, text, values)) {
        set_bad(setting, text, has_key, bad);
        return IRR_ERR_BAD_PARAM;
    }
    return IRR_OK;
}

/* Returns the prefix of the matrix files that rank 0 writes; NULL: no dump, or no memory. */
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
                                  mca_coll_irr_settings_t *settings, mca_coll_irr_bad_t *bad)
{
    irr_status_t status = IRR_OK;
    char *prefix;

    for (int i = 0; mca_coll_irr_setting_at(i) != NULL && status == IRR_OK; i++) {
        const mca_coll_irr_setting_t *setting = mca_coll_irr_setting_at(i);

        if (setting->scope != MCA_COLL_IRR_OF_PROCESS) {
            status = read_one(setting, keyed, settings, bad);
        } else if (mca_coll_irr_setting_is_bad(setting, bad)) {
            status = IRR_ERR_BAD_PARAM;
        }
    }
    if (status != IRR_OK) {
        return status;
    }
    prefix = dump_prefix(comm, settings->engine.matrix_dump);
    free((char *)settings->engine.matrix_dump);
    settings->engine.matrix_dump = prefix;
    for (int i = 0; i < MCA_COLL_IRR_ALGORITHMS; i++) {
        settings->algorithms[i] = mca_coll_irr_algorithm(settings->algorithms[i]);
    }
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
 * The settings of all communicators without info keys, if no path is given.  Reading forty parameters takes a third of
 * the time of MPI_Comm_dup.  Guarded by the component's lock.
 */
static mca_coll_irr_settings_t *common;

/* Makes the settings common, unless another thread was faster.  Returns the common settings. */
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
                                        const mca_coll_irr_settings_t **settings_p, mca_coll_irr_bad_t **bad_p)
{
    mca_coll_irr_settings_t *made;
    mca_coll_irr_bad_t bad;
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
    status = read_settings(comm, keyed, made, &bad);
    if (status != IRR_OK) {
        destroy(made);
        *bad_p = status == IRR_ERR_BAD_PARAM ? malloc(sizeof(bad)) : NULL;
        if (*bad_p != NULL) {
            **bad_p = bad;
        }
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
