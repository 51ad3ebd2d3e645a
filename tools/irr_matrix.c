/*
 * irr_matrix.c - makes count matrices, describes them, and converts their files; see matrix.h.
 */
#include "matrix.h"

#include "chart.h"
#include "cli_options.h"
#include "cli_output.h"

#include "problem/redistribution.h"

const char irr_cli_program[] = "irr_matrix";

/* ---- the command line ---- */

#define AT(member)    IRR_CLI_FIELD(irr_matrix_options_t, member)
#define BIT(command)  (1U << (command))
#define MAKES         (BIT(GENERATE) | BIT(REDISTRIBUTE) | BIT(PARTITION))
#define SHOWS         (BIT(STATS) | BIT(DRAW))

enum { GENERATE, STATS, DRAW, CONVERT, REDISTRIBUTE, PARTITION };

static const irr_cli_command_t commands[] = {
    [GENERATE]     = { "generate", 1, "PATTERN", "make the matrix of a pattern (below)" },
    [STATS]        = { "stats", 1, "FILE", "print figures of a matrix, one key=value per line" },
    [DRAW]         = { "draw", 1, "FILE", "draw a matrix as a heat map in SVG" },
    [CONVERT]      = { "convert", 2, "IN OUT", "write a matrix as another kind of file" },
    [REDISTRIBUTE] = { "redistribute", 1, "x,p,y,q[,N]", "make the matrix of a redistribution of N elements from "
                       "cyclic(x) on p ranks to cyclic(y) on q ranks; default of N: the least common multiple of x p "
                       "and y q" },
    [PARTITION]    = { "partition", 1, "GRAPH", "make the matrix of a halo exchange: divide the graph of a METIS file "
                       "into parts" },
    { NULL }
};

static const char *kind_name(int i)
{
    static const char *const names[] = { "mtx", "ucc", NULL };

    return names[i];
}

static const irr_cli_option_t rows[] = {
    { "ranks", 0, "P", "number of ranks", IRR_CLI_NUMBER, AT(ranks), 1, IRR_MATRIX_RANKS_MAX, BIT(GENERATE) },
    { "unit", 0, "BYTES", "generate: bytes of a unit of the pattern, default 1024; redistribute, partition: bytes of "
      "an element or a vertex, default 8", IRR_CLI_SIZE, AT(unit), 1, INT64_MAX, MAKES },
    { "seed", 0, "N", "seed of random patterns and of METIS; default 1", IRR_CLI_NUMBER, AT(seed), 0, INT64_MAX,
      BIT(GENERATE) | BIT(PARTITION) },
    { "parts", 'k', "K", "number of parts of the graph; each part is a rank", IRR_CLI_NUMBER, AT(parts),
      2, IRR_MATRIX_RANKS_MAX, BIT(PARTITION) },
    { "from", 0, "KIND", "kind of the input file: mtx or ucc (below); default: follows from the name of the file",
      IRR_CLI_NAME, AT(from), .min = IRR_MATRIX_MTX, .commands = SHOWS | BIT(CONVERT), .kind = "kind",
      .names = kind_name },
    { "to", 0, "KIND", "kind of the output file; default: follows from the name of the file", IRR_CLI_NAME, AT(to),
      .min = IRR_MATRIX_MTX, .commands = MAKES | BIT(CONVERT), .kind = "kind", .names = kind_name },
    { "collective", 0, "N", "number of the collective in a ucc file, from 1; needed if the file has several",
      IRR_CLI_NUMBER, AT(collective), 1, INT64_MAX, SHOWS | BIT(CONVERT) },
    { "output", 'o', "FILE", "write to a file instead of stdout; - is stdout", IRR_CLI_STRING, AT(output),
      .commands = MAKES | SHOWS },
    IRR_CLI_ROW_HELP,
    IRR_CLI_ROW_VERSION,
};

static void print_more(void)
{
    printf("\nKinds of files:\n");
    irr_cli_entry("mtx", "Matrix Market, coordinate integer general, entries in bytes; the default for all names "
                  "that do not end in .ptini");
    irr_cli_entry("ucc", "pattern file of ucc_perftest --gen file:name=FILE; the default for names that end in .ptini. "
                  "Counts are numbers of elements of the file's datatype; irr_matrix writes int8, so run "
                  "ucc_perftest with -d int8");
    printf("\nFigures of stats; a message is a nonzero entry from a rank to another rank:\n");
    irr_cli_entry("messages, bytes", "sums over all ranks; self_bytes: bytes that ranks send to themselves");
    irr_cli_entry("lmax", "largest number of bytes that a rank sends, or that it receives, including bytes for itself");
    irr_cli_entry("message_bytes_max", "length of the longest message; message_bytes_mean: mean length");
    irr_cli_entry("zero_rows, _columns", "number of ranks that send nothing; number of ranks that receive nothing");
    irr_cli_entry("density", "number of messages divided by the number of pairs of ranks; degree_mean, _max: number of "
                  "messages that a rank sends");
    irr_cli_entry("skew", "bytes that the busiest rank sends or receives, divided by the mean over all ranks");
    irr_cli_list("Patterns", irr_pattern_name, irr_pattern_text);
    printf("\n" IRR_CLI_STATUSES("failure") "\n");
}

