/*
 * bench_job_options.c - the command line of irr_bench --job.
 */
#include "bench_job.h"

#include "cli_options.h"
#include "core/clock.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_LAUNCH "mpirun --oversubscribe"
#define CALLS_MAX      1000000
#define SEEDS          1000000000    /* that nobody chose: few enough digits to type again */

enum {
    OPTION_RANKS = IRR_CLI_VERSION + 1, OPTION_CALLS, OPTION_BYTES, OPTION_TRAFFIC, OPTION_ALGORITHMS, OPTION_ALLTOALL,
    OPTION_PAIRS, OPTION_SEED, OPTION_LAUNCH, OPTION_JSON, OPTION_ONCE
};

static const irr_cli_option_t rows[] = {
    { "ranks",      OPTION_RANKS,      "LIST",  "of the jobs; default 2,4,8,16" },
    { "calls",      OPTION_CALLS,      "LIST",  "of the collective in a job; default 1,20,2000" },
    { "bytes",      OPTION_BYTES,      "LIST",  "from each rank to each, in the mean; default 8,1024,65536" },
    { "traffic",    OPTION_TRAFFIC,    "LIST",  "what the calls are like (below); default: all" },
    { "algorithms", OPTION_ALGORITHMS, "LIST",  "of the jobs with coll/irr; default auto; host: without once more" },
    { "alltoall",   OPTION_ALLTOALL,   NULL,    "jobs of MPI_Alltoall, not MPI_Alltoallv" },
    { "pairs",      OPTION_PAIRS,      "N",     "jobs of each kind, those of a pair in random order; default 5" },
    { "seed",       OPTION_SEED,       "N",     "of the random order; default: another one each time, which is printed"
    },
    { "launch",     OPTION_LAUNCH,     "WORDS", "what starts a job, before -n, as srun does; default " DEFAULT_LAUNCH },
    { "json",       OPTION_JSON,       "FILE",  "write all times to a file" },
    { "once",       OPTION_ONCE,       "WHAT",  "be the job: TRAFFIC,CALLS,BYTES; for mpirun" },
    IRR_CLI_ROW_ALGORITHMS,
    IRR_CLI_ROW_HELP,
    IRR_CLI_ROW_VERSION,
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static const struct { const char *name, *text; } traffics[] = {
    [IRR_JOB_SAME]        = { "same", "equal blocks, the same in each call" },
    [IRR_JOB_FRESH]       = { "fresh", "the same, each call on a communicator that is made for it and freed" },
    [IRR_JOB_NEW]         = { "new", "blocks from nothing to twice the length, others in each call" },
    [IRR_JOB_ALTERNATING] = { "alternate", "equal blocks, in turn of " IRR_CLI_TEXT(IRR_JOB_SHORT) " bytes and of "
                              "256 KiB; --bytes does not matter" },
};

enum { TRAFFICS = sizeof(traffics) / sizeof(traffics[0]) };

const char *irr_job_traffic_name(int i)
{
    return i < TRAFFICS ? traffics[i].name : NULL;
}

const char *irr_job_traffic_text(int i)
{
    return i < TRAFFICS ? traffics[i].text : NULL;
}

static irr_cli_exit_t read_option(int id, const char *value, void *context);
static void help(bool whole);

static const irr_cli_options_t table = {
    rows, ROWS, help, read_option, irr_algorithm_name, irr_algorithm_text
};

static void help(bool whole)
{
    (void)whole;
    printf("Usage: irr_bench --job [OPTION...] [-- COMMAND [ARGUMENT...]]\n"
           "Runs whole jobs, with coll/irr and without it, in pairs, and prints the ratio of their times,\n"
           "without/with: median, least and most of the pairs.  Not under mpirun: it starts that for each job.\n\n"
           "  whole      the launcher, from its start to its exit\n"
           "  calls      rank 0, from the first call to the end of the last one\n"
           "  whole_ms, calls_ms    medians of the job without coll/irr\n"
           "  served     share of the calls that coll/irr served, in the mean of the jobs with it\n\n");
    irr_cli_options_print(&table);
    printf("\nWith a COMMAND the jobs are that; auto is coll/irr as it is unless told otherwise, and other\n"
           "algorithms are for MPI_Alltoallv and MPI_Alltoall.  What it prints goes to stderr.\n");
    irr_cli_list("Traffic", irr_job_traffic_name, irr_job_traffic_text);
    printf("\nAlgorithms are those of irr_bench, except p2p.  LIST is values with commas between.\n"
           "\nExit status: 0 good, 1 a job failed, 2 the input was refused.\n");
}

/* ---- values ---- */

static irr_cli_exit_t read_ints(const char *name, const char *list, int max, int *values, int *count_p)
{
    int count = 0;

    while (list != NULL) {
        char text[64];
        uint64_t value = 0;
        irr_cli_exit_t code = IRR_CLI_GOOD;

        irr_cli_take_name(&list, text, sizeof(text));
        if (count == IRR_JOB_LIST_MAX) {
            irr_cli_complain("--%s has more than the %d values allowed", name, IRR_JOB_LIST_MAX);
            return IRR_CLI_REFUSED;
        }
        code = irr_cli_size(name, text, 1, (uint64_t)max, &value);
        if (code != IRR_CLI_GOOD) {
            return code;
        }
        values[count++] = (int)value;
    }
    *count_p = count;
    return IRR_CLI_GOOD;
}

/* Jobs make calls, so they have no messages by hand. */
static irr_cli_exit_t read_algorithms(const char *list, irr_job_options_t *options)
{
    irr_cli_exit_t code = irr_bench_algorithms_read(list, options->algorithms, &options->nalgorithms);

    for (int i = 0; code == IRR_CLI_GOOD && i < options->nalgorithms; i++) {
        if (options->algorithms[i] == IRR_BENCH_P2P) {
            irr_cli_complain("--algorithms p2p and --job exclude each other");
            code = IRR_CLI_REFUSED;
        }
    }
    return code;
}

static irr_cli_exit_t read_traffic(const char *list, irr_job_options_t *options)
{
    options->ntraffic = 0;
    while (list != NULL && options->ntraffic < IRR_JOB_LIST_MAX) {
        char name[64];
        int traffic;

        irr_cli_take_name(&list, name, sizeof(name));
        traffic = irr_cli_find("traffic", name, NULL, irr_job_traffic_name);
        if (traffic < 0) {
            return IRR_CLI_REFUSED;
        }
        options->traffic[options->ntraffic++] = traffic;
    }
    return IRR_CLI_GOOD;
}

static irr_cli_exit_t read_once(const char *what, irr_job_options_t *options)
{
    int values[IRR_JOB_LIST_MAX], count = 0;
    const char *rest = what;
    char name[64];
    irr_cli_exit_t code;

    irr_cli_take_name(&rest, name, sizeof(name));
    options->once = true;
    options->job.traffic = irr_cli_find("traffic", name, NULL, irr_job_traffic_name);
    if (options->job.traffic < 0) {
        return IRR_CLI_REFUSED;
    }
    code = read_ints("once", rest, CALLS_MAX, values, &count);
    if (code == IRR_CLI_GOOD && (count != 2 || values[1] > IRR_JOB_BYTES_MAX)) {
        irr_cli_complain("--once '%.64s' is not TRAFFIC,CALLS,BYTES with up to %d bytes", what, IRR_JOB_BYTES_MAX);
        return IRR_CLI_REFUSED;
    }
    options->job.calls = values[0];
    options->job.bytes = values[1];
    return code;
}

static irr_cli_exit_t read_option(int id, const char *value, void *context)
{
    irr_job_options_t *options = context;

    switch (id) {
    case OPTION_RANKS:      return read_ints("ranks", value, IRR_JOB_RANKS_MAX, options->ranks, &options->nranks);
    case OPTION_CALLS:      return read_ints("calls", value, CALLS_MAX, options->calls, &options->ncalls);
    case OPTION_BYTES:      return read_ints("bytes", value, IRR_JOB_BYTES_MAX, options->bytes, &options->nbytes);
    case OPTION_TRAFFIC:    return read_traffic(value, options);
    case OPTION_ALGORITHMS: return read_algorithms(value, options);
    case OPTION_ALLTOALL:   options->job.alltoall = true; return IRR_CLI_GOOD;
    case OPTION_PAIRS:      return irr_cli_int("pairs", value, 1, IRR_JOB_PAIRS_MAX, &options->pairs);
    case OPTION_SEED:       return irr_cli_number("seed", value, 0, INT64_MAX, &options->seed);
    case OPTION_LAUNCH:     options->launch = value; return IRR_CLI_GOOD;
    case OPTION_ONCE:       return read_once(value, options);
    default:                options->json = value; return IRR_CLI_GOOD;
    }
}

/* ---- the command line ---- */

/* A driver on each rank of a job would start a job for each. */
static irr_cli_exit_t check_place(void)
{
    if (irr_cli_is_launched()) {
        irr_cli_complain("--job starts mpirun itself; run it without");
        return IRR_CLI_REFUSED;
    }
    if (getenv("OMPI_MCA_coll") != NULL) {
        irr_cli_complain("--job sets OMPI_MCA_coll in each job; unset yours, '%.64s'", getenv("OMPI_MCA_coll"));
        return IRR_CLI_REFUSED;
    }
    return IRR_CLI_GOOD;
}

/* What is behind the options; seen[i]: row i was given. */
static irr_cli_exit_t read_command(int argc, char **argv, const bool *seen, irr_job_options_t *options)
{
    static const char ours[] = " calls bytes traffic alltoall once ";
    char name[32];

    if (optind == argc) {
        return IRR_CLI_GOOD;
    }
    if (strcmp(argv[optind - 1], "--") != 0) {
        irr_cli_complain("unexpected argument '%.64s'; a command stands behind --, and irr_bench --job --help lists "
                         "the options", argv[optind]);
        return IRR_CLI_REFUSED;
    }
    if (argc - optind > IRR_JOB_WORDS_MAX) {
        irr_cli_complain("the command has %d words, above the %d allowed", argc - optind, IRR_JOB_WORDS_MAX);
        return IRR_CLI_REFUSED;
    }
    for (int i = 0; i < ROWS; i++) {
        snprintf(name, sizeof(name), " %s ", rows[i].name);
        if (seen[i] && strstr(ours, name) != NULL) {
            irr_cli_complain("--%s does not go with a command", rows[i].name);
            return IRR_CLI_REFUSED;
        }
    }
    options->command = argv + optind;
    options->ntraffic = options->nbytes = options->ncalls = 1;
    return IRR_CLI_GOOD;
}

irr_cli_exit_t irr_job_options_read(int argc, char **argv, irr_job_options_t *options)
{
    bool seen[ROWS] = { false }, done;
    irr_cli_exit_t code;

    *options = (irr_job_options_t){
        .ranks = { 2, 4, 8, 16 }, .nranks = 4, .calls = { 1, 20, 2000 }, .ncalls = 3,
        .bytes = { 8, 1024, 65536 }, .nbytes = 3,
        .traffic = { IRR_JOB_SAME, IRR_JOB_FRESH, IRR_JOB_NEW, IRR_JOB_ALTERNATING }, .ntraffic = TRAFFICS,
        .algorithms = { 0 /* auto */ }, .nalgorithms = 1, .pairs = 5, .seed = irr_clock_ns() % SEEDS,
        .launch = DEFAULT_LAUNCH
    };
    code = irr_cli_options_read(&table, argc, argv, options, seen, &done);
    if (code != IRR_CLI_GOOD || done) {
        return code;
    }
    options->run = true;
    code = read_command(argc, argv, seen, options);
    return options->once || code != IRR_CLI_GOOD ? code : check_place();
}
