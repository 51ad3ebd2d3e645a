/*
 * coll_irr_params.c - MCA parameters, the info keys of the same names, and what both make: settings.
 *
 * Both are texts from outside and go through the same check.  A bad value becomes trouble in the agreement of
 * the first collective: so all ranks leave the communicator to Open MPI, even if one rank alone has the bad
 * value, and one of them tells the user, by a help text that names the value and what is allowed.
 */
#include "coll_irr.h"

#include "opal/mca/base/mca_base_var.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

/* Stands for a text that is no value of its enumeration. */
#define BAD_VALUE (-1)

/* An enumeration of the engine: parameter name, its values, and the bad text if there was one. */
typedef struct choice {
    const char *parameter;
    const char *(*name)(int i);
    int        *storage;
    char        bad[64];
} choice_t;

static choice_t algorithm_choice = {
    .parameter = "coll_irr_alltoallv_algorithm", .name = irr_algorithm_name,
    .storage = &mca_coll_irr_component.params.alltoallv_algorithm
};

static choice_t compose_choice = {
    .parameter = "coll_irr_compose", .name = irr_compose_name,
    .storage = &mca_coll_irr_component.params.compose
};

/* ---- texts to values ---- */

static int find(const choice_t *choice, const char *text)
{
    for (int i = 0; choice->name(i) != NULL; i++) {
        if (strcasecmp(choice->name(i), text) == 0) {
            return i;
        }
    }
    return BAD_VALUE;
}

/* A whole number with an optional suffix k, m or g for 2^10, 2^20, 2^30. */
static bool parse_size(const char *text, size_t *value)
{
    static const char suffixes[] = "kmg";
    unsigned long long number;
    const char *suffix;
    int shift = 0;
    char *end;

    if (!isdigit((unsigned char)text[0])) {
        return false;
    }
    errno = 0;
    number = strtoull(text, &end, 10);
    if (errno != 0) {
        return false;
    }
    if (*end != '\0') {
        suffix = strchr(suffixes, tolower((unsigned char)*end));
        if (suffix == NULL || end[1] != '\0') {
            return false;
        }
        shift = 10 * (int)(suffix - suffixes + 1);
    }
    if (number > SIZE_MAX >> shift) {
        return false;
    }
    *value = (size_t)number << shift;
    return true;
}

static irr_status_t bad_value(const char *parameter, const char *value, const char *allowed, char **reason_p)
{
    char *reason = opal_show_help_string("help-coll-irr.txt", "bad-value", false, parameter, value, allowed);

    for (size_t end = reason != NULL ? strlen(reason) : 0; end > 0 && reason[end - 1] == '\n'; end--) {
        reason[end - 1] = '\0';
    }
    *reason_p = reason;
    return IRR_ERR_BAD_PARAM;
}

static irr_status_t bad_choice(const choice_t *choice, const char *value, char **reason_p)
{
    char allowed[256] = "one of";
    size_t length = strlen(allowed);

    for (int i = 0; choice->name(i) != NULL && length < sizeof(allowed); i++) {
        length += (size_t)snprintf(allowed + length, sizeof(allowed) - length, "%s %s", i > 0 ? "," : "",
                                   choice->name(i));
    }
    return bad_value(choice->parameter, value, allowed, reason_p);
}

/* ---- settings of a communicator ---- */

static irr_status_t choose(const choice_t *choice, ompi_communicator_t *comm, int *value, char **reason_p)
{
    char text[OPAL_MAX_INFO_VAL + 1];

    *value = *choice->storage;
    if (mca_coll_irr_info_get(comm, choice->parameter, text, sizeof(text))) {
        *value = find(choice, text);
        return *value == BAD_VALUE ? bad_choice(choice, text, reason_p) : IRR_OK;
    }
    return *value == BAD_VALUE ? bad_choice(choice, choice->bad, reason_p) : IRR_OK;
}

static irr_status_t limit(const char *parameter, const char *standard, ompi_communicator_t *comm, size_t *value,
                          char **reason_p)
{
    char text[OPAL_MAX_INFO_VAL + 1];

    if (!mca_coll_irr_info_get(comm, parameter, text, sizeof(text))) {
        snprintf(text, sizeof(text), "%s", standard != NULL ? standard : "0");
    }
    if (!parse_size(text, value)) {
        return bad_value(parameter, text, "a whole number, with an optional suffix k, m or g; 0 means no limit",
                         reason_p);
    }
    return IRR_OK;
}

irr_status_t mca_coll_irr_settings(ompi_communicator_t *comm, irr_settings_t *settings, char **reason_p)
{
    const mca_coll_irr_params_t *params = &mca_coll_irr_component.params;
    int compose = 0;
    irr_status_t status;

    *settings = (irr_settings_t){ .algorithm = 0 };
    status = choose(&algorithm_choice, comm, &settings->algorithm, reason_p);
    if (status == IRR_OK) {
        status = choose(&compose_choice, comm, &compose, reason_p);
        settings->compose = (irr_compose_t)compose;
    }
    if (status == IRR_OK) {
        status = limit("coll_irr_window_messages", params->window_messages, comm, &settings->window_messages,
                       reason_p);
    }
    if (status == IRR_OK) {
        status = limit("coll_irr_window_bytes", params->window_bytes, comm, &settings->window_bytes, reason_p);
    }
    return status;
}

/* ---- registration ---- */

/*
 * Open MPI would tell the user about a bad value with a text of its own and go on with the default, which
 * nobody asked for.  So the value is taken here and told when a communicator would use it.
 */
