/*
 * schedule_file.c - reads and writes schedule files; see schedule_file.h.
 *
 * A file is not trusted.  Each number is checked when it is read.  After the last line irr_schedule_check_alone checks
 * the rules of schedules; if a transmission breaks a rule, the error names its line.  The second line of a file
 * announces the number of transmissions.  Memory is allocated for the lines that were read, not for the announced
 * number.
 *
 * Reading takes O(n log n) for n transmissions, and so does writing, which checks the schedule first.
 */
#include "order/schedule_file.h"

#include "core/alloc.h"
#include "problem/lines.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

#define NAME       "irr_schedule"
#define VERSION    "1"
#define END        "end"
#define COMMENT    "#"
#define LINE_BYTES 1024

typedef struct reader {
    irr_lines_t    lines;
    irr_schedule_t schedule;
    uint64_t       announced;   /* number of transmissions that the file announces */
    size_t        *line_of;     /* number of the line of each transmission, for faults that are found after the last
                                   line */
    size_t         max;
} reader_t;

/* Name and range of a word of a line. */
typedef struct field {
    const char *what;
    uint64_t    min, max;
} field_t;

#define WORDS_MAX 6

/* Reads `count` numbers of the current line, and one more if `optional` is not NULL and the line has it. */
static irr_status_t read_numbers(irr_lines_t *lines, const field_t *fields, size_t count, const field_t *optional,
                                 uint64_t *values)
{
    char *words[WORDS_MAX];
    size_t found = irr_lines_split(lines, words, count + (optional != NULL));
    irr_status_t status = IRR_OK;

    if (optional != NULL && found == count + 1) {
        status = irr_lines_number(lines, optional->what, words[count], optional->min, optional->max, &values[count]);
    } else if (found != count) {
        return irr_lines_refuse(lines, IRR_ERR_FORMAT, "line has %zu words, but must have %zu: %s to %s",
                                found, count, fields[0].what, fields[count - 1].what);
    }
    for (size_t i = 0; status == IRR_OK && i < count; i++) {
        status = irr_lines_number(lines, fields[i].what, words[i], fields[i].min, fields[i].max, &values[i]);
    }
    return status;
}

static irr_status_t read_head(irr_lines_t *lines)
{
    char *words[2];
    irr_status_t status = irr_lines_next(lines);

    if (status != IRR_OK) {
        return status;
    }
    if (irr_lines_split(lines, words, 2) != 2 || strcmp(words[0], NAME) != 0) {
        return irr_lines_refuse(lines, IRR_ERR_FORMAT, "first line is not '" NAME " " VERSION "'");
    }
    if (strcmp(words[1], VERSION) != 0) {
        return irr_lines_refuse(lines, IRR_ERR_FORMAT, "version of the file is '%.32s'; only version " VERSION
                                " is read", words[1]);
    }
    return IRR_OK;
}

static irr_status_t read_size(reader_t *reader)
{
    static const field_t fields[] = {
        { "number of ranks", 1, IRR_MATRIX_RANKS_MAX }, { "number of steps", 0, INT_MAX },
        { "number of transmissions", 0, UINT32_MAX }
    };
    enum { RANKS, STEPS, TRANSMISSIONS, FIELDS };
    uint64_t values[FIELDS];
    irr_status_t status = irr_lines_next_data(&reader->lines, COMMENT);

    if (status == IRR_OK && reader->lines.at_end) {
        status = irr_lines_refuse(&reader->lines, IRR_ERR_FORMAT,
                                  "file ends before the line with ranks, steps and transmissions");
    }
    if (status == IRR_OK) {
        status = read_numbers(&reader->lines, fields, FIELDS, NULL, values);
    }
    if (status == IRR_OK) {
        reader->schedule.ranks = (int)values[RANKS];
        reader->schedule.steps = (int)values[STEPS];
        reader->announced = values[TRANSMISSIONS];
    }
    return status;
}

static irr_status_t add(reader_t *reader, irr_transmission_t transmission)
{
    const size_t count = reader->schedule.count;
    irr_status_t status = IRR_GROW(reader->line_of, reader->max, count + 1);

    if (status == IRR_OK) {
        status = irr_schedule_add(&reader->schedule, transmission);
    }
    if (status != IRR_OK) {
        return irr_lines_refuse(&reader->lines, status, "not enough memory for %zu transmissions", count + 1);
    }
    reader->line_of[count] = reader->lines.line;
    return IRR_OK;
}

static irr_status_t read_transmission(reader_t *reader)
{
    const uint64_t last = (uint64_t)reader->schedule.ranks - 1;
    const field_t fields[] = {
        { "step", 1, (uint64_t)reader->schedule.steps }, { "sender", 0, last }, { "receiver", 0, last },
        { "offset", 0, INT64_MAX }, { "length", 1, INT64_MAX }
    };
    enum { STEP, FROM, TO, OFFSET, LENGTH, FIELDS };
    const field_t more = { "number of further steps", 1, (uint64_t)reader->schedule.steps };
    uint64_t values[FIELDS + 1] = { 0 };
    irr_status_t status = read_numbers(&reader->lines, fields, FIELDS, &more, values);

    return status != IRR_OK ? status : add(reader, (irr_transmission_t){
        .step = (int)values[STEP], .from = (int)values[FROM], .to = (int)values[TO], .offset = values[OFFSET],
        .length = values[LENGTH], .more = (int)values[FIELDS] });
}

