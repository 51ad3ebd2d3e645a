/*
 * signals.c - prints on rank 0, after MPI_Init and after exchanges, the handlers of five signals and the loaded network
 * libraries. The program has its own handlers for two of these signals.
 */
#include "mpi_call.h"

#include <signal.h>

#define EXCHANGES 4

static char alternate[65536];

static void own(int number)
{
    (void)number;
}

static void print_signals(const char *when)
{
    static const struct { const char *name; int number; } signals[] = {
        { "SIGHUP", SIGHUP }, { "SIGILL", SIGILL }, { "SIGBUS", SIGBUS }, { "SIGFPE", SIGFPE }, { "SIGSEGV", SIGSEGV }
    };
    stack_t stack;

    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        struct sigaction action;

        sigaction(signals[i].number, NULL, &action);
        printf("%s: %s goes to %s\n", when, signals[i].name,
               action.sa_handler == own ? "the program" : action.sa_handler == SIG_DFL ? "the system" : "a library");
    }
    sigaltstack(NULL, &stack);
    printf("%s: handlers run on the stack of %s\n", when, stack.ss_sp == alternate ? "the program" : "a library");
}

static void print_libraries(const char *when)
{
    static const char *const names[] = { "libucs.so", "libucp.so", "libfabric.so" };
    FILE *maps = fopen("/proc/self/maps", "r");
    int found[3] = { 0, 0, 0 };
    char line[4096];

    while (maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
        for (int i = 0; i < 3; i++) {
            found[i] = found[i] || strstr(line, names[i]) != NULL;
        }
    }
    if (maps != NULL) {
        fclose(maps);
    }
    for (int i = 0; i < 3; i++) {
        printf("%s: %s is %s\n", when, names[i], found[i] ? "loaded" : "not loaded");
    }
}

static void print(const char *when)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        print_signals(when);
        print_libraries(when);
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    const stack_t stack = { .ss_sp = alternate, .ss_size = sizeof(alternate) };

    sigaltstack(&stack, NULL);
    signal(SIGSEGV, own);
    signal(SIGBUS, own);
    MPI_Init(&argc, &argv);
    print("after MPI_Init");
    for (int i = 0; i < EXCHANGES; i++) {
        CHECK(mpi_call_works(MPI_COMM_WORLD));
    }
    print("after exchanges");
    return mpi_test_end();
}