static int take(choice_t *choice, const char *text, int *value)
{
    char *end;
    long number = strtol(text, &end, 10);

    *value = find(choice, text);
    if (*value == BAD_VALUE && *end == '\0' && number >= 0 && number <= INT_MAX &&
        choice->name((int)number) != NULL) {
        *value = (int)number;
    }
    if (*value == BAD_VALUE) {
        snprintf(choice->bad, sizeof(choice->bad), "%s", text);
    }
    return OPAL_SUCCESS;
}

static int take_algorithm(mca_base_var_enum_t *self, const char *text, int *value)
{
    (void)self;
    return take(&algorithm_choice, text, value);
}

static int take_compose(mca_base_var_enum_t *self, const char *text, int *value)
{
    (void)self;
    return take(&compose_choice, text, value);
}

static int register_choice(choice_t *choice, const char *name, const char *help, mca_base_var_info_lvl_t level,
                           mca_base_var_enum_vfs_fn_t take_fn)
{
    mca_base_var_enum_value_t values[32] = { { 0, NULL } };
    mca_base_var_enum_t *enumeration;
    int result;

    for (int i = 0; choice->name(i) != NULL && i < 31; i++) {
        values[i] = (mca_base_var_enum_value_t){ i, choice->name(i) };
    }
    result = mca_base_var_enum_create(choice->parameter, values, &enumeration);
    if (result != OPAL_SUCCESS) {
        return result;
    }
    enumeration->value_from_string = take_fn;
    *choice->storage = 0;
    result = mca_base_component_var_register(&mca_coll_irr_component.super.collm_version, name, help,
                                             MCA_BASE_VAR_TYPE_INT, enumeration, 0, 0, level,
                                             MCA_BASE_VAR_SCOPE_ALL_EQ, choice->storage);
    OBJ_RELEASE(enumeration);
    return result;
}

static int register_int(const char *name, const char *help, int standard, mca_base_var_info_lvl_t level,
                        int *storage)
{
    *storage = standard;
    return mca_base_component_var_register(&mca_coll_irr_component.super.collm_version, name, help,
                                           MCA_BASE_VAR_TYPE_INT, NULL, 0, 0, level,
                                           MCA_BASE_VAR_SCOPE_READONLY, storage);
}

static int register_text(const char *name, const char *help, char *standard, mca_base_var_info_lvl_t level,
                         char **storage)
{
    *storage = standard;
    return mca_base_component_var_register(&mca_coll_irr_component.super.collm_version, name, help,
                                           MCA_BASE_VAR_TYPE_STRING, NULL, 0, 0, level,
                                           MCA_BASE_VAR_SCOPE_ALL_EQ, storage);
}

/* From the table of algorithms, so that a new row needs no text here. */
static const char *algorithm_help(void)
{
    static char text[2048];
    size_t length = (size_t)snprintf(text, sizeof(text), "Algorithm for MPI_Alltoallv. Also an info key of a "
                                     "communicator.");

    for (int i = 0; irr_algorithm_name(i) != NULL && length < sizeof(text); i++) {
        length += (size_t)snprintf(text + length, sizeof(text) - length, " %s: %s.", irr_algorithm_name(i),
                                   irr_algorithm_text(i));
    }
    return text;
}

int mca_coll_irr_params_register(void)
{
    mca_coll_irr_params_t *params = &mca_coll_irr_component.params;
    const int results[] = {
        register_int("priority",
                     "Priority of the irr coll component, from 0 to 100. Above the priority of tuned (30 by "
                     "default) coll/irr serves what it implements; a negative value disables it.",
                     40, OPAL_INFO_LVL_4, &params->priority),
        register_int("verbose",
                     "Verbosity of the irr coll component. 0 is silent, 1 says which communicators are served and "
                     "why others are not, 10 and more is for debugging.",
                     0, OPAL_INFO_LVL_5, &params->verbose),
        register_choice(&algorithm_choice, "alltoallv_algorithm", algorithm_help(), OPAL_INFO_LVL_3, take_algorithm),
        register_text("window_messages",
                      "Largest number of messages that a rank has in flight in one exchange. 0 means no limit. "
                      "Also an info key of a communicator.",
                      "0", OPAL_INFO_LVL_4, &params->window_messages),
        register_text("window_bytes",
                      "Largest number of bytes that a rank has in flight in one exchange, with an optional suffix "
                      "k, m or g; a longer message goes alone. 0 means no limit. Also an info key of a "
                      "communicator.",
                      "0", OPAL_INFO_LVL_4, &params->window_bytes),
        register_choice(&compose_choice, "compose",
                        "How a message of several pieces reaches the wire. auto chooses by number and size of the "
                        "pieces; iovec hands the list to the transport; gather copies straight into the "
                        "transport's fragments; split sends each piece as a message of its own. Also an info key "
                        "of a communicator.",
                        OPAL_INFO_LVL_5, take_compose),
        register_text("ucx_tls",
                      "Transports that coll/irr's own UCX worker may use, in the syntax of UCX_TLS. Empty means "
                      "shared memory alone (sm,self) for a job on one node, and UCX's own choice otherwise.",
                      "", OPAL_INFO_LVL_4, &params->ucx_tls),
        register_text("ucx_devices",
                      "Network devices that coll/irr's own UCX worker may use, in the syntax of UCX_NET_DEVICES. "
                      "Empty means UCX's own choice.",
                      "", OPAL_INFO_LVL_4, &params->ucx_devices),
        mca_coll_irr_pvars_register()
    };

    for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
        if (results[i] < 0) {
            return results[i];
        }
    }
    return OMPI_SUCCESS;
}
