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

/* Ids of options that are done with once they are read: those below, and 'h', which prints the help. */
#define IRR_CLI_LIST    IRR_CLI_LETTERS_END         /* the names that the tool knows */
#define IRR_CLI_VERSION (IRR_CLI_LETTERS_END + 1)

/* Rows of a table for these; the algorithms of tools that know some. */
#define IRR_CLI_ROW_HELP       { "help", 'h', "[all]", "this text; all: everything that it could tell" }
#define IRR_CLI_ROW_VERSION    { "version", IRR_CLI_VERSION, NULL, "the version" }
#define IRR_CLI_ROW_ALGORITHMS \
    { "list-algorithms", IRR_CLI_LIST, NULL, "the names of all algorithms, and what they do" }

typedef struct irr_cli_option {
    const char *name;
    int         id;
    const char *argument;  /* NULL: takes none; in brackets: may stand behind it */
    const char *text;
} irr_cli_option_t;

typedef struct irr_cli_options {
    const irr_cli_option_t *rows;
    int                     count;
    void                  (*help)(bool whole);   /* whole: also what few want to read */
    irr_cli_exit_t        (*read)(int id, const char *value, void *context);
    const char           *(*listed)(int i), *(*listed_text)(int i);   /* what IRR_CLI_LIST prints */
} irr_cli_options_t;

/*
 * Reads all options; optind is then the first argument that is none.  seen[i]: row i was given; it must be false
 * before.  *done_p: help or version was printed, and there is nothing else to do.
 */
irr_cli_exit_t irr_cli_options_read(const irr_cli_options_t *options, int argc, char **argv, void *context,
                                    bool *seen, bool *done_p);

const char *irr_cli_version(void);

/* The first argument asks for the help and the like, and nothing like mpirun has started this: it needs no MPI. */
bool irr_cli_asks_only(int argc, char **argv);

/* True if the environment has what mpirun, or srun with PMI, sets. */
bool irr_cli_is_launched(void);

/* The lines of the help, one a row or more. */
void irr_cli_options_print(const irr_cli_options_t *options);

/* The last line of a help that was not whole; topics: what the whole one also tells. */
void irr_cli_more(const char *topics);

/* A name and what it means; and a text behind an empty line.  Neither is wider than 100 columns. */
void irr_cli_entry(const char *name, const char *text);
void irr_cli_paragraph(const char *text);

/* The names of a table and what they mean, under a title, if there is one. */
void irr_cli_list(const char *title, const char *(*name)(int i), const char *(*text)(int i));

#endif
