/*
 * irr_matrix.c - makes count matrices, describes them, and converts their files; see matrix.h.
 */
#include "matrix.h"

#include "problem/lines.h"
#include "problem/redistribution.h"

const char irr_cli_program[] = "irr_matrix";

/* Saves a matrix that a command made, and releases it. */
static irr_cli_exit_t save(const irr_matrix_options_t *options, irr_matrix_t *matrix)
{
    irr_cli_exit_t code = irr_matrix_save(options, NULL, matrix);

    irr_matrix_fini(matrix);
    return code;
}

static irr_cli_exit_t generate(const irr_matrix_options_t *options)
{
    irr_matrix_t matrix;
    irr_cli_exit_t code;

    if (irr_cli_find("pattern", options->operands[0], NULL, irr_pattern_name) < 0) {
        return IRR_CLI_REFUSED;
    }
    if (options->ranks == 0) {
        return irr_cli_complain("--ranks is missing");
    }
    code = irr_cli_make_matrix(options->operands[0], options->ranks, options->unit > 0 ? options->unit : 1024,
                               options->seed, &matrix);
    return code == IRR_CLI_GOOD ? save(options, &matrix) : code;
}

/* Reads a matrix and writes a command's description of it. */
static irr_cli_exit_t describe(const irr_matrix_options_t *options,
                               irr_cli_exit_t (*write)(const irr_matrix_t *, const char *, FILE *))
{
    irr_matrix_t matrix;
    irr_cli_exit_t code = irr_matrix_load(options, options->operands[0], &matrix);
    FILE *stream;

    if (code != IRR_CLI_GOOD) {
        return code;
    }
    stream = irr_cli_output_open(options->output);
    if (stream != NULL) {
        code = write(&matrix, options->operands[0], stream);
        code = irr_cli_output_end(stream, options->output, code);
    } else {
        code = IRR_CLI_REFUSED;
    }
    irr_matrix_fini(&matrix);
    return code;
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
    irr_redistribution_t redistribution = { .unit = options->unit > 0 ? options->unit : 8 };
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

int main(int argc, char **argv)
{
    irr_matrix_options_t options;
    irr_cli_exit_t code = irr_matrix_options_read(argc, argv, &options);

    irr_lines_take_pipes();
    if (code != IRR_CLI_GOOD) {
        return (int)code;
    }
    switch (options.command) {
    case IRR_MATRIX_GENERATE:     return (int)generate(&options);
    case IRR_MATRIX_STATS:        return (int)describe(&options, irr_matrix_stats);
    case IRR_MATRIX_DRAW:         return (int)describe(&options, irr_matrix_draw);
    case IRR_MATRIX_CONVERT:      return (int)convert(&options);
    case IRR_MATRIX_REDISTRIBUTE: return (int)redistribute(&options);
    case IRR_MATRIX_PARTITION:    return (int)partition(&options);
    case IRR_MATRIX_NOTHING:      break;
    }
    return IRR_CLI_GOOD;
}
