/*
 * irr_matrix.c - makes count matrices, describes them, and changes their files; see matrix.h.
 */
#include "matrix.h"

#include "cli_options.h"
#include "problem/lines.h"
#include "problem/redistribution.h"

const char irr_cli_program[] = "irr_matrix";

/* Saves what a command made, and ends it. */
static irr_cli_exit_t save(const irr_matrix_options_t *options, irr_matrix_t *matrix)
{
    irr_cli_exit_t code = irr_matrix_save(options, NULL, matrix);

    irr_matrix_fini(matrix);
    return code;
}

static irr_cli_exit_t generate(const irr_matrix_options_t *options)
{
    const uint64_t unit = options->has_unit ? options->unit : 1024;
    irr_matrix_t matrix;
    irr_cli_exit_t code;

    if (irr_cli_find("pattern", options->operands[0], NULL, irr_pattern_name) < 0) {
        return IRR_CLI_REFUSED;
    }
    if (options->ranks == 0) {
        irr_cli_complain("--ranks is missing");
        return IRR_CLI_REFUSED;
    }
    code = irr_cli_make_matrix(options->operands[0], options->ranks, unit, options->seed, &matrix);
    return code == IRR_CLI_GOOD ? save(options, &matrix) : code;
}

/* Reads a matrix, and writes what a command has to say of it. */
static irr_cli_exit_t describe(const irr_matrix_options_t *options,
                               irr_cli_exit_t (*write)(const irr_matrix_t *, const char *, FILE *))
{
    irr_matrix_t matrix;
    irr_cli_exit_t code = irr_matrix_load(options, options->operands[0], &matrix), closed;
    FILE *stream;

    if (code != IRR_CLI_GOOD) {
        return code;
    }
    stream = irr_matrix_open_output(options->output);
    code = stream != NULL ? write(&matrix, options->operands[0], stream) : IRR_CLI_REFUSED;
    irr_matrix_fini(&matrix);
    closed = stream != NULL ? irr_matrix_close_output(stream, options->output) : IRR_CLI_REFUSED;
    return code != IRR_CLI_GOOD ? code : closed;
}

static irr_cli_exit_t stats(const irr_matrix_options_t *options)
{
    return describe(options, irr_matrix_stats);
}

static irr_cli_exit_t draw(const irr_matrix_options_t *options)
{
    return describe(options, irr_matrix_draw);
}

static irr_cli_exit_t convert(const irr_matrix_options_t *options)
{
    irr_matrix_t matrix;
    irr_cli_exit_t code = irr_matrix_load(options, options->operands[0], &matrix);

    if (code == IRR_CLI_GOOD) {
        code = irr_matrix_save(options, options->operands[1], &matrix);
        irr_matrix_fini(&matrix);
    }
    return code;
}

static irr_cli_exit_t redistribute(const irr_matrix_options_t *options)
{
    const char *text = options->operands[0];
    irr_redistribution_t redistribution = { .unit = options->has_unit ? options->unit : 8 };
    irr_cli_exit_t code = irr_cli_redistribution(text, IRR_MATRIX_RANKS_MAX, &redistribution);
    irr_matrix_t matrix;

    code = code == IRR_CLI_GOOD ? irr_cli_redistribute(text, &redistribution, &matrix) : code;
    return code == IRR_CLI_GOOD ? save(options, &matrix) : code;
}

static irr_cli_exit_t partition(const irr_matrix_options_t *options)
{
    irr_matrix_t matrix;
    irr_cli_exit_t code = irr_matrix_partition(options, &matrix);

    return code == IRR_CLI_GOOD ? save(options, &matrix) : code;
}

const irr_matrix_command_t *irr_matrix_command_at(int i)
{
    static const irr_matrix_command_t commands[] = {
        { "generate", "PATTERN", 1, " ranks unit seed to output ", "the matrix of a pattern (below)", generate },
        { "stats", "FILE", 1, " from collective output ", "what a matrix is like, one key=value a line", stats },
        { "draw", "FILE", 1, " from collective output ", "a matrix as a heat map, SVG", draw },
        { "convert", "IN OUT", 2, " from to collective ", "the same matrix in another kind of file", convert },
        { "redistribute", "x,p,y,q[,N]", 1, " unit to output ",
          "N elements (default: a slice), cyclic(x) on p ranks to cyclic(y) on q", redistribute },
        { "partition", "GRAPH", 1, " parts unit seed to output ",
          "the halo exchange of a METIS graph file, cut in parts", partition },
    };

    return i >= 0 && i < (int)(sizeof(commands) / sizeof(commands[0])) ? &commands[i] : NULL;
}

int main(int argc, char **argv)
{
    irr_matrix_options_t options;
    irr_cli_exit_t code = irr_matrix_options_read(argc, argv, &options);

    irr_lines_take_pipes();
    if (code != IRR_CLI_GOOD || options.command == NULL) {
        return (int)code;
    }
    return (int)options.command->run(&options);
}
