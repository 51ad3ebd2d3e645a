/*
 * matrix_options.c - the command line of irr_matrix.
 */
#include "matrix.h"

#include "cli_options.h"

#define AT(member)    IRR_CLI_FIELD(irr_matrix_options_t, member)
#define BIT(command)  (1U << IRR_MATRIX_##command)
#define MAKES         (BIT(GENERATE) | BIT(REDISTRIBUTE) | BIT(PARTITION))
#define SHOWS         (BIT(STATS) | BIT(DRAW))

static const irr_cli_command_t commands[] = {
    [IRR_MATRIX_GENERATE]     = { "generate", 1, "PATTERN", "the matrix of a pattern (below)" },
    [IRR_MATRIX_STATS]        = { "stats", 1, "FILE", "what a matrix is like, one key=value a line" },
    [IRR_MATRIX_DRAW]         = { "draw", 1, "FILE", "a matrix as a heat map, SVG" },
    [IRR_MATRIX_CONVERT]      = { "convert", 2, "IN OUT", "the same matrix in another kind of file" },
    [IRR_MATRIX_REDISTRIBUTE] = { "redistribute", 1, "x,p,y,q[,N]",
                                  "N elements (default: a slice), cyclic(x) on p ranks to cyclic(y) on q" },
    [IRR_MATRIX_PARTITION]    = { "partition", 1, "GRAPH", "the halo exchange of a METIS graph file, cut in parts" },
    [IRR_MATRIX_NOTHING]      = { NULL }
};

static const char *kind_name(int i)
{
    static const char *const names[] = { "mtx", "ucc", NULL };

    return names[i];
}

static const irr_cli_option_t rows[] = {
    { "ranks", 0, "P", "number of ranks", IRR_CLI_NUMBER, AT(ranks), 1, IRR_MATRIX_RANKS_MAX, BIT(GENERATE) },
    { "unit", 0, "BYTES", "of a pattern, default 1024; an element or a vertex, default 8", IRR_CLI_SIZE, AT(unit),
      1, INT64_MAX, MAKES },
    { "seed", 0, "N", "seed of random patterns and of METIS; default 1", IRR_CLI_NUMBER, AT(seed), 0, INT64_MAX,
      BIT(GENERATE) | BIT(PARTITION) },
    { "parts", 'k', "K", "number of parts of the graph, each of them a rank", IRR_CLI_NUMBER, AT(parts),
      2, IRR_MATRIX_RANKS_MAX, BIT(PARTITION) },
    { "from", 0, "KIND", "kind of the file read: mtx, ucc (below); default: by its name", IRR_CLI_NAME, AT(from),
      .min = IRR_MATRIX_MTX, .commands = SHOWS | BIT(CONVERT), .kind = "kind", .names = kind_name },
    { "to", 0, "KIND", "kind of the file written; default: by its name", IRR_CLI_NAME, AT(to),
      .min = IRR_MATRIX_MTX, .commands = MAKES | BIT(CONVERT), .kind = "kind", .names = kind_name },
    { "collective", 0, "N", "which of a ucc file's collectives, from 1", IRR_CLI_NUMBER, AT(collective), 1, INT64_MAX,
      SHOWS | BIT(CONVERT) },
    { "output", 'o', "FILE", "write to a file instead of stdout, which - is", IRR_CLI_STRING, AT(output),
      .commands = MAKES | SHOWS },
    IRR_CLI_ROW_HELP,
    IRR_CLI_ROW_VERSION,
};

static void print_more(void)
{
    printf("\nKinds of files:\n");
    irr_cli_entry("mtx", "Matrix Market, coordinate integer general, entries in bytes; all names but the next");
    irr_cli_entry("ucc", "pattern file of ucc_perftest --gen file:name=FILE; names that end in .ptini.  Counts are "
                  "elements of the datatype that the file names; int8 is written, for -d int8");
    printf("\nFigures of stats; a message is an entry that is not zero, from a rank to another one:\n");
    irr_cli_entry("messages, bytes", "of all ranks; self_bytes: what ranks have for themselves");
    irr_cli_entry("lmax", "most bytes that one rank sends or receives, those for itself included");
    irr_cli_entry("message_bytes_max", "the longest message; message_bytes_mean: their mean");
    irr_cli_entry("zero_rows, _columns", "ranks that send nothing, that receive nothing");
    irr_cli_entry("density", "messages of all that could be; degree_mean, _max: messages of a rank");
    irr_cli_entry("skew", "bytes of the busiest rank, out or in, over the mean of all ranks");
    irr_cli_list("Patterns", irr_pattern_name, irr_pattern_text);
    printf("\nExit status: 0 good, 2 the input was refused.\n");
}

static const irr_cli_table_t table = {
    .usage =
        "Usage: irr_matrix COMMAND OPERAND... [OPTION...]\n"
        "Makes count matrices, describes and draws them, and changes their files.  Entry (i, j) is what\n"
        "rank i sends to rank j, in bytes.\n",
    .commands = commands, .rows = rows, .count = sizeof(rows) / sizeof(rows[0]),
    .notes = "\nBYTES may have k, m or g behind it, for 2^10, 2^20, 2^30.\n",
    .topics = "kinds of files, figures of stats, and patterns", .more = print_more
};

irr_cli_exit_t irr_matrix_options_read(int argc, char **argv, irr_matrix_options_t *options)
{
    irr_cli_line_t line;
    irr_cli_exit_t code;

    *options = (irr_matrix_options_t){ .command = IRR_MATRIX_NOTHING, .seed = 1 };
    code = irr_cli_read(&table, argc, argv, options, &line);
    if (code != IRR_CLI_GOOD || line.done) {
        return code;
    }
    options->command = (irr_matrix_command_t)line.command;
    options->name = commands[line.command].name;
    options->operands = line.operands;
    return IRR_CLI_GOOD;
}
