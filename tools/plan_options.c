/*
 * plan_options.c - the command line of irr_plan.
 *
 * One table holds the options; see cli_options.h.
 */
#include "plan.h"

#include "plan/way.h"

#include <getopt.h>
#include <limits.h>
#include <string.h>

#define LATENCY_MAX ((UINT64_C(1) << 40) - 1)

enum {
    OPTION_ALGORITHM = IRR_CLI_VERSION + 1, OPTION_RANKS, OPTION_PATTERN, OPTION_UNIT, OPTION_SEED, OPTION_MATRIX,
    OPTION_REDISTRIBUTE, OPTION_SCALE, OPTION_DIMS, OPTION_SLICE_MIN, OPTION_LAMBDA, OPTION_LATENCY,
    OPTION_MAX_STEPS, OPTION_SHIFT, OPTION_LOAD, OPTION_SAVE, OPTION_RANK, OPTION_JSON,
    OPTION_ASYNC, OPTION_TOPOLOGY, OPTION_HOSTS, OPTION_HOST_ROUTE, OPTION_PACE, OPTION_GRANTS,
    OPTION_MACHINE, OPTION_ALGORITHMS, OPTION_RANKS_PER_NODE, OPTION_DIRECT_BYTES,
    OPTION_IN_PLACE,
    OPTION_LEAD, OPTION_PIECE, OPTION_WINDOW, OPTION_WINDOW_BYTES
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
    { "dims",      OPTION_DIMS,      "DIMS",  "sizes of the grid, as in 8x8 or 2^6" },
    { "slice-min", OPTION_SLICE_MIN, "BYTES", "shortest slice of a balanced grid; default "
      IRR_CLI_TEXT(IRR_SLICE_MIN_DEFAULT) "; 0: to the byte" },
    { "direct-bytes", OPTION_DIRECT_BYTES, "BYTES", "hybrid, node: so long messages go directly, 0: none; default "
      IRR_CLI_TEXT(IRR_DIRECT_DEFAULT) " (as the model says in simulate), " IRR_CLI_TEXT(IRR_NODE_DIRECT_DEFAULT) },
    { "ranks-per-node", OPTION_RANKS_PER_NODE, "N", "ranks in a row that share a node; default the hosts of "
      "--topology, else 1; for node as many as make a square" },
    { "in-place",  OPTION_IN_PLACE,  NULL,    "as with MPI_IN_PLACE, for counts that are alike both ways: direct "
      "messages go in pairs, also where there would be a schedule" },
    { "lambda",    OPTION_LAMBDA,    "RULE",  "rs_nh: incremental[:L] (default), fixed:L, proportional:F or one" },
    { "latency",   OPTION_LATENCY,   "BYTES", "rs_nh: bytes that travel in the time of a start-up; default "
      IRR_CLI_TEXT(IRR_LATENCY_DEFAULT) },
    { "max-steps", OPTION_MAX_STEPS, "N",     "optimal, aapc: about so many steps at most; default 0: no limit" },
    { "shift",     OPTION_SHIFT,     NULL,    "lp: in step k to (i + k) mod P, for powers of two, too" },
    { "load",      OPTION_LOAD,      "FILE",  "a saved schedule, in place of --algorithm; brings its own matrix" },
    { "save",      OPTION_SAVE,      "FILE",  "write the schedule of a scheduled order to a file, too" },
    { "topology",  OPTION_TOPOLOGY,  "FILE",  "tree of switches: Slurm's topology.conf; ranks fill its hosts" },
    { "hosts",     OPTION_HOSTS,     "LIST",  "the host of each rank, as in n[0-3],m1; some may be the same" },
    { "host-route", OPTION_HOST_ROUTE, "ROUTE", "aapc, several ranks a host: direct (default), or node" },
    { "pace",      OPTION_PACE,      "NAME",  "when messages may start: free, loose, grant, sync of a schedule, or "
      "auto (default), the algorithm's own; what a rank tells and awaits is proved and run, too" },
    { "grants",    OPTION_GRANTS,    "N",     "--pace grant: senders that a receiver admits at a time; default "
      IRR_CLI_TEXT(IRR_GRANTS_DEFAULT) },
    { "lead",      OPTION_LEAD,      "BYTES", "pace sync: a rank signals so many bytes before the end of what it "
      "receives; default " IRR_CLI_TEXT(IRR_LEAD_DEFAULT) },
    { "piece",     OPTION_PIECE,     "BYTES", "with a schedule: longer messages go in pieces; default 0: no limit" },
    { "window",    OPTION_WINDOW,    "N",     "messages that a rank has in flight at most; default 0: no limit" },
    { "window-bytes", OPTION_WINDOW_BYTES, "BYTES", "bytes that a rank has in flight at most; default 0: no limit" },
    { "machine",   OPTION_MACHINE,   "FILE",  "simulate, recommend: constants of the machine (below)" },
    { "algorithms", OPTION_ALGORITHMS, "LIST",
      "simulate, recommend: ways, as in host,a1,a1/loose,a3/32x32" },
    { "rank",      OPTION_RANK,      "R",     "print the plan of one rank; with --json, its messages" },
    { "json",      OPTION_JSON,      NULL,    "print the messages of all ranks as JSON" },
    { "async",     OPTION_ASYNC,     NULL,    "draw a schedule whose messages wait for their two ranks alone" },
    { "output",    'o',              "FILE",  "write to a file instead of stdout" },
    IRR_CLI_ROW_ALGORITHMS,
    IRR_CLI_ROW_HELP,
    IRR_CLI_ROW_VERSION,
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

_Static_assert(ROWS <= IRR_CLI_OPTIONS_MAX, "the table is read");

static irr_cli_exit_t read_option(int id, const char *value, void *context);
static void help(bool whole);

static const irr_cli_options_t table = {
    rows, ROWS, help, read_option, irr_algorithm_name, irr_algorithm_text
};

static void help(bool whole)
{
    irr_tool_help(&table, whole);
}

/* ---- values ---- */

static const char *command_name(int i)
{
    static const char *const names[] = { "print", "check", "draw", "emit-c", "simulate", "recommend", NULL };

    return names[i];
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

static irr_cli_exit_t read_size(int id, const char *value, size_t *size_p)
{
    uint64_t size = 0;
    const irr_cli_exit_t code = irr_cli_size(rows[row_of(id)].name, value, 0, PTRDIFF_MAX, &size);

    *size_p = (size_t)size;
    return code;
}

static irr_cli_exit_t read_count(int id, const char *value, uint64_t min, size_t *count_p)
{
    uint64_t count = 0;
    const irr_cli_exit_t code = irr_cli_number(rows[row_of(id)].name, value, min, INT32_MAX, &count);

    *count_p = (size_t)count;
    return code;
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

    options->settings.host_route = route >= 0 ? (irr_host_route_t)route : IRR_HOST_ROUTE_AUTO;
    return route >= 0 ? IRR_CLI_GOOD : IRR_CLI_REFUSED;
}

static irr_cli_exit_t read_pace(const char *name, irr_tool_options_t *options)
{
    const int pace = irr_cli_find("pace", name, NULL, irr_pacing_name);

    options->settings.pace = pace >= 0 ? (irr_pacing_t)pace : IRR_PACE_AUTO;
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
    return irr_cli_redistribution(value, IRR_TOOL_RANKS_MAX, &options->settings.scheduled.redistribution);
}

static irr_cli_exit_t read_option(int id, const char *value, void *context)
{
    irr_tool_options_t *options = context;
    irr_settings_t *settings = &options->settings;

    switch (id) {
    case OPTION_ALGORITHM: return read_algorithm(value, options);
    case OPTION_RANKS:     return irr_cli_int("ranks", value, 1, IRR_TOOL_RANKS_MAX, &options->ranks);
    case OPTION_PATTERN:   return read_pattern(value, options);
    case OPTION_UNIT:      return irr_cli_size("unit", value, 0, INT64_MAX, &options->unit);
    case OPTION_SEED:      return irr_cli_number("seed", value, 0, INT64_MAX, &settings->scheduled.seed);
    case OPTION_MATRIX:    options->matrix = value; return IRR_CLI_GOOD;
    case OPTION_REDISTRIBUTE: return read_redistribution(value, options);
    case OPTION_SCALE:     return irr_cli_scale(value, &options->scale);
    case OPTION_DIMS:      return read_dims(value, &settings->dims);
    case OPTION_RANKS_PER_NODE:
        return irr_cli_int("ranks-per-node", value, 1, IRR_TOOL_RANKS_MAX, &options->ranks_per_node);
    case OPTION_IN_PLACE:  options->in_place = true; return IRR_CLI_GOOD;
    case OPTION_DIRECT_BYTES: return read_size(id, value, &settings->direct_bytes);
    case OPTION_SLICE_MIN: return read_size(id, value, &settings->slice_min);
    case OPTION_LAMBDA:    return read_lambda(value, &settings->scheduled.lambda);
    case OPTION_LATENCY:   return irr_cli_size("latency", value, 0, LATENCY_MAX, &settings->scheduled.latency);
    case OPTION_MAX_STEPS: return irr_cli_int("max-steps", value, 0, INT32_MAX, &settings->scheduled.max_steps);
    case OPTION_SHIFT:     settings->scheduled.shift = true; return IRR_CLI_GOOD;
    case OPTION_LOAD:      options->load = value; return IRR_CLI_GOOD;
    case OPTION_SAVE:      options->save = value; return IRR_CLI_GOOD;
    case OPTION_TOPOLOGY:  options->topology = value; return IRR_CLI_GOOD;
    case OPTION_HOSTS:     options->hosts = value; return IRR_CLI_GOOD;
    case OPTION_HOST_ROUTE: return read_host_route(value, options);
    case OPTION_PACE:      return read_pace(value, options);
    case OPTION_GRANTS:    return read_count(id, value, 1, &settings->grants);
    case OPTION_LEAD:      return read_size(id, value, &settings->lead_bytes);
    case OPTION_PIECE:     return read_size(id, value, &settings->piece_bytes);
    case OPTION_WINDOW:    return read_count(id, value, 0, &settings->window_messages);
    case OPTION_WINDOW_BYTES: return read_size(id, value, &settings->window_bytes);
    case OPTION_MACHINE:   options->machine = value; return IRR_CLI_GOOD;
    case OPTION_ALGORITHMS: options->algorithms = value; return IRR_CLI_GOOD;
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
        irr_cli_complain("what to do is missing: print, check, draw, emit-c, simulate or recommend; irr_plan --help "
                         "lists the options");
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

/* What is about nodes. */
static irr_cli_exit_t check_nodes(const irr_tool_options_t *options, const bool *seen)
{
    const irr_way_t *way = irr_algorithm_way(options->algorithm);

    if (is_seen(seen, OPTION_RANKS_PER_NODE) && (way == NULL || way->route != &irr_route_node)) {
        irr_cli_complain("--ranks-per-node goes with the algorithm node only");
        return IRR_CLI_REFUSED;
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

/* Complains of what a command does not take; list: what it does, for the user. */
static irr_cli_exit_t check_taken(const irr_tool_options_t *options, const bool *seen, const int *takes,
                                  size_t count, const char *list)
{
    bool taken[ROWS] = { false };

    for (size_t i = 0; i < count; i++) {
        taken[row_of(takes[i])] = true;
    }
    for (int i = 0; i < ROWS; i++) {
        if (seen[i] && !taken[i]) {
            irr_cli_complain("--%s does not go with %s, which takes %s", rows[i].name,
                             command_name((int)options->command - IRR_TOOL_PRINT), list);
            return IRR_CLI_REFUSED;
        }
    }
    return IRR_CLI_GOOD;
}

/* The file is made from the tree alone. */
static irr_cli_exit_t check_emit(const irr_tool_options_t *options, const bool *seen)
{
    static const int takes[] = { OPTION_TOPOLOGY, OPTION_HOSTS, OPTION_RANKS, 'o' };
    const irr_cli_exit_t code = check_taken(options, seen, takes, sizeof(takes) / sizeof(takes[0]),
                                            "--topology, --hosts, --ranks and --output");

    if (code != IRR_CLI_GOOD) {
        return code;
    }
    if (options->topology == NULL) {
        irr_cli_complain("emit-c needs --topology");
        return IRR_CLI_REFUSED;
    }
    return IRR_CLI_GOOD;
}

static bool lacks_ranks(const irr_tool_options_t *options)
{
    return options->ranks == 0 && irr_tool_source(options) == options->pattern && options->load == NULL &&
           options->topology == NULL;
}

/* simulate and recommend name their ways by one option alone. */
static irr_cli_exit_t check_compare(const irr_tool_options_t *options, const bool *seen)
{
    static const int takes[] = {
        OPTION_RANKS, OPTION_PATTERN, OPTION_UNIT, OPTION_SEED, OPTION_MATRIX, OPTION_REDISTRIBUTE, OPTION_SCALE,
        OPTION_TOPOLOGY, OPTION_HOSTS, OPTION_MACHINE, OPTION_RANKS_PER_NODE,
        OPTION_ALGORITHMS, OPTION_SLICE_MIN, OPTION_DIRECT_BYTES, OPTION_LEAD, OPTION_PIECE,
        OPTION_LAMBDA, OPTION_LATENCY, OPTION_MAX_STEPS, OPTION_SHIFT, 'o'
    };
    const char *complaint = NULL;
    irr_cli_exit_t code = check_taken(options, seen, takes, sizeof(takes) / sizeof(takes[0]),
                                      "a matrix, --machine, --algorithms and where ranks are");

    if (code == IRR_CLI_GOOD) {
        code = check_source(seen, true);
    }
    if (lacks_ranks(options)) {
        complaint = "--ranks or --matrix is missing";
    } else if (options->hosts != NULL && options->topology == NULL) {
        complaint = "--hosts goes with --topology only";
    } else if (options->ranks_per_node > 0 && options->topology != NULL) {
        complaint = "--ranks-per-node does not go with --topology, whose hosts are the nodes";
    }
    if (code == IRR_CLI_GOOD && complaint != NULL) {
        irr_cli_complain("%s", complaint);
        code = IRR_CLI_REFUSED;
    }
    return code;
}

/* What is missing or does not go together. */
static irr_cli_exit_t check_together(const irr_tool_options_t *options, const bool *seen)
{
    const char *complaint = NULL;

    if (options->algorithm < 0 && options->load == NULL) {
        complaint = "--algorithm is missing; irr_plan --help lists the algorithms";
    } else if (lacks_ranks(options)) {
        complaint = "--ranks or --matrix is missing";
    } else if (options->machine != NULL || options->algorithms != NULL) {
        complaint = "--machine and --algorithms go with simulate and recommend only";
    } else if (options->hosts != NULL && options->topology == NULL) {
        complaint = "--hosts goes with --topology only";
    } else if (options->settings.host_route == IRR_HOST_ROUTE_NODE &&
               (options->topology == NULL || options->load != NULL || options->save != NULL)) {
        complaint = "--host-route node needs --topology, and goes with neither --load nor --save";
    } else if (options->in_place && (options->settings.host_route == IRR_HOST_ROUTE_NODE || options->load != NULL ||
                                     options->save != NULL || options->async)) {
        complaint = "--in-place goes without a schedule, and so with none of --load, --save, --async and --host-route "
                    "node";
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
    if (check_nodes(options, seen) != IRR_CLI_GOOD) {
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
    options->settings.scheduled.redistribution.unit = options->unit;
}

irr_cli_exit_t irr_tool_options_read(int argc, char **argv, irr_tool_options_t *options)
{
    bool seen[ROWS] = { false }, done;
    irr_cli_exit_t code;

    *options = (irr_tool_options_t){
        .command = IRR_TOOL_NOTHING, .algorithm = -1, .unit = 1024, .scale = 1, .rank = IRR_TOOL_ALL_RANKS,
        .settings = irr_settings_default()
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
    if (code == IRR_CLI_GOOD && options->command >= IRR_TOOL_SIMULATE) {
        return check_compare(options, seen);
    }
    if (code == IRR_CLI_GOOD) {
        code = check_source(seen, may_schedule(options));
    }
    return code == IRR_CLI_GOOD ? check_together(options, seen) : code;
}
