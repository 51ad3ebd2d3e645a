/*
 * cli.c - see cli.h.
 */
#include "cli.h"

#include "core/random.h"
#include "problem/redistribution.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void irr_cli_complain(const char *format, ...)
{
    char line[768];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    for (char *c = line; *c != '\0'; c++) {
        *c = (unsigned char)*c < ' ' ? '?' : *c;
    }
    fprintf(stderr, "%s: %s\n", irr_cli_program, line);
}

bool irr_cli_digits(const char *text, size_t length, uint64_t min, uint64_t max, uint64_t *value_p)
{
    uint64_t value = 0;

    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(text[i] - '0'), &value)) {
            return false;
        }
    }
    if (length == 0 || value < min || value > max) {
        return false;
    }
    *value_p = value;
    return true;
}

irr_cli_exit_t irr_cli_number(const char *name, const char *text, uint64_t min, uint64_t max, uint64_t *value_p)
{
    if (!irr_cli_digits(text, strlen(text), min, max, value_p)) {
        irr_cli_complain("--%s '%.64s' is not an integer from %" PRIu64 " to %" PRIu64, name, text, min, max);
        return IRR_CLI_REFUSED;
    }
    return IRR_CLI_GOOD;
}

bool irr_cli_size_digits(const char *text, size_t length, uint64_t min, uint64_t max, uint64_t *value_p)
{
    static const char suffixes[] = "kmg";
    const char *suffix = length > 0 ? memchr(suffixes, text[length - 1] | ' ', strlen(suffixes)) : NULL;
    const int shift = suffix != NULL ? 10 * (int)(suffix - suffixes + 1) : 0;
    uint64_t value;

    if (!irr_cli_digits(text, length - (suffix != NULL), 0, UINT64_MAX >> shift, &value)) {
        return false;
    }
    value <<= shift;
    if (value < min || value > max) {
        return false;
    }
    *value_p = value;
    return true;
}

irr_cli_exit_t irr_cli_size(const char *name, const char *text, uint64_t min, uint64_t max, uint64_t *value_p)
{
    if (!irr_cli_size_digits(text, strlen(text), min, max, value_p)) {
        irr_cli_complain("--%s '%.64s' is not an integer from %" PRIu64 " to %" PRIu64 ", with k, m or g behind it or "
                         "nothing", name, text, min, max);
        return IRR_CLI_REFUSED;
    }
    return IRR_CLI_GOOD;
}

irr_cli_exit_t irr_cli_int(const char *name, const char *text, int min, int max, int *value_p)
{
    uint64_t value = 0;
    irr_cli_exit_t code = irr_cli_number(name, text, (uint64_t)min, (uint64_t)max, &value);

    if (code == IRR_CLI_GOOD) {
        *value_p = (int)value;
    }
    return code;
}

irr_cli_exit_t irr_cli_scale(const char *text, double *scale_p)
{
    char *end;
    double scale = strtod(text, &end);

    if (end == text || *end != '\0' || !isfinite(scale) || scale <= 0) {
        irr_cli_complain("--scale '%.64s' is not a number above 0", text);
        return IRR_CLI_REFUSED;
    }
    *scale_p = scale;
    return IRR_CLI_GOOD;
}

int irr_cli_find(const char *kind, const char *name, const char *beside, const char *(*known)(int i))
{
    char text[512] = "";
    size_t used = 0;

    for (int i = 0; known(i) != NULL; i++) {
        if (strcmp(known(i), name) == 0) {
            return i;
        }
        if (used < sizeof(text)) {
            used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i > 0 ? ", " : "", known(i));
        }
    }
    irr_cli_complain("unknown %s '%.64s', known are %s%s%s", kind, name, beside != NULL ? beside : "",
                     beside != NULL ? ", " : "", text);
    return -1;
}

void irr_cli_take_name(const char **list, char *name, size_t size)
{
    const size_t length = strcspn(*list, ",");

    snprintf(name, size, "%.*s", (int)length, *list);
    *list = (*list)[length] == ',' ? *list + length + 1 : NULL;
}

irr_cli_exit_t irr_cli_file_read(const char *path, irr_status_t status, const irr_file_error_t *error)
{
    if (status != IRR_OK && error->line > 0) {
        irr_cli_complain("%.256s:%zu: %s", path, error->line, error->reason);
    } else if (status != IRR_OK) {
        irr_cli_complain("%.256s: %s", path, error->reason);
    }
    return status == IRR_OK ? IRR_CLI_GOOD : IRR_CLI_REFUSED;
}

irr_cli_exit_t irr_cli_read_matrix(const char *path, irr_matrix_t *matrix)
{
    irr_file_error_t error = { 0 };
    irr_status_t status = irr_matrix_read(path, matrix, &error);

    return irr_cli_file_read(path, status, &error);
}

