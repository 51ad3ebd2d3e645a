/*
 * plan_options.c - the command line of irr_plan.
 *
 * One table holds the options; see cli_options.h.
 */
#include "plan.h"

#include "cli_options.h"
#include "plan/way.h"

#include <getopt.h>
#include <limits.h>
#include <string.h>

#define LATENCY_MAX ((UINT64_C(1) << 40) - 1)

enum {
    OPTION_ALGORITHM = IRR_CLI_VERSION + 1, OPTION_RANKS, OPTION_PATTERN, OPTION_UNIT, OPTION_SEED, OPTION_MATRIX,
    OPTION_REDISTRIBUTE, OPTION_SCALE, OPTION_DIMS, OPTION_SLICE_MIN, OPTION_LAMBDA, OPTION_LATENCY,
    OPTION_MAX_STEPS, OPTION_SHIFT, OPTION_LOAD, OPTION_SAVE, OPTION_RANK, OPTION_JSON,
    OPTION_ASYNC, OPTION_TOPOLOGY, OPTION_HOSTS, OPTION_HOST_ROUTE, OPTION_PACE, OPTION_GRANTS
};

static const irr_cli_option_t rows[] = {
    { "algorithm", OPTION_ALGORITHM, "NAME",  "row of the table (below); default redist with --redistribute" },
    { "ranks",     OPTION_RANKS,     "P",     "number of ranks; with --matrix, its rows" },
    { "pattern",   OPTION_PATTERN,   "NAME",  "count matrix of a pattern (below); default uniform" },
    { "unit",      OPTION_UNIT,      "BYTES", "unit of the pattern; default 1024" },
    { "seed",      OPTION_SEED,      "N",     "seed of random patterns and of random scheduling; default 1" },
    { "matrix",    OPTION_MATRIX,    "FILE",  "count matrix, Matrix Market coordinate integer, bytes" },
    { "redistribute", OPTION_REDISTRIBUTE, "LIST",
      "x,p,y,q[,N]: N elements of 8 bytes, or --unit, from cyclic(x) on p ranks to cyclic(y) on q" },
    { "scale",     OPTION_SCALE,     "F",     "multiply all entries, to nearest, at least 1; default 1" },
    { "dims",      OPTION_DIMS,      "DIMS",  "sizes of the grid, as in 8x8 or 2^6; for node, its ranks first" },
    { "slice-min", OPTION_SLICE_MIN, "BYTES", "shortest slice of a balanced grid; default "
      IRR_CLI_TEXT(IRR_SLICE_MIN_DEFAULT) "; 0: to the byte" },
    { "lambda",    OPTION_LAMBDA,    "RULE",  "rs_nh: incremental[:L] (default), fixed:L, proportional:F or one" },
    { "latency",   OPTION_LATENCY,   "BYTES", "rs_nh: bytes that travel in the time of a start-up; default "
      IRR_CLI_TEXT(IRR_LATENCY_DEFAULT) },
    { "max-steps", OPTION_MAX_STEPS, "N",     "optimal, aapc: about so many steps at most; default 0: no limit" },
    { "shift",     OPTION_SHIFT,     NULL,    "lp: in step k to (i + k) mod P, for powers of two, too" },
    { "load",      OPTION_LOAD,      "FILE",  "a saved schedule, in place of --algorithm; brings its own matrix" },
    { "save",      OPTION_SAVE,      "FILE",  "write the schedule of a scheduled order to a file, too" },
    { "topology",  OPTION_TOPOLOGY,  "FILE",  "tree of switches: Slurm's topology.conf; ranks fill its hosts" },
    { "hosts",     OPTION_HOSTS,     "LIST",  "the host of each rank, as in n[0-3],m1; some may be the same" },
    { "host-route", OPTION_HOST_ROUTE, "ROUTE", "aapc, several ranks a host: direct (default), or node; node is\n"
      "                        proved without the pieces that a job has with pace sync" },
    { "pace",      OPTION_PACE,      "NAME",  "when messages may start: free (default), loose, grant, or sync of a\n"
      "                        schedule; what a rank tells and awaits is proved and run, too" },
    { "grants",    OPTION_GRANTS,    "N",     "--pace grant: senders that a receiver admits at a time; default "
      IRR_CLI_TEXT(IRR_GRANTS_DEFAULT) },
    { "rank",      OPTION_RANK,      "R",     "print the plan of one rank; with --json, its messages" },
    { "json",      OPTION_JSON,      NULL,    "print the messages of all ranks as JSON" },
    { "async",     OPTION_ASYNC,     NULL,    "draw a schedule whose messages wait for their two ranks alone" },
    { "output",    'o',              "FILE",  "write to a file instead of stdout" },
    { "help",      'h',              NULL,    "this text" },
    { "version",   IRR_CLI_VERSION,   NULL,    "the version" },
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static const char usage[] =
    "usage: irr_plan print|check|draw --algorithm NAME --ranks P [OPTION...]\n"
    "       irr_plan print|check|draw --algorithm NAME --matrix FILE [OPTION...]\n"
    "       irr_plan print|check|draw --redistribute x,p,y,q[,N] [--algorithm NAME] [OPTION...]\n"
    "       irr_plan print|check|draw --load FILE [OPTION...]\n"
    "       irr_plan emit-c --topology FILE [--ranks P] [--hosts LIST] [-o FILE]\n"
    "Shows and proves the plans of all ranks, in one process.\n"
    "\n"
    "  print  the steps of each rank as text, or all messages as JSON\n"
    "  check  prove the plans, run them, and print what they cost, one key=value a line (below)\n"
    "  draw   the messages as an SVG chart, rank by step; of a scheduled order, rank by time; with --topology\n"
    "         the tree of switches and the bytes on its links\n"
    "  emit-c a C file with an MPI_Alltoall for these ranks on these hosts, in the phases of aapc, for any MPI;\n"
    "         the comment at its top says how to use it\n";

static const char figures[] =
    "Figures of check, over all ranks (max) and without what stays on a rank, unless they say otherwise:\n"
    "  ranks                  number of ranks\n"
    "  stages                 stages of the longest plan\n"
    "  steps                  the last step in which a message is sent, summed over the stages\n"
    "  messages_sent_max      messages that one rank sends\n"
    "  messages_received_max  messages that one rank receives\n"
    "  message_bytes_max      bytes of one message\n"
    "  scratch_bytes_max      bytes of scratch on one rank\n"
    "  traffic_bytes_max      bytes that one rank sends, its own and forwarded ones, nothing else\n"
    "  lmax                   bytes that one rank has to send or to receive, those for itself included\n"
    "  header_bytes           bytes of all ranks that describe the messages of a grid in a first run\n"
    "  contention             cases of a rank, stage and step with more than one message received\n"
    "  lemma1                 messages received in a stage (Liu, Wang, Prasanna): ok, or by how much missed\n"
    "  lemma3                 length of a message: the same, with the bytes that whole slices may add\n"
    "  theorem1               scratch: the same\n"
    "  delivered              ok: proved, and every byte arrived in a run; or what is wrong\n"
    "and of the scheduled orders, lp to aapc, as if a step began when the one before has ended on all ranks:\n"
    "  permutations           steps of the schedule\n"
    "  makespan_bytes         the longest message of each step, summed over the steps\n"
    "  async_bytes            the same if a message begins when its two ranks have done with those before it\n"
    "  lower_bound_bytes      bytes that the busiest rank sends or receives; no schedule is shorter\n"
    "  schedule_ms            time that computing the schedule, or reading it, took\n"
    "  splits                 messages sent beyond one for each pair of ranks\n"
    "and with --topology, of what goes over the links between hosts and switches, each direction by itself:\n"
    "  link_contention        cases of a stage, step and directed link with more messages than it carries at a\n"
    "                         time: its speed by that of the slowest host, rounded down, and at least one\n"
    "  load                   bytes on the busiest directed link, by its speed: what a link of the slowest host\n"
    "                         would carry in that time\n"
    "  load_link              that link, FROM->TO, or none\n"
    "and of a schedule on them, where ranks count as links, too, as fast as the slowest host:\n"
    "                         (with --host-route node this schedule is that of the messages between hosts)\n"
    "  link_bound_bytes       load of the busiest rank or directed link; no contention-free schedule is shorter\n"
    "  link_ratio             makespan_bytes by link_bound_bytes; left out where that is 0\n"
    "  syncs                  messages of pair-wise synchronisation that keep those of different steps off each\n"
    "                         other's links; unknown if messages of one step contend there (link_contention)\n"
    "  syncs_removed          others that need not be sent: they follow from those and from the ranks' own order\n"
    "  phases                 aapc: steps of the schedule; with equal counts, messages over the busiest link,\n"
    "                         if it carries one at a time\n"
    "  root                   aapc: the switch or host where the subtrees meet, none with over half of the ranks\n"
    "The paper has lemma1 for a3 and a4, and the others for a4, without --dims; other rows have nothing to miss\n"
    "there and print ok. With --slice-min above 1 the bounds have room for slices that long.\n";

static irr_cli_exit_t read_option(int id, const char *value, void *context);
static void help(void);

static const irr_cli_options_t table = { rows, ROWS, help, read_option };

static void help(void)
{
    printf("%s\n", usage);
    irr_cli_options_print(&table);
    printf("\n%s", figures);
    irr_cli_list("Algorithms", irr_algorithm_name, irr_algorithm_text);
    irr_cli_list("Patterns", irr_pattern_name, irr_pattern_text);
    printf("\nExit status: 0 good, 1 the plans do not deliver or miss a bound, or there is contention\n"
           "where the row has none (all but ac, and dims of your own with a longer last row than rows above it;\n"
           "of aapc with --topology, on a link),\n"
           "2 the input was refused.\n");
}

/* ---- values ---- */

static const char *command_name(int i)
{
    static const char *const names[] = { "print", "check", "draw", "emit-c", NULL };

    return names[i];
}

/* ---- the command line ---- */

static irr_cli_exit_t read_algorithm(const char *name, irr_tool_options_t *options)
{
    options->algorithm = irr_cli_find("algorithm", name, NULL, irr_algorithm_name);
    return options->algorithm >= 0 ? IRR_CLI_GOOD : IRR_CLI_REFUSED;
}

static irr_cli_exit_t read_pattern(const char *name, irr_tool_options_t *options)
{
    options->pattern = irr_pattern_name(irr_cli_find("pattern", name, NULL, irr_pattern_name));
    return options->pattern != NULL ? IRR_CLI_GOOD : IRR_CLI_REFUSED;
}

static irr_cli_exit_t read_host_route(const char *name, irr_tool_options_t *options)
{
    const int route = irr_cli_find("host route", name, NULL, irr_host_route_name);

    options->host_route = route >= 0 ? (irr_host_route_t)route : IRR_HOST_ROUTE_AUTO;
    return route >= 0 ? IRR_CLI_GOOD : IRR_CLI_REFUSED;
}

static irr_cli_exit_t read_pace(const char *name, irr_tool_options_t *options)
{
    const int pace = irr_cli_find("pace", name, NULL, irr_pacing_name);

    options->pace = pace >= 0 ? (irr_pacing_t)pace : IRR_PACE_AUTO;
    return pace >= 0 ? IRR_CLI_GOOD : IRR_CLI_REFUSED;
}

static irr_cli_exit_t read_dims(const char *value, irr_dims_t *dims)
{
    if (irr_dims_parse(value, dims) == IRR_OK) {
        return IRR_CLI_GOOD;
    }
    irr_cli_complain("--dims '%.64s' is not auto or sizes of at least 2, as in 8x8 or 4x2^3, %d at most", value,
                     IRR_DIMS_MAX);
    return IRR_CLI_REFUSED;
}

static irr_cli_exit_t read_lambda(const char *value, irr_lambda_t *lambda)
{
    if (irr_lambda_parse(value, lambda) == IRR_OK) {
        return IRR_CLI_GOOD;
    }
    irr_cli_complain("--lambda '%.64s' is not incremental, incremental:L or fixed:L with L above 0 and at most 1, "
                     "proportional:F with F at most 100, or one", value);
    return IRR_CLI_REFUSED;
}

static irr_cli_exit_t read_redistribution(const char *value, irr_tool_options_t *options)
{
    options->redistribute = value;
    return irr_cli_redistribution(value, IRR_TOOL_RANKS_MAX, &options->scheduled.redistribution);
}

static irr_cli_exit_t read_option(int id, const char *value, void *context)
{
    irr_tool_options_t *options = context;

    switch (id) {
    case OPTION_ALGORITHM: return read_algorithm(value, options);
    case OPTION_RANKS:     return irr_cli_int("ranks", value, 1, IRR_TOOL_RANKS_MAX, &options->ranks);
    case OPTION_PATTERN:   return read_pattern(value, options);
    case OPTION_UNIT:      return irr_cli_number("unit", value, 0, INT64_MAX, &options->unit);
    case OPTION_SEED:      return irr_cli_number("seed", value, 0, INT64_MAX, &options->seed);
    case OPTION_MATRIX:    options->matrix = value; return IRR_CLI_GOOD;
    case OPTION_REDISTRIBUTE: return read_redistribution(value, options);
    case OPTION_SCALE:     return irr_cli_scale(value, &options->scale);
    case OPTION_DIMS:      return read_dims(value, &options->dims);
    case OPTION_SLICE_MIN: return irr_cli_number("slice-min", value, 0, INT64_MAX, &options->slice_min);
    case OPTION_LAMBDA:    return read_lambda(value, &options->scheduled.lambda);
    case OPTION_LATENCY:   return irr_cli_number("latency", value, 0, LATENCY_MAX, &options->scheduled.latency);
    case OPTION_MAX_STEPS: return irr_cli_int("max-steps", value, 0, INT32_MAX, &options->scheduled.max_steps);
    case OPTION_SHIFT:     options->scheduled.shift = true; return IRR_CLI_GOOD;
    case OPTION_LOAD:      options->load = value; return IRR_CLI_GOOD;
    case OPTION_SAVE:      options->save = value; return IRR_CLI_GOOD;
    case OPTION_TOPOLOGY:  options->topology = value; return IRR_CLI_GOOD;
    case OPTION_HOSTS:     options->hosts = value; return IRR_CLI_GOOD;
    case OPTION_HOST_ROUTE: return read_host_route(value, options);
    case OPTION_PACE:      return read_pace(value, options);
    case OPTION_GRANTS:    return irr_cli_number("grants", value, 1, INT32_MAX, &options->grants);
    case OPTION_RANK:      return irr_cli_int("rank", value, 0, IRR_TOOL_RANKS_MAX - 1, &options->rank);
    case OPTION_JSON:      options->json = true; return IRR_CLI_GOOD;
    case OPTION_ASYNC:     options->async = true; return IRR_CLI_GOOD;
    default:               options->output = value; return IRR_CLI_GOOD;
    }
}

/* The one argument that is no option. */
static irr_cli_exit_t read_command(int argc, char **argv, irr_tool_options_t *options)
{
    int command;

    if (optind == argc) {
        irr_cli_complain("what to do is missing: print, check, draw or emit-c; irr_plan --help lists the options");
        return IRR_CLI_REFUSED;
    }
    command = irr_cli_find("command", argv[optind], NULL, command_name);
    if (command < 0) {
        return IRR_CLI_REFUSED;
    }
    if (optind + 1 < argc) {
        irr_cli_complain("unexpected argument '%.64s'; irr_plan --help lists the options", argv[optind + 1]);
        return IRR_CLI_REFUSED;
    }
    options->command = (irr_tool_command_t)(IRR_TOOL_PRINT + command);
    return IRR_CLI_GOOD;
}

/* The row of an id that the table has. */
static int row_of(int id)
{
    int i = 0;

    while (rows[i].id != id) {
        i++;
    }
    return i;
}

static bool is_seen(const bool *seen, int id)
{
    return seen[row_of(id)];
}

/* Is it a scheduled order, as "auto" is on several hosts? */
static bool may_schedule(const irr_tool_options_t *options)
{
    const int hosts = options->topology != NULL ? INT_MAX : 1;
    const irr_way_t *way = irr_algorithm_way(irr_algorithm_resolve(options->algorithm, hosts));

    return way != NULL && irr_way_is_scheduled(way);
}

/*
 * A matrix comes from one place: a file, a redistribution, or a pattern.  The seed of a scheduled order goes with
 * each.  seen[i]: row i was given.
 */
static irr_cli_exit_t check_source(const bool *seen, bool scheduled)
{
    static const struct { int one, other; } clashes[] = {
        { OPTION_MATRIX, OPTION_PATTERN }, { OPTION_MATRIX, OPTION_UNIT }, { OPTION_MATRIX, OPTION_SEED },
        { OPTION_MATRIX, OPTION_REDISTRIBUTE }, { OPTION_REDISTRIBUTE, OPTION_PATTERN },
        { OPTION_REDISTRIBUTE, OPTION_SEED }, { OPTION_REDISTRIBUTE, OPTION_RANKS },
        { OPTION_LOAD, OPTION_ALGORITHM }, { OPTION_LOAD, OPTION_SAVE }
    };

    for (size_t c = 0; c < sizeof(clashes) / sizeof(clashes[0]); c++) {
        if (is_seen(seen, clashes[c].one) && is_seen(seen, clashes[c].other) &&
            !(scheduled && clashes[c].other == OPTION_SEED)) {
            irr_cli_complain("--%s and --%s exclude each other", rows[row_of(clashes[c].one)].name,
                             rows[row_of(clashes[c].other)].name);
            return IRR_CLI_REFUSED;
        }
    }
    return IRR_CLI_GOOD;
}

/* What changes a matrix needs one to change; that of a loaded schedule is as it is. */
static irr_cli_exit_t check_changes(const irr_tool_options_t *options, const bool *seen)
{
    static const int changes[] = { OPTION_UNIT, OPTION_SEED, OPTION_SCALE };

    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        if (irr_tool_source(options) == options->load && is_seen(seen, changes[i])) {
            irr_cli_complain("--%s needs a matrix beside --load: --matrix, --pattern or --redistribute",
                             rows[row_of(changes[i])].name);
            return IRR_CLI_REFUSED;
        }
    }
    return IRR_CLI_GOOD;
}

