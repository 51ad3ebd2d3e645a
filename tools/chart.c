/*
 * chart.c - runs the script irr_chart; see chart.h.
 *
 * The script reads JSON from its standard input and writes the picture to its standard output.  The tool copies the
 * picture to its own output, so that an error message about this output names the tool and the file.
 */
#include "chart.h"

#include "core/log.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#define SCRIPT   "irr_chart"
#define TEXT_MAX 1024

enum { NOT_FOUND = 127 };   /* exit status if Python or the script is missing */

json_t *irr_chart_text(const char *format, ...)
{
    char whole[IRR_CHART_WHOLE_MAX], text[TEXT_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(whole, sizeof(whole), format, arguments);
    va_end(arguments);
    irr_log_fit(text, sizeof(text), whole);
    for (char *c = text; *c != '\0'; c++) {
        *c = *c >= ' ' && *c <= '~' ? *c : '?';
    }
    return json_string(text);
}

json_t *irr_chart_bytes(uint64_t bytes)
{
    return bytes <= INT64_MAX ? json_integer((json_int_t)bytes) : json_real((double)bytes);
}

json_t *irr_chart_whole(json_t *list, size_t members)
{
    if (json_array_size(list) + json_object_size(list) == members) {
        return list;
    }
    json_decref(list);
    return NULL;
}

json_t *irr_chart_cells(const uint64_t *cells, int columns, int rows)
{
    json_t *lists = json_array();

    for (int y = 0; y < rows; y++) {
        json_t *list = json_array();

        for (int x = 0; x < columns; x++) {
            json_array_append_new(list, irr_chart_bytes(*cells++));
        }
        json_array_append_new(lists, irr_chart_whole(list, (size_t)columns));
    }
    return irr_chart_whole(lists, (size_t)rows);
}

irr_cli_exit_t irr_chart_check_name(const char *path)
{
    static const char *const others[] = { "png", "pdf", "jpg", "jpeg", "gif", "webp", "eps", "ps", "tiff", "bmp" };
    const char *ending = path != NULL ? strrchr(path, '.') : NULL;

    for (size_t i = 0; ending != NULL && i < sizeof(others) / sizeof(others[0]); i++) {
        if (strcasecmp(ending + 1, others[i]) == 0) {
            return irr_cli_complain("%s: a picture is SVG, so its name must not end in %s; use %.*s.svg", path, ending,
                                    (int)(ending - path), path);
        }
    }
    return IRR_CLI_GOOD;
}

/* Executes the script in the folder of this program, or else the script in PATH.  Does not return. */
static void become_script(int input, int output)
{
    char path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - sizeof(SCRIPT));
    char *slash;

    if (dup2(input, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0) {
        _exit(NOT_FOUND);
    }
    if (length > 0) {
        path[length] = '\0';
        slash = strrchr(path, '/');
        strcpy(slash != NULL ? slash + 1 : path, SCRIPT);
        execl(path, SCRIPT, "-", "-o", "-", (char *)NULL);
    }
    execlp(SCRIPT, SCRIPT, "-", "-o", "-", (char *)NULL);
    _exit(NOT_FOUND);
}

enum { READ, WRITE };   /* the ends of a pipe */

static void copy(int input, FILE *stream)
{
    char buffer[1 << 14];
    ssize_t length;

    while ((length = read(input, buffer, sizeof(buffer))) > 0 || (length < 0 && errno == EINTR)) {
        fwrite(buffer, 1, length > 0 ? (size_t)length : 0, stream);
    }
}

/*
 * Starts the script.  Returns its process, or -1.  The caller closes the ends of the pipes: *to_p, which the script
 * reads, and *from_p, which it writes.
 */
static pid_t start_script(int *to_p, int *from_p)
{
    int input[2], output[2];
    pid_t child;

    if (pipe(input) != 0) {
        return -1;
    }
    if (pipe(output) != 0) {
        close(input[READ]);
        close(input[WRITE]);
        return -1;
    }
    child = fork();
    if (child == 0) {
        signal(SIGPIPE, SIG_DFL);
        close(input[WRITE]);
        close(output[READ]);
        become_script(input[READ], output[WRITE]);
    }
    close(input[READ]);
    close(output[WRITE]);
    *to_p = input[WRITE];
    *from_p = output[READ];
    return child;
}

/*
 * Copies the output of the script to the stream.  The script reads its whole input before it writes.  Returns the exit
 * status of the script as waitpid does; -1 if the script did not start.
 */
static int run_script(const json_t *picture, FILE *stream)
{
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);   /* a script that ends early must not kill this program */
    int status = -1, to = -1, from = -1;
    const pid_t child = start_script(&to, &from);

    if (child > 0) {
        json_dumpfd(picture, to, JSON_COMPACT);
    }
    close(to);
    copy(from, stream);
    close(from);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    signal(SIGPIPE, before);
    return status;
}

irr_cli_exit_t irr_chart_draw(json_t *picture, FILE *stream)
{
    int status;

    if (picture == NULL) {
        return irr_cli_fail("%s", irr_status_text(IRR_ERR_NO_MEMORY));
    }
    status = run_script(picture, stream);
    json_decref(picture);
    if (status != 0 && (!WIFEXITED(status) || WEXITSTATUS(status) == NOT_FOUND)) {
        irr_cli_fail("a picture needs Python 3 and the script " SCRIPT " in the folder of this program or in PATH");
    }
    return status == 0 ? IRR_CLI_GOOD : IRR_CLI_FAILED;
}
