/*
 * coll_irr_settings.h - the table of settings: those of the engine (plan/settings.h) and those of the component.
 *
 * A setting of a communicator is a parameter and an info key with the same name.  A setting of the process is a
 * parameter only.  The texts of parameters and info keys pass the same check.  The component never replaces a bad value
 * silently: MPI_Init prints a warning that names the value, and Open MPI serves the communicators that would use the
 * value, on all ranks.
 */
#ifndef MCA_COLL_IRR_SETTINGS_H
#define MCA_COLL_IRR_SETTINGS_H

#include "coll_irr.h"
#include "plan/settings.h"

#include "opal/mca/base/mca_base_var.h"

/* Open MPI's prefix of the parameter names of this component. */
#define MCA_COLL_IRR_PREFIX "coll_irr_"

typedef enum mca_coll_irr_scope_t {
    MCA_COLL_IRR_OF_ENGINE,         /* of a communicator; stored in `engine` of mca_coll_irr_settings_t */
    MCA_COLL_IRR_OF_COMMUNICATOR,   /* of a communicator; stored in mca_coll_irr_settings_t */
    MCA_COLL_IRR_OF_PROCESS         /* of the process; stored in mca_coll_irr_params_t */
} mca_coll_irr_scope_t;

/* A row of the table of settings, and the value of its parameter, which Open MPI writes. */
typedef struct mca_coll_irr_setting_t {
    const irr_setting_t *row;
    mca_coll_irr_scope_t scope;
    char                 parameter[48];   /* name with the prefix */
    int                  index;           /* of a value that is a name; -1: the name is not valid */
    char                 bad[64];         /* the name that is not valid */
    char                *text;            /* value of any other type; NULL: not registered yet */
} mca_coll_irr_setting_t;

/* Returns setting number i, or NULL if there are at most i settings.  The settings of the process come first. */
mca_coll_irr_setting_t *mca_coll_irr_setting_at(int i);

/* Returns the setting with this name, which must exist. */
mca_coll_irr_setting_t *mca_coll_irr_setting(const char *name);

/* Returns the value of a setting's parameter, as text. */
const char *mca_coll_irr_parameter_text(const mca_coll_irr_setting_t *setting);

/*
 * Returns the text of a setting: the value of the communicator's info key if it has the key, otherwise the value of the
 * parameter.  `keyed` is the communicator, or NULL if it has no info keys.  `key` is memory for the text of the info
 * key.  Sets *keyed_p to true if the text comes from the info key; keyed_p may be NULL.
 */
const char *mca_coll_irr_setting_text(const mca_coll_irr_setting_t *setting, ompi_communicator_t *keyed,
                                      char key[OPAL_MAX_INFO_VAL + 1], bool *keyed_p);

/* ---- bad values ---- */

struct mca_coll_irr_bad_t {
    char parameter[48];
    char value[64];
    char allowed[256];
    bool keyed;           /* the value comes from an info key */
};

/* Returns true if the value of the parameter is not allowed, and sets *bad. */
bool mca_coll_irr_setting_is_bad(const mca_coll_irr_setting_t *setting, mca_coll_irr_bad_t *bad);

/* Prints a warning that names a bad value. */
void mca_coll_irr_warn_bad(const mca_coll_irr_bad_t *bad);

/*
 * Both functions find bad values and misspelt names of parameters of this process.  The first function publishes a
 * digest of these values and names when the component opens.  The second function warns the user of them in MPI_Init.
 */
void mca_coll_irr_check_open(void);
void mca_coll_irr_check_warn(void);

/* ---- registration ---- */

/* Registers a parameter for each setting.  Returns OMPI_SUCCESS or an error of Open MPI. */
int mca_coll_irr_settings_register(void);

/*
 * Creates an enumeration of Open MPI with the names that are values of a setting.  The caller must release the
 * enumeration.  Returns OPAL_SUCCESS or an error of Open MPI.
 */
int mca_coll_irr_setting_enum(const irr_setting_t *setting, const char *name, mca_base_var_enum_t **enumeration_p);

#endif
