/*
 * bench_options.c - the command line of irr_bench: its table (cli_options.h), and functions that read its own values.
 */
#include "bench.h"

#include "cli_options.h"

#include <limits.h>
#include <string.h>

#define ITERATIONS_MAX 10000000
#define TESTS_MAX      1000000
#define COMPUTE_MAX    1000000000   /* microseconds */
#define DEFAULT_LIST   "host,direct"
#define ALL            "all"
#define SWEEP_MAX      (UINT64_C(1) << 20)   /* the end of a sweep without MAX */
#define SWEEP_MAX_TEXT "1m"

/* ---- names ---- */

/* Names of --algorithms that are not in the table of algorithms. */
static const struct { const char *name, *text; } own[] = {
    { "host", "Open MPI's implementation, without coll/irr" },
    { "p2p", "MPI_Irecv and MPI_Isend for each nonempty block, then MPI_Waitall; without coll/irr" }
};

enum { OWN = sizeof(own) / sizeof(own[0]) };

_Static_assert(IRR_BENCH_HOST == -OWN, "the number of an algorithm is its index in the list minus OWN");

static const char *listed_name(int i)
{
    return i < OWN ? own[i].name : irr_algorithm_name(i - OWN);
}

static const char *listed_text(int i)
{
    return i < OWN ? own[i].text : irr_algorithm_text(i - OWN);
}

const char *irr_bench_algorithm_name(int algorithm)
{
    return listed_name(algorithm + OWN);
}

/* ---- values ---- */

static irr_cli_exit_t read_sweep(const char *text, void *target)
{
    irr_bench_work_t *work = &((irr_bench_options_t *)target)->work;
    const char *colon = strchr(text, ':');
    const char *last = colon != NULL ? colon + 1 : text;
    uint64_t min = 1, max = SWEEP_MAX;

    if ((colon != NULL && colon != text && !irr_cli_size_digits(text, (size_t)(colon - text), 1, INT64_MAX, &min)) ||
        ((colon == NULL || *last != '\0') && !irr_cli_size_digits(last, strlen(last), 1, INT64_MAX, &max)) ||
        min > max) {
        return irr_cli_complain("--sweep '%.64s' is not MIN:MAX with integers 1 <= MIN <= MAX, each with an optional "
                                "suffix k, m or g; the default of MAX is " SWEEP_MAX_TEXT, text);
    }
    work->unit_min = min;
    work->unit_max = max;
    return IRR_CLI_GOOD;
}

static irr_cli_exit_t read_algorithms(const char *list, void *target)
{
    irr_bench_work_t *work = &((irr_bench_options_t *)target)->work;
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
            return irr_cli_complain("--algorithms has more than %d names", IRR_BENCH_LIST_MAX);
        }
        work->algorithms[count++] = place - OWN;
    }
    work->rows = count;
    return IRR_CLI_GOOD;
}

/* Reads an integer from the characters from `begin` up to `end`.  Returns false if it is no integer of at least 1. */
static bool read_number(const char *begin, const char *end, int *value)
{
    uint64_t number;

    if (!irr_lines_digits(begin, (size_t)(end - begin), 1, 1 << 20, &number)) {
        return false;
    }
    *value = (int)number;
    return true;
}

/* Returns the text after a prefix, or NULL if the text does not begin with the prefix. */
static const char *after(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0 ? text + strlen(prefix) : NULL;
}

static irr_cli_exit_t read_datatype(const char *text, void *target)
{
    irr_bench_options_t *options = target;
    irr_bench_work_t *work = &options->work;
    const char *pieces = after(text, "vector:"), *colon = pieces != NULL ? strchr(pieces, ':') : NULL;

    options->datatype = text;
    work->call = IRR_BENCH_ALLTOALLW;
    if (colon == NULL || !read_number(pieces, colon, &work->pieces) ||
        !read_number(colon + 1, text + strlen(text), &work->stride)) {
        return irr_cli_complain("--datatype '%.64s' is not vector:N:STRIDE with positive integers", text);
    }
    return IRR_CLI_GOOD;
}

