/*
 * cli_options.c - reads a command line by its table; see cli_options.h.
 */
#include "cli_options.h"

#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* getopt returns LETTERS_END + i for the name of row i, and the letter itself for a letter. */
#define LETTERS_END 256

bool irr_cli_is_launched(void)
{
    static const char *const launchers[] = { "OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK" };

    for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++) {
        if (getenv(launchers[i]) != NULL) {
            return true;
        }
    }
    return false;
}

bool irr_cli_asks_only(int argc, char **argv)
{
    static const char *const questions[] = { "-h", "--help", "--version", "--list-algorithms" };
    bool asks = false;

    for (size_t i = 0; argc > 1 && i < sizeof(questions) / sizeof(questions[0]); i++) {
        asks = asks || strcmp(argv[1], questions[i]) == 0;
    }
    return asks && !irr_cli_is_launched();
}

/* ---- values ---- */

/* Stores an integer in a field of `width` bytes: 4 for int and enumerations, 8 for size_t and uint64_t. */
static void store(void *field, size_t width, uint64_t value)
{
    const int number = (int)value;

    memcpy(field, width == sizeof(number) ? (const void *)&number : &value, width);
}

static irr_cli_exit_t read_number(const irr_cli_option_t *row, const char *value, void *field)
{
    const bool suffixes = row->type == IRR_CLI_SIZE;
    uint64_t number;

    if (!(suffixes ? irr_cli_size_digits : irr_lines_digits)(value, strlen(value), row->min, row->max, &number)) {
        return irr_cli_complain("--%s '%.64s' is not an integer from %" PRIu64 " to %" PRIu64 "%s", row->name, value,
                                row->min, row->max, suffixes ? ", with an optional suffix k, m or g" : "");
    }
    store(field, row->field.width, number);
    return IRR_CLI_GOOD;
}

static irr_cli_exit_t read_scale(const irr_cli_option_t *row, const char *value, double *scale_p)
{
    char *end;
    const double scale = strtod(value, &end);

    if (end == value || *end != '\0' || !isfinite(scale) || scale <= 0) {
        return irr_cli_complain("--%s '%.64s' is not a number above 0", row->name, value);
    }
    *scale_p = scale;
    return IRR_CLI_GOOD;
}

static irr_cli_exit_t read_name(const irr_cli_option_t *row, const char *value, void *field)
{
    const int place = irr_cli_find(row->kind != NULL ? row->kind : row->name, value, NULL, row->names);

    if (place < 0) {
        return IRR_CLI_REFUSED;
    }
    if (row->field.width == sizeof(int)) {
        store(field, row->field.width, row->min + (uint64_t)place);
    } else {
        *(const char **)field = row->names(place);
    }
    return IRR_CLI_GOOD;
}

static irr_cli_exit_t read_setting(const irr_cli_option_t *row, const char *value, void *settings)
{
    const irr_setting_t *setting = irr_setting_find(row->setting);
    char allowed[256];

    if (irr_setting_parse(setting, value, settings)) {
        return IRR_CLI_GOOD;
    }
    irr_setting_allowed(setting, allowed, sizeof(allowed));
    return irr_cli_complain("--%s '%.64s' is not %s", row->name, value, allowed);
}

/* Reads the value of an option.  next: the argument that follows the option, or NULL if it is the last argument. */
static irr_cli_exit_t read_row(const irr_cli_table_t *table, const irr_cli_option_t *row, const char *next,
                               void *target)
{
    void *field = (char *)target + row->field.offset;

    switch (row->type) {
    case IRR_CLI_HELP:
        irr_cli_print_help(table, next != NULL && strcmp(next, "all") == 0);
        return IRR_CLI_GOOD;
    case IRR_CLI_VERSION:
        printf("%s %s\n", irr_cli_program, irr_cli_version());
        return IRR_CLI_GOOD;
    case IRR_CLI_LIST:
        irr_cli_list(NULL, table->listed, table->listed_text);
        return IRR_CLI_GOOD;
    case IRR_CLI_FLAG:
        *(bool *)field = true;
        return IRR_CLI_GOOD;
    case IRR_CLI_SET:
        store(field, row->field.width, row->min);
        return IRR_CLI_GOOD;
    case IRR_CLI_STRING:
        *(const char **)field = optarg;
        return IRR_CLI_GOOD;
    case IRR_CLI_NUMBER:
    case IRR_CLI_SIZE:
        return read_number(row, optarg, field);
    case IRR_CLI_SCALE:
        return read_scale(row, optarg, field);
    case IRR_CLI_NAME:
        return read_name(row, optarg, field);
    case IRR_CLI_SETTING:
        return read_setting(row, optarg, field);
    case IRR_CLI_OTHER:
        break;
    }
    return row->read(optarg, target);
}

/* ---- options ---- */

/* Makes getopt's tables from a table of options.  shorts has room for a colon and two characters per option. */
static void make_getopt_tables(const irr_cli_table_t *table, struct option *longs, char *shorts)
{
    *shorts++ = ':';
    for (int i = 0; i < table->count; i++) {
        const irr_cli_option_t *row = &table->rows[i];
        const bool takes = row->argument != NULL && row->argument[0] != '[';

        longs[i] = (struct option){ row->name, takes, NULL, LETTERS_END + i };
        if (row->letter != 0) {
            *shorts++ = row->letter;
            if (takes) {
                *shorts++ = ':';
            }
        }
    }
    longs[table->count] = (struct option){ NULL, 0, NULL, 0 };
    *shorts = '\0';
}

