/*
 * bench_job_launch.c - one job of irr_bench --job: mpirun is started, and the line that rank 0 prints is read.
 *
 * What makes the jobs of a pair differ stands in their environment, which launchers hand on to the ranks: without
 * coll/irr it is not even loaded.  Jobs of ours tell whether it was, so a ratio is never of two equal jobs.
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

#define NANO       1e-9
#define SELECTION  "OMPI_MCA_coll"
#define AUTO       0    /* row of the algorithm table */

extern char **environ;

/* A command line: the launcher's words, and those of the job behind them. */
typedef struct command {
    char  text[4096];              /* the memory of the launcher's words */
    char  program[PATH_MAX], ranks[16], once[64], what[96];
    char *words[2 * IRR_JOB_WORDS_MAX + 8];    /* NULL behind the last */
} command_t;

/* ---- what is started ---- */

/* Returns how many; 0: complained. */
static int split_launch(const char *launch, command_t *command)
{
    char *place = NULL;
    int count = 0;

    snprintf(command->text, sizeof(command->text), "%s", launch);
    for (char *word = strtok_r(command->text, " \t", &place); word != NULL && count <= IRR_JOB_WORDS_MAX;
         word = strtok_r(NULL, " \t", &place)) {
        command->words[count++] = word;
    }
    if (strlen(launch) >= sizeof(command->text) || count < 1 || count > IRR_JOB_WORDS_MAX) {
        irr_cli_complain("--launch '%.64s' is not 1 to %d words of %zu letters in all", launch, IRR_JOB_WORDS_MAX,
                         sizeof(command->text) - 1);
        return 0;
    }
    return count;
}

/* Our job, and NULL. */
static irr_cli_exit_t add_ours(const irr_job_t *job, command_t *command, char **words)
{
    const ssize_t length = readlink("/proc/self/exe", command->program, sizeof(command->program) - 1);
    const char *ours[] = { command->program, "--job", "--once", command->once, job->alltoall ? "--alltoall" : NULL,
                           NULL };

    if (length < 0) {
        irr_cli_complain("/proc/self/exe: %s", strerror(errno));
        return IRR_CLI_REFUSED;
    }
    command->program[length] = '\0';
    snprintf(command->once, sizeof(command->once), "%s,%d,%d", irr_job_traffic_name(job->traffic), job->calls,
             job->bytes);
    memcpy(words, ours, sizeof(ours));
    return IRR_CLI_GOOD;
}

static irr_cli_exit_t make_command(const irr_job_options_t *options, const irr_job_t *job, int ranks,
                                   command_t *command)
{
    irr_cli_exit_t code = IRR_CLI_GOOD;
    int count = split_launch(options->launch, command), words = 0;

    if (count == 0) {
        return IRR_CLI_REFUSED;
    }
    snprintf(command->ranks, sizeof(command->ranks), "%d", ranks);
    command->words[count++] = "-n";   /* for mpirun and for srun */
    command->words[count++] = command->ranks;
    if (job != NULL) {
        code = add_ours(job, command, &command->words[count]);
    } else {
        do {
            command->words[count++] = options->command[words];
        } while (options->command[words++] != NULL);
    }
    snprintf(command->what, sizeof(command->what), "%.64s on %d ranks",
             job != NULL ? command->once : options->command[0], ranks);
    return code;
}

/* What our jobs call, or both that a command may; auto of a command is what users have.  False: no memory. */
static bool set_environment(const irr_job_t *job, int algorithm)
{
    static const char *const variables[] = {
        "OMPI_MCA_coll_irr_alltoallv_algorithm", "OMPI_MCA_coll_irr_alltoall_algorithm"
    };
    bool good = true;

    if (algorithm == IRR_BENCH_HOST) {
        return setenv(SELECTION, "^irr", 1) == 0;
    }
    unsetenv(SELECTION);
    for (int i = 0; i < 2; i++) {
        if (job == NULL && algorithm == AUTO) {
            unsetenv(variables[i]);
        } else if (job == NULL || job->alltoall == (i == 1)) {
            good = good && setenv(variables[i], irr_algorithm_name(algorithm), 1) == 0;
        }
    }
    return good;
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
    double             calls;
    unsigned long long served;
} told_t;

/* To its end. */
static told_t listen(FILE *out)
{
    told_t told = { false, false, 0, 0 };
    char line[1024];

    while (fgets(line, sizeof(line), out) != NULL) {
        int loaded;

        if (sscanf(line, "job calls_s=%lf served=%llu loaded=%d", &told.calls, &told.served, &loaded) == 3) {
            told.any = true;
            told.loaded = loaded != 0;
        } else {
            fputs(line, stderr);
        }
    }
    return told;
}

static irr_cli_exit_t check_end(const command_t *command, int algorithm, int status)
{
    const bool exited = WIFEXITED(status);

    if (exited && WEXITSTATUS(status) == 0) {
        return IRR_CLI_GOOD;
    }
    irr_cli_complain("job %s, %s: %.64s ended by %s %d", command->what, irr_bench_algorithm_name(algorithm),
                     command->words[0], exited ? "exit status" : "signal",
                     exited ? WEXITSTATUS(status) : WTERMSIG(status));
    return IRR_CLI_WRONG;
}

/* Of our own. */
static irr_cli_exit_t check_told(const command_t *command, int algorithm, const told_t *told)
{
    const bool with = algorithm != IRR_BENCH_HOST;

    if (!told->any) {
        irr_cli_complain("job %s: %.64s ended, but its rank 0 told no time", command->what, command->words[0]);
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
    error = set_environment(job, algorithm) ? start(&command, &pid, &out) : ENOMEM;
    if (error != 0) {
        irr_cli_complain("%.64s: %s", command.words[0], strerror(error));
        return IRR_CLI_REFUSED;
    }
    told = listen(out);
    fclose(out);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    *sample = (irr_job_sample_t){ (double)(irr_clock_ns() - begun) * NANO, told.calls, told.served };
    code = check_end(&command, algorithm, status);
    return code == IRR_CLI_GOOD && job != NULL ? check_told(&command, algorithm, &told) : code;
}
