/*
 * routes_options.c - the command line of irr_routes.
 */
#include "routes.h"

#include "cli_options.h"

#include <getopt.h>

static const irr_cli_option_t rows[] = {
    { "pattern",        'p', "NAME",  "the count matrix; default uniform" },
    { "unit",           'u', "BYTES", "unit of the pattern; default 1m" },
    { "seed",           's', "N",     "seed of random patterns; default 1" },
    { "algorithms",     'a', "LIST",  "names with commas between; default all but auto" },
    { "slice-min",      'm', "BYTES", "shortest slice that a balanced route cuts; default "
      IRR_CLI_TEXT(IRR_SLICE_MIN_DEFAULT) },
    { "overlaps",       'o', "LIST",  "names with commas between; default all.  The twin is the first one's" },
    { "iterations",     'i', "N",     "measured rounds; default 30" },
    { "warmup",         'x', "N",     "rounds before the measured ones; default 5" },
    { "transport",      't', "NAME",  "what moves messages; default auto" },
    { "ranks-per-node", 'n', "N",     "what node takes for a node; default 2" },
    IRR_CLI_ROW_ALGORITHMS,
    IRR_CLI_ROW_HELP,
    IRR_CLI_ROW_VERSION,
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static irr_cli_exit_t read_option(int id, const char *value, void *context);
static void help(bool whole);

static const irr_cli_options_t table = {
    rows, ROWS, help, read_option, irr_algorithm_name, irr_algorithm_text
};

enum { ROUNDS_MAX = 1000000, RANKS_MAX = 1 << 20 };

static const char *overlap_text(int i)
{
#define OVERLAP_TEXT(name, text, meaning) meaning,
    static const char *const texts[] = { IRR_OVERLAP_MAP(OVERLAP_TEXT) };
#undef OVERLAP_TEXT

    return texts[i];
}

static void help(bool whole)
{
    printf("Usage: mpirun -n N irr_routes [OPTION...]\n"
           "Times each algorithm of coll/irr on the engine itself: plain exchanges, frozen ones with each\n"
           "overlap, and the contiguous twin: the messages of the route in its order, each as one contiguous\n"
           "piece.\n\n");
    irr_cli_options_print(&table);
    if (!whole) {
        irr_cli_more("algorithms, overlaps, patterns and transports");
        return;
    }
    irr_cli_list("Algorithms", irr_algorithm_name, irr_algorithm_text);
    irr_cli_list("Overlaps", irr_overlap_name, overlap_text);
    irr_cli_list("Patterns", irr_pattern_name, irr_pattern_text);
    irr_cli_list("Transports", irr_transport_name, irr_transport_text);
    printf("\nExit status: 0 good, 1 a wrong byte arrived, 2 the input was refused or something failed.\n");
}

static irr_cli_exit_t read_list(const char *kind, const char *names, const char *(*known)(int i), int *rows,
                                int max, int *count_p)
{
    *count_p = 0;
    while (names != NULL) {
        char name[64];
        int row;

        irr_cli_take_name(&names, name, sizeof(name));
        row = irr_cli_find(kind, name, NULL, known);
        if (row < 0) {
            return IRR_CLI_REFUSED;
        }
        if (*count_p == max) {
            irr_cli_complain("--%ss names more than the %d allowed", kind, max);
            return IRR_CLI_REFUSED;
        }
        rows[(*count_p)++] = row;
    }
    return IRR_CLI_GOOD;
}

static irr_cli_exit_t read_option(int id, const char *value, void *context)
{
    irr_routes_options_t *options = context;

    switch (id) {
    case 'p':
        options->pattern = irr_cli_find("pattern", value, NULL, irr_pattern_name);
        return options->pattern >= 0 ? IRR_CLI_GOOD : IRR_CLI_REFUSED;
    case 'a':
        return read_list("algorithm", value, irr_algorithm_name, options->algorithm, IRR_ROUTES_ROWS_MAX,
                         &options->algorithms);
    case 'o':
        return read_list("overlap", value, irr_overlap_name, options->overlap, IRR_OVERLAP_COUNT,
                         &options->overlaps);
    case 't':
        options->transport = irr_cli_find("transport", value, NULL, irr_transport_name);
        return options->transport >= 0 ? IRR_CLI_GOOD : IRR_CLI_REFUSED;
    case 'u': return irr_cli_size("unit", value, 0, INT32_MAX, &options->unit);
    case 's': return irr_cli_number("seed", value, 0, INT64_MAX, &options->seed);
    case 'm': return irr_cli_size("slice-min", value, 0, INT64_MAX, &options->slice_min);
    case 'i': return irr_cli_int("iterations", value, 1, ROUNDS_MAX, &options->iterations);
    case 'x': return irr_cli_int("warmup", value, 0, ROUNDS_MAX, &options->warmup);
    default:  return irr_cli_int("ranks-per-node", value, 1, RANKS_MAX, &options->ranks_per_node);
    }
}

irr_cli_exit_t irr_routes_options_read(int argc, char **argv, irr_routes_options_t *options)
{
    bool seen[ROWS] = { false }, done = false;
    irr_cli_exit_t code;

    *options = (irr_routes_options_t){
        .run = true, .unit = 1 << 20, .seed = 1, .slice_min = IRR_SLICE_MIN_DEFAULT, .iterations = 30,
        .warmup = 5, .ranks_per_node = 2, .transport = -1
    };
    for (int i = 1; irr_algorithm_name(i) != NULL && i <= IRR_ROUTES_ROWS_MAX; i++) {
        options->algorithm[options->algorithms++] = i;
    }
    for (int i = 0; i < IRR_OVERLAP_COUNT; i++) {
        options->overlap[options->overlaps++] = i;
    }
    code = irr_cli_options_read(&table, argc, argv, options, seen, &done);
    options->run = code == IRR_CLI_GOOD && !done;
    if (options->run && optind < argc) {
        irr_cli_complain("unexpected argument '%.64s'; irr_routes --help lists the options", argv[optind]);
        return IRR_CLI_REFUSED;
    }
    return code;
}
