/*
 * irr_tune.c - measures the constants of a machine, for coll_irr_machine_file and irr_plan --machine; see tune.h.
 *
 *     mpirun -np 8 irr_tune -o machine.conf
 *     mpirun -np 16 irr_tune --switches -o topology.conf
 *
 * Works with any MPI and without the component.  The exit status is the same on all ranks.
 */
#include "tune.h"

#include "cli_options.h"
#include "cli_output.h"

#include "core/clock.h"

#include <stdlib.h>

const char irr_cli_program[] = "irr_tune";

/* What the ranks do together. */
typedef enum task { NOTHING, MEASURE, FIND_SWITCHES, LEARN } task_t;

/* A run; rank 0 has the options, the task and the file. */
typedef struct tune {
    irr_tune_options_t  options;
    task_t              task;
    irr_tune_groups_t   groups;
    irr_tune_room_t     room;
    irr_tune_times_t    times;
    irr_tune_switches_t switches;
    irr_cli_output_t    file;   /* not open: not wanted */
} tune_t;

/* ---- the command line ---- */

#define AT(member) IRR_CLI_FIELD(irr_tune_options_t, member)

static const irr_cli_option_t rows[] = {
    { "output", 'o', "FILE", "also write the constants, or the switches, to a file", IRR_CLI_STRING, AT(output) },
    { "seconds", 's', "N", "duration of the measurement in seconds; default " IRR_CLI_TEXT(IRR_TUNE_SECONDS_DEFAULT),
      IRR_CLI_NUMBER, AT(seconds), 1, IRR_TUNE_SECONDS_MAX },
    { "show", 'S', "FILE", "print a coll_irr_memory_file as a table, without measurements", IRR_CLI_STRING, AT(show) },
    { "switches", 'w', NULL, "find the switches between 4 to 64 hosts, and print them as a topology.conf",
      IRR_CLI_FLAG, AT(switches) },
    { "learn", 'L', NULL, "run trials with the count matrix of each FILE, and write their results to the "
      "coll_irr_memory_file", IRR_CLI_FLAG, AT(learns) },
    IRR_CLI_ROW_HELP,
    IRR_CLI_ROW_VERSION,
};

static void print_more(void)
{
    irr_cli_list("Constants", irr_machine_name, irr_machine_text);
    printf("\nEach constant is measured in several rounds.  Its line has median, minimum, maximum and spread.  The\n"
           "spread is the width of the middle 80 %% of the rounds in %% of the median.  If it is above 50 %%, the\n"
           "line has the default instead of the median.  There are at least "
           IRR_CLI_TEXT(IRR_TUNE_ROUNDS_MIN) " rounds, even if they take\nlonger than --seconds.\n"
           "\n--switches measures which flows of long messages share bandwidth.  It needs idle hosts with one rank\n"
           "each, at least two hosts on each switch, and at most eight switches with hosts.  If the measurements\n"
           "contradict each other, irr_tune names no switches, and FILE keeps its contents.\n"
           "\n" IRR_CLI_STATUSES("failure") "\n");
}

static const irr_cli_table_t table = {
    .usage =
        "Usage: mpirun -np N irr_tune [OPTION...]\n"
        "       mpirun -np N irr_tune --switches [-o FILE]\n"
        "       mpirun -np N --mca coll_irr_memory_file MEMORY irr_tune --learn FILE...\n"
        "Measures the constants of a machine and prints them as a machine file for coll_irr_machine_file\n"
        "and for irr_plan simulate and recommend.  Start irr_tune with the launcher and the ranks per node of\n"
        "your jobs, if possible on four or more nodes.  A constant that cannot be measured keeps its\n"
        "default.\n",
    .rows = rows, .count = sizeof(rows) / sizeof(rows[0]), .operands = true, .notes = "", .topics = "the constants",
    .more = print_more
};

static irr_cli_exit_t options_read(int argc, char **argv, irr_tune_options_t *options, task_t *task_p)
{
    irr_cli_line_t line;
    irr_cli_exit_t code;

    *options = (irr_tune_options_t){ .seconds = IRR_TUNE_SECONDS_DEFAULT };
    code = irr_cli_read(&table, argc, argv, options, &line);
    if (code != IRR_CLI_GOOD || line.done) {
        return code;
    }
    options->learn = line.operands;
    options->nlearn = line.noperands;
    *task_p = options->show != NULL ? NOTHING : options->learns ? LEARN : options->switches ? FIND_SWITCHES : MEASURE;
    if (options->learns && options->nlearn == 0) {
        return irr_cli_complain("--learn needs the files of count matrices, as coll_irr_matrix_dump writes them");
    }
    return options->learns ? IRR_CLI_GOOD : irr_cli_no_operands(&line);
}

