/*
 * cli_options.h - reads command lines by a table.  A row of the table has the type of an option, the destination of its
 * value, the commands that accept it, and its help text.
 *
 * A wrong command line is refused at its first mistake, by one line that names the option, its value and the allowed
 * values.
 */
#ifndef IRR_CLI_OPTIONS_H
#define IRR_CLI_OPTIONS_H

#include "cli.h"
#include "plan/settings.h"

#include <stddef.h>

/* Maximum number of options in a table. */
#define IRR_CLI_OPTIONS_MAX 48

/* The value of a constant as a string, for a help text. */
#define IRR_CLI_TEXT_OF(x) #x
#define IRR_CLI_TEXT(x)    IRR_CLI_TEXT_OF(x)

/* ---- rows ---- */

typedef enum irr_cli_type {
    IRR_CLI_HELP,      /* this type and the next two print something and end the tool */
    IRR_CLI_VERSION,
    IRR_CLI_LIST,      /* prints the names that the tool knows */
    IRR_CLI_FLAG,      /* takes no value; sets the field to true */
    IRR_CLI_SET,       /* takes no value; sets the field to min */
    IRR_CLI_STRING,    /* the argument itself */
    IRR_CLI_NUMBER,    /* an integer from min to max */
    IRR_CLI_SIZE,      /* an integer from min to max, with an optional suffix k, m or g for 2^10, 2^20, 2^30 */
    IRR_CLI_SCALE,     /* a double above 0 */
    IRR_CLI_NAME,      /* a name; stores its index plus min, or the name itself if the field is a const char * */
    IRR_CLI_SETTING,   /* a setting of plan/settings.h, which has the type of value; the field is an irr_settings_t */
    IRR_CLI_OTHER      /* the function `read` reads it */
} irr_cli_type_t;

/* A member of the structure that receives the values. */
typedef struct irr_cli_field {
    size_t offset, width;
} irr_cli_field_t;

/* Use this macro in a row after the type; min, max and commands may follow. */
#define IRR_CLI_FIELD(type, member) .field = { offsetof(type, member), sizeof(((type *)NULL)->member) }

typedef struct irr_cli_option {
    const char     *name;
    char            letter;     /* the short option; 0: none */
    const char     *argument;   /* NULL: no argument; in brackets: the argument is optional */
    const char     *text;       /* NULL: the text of the setting */
    irr_cli_type_t  type;
    irr_cli_field_t field;
    uint64_t        min, max;
    unsigned        commands;   /* one bit for each command that accepts it; 0: all commands */
    const char     *kind;       /* the noun for names in error messages; NULL: the name of the option */
    const char   *(*names)(int i);
    const char     *setting;    /* name of the setting */
    irr_cli_exit_t (*read)(const char *value, void *target);   /* prints error messages; target: the whole structure */
} irr_cli_option_t;

#define IRR_CLI_ROW_HELP \
    { "help", 'h', "[all]", "print this help; all: with the lists of names and figures", .type = IRR_CLI_HELP }
#define IRR_CLI_ROW_VERSION { "version", 0, NULL, "print the version", .type = IRR_CLI_VERSION }
#define IRR_CLI_ROW_ALGORITHMS \
    { "list-algorithms", 0, NULL, "print the names of all algorithms and what they do", .type = IRR_CLI_LIST }

typedef struct irr_cli_command {
    const char *name;
    int         operands;   /* number of operands */
    const char *usage;      /* names of the operands; empty: there are none */
    const char *text;
} irr_cli_command_t;

/* A table of commands ends with a row without a name. */
typedef struct irr_cli_table {
    const char              *usage;      /* first text of the help */
    const irr_cli_command_t *commands;   /* NULL: the tool has none */
    const irr_cli_option_t  *rows;
    int                      count;
    bool                     operands;   /* without commands: accepts operands */
    const char              *notes;      /* text after the options */
    const char              *topics;     /* further text of --help all */
    void                   (*more)(void);
    const char            *(*listed)(int i), *(*listed_text)(int i);   /* the list that IRR_CLI_LIST prints */
} irr_cli_table_t;

/* ---- reading ---- */

/* The result of reading a command line, without the values. */
typedef struct irr_cli_line {
    const irr_cli_table_t *table;
    bool                   given[IRR_CLI_OPTIONS_MAX];   /* by row: the option was given */
    bool                   done;        /* help, version or a list was printed, and the tool ends */
    int                    command;     /* row in the table of commands */
    char                 **operands;
    int                    noperands;
} irr_cli_line_t;

/* Reads a command line into target, a structure with the fields of the table. */
irr_cli_exit_t irr_cli_read(const irr_cli_table_t *table, int argc, char **argv, void *target, irr_cli_line_t *line);

/* Returns true if the command line has the option `name`, which must be in the table. */
bool irr_cli_given(const irr_cli_line_t *line, const char *name);

/* Refuses a command line that has operands. */
irr_cli_exit_t irr_cli_no_operands(const irr_cli_line_t *line);

typedef struct irr_cli_pair {
    const char *one, *other;
} irr_cli_pair_t;

/* Refuses a command line with both options of a pair; if `needs` is true, with option `one` but not option `other`. */
irr_cli_exit_t irr_cli_check_pairs(const irr_cli_line_t *line, bool needs, const irr_cli_pair_t *pairs, size_t count);

/*
 * Returns true if the process needs no MPI: the first argument asks for help, version or a list, and no launcher has
 * started the process.
 */
bool irr_cli_asks_only(int argc, char **argv);

/* Returns true if the environment has a variable that mpirun, or srun with PMI, sets. */
bool irr_cli_is_launched(void);

/* ---- help ---- */

const char *irr_cli_version(void);

/* Writes the names of a set of commands, one bit for each, as "print, check and draw"; 0: "all commands". */
void irr_cli_takers(const irr_cli_table_t *table, unsigned commands, char *text, size_t size);

/* Prints the help; if whole is true, with the texts of --help all. */
void irr_cli_print_help(const irr_cli_table_t *table, bool whole);

/* Print a name with its meaning, and a paragraph after an empty line.  Neither is wider than 100 columns. */
void irr_cli_entry(const char *name, const char *text);
void irr_cli_paragraph(const char *text);

/* Prints the names of a table with their meanings, under a title if it is not NULL. */
void irr_cli_list(const char *title, const char *(*name)(int i), const char *(*text)(int i));

#endif
