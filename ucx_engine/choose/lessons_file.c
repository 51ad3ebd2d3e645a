/* lessons_file.c - reads and writes the file with the results of trials; see lessons_file.h. */
#include "choose/lessons_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER  "coll_irr memory 2"
#define OLDER   "coll_irr memory 1"   /* first line before 0.3.0; such a file has old names, and `way` for `strategy` */
#define COMMENT "#"

#define LINE_BYTES 256

/* Suffix of a complete version of the file, which is about to replace the file. */
#define UNFINISHED ".coll_irr_new"

/* Limits of the numbers in a file: of counts, and of speedups in thousandths. */
#define COUNT_MAX   1000000000
#define SPEEDUP_MAX 1000000

/* ---- reading ---- */

typedef struct reader {
    irr_lines_t  *lines;
    irr_lessons_t *lessons;
    irr_lesson_t  lesson;     /* the lesson that is being read */
    bool          open;       /* a lesson is being read */
    uint64_t      situations;
    bool          ended;
} reader_t;

static irr_status_t refuse(const reader_t *reader, const char *what)
{
    return irr_lines_refuse(reader->lines, IRR_ERR_FORMAT, "%s", what);
}

static irr_status_t number(const reader_t *reader, const char *what, char **rest, uint64_t most, uint64_t *value_p)
{
    return irr_lines_number(reader->lines, what, irr_lines_word(rest), 0, most, value_p);
}

/* Adds the current lesson, which is complete. */
static irr_status_t keep(reader_t *reader)
{
    const irr_lessons_t one = { .list = &reader->lesson, .count = 1 };

    return reader->open ? irr_lessons_merge(reader->lessons, &one) : IRR_OK;
}

static irr_status_t read_situation(reader_t *reader, char *rest)
{
    irr_situation_t *situation = &reader->lesson.situation;
    irr_status_t status = keep(reader);
    const char *call;

    if (status != IRR_OK || reader->situations == IRR_LESSONS_SITUATIONS) {
        return status != IRR_OK ? status : refuse(reader, "there are too many situations");
    }
    reader->lesson = (irr_lesson_t){ .strategies = 0 };
    reader->open = true;
    reader->situations++;
    call = irr_lines_word(&rest);
    if (call[0] == '\0' || strlen(call) >= IRR_LESSONS_CALL) {
        return refuse(reader, "a situation begins with the name of a collective");
    }
    strcpy(situation->call, call);
    for (uint64_t *value = &situation->ranks; status == IRR_OK && value <= &situation->gaps; value++) {
        status = number(reader, "a number of a situation", &rest, COUNT_MAX, value);
    }
    return status;
}

static irr_status_t read_lived(reader_t *reader, char *rest)
{
    uint64_t teams, calls;
    irr_status_t status = number(reader, "teams", &rest, IRR_LESSONS_TRIALS, &teams);

    if (status == IRR_OK) {
        status = number(reader, "exchanges", &rest, UINT64_MAX / 2, &calls);
    }
    if (status == IRR_OK) {
        reader->lesson.teams = (double)teams;
        reader->lesson.calls = (double)teams * log(calls > 0 ? (double)calls : 1);
    }
    return status;
}

static bool is_name(const char *text)
{
    const size_t length = strlen(text);

    for (size_t i = 0; i < length; i++) {
        if (!isprint((unsigned char)text[i])) {
            return false;
        }
    }
    return length > 0 && length < IRR_CANDIDATE_TEXT;
}

/* Copies the name of a strategy.  Replaces old names: "aapc, pace sync" of an older release is "tree, pacing sync". */
static void copy_renewed(char to[IRR_CANDIDATE_TEXT], const char *from)
{
    static const char older[] = ", pace ";
    const size_t length = strcspn(from, ",");
    const char *pace = strstr(from, older), *rest = pace != NULL ? pace + strlen(older) : "";
    char name[IRR_CANDIDATE_TEXT];

    snprintf(name, sizeof(name), "%.*s", (int)length, from);
    from += length;
    snprintf(to, IRR_CANDIDATE_TEXT, "%s%.*s%s%s", irr_algorithm_newer(name),
             pace != NULL ? (int)(pace - from) : (int)strlen(from), from, pace != NULL ? ", pacing " : "", rest);
}

static irr_status_t read_strategy(reader_t *reader, char *rest)
{
    irr_lesson_t *lesson = &reader->lesson;
    uint64_t trials, speedup, spread;
    irr_status_t status = number(reader, "trials", &rest, IRR_LESSONS_TRIALS, &trials);
    irr_found_t *found;
    double mean;

    if (status == IRR_OK) {
        status = number(reader, "the speedup", &rest, SPEEDUP_MAX, &speedup);
    }
    if (status == IRR_OK) {
        status = number(reader, "the spread", &rest, SPEEDUP_MAX, &spread);
    }
    if (status != IRR_OK) {
        return status;
    }
    rest += strspn(rest, IRR_LINES_BLANKS);
    if (!is_name(rest) || trials == 0 || speedup == 0 || lesson->strategies == IRR_LESSONS_STRATEGIES) {
        return refuse(reader, "a strategy needs a trial, a speedup and a name, and there are at most 8 of a situation");
    }
    mean = log((double)speedup / 1000);
    found = &lesson->found[lesson->strategies++];
    *found = (irr_found_t){ .trials = (double)trials, .sum = (double)trials * mean,
                            .squares = (double)trials * (mean * mean + (double)(spread * spread) / 1e6) };
    copy_renewed(found->strategy, rest);
    return IRR_OK;
}