/* ---- rank 0 ---- */

static irr_cli_exit_t prepare(tune_t *tune, int ranks, int argc, char **argv)
{
    irr_cli_exit_t code = options_read(argc, argv, &tune->options, &tune->task);

    if (code == IRR_CLI_GOOD && tune->options.show != NULL) {
        return irr_tune_show(tune->options.show);
    }
    if (code != IRR_CLI_GOOD || tune->task == NOTHING || tune->task == LEARN) {
        return code;
    }
    if (ranks < 2) {
        return irr_cli_complain("needs two ranks or more, as in mpirun -np 8 irr_tune");
    }
    /* Opens the file now, so that a wrong name is refused early. */
    return tune->options.output != NULL ? irr_cli_output_open(tune->options.output, &tune->file) : IRR_CLI_GOOD;
}

static void report(const tune_t *tune, FILE *stream)
{
    if (tune->task == FIND_SWITCHES) {
        irr_tune_switches_write(stream, &tune->switches);
    } else {
        irr_tune_report(stream, &tune->groups, &tune->times);
    }
}

/* Prints the results, and writes them to the file, if there is one and the results are known. */
static irr_cli_exit_t finish(tune_t *tune)
{
    report(tune, stdout);
    if (tune->file.stream == NULL || tune->switches.reason != NULL) {
        return IRR_CLI_GOOD;
    }
    report(tune, tune->file.stream);
    return irr_cli_output_close(&tune->file, IRR_CLI_GOOD);
}

/* ---- all ranks ---- */

/* Measures round number times->rounds.  The first round is a warm-up: the second one has the same number, 0. */
static void measure_round(tune_t *tune)
{
    irr_tune_times_t *times = &tune->times;

    for (int i = 0; i < IRR_TUNE_STEPS; i++) {
        if (irr_tune_has(&tune->groups, (irr_tune_step_t)i)) {
            times->ns[times->rounds][i] = irr_tune_measure(&tune->groups, &tune->room, (irr_tune_step_t)i);
        }
    }
}

static void measure(tune_t *tune)
{
    const uint64_t begin = irr_clock_ns();
    irr_tune_times_t *times = &tune->times;
    bool more = true;

    measure_round(tune);
    while (more && times->rounds < IRR_TUNE_ROUNDS_MAX) {
        measure_round(tune);
        times->rounds++;
        times->seconds = (double)(irr_clock_ns() - begin) / 1e9;
        more = irr_cli_agree(times->rounds < IRR_TUNE_ROUNDS_MIN || times->seconds < tune->options.seconds) != 0;
    }
}

static irr_cli_exit_t run(tune_t *tune)
{
    irr_cli_exit_t code = irr_tune_groups_init(&tune->groups);

    if (code != IRR_CLI_GOOD) {
        return code;
    }
    code = irr_tune_room_open(&tune->groups, &tune->room);
    if (code == IRR_CLI_GOOD && tune->task == FIND_SWITCHES) {
        code = irr_tune_switches_find(&tune->groups, &tune->room, &tune->switches);
    } else if (code == IRR_CLI_GOOD) {
        measure(tune);
    }
    if (code == IRR_CLI_GOOD) {
        code = (irr_cli_exit_t)irr_cli_agree(tune->groups.rank == 0 ? (int)finish(tune) : 0);
    }
    free(tune->switches.text);
    irr_tune_room_close(&tune->room);
    return code;
}

int main(int argc, char **argv)
{
    static tune_t tune;
    irr_cli_exit_t code;
    int ranks, rank;

    if (irr_cli_asks_only(argc, argv)) {
        return irr_cli_exit(options_read(argc, argv, &tune.options, &tune.task));
    }
    setenv("OMPI_MCA_coll_irr_setup_share", "1000000", 0);   /* --learn: trials may take all the time */
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    code = (irr_cli_exit_t)irr_cli_agree(rank == 0 ? (int)prepare(&tune, ranks, argc, argv) : 0);
    tune.task = (task_t)irr_cli_agree((int)tune.task);
    if (code == IRR_CLI_GOOD && tune.task != NOTHING) {
        code = tune.task == LEARN ? irr_tune_learn(&tune.options) : run(&tune);
    }
    if (tune.file.stream != NULL) {   /* no result: the file keeps its contents */
        (void)irr_cli_output_close(&tune.file, IRR_CLI_FAILED);
    }
    MPI_Finalize();
    return irr_cli_exit(code);
}
