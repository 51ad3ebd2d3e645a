/*
 * bench_options.c - the command line of irr_bench.
 *
 * One table holds the options: getopt reads from it and the help is printed from it.  The first thing that
 * is wrong ends in one line that names the option, its value and what is allowed.
 */
#include "bench.h"

#include "cli_options.h"

#include <getopt.h>
#include <limits.h>
#include <string.h>

#define ITERATIONS_MAX 10000000
#define TESTS_MAX      1000000
#define COMPUTE_MAX    1000000000   /* microseconds */
#define DEFAULT_LIST   "host,a1"
#define ALL            "all"
#define SWEEP_MAX      (UINT64_C(1) << 20)   /* where a sweep ends unless told otherwise */
#define SWEEP_MAX_TEXT "1m"

enum {
    OPTION_MATRIX = IRR_CLI_VERSION + 1, OPTION_PATTERN, OPTION_UNIT, OPTION_SEED, OPTION_SCALE, OPTION_ALGORITHMS,
    OPTION_PERSISTENT, OPTION_OVERLAP, OPTION_TESTS, OPTION_COMPUTE, OPTION_IDLE, OPTION_ALLTOALL, OPTION_DATATYPE,
    OPTION_NEIGHBOR, OPTION_INTER, OPTION_IN_PLACE, OPTION_NO_CHECK, OPTION_COLUMNS, OPTION_JSON, OPTION_CSV,
    OPTION_PLOT
};

