/*
 * cli_progress.c - one line on the terminal with the progress of a long run; see cli.h.
 *
 * The standard error of a rank is a pipe of mpirun, even if the user works at a terminal.  A rank therefore writes the
 * line to the terminal that started the job, if the rank runs on the same machine.  Without a terminal it writes
 * nothing.
 */
#include "cli_options.h"

#include "core/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <unistd.h>

#define QUIET_NS  UINT64_C(1000000000)
#define REPEAT_NS UINT64_C(250000000)

static struct {
    bool     started;
    int      terminal;      /* -1: none */
    uint64_t first, last;   /* start of the run, and time of the last line; equal: no line was written yet */
} line;

static void start(uint64_t now)
{
    line.started = true;
    line.first = line.last = now;
    line.terminal = isatty(STDERR_FILENO) ? STDERR_FILENO : -1;
    if (line.terminal < 0 && irr_cli_is_launched()) {
        line.terminal = (int)TEMP_FAILURE_RETRY(open("/dev/tty", O_WRONLY | O_NOCTTY | O_CLOEXEC));
        /* Ranks are background jobs of that terminal.  SIGTTOU, which a write may raise, must not stop the run. */
        signal(SIGTTOU, SIG_IGN);
    }
}

static void put(const char *text, int length)
{
    if (length > 0 && TEMP_FAILURE_RETRY(write(line.terminal, text, (size_t)length)) < 0) {
        line.terminal = -1;
    }
}

void irr_cli_progress(const char *format, ...)
{
    const uint64_t now = irr_clock_ns();
    char done[128], text[192];
    va_list arguments;

    if (!line.started) {
        start(now);
    }
    if (line.terminal < 0 || now - line.first < QUIET_NS || now - line.last < REPEAT_NS) {
        return;
    }
    line.last = now;
    va_start(arguments, format);
    vsnprintf(done, sizeof(done), format, arguments);
    va_end(arguments);
    put(text, snprintf(text, sizeof(text), "\r%s: %s, %.0f s\033[K", irr_cli_program, done,
                       (double)(now - line.first) / 1e9));
}

void irr_cli_progress_end(void)
{
    if (line.started && line.terminal >= 0 && line.last > line.first) {
        put("\r\033[K", 4);
        line.last = line.first;
    }
}