/* Reads the announced transmissions. */
static irr_status_t read_list(reader_t *reader)
{
    irr_lines_t *lines = &reader->lines;
    irr_status_t status = IRR_OK;

    for (uint64_t i = 0; status == IRR_OK && i < reader->announced; i++) {
        status = irr_lines_next_data(lines, COMMENT);
        if (status == IRR_OK && lines->at_end) {
            return irr_lines_refuse(lines, IRR_ERR_FORMAT, "file ends after %" PRIu64 " of the %" PRIu64
                                    " announced transmissions", i, reader->announced);
        }
        status = status == IRR_OK ? read_transmission(reader) : status;
    }
    return status;
}

static irr_status_t read_end(irr_lines_t *lines)
{
    char *word;
    irr_status_t status = irr_lines_next_data(lines, COMMENT);

    if (status != IRR_OK) {
        return status;
    }
    if (lines->at_end || irr_lines_split(lines, &word, 1) != 1 || strcmp(word, END) != 0) {
        return irr_lines_refuse(lines, IRR_ERR_FORMAT,
                                "the line '" END "' is missing after the announced transmissions");
    }
    status = irr_lines_next_data(lines, COMMENT);
    if (status == IRR_OK && !lines->at_end) {
        status = irr_lines_refuse(lines, IRR_ERR_FORMAT, "a line follows the line '" END "'");
    }
    return status;
}

static irr_status_t check(reader_t *reader)
{
    irr_schedule_fault_t fault;
    irr_status_t status = irr_schedule_check_alone(&reader->schedule, &fault);

    if (status == IRR_ERR_INVALID_PLAN) {
        reader->lines.line = fault.index < reader->schedule.count ? reader->line_of[fault.index] : 0;
        return irr_lines_refuse(&reader->lines, IRR_ERR_FORMAT, "%s", fault.reason);
    }
    return status == IRR_OK ? IRR_OK
                            : irr_lines_refuse(&reader->lines, status, "not enough memory to check the schedule");
}

static irr_status_t read_all(reader_t *reader)
{
    irr_status_t status = read_head(&reader->lines);

    if (status == IRR_OK) {
        status = read_size(reader);
    }
    if (status == IRR_OK) {
        status = read_list(reader);
    }
    if (status == IRR_OK) {
        status = read_end(&reader->lines);
    }
    return status == IRR_OK ? check(reader) : status;
}

/*
 * If the schedule has transmissions of several steps, sets `merged` to its makespan.  The makespan before the
 * transmissions were merged may have been longer, but the file does not contain it.
 */
static irr_status_t set_makespan(irr_schedule_t *schedule, irr_file_error_t *error)
{
    irr_step_time_t *times;
    irr_status_t status;
    bool merged = false;

    for (size_t i = 0; i < schedule->count; i++) {
        merged = merged || schedule->list[i].more > 0;
    }
    if (!merged) {
        return IRR_OK;
    }
    times = irr_alloc(schedule->count, sizeof(*times));
    status = times != NULL ? irr_schedule_times(schedule, times, &schedule->merged) : IRR_ERR_NO_MEMORY;
    irr_free(times);
    if (status != IRR_OK) {
        *error = (irr_file_error_t){ .reason = "not enough memory to compute the time of the schedule" };
    }
    return status;
}

irr_status_t irr_schedule_read(const char *path, irr_schedule_t *schedule, irr_file_error_t *error)
{
    reader_t reader = { .announced = 0 };
    char text[LINE_BYTES];
    irr_status_t status = irr_lines_open(&reader.lines, path, text, sizeof(text), error);

    if (status != IRR_OK) {
        return status;
    }
    status = read_all(&reader);
    irr_lines_close(&reader.lines);
    irr_free(reader.line_of);
    if (status == IRR_OK) {
        status = set_makespan(&reader.schedule, error);
    }
    if (status != IRR_OK) {
        irr_schedule_fini(&reader.schedule);
        return status;
    }
    *schedule = reader.schedule;
    return IRR_OK;
}

static bool is_comment(const char *text)
{
    return strchr(text, '\n') == NULL && strlen(text) <= LINE_BYTES - sizeof(COMMENT " ");
}

/* Checks that a reader would accept the file. */
static irr_status_t check_readable(const irr_schedule_t *schedule, const char *comment)
{
    irr_schedule_fault_t fault;
    irr_status_t status;

    if (schedule->ranks < 1 || schedule->ranks > IRR_MATRIX_RANKS_MAX || schedule->count > UINT32_MAX ||
        (comment != NULL && !is_comment(comment))) {
        return IRR_ERR_BAD_PARAM;
    }
    status = irr_schedule_check_alone(schedule, &fault);
    return status == IRR_ERR_INVALID_PLAN ? IRR_ERR_BAD_PARAM : status;
}

irr_status_t irr_schedule_write(const irr_schedule_t *schedule, const char *comment, FILE *stream)
{
    irr_status_t status = check_readable(schedule, comment);

    if (status != IRR_OK) {
        return status;
    }
    fprintf(stream, NAME " " VERSION "\n");
    if (comment != NULL) {
        fprintf(stream, COMMENT " %s\n", comment);
    }
    fprintf(stream, "%d %d %zu\n", schedule->ranks, schedule->steps, schedule->count);
    for (size_t i = 0; i < schedule->count; i++) {
        const irr_transmission_t *t = &schedule->list[i];

        fprintf(stream, "%d %d %d %" PRIu64 " %" PRIu64, t->step, t->from, t->to, t->offset, t->length);
        if (t->more > 0) {
            fprintf(stream, " %d", t->more);
        }
        fputc('\n', stream);
    }
    fprintf(stream, END "\n");
    return ferror(stream) ? IRR_ERR_IO : IRR_OK;
}
