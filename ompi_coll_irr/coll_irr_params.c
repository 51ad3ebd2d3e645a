/*
 * coll_irr_params.c - MCA parameters, the info keys of the same names, and what both make: settings.
 *
 * Both are texts from outside and go through the same check.  A bad value becomes trouble in the agreement of
 * the first collective: so all ranks leave the communicator to Open MPI, even if one rank alone has the bad
 * value, and one of them tells the user, by a help text that names the value and what is allowed.
 *
 * A setting is a row of one of two tables: names of the engine, or texts with a parser.
 */
#include "coll_irr.h"

#include "opal/mca/base/mca_base_var.h"

#include <stdlib.h>

/* What Open MPI puts before the name that a component registers. */
#define PREFIX "coll_irr_"

#define INFO_KEY " Also an info key of a communicator."

/* What mca_coll_irr_parse_size reads, to be continued by what 0 means. */
#define SIZE_ALLOWED "a whole number, with an optional suffix k, m or g; 0 "

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

/* A setting that is one of the engine's names; bad is the text that was none, if there was one. */
typedef struct choice {
    const char             *parameter;
    const char             *help;
    mca_base_var_info_lvl_t level;
    const char           *(*name)(int i);
    int                    *storage;
    char                    bad[64];
} choice_t;

enum { ALGORITHM, COMPOSE, OVERLAP, CHOICES };

static choice_t choices[CHOICES] = {
    [ALGORITHM] = {
        PREFIX "alltoallv_algorithm", NULL, OPAL_INFO_LVL_3, irr_algorithm_name,
        &mca_coll_irr_component.params.alltoallv_algorithm, ""
    },
    [COMPOSE] = {
        PREFIX "compose",
        "How a message of several pieces reaches the wire. auto chooses by number and size of the pieces; "
        "iovec hands the list to the transport; gather copies straight into the transport's fragments; split "
        "sends each piece as a message of its own." INFO_KEY,
        OPAL_INFO_LVL_5, irr_compose_name, &mca_coll_irr_component.params.compose, ""
    },
    [OVERLAP] = {
        PREFIX "overlap",
        "How the stages of a store-and-forward route overlap on a rank. pipelined: a message leaves when what "
        "it is made of has arrived; dual: the sends of a stage start when all of the one before arrived; "
        "single: the same, and all sends of the one before are over; blocking: one send at a time, and a "
        "barrier after each stage." INFO_KEY,
        OPAL_INFO_LVL_5, irr_overlap_name, &mca_coll_irr_component.params.overlap, ""
    }
};

/* A setting that is a text with a parser. */
typedef struct text {
    const char             *parameter;
    const char             *standard;
    const char             *help;
    mca_base_var_info_lvl_t level;
    bool                  (*parse)(const char *text, void *value);
    const char             *allowed;
    char                  **storage;
    size_t                  offset;   /* of the value, into mca_coll_irr_settings_t */
} text_t;

static const text_t texts[] = {
    {
        PREFIX "window_messages", "0",
        "Largest number of messages that a rank has in flight in one exchange. 0 means no limit." INFO_KEY,
        OPAL_INFO_LVL_4, mca_coll_irr_parse_size, SIZE_ALLOWED "means no limit",
        &mca_coll_irr_component.params.window_messages,
        offsetof(mca_coll_irr_settings_t, engine.window_messages)
    }, {
        PREFIX "window_bytes", "0",
        "Largest number of bytes that a rank has in flight in one exchange, with an optional suffix k, m or g; "
        "a longer message goes alone. 0 means no limit." INFO_KEY,
        OPAL_INFO_LVL_4, mca_coll_irr_parse_size, SIZE_ALLOWED "means no limit",
        &mca_coll_irr_component.params.window_bytes, offsetof(mca_coll_irr_settings_t, engine.window_bytes)
    }, {
        PREFIX "dims", "auto",
        "Columns of the grid of the routes a3, a4 and multistage, dimension by dimension, as in 8x8, 4x4x4 or "
        "2^6; the last dimension takes what is left. auto lets the route choose." INFO_KEY,
        OPAL_INFO_LVL_4, mca_coll_irr_parse_dims,
        "auto, or at most " TEXT(IRR_DIMS_MAX) " sizes of at least 2, as in 8x8, 4x4x4 or 2^6",
        &mca_coll_irr_component.params.dims, offsetof(mca_coll_irr_settings_t, engine.dims)
    }, {
        PREFIX "slice_min", TEXT(IRR_SLICE_MIN_DEFAULT),
        "Length in bytes of the shortest slice that a balanced route (a2, a4) cuts, with an optional suffix k, "
        "m or g. 0 means to cut to the byte, as published." INFO_KEY,
        OPAL_INFO_LVL_5, mca_coll_irr_parse_size, SIZE_ALLOWED "means to cut to the byte",
        &mca_coll_irr_component.params.slice_min, offsetof(mca_coll_irr_settings_t, engine.slice_min)
    }, {
        PREFIX "ranks_per_node", "0",
        "Number of consecutive ranks of a communicator that count as a node, for routes that ask which ranks "
        "share one: it may be a NUMA domain, or all that is behind a switch. 0 means the nodes that Open MPI "
        "knows." INFO_KEY,
        OPAL_INFO_LVL_6, mca_coll_irr_parse_size, SIZE_ALLOWED "means the nodes that Open MPI knows",
        &mca_coll_irr_component.params.ranks_per_node, offsetof(mca_coll_irr_settings_t, ranks_per_node)
    }
};