static irr_cli_exit_t read_neighbor(const char *text, void *target)
{
    irr_bench_options_t *options = target;
    irr_bench_work_t *work = &options->work;
    const char *degree = after(text, "graph:");

    options->pattern = text;
    work->call = IRR_BENCH_NEIGHBOR;
    work->dims = strcmp(text, "cart:2") == 0 ? 2 : strcmp(text, "cart:3") == 0 ? 3 : 0;
    if (work->dims > 0 || (degree != NULL && read_number(degree, text + strlen(text), &work->degree))) {
        return IRR_CLI_GOOD;
    }
    return irr_cli_complain("--neighbor '%.64s' is none of cart:2, cart:3 and graph:K with a positive integer K", text);
}

/* Adds a counter to the columns, which have room for all counters, unless it is a column already. */
static void add_column(irr_bench_options_t *options, int counter)
{
    int i = 0;

    while (i < options->columns && options->column[i] != counter) {
        i++;
    }
    options->column[i] = counter;
    options->columns += i == options->columns;
}

static irr_cli_exit_t read_columns(const char *list, void *target)
{
    irr_bench_options_t *options = target;

    options->columns = 0;
    while (list != NULL) {
        char name[64];
        int first = 0, last = IRR_BENCH_COUNTERS - 1;

        irr_cli_take_name(&list, name, sizeof(name));
        if (strcmp(name, ALL) != 0) {
            first = last = irr_cli_find("counter", name, ALL, irr_bench_counter_name);
        }
        if (first < 0) {
            return IRR_CLI_REFUSED;
        }
        for (int i = first; i <= last; i++) {
            add_column(options, i);
        }
    }
    return IRR_CLI_GOOD;
}

/* ---- the table ---- */

#define AT(member)   IRR_CLI_FIELD(irr_bench_options_t, member)
#define WORK(member) AT(work.member)

