/*
 * tune_options.c - the command line of irr_tune.
 */
#include "tune.h"

#include "cli_options.h"

#include <getopt.h>

static const irr_cli_option_t rows[] = {
    { "output",  'o',             "FILE", "write the constants to a file, too" },
    { "seconds", 's',             "N",    "how long to measure; default " IRR_CLI_TEXT(IRR_TUNE_SECONDS_DEFAULT) },
    { "show",    'S',             "FILE", "print a coll_irr_memory_file as a table, and measure nothing" },
    { "learn",   'L',             NULL,   "fill a coll_irr_memory_file: exchange the count matrices of all FILEs" },
    IRR_CLI_ROW_HELP,
    IRR_CLI_ROW_VERSION,
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static irr_cli_exit_t read_option(int id, const char *value, void *context);
static void help(bool whole);

static const irr_cli_options_t table = { rows, ROWS, help, read_option, NULL, NULL };

static void help(bool whole)
{
    printf("Usage: mpirun -np N irr_tune [OPTION...]\n"
           "       mpirun -np N --mca coll_irr_memory_file MEMORY irr_tune --learn FILE...\n"
           "Measures the constants of a machine and prints them as a machine file: for coll_irr_machine_file,\n"
           "and irr_plan simulate and recommend.  Run it as your jobs run, on as many ranks a node, and on\n"
           "several nodes, four or more if you can: a few ranks of each speak.  What cannot be measured keeps\n"
           "its default.\n\n");
    irr_cli_options_print(&table);
    if (!whole) {
        irr_cli_more("the constants");
        return;
    }
    irr_cli_list("Constants", irr_machine_name, irr_machine_text);
    printf("\nOf each: the median of all rounds, the least and the most, and the spread: how far the middle 80 %%\n"
           "of them is apart, in %% of the median.  With a spread above 50 %% the default is written instead.\n"
           "There are " IRR_CLI_TEXT(IRR_TUNE_ROUNDS_MIN) " rounds or more, however "
           "long they take.\n"
           "\nExit status: 0 good, 1 the file could not be written in the end, 2 the input was refused.\n");
}

static irr_cli_exit_t read_option(int id, const char *value, void *context)
{
    irr_tune_options_t *options = context;

    if (id == 'o') {
        options->output = value;
        return IRR_CLI_GOOD;
    }
    if (id == 'S') {
        options->show = value;
        return IRR_CLI_GOOD;
    }
    if (id == 'L') {
        options->learns = true;
        return IRR_CLI_GOOD;
    }
    return irr_cli_int("seconds", value, 1, IRR_TUNE_SECONDS_MAX, &options->seconds);
}

irr_cli_exit_t irr_tune_options_read(int argc, char **argv, irr_tune_options_t *options)
{
    bool seen[ROWS] = { false }, done;
    irr_cli_exit_t code;

    *options = (irr_tune_options_t){ .seconds = IRR_TUNE_SECONDS_DEFAULT };
    code = irr_cli_options_read(&table, argc, argv, options, seen, &done);
    if (code != IRR_CLI_GOOD || done) {
        return code;
    }
    if (options->learns) {
        options->learn = argv + optind;
        options->nlearn = argc - optind;
        if (options->nlearn == 0) {
            irr_cli_complain("--learn needs the files of count matrices, as coll_irr_matrix_dump writes them");
            return IRR_CLI_REFUSED;
        }
    } else if (optind < argc) {
        irr_cli_complain("unexpected argument '%.64s'; irr_tune --help lists the options", argv[optind]);
        return IRR_CLI_REFUSED;
    }
    options->run = options->show == NULL && !options->learns;
    return IRR_CLI_GOOD;
}
