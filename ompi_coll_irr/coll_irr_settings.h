/*
 * coll_irr_settings.h - parameters and info keys: the table of the engine's settings (plan/settings.h), and the
 * settings of the component.
 *
 * A setting of a communicator is a parameter and an info key with the same name.  A setting of the process is a
 * parameter only.  The texts of parameters and info keys pass the same check.  A bad value is never replaced silently:
 * MPI_Init prints a warning that names the value, and Open MPI serves a communicator that would use it, on all ranks.
 */
#ifndef MCA_COLL_IRR_SETTINGS_H
#define MCA_COLL_IRR_SETTINGS_H

#include "coll_irr.h"
#include "plan/settings.h"

#include "opal/mca/base/mca_base_var.h"

/* Open MPI's prefix of the parameter names of this component. */
#define MCA_COLL_IRR_PREFIX "coll_irr_"

typedef enum mca_coll_irr_scope_t {
    MCA_COLL_IRR_OF_ENGINE,         /* of a communicator: in `engine` of mca_coll_irr_settings_t */
    MCA_COLL_IRR_OF_COMMUNICATOR,   /* of a communicator: in mca_coll_irr_settings_t */
    MCA_COLL_IRR_OF_PROCESS         /* in mca_coll_irr_params_t */
} mca_coll_irr_scope_t;

/* A row of the table of settings, and the value of its parameter, which Open MPI writes. */
typedef struct mca_coll_irr_setting_t {
    const irr_setting_t *row;
    mca_coll_irr_scope_t scope;
    char                 parameter[48];   /* full name */
    int                  place;           /* the value, if it is one of several names; -1: `bad` is no valid name */
    char                 bad[64];
    char                *text;            /* value of other types; NULL: not registered yet */
} mca_coll_irr_setting_t;

/* Returns setting number i; the settings of the process come first.  NULL: i is past the last setting. */
mca_coll_irr_setting_t *mca_coll_irr_setting_at(int i);

/* Returns the setting with this name, which must exist. */
mca_coll_irr_setting_t *mca_coll_irr_setting(const char *name);

/* Returns the text of the parameter of a setting. */
const char *mca_coll_irr_parameter_text(const mca_coll_irr_setting_t *setting);

/*
 * Returns the text of a setting: the value of the communicator's info key if it has the key, otherwise the value of the
 * parameter.  `keyed` may be NULL.  `key` is memory for the text of an info key.  Sets *keyed_p to true if the info key
 * is used; keyed_p may be NULL.
 */
const char *mca_coll_irr_setting_text(const mca_coll_irr_setting_t *setting, ompi_communicator_t *keyed,
                                      char key[OPAL_MAX_INFO_VAL + 1], bool *keyed_p);

/* ---- bad values ---- */

struct mca_coll_irr_bad_t {
    char parameter[48];
    char value[64];
    char allowed[256];
    bool keyed;           /* the value of an info key */
};

/* Returns true if the value of the parameter is not allowed, and sets *bad. */
bool mca_coll_irr_setting_is_bad(const mca_coll_irr_setting_t *setting, mca_coll_irr_bad_t *bad);

/* Prints a warning that names a bad value. */
void mca_coll_irr_warn_bad(const mca_coll_irr_bad_t *bad);

/*
 * Find bad values and misspelt names of parameters of this process.  The first function publishes a digest of them when
 * the component opens; the second reports them in MPI_Init.
 */
void mca_coll_irr_check_open(void);
void mca_coll_irr_check_warn(void);

/* ---- registration ---- */

/* Registers a parameter for each setting.  Returns an error of Open MPI. */
int mca_coll_irr_settings_register(void);

/*
 * Creates an enumeration of Open MPI with the names of a setting; the caller releases it.  Returns an error of Open
 * MPI.
 */
int mca_coll_irr_setting_enum(const irr_setting_t *setting, const char *name, mca_base_var_enum_t **enumeration_p);

#endif
