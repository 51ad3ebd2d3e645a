/*
 * bench_job_launch.c - one job of irr_bench --job: mpirun is started, and the line that rank 0 prints is read.
 *
 * What makes the jobs of a pair differ stands in their environment, which launchers hand on to the ranks: without
 * coll/irr it is not even loaded.  Both kinds of job tell whether it was, so a ratio is never of two equal jobs.
 */
#include "bench_job.h"

#include "core/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS_MAX  64
#define NANO       1e-9
#define SELECTION  "OMPI_MCA_coll"

extern char **environ;

/* A command line: the launcher's words, and ours behind them. */
typedef struct command {
    char  text[4096];              /* the memory of the launcher's words */
    char  program[PATH_MAX], ranks[16], once[64];
    char *words[WORDS_MAX + 8];    /* NULL behind the last */
} command_t;

/* ---- what is started ---- */

static irr_cli_exit_t make_command(const irr_job_options_t *options, const irr_job_t *job, int ranks,
                                   command_t *command)
{
    const ssize_t length = readlink("/proc/self/exe", command->program, sizeof(command->program) - 1);
    const char *rest[] = { "-np", command->ranks, command->program, "--job", "--once", command->once,
                           job->alltoall ? "--alltoall" : NULL, NULL };
    char *place = NULL;
    int count = 0;

    snprintf(command->text, sizeof(command->text), "%s", options->launch);
    for (char *word = strtok_r(command->text, " \t", &place); word != NULL && count <= WORDS_MAX;
         word = strtok_r(NULL, " \t", &place)) {
        command->words[count++] = word;
    }
    if (strlen(options->launch) >= sizeof(command->text) || count < 1 || count > WORDS_MAX) {
        irr_cli_complain("--launch '%.64s' is not 1 to %d words of %zu letters in all", options->launch, WORDS_MAX,
                         sizeof(command->text) - 1);
        return IRR_CLI_REFUSED;
    }
    if (length < 0) {
        irr_cli_complain("/proc/self/exe: %s", strerror(errno));
        return IRR_CLI_REFUSED;
    }
    command->program[length] = '\0';
    snprintf(command->ranks, sizeof(command->ranks), "%d", ranks);
    snprintf(command->once, sizeof(command->once), "%s,%d,%d", irr_job_traffic_name(job->traffic), job->calls,
             job->bytes);
    memcpy(&command->words[count], rest, sizeof(rest));
    return IRR_CLI_GOOD;
}

/* False: no memory. */
static bool set_environment(bool alltoall, int algorithm)
{
    const char *variable = alltoall ? "OMPI_MCA_coll_irr_alltoall_algorithm" : "OMPI_MCA_coll_irr_alltoallv_algorithm";

    if (algorithm == IRR_BENCH_HOST) {
        return setenv(SELECTION, "^irr", 1) == 0;
    }
    unsetenv(SELECTION);
    return setenv(variable, irr_algorithm_name(algorithm), 1) == 0;
}

/* An errno, or 0; then *pid is the process, whose stdout is read from *out. */
static int start(const command_t *command, pid_t *pid, FILE **out)
{
    posix_spawn_file_actions_t actions;
    int ends[2], error;

    if (pipe2(ends, O_CLOEXEC) != 0) {
        return errno;
    }
    *out = fdopen(ends[0], "r");
    error = *out != NULL ? posix_spawn_file_actions_init(&actions) : errno;
    if (error == 0) {
        error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        error = error == 0 ? posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO) : error;
        error = error == 0 ? posix_spawnp(pid, command->words[0], &actions, NULL, command->words, environ) : error;
        posix_spawn_file_actions_destroy(&actions);
    }
    close(ends[1]);
    if (error != 0 && *out != NULL) {
        fclose(*out);
    } else if (error != 0) {
        close(ends[0]);
    }
    return error;
}

/* ---- what it tells ---- */

typedef struct told {
    bool               any, loaded;
    double             inside;
    unsigned long long served;
} told_t;

/* To its end.  What else the launcher prints is handed on, as comments of the table. */
static told_t listen(FILE *out)
{
    told_t told = { false, false, 0, 0 };
    char line[1024];

    while (fgets(line, sizeof(line), out) != NULL) {
        int loaded;

        if (sscanf(line, "job inside_s=%lf served=%llu loaded=%d", &told.inside, &told.served, &loaded) == 3) {
            told.any = true;
            told.loaded = loaded != 0;
        } else {
            printf("# %.*s\n", (int)strcspn(line, "\n"), line);
        }
    }
    return told;
}

static irr_cli_exit_t check(const command_t *command, int algorithm, int status, const told_t *told)
{
    const bool with = algorithm != IRR_BENCH_HOST;

    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        irr_cli_complain("job %s on %s ranks, %s: %.64s ended by %s %d", command->once, command->ranks,
                         irr_bench_algorithm_name(algorithm), command->words[0],
                         WIFEXITED(status) ? "exit status" : "signal",
                         WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
        return IRR_CLI_WRONG;
    }
    if (!told->any) {
        irr_cli_complain("job %s on %s ranks: %.64s ended, but its rank 0 told no time", command->once,
                         command->ranks, command->words[0]);
        return IRR_CLI_WRONG;
    }
    if (told->loaded != with) {
        irr_cli_complain(with ? "coll/irr is not loaded in the jobs that are to have it: set "
                                "OMPI_MCA_mca_base_component_path to DIR:SYS_DEFAULT, where DIR holds mca_coll_irr.so"
                              : "coll/irr is loaded in the jobs that are to be without: does --launch choose it?");
        return IRR_CLI_REFUSED;
    }
    return IRR_CLI_GOOD;
}

irr_cli_exit_t irr_job_launch(const irr_job_options_t *options, const irr_job_t *job, int ranks, int algorithm,
                              irr_job_sample_t *sample)
{
    command_t command;
    told_t told;
    irr_cli_exit_t code = make_command(options, job, ranks, &command);
    uint64_t begun;
    FILE *out = NULL;
    pid_t pid = -1;
    int error, status = 0;

    if (code != IRR_CLI_GOOD) {
        return code;
    }
    fflush(stdout);
    begun = irr_clock_ns();
    error = set_environment(job->alltoall, algorithm) ? start(&command, &pid, &out) : ENOMEM;
    if (error != 0) {
        irr_cli_complain("%.64s: %s", command.words[0], strerror(error));
        return IRR_CLI_REFUSED;
    }
    told = listen(out);
    fclose(out);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    *sample = (irr_job_sample_t){ (double)(irr_clock_ns() - begun) * NANO, told.inside, told.served };
    return check(&command, algorithm, status, &told);
}
