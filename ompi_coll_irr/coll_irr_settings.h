/*
 * coll_irr_settings.h - the table of settings: those of the engine (plan/settings.h) and those of the component.
 *
 * A setting of a communicator is a parameter and an info key with the same name.  A setting of the process is a
 * parameter only.  The component never replaces a bad value silently: MPI_Init prints a warning that names the value,
 * and Open MPI serves the communicators that would use it, on all ranks.
 */
#ifndef MCA_COLL_IRR_SETTINGS_H
#define MCA_COLL_IRR_SETTINGS_H

#include "coll_irr.h"
#include "plan/settings.h"

#include "opal/mca/base/mca_base_var.h"

/* Open MPI's prefix of the parameter names of this component. */
#define MCA_COLL_IRR_PREFIX "coll_irr_"

typedef enum mca_coll_irr_scope_t {
    MCA_COLL_IRR_OF_ENGINE,         /* of a communicator, in `engine` of mca_coll_irr_settings_t */
    MCA_COLL_IRR_OF_COMMUNICATOR,   /* of a communicator, in mca_coll_irr_settings_t */
    MCA_COLL_IRR_OF_PROCESS         /* of the process, in mca_coll_irr_params_t */
} mca_coll_irr_scope_t;

/* A row of the table, and the value of its parameter, which Open MPI writes. */
typedef struct mca_coll_irr_setting_t {
    const irr_setting_t *row;
    mca_coll_irr_scope_t scope;
    char                 parameter[48];   /* name with the prefix */
    int                  index;           /* of a name; -1: it is not valid */
    char                 bad[64];         /* the name that is not valid */
    char                *text;            /* value of any other type; NULL: not registered yet */
} mca_coll_irr_setting_t;

/* Returns setting i, or NULL past the last.  The settings of the process come first. */
mca_coll_irr_setting_t *mca_coll_irr_setting_at(int i);

/* Return the setting with this name, which must exist, and the setting that names an algorithm. */
mca_coll_irr_setting_t *mca_coll_irr_setting(const char *name);
const mca_coll_irr_setting_t *mca_coll_irr_algorithm_setting(int algorithm);

const char *mca_coll_irr_parameter_text(const mca_coll_irr_setting_t *setting);

/*
 * Returns the text of a setting: the value of the info key of `keyed`, or else the value of the parameter.  `keyed` is
 * NULL if the communicator has no info keys.  `key` is memory for the text.  *keyed_p, unless NULL, tells whether there
 * was a key.
 */
const char *mca_coll_irr_setting_text(const mca_coll_irr_setting_t *setting, ompi_communicator_t *keyed,
                                      char key[OPAL_MAX_INFO_VAL + 1], bool *keyed_p);

/* ---- bad values ---- */

/*
 * The first function returns true if the value of the setting is not allowed.  The second function returns true if some
 * setting has such a value.  Both set *bad in this case.  `keyed` is as in mca_coll_irr_setting_text.
 */
bool mca_coll_irr_setting_is_bad(const mca_coll_irr_setting_t *setting, ompi_communicator_t *keyed,
                                 mca_coll_irr_bad_t *bad);
bool mca_coll_irr_find_bad(ompi_communicator_t *keyed, mca_coll_irr_bad_t *bad);

void mca_coll_irr_warn_bad(const mca_coll_irr_bad_t *bad);

/* Returns a copy of the value of mca_base_NAME, a text, which the caller must free; NULL: no value, or no memory. */
char *mca_coll_irr_base_parameter(const char *name);

/* Returns true if Open MPI ignores another copy of coll/irr, in a folder that the user names.  The text says so. */
bool mca_coll_irr_find_copy(char *text, size_t size);

/*
 * The parameters that name files have numbers from 0 to mca_coll_irr_paths() - 1.  mca_coll_irr_bad_path returns true
 * if this process cannot use the file; the text says so.  mca_coll_irr_is_told returns true for a later message about
 * such a file, which begins with the name of the parameter.
 */
int mca_coll_irr_paths(void);
bool mca_coll_irr_bad_path(int i, char *text, size_t size);
bool mca_coll_irr_is_told(const char *text);

/*
 * Bad values and misspelt names of parameters of this process, files that it cannot use, and an ignored copy of
 * coll/irr: the first function publishes a digest of these mistakes when the component opens, the second function warns
 * the user in MPI_Init.
 */
void mca_coll_irr_check_open(void);
void mca_coll_irr_check_warn(void);

/* ---- registration ---- */

/* Returns OMPI_SUCCESS or an error of Open MPI. */
int mca_coll_irr_settings_register(void);

/*
 * Creates an enumeration of Open MPI with the names that are values of a setting; the caller must release it.  Returns
 * OPAL_SUCCESS or an error of Open MPI.
 */
int mca_coll_irr_setting_enum(const irr_setting_t *setting, const char *name, mca_base_var_enum_t **enumeration_p);

#endif
