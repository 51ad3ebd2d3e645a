/*
 * coll_irr_settings.h - parameters and info keys: the table of the engine's settings (plan/settings.h), and the
 * component's own.
 *
 * A setting of a communicator is a parameter and an info key of one name; a setting of the process is a parameter.
 * Both are texts from outside and go through the same check.  A bad value is never taken for another one: MPI_Init
 * names it, and a communicator that would use it stays with Open MPI on all ranks.
 */
#ifndef MCA_COLL_IRR_SETTINGS_H
#define MCA_COLL_IRR_SETTINGS_H

#include "coll_irr.h"
#include "plan/settings.h"

#include "opal/mca/base/mca_base_var.h"

/* What Open MPI puts before the name that a component registers. */
#define MCA_COLL_IRR_PREFIX "coll_irr_"

typedef enum mca_coll_irr_scope_t {
    MCA_COLL_IRR_OF_ENGINE,         /* of a communicator, into `engine` of mca_coll_irr_settings_t */
    MCA_COLL_IRR_OF_COMMUNICATOR,   /* into mca_coll_irr_settings_t */
    MCA_COLL_IRR_OF_PROCESS         /* into mca_coll_irr_params_t */
} mca_coll_irr_scope_t;

/* A row, and the value of its parameter, which Open MPI writes. */
typedef struct mca_coll_irr_setting_t {
    const irr_setting_t *row;
    mca_coll_irr_scope_t scope;
    char                 parameter[48];   /* its whole name */
    int                  place;           /* of a name; -1: `bad` is none */
    char                 bad[64];
    char                *text;            /* of others; NULL: not registered yet */
} mca_coll_irr_setting_t;

/* Setting i, of the process first; NULL past the last. */
mca_coll_irr_setting_t *mca_coll_irr_setting_at(int i);

/* The setting of this name, which exists. */
mca_coll_irr_setting_t *mca_coll_irr_setting(const char *name);

/* The text of the parameter of a setting. */
const char *mca_coll_irr_parameter_text(const mca_coll_irr_setting_t *setting);

/*
 * The text of a setting: of the info key of a communicator, if that has it (which may be NULL), or of the parameter.
 * key: room for the former.  keyed_p may be NULL.
 */
const char *mca_coll_irr_setting_text(const mca_coll_irr_setting_t *setting, ompi_communicator_t *keyed,
                                      char key[OPAL_MAX_INFO_VAL + 1], bool *keyed_p);

/* ---- bad values ---- */

struct mca_coll_irr_bad_t {
    char parameter[48];
    char value[64];
    char allowed[256];
    bool keyed;           /* it is that of an info key */
};

/* Returns true if the value of the parameter is not allowed, and sets *bad. */
bool mca_coll_irr_setting_is_bad(const mca_coll_irr_setting_t *setting, mca_coll_irr_bad_t *bad);

/* Writes a message that names a bad value, and prints it for the user. */
#define MCA_COLL_IRR_BAD_TEXT 1024
void mca_coll_irr_bad_text(const mca_coll_irr_bad_t *bad, char text[MCA_COLL_IRR_BAD_TEXT]);
void mca_coll_irr_warn_bad(const mca_coll_irr_bad_t *bad);

/* What is wrong with parameters of this process: published with the component, and reported in MPI_Init. */
void mca_coll_irr_check_open(void);
void mca_coll_irr_check_warn(void);

/* ---- registration ---- */

/* Registers a parameter for each setting; an error of Open MPI's. */
int mca_coll_irr_settings_register(void);

/* The names of a setting as an enumeration of Open MPI's of this name, which the caller releases; an error of it. */
int mca_coll_irr_setting_enum(const irr_setting_t *setting, const char *name, mca_base_var_enum_t **enumeration_p);

#endif