/* What a scheduled order needs. */
static irr_cli_exit_t check_scheduled(const irr_tool_options_t *options)
{
    const irr_way_t *way = irr_algorithm_way(options->algorithm);

    if (way != NULL && way->order == &irr_order_redist && options->redistribute == NULL) {
        irr_cli_complain("algorithm %s needs --redistribute", way->order->name);
        return IRR_CLI_REFUSED;
    }
    return IRR_CLI_GOOD;
}

/* The file is made from the tree alone. */
static irr_cli_exit_t check_emit(const irr_tool_options_t *options, const bool *seen)
{
    static const int takes[] = { OPTION_TOPOLOGY, OPTION_HOSTS, OPTION_RANKS, 'o' };
    bool taken[ROWS] = { false };

    for (size_t i = 0; i < sizeof(takes) / sizeof(takes[0]); i++) {
        taken[row_of(takes[i])] = true;
    }
    for (int i = 0; i < ROWS; i++) {
        if (seen[i] && !taken[i]) {
            irr_cli_complain("--%s does not go with emit-c, which takes --topology, --hosts, --ranks and --output",
                             rows[i].name);
            return IRR_CLI_REFUSED;
        }
    }
    if (options->topology == NULL) {
        irr_cli_complain("emit-c needs --topology");
        return IRR_CLI_REFUSED;
    }
    return IRR_CLI_GOOD;
}

