/*
 * cli_matrix.c - count matrices of the tools: reads, makes, sums and scales them; see cli.h.
 */
#include "cli.h"

#include "problem/redistribution.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

irr_cli_exit_t irr_cli_read_matrix(const char *path, int ranks, const char *says, irr_matrix_t *matrix)
{
    irr_file_error_t error = { 0 };
    irr_status_t status = irr_matrix_read(path, matrix, &error);
    irr_cli_exit_t code = irr_cli_file_read(path, status, &error);

    if (code == IRR_CLI_GOOD && ranks > 0 && matrix->ranks != ranks) {
        irr_cli_complain("%s: matrix has %d rows, %s %d: they must be equal", path, matrix->ranks, says, ranks);
        irr_matrix_fini(matrix);
        return IRR_CLI_REFUSED;
    }
    return code;
}

irr_cli_exit_t irr_cli_redistribution(const char *text, int ranks_max, irr_redistribution_t *redistribution)
{
    irr_redistribution_t read = *redistribution;

    if (irr_redistribution_parse(text, &read) != IRR_OK) {
        return irr_cli_complain("redistribution '%.64s' is not x,p,y,q or x,p,y,q,N: positive integers, p and q below "
                                "2^31; N is required if lcm(xp, yq) is 2^64 or more", text);
    }
    if (read.p > ranks_max || read.q > ranks_max) {
        return irr_cli_complain("redistribution '%.64s' has more than %d ranks", text, ranks_max);
    }
    *redistribution = read;
    return IRR_CLI_GOOD;
}

irr_cli_exit_t irr_cli_redistribute(const char *text, const irr_redistribution_t *redistribution, irr_matrix_t *matrix)
{
    irr_status_t status = irr_redistribution_matrix(redistribution, matrix);

    if (status == IRR_ERR_BAD_PARAM) {
        return irr_cli_complain("redistribution '%.64s' with elements of %" PRIu64 " bytes has 0 bytes, or 2^63 or "
                                "more", text, redistribution->unit);
    }
    if (status == IRR_ERR_NOT_SUPPORTED) {
        return irr_cli_complain("redistribution '%.64s' would take too long; use a multiple of lcm(xp, yq) elements",
                                text);
    }
    return irr_cli_status(status, "redistribution '%.64s'", text);
}

uint64_t irr_cli_plus(uint64_t a, uint64_t b)
{
    return b < UINT64_MAX - a ? a + b : UINT64_MAX;
}

irr_cli_messages_t irr_cli_messages(const irr_matrix_t *matrix, bool self)
{
    irr_cli_messages_t messages = { 0 };

    for (int i = 0; i < matrix->ranks; i++) {
        for (int j = 0; j < matrix->ranks; j++) {
            const uint64_t bytes = i == j && !self ? 0 : *irr_matrix_at(matrix, i, j);

            messages.count += bytes > 0;
            messages.bytes = irr_cli_plus(messages.bytes, bytes);
            messages.longest = bytes > messages.longest ? bytes : messages.longest;
        }
    }
    return messages;
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

irr_cli_exit_t irr_cli_make_matrix(const char *pattern, int ranks, uint64_t unit, uint64_t seed, irr_matrix_t *matrix)
{
    irr_status_t status = irr_matrix_pattern(pattern, ranks, unit, seed, matrix);

    if (status == IRR_ERR_BAD_PARAM) {
        return irr_cli_complain("pattern %s overflows 64 bits with unit %" PRIu64 "; try a smaller unit", pattern,
                                unit);
    }
    return irr_cli_status(status, "pattern %s for %d ranks", pattern, ranks);
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
