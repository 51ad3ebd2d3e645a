/*
 * bench_progress.c - one line on the terminal that says how far a long run is.
 *
 * mpirun hands a rank a pipe for its standard error, so that is hardly ever a terminal even when the user
 * sits at one.  The line then goes to the terminal that the job was started from, if rank 0 runs there.
 * Without a terminal nothing is written.
 */
#include "bench.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#define QUIET_SECONDS  2.0
#define REPEAT_SECONDS 0.25

static struct {
    bool   started;
    int    terminal;      /* -1: none */
    double first, last;   /* when the run began, and when the line was last written */
} line;

static void start(double now)
{
    line.started = true;
    line.first = line.last = now;
    line.terminal = isatty(STDERR_FILENO) ? STDERR_FILENO : open("/dev/tty", O_WRONLY | O_NOCTTY | O_CLOEXEC);
    if (line.terminal >= 0 && line.terminal != STDERR_FILENO) {
        /* Ranks are background jobs of that terminal; one that stops them for writing must not stop the run. */
        signal(SIGTTOU, SIG_IGN);
    }
}

static void put(const char *text, int length)
{
    if (length > 0 && write(line.terminal, text, (size_t)length) < 0) {
        line.terminal = -1;
    }
}

void irr_bench_progress(int done, int total)
{
    const double now = MPI_Wtime();
    char text[80];

    if (!line.started) {
        start(now);
    }
    if (line.terminal < 0 || now - line.first < QUIET_SECONDS || now - line.last < REPEAT_SECONDS) {
        return;
    }
    line.last = now;
    put(text, snprintf(text, sizeof(text), "\rirr_bench: %d of %d iterations, %.0f s\033[K", done, total,
                       now - line.first));
}

void irr_bench_progress_end(void)
{
    if (line.started && line.terminal >= 0 && line.last > line.first) {
        put("\r\033[K", 4);
        line.last = line.first;
    }
}
