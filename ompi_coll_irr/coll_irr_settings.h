/*
 * coll_irr_settings.h - the tables of what a communicator uses: what becomes a parameter and an info key of one name;
 * and texts of both to values.
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

/* Behind those that name an algorithm. */
enum {
    MCA_COLL_IRR_COMPOSE = MCA_COLL_IRR_ALGORITHMS, MCA_COLL_IRR_OVERLAP, MCA_COLL_IRR_PACE, MCA_COLL_IRR_HOST_ROUTE,
    MCA_COLL_IRR_CHOICES,                                /* of a communicator; what follows is the process's */
    MCA_COLL_IRR_TRANSPORT = MCA_COLL_IRR_CHOICES,
    MCA_COLL_IRR_ALL_CHOICES
};

extern mca_coll_irr_choice_t mca_coll_irr_choices[MCA_COLL_IRR_ALL_CHOICES];

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

/* A value that is not allowed. */
struct mca_coll_irr_bad_t {
    char parameter[48];
    char value[64];
    char allowed[256];
    bool keyed;           /* it is that of an info key */
};

/* Row i of the table of texts; NULL past the last. */
mca_coll_irr_text_t *mca_coll_irr_text_at(int i);

/* ---- values ---- */

/* Stands for a text that is none of the names. */
#define MCA_COLL_IRR_BAD_NAME (-1)

/* The number of the name, or MCA_COLL_IRR_BAD_NAME; name gives NULL past the last. */
int mca_coll_irr_parse_name(const char *text, const char *(*name)(int i));

/* Read all of a text, or return false and leave the value. */

/* A size_t: a whole number with an optional suffix k, m or g for 2^10, 2^20, 2^30. */
bool mca_coll_irr_parse_size(const char *text, void *size);
bool mca_coll_irr_parse_auto_size(const char *text, void *size);   /* "auto": IRR_BYTES_AUTO */

/* The same; an int. */
bool mca_coll_irr_parse_steps(const char *text, void *steps);

/* A bool: 0 or 1. */
bool mca_coll_irr_parse_switch(const char *text, void *on);

/* An irr_dims_t, as irr_dims_parse reads it; so an irr_lambda_t. */
bool mca_coll_irr_parse_dims(const char *text, void *dims);
bool mca_coll_irr_parse_lambda(const char *text, void *lambda);

/* An irr_redistribution_t: none, or as irr_redistribution_parse reads it. */
bool mca_coll_irr_parse_redistribution(const char *text, void *redistribution);

/* A char *: the text itself, from malloc; false without memory. */
bool mca_coll_irr_parse_path(const char *text, void *path);

/* IRR_ERR_BAD_PARAM, and in *bad what is wrong with the value of a parameter, or, keyed, of an info key. */
irr_status_t mca_coll_irr_bad_value(const char *parameter, const char *value, bool keyed, const char *allowed,
                                    mca_coll_irr_bad_t *bad);

/* The same where the names are what is allowed. */
irr_status_t mca_coll_irr_bad_name(const char *parameter, const char *value, bool keyed, const char *(*name)(int i),
                                   mca_coll_irr_bad_t *bad);

/* Tells the user of a bad value, with host and rank. */
void mca_coll_irr_tell_bad(const mca_coll_irr_bad_t *bad);

/* ---- the parameters of the process ---- */

/* Row i of those that are no info keys, whose offsets are into mca_coll_irr_params_t; NULL past the last. */
mca_coll_irr_text_t *mca_coll_irr_process_text_at(int i);

/* A bad value among them, and the transport: IRR_ERR_BAD_PARAM and in *bad the first one; else IRR_OK. */
irr_status_t mca_coll_irr_process_bad(mca_coll_irr_bad_t *bad);

/* What is wrong with parameters of this process: published with the component, and told in MPI_Init. */
void mca_coll_irr_check_open(void);
void mca_coll_irr_check_tell(void);

#endif