static const irr_cli_option_t rows[] = {
    { "matrix", 0, "FILE", "Matrix Market file (coordinate integer) with the count matrix in bytes", IRR_CLI_STRING,
      AT(matrix) },
    { "pattern", 0, "NAME", "make the count matrix from a pattern (below); default uniform", IRR_CLI_NAME, AT(pattern),
      .names = irr_pattern_name },
    { "unit", 0, "BYTES", "number of bytes of a unit of the pattern; default 1024", IRR_CLI_SIZE, WORK(unit_min), 0,
      INT64_MAX },
    { "sweep", 'm', "MIN:MAX", "measure with the units MIN, 2 MIN, 4 MIN and so on up to MAX, as OSU's "
      "benchmarks do; MIN defaults to 1 and MAX to " SWEEP_MAX_TEXT, IRR_CLI_OTHER, .read = read_sweep },
    { "seed", 0, "N", "seed of random patterns; default 1", IRR_CLI_NUMBER, AT(seed), 0, INT64_MAX },
    { "scale", 0, "F", "multiply all entries of the matrix by F and round; nonzero entries stay nonzero; default 1",
      IRR_CLI_SCALE, AT(scale) },
    { "algorithms", 0, "LIST", "names of algorithms (below), separated by commas; default " DEFAULT_LIST, IRR_CLI_OTHER,
      .read = read_algorithms },
    { "persistent", 0, NULL, "add a row for each algorithm: MPI_Start and MPI_Wait of a persistent MPI_Alltoallv",
      IRR_CLI_FLAG, WORK(persistent) },
    { "overlap", 0, NULL, "time the nonblocking call with a computation between its start and its MPI_Wait; the "
      "computation takes as long as the call alone", IRR_CLI_FLAG, WORK(overlap) },
    { "tests", 0, "N", "with --overlap: number of calls of MPI_Test during the computation; default 0", IRR_CLI_NUMBER,
      WORK(tests), 0, TESTS_MAX },
    { "compute", 0, "US", "with --overlap: duration of the computation in microseconds; default: the time of the call "
      "alone", IRR_CLI_NUMBER, WORK(compute_us), 1, COMPUTE_MAX },
    { "idle", 0, NULL, "with --overlap: sleep instead of computing, which leaves the processor to other ranks",
      IRR_CLI_FLAG, WORK(idle) },
    { "loop", 0, "KIND", "time all iterations and their last third as a whole, without barriers between them, and "
      "print one line of JSON; irr_jobs starts such jobs; KIND says which calls are made (Loops, below)", IRR_CLI_NAME,
      WORK(loop), IRR_BENCH_LOOP_SAME, .names = irr_bench_loop_name },
    { "alltoall", 0, NULL, "time MPI_Alltoall; the matrix must have equal entries", IRR_CLI_SET, WORK(call),
      IRR_BENCH_ALLTOALL },
    { "datatype", 0, "TYPE", "time MPI_Alltoallw on blocks of a datatype (below)", IRR_CLI_OTHER,
      .read = read_datatype },
    { "neighbor", 0, "TOPOLOGY", "time MPI_Neighbor_alltoallv on a topology (below)", IRR_CLI_OTHER,
      .read = read_neighbor },
    { "inter", 0, "N", "time the call on an intercommunicator between the first N ranks and the others; entries of the "
      "matrix within a group are ignored", IRR_CLI_NUMBER, WORK(inter), 1, INT_MAX },
    { "in-place", 0, NULL, "time the call with MPI_IN_PLACE; the matrix must be symmetric", IRR_CLI_FLAG,
      WORK(in_place) },
    { "iterations", 'i', "N", "measured iterations; default 100", IRR_CLI_NUMBER, WORK(iterations), 1, ITERATIONS_MAX },
    { "warmup", 'x', "N", "iterations before the measured ones; default 10", IRR_CLI_NUMBER, WORK(warmup), 0,
      ITERATIONS_MAX },
    { "check", 'c', NULL, "compare every byte of each exchange, so that each exchange begins with cold caches; "
      "default: compare one exchange before the warm-up and one after the iterations", IRR_CLI_SET, WORK(check),
      IRR_BENCH_CHECK_EACH },
    { "no-check", 0, NULL, "compare nothing", IRR_CLI_SET, WORK(check), IRR_BENCH_CHECK_NONE },
    { "full", 'f', NULL, "add columns: mean, 90th and 99th percentile, iterations", IRR_CLI_FLAG, AT(full) },
    { "columns", 0, "LIST", "add columns: names of counters (below), separated by commas, or " ALL, IRR_CLI_OTHER,
      .read = read_columns },
    { "json", 0, "FILE", "write parameters, results, all times in microseconds, and counters to a file that "
      "irr_chart can draw", IRR_CLI_STRING, AT(json) },
    { "csv", 0, "FILE", "write one line for each row to a file; times in microseconds", IRR_CLI_STRING, AT(csv) },
    IRR_CLI_ROW_ALGORITHMS,
    IRR_CLI_ROW_HELP,
    IRR_CLI_ROW_VERSION,
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

_Static_assert(ROWS <= IRR_CLI_OPTIONS_MAX, "the table is read");

static const char usage[] =
    "Usage: irr_bench [--matrix FILE | --pattern NAME --unit BYTES] [OPTION...]\n"
    "Times MPI_Alltoallv, or another call, in one job with several algorithms of coll/irr and without\n"
    "coll/irr.  A row whose name ends in -start times one start of a persistent request.\n";

static const char notes[] =
    "\nBYTES, MIN and MAX may have a suffix k, m or g, for 2^10, 2^20, 2^30.\n"
    "\nhost/this: median time of host divided by the median time of the row; above 1 if the row is\n"
    "faster.  interval: the confidence interval of this ratio (at least 95 %) if iterations are\n"
    "independent; no-difference if it contains 1.  MB/s: 10^6 bytes per second that the busiest rank\n"
    "sends or receives.\n"
    "\nDatatypes:\n"
    "  vector:N:STRIDE  each block has N pieces of equal length; a piece begins STRIDE lengths after the\n"
    "                   piece before it; pieces of other blocks are between them, as in a\n"
    "                   transposition; all entries of the matrix must be equal and multiples of N\n"
    "\nTopologies, all periodic; each rank has a block of --unit bytes for each neighbour:\n"
    "  cart:2, cart:3   a grid of 2 or 3 dimensions of similar size: 4 or 6 neighbours\n"
    "  graph:K          a distributed graph: each rank sends to the next K ranks\n";

static void print_more(void)
{
    irr_cli_list("Algorithms", listed_name, listed_text);
    irr_cli_list("Patterns", irr_pattern_name, irr_pattern_text);
    irr_cli_list("Loops", irr_bench_loop_name, irr_bench_loop_text);
    printf("\nCounters of coll/irr: the increase per measured exchange, on the rank with the largest value.  For a\n"
           "gauge: its value after the exchanges.  If a gauge is a maximum, it includes earlier rows and units.\n"
           "To get the maximum of one algorithm and one unit, measure nothing else in the job:\n");
    irr_cli_list(NULL, irr_bench_counter_name, irr_bench_counter_text);
    printf("\n" IRR_CLI_STATUSES("a wrong byte arrived, or failure") "\n");
}

static const irr_cli_table_t table = {
    .usage = usage, .rows = rows, .count = ROWS, .notes = notes,
    .topics = "algorithms, patterns, loops and counters", .more = print_more,
    .listed = listed_name, .listed_text = listed_text
};

/* ---- the command line ---- */

static irr_cli_exit_t check_together(const irr_cli_line_t *line)
{
    static const irr_cli_pair_t needs[] = { { "tests", "overlap" }, { "compute", "overlap" }, { "idle", "overlap" } };
    static const irr_cli_pair_t pairs[] = {
        { "matrix", "pattern" }, { "matrix", "unit" }, { "matrix", "sweep" }, { "unit", "sweep" },
        { "alltoall", "persistent" }, { "alltoall", "datatype" }, { "alltoall", "neighbor" },
        { "datatype", "persistent" }, { "datatype", "neighbor" }, { "neighbor", "persistent" },
        { "matrix", "neighbor" }, { "neighbor", "pattern" }, { "neighbor", "scale" },
        { "neighbor", "inter" }, { "neighbor", "in-place" }, { "inter", "in-place" },
        { "persistent", "in-place" }, { "overlap", "in-place" },   /* Open MPI 4.1 gives wrong bytes */
        { "loop", "sweep" }, { "loop", "algorithms" }, { "loop", "persistent" }, { "loop", "overlap" },
        { "loop", "datatype" }, { "loop", "inter" }, { "loop", "in-place" },
        { "loop", "json" }, { "loop", "csv" }
    };

    return irr_cli_check_pairs(line, true, needs, sizeof(needs) / sizeof(needs[0])) != IRR_CLI_GOOD
               ? IRR_CLI_REFUSED : irr_cli_check_pairs(line, false, pairs, sizeof(pairs) / sizeof(pairs[0]));
}

/*
 * Refuses rows of point-to-point messages together with --persistent, which does not support them, or with
 * --in-place: a message would arrive in a block that is still being sent.  Refuses loops that need the blocks of a
 * matrix for another call.
 */
static irr_cli_exit_t check_by_hand(const irr_bench_work_t *work)
{
    const bool neighbor = work->call == IRR_BENCH_NEIGHBOR;

    if ((work->loop == IRR_BENCH_LOOP_PARTNERS && work->call != IRR_BENCH_ALLTOALLV) ||
        (work->loop == IRR_BENCH_LOOP_NEW && neighbor)) {
        return irr_cli_complain("--loop %s and --%s exclude each other",
                                irr_bench_loop_name((int)work->loop - IRR_BENCH_LOOP_SAME),
                                neighbor ? "neighbor" : "alltoall");
    }
    for (int i = 0; i < work->rows; i++) {
        if (work->algorithms[i] == IRR_BENCH_P2P && (work->persistent || work->in_place)) {
            return irr_cli_complain("--algorithms p2p and --%s exclude each other",
                                    work->in_place ? "in-place" : "persistent");
        }
    }
    return IRR_CLI_GOOD;
}

static irr_cli_exit_t add_persistent(irr_bench_work_t *work)
{
    const int listed = work->rows;

    if (!irr_bench_persistent()) {
        return irr_cli_complain("--persistent: this MPI has no persistent MPI_Alltoallv");
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
    irr_bench_work_t *work = &options->work;
    irr_cli_line_t line;
    irr_cli_exit_t code;

    *options = (irr_bench_options_t){
        .work = { .check = IRR_BENCH_CHECK_ENDS, .iterations = 100, .warmup = 10, .unit_min = 1024, .unit_max = 1024 },
        .pattern = "uniform", .scale = 1, .seed = 1
    };
    read_algorithms(DEFAULT_LIST, options);
    code = irr_cli_read(&table, argc, argv, options, &line);
    if (code != IRR_CLI_GOOD || line.done) {
        return code;
    }
    code = check_together(&line);
    if (code != IRR_CLI_GOOD) {
        return code;
    }
    work->run = true;
    work->unit_max = irr_cli_given(&line, "sweep") ? work->unit_max : work->unit_min;
    options->scale *= work->loop == IRR_BENCH_LOOP_NEW ? 2 : 1;   /* with `new` the entries are means */
    code = check_by_hand(work);
    return code == IRR_CLI_GOOD && work->persistent ? add_persistent(work) : code;
}