/* What is missing or does not go together. */
static irr_cli_exit_t check_together(const irr_tool_options_t *options, const bool *seen)
{
    const char *complaint = NULL;

    if (options->algorithm < 0 && options->load == NULL) {
        complaint = "--algorithm is missing; irr_plan --help lists the algorithms";
    } else if (options->ranks == 0 && irr_tool_source(options) == options->pattern && options->load == NULL &&
               options->topology == NULL) {
        complaint = "--ranks or --matrix is missing";
    } else if (options->hosts != NULL && options->topology == NULL) {
        complaint = "--hosts goes with --topology only";
    } else if (options->host_route == IRR_HOST_ROUTE_NODE &&
               (options->topology == NULL || options->load != NULL || options->save != NULL)) {
        complaint = "--host-route node needs --topology, and goes with neither --load nor --save";
    } else if (options->grants > 0 && options->pace != IRR_PACE_GRANT) {
        complaint = "--grants goes with --pace grant only";
    } else if (options->async && options->topology != NULL) {
        complaint = "--async does not go with --topology, whose drawing has no time";
    } else if (options->command != IRR_TOOL_PRINT && options->json) {
        complaint = "--json goes with print only";
    } else if (options->command != IRR_TOOL_PRINT && options->rank != IRR_TOOL_ALL_RANKS) {
        complaint = "--rank goes with print only";
    } else if (options->async && (options->command != IRR_TOOL_DRAW ||
                                  !irr_tool_has_schedule(options, options->algorithm))) {
        complaint = "--async goes with draw only, and with a schedule";
    }
    if (complaint != NULL) {
        irr_cli_complain("%s", complaint);
        return IRR_CLI_REFUSED;
    }
    return options->load != NULL ? check_changes(options, seen) : check_scheduled(options);
}