irr_cli_exit_t irr_cli_read_job_matrix(const char *path, int ranks, irr_matrix_t *matrix)
{
    irr_cli_exit_t code = irr_cli_read_matrix(path, matrix);

    if (code == IRR_CLI_GOOD && matrix->ranks != ranks) {
        irr_cli_complain("%.256s: matrix has %d rows, the job has %d ranks: they must be equal", path,
                         matrix->ranks, ranks);
        irr_matrix_fini(matrix);
        return IRR_CLI_REFUSED;
    }
    return code;
}

irr_cli_exit_t irr_cli_redistribution(const char *text, int ranks_max, irr_redistribution_t *redistribution)
{
    irr_redistribution_t read = *redistribution;

    if (irr_redistribution_parse(text, &read) != IRR_OK) {
        irr_cli_complain("redistribution '%.64s' is not x,p,y,q or x,p,y,q,N: integers from 1, p and q below "
                         "2^31, no N only where lcm(xp, yq) is below 2^64", text);
        return IRR_CLI_REFUSED;
    }
    if (read.p > ranks_max || read.q > ranks_max) {
        irr_cli_complain("redistribution '%.64s' has more than %d ranks", text, ranks_max);
        return IRR_CLI_REFUSED;
    }
    *redistribution = read;
    return IRR_CLI_GOOD;
}

irr_cli_exit_t irr_cli_redistribute(const char *text, const irr_redistribution_t *redistribution,
                                    irr_matrix_t *matrix)
{
    irr_status_t status = irr_redistribution_matrix(redistribution, matrix);

    if (status == IRR_ERR_BAD_PARAM) {
        irr_cli_complain("redistribution '%.64s' with elements of %" PRIu64 " bytes has none, or 2^63 and more",
                         text, redistribution->unit);
    } else if (status == IRR_ERR_NOT_SUPPORTED) {
        irr_cli_complain("redistribution '%.64s' takes too long; a multiple of lcm(xp, yq) elements does not",
                         text);
    } else if (status != IRR_OK) {
        irr_cli_complain("redistribution '%.64s': %s", text, irr_status_text(status));
    }
    return status == IRR_OK ? IRR_CLI_GOOD : IRR_CLI_REFUSED;
}

uint64_t irr_cli_plus(uint64_t a, uint64_t b)
{
    return b < UINT64_MAX - a ? a + b : UINT64_MAX;
}

uint64_t irr_cli_sum(const irr_matrix_t *matrix, int i, bool row)
{
    uint64_t bytes = 0;

    for (int j = 0; j < matrix->ranks; j++) {
        bytes = irr_cli_plus(bytes, row ? *irr_matrix_at(matrix, i, j) : *irr_matrix_at(matrix, j, i));
    }
    return bytes;
}

uint64_t irr_cli_lmax(const irr_matrix_t *matrix)
{
    uint64_t lmax = 0;

    for (int i = 0; i < matrix->ranks; i++) {
        uint64_t out = irr_cli_sum(matrix, i, true), in = irr_cli_sum(matrix, i, false);

        lmax = out > lmax ? out : lmax;
        lmax = in > lmax ? in : lmax;
    }
    return lmax;
}

irr_cli_exit_t irr_cli_make_matrix(const char *pattern, int ranks, uint64_t unit, uint64_t seed,
                                   irr_matrix_t *matrix)
{
    irr_status_t status = irr_matrix_pattern(pattern, ranks, unit, seed, matrix);

    if (status == IRR_ERR_BAD_PARAM) {
        irr_cli_complain("pattern %s overflows 64 bits with unit %" PRIu64 "; try a smaller one", pattern, unit);
    } else if (status != IRR_OK) {
        irr_cli_complain("pattern %s for %d ranks: %s", pattern, ranks, irr_status_text(status));
    }
    return status == IRR_OK ? IRR_CLI_GOOD : IRR_CLI_REFUSED;
}

bool irr_cli_is_symmetric(const irr_matrix_t *matrix, int *low_p, int *high_p)
{
    for (int low = 0; low < matrix->ranks; low++) {
        for (int high = low + 1; high < matrix->ranks; high++) {
            if (*irr_matrix_at(matrix, low, high) != *irr_matrix_at(matrix, high, low)) {
                *low_p = low;
                *high_p = high;
                return false;
            }
        }
    }
    return true;
}

void irr_cli_shuffle(int *order, int count, uint64_t *state)
{
    for (int i = 0; i < count; i++) {
        const size_t at = irr_random_below(state, (size_t)i + 1);

        order[i] = order[at];
        order[at] = i;
    }
}

uint64_t irr_cli_scaled(uint64_t bytes, double scale)
{
    double product = nearbyint((double)bytes * scale);

    if (bytes == 0 || scale == 1) {
        return bytes;
    }
    if (product < 1) {
        return 1;
    }
    return product < (double)UINT64_MAX ? (uint64_t)product : UINT64_MAX;
}
