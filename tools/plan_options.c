/*
 * plan_options.c - the command line of irr_plan: its table (cli_options.h), and the rules for combined options.
 */
#include "plan.h"

#include "plan/strategy.h"

#include <limits.h>
#include <string.h>

#define AT(member)     IRR_CLI_FIELD(irr_tool_options_t, member)
#define SETTING(name)  IRR_CLI_SETTING, AT(settings), .setting = name

/* Sets of commands: commands that make plans, that compare strategies, that use a matrix, and all commands. */
#define BIT(command) (1U << IRR_TOOL_##command)
#define MAKE         (BIT(PRINT) | BIT(CHECK) | BIT(DRAW))
#define COMPARE      (BIT(SIMULATE) | BIT(RECOMMEND))
#define MATRIX       (MAKE | COMPARE)
#define ALL          0

static const irr_cli_command_t commands[] = {
    [IRR_TOOL_PRINT]     = { "print", 0, "", "print the steps of each rank as text, or all messages as JSON" },
    [IRR_TOOL_CHECK]     = { "check", 0, "", "prove that the plans deliver all bytes, run them, and print figures, one "
                             "key=value per line" },
    [IRR_TOOL_DRAW]      = { "draw", 0, "", "draw an SVG chart of the messages: ranks by steps, or ranks by time if "
                             "there is a schedule; with --topology, the tree of switches and the bytes on its links" },
    [IRR_TOOL_EMIT]      = { "emit-c", 0, "", "write a C file with an MPI_Alltoall for the hosts of --topology, which "
                             "uses the phases of tree and works with any MPI; the comment at its top says how to use "
                             "it" },
    [IRR_TOOL_SIMULATE]  = { "simulate", 0, "", "print a table of the times that strategies take on a machine: the "
                             "code of the engine runs on simulated messages" },
    [IRR_TOOL_RECOMMEND] = { "recommend", 0, "", "print the strategies that auto would try, or those of "
                             "--algorithms, fastest first by a model, each with its mpirun command line; omit "
                             "strategies that take over three times as long as the fastest" },
    [IRR_TOOL_NOTHING]   = { NULL }
};

/* ---- the value without a type in the table ---- */

static irr_cli_exit_t read_redistribution(const char *value, void *target)
{
    irr_tool_options_t *options = target;

    options->redistribute = value;
    return irr_cli_redistribution(value, IRR_TOOL_RANKS_MAX, &options->settings.scheduled.redistribution);
}

/* ---- the table ---- */