/* What was not given and follows from what was. */
static void set_defaults(const bool *seen, irr_tool_options_t *options)
{
    if (options->redistribute != NULL && !is_seen(seen, OPTION_UNIT)) {
        options->unit = 8;
    }
    if (options->redistribute != NULL && options->load == NULL && options->algorithm < 0) {
        options->algorithm = irr_algorithm_find("redist");
    }
    if (irr_tool_source(options) == NULL) {
        options->pattern = "uniform";
    }
    options->scheduled.seed = options->seed;
    options->scheduled.redistribution.unit = options->unit;
}

irr_cli_exit_t irr_tool_options_read(int argc, char **argv, irr_tool_options_t *options)
{
    bool seen[ROWS] = { false }, done;
    irr_cli_exit_t code;

    *options = (irr_tool_options_t){
        .command = IRR_TOOL_NOTHING, .algorithm = -1, .unit = 1024, .seed = 1, .scale = 1,
        .slice_min = IRR_SLICE_MIN_DEFAULT, .rank = IRR_TOOL_ALL_RANKS,
        .scheduled = { .lambda = IRR_LAMBDA_DEFAULT, .latency = IRR_LATENCY_DEFAULT }
    };
    code = irr_cli_options_read(&table, argc, argv, options, seen, &done);
    if (code != IRR_CLI_GOOD || done) {
        return code;
    }
    set_defaults(seen, options);
    code = read_command(argc, argv, options);
    if (code == IRR_CLI_GOOD && options->command == IRR_TOOL_EMIT) {
        return check_emit(options, seen);
    }
    if (code == IRR_CLI_GOOD) {
        code = check_source(seen, may_schedule(options));
    }
    return code == IRR_CLI_GOOD ? check_together(options, seen) : code;
}