static irr_cli_exit_t refuse_option(int id, char **argv)
{
    char letter[3] = { '-', (char)optopt, '\0' };
    const char *name = optopt > 0 && optopt < LETTERS_END ? letter : argv[optind - 1];

    return irr_cli_complain(id == ':' ? "option '%.64s' needs a value; %s --help lists the options"
                                      : "unknown option '%.64s'; %s --help lists the options", name, irr_cli_program);
}

/* Returns the row of the option for which getopt returned `id`. */
static int row_of(const irr_cli_table_t *table, int id)
{
    int i = 0;

    if (id >= LETTERS_END) {
        return id - LETTERS_END;
    }
    while (table->rows[i].letter != id) {
        i++;
    }
    return i;
}

static irr_cli_exit_t read_options(int argc, char **argv, void *target, irr_cli_line_t *line)
{
    const irr_cli_table_t *table = line->table;
    struct option longs[IRR_CLI_OPTIONS_MAX + 1];
    char shorts[2 * IRR_CLI_OPTIONS_MAX + 2];
    int id;

    make_getopt_tables(table, longs, shorts);
    opterr = 0;
    while ((id = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        const irr_cli_option_t *row;
        irr_cli_exit_t code;

        if (id == '?' || id == ':') {
            return refuse_option(id, argv);
        }
        row = &table->rows[row_of(table, id)];
        code = read_row(table, row, optind < argc ? argv[optind] : NULL, target);
        line->done = row->type <= IRR_CLI_LIST;
        if (code != IRR_CLI_GOOD || line->done) {
            return code;
        }
        line->given[row - table->rows] = true;
    }
    line->operands = argv + optind;
    line->noperands = argc - optind;
    return IRR_CLI_GOOD;
}

/* ---- commands ---- */

static const irr_cli_command_t *commands_of_line;

static const char *command_name(int i)
{
    return commands_of_line[i].name;
}

irr_cli_exit_t irr_cli_no_operands(const irr_cli_line_t *line)
{
    if (line->noperands == 0) {
        return IRR_CLI_GOOD;
    }
    return irr_cli_complain("unexpected argument '%.64s'; %s --help lists the options", line->operands[0],
                            irr_cli_program);
}

static irr_cli_exit_t read_command(irr_cli_line_t *line)
{
    const irr_cli_command_t *command;

    if (line->noperands == 0) {
        return irr_cli_complain("the command is missing; %s --help lists the commands", irr_cli_program);
    }
    commands_of_line = line->table->commands;
    line->command = irr_cli_find("command", line->operands[0], NULL, command_name);
    if (line->command < 0) {
        return IRR_CLI_REFUSED;
    }
    command = &line->table->commands[line->command];
    line->operands++;
    line->noperands--;
    if (command->operands == 0) {
        return irr_cli_no_operands(line);
    }
    if (line->noperands != command->operands) {
        return irr_cli_complain("%s needs %s and nothing else, not %d operands; see %s --help", command->name,
                                command->usage, line->noperands, irr_cli_program);
    }
    return IRR_CLI_GOOD;
}

void irr_cli_takers(const irr_cli_table_t *table, unsigned commands, char *text, size_t size)
{
    size_t used = commands != 0 ? 0 : (size_t)snprintf(text, size, "all commands");

    for (int i = 0; commands != 0 && table->commands[i].name != NULL && used < size; i++) {
        const unsigned rest = commands >> i;

        if (rest & 1) {
            const int left = __builtin_popcount(rest) - 1;

            used += (size_t)snprintf(text + used, size - used, "%s%s", table->commands[i].name,
                                     left == 0 ? "" : left == 1 ? " and " : ", ");
        }
    }
}

static irr_cli_exit_t check_takes(const irr_cli_line_t *line)
{
    const irr_cli_table_t *table = line->table;

    for (int i = 0; i < table->count; i++) {
        const irr_cli_option_t *row = &table->rows[i];
        char takers[160];

        if (line->given[i] && row->commands != 0 && (row->commands >> line->command & 1) == 0) {
            irr_cli_takers(table, row->commands, takers, sizeof(takers));
            return irr_cli_complain("--%s does not go with %s, only with %s", row->name,
                                    table->commands[line->command].name, takers);
        }
    }
    return IRR_CLI_GOOD;
}

irr_cli_exit_t irr_cli_read(const irr_cli_table_t *table, int argc, char **argv, void *target, irr_cli_line_t *line)
{
    irr_cli_exit_t code;

    *line = (irr_cli_line_t){ .table = table };
    code = read_options(argc, argv, target, line);
    if (code != IRR_CLI_GOOD || line->done) {
        return code;
    }
    if (table->commands != NULL) {
        code = read_command(line);
        return code == IRR_CLI_GOOD ? check_takes(line) : code;
    }
    return table->operands ? IRR_CLI_GOOD : irr_cli_no_operands(line);
}

bool irr_cli_given(const irr_cli_line_t *line, const char *name)
{
    for (int i = 0; i < line->table->count; i++) {
        if (strcmp(line->table->rows[i].name, name) == 0) {
            return line->given[i];
        }
    }
    return false;
}

irr_cli_exit_t irr_cli_check_pairs(const irr_cli_line_t *line, bool needs, const irr_cli_pair_t *pairs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (irr_cli_given(line, pairs[i].one) && irr_cli_given(line, pairs[i].other) != needs) {
            return irr_cli_complain(needs ? "--%s goes with --%s only" : "--%s and --%s exclude each other",
                                    pairs[i].one, pairs[i].other);
        }
    }
    return IRR_CLI_GOOD;
}
