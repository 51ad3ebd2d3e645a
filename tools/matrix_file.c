/*
 * matrix_file.c - selects the kind of a count matrix file, by name or by option, and writes the output.
 */
#include "cli_output.h"
#include "matrix.h"

#include <string.h>

/* The suffixes of pattern files of UCC's benchmark, as in the examples of UCC, and of Matrix Market files. */
#define UCC_END ".ptini"
#define MTX_END ".mtx"

/* Returns the suffix of a file's name from the last dot on; an empty text if there is none. */
static const char *end_of(const char *path)
{
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    const char *dot = path != NULL ? strrchr(slash != NULL ? slash : path, '.') : NULL;

    return dot != NULL ? dot : "";
}

static irr_matrix_kind_t kind_of(irr_matrix_kind_t wanted, const char *path)
{
    if (wanted != IRR_MATRIX_BY_NAME) {
        return wanted;
    }
    return strcmp(end_of(path), UCC_END) == 0 ? IRR_MATRIX_UCC : IRR_MATRIX_MTX;
}

/* Returns true if the name of the output has a known suffix or none, or --to says its kind; else prints an error. */
static bool is_name_right(irr_matrix_kind_t wanted, const char *path)
{
    const char *end = end_of(path);

    if (wanted != IRR_MATRIX_BY_NAME || end[0] == '\0' || strcmp(end, MTX_END) == 0 || strcmp(end, UCC_END) == 0) {
        return true;
    }
    irr_cli_complain("%s: the name ends in neither " MTX_END " nor " UCC_END "; select the kind with --to mtx or "
                     "--to ucc", path);
    return false;
}

irr_cli_exit_t irr_matrix_load(const irr_matrix_options_t *options, irr_matrix_t *matrix)
{
    const char *path = options->operands[0];
    irr_file_error_t error = { 0 };
    irr_status_t status;

    if (kind_of(options->from, path) == IRR_MATRIX_UCC) {
        status = irr_matrix_read_ucc(path, options->collective, matrix, &error);
        return irr_cli_file_read(path, status, &error);
    }
    if (options->collective > 0) {
        return irr_cli_complain("--collective goes with ucc files only; %s is none", path);
    }
    return irr_cli_read_matrix(path, 0, NULL, matrix);
}

/* Writes the command line that made the matrix as text for a comment, without characters that could end its line. */
static void describe(const irr_matrix_options_t *options, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "irr_matrix %s", options->name);
    const char *slash = strrchr(options->operands[0], '/');
    const struct { const char *name; unsigned long long value, preset; } given[] = {
        { "--ranks", (unsigned)options->ranks, 0 }, { "-k", (unsigned)options->parts, 0 },
        { "--unit", options->unit, 0 }, { "--seed", options->seed, 1 }
    };

    used += (size_t)snprintf(text + used, size - used, " %.128s", slash != NULL ? slash + 1 : options->operands[0]);
    for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
        if (given[i].value != given[i].preset) {
            used += (size_t)snprintf(text + used, size - used, " %s %llu", given[i].name, given[i].value);
        }
    }
    for (char *c = text; *c != '\0'; c++) {
        *c = (unsigned char)*c < ' ' ? '?' : *c;
    }
}

irr_cli_exit_t irr_matrix_save(const irr_matrix_options_t *options, const irr_matrix_t *matrix)
{
    const char *name = options->output;
    const bool ucc = kind_of(options->to, name) == IRR_MATRIX_UCC;
    const uint64_t limit = ucc ? UINT32_MAX : INT64_MAX;
    const size_t cells = (size_t)matrix->ranks * (size_t)matrix->ranks;
    char comment[400];
    irr_cli_output_t output;

    if (!is_name_right(options->to, name)) {
        return IRR_CLI_REFUSED;
    }
    for (size_t i = 0; i < cells; i++) {
        if (matrix->entries[i] > limit) {
            return irr_cli_complain("entry (%zu, %zu) is %llu bytes; the file can hold at most %llu",
                                    i / (size_t)matrix->ranks + 1, i % (size_t)matrix->ranks + 1,
                                    (unsigned long long)matrix->entries[i], (unsigned long long)limit);
        }
    }
    if (irr_cli_output_open(name, &output) != IRR_CLI_GOOD) {
        return IRR_CLI_REFUSED;
    }
    describe(options, comment, sizeof(comment));
    if (ucc) {
        irr_matrix_write_ucc(matrix, comment, output.stream);
    } else {
        irr_matrix_write(matrix, comment, output.stream);
    }
    return irr_cli_output_close(&output, IRR_CLI_GOOD);
}
