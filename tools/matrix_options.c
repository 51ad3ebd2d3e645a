/*
 * matrix_options.c - the command line of irr_matrix.
 */
#include "matrix.h"

#include "cli_options.h"

#include <getopt.h>
#include <string.h>

enum {
    OPTION_RANKS = IRR_CLI_VERSION + 1, OPTION_UNIT, OPTION_SEED, OPTION_FROM, OPTION_TO, OPTION_COLLECTIVE
};

static const irr_cli_option_t rows[] = {
    { "ranks",      OPTION_RANKS,      "P",     "number of ranks" },
    { "unit",       OPTION_UNIT,       "BYTES", "of a pattern, default 1024; an element or a vertex, default 8" },
    { "seed",       OPTION_SEED,       "N",     "seed of random patterns and of METIS; default 1" },
    { "parts",      'k',               "K",     "number of parts of the graph, each of them a rank" },
    { "from",       OPTION_FROM,       "KIND",  "kind of the file read: mtx, ucc (below); default: by its name" },
    { "to",         OPTION_TO,         "KIND",  "kind of the file written; default: by its name" },
    { "collective", OPTION_COLLECTIVE, "N",     "which of a ucc file's collectives, from 1" },
    { "output",     'o',               "FILE",  "write to a file instead of stdout, which - is" },
    IRR_CLI_ROW_HELP,
    IRR_CLI_ROW_VERSION,
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static const char *command_name(int i)
{
    const irr_matrix_command_t *command = irr_matrix_command_at(i);

    return command != NULL ? command->name : NULL;
}

static const char *kind_name(int i)
{
    static const char *const names[] = { "mtx", "ucc", NULL };

    return names[i];
}

static irr_cli_exit_t read_option(int id, const char *value, void *context);
static void help(bool whole);

static const irr_cli_options_t table = { rows, ROWS, help, read_option, NULL, NULL };

static void help(bool whole)
{
    printf("Usage: irr_matrix COMMAND OPERAND... [OPTION...]\n"
           "Makes count matrices, describes and draws them, and changes their files.  Entry (i, j) is what\n"
           "rank i sends to rank j, in bytes.\n\n");
    for (int i = 0; irr_matrix_command_at(i) != NULL; i++) {
        const irr_matrix_command_t *command = irr_matrix_command_at(i);

        printf("  %-12s %-13s %s\n", command->name, command->usage, command->text);
    }
    printf("\n");
    irr_cli_options_print(&table);
    printf("\nBYTES may have k, m or g behind it, for 2^10, 2^20, 2^30.\n");
    if (!whole) {
        irr_cli_more("kinds of files, figures of stats, and patterns");
        return;
    }
    printf("\nKinds of files:\n"
           "  mtx        Matrix Market, coordinate integer general, entries in bytes; all names but the next\n"
           "  ucc        pattern file of ucc_perftest --gen file:name=FILE; names that end in .ptini.  Counts\n"
           "             are elements of the datatype that the file names; int8 is written, for -d int8\n");
    printf("\nFigures of stats; a message is an entry that is not zero, from a rank to another one:\n"
           "  messages, bytes       of all ranks; self_bytes: what ranks have for themselves\n"
           "  lmax                  most bytes that one rank sends or receives, those for itself included\n"
           "  message_bytes_max, _mean\n"
           "  zero_rows, _columns   ranks that send nothing, that receive nothing\n"
           "  density               messages of all that could be; degree_mean, _max: messages of a rank\n"
           "  skew                  bytes of the busiest rank, out or in, over the mean of all ranks\n");
    irr_cli_list("Patterns", irr_pattern_name, irr_pattern_text);
    printf("\nExit status: 0 good, 2 the input was refused.\n");
}

static irr_cli_exit_t read_kind(const char *name, irr_matrix_kind_t *kind)
{
    int row = irr_cli_find("kind", name, NULL, kind_name);

    *kind = (irr_matrix_kind_t)(IRR_MATRIX_MTX + row);
    return row >= 0 ? IRR_CLI_GOOD : IRR_CLI_REFUSED;
}

static irr_cli_exit_t read_option(int id, const char *value, void *context)
{
    irr_matrix_options_t *options = context;

    switch (id) {
    case OPTION_RANKS:      return irr_cli_int("ranks", value, 1, IRR_MATRIX_RANKS_MAX, &options->ranks);
    case OPTION_UNIT:       options->has_unit = true;
                            return irr_cli_size("unit", value, 1, INT64_MAX, &options->unit);
    case OPTION_SEED:       return irr_cli_number("seed", value, 0, INT64_MAX, &options->seed);
    case OPTION_FROM:       return read_kind(value, &options->from);
    case OPTION_TO:         return read_kind(value, &options->to);
    case OPTION_COLLECTIVE: return irr_cli_number("collective", value, 1, INT64_MAX, &options->collective);
    case 'k':               return irr_cli_int("parts", value, 2, IRR_MATRIX_RANKS_MAX, &options->parts);
    default:                options->output = value; return IRR_CLI_GOOD;
    }
}

static irr_cli_exit_t read_command(int argc, char **argv, irr_matrix_options_t *options)
{
    const irr_matrix_command_t *command;
    int row;

    if (optind == argc) {
        irr_cli_complain("what to do is missing; irr_matrix --help lists the commands");
        return IRR_CLI_REFUSED;
    }
    row = irr_cli_find("command", argv[optind], NULL, command_name);
    if (row < 0) {
        return IRR_CLI_REFUSED;
    }
    command = irr_matrix_command_at(row);
    if (argc - optind - 1 != command->operands) {
        irr_cli_complain("%s needs %s and nothing else, not %d operands; irr_matrix --help tells more",
                         command->name, command->usage, argc - optind - 1);
        return IRR_CLI_REFUSED;
    }
    for (int i = 0; i < command->operands; i++) {
        options->operands[i] = argv[optind + 1 + i];
    }
    options->command = command;
    return IRR_CLI_GOOD;
}

/* Is it one of the words, each of which stands in blanks? */
static bool has_word(const char *words, const char *word)
{
    char wanted[32];

    snprintf(wanted, sizeof(wanted), " %s ", word);
    return strstr(words, wanted) != NULL;
}

irr_cli_exit_t irr_matrix_options_read(int argc, char **argv, irr_matrix_options_t *options)
{
    bool seen[ROWS] = { false }, done;
    irr_cli_exit_t code;

    *options = (irr_matrix_options_t){ .seed = 1 };
    code = irr_cli_options_read(&table, argc, argv, options, seen, &done);
    if (code != IRR_CLI_GOOD || done) {
        return code;
    }
    code = read_command(argc, argv, options);
    for (int i = 0; code == IRR_CLI_GOOD && i < ROWS; i++) {
        if (seen[i] && !has_word(options->command->options, rows[i].name)) {
            irr_cli_complain("--%s does not go with %s", rows[i].name, options->command->name);
            return IRR_CLI_REFUSED;
        }
    }
    return code;
}
