/*
 * settings.h - the settings of an exchange, in one table: name, type, range, default, help, and the member of
 * irr_settings_t that takes the value.
 *
 * From a row follow the parameter and the info key of Open MPI, the option of a tool, the text of what is allowed, and
 * the word by which ranks compare the setting (comm/agree_settings.h).  A tool that has an option of its own name takes
 * the row by irr_setting_find.
 *
 * The same type of row describes settings of other structures.  Pure.
 */
#ifndef IRR_PLAN_SETTINGS_H
#define IRR_PLAN_SETTINGS_H

#include "irr.h"

typedef enum irr_setting_type {
    IRR_SETTING_NAME,            /* int: the place of one of the names, upper or lower case */
    IRR_SETTING_SIZE,            /* size_t or uint64_t: a whole number with an optional suffix k, m or g, up to max */
    IRR_SETTING_AUTO_SIZE,       /* the same, or auto: IRR_BYTES_AUTO */
    IRR_SETTING_WHOLE,           /* int: from min to max */
    IRR_SETTING_SWITCH,          /* bool: 0 or 1 */
    IRR_SETTING_DIMS,            /* irr_dims_t */
    IRR_SETTING_LAMBDA,          /* irr_lambda_t */
    IRR_SETTING_REDISTRIBUTION,  /* irr_redistribution_t */
    IRR_SETTING_TEXT             /* const char *: the text itself, which is not copied */
} irr_setting_type_t;

/* Who sets it, as Open MPI counts: users, experts, developers. */
enum { IRR_SETTING_USER = 3, IRR_SETTING_EXPERT = 6, IRR_SETTING_DEVELOPER = 9 };

typedef struct irr_setting {
    const char        *name;
    irr_setting_type_t type;
    int                level;
    size_t             offset;     /* of the member */
    const char        *standard;   /* the default */
    const char        *help;       /* 280 characters at most */
    const char        *allowed;    /* what is allowed; of names NULL */
    int64_t            min, max;   /* of a number; both 0: any that fits */
    const char      *(*value)(int i);   /* of names: the i-th, NULL past the last */
} irr_setting_t;

/* Most rows. */
#define IRR_SETTINGS_MAX 28

/* Row i; NULL past the last. */
const irr_setting_t *irr_setting_at(int i);

/* The row of this name; NULL: there is none. */
const irr_setting_t *irr_setting_find(const char *name);

/* Reads all of a text into the member of *values, or returns false and leaves it. */
bool irr_setting_parse(const irr_setting_t *setting, const char *text, void *values);

/* Returns the place of a name, or -1. */
int irr_setting_place(const irr_setting_t *setting, const char *name);

/* Writes what is allowed, as the end of a sentence. */
void irr_setting_allowed(const irr_setting_t *setting, char *text, size_t size);

/* Returns a word that is equal for equal values; of a text only whether there is one. */
uint64_t irr_setting_word(const irr_setting_t *setting, const void *values);

/* Writes the value behind a word; false: the word says nothing to a reader. */
bool irr_setting_text(const irr_setting_t *setting, uint64_t word, char *text, size_t size);

#endif
