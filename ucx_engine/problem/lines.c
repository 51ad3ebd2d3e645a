/* lines.c - reads untrusted text files line by line; see lines.h.  The time is linear in the length of the file. */
#include "problem/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool pipes;

void irr_lines_take_pipes(void)
{
    pipes = true;
}

static irr_status_t refuse_kind(const irr_lines_t *lines, const char *kind)
{
    return irr_lines_refuse(lines, IRR_ERR_IO, "is %s; only a regular file%s is read", kind,
                            pipes ? " or a pipe" : "");
}

/*
 * Refuses a pipe that has no writer: its first read returns EOF.  The file was opened with O_NONBLOCK; if the pipe has
 * a writer, later reads block.
 */
static irr_status_t open_pipe(irr_lines_t *lines)
{
    const int first = getc(lines->stream);

    if (first == EOF && !ferror(lines->stream)) {
        return irr_lines_refuse(lines, IRR_ERR_IO, "is an empty pipe without a writer");
    }
    clearerr(lines->stream);
    if (first != EOF) {
        ungetc(first, lines->stream);
    }
    return fcntl(fileno(lines->stream), F_SETFL, 0) == 0 ? IRR_OK
                                                        : irr_lines_refuse(lines, IRR_ERR_IO, "%s", strerror(errno));
}

static irr_status_t check_kind(irr_lines_t *lines)
{
    struct stat found;

    if (fstat(fileno(lines->stream), &found) != 0) {
        return irr_lines_refuse(lines, IRR_ERR_IO, "%s", strerror(errno));
    }
    switch (found.st_mode & S_IFMT) {
    case S_IFREG: return IRR_OK;
    case S_IFIFO: return pipes ? open_pipe(lines) : refuse_kind(lines, "a pipe");
    case S_IFDIR: return irr_lines_refuse(lines, IRR_ERR_IO, "%s", strerror(EISDIR));
    default:      return refuse_kind(lines, "a device");
    }
}

/* Opens a file without blocking; fopen would block on a pipe that has no writer. */
static FILE *open_now(const char *path)
{
    const int file = (int)TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    FILE *stream = file >= 0 ? fdopen(file, "r") : NULL;

    if (file >= 0 && stream == NULL) {
        close(file);
    }
    return stream;
}

irr_status_t irr_lines_open(irr_lines_t *lines, const char *path, char *text, size_t size, irr_file_error_t *error)
{
    irr_status_t status;

    *lines = (irr_lines_t){ .error = error, .text = text, .size = size };
    lines->stream = open_now(path);
    if (lines->stream == NULL) {
        return errno == ENXIO ? refuse_kind(lines, "a socket or a device that does not answer")
                              : irr_lines_refuse(lines, IRR_ERR_IO, "%s", strerror(errno));
    }
    status = check_kind(lines);
    if (status != IRR_OK) {
        fclose(lines->stream);
    }
    return status;
}

void irr_lines_close(irr_lines_t *lines)
{
    fclose(lines->stream);
}

/* Bytes that are not printable ASCII become '?', because the reason may quote the file on a terminal. */
irr_status_t irr_lines_refuse(const irr_lines_t *lines, irr_status_t status, const char *format, ...)
{
    irr_file_error_t *error = lines->error;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(error->reason, sizeof(error->reason), format, arguments);
    va_end(arguments);
    for (char *c = error->reason; *c != '\0'; c++) {
        if (*c < ' ' || *c > '~') {
            *c = '?';
        }
    }
    error->line = lines->line;
    return status;
}

irr_status_t irr_lines_next(irr_lines_t *lines)
{
    size_t length = 0;
    int c;

    lines->line++;
    while ((c = getc_unlocked(lines->stream)) != EOF && c != '\n') {
        if (c == '\0') {
            return irr_lines_refuse(lines, IRR_ERR_FORMAT, "byte %zu of the line is 0, only text is allowed",
                                    length + 1);
        }
        if (length == lines->size - 1) {
            return irr_lines_refuse(lines, IRR_ERR_FORMAT, "line is longer than the %zu bytes allowed",
                                    lines->size - 1);
        }
        lines->text[length++] = (char)c;
    }
    if (ferror(lines->stream)) {
        lines->line = 0;
        return irr_lines_refuse(lines, IRR_ERR_IO, "%s", strerror(errno));
    }
    lines->text[length] = '\0';
    lines->at_end = c == EOF && length == 0;
    if (lines->at_end) {
        lines->line--;
    }
    return IRR_OK;
}

irr_status_t irr_lines_next_data(irr_lines_t *lines, const char *comment_signs)
{
    irr_status_t status;
    char first;

    do {
        status = irr_lines_next(lines);
        first = lines->text[strspn(lines->text, IRR_LINES_BLANKS)];
    } while (status == IRR_OK && !lines->at_end && (first == '\0' || strchr(comment_signs, first) != NULL));
    return status;
}

char *irr_lines_word(char **rest)
{
    char *word = *rest + strspn(*rest, IRR_LINES_BLANKS);

    *rest = word + strcspn(word, IRR_LINES_BLANKS);
    if (**rest != '\0') {
        *(*rest)++ = '\0';
    }
    return word;
}

size_t irr_lines_split(irr_lines_t *lines, char **words, size_t count)
{
    char *rest = lines->text;
    size_t found = 0;
    char *word;

    while (*(word = irr_lines_word(&rest)) != '\0') {
        if (found < count) {
            words[found] = word;
        }
        found++;
    }
    for (size_t i = found; i < count; i++) {
        words[i] = word;
    }
    return found;
}

bool irr_lines_digits(const char *text, size_t length, uint64_t min, uint64_t max, uint64_t *value_p)
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

irr_status_t irr_lines_number(const irr_lines_t *lines, const char *what, const char *word, uint64_t min,
                              uint64_t max, uint64_t *value_p)
{
    if (irr_lines_digits(word, strlen(word), min, max, value_p)) {
        return IRR_OK;
    }
    return irr_lines_refuse(lines, IRR_ERR_FORMAT, "%s '%.32s' is not an integer from %" PRIu64 " to %" PRIu64, what,
                            word, min, max);
}