static irr_status_t read_end(reader_t *reader, char *rest)
{
    uint64_t situations;
    const irr_status_t status = number(reader, "situations", &rest, COUNT_MAX, &situations);

    if (status != IRR_OK) {
        return status;
    }
    reader->ended = true;
    return situations == reader->situations ? keep(reader) : refuse(reader, "situations are missing");
}

static irr_status_t read_line(reader_t *reader)
{
    static const struct {
        const char    *name;
        irr_status_t (*read)(reader_t *reader, char *rest);
        bool           inside;   /* of a situation */
    } kinds[] = {
        { "situation", read_situation, false }, { "lived", read_lived, true }, { "strategy", read_strategy, true },
        { "way", read_strategy, true }, { "end", read_end, false }
    };
    char *rest = reader->lines->text;
    const char *name = irr_lines_word(&rest);

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && !reader->ended; i++) {
        if (strcmp(kinds[i].name, name) == 0 && (reader->open || !kinds[i].inside)) {
            return kinds[i].read(reader, rest);
        }
    }
    return refuse(reader, "expected situation, lived, strategy or end; lived and strategy follow a situation, nothing "
                          "follows end");
}

/* Reads the first two lines.  An empty file ends here. */
static irr_status_t read_head(reader_t *reader, const char *machine, char *found)
{
    irr_lines_t *lines = reader->lines;
    char *rest;
    irr_status_t status = irr_lines_next_data(lines, COMMENT);

    if (status != IRR_OK || lines->at_end) {
        return status;
    }
    if (strcmp(lines->text, HEADER) != 0 && strcmp(lines->text, OLDER) != 0) {
        return refuse(reader, "the first line is not '" HEADER "'");
    }
    status = irr_lines_next_data(lines, COMMENT);
    rest = lines->text;
    if (status != IRR_OK || lines->at_end || strcmp(irr_lines_word(&rest), "machine") != 0) {
        return status != IRR_OK ? status : refuse(reader, "the second line is not that of the machine");
    }
    rest += strspn(rest, IRR_LINES_BLANKS);
    if (machine != NULL && strcmp(rest, machine) != 0) {
        return irr_lines_refuse(lines, IRR_ERR_FORMAT, "it is for another machine: '%.90s'", rest);
    }
    if (found != NULL) {
        snprintf(found, IRR_LESSONS_MACHINE, "%s", rest);
    }
    return irr_lines_next_data(lines, COMMENT);
}

static irr_status_t read_all(reader_t *reader, const char *machine, char *found)
{
    irr_status_t status = read_head(reader, machine, found);
    const bool empty = status == IRR_OK && reader->lines->at_end;

    while (status == IRR_OK && !reader->lines->at_end) {
        status = read_line(reader);
        status = status == IRR_OK ? irr_lines_next_data(reader->lines, COMMENT) : status;
    }
    return status == IRR_OK && !reader->ended && !empty ? refuse(reader, "it has no end") : status;
}

irr_status_t irr_lessons_read(const char *path, const char *machine, irr_lessons_t *lessons, char *found,
                             irr_file_error_t *error)
{
    char text[LINE_BYTES];
    irr_lines_t lines;
    reader_t reader = { .lines = &lines, .lessons = lessons };
    struct stat status_of;
    irr_status_t status;

    if (found != NULL) {
        found[0] = '\0';
    }
    if (stat(path, &status_of) != 0 && errno == ENOENT) {
        return IRR_OK;
    }
    status = irr_lines_open(&lines, path, text, sizeof(text), error);
    if (status != IRR_OK) {
        return status;
    }
    status = read_all(&reader, machine, found);
    irr_lines_close(&lines);
    if (status == IRR_ERR_NO_MEMORY) {
        snprintf(error->reason, sizeof(error->reason), "there is no memory for it");
    }
    if (status != IRR_OK) {
        irr_lessons_fini(lessons);
    }
    return status;
}

/* ---- writing ---- */

static void write_lesson(const irr_lesson_t *lesson, FILE *stream)
{
    const irr_situation_t *situation = &lesson->situation;

    fprintf(stream, "situation %s", situation->call);
    for (const uint64_t *value = &situation->ranks; value <= &situation->gaps; value++) {
        fprintf(stream, " %llu", (unsigned long long)*value);
    }
    fprintf(stream, "\nlived %.0f %.0f\n", lesson->teams, irr_lesson_calls(lesson));
    for (int i = 0; i < lesson->strategies; i++) {
        const irr_found_t *found = &lesson->found[i];
        const double trials = found->trials < 1 ? 1 : found->trials, speedup = irr_found_speedup(found) * 1000;

        fprintf(stream, "strategy %.0f %.0f %.0f %s\n", trials, fmax(1, fmin(speedup, SPEEDUP_MAX)),
                irr_found_spread(found) * 1000, found->strategy);
    }
}