static const irr_cli_option_t rows[] = {
    { "matrix",     OPTION_MATRIX,     "FILE",    "count matrix, Matrix Market coordinate integer, bytes" },
    { "pattern",    OPTION_PATTERN,    "NAME",    "count matrix of a pattern (below); default uniform" },
    { "unit",       OPTION_UNIT,       "BYTES",   "unit of the pattern; default 1024" },
    { "sweep",      'm',               "MIN:MAX", "sweep the unit from MIN to MAX by powers of two, as OSU does; "
      "default 1:" SWEEP_MAX_TEXT ", each may be left out"  },
    { "seed",       OPTION_SEED,       "N",       "seed of random patterns; default 1" },
    { "scale",      OPTION_SCALE,      "F",       "multiply all entries, to nearest, at least 1; default 1" },
    { "algorithms", OPTION_ALGORITHMS, "LIST",    "names with commas between (below); default " DEFAULT_LIST },
    { "persistent", OPTION_PERSISTENT, NULL,      "more rows: MPI_Start and MPI_Wait of MPI_Alltoallv_init" },
    { "overlap",    OPTION_OVERLAP,    NULL,      "time the nonblocking call with a computation as long as the call "
      "alone between its start and its end" },
    { "tests",      OPTION_TESTS,      "N",       "of --overlap, MPI_Test so many times while it computes; default 0" },
    { "compute",    OPTION_COMPUTE,    "US",      "of --overlap, the computation takes so many microseconds in each "
      "row; default: as long as the call alone" },
    { "idle",       OPTION_IDLE,       NULL,      "of --overlap, sleep in place of computing, as if each rank had a "
      "processor of its own" },
    { "alltoall",   OPTION_ALLTOALL,   NULL,      "time MPI_Alltoall; the matrix must have equal entries" },
    { "datatype",   OPTION_DATATYPE,   "TYPE",    "time MPI_Alltoallw on blocks of a datatype (below)" },
    { "neighbor",   OPTION_NEIGHBOR,   "TOPOLOGY", "time MPI_Neighbor_alltoallv on a topology (below)" },
    { "inter",      OPTION_INTER,      "N",       "time the call between two groups, the first N ranks and the others; "
      "entries of the matrix within a group are left out" },
    { "in-place",   OPTION_IN_PLACE,   NULL,      "time the call with MPI_IN_PLACE; the matrix must be symmetric" },
    { "iterations", 'i',               "N",       "measured iterations; default 100" },
    { "warmup",     'x',               "N",       "iterations before the measured ones; default 10" },
    { "check",      'c',               NULL,      "compare every byte of each exchange, which leaves caches cold; "
      "default: of one before the warm-up and one after the iterations" },
    { "no-check",   OPTION_NO_CHECK,   NULL,      "compare nothing" },
    { "full",       'f',               NULL,      "more columns: mean, 90th and 99th percentile, iterations" },
    { "columns",    OPTION_COLUMNS,    "LIST",    "more columns: counters (below) with commas between, or " ALL },
    { "json",       OPTION_JSON,       "FILE",    "write results, parameters, all times and counters to a file; times "
      "in microseconds, as everywhere" },
    { "csv",        OPTION_CSV,        "FILE",    "write a line a row to a file, times in microseconds" },
    { "plot",       OPTION_PLOT,       "FILE",    "draw an SVG picture: of a sweep median, min, max and host/this over "
      "the unit, else a bar a row" },
    IRR_CLI_ROW_ALGORITHMS,
    IRR_CLI_ROW_HELP,
    IRR_CLI_ROW_VERSION,
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static void help_counters(void)
{
    printf("\nCounters of coll/irr, per measured exchange, of the rank that has most.  A gauge is what it is\n"
           "after the exchanges; one that tells the most so far has not forgotten the rows and units before,\n"
           "so run one algorithm and one unit alone to see their own:\n");
    irr_cli_list(NULL, irr_bench_counter_name, irr_bench_counter_text);
}

static irr_cli_exit_t read_option(int id, const char *value, void *context);
static void help(bool whole);

/* What stands in front of the table of algorithms. */
static const struct { const char *name, *text; } own[] = {
    { "host", "what Open MPI runs without coll/irr" },
    { "p2p", "by hand: MPI_Irecv and MPI_Isend for each block that is not empty, MPI_Waitall; without coll/irr" }
};

enum { OWN = sizeof(own) / sizeof(own[0]) };

_Static_assert(IRR_BENCH_HOST == -OWN, "an algorithm is a place in the list, less those in front");

static const char *listed_name(int i)
{
    return i < OWN ? own[i].name : irr_algorithm_name(i - OWN);
}

static const char *listed_text(int i)
{
    return i < OWN ? own[i].text : irr_algorithm_text(i - OWN);
}

static const irr_cli_options_t table = { rows, ROWS, help, read_option, listed_name, listed_text };

static void help(bool whole)
{
    printf("Usage: irr_bench [--matrix FILE | --pattern NAME --unit BYTES] [OPTION...]\n"
           "  or:  irr_bench --job [OPTION...]\n"
           "Times MPI_Alltoallv, or another call, with several algorithms of coll/irr, and without it, in one\n"
           "job.  Rows with -start behind their name time one start of a persistent request.  With --job it\n"
           "starts whole jobs, with coll/irr and without: irr_bench --job --help tells more.\n\n");
    irr_cli_options_print(&table);
    printf("\nBYTES, MIN and MAX may have k, m or g behind them, for 2^10, 2^20, 2^30.\n");
    printf("\nhost/this: median of host divided by that of the row, above 1 where the row is faster.  interval:\n"
           "has the ratio with 95 %% or more if iterations are independent; no-difference if it contains 1.\n"
           "MB/s: 10^6 bytes a second of the rank that sends or receives most.\n");
    printf("\nDatatypes:\n"
           "  vector:N:STRIDE  blocks of N equal pieces that begin STRIDE pieces apart, between them those of\n"
           "                   other blocks, as in a transposition; all entries of the matrix are equal and\n"
           "                   multiples of N\n"
           "\nTopologies, on which each rank has a block of --unit bytes for each neighbour, all periodic:\n"
           "  cart:2, cart:3   a grid of so many dimensions, as even as can be: 4 neighbours, or 6\n"
           "  graph:K          a distributed graph: the next K ranks, from the K ranks before\n");
    if (!whole) {
        irr_cli_more("algorithms, patterns and counters");
        return;
    }
    irr_cli_list("Algorithms", listed_name, listed_text);
    irr_cli_list("Patterns", irr_pattern_name, irr_pattern_text);
    help_counters();
    printf("\nExit status: 0 good, 1 a wrong byte arrived, 2 the input was refused.\n");
}

/* ---- values ---- */

static irr_cli_exit_t read_sweep(const char *text, irr_bench_work_t *work)
{
    const char *colon = strchr(text, ':');
    const char *last = colon != NULL ? colon + 1 : text;
    uint64_t min = 1, max = SWEEP_MAX;

    if ((colon != NULL && colon != text &&
         !irr_cli_size_digits(text, (size_t)(colon - text), 1, INT64_MAX, &min)) ||
        ((colon == NULL || *last != '\0') && !irr_cli_size_digits(last, strlen(last), 1, INT64_MAX, &max)) ||
        min > max) {
        irr_cli_complain("--sweep '%.64s' is not MIN:MAX with integers 1 <= MIN <= MAX, with k, m or g behind them or "
                         "nothing; MAX is " SWEEP_MAX_TEXT " if left out", text);
        return IRR_CLI_REFUSED;
    }
    work->unit_min = min;
    work->unit_max = max;
    return IRR_CLI_GOOD;
}

const char *irr_bench_algorithm_name(int algorithm)
{
    return listed_name(algorithm + OWN);
}

irr_cli_exit_t irr_bench_algorithms_read(const char *list, int algorithms[IRR_BENCH_LIST_MAX], int *count_p)
{
    int count = 0;

    while (list != NULL) {
        char name[64];
        int place;

        irr_cli_take_name(&list, name, sizeof(name));
        place = irr_cli_find("algorithm", name, NULL, listed_name);
        if (place < 0) {
            return IRR_CLI_REFUSED;
        }
        if (count == IRR_BENCH_LIST_MAX) {
            irr_cli_complain("--algorithms names more than the %d allowed", IRR_BENCH_LIST_MAX);
            return IRR_CLI_REFUSED;
        }
        algorithms[count++] = place - OWN;
    }
    *count_p = count;
    return IRR_CLI_GOOD;
}

/* A whole number from `least` on between two places of a text. */
static bool read_part(const char *begin, const char *end, int least, int *value)
{
    uint64_t number;

    if (begin >= end || !irr_cli_digits(begin, (size_t)(end - begin), (uint64_t)least, 1 << 20, &number)) {
        return false;
    }
    *value = (int)number;
    return true;
}

static irr_cli_exit_t read_datatype(const char *text, irr_bench_options_t *options)
{
    irr_bench_work_t *work = &options->work;
    static const char prefix[] = "vector:";
    const size_t length = sizeof(prefix) - 1;
    const char *colon = strncmp(text, prefix, length) == 0 ? strchr(text + length, ':') : NULL;

    options->datatype = text;
    work->call = IRR_BENCH_ALLTOALLW;
    if (colon == NULL || !read_part(text + length, colon, 1, &work->pieces) ||
        !read_part(colon + 1, text + strlen(text), 1, &work->stride)) {
        irr_cli_complain("--datatype '%.64s' is not vector:N:STRIDE with integers from 1 on", text);
        return IRR_CLI_REFUSED;
    }
    return IRR_CLI_GOOD;
}

static irr_cli_exit_t read_neighbor(const char *text, irr_bench_options_t *options)
{
    irr_bench_work_t *work = &options->work;
    static const char prefix[] = "graph:";
    const size_t length = sizeof(prefix) - 1;

    options->pattern = text;
    work->call = IRR_BENCH_NEIGHBOR;
    work->dims = strcmp(text, "cart:2") == 0 ? 2 : strcmp(text, "cart:3") == 0 ? 3 : 0;
    if (work->dims > 0 || (strncmp(text, prefix, length) == 0 &&
                           read_part(text + length, text + strlen(text), 1, &work->degree))) {
        return IRR_CLI_GOOD;
    }
    irr_cli_complain("--neighbor '%.64s' is none of cart:2, cart:3 and graph:K with an integer K from 1 on", text);
    return IRR_CLI_REFUSED;
}

/* A counter has one column, however often it is named, so there is always room. */
static void add_column(irr_bench_options_t *options, int counter)
{
    for (int i = 0; i < options->columns; i++) {
        if (options->column[i] == counter) {
            return;
        }
    }
    options->column[options->columns++] = counter;
}

static irr_cli_exit_t read_columns(const char *list, irr_bench_options_t *options)
{
    options->columns = 0;
    while (list != NULL) {
        char name[64];
        int counter;
        bool all;

        irr_cli_take_name(&list, name, sizeof(name));
        all = strcmp(name, ALL) == 0;
        counter = all ? 0 : irr_cli_find("counter", name, ALL, irr_bench_counter_name);
        if (counter < 0) {
            return IRR_CLI_REFUSED;
        }
        for (int i = counter; i < (all ? IRR_BENCH_COUNTERS : counter + 1); i++) {
            add_column(options, i);
        }
    }
    return IRR_CLI_GOOD;
}

static irr_cli_exit_t read_pattern(const char *name, const char **pattern_p)
{
    if (irr_cli_find("pattern", name, NULL, irr_pattern_name) < 0) {
        return IRR_CLI_REFUSED;
    }
    *pattern_p = name;
    return IRR_CLI_GOOD;
}

/* ---- the command line ---- */

static irr_cli_exit_t read_option(int id, const char *value, void *context)
{
    irr_bench_options_t *options = context;
    irr_bench_work_t *work = &options->work;
    irr_cli_exit_t code;

    switch (id) {
    case OPTION_MATRIX:     options->matrix = value; return IRR_CLI_GOOD;
    case OPTION_PATTERN:    return read_pattern(value, &options->pattern);
    case OPTION_SEED:       return irr_cli_number("seed", value, 0, INT64_MAX, &options->seed);
    case OPTION_SCALE:      return irr_cli_scale(value, &options->scale);
    case OPTION_ALGORITHMS: return irr_bench_algorithms_read(value, work->algorithms, &work->rows);
    case OPTION_COLUMNS:    return read_columns(value, options);
    case OPTION_JSON:       options->json = value; return IRR_CLI_GOOD;
    case OPTION_CSV:        options->csv = value; return IRR_CLI_GOOD;
    case OPTION_PLOT:       options->plot = value; return IRR_CLI_GOOD;
    case OPTION_PERSISTENT: work->persistent = true; return IRR_CLI_GOOD;
    case OPTION_OVERLAP:    work->overlap = true; return IRR_CLI_GOOD;
    case OPTION_TESTS:      return irr_cli_int("tests", value, 0, TESTS_MAX, &work->tests);
    case OPTION_COMPUTE:    return irr_cli_int("compute", value, 1, COMPUTE_MAX, &work->compute_us);
    case OPTION_IDLE:       work->idle = true; return IRR_CLI_GOOD;
    case OPTION_ALLTOALL:   work->call = IRR_BENCH_ALLTOALL; return IRR_CLI_GOOD;
    case OPTION_DATATYPE:   return read_datatype(value, options);
    case OPTION_NEIGHBOR:   return read_neighbor(value, options);
    case OPTION_INTER:      return irr_cli_int("inter", value, 1, INT_MAX, &work->inter);
    case OPTION_IN_PLACE:   work->in_place = true; return IRR_CLI_GOOD;
    case OPTION_NO_CHECK:   work->check = IRR_BENCH_CHECK_NONE; return IRR_CLI_GOOD;
    case 'c':               work->check = IRR_BENCH_CHECK_EACH; return IRR_CLI_GOOD;
    case 'f':               options->full = true; return IRR_CLI_GOOD;
    case 'i':               return irr_cli_int("iterations", value, 1, ITERATIONS_MAX, &work->iterations);
    case 'x':               return irr_cli_int("warmup", value, 0, ITERATIONS_MAX, &work->warmup);
    case 'm':               return read_sweep(value, work);
    default:
        code = irr_cli_size("unit", value, 0, INT64_MAX, &work->unit_min);
        work->unit_max = work->unit_min;
        return code;
    }
}

/* What only makes sense alone; seen[i]: row i of the table was given. */
static irr_cli_exit_t check_together(const bool *seen)
{
    static const char *const clashes[][2] = {
        { "matrix", "pattern" }, { "matrix", "unit" }, { "matrix", "sweep" }, { "unit", "sweep" },
        { "alltoall", "persistent" }, { "alltoall", "datatype" }, { "alltoall", "neighbor" },
        { "datatype", "persistent" }, { "datatype", "neighbor" }, { "neighbor", "persistent" },
        { "matrix", "neighbor" }, { "neighbor", "pattern" }, { "neighbor", "scale" },
        { "neighbor", "inter" }, { "neighbor", "in-place" }, { "inter", "in-place" },
        { "persistent", "in-place" }, { "overlap", "in-place" }   /* wrong bytes by Open MPI 4.1's own */
    };

    for (size_t c = 0; c < sizeof(clashes) / sizeof(clashes[0]); c++) {
        int found = 0;

        for (int i = 0; i < ROWS; i++) {
            found += seen[i] && strcmp(rows[i].name, clashes[c][0]) == 0;
            found += seen[i] && strcmp(rows[i].name, clashes[c][1]) == 0;
        }
        if (found == 2) {
            irr_cli_complain("--%s and --%s exclude each other", clashes[c][0], clashes[c][1]);
            return IRR_CLI_REFUSED;
        }
    }
    return IRR_CLI_GOOD;
}

/* Complains of what is of --overlap, if something is. */
static bool has_of_overlap(const bool *seen)
{
    for (int i = 0; i < ROWS; i++) {
        const int option = rows[i].id;

        if (seen[i] && (option == OPTION_TESTS || option == OPTION_COMPUTE || option == OPTION_IDLE)) {
            irr_cli_complain("--%s is of --overlap, which is not given", rows[i].name);
            return true;
        }
    }
    return false;
}

/* Messages by hand have no persistent form here, and a block cannot arrive where another one is still being sent. */
static irr_cli_exit_t check_by_hand(const irr_bench_work_t *work)
{
    for (int i = 0; i < work->rows; i++) {
        if (work->algorithms[i] == IRR_BENCH_P2P && (work->persistent || work->in_place)) {
            irr_cli_complain("--algorithms p2p and --%s exclude each other",
                             work->in_place ? "in-place" : "persistent");
            return IRR_CLI_REFUSED;
        }
    }
    return IRR_CLI_GOOD;
}

/* Each row once more, persistent. */
static irr_cli_exit_t add_persistent(irr_bench_work_t *work)
{
    const int listed = work->rows;

    if (!irr_bench_persistent()) {
        irr_cli_complain("--persistent: this MPI has no persistent MPI_Alltoallv");
        return IRR_CLI_REFUSED;
    }
    for (int i = 0; i < listed; i++) {
        work->algorithms[listed + i] = work->algorithms[i];
        work->starts[listed + i] = true;
    }
    work->rows = 2 * listed;
    return IRR_CLI_GOOD;
}

irr_cli_exit_t irr_bench_options_read(int argc, char **argv, irr_bench_options_t *options)
{
    bool seen[ROWS] = { false }, done;
    irr_cli_exit_t code;

    *options = (irr_bench_options_t){
        .work = { .check = IRR_BENCH_CHECK_ENDS, .iterations = 100, .warmup = 10, .unit_min = 1024, .unit_max = 1024 },
        .pattern = "uniform", .scale = 1, .seed = 1
    };
    irr_bench_algorithms_read(DEFAULT_LIST, options->work.algorithms, &options->work.rows);
    code = irr_cli_options_read(&table, argc, argv, options, seen, &done);
    if (code != IRR_CLI_GOOD || done) {
        return code;
    }
    if (optind < argc) {
        irr_cli_complain("unexpected argument '%.64s'; irr_bench --help lists the options", argv[optind]);
        return IRR_CLI_REFUSED;
    }
    if (!options->work.overlap && has_of_overlap(seen)) {
        return IRR_CLI_REFUSED;
    }
    options->work.run = true;
    code = check_together(seen);
    if (code == IRR_CLI_GOOD) {
        code = check_by_hand(&options->work);
    }
    return code == IRR_CLI_GOOD && options->work.persistent ? add_persistent(&options->work) : code;
}
