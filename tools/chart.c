/*
 * chart.c - runs the script irr_chart; see chart.h.
 *
 * The script reads JSON from its standard input and writes the picture to the output of the tool, a file or stdout.
 */
#include "chart.h"

#include "core/log.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
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

/* Returns the exit status of the script as waitpid does; -1 if the script did not start. */
static int run_script(const json_t *picture, FILE *stream)
{
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);   /* a script that ends early must not kill this program */
    int ends[2], status = -1;
    pid_t child = -1;

    fflush(stream);
    if (pipe(ends) == 0) {
        child = fork();
        if (child == 0) {
            signal(SIGPIPE, before);
            close(ends[1]);
            become_script(ends[0], fileno(stream));
        }
        close(ends[0]);
        if (child > 0) {
            json_dumpfd(picture, ends[1], JSON_COMPACT);
        }
        close(ends[1]);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    signal(SIGPIPE, before);
    return status;
}

irr_cli_exit_t irr_chart_draw(json_t *picture, FILE *stream)
{
    int status;

    if (picture == NULL) {
        return irr_cli_complain("%s", irr_status_text(IRR_ERR_NO_MEMORY));
    }
    status = run_script(picture, stream);
    json_decref(picture);
    if (status != 0 && (!WIFEXITED(status) || WEXITSTATUS(status) == NOT_FOUND)) {
        irr_cli_complain("a picture needs Python 3 and the script " SCRIPT " in the folder of this program or in PATH");
    }
    return status == 0 ? IRR_CLI_GOOD : IRR_CLI_REFUSED;
}
