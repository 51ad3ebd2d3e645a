/*
 * cli_options.h - command lines from one table: it says how each option is read, where its value goes, which commands
 * take it, and its text in the help.
 *
 * The first mistake is refused with one line that names the option, its value and what is allowed.
 */
#ifndef IRR_CLI_OPTIONS_H
#define IRR_CLI_OPTIONS_H

#include "cli.h"
#include "plan/settings.h"

#include <stddef.h>

/* Most options of a table. */
#define IRR_CLI_OPTIONS_MAX 48

/* The value of a constant, for a help text. */
#define IRR_CLI_TEXT_OF(x) #x
#define IRR_CLI_TEXT(x)    IRR_CLI_TEXT_OF(x)

/* ---- rows ---- */

typedef enum irr_cli_type {
    IRR_CLI_HELP,      /* these three print something and end the tool */
    IRR_CLI_VERSION,
    IRR_CLI_LIST,      /* the names that the tool knows */
    IRR_CLI_FLAG,      /* takes no value: the field becomes true */
    IRR_CLI_SET,       /* takes no value: the field becomes min */
    IRR_CLI_STRING,    /* the argument itself */
    IRR_CLI_NUMBER,    /* an integer from min to max */
    IRR_CLI_SIZE,      /* the same, with an optional suffix k, m or g for 2^10, 2^20, 2^30 */
    IRR_CLI_SCALE,     /* a double above 0 */
    IRR_CLI_NAME,      /* one of names: its place, plus min, or in a field of const char * the name itself */
    IRR_CLI_SETTING,   /* a row of plan/settings.h, which has the type; the field is a whole irr_settings_t */
    IRR_CLI_OTHER      /* as read has it */
} irr_cli_type_t;

/* A member of the structure that takes the values. */
typedef struct irr_cli_field {
    size_t offset, width;
} irr_cli_field_t;

/* In a row behind the type; min, max and commands may follow. */
#define IRR_CLI_FIELD(type, member) .field = { offsetof(type, member), sizeof(((type *)NULL)->member) }

typedef struct irr_cli_option {
    const char     *name;
    char            letter;     /* the short option; 0: there is none */
    const char     *argument;   /* NULL: takes none; in brackets: may stand behind it */
    const char     *text;       /* NULL: that of the setting */
    irr_cli_type_t  type;
    irr_cli_field_t field;
    uint64_t        min, max;
    unsigned        commands;   /* a bit for each command that takes it; 0: all do */
    const char     *kind;       /* of names, for the complaint; NULL: the option's own */
    const char   *(*names)(int i);
    const char     *setting;    /* its name */
    irr_cli_exit_t (*read)(const char *value, void *target);   /* complains; target: the whole structure */
} irr_cli_option_t;

#define IRR_CLI_ROW_HELP \
    { "help", 'h', "[all]", "this text; all: everything that it could tell", .type = IRR_CLI_HELP }
#define IRR_CLI_ROW_VERSION { "version", 0, NULL, "the version", .type = IRR_CLI_VERSION }
#define IRR_CLI_ROW_ALGORITHMS \
    { "list-algorithms", 0, NULL, "the names of all algorithms, and what they do", .type = IRR_CLI_LIST }

typedef struct irr_cli_command {
    const char *name;
    int         operands;   /* that follow it */
    const char *usage;      /* their names; empty: there are none */
    const char *text;
} irr_cli_command_t;

/* A table of commands ends with a row without a name. */
typedef struct irr_cli_table {
    const char              *usage;      /* what the help begins with */
    const irr_cli_command_t *commands;   /* NULL: the tool has none */
    const irr_cli_option_t  *rows;
    int                      count;
    bool                     operands;   /* without commands: takes operands */
    const char              *notes;      /* what stands behind the options */
    const char              *topics;     /* what --help all also has */
    void                   (*more)(void);
    const char            *(*listed)(int i), *(*listed_text)(int i);   /* what IRR_CLI_LIST prints */
} irr_cli_table_t;

/* ---- reading ---- */

/* What a command line gave beside the values. */
typedef struct irr_cli_line {
    const irr_cli_table_t *table;
    bool                   given[IRR_CLI_OPTIONS_MAX];   /* by row */
    bool                   done;        /* the help or the like was printed: nothing is left to do */
    int                    command;     /* row of the commands */
    char                 **operands;
    int                    noperands;
} irr_cli_line_t;

/* Reads all of a command line into target, a structure that has the fields of the table. */
irr_cli_exit_t irr_cli_read(const irr_cli_table_t *table, int argc, char **argv, void *target, irr_cli_line_t *line);

/* True if an option was given; name: a row of the table. */
bool irr_cli_given(const irr_cli_line_t *line, const char *name);

/* Refuses operands. */
irr_cli_exit_t irr_cli_no_operands(const irr_cli_line_t *line);

/* Refuses two options that were both given and exclude each other. */
typedef struct irr_cli_pair {
    const char *one, *other;
} irr_cli_pair_t;

irr_cli_exit_t irr_cli_exclude(const irr_cli_line_t *line, const irr_cli_pair_t *pairs, size_t count);

/* The first argument asks for the help and the like, and no launcher has started the process: it needs no MPI. */
bool irr_cli_asks_only(int argc, char **argv);

/* True if the environment has what mpirun, or srun with PMI, sets. */
bool irr_cli_is_launched(void);

/* ---- help ---- */

const char *irr_cli_version(void);

/* whole: with what --help all adds. */
void irr_cli_print_help(const irr_cli_table_t *table, bool whole);

/* A name and what it means; and a text behind an empty line.  Neither is wider than 100 columns. */
void irr_cli_entry(const char *name, const char *text);
void irr_cli_paragraph(const char *text);

/* The names of a table and what they mean, under a title, if there is one. */
void irr_cli_list(const char *title, const char *(*name)(int i), const char *(*text)(int i));

#endif