static const irr_cli_option_t rows[] = {
    { "algorithm", 0, "NAME", "name of the algorithm (below); default redistribution with --redistribute", IRR_CLI_NAME,
      AT(algorithm), .commands = MAKE, .names = irr_algorithm_name },
    { "ranks", 0, "P", "number of ranks; default with --matrix: the number of its rows", IRR_CLI_NUMBER, AT(ranks), 1,
      IRR_TOOL_RANKS_MAX, ALL },
    { "pattern", 0, "NAME", "make the count matrix from a pattern (below); default uniform", IRR_CLI_NAME, AT(pattern),
      .commands = MATRIX, .names = irr_pattern_name },
    { "unit", 0, "BYTES", "number of bytes of a unit of the pattern; default 1024", IRR_CLI_SIZE, AT(unit), 0,
      INT64_MAX, MATRIX },
    { "seed", 0, "N", "seed of random patterns and of the random algorithms; default 1", SETTING("seed"),
      .commands = MATRIX },
    { "matrix", 0, "FILE", "Matrix Market file (coordinate integer) with the count matrix in bytes", IRR_CLI_STRING,
      AT(matrix), .commands = MATRIX },
    { "redistribute", 0, "LIST", "x,p,y,q[,N]: make the count matrix of a redistribution of N elements, from "
      "cyclic(x) on p ranks to cyclic(y) on q ranks; an element has --unit bytes, default 8", IRR_CLI_OTHER,
      .commands = MATRIX, .read = read_redistribution },
    { "scale", 0, "F", "multiply all entries of the matrix by F and round; nonzero entries stay nonzero; default 1",
      IRR_CLI_SCALE, AT(scale), .commands = MATRIX },
    { "dims", 0, "DIMS", NULL, SETTING("dims"), .commands = MAKE },
    { "slice-min", 0, "BYTES", NULL, SETTING("slice_min"), .commands = MATRIX },
    { "direct-bytes", 0, "BYTES", NULL, SETTING("direct_bytes"), .commands = MATRIX },
    { "ranks-per-node", 0, "N", "number of consecutive ranks on a node; default: the ranks of a host of --topology; "
      "without --topology 1, or about sqrt(P) for algorithm node", IRR_CLI_NUMBER, AT(ranks_per_node), 1,
      IRR_TOOL_RANKS_MAX, MATRIX },
    { "in-place", 0, NULL, "make the plans of calls with MPI_IN_PLACE: direct messages are exchanged in pairs of "
      "ranks, without a schedule; the matrix must be symmetric", IRR_CLI_FLAG, AT(in_place), .commands = MAKE },
    { "lambda", 0, "RULE", NULL, SETTING("lambda"), .commands = MATRIX },
    { "latency", 0, "BYTES", NULL, SETTING("latency_bytes"), .commands = MATRIX },
    { "max-steps", 0, "N", NULL, SETTING("max_steps"), .commands = MATRIX },
    { "shift", 0, NULL, "xor: in step k rank i sends to rank (i + k) mod P, even if P is a power of two", IRR_CLI_FLAG,
      AT(settings.scheduled.shift), .commands = MATRIX },
    { "load", 0, "FILE", "use a saved schedule instead of an algorithm; it includes its count matrix", IRR_CLI_STRING,
      AT(load), .commands = MAKE },
    { "save", 0, "FILE", "also write the schedule to a file, if the algorithm computes one", IRR_CLI_STRING, AT(save),
      .commands = MAKE },
    { "topology", 0, "FILE", "tree of switches, in the syntax of Slurm's topology.conf; rank r is on host r of the "
      "file; if there are more ranks than hosts, consecutive ranks share a host", IRR_CLI_STRING,
      AT(topology) },
    { "hosts", 0, "LIST", "the host of each rank, as in n[0-3],m1; a host may occur several times", IRR_CLI_STRING,
      AT(hosts) },
    { "host-route", 0, "ROUTE", "tree, several ranks per host: direct (default) or node; see coll_irr_host_route",
      SETTING("host_route"), .commands = MAKE },
    { "pacing", 0, "NAME", NULL, SETTING("pacing"), .commands = MAKE },
    { "grants", 0, "N", NULL, SETTING("grants"), .commands = MAKE },
    { "lead", 0, "BYTES", NULL, SETTING("lead_bytes"), .commands = MATRIX },
    { "piece", 0, "BYTES", NULL, SETTING("piece_bytes"), .commands = MATRIX },
    { "window", 0, "N", NULL, SETTING("window_messages"), .commands = MAKE },
    { "window-bytes", 0, "BYTES", NULL, SETTING("window_bytes"), .commands = MAKE },
    { "machine", 0, "FILE", "simulate, recommend: file with the constants of the machine (below)", IRR_CLI_STRING,
      AT(machine),
      .commands = COMPARE },
    { "algorithms", 0, "LIST", "simulate, recommend: strategies to compare, each a name with an optional pacing or "
      "dimensions, as in host,direct,direct/loose,grid/32x32", IRR_CLI_STRING, AT(algorithms), .commands = COMPARE },
    { "rank", 0, "R", "print: the plan of rank R only; with --json, its messages", IRR_CLI_NUMBER, AT(rank),
      0, IRR_TOOL_RANKS_MAX - 1, BIT(PRINT) },
    { "json", 0, NULL, "print: the messages of all ranks as JSON", IRR_CLI_FLAG, AT(json), .commands = BIT(PRINT) },
    { "memory", 0, "BYTES", "refuse plans that need more bytes of memory, by an estimate, for example --memory 2g; "
      "default: half of the memory of this machine", IRR_CLI_SIZE, AT(memory), 1, INT64_MAX, MAKE },
    { "async", 0, NULL, "draw: the schedule without barriers between steps: a message waits only for its two ranks",
      IRR_CLI_FLAG, AT(async), .commands = BIT(DRAW) },
    { "output", 'o', "FILE", "write to a file instead of stdout", IRR_CLI_STRING, AT(output) },
    IRR_CLI_ROW_ALGORITHMS,
    IRR_CLI_ROW_HELP,
    IRR_CLI_ROW_VERSION,
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

_Static_assert(ROWS <= IRR_CLI_OPTIONS_MAX, "the table is read");

static const irr_cli_table_t table = {
    .usage =
        "Usage: irr_plan print|check|draw --algorithm NAME --ranks P [OPTION...]\n"
        "  or:  irr_plan print|check|draw --algorithm NAME --matrix FILE [OPTION...]\n"
        "  or:  irr_plan print|check|draw --redistribute x,p,y,q[,N] [--algorithm NAME] [OPTION...]\n"
        "  or:  irr_plan print|check|draw --load FILE [OPTION...]\n"
        "  or:  irr_plan emit-c --topology FILE [--ranks P] [--hosts LIST] [-o FILE]\n"
        "  or:  irr_plan simulate|recommend --matrix FILE|--ranks P [--machine FILE] [OPTION...]\n"
        "Computes the plans of all ranks in one process, without MPI; prints, proves, draws or times them.\n",
    .commands = commands, .rows = rows, .count = ROWS,
    .notes = "\nBYTES may have a suffix k, m or g, for 2^10, 2^20, 2^30.\n",
    .topics = "figures of check, algorithms, patterns, and constants of a machine", .more = irr_tool_help,
    .listed = irr_algorithm_name, .listed_text = irr_algorithm_text
};

void irr_tool_help_options(void)
{
    for (int command = 0; commands[command].name != NULL; command++) {
        char text[1024] = "";
        size_t used = 0;

        for (size_t i = 0; i < ROWS; i++) {
            if (rows[i].commands >> command & 1) {
                used += (size_t)snprintf(text + used, sizeof(text) - used, "%s--%s", used > 0 ? " " : "", rows[i].name);
            }
        }
        irr_cli_entry(commands[command].name, used > 0 ? text : "no others");
    }
}

/* ---- combined options ---- */

/* Refuses more than one source of the matrix: a file, a redistribution, or a pattern. */
static irr_cli_exit_t check_source(const irr_cli_line_t *line)
{
    static const irr_cli_pair_t pairs[] = {
        { "matrix", "pattern" }, { "matrix", "unit" }, { "matrix", "redistribute" }, { "redistribute", "pattern" },
        { "redistribute", "ranks" }, { "load", "algorithm" }, { "load", "save" }
    };

    return irr_cli_check_pairs(line, false, pairs, sizeof(pairs) / sizeof(pairs[0]));
}

/*
 * Refuses a seed that is not used.  Patterns use it, and algorithms with a schedule use it for any matrix.  On several
 * hosts "auto" may be such an algorithm.
 */
static irr_cli_exit_t check_seed(const irr_tool_options_t *options, const irr_cli_line_t *line)
{
    static const irr_cli_pair_t pairs[] = { { "matrix", "seed" }, { "redistribute", "seed" } };
    const int hosts = options->topology != NULL ? INT_MAX : 1;
    const irr_strategy_t *strategy = irr_algorithm_strategy(irr_algorithm_resolve(options->algorithm, hosts));

    return strategy != NULL && irr_strategy_is_scheduled(strategy)
               ? IRR_CLI_GOOD : irr_cli_check_pairs(line, false, pairs, sizeof(pairs) / sizeof(pairs[0]));
}

/* Refuses to change the matrix of a loaded schedule.  A matrix given with the schedule may be changed. */
static irr_cli_exit_t check_changes(const irr_tool_options_t *options, const irr_cli_line_t *line)
{
    static const char *const changes[] = { "unit", "seed", "scale" };

    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        if (irr_tool_source(options) == options->load && irr_cli_given(line, changes[i])) {
            return irr_cli_complain("--%s with --load also needs a matrix: --matrix, --pattern or --redistribute",
                                    changes[i]);
        }
    }
    return IRR_CLI_GOOD;
}

