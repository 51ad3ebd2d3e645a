/*
 * cli.c - error messages, numbers and names of the tools; see cli.h.
 */
#include "cli.h"

#include "core/log.h"
#include "core/random.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A text may quote two arguments of the command line, and Linux allows arguments of up to 128 KiB. */
enum { TEXT_MAX = 1 << 19, LINE_MAX_BYTES = 1024 };

/* Prints a text, and behind it the cause unless it is NULL. */
static void print(const char *format, va_list arguments, const char *cause)
{
    static char text[TEXT_MAX];
    char line[LINE_MAX_BYTES];
    size_t length;

    vsnprintf(text, sizeof(text), format, arguments);
    length = strlen(text);
    snprintf(text + length, sizeof(text) - length, "%s%s", cause != NULL ? ": " : "", cause != NULL ? cause : "");
    irr_log_fit(line, sizeof(line), text);
    for (char *c = line; *c != '\0'; c++) {
        *c = (unsigned char)*c < ' ' ? '?' : *c;
    }
    fprintf(stderr, "%s: %s\n", irr_cli_program, line);
}

irr_cli_exit_t irr_cli_complain(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print(format, arguments, NULL);
    va_end(arguments);
    return IRR_CLI_REFUSED;
}

irr_cli_exit_t irr_cli_fail(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print(format, arguments, NULL);
    va_end(arguments);
    return IRR_CLI_FAILED;
}

int irr_cli_exit(irr_cli_exit_t code)
{
    return code == IRR_CLI_FAILED ? IRR_CLI_WRONG : (int)code;
}

irr_cli_exit_t irr_cli_status(irr_status_t status, const char *format, ...)
{
    va_list arguments;

    if (status == IRR_OK) {
        return IRR_CLI_GOOD;
    }
    va_start(arguments, format);
    print(format, arguments, irr_status_text(status));
    va_end(arguments);
    return status == IRR_ERR_NO_MEMORY ? IRR_CLI_FAILED : IRR_CLI_REFUSED;
}

bool irr_cli_size_digits(const char *text, size_t length, uint64_t min, uint64_t max, uint64_t *value_p)
{
    static const char suffixes[] = "kmg";
    const char *suffix = length > 0 ? memchr(suffixes, text[length - 1] | ' ', strlen(suffixes)) : NULL;
    const int shift = suffix != NULL ? 10 * (int)(suffix - suffixes + 1) : 0;
    uint64_t value;

    if (!irr_lines_digits(text, length - (suffix != NULL), 0, UINT64_MAX >> shift, &value)) {
        return false;
    }
    value <<= shift;
    if (value < min || value > max) {
        return false;
    }
    *value_p = value;
    return true;
}

int irr_cli_find(const char *kind, const char *name, const char *beside, const char *(*known)(int i))
{
    const char *newer = irr_algorithm_newer(name);
    char text[512] = "";
    size_t used = 0;

    for (int i = 0; known(i) != NULL; i++) {
        if (strcasecmp(known(i), newer) == 0) {
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
    if (status == IRR_OK) {
        return IRR_CLI_GOOD;
    }
    return error->line > 0 ? irr_cli_complain("%s:%zu: %s", path, error->line, error->reason)
                           : irr_cli_complain("%s: %s", path, error->reason);
}

void irr_cli_shuffle(int *order, int count, uint64_t *state)
{
    for (int i = 0; i < count; i++) {
        const size_t at = irr_random_below(state, (size_t)i + 1);

        order[i] = order[at];
        order[at] = i;
    }
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

void irr_cli_sort(double *values, int count)
{
    qsort(values, (size_t)count, sizeof(*values), compare);
}