static const irr_cli_table_t table = {
    .usage =
        "Usage: irr_matrix COMMAND OPERAND... [OPTION...]\n"
        "Makes, describes, draws and converts count matrices.  Entry (i, j) is the number of bytes that\n"
        "rank i sends to rank j.\n",
    .commands = commands, .rows = rows, .count = sizeof(rows) / sizeof(rows[0]),
    .notes = "\nBYTES may have a suffix k, m or g, for 2^10, 2^20, 2^30.\n",
    .topics = "kinds of files, figures of stats, and patterns", .more = print_more
};

/* ---- sources of matrices ---- */

static irr_cli_exit_t generate(const irr_matrix_options_t *options, irr_matrix_t *matrix)
{
    const char *pattern = options->operands[0];
    const uint64_t unit = options->unit > 0 ? options->unit : 1024;

    if (irr_cli_find("pattern", pattern, NULL, irr_pattern_name) < 0) {
        return IRR_CLI_REFUSED;
    }
    if (options->ranks == 0) {
        return irr_cli_complain("--ranks is missing");
    }
    return irr_cli_make_matrix(pattern, options->ranks, unit, options->seed, matrix);
}

static irr_cli_exit_t redistribute(const irr_matrix_options_t *options, irr_matrix_t *matrix)
{
    const char *text = options->operands[0];
    irr_redistribution_t redistribution = { .unit = options->unit > 0 ? options->unit : 8 };
    irr_cli_exit_t code = irr_cli_redistribution(text, IRR_MATRIX_RANKS_MAX, &redistribution);

    return code == IRR_CLI_GOOD ? irr_cli_redistribute(text, &redistribution, matrix) : code;
}

/* ---- all commands ---- */

/* A command makes or reads a matrix, and writes a description of it; NULL: writes the matrix. */
static const struct {
    irr_cli_exit_t (*make)(const irr_matrix_options_t *options, irr_matrix_t *matrix);
    irr_cli_exit_t (*show)(const irr_matrix_t *matrix, const char *path, FILE *stream);
} actions[] = {
    [GENERATE]     = { generate, NULL },
    [STATS]        = { irr_matrix_load, irr_matrix_stats },
    [DRAW]         = { irr_matrix_load, irr_matrix_draw },
    [CONVERT]      = { irr_matrix_load, NULL },
    [REDISTRIBUTE] = { redistribute, NULL },
    [PARTITION]    = { irr_matrix_partition, NULL }
};

static irr_cli_exit_t run(int command, const irr_matrix_options_t *options)
{
    irr_matrix_t matrix;
    irr_cli_exit_t code = command == DRAW ? irr_chart_check_name(options->output) : IRR_CLI_GOOD;
    irr_cli_output_t output;

    if (code == IRR_CLI_GOOD) {
        code = actions[command].make(options, &matrix);
    }
    if (code != IRR_CLI_GOOD) {
        return code;
    }
    if (actions[command].show == NULL) {
        code = irr_matrix_save(options, &matrix);
    } else {
        code = irr_cli_output_open(options->output, &output);
        if (code == IRR_CLI_GOOD) {
            code = actions[command].show(&matrix, options->operands[0], output.stream);
            code = irr_cli_output_close(&output, code);
        }
    }
    irr_matrix_fini(&matrix);
    return code;
}

int main(int argc, char **argv)
{
    irr_matrix_options_t options = { .seed = 1 };
    irr_cli_line_t line;
    irr_cli_exit_t code = irr_cli_read(&table, argc, argv, &options, &line);

    if (code != IRR_CLI_GOOD || line.done) {
        return irr_cli_exit(code);
    }
    irr_lines_take_pipes();
    options.name = commands[line.command].name;
    options.operands = line.operands;
    if (line.command == CONVERT) {
        options.output = line.operands[1];
    }
    return irr_cli_exit(run(line.command, &options));
}