/* Refuses options that do not go together; the first rule that is broken is printed. */
static irr_cli_exit_t check_rules(const irr_tool_options_t *options)
{
    const irr_strategy_t *strategy = irr_algorithm_strategy(options->algorithm);
    const bool topology = options->topology != NULL, files = options->load != NULL || options->save != NULL;
    const bool node = options->settings.host_route == IRR_HOST_ROUTE_NODE, nodes = options->ranks_per_node > 0;
    const struct { unsigned commands; bool broken; const char *complaint; } rules[] = {
        { BIT(EMIT), !topology, "emit-c needs --topology" },
        { COMPARE, nodes && topology,
          "--ranks-per-node does not go with --topology, because the hosts of the topology are the nodes" },
        { MAKE, options->algorithm < 0 && options->load == NULL,
          "--algorithm is missing; irr_plan --help lists the algorithms" },
        { MAKE, node && (!topology || files),
          "--host-route node needs --topology, and goes with neither --load nor --save" },
        { MAKE, options->in_place && (node || files || options->async),
          "--in-place plans without a schedule, so it does not go with --load, --save, --async or --host-route node" },
        { MAKE, options->async && topology,
          "--async does not go with --topology, because the drawing of a tree has no time axis" },
        { MAKE, options->async && !irr_tool_has_schedule(options, options->algorithm),
          "--async goes with a schedule only" },
        { MATRIX, options->ranks == 0 && irr_tool_source(options) == options->pattern && options->load == NULL &&
          !topology, "--ranks or --matrix is missing" },
        { MATRIX, options->hosts != NULL && !topology, "--hosts goes with --topology only" },
        { MAKE, nodes && (strategy == NULL || strategy->route != &irr_route_node),
          "--ranks-per-node goes with the algorithm node only" },
        { MAKE, strategy != NULL && strategy->order == &irr_order_redistribution && options->redistribute == NULL,
          "algorithm redistribution needs --redistribute" }
    };

    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        if ((rules[i].commands >> options->command & 1) != 0 && rules[i].broken) {
            return irr_cli_complain("%s", rules[i].complaint);
        }
    }
    return IRR_CLI_GOOD;
}

