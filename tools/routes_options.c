/*
 * routes_options.c - the command line of irr_routes.
 */
#include "routes.h"

#include "cli_options.h"

#include <getopt.h>

static const char usage[] =
    "usage: irr_routes [OPTION...], under mpirun\n"
    "Times each algorithm of coll/irr on the engine itself: plain exchanges, frozen ones with each overlap,\n"
    "and the contiguous twin: the messages of the route in its order, each as one contiguous piece.\n\n"
    "  --pattern NAME        the count matrix (below); default uniform\n"
    "  --unit BYTES          unit of the pattern; default 1048576\n"
    "  --seed N              seed of random patterns; default 1\n"
    "  --algorithms LIST     names with commas between (below); default all but auto\n"
    "  --slice-min BYTES     shortest slice that a balanced route cuts; default " IRR_CLI_TEXT(IRR_SLICE_MIN_DEFAULT) "\n"
    "  --overlaps LIST       names with commas between (below); default all.  The twin is the first one's\n"
    "  --iterations N        measured rounds; default 30\n"
    "  --warmup N            rounds before the measured ones; default 5\n"
    "  --transport NAME      what moves messages (below); default auto\n"
    "  --ranks-per-node N    what `node` takes for a node; default 2\n"
    "  --help                this text\n";

enum { ROUNDS_MAX = 1000000, RANKS_MAX = 1 << 20 };

static const char *overlap_text(int i)
{
#define OVERLAP_TEXT(name, text, meaning) meaning,
    static const char *const texts[] = { IRR_OVERLAP_MAP(OVERLAP_TEXT) };
#undef OVERLAP_TEXT

    return texts[i];
}

static void list(const char *title, const char *(*name)(int i), const char *(*text)(int i))
{
    printf("\n%s:\n", title);
    for (int i = 0; name(i) != NULL; i++) {
        printf("  %-10s %s\n", name(i), text(i));
    }
}

static irr_cli_exit_t help(irr_routes_options_t *options)
{
    options->run = false;
    printf("%s", usage);
    list("Algorithms", irr_algorithm_name, irr_algorithm_text);
    list("Overlaps", irr_overlap_name, overlap_text);
    list("Patterns", irr_pattern_name, irr_pattern_text);
    list("Transports", irr_transport_name, irr_transport_text);
    printf("\nExit status: 0 good, 1 a wrong byte arrived, 2 the input was refused or something failed.\n");
    return IRR_CLI_GOOD;
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

static irr_cli_exit_t read_option(int id, const char *value, irr_routes_options_t *options)
{
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
    case 'u': return irr_cli_number("unit", value, 0, INT32_MAX, &options->unit);
    case 's': return irr_cli_number("seed", value, 0, INT64_MAX, &options->seed);
    case 'm': return irr_cli_number("slice-min", value, 0, INT64_MAX, &options->slice_min);
    case 'i': return irr_cli_int("iterations", value, 1, ROUNDS_MAX, &options->iterations);
    case 'w': return irr_cli_int("warmup", value, 0, ROUNDS_MAX, &options->warmup);
    case 'n': return irr_cli_int("ranks-per-node", value, 1, RANKS_MAX, &options->ranks_per_node);
    case 'h': return help(options);
    default:
        irr_cli_complain("unknown option, or one without its value; irr_routes --help lists the options");
        return IRR_CLI_REFUSED;
    }
}

irr_cli_exit_t irr_routes_options_read(int argc, char **argv, irr_routes_options_t *options)
{
    static const struct option names[] = {
        { "pattern", required_argument, NULL, 'p' },    { "unit", required_argument, NULL, 'u' },
        { "seed", required_argument, NULL, 's' },       { "algorithms", required_argument, NULL, 'a' },
        { "overlaps", required_argument, NULL, 'o' },   { "iterations", required_argument, NULL, 'i' },
        { "warmup", required_argument, NULL, 'w' },     { "ranks-per-node", required_argument, NULL, 'n' },
        { "slice-min", required_argument, NULL, 'm' },  { "transport", required_argument, NULL, 't' },
        { "help", no_argument, NULL, 'h' },             { NULL, 0, NULL, 0 }
    };
    irr_cli_exit_t code = IRR_CLI_GOOD;
    int id;

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
    opterr = 0;
    while (code == IRR_CLI_GOOD && options->run && (id = getopt_long(argc, argv, "h", names, NULL)) != -1) {
        code = read_option(id, optarg, options);
    }
    if (code == IRR_CLI_GOOD && options->run && optind < argc) {
        irr_cli_complain("unexpected argument '%.64s'; irr_routes --help lists the options", argv[optind]);
        return IRR_CLI_REFUSED;
    }
    return code;
}