enum { TEXTS = sizeof(texts) / sizeof(texts[0]) };

/* ---- settings of a communicator ---- */

static irr_status_t read_choice(const choice_t *choice, ompi_communicator_t *comm, int *value, char **reason_p)
{
    char key[OPAL_MAX_INFO_VAL + 1];
    const char *text = choice->bad;

    *value = *choice->storage;
    if (mca_coll_irr_info_get(comm, choice->parameter, key, sizeof(key))) {
        text = key;
        *value = mca_coll_irr_parse_name(text, choice->name);
    }
    if (*value == MCA_COLL_IRR_BAD_NAME) {
        return mca_coll_irr_bad_name(choice->parameter, text, choice->name, reason_p);
    }
    return IRR_OK;
}

static irr_status_t read_text(const text_t *row, ompi_communicator_t *comm, void *value, char **reason_p)
{
    char key[OPAL_MAX_INFO_VAL + 1];
    const char *text = *row->storage != NULL ? *row->storage : row->standard;

    if (mca_coll_irr_info_get(comm, row->parameter, key, sizeof(key))) {
        text = key;
    }
    if (!row->parse(text, value)) {
        return mca_coll_irr_bad_value(row->parameter, text, row->allowed, reason_p);
    }
    return IRR_OK;
}

irr_status_t mca_coll_irr_settings(ompi_communicator_t *comm, mca_coll_irr_settings_t *settings,
                                   char **reason_p)
{
    mca_coll_irr_settings_t made = { .ranks_per_node = 0 };
    int chosen[CHOICES];
    irr_status_t status = IRR_OK;

    for (int i = 0; i < CHOICES && status == IRR_OK; i++) {
        status = read_choice(&choices[i], comm, &chosen[i], reason_p);
    }
    for (int i = 0; i < TEXTS && status == IRR_OK; i++) {
        status = read_text(&texts[i], comm, (char *)&made + texts[i].offset, reason_p);
    }
    if (status != IRR_OK) {
        return status;
    }
    made.engine.algorithm = chosen[ALGORITHM];
    made.engine.compose = (irr_compose_t)chosen[COMPOSE];
    made.engine.overlap = (irr_overlap_t)chosen[OVERLAP];
    *settings = made;
    return IRR_OK;
}

/* ---- registration ---- */

/*
 * Open MPI would tell the user about a bad value with a text of its own and go on with the default, which
 * nobody asked for.  So the value is taken here and told when a communicator would use it.
 */
static int take(mca_base_var_enum_t *self, const char *text, int *value)
{
    choice_t *choice = choices;
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

static int register_choice(choice_t *choice)
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
    enumeration->value_from_string = take;
    *choice->storage = 0;
    result = register_var(choice->parameter + strlen(PREFIX), choice->help, MCA_BASE_VAR_TYPE_INT, enumeration,
                          choice->level, MCA_BASE_VAR_SCOPE_ALL_EQ, choice->storage);
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
    static char text[2048];
    size_t length = (size_t)snprintf(text, sizeof(text), "Algorithm for MPI_Alltoallv." INFO_KEY);

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

    choices[ALGORITHM].help = algorithm_help();
    for (int i = 0; i < CHOICES && result >= 0; i++) {
        result = register_choice(&choices[i]);
    }
    for (int i = 0; i < TEXTS && result >= 0; i++) {
        result = register_text(texts[i].parameter + strlen(PREFIX), texts[i].help, texts[i].standard,
                               texts[i].level, texts[i].storage);
    }
    return result;
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
        register_settings(),
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