/* Checks combined options.  Each option has been checked against the command already. */
static irr_cli_exit_t check_together(const irr_tool_options_t *options, const irr_cli_line_t *line)
{
    const bool makes = (MAKE >> options->command & 1) != 0;

    if ((options->command != IRR_TOOL_EMIT && check_source(line) != IRR_CLI_GOOD) ||
        (makes && check_seed(options, line) != IRR_CLI_GOOD) || check_rules(options) != IRR_CLI_GOOD) {
        return IRR_CLI_REFUSED;
    }
    return makes ? check_changes(options, line) : IRR_CLI_GOOD;
}

/* Sets options that were not given and follow from other options. */
static void set_defaults(const irr_cli_line_t *line, irr_tool_options_t *options)
{
    if (options->redistribute != NULL && !irr_cli_given(line, "unit")) {
        options->unit = 8;
    }
    if (options->redistribute != NULL && options->load == NULL && options->algorithm < 0) {
        options->algorithm = irr_algorithm_find("redistribution");
    }
    if (irr_tool_source(options) == NULL) {
        options->pattern = "uniform";
    }
    options->settings.scheduled.redistribution.unit = options->unit;
}

irr_cli_exit_t irr_tool_options_read(int argc, char **argv, irr_tool_options_t *options)
{
    irr_cli_line_t line;
    irr_cli_exit_t code;

    *options = (irr_tool_options_t){
        .command = IRR_TOOL_NOTHING, .algorithm = -1, .unit = 1024, .scale = 1, .rank = IRR_TOOL_ALL_RANKS,
        .settings = irr_settings_default()
    };
    code = irr_cli_read(&table, argc, argv, options, &line);
    if (code != IRR_CLI_GOOD || line.done) {
        return code;
    }
    options->command = (irr_tool_command_t)line.command;
    set_defaults(&line, options);
    return check_together(options, &line);
}
