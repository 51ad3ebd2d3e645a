/*
 * coll_irr_settings.h - the tables of what a communicator uses: what becomes a parameter and an info key of one name.
 */
#ifndef MCA_COLL_IRR_SETTINGS_H
#define MCA_COLL_IRR_SETTINGS_H

#include "coll_irr.h"

#include "opal/mca/base/mca_base_var.h"

/* What Open MPI puts before the name that a component registers. */
#define MCA_COLL_IRR_PREFIX "coll_irr_"

/* A setting that is one of the engine's names; bad is the text that was none, if there was one. */
typedef struct mca_coll_irr_choice_t {
    const char             *parameter;
    const char             *help;
    mca_base_var_info_lvl_t level;
    const char           *(*name)(int i);
    int                    *storage;
    char                    bad[64];
} mca_coll_irr_choice_t;

enum {
    MCA_COLL_IRR_ALLTOALLV, MCA_COLL_IRR_ALLTOALL, MCA_COLL_IRR_COMPOSE, MCA_COLL_IRR_OVERLAP, MCA_COLL_IRR_PACE,
    MCA_COLL_IRR_HOST_ROUTE,
    MCA_COLL_IRR_CHOICES
};

extern mca_coll_irr_choice_t mca_coll_irr_choices[MCA_COLL_IRR_CHOICES];

/* Its names, as an enumeration of Open MPI's with a name of its own, which the caller releases; an error of it. */
int mca_coll_irr_choice_enum(const mca_coll_irr_choice_t *choice, const char *name,
                             mca_base_var_enum_t **enumeration_p);

/* A setting that is a text with a parser. */
typedef struct mca_coll_irr_text_t {
    const char             *parameter;
    const char             *standard;
    const char             *help;
    mca_base_var_info_lvl_t level;
    bool                  (*parse)(const char *text, void *value);
    const char             *allowed;
    size_t                  offset;   /* of what it means, into mca_coll_irr_settings_t */
    char                   *value;    /* of the parameter, Open MPI's; NULL: not registered yet */
} mca_coll_irr_text_t;

/* Row i of the table of texts; NULL past the last. */
mca_coll_irr_text_t *mca_coll_irr_text_at(int i);

#endif