static bool write_lessons(const irr_lessons_t *lessons, const char *machine, FILE *stream)
{
    fprintf(stream, HEADER "\nmachine %.*s\n", IRR_LESSONS_MACHINE - 1, machine);
    for (size_t i = 0; i < lessons->count; i++) {
        write_lesson(&lessons->list[i], stream);
    }
    fprintf(stream, "end %zu\n", lessons->count);
    return fflush(stream) == 0 && !ferror(stream) && TEMP_FAILURE_RETRY(fsync(fileno(stream))) == 0;
}

static irr_status_t complain(irr_file_error_t *error, const char *what)
{
    error->line = 0;
    snprintf(error->reason, sizeof(error->reason), "%s: %s", what, strerror(errno));
    return IRR_ERR_IO;
}

/* A new version of a file.  It has no name until it is complete, where the file system supports this. */
typedef struct version {
    char  name[PATH_MAX];   /* its name until it replaces the file */
    FILE *stream;
    bool  named;
} version_t;

/* Returns a file without a name in the folder of `path`, or -1. */
static int create_unnamed(const char *path)
{
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX];

    snprintf(folder, sizeof(folder), "%.*s", slash != NULL ? (int)(slash - path) + 1 : 1, slash != NULL ? path : ".");
    return (int)TEMP_FAILURE_RETRY(open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
}

/*
 * Creates a new version.  The caller holds the lock of the file, so a version that already has the name is of a process
 * that was killed.
 */
static irr_status_t create_version(version_t *version, const char *path, irr_file_error_t *error)
{
    int file;

    if (snprintf(version->name, sizeof(version->name), "%s" UNFINISHED, path) >= (int)sizeof(version->name)) {
        errno = ENAMETOOLONG;
        return complain(error, "its name");
    }
    unlink(version->name);
    file = create_unnamed(path);
    version->named = file < 0;
    if (version->named) {
        file = (int)TEMP_FAILURE_RETRY(open(version->name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600));
    }
    version->stream = file >= 0 ? fdopen(file, "w") : NULL;
    if (version->stream == NULL) {
        const irr_status_t status = complain(error, "a file beside it");

        if (file >= 0) {
            close(file);
        }
        return status;
    }
    return IRR_OK;
}

/* Gives a complete version its name, by which it can replace the file. */
static bool name_version(version_t *version)
{
    char link[64];

    if (!version->named) {
        snprintf(link, sizeof(link), "/proc/self/fd/%d", fileno(version->stream));
        version->named = linkat(AT_FDCWD, link, AT_FDCWD, version->name, AT_SYMLINK_FOLLOW) == 0;
    }
    return version->named;
}

/* Replaces the open file by a new version with the same mode.  On error the file stays unchanged. */
static irr_status_t replace(const char *path, int old, const char *machine, const irr_lessons_t *lessons,
                            irr_file_error_t *error)
{
    struct stat mode;
    version_t version;
    irr_status_t status = create_version(&version, path, error);

    if (status != IRR_OK) {
        return status;
    }
    if (!write_lessons(lessons, machine, version.stream) || fstat(old, &mode) != 0 ||
        fchmod(fileno(version.stream), mode.st_mode & 0777) != 0) {
        status = complain(error, "writing");
    } else if (!name_version(&version)) {
        status = complain(error, "naming a file beside it");
    }
    if (fclose(version.stream) != 0 && status == IRR_OK) {
        status = complain(error, "writing");
    }
    if (status == IRR_OK && rename(version.name, path) != 0) {
        status = complain(error, "replacing it");
    }
    if (status != IRR_OK && version.named) {
        unlink(version.name);
    }
    return status;
}

/* Opens and locks the file.  Returns its descriptor, or -1.  EAGAIN: another process has locked it or replaced it. */
static int lock(const char *path)
{
    struct stat mine, named;
    const int file = (int)TEMP_FAILURE_RETRY(open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666));

    if (file < 0) {
        return -1;
    }
    if (TEMP_FAILURE_RETRY(flock(file, LOCK_EX | LOCK_NB)) == 0 && fstat(file, &mine) == 0 && stat(path, &named) == 0 &&
        mine.st_ino == named.st_ino && mine.st_dev == named.st_dev) {
        return file;
    }
    close(file);
    errno = EAGAIN;
    return -1;
}

irr_status_t irr_lessons_add(const char *path, const char *machine, const irr_lessons_t *lessons,
                             irr_file_error_t *error)
{
    irr_lessons_t all = { .list = NULL };
    const int file = lock(path);
    irr_status_t status;

    if (file < 0) {
        return errno == EAGAIN ? IRR_IN_PROGRESS : complain(error, "locking it");
    }
    status = irr_lessons_read(path, machine, &all, NULL, error);
    if (status == IRR_OK) {
        status = irr_lessons_merge(&all, lessons);
    }
    if (status == IRR_OK) {
        status = replace(path, file, machine, &all, error);
    }
    irr_lessons_fini(&all);
    close(file);
    return status;
}
