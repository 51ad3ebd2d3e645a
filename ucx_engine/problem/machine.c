/* machine.c - reads the constants of a machine; see machine.h.  One table has their names, ranges and fields. */
#include "problem/machine.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#define LINE_BYTES 1024
#define COMMENT    "#"

typedef struct constant {
    const char *name, *text;
    uint64_t    least, most;
    size_t      offset;   /* offset of its member in irr_machine_t */
    bool        must;     /* true: each file must contain the constant */
} constant_t;

#define ROW(field, preset, must, least, most, text) \
    { #field, text, least, most, offsetof(irr_machine_t, field), must },
static const constant_t constants[] = { IRR_MACHINE_MAP(ROW) };
#undef ROW

enum { CONSTANTS = sizeof(constants) / sizeof(constants[0]) };

static uint64_t *field_of(irr_machine_t *machine, int i)
{
    return (uint64_t *)((char *)machine + constants[i].offset);
}

const char *irr_machine_name(int i)
{
    return i >= 0 && i < CONSTANTS ? constants[i].name : NULL;
}

const char *irr_machine_text(int i)
{
    return i >= 0 && i < CONSTANTS ? constants[i].text : NULL;
}

/* Returns the row of a name in the table, or CONSTANTS if the name is unknown. */
static int find(const char *name)
{
    int i = 0;

    while (i < CONSTANTS && strcmp(constants[i].name, name) != 0) {
        i++;
    }
    return i;
}

static irr_status_t refuse_name(const irr_lines_t *lines, const char *name)
{
    char names[160] = "";

    for (int i = 0; i < CONSTANTS; i++) {
        const size_t used = strlen(names);

        snprintf(names + used, sizeof(names) - used, "%s%s", i > 0 ? ", " : "", constants[i].name);
    }
    return irr_lines_refuse(lines, IRR_ERR_FORMAT, "constant '%.20s' is none of %s", name, names);
}

/* Reads a line.  lines_of[i]: number of the line of constant i; 0: the constant was not read yet. */
static irr_status_t read_line(irr_lines_t *lines, size_t *lines_of, irr_machine_t *machine)
{
    char *words[2];
    size_t found;
    int i;

    lines->text[strcspn(lines->text, COMMENT)] = '\0';
    found = irr_lines_split(lines, words, 2);
    i = find(words[0]);
    if (strcmp(words[0], "flag") == 0) {
        return IRR_OK;   /* written by irr_tune 0.1 and 0.2, unused since */
    }
    if (i == CONSTANTS) {
        return refuse_name(lines, words[0]);
    }
    if (found != 2) {
        return irr_lines_refuse(lines, IRR_ERR_FORMAT, "%s has %zu values, it must have one, an integer from %" PRIu64
                                " to %" PRIu64, words[0], found - 1, constants[i].least, constants[i].most);
    }
    if (lines_of[i] > 0) {
        return irr_lines_refuse(lines, IRR_ERR_FORMAT, "%s '%.32s': line %zu already has this constant", words[0],
                                words[1], lines_of[i]);
    }
    lines_of[i] = lines->line;
    return irr_lines_number(lines, constants[i].name, words[1], constants[i].least, constants[i].most,
                            field_of(machine, i));
}

static irr_status_t check_all(irr_lines_t *lines, const size_t *lines_of)
{
    lines->line = 0;
    for (int i = 0; i < CONSTANTS; i++) {
        if (lines_of[i] == 0 && constants[i].must) {
            return irr_lines_refuse(lines, IRR_ERR_FORMAT, "has no %s, an integer from %" PRIu64 " to %" PRIu64 " (%s)",
                                    constants[i].name, constants[i].least, constants[i].most, constants[i].text);
        }
    }
    return IRR_OK;
}

static irr_status_t read_all(irr_lines_t *lines, irr_machine_t *machine)
{
    size_t lines_of[CONSTANTS] = { 0 };
    irr_status_t status = irr_lines_next_data(lines, COMMENT);

    while (status == IRR_OK && !lines->at_end) {
        status = read_line(lines, lines_of, machine);
        status = status == IRR_OK ? irr_lines_next_data(lines, COMMENT) : status;
    }
    return status == IRR_OK ? check_all(lines, lines_of) : status;
}

/*
 * Rejects a file of more than IRR_MACHINE_BYTES_MAX bytes, which cannot be a machine file; reading it would delay the
 * job.
 */
static irr_status_t check_length(const irr_lines_t *lines)
{
    struct stat found;

    if (fstat(fileno(lines->stream), &found) != 0) {
        return irr_lines_refuse(lines, IRR_ERR_IO, "%s", strerror(errno));
    }
    if (found.st_size > IRR_MACHINE_BYTES_MAX) {
        return irr_lines_refuse(lines, IRR_ERR_FORMAT, "is %lld bytes long, at most %d are allowed",
                                (long long)found.st_size, IRR_MACHINE_BYTES_MAX);
    }
    return IRR_OK;
}

irr_status_t irr_machine_read(const char *path, irr_machine_t *machine, irr_file_error_t *error)
{
    char text[LINE_BYTES];
    irr_machine_t read = IRR_MACHINE_DEFAULT;
    irr_lines_t lines;
    irr_status_t status = irr_lines_open(&lines, path, text, sizeof(text), error);

    if (status != IRR_OK) {
        return status;
    }
    status = check_length(&lines);
    status = status == IRR_OK ? read_all(&lines, &read) : status;
    irr_lines_close(&lines);
    if (status == IRR_OK) {
        *machine = read;
    }
    return status;
}
