/*
 * cli_options.h - command lines from one table, which getopt reads from and the help is printed from.
 *
 * The first thing that is wrong ends in one line that names the option, its value and what is allowed.
 */
#ifndef IRR_CLI_OPTIONS_H
#define IRR_CLI_OPTIONS_H

#include "cli.h"

/* Rows of a table at most, and ids: those below are short options, too. */
#define IRR_CLI_OPTIONS_MAX 48
#define IRR_CLI_LETTERS_END 256

/* The value of a constant, for a help text. */
#define IRR_CLI_TEXT_OF(x) #x
#define IRR_CLI_TEXT(x)    IRR_CLI_TEXT_OF(x)

/* The id of the option that prints the version, in the table of each tool; 'h' prints the help. */
#define IRR_CLI_VERSION IRR_CLI_LETTERS_END

typedef struct irr_cli_option {
    const char *name;
    int         id;
    const char *argument;  /* NULL: takes none */
    const char *text;
} irr_cli_option_t;

typedef struct irr_cli_options {
    const irr_cli_option_t *rows;
    int                     count;
    void                  (*help)(void);
    irr_cli_exit_t        (*read)(int id, const char *value, void *context);
} irr_cli_options_t;

/*
 * Reads all options; optind is then the first argument that is none.  seen[i]: row i was given; it must be false
 * before.  *done_p: help or version was printed, and there is nothing else to do.
 */
irr_cli_exit_t irr_cli_options_read(const irr_cli_options_t *options, int argc, char **argv, void *context,
                                    bool *seen, bool *done_p);

const char *irr_cli_version(void);

/* The lines of the help, one a row. */
void irr_cli_options_print(const irr_cli_options_t *options);

/* The names of a table and what they mean, under a title. */
void irr_cli_list(const char *title, const char *(*name)(int i), const char *(*text)(int i));

#endif
