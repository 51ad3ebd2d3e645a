/*
 * cli_output.c - output files of the tools; see cli_output.h.
 */
#include "cli_output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".part"

static bool is_stdout(const char *path)
{
    return path == NULL || strcmp(path, "-") == 0;
}

/* Returns true for the name of a descriptor: the user wants the open file, even if it is a regular file. */
static bool is_descriptor(const char *path)
{
    static const char *const folders[] = { "/dev/std", "/dev/fd/", "/proc/" };
    bool found = false;

    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        found = found || strncmp(path, folders[i], strlen(folders[i])) == 0;
    }
    return found;
}

/*
 * Returns the name of the file to replace, from malloc: of the regular file behind a link, or of a new file.  NULL: the
 * path is something else, or this user may not write to it.
 */
static char *target_of(const char *path)
{
    struct stat file;

    if (path[0] == '\0' || is_descriptor(path)) {
        return NULL;
    }
    if (lstat(path, &file) != 0) {
        return strdup(path);
    }
    return stat(path, &file) == 0 && S_ISREG(file.st_mode) && access(path, W_OK) == 0 ? realpath(path, NULL) : NULL;
}

/* Creates the file beside the target, with the mode of the target.  Returns its descriptor, or -1. */
static int create_part(const char *part, const char *target)
{
    struct stat earlier;
    int file;

    unlink(part);   /* of a run that was killed */
    file = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0 && stat(target, &earlier) == 0) {
        (void)fchmod(file, earlier.st_mode & 07777);
    }
    return file;
}

static FILE *open_part(irr_cli_output_t *output)
{
    const size_t size = output->target != NULL ? strlen(output->target) + sizeof(SUFFIX) : 0;
    int file = -1;

    output->part = size > 0 ? malloc(size) : NULL;
    if (output->part != NULL) {
        snprintf(output->part, size, "%s" SUFFIX, output->target);
        file = create_part(output->part, output->target);
    }
    return file >= 0 ? fdopen(file, "w") : NULL;
}

/* Without O_NONBLOCK, open would wait for the reader of a pipe.  The old contents stay until the output is closed. */
static FILE *open_directly(const char *path)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
    FILE *stream = file >= 0 && fcntl(file, F_SETFL, 0) == 0 ? fdopen(file, "w") : NULL;

    if (stream == NULL) {
        irr_cli_complain("%s: %s", path, errno == ENXIO ? "is a pipe without a reader" : strerror(errno));
    }
    if (stream == NULL && file >= 0) {
        close(file);
    }
    return stream;
}

static void forget(irr_cli_output_t *output)
{
    free(output->target);
    free(output->part);
    *output = (irr_cli_output_t){ .stream = NULL };
}

irr_cli_exit_t irr_cli_output_open(const char *path, irr_cli_output_t *output)
{
    *output = (irr_cli_output_t){ .path = path };
    if (is_stdout(path)) {
        output->stream = stdout;
        return IRR_CLI_GOOD;
    }
    output->target = target_of(path);
    output->stream = open_part(output);
    if (output->stream == NULL) {
        forget(output);
        output->path = path;
        output->stream = open_directly(path);
    }
    return output->stream != NULL ? IRR_CLI_GOOD : IRR_CLI_REFUSED;
}

/* Removes the earlier contents behind the new ones, if the stream writes directly to a regular file. */
static bool truncate_behind(const irr_cli_output_t *output)
{
    const int file = fileno(output->stream);
    const off_t end = lseek(file, 0, SEEK_CUR);
    struct stat now;

    return output->stream == stdout || output->target != NULL || end < 0 || fstat(file, &now) != 0 ||
           !S_ISREG(now.st_mode) || ftruncate(file, end) == 0;
}

/* Returns the reason why a write has failed, which the stream does not keep: a further write fails for it, too. */
static int reason_of(FILE *stream)
{
    clearerr(stream);
    return putc('\n', stream) == EOF || fflush(stream) != 0 ? errno : EIO;
}

/* Returns 0, or the error that prevents the output from being complete. */
static int finish(irr_cli_output_t *output, bool complete)
{
    int error = 0;

    if (fflush(output->stream) != 0 || (complete && !truncate_behind(output))) {
        error = errno;
    } else if (ferror(output->stream)) {
        error = reason_of(output->stream);
    }
    if (output->stream != stdout && fclose(output->stream) != 0 && error == 0) {
        error = errno;
    }
    if (error == 0 && complete && output->target != NULL && rename(output->part, output->target) != 0) {
        error = errno;
    }
    if (output->target != NULL && (error != 0 || !complete)) {
        unlink(output->part);
    }
    return error;
}

irr_cli_exit_t irr_cli_output_close(irr_cli_output_t *output, irr_cli_exit_t code)
{
    const bool complete = code == IRR_CLI_GOOD || code == IRR_CLI_WRONG;
    const int error = finish(output, complete);

    if (error != 0 && complete) {
        code = irr_cli_fail("%s: %s", is_stdout(output->path) ? "stdout" : output->path, strerror(error));
    }
    forget(output);
    return code;
}
