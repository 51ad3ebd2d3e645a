/*
 * settings.h - the settings of a communicator, in one table: name, type, range, default, help, and the member of
 * irr_settings_t that takes the value.
 *
 * The following is generated from a row: the parameter and the info key of Open MPI, the option of a tool, the text of
 * the allowed values, and the 64-bit word that ranks compare (comm/agree_settings.h).  The option of a tool may have
 * another name than its row.
 *
 * Settings of other structures use rows of the same type.
 */
#ifndef IRR_PLAN_SETTINGS_H
#define IRR_PLAN_SETTINGS_H

#include "irr.h"

typedef enum irr_setting_type {
    IRR_SETTING_NAME,            /* int: index of one of the names, upper or lower case */
    IRR_SETTING_SIZE,            /* size_t or uint64_t: a whole number with an optional suffix k, m or g, up to max */
    IRR_SETTING_AUTO_SIZE,       /* as IRR_SETTING_SIZE, or auto: IRR_BYTES_AUTO */
    IRR_SETTING_WHOLE,           /* int: from min to max */
    IRR_SETTING_SWITCH,          /* bool: 0 or 1 */
    IRR_SETTING_DIMS,            /* irr_dims_t */
    IRR_SETTING_LAMBDA,          /* irr_lambda_t */
    IRR_SETTING_REDISTRIBUTION,  /* irr_redistribution_t */
    IRR_SETTING_TEXT             /* const char *: the text itself, borrowed */
} irr_setting_type_t;

/* Levels of Open MPI: for users, experts, developers. */
enum { IRR_SETTING_USER = 3, IRR_SETTING_EXPERT = 6, IRR_SETTING_DEVELOPER = 9 };

typedef struct irr_setting {
    const char        *name;
    irr_setting_type_t type;
    int                level;
    size_t             offset;     /* of the member in the structure of values */
    const char        *standard;   /* text of the default */
    const char        *help;       /* 280 characters at most */
    const char        *allowed;    /* text of the allowed values; NULL for names */
    int64_t            min, max;   /* of a number; both 0: any number that fits the type of the member */
    const char      *(*value)(int i);   /* the i-th name, NULL past the last */
    const char        *older;      /* the name before release 0.3.0, which parameters and info keys may use; or NULL */
} irr_setting_t;

/* Largest number of rows. */
#define IRR_SETTINGS_MAX 28

/* Returns row i, or NULL past the last. */
const irr_setting_t *irr_setting_at(int i);

/* Returns the row with this name, or NULL. */
const irr_setting_t *irr_setting_find(const char *name);

/* Reads all of a text into the member of *values.  False: the text is not allowed, and the member is unchanged. */
bool irr_setting_parse(const irr_setting_t *setting, const char *text, void *values);

/* Returns the index i for which value(i) is this name, or an older name for it; or -1. */
int irr_setting_index(const irr_setting_t *setting, const char *name);

/* Writes the allowed values to text[size], as the end of a sentence. */
void irr_setting_allowed(const irr_setting_t *setting, char *text, size_t size);

/*
 * Returns a word that is equal for equal values.  The word of a setting of type text states only whether the text is
 * empty.
 */
uint64_t irr_setting_word(const irr_setting_t *setting, const void *values);

/* Writes the value of a word to text[size].  Returns false if the word is a hash, from which the value is unknown. */
bool irr_setting_text(const irr_setting_t *setting, uint64_t word, char *text, size_t size);

#endif
