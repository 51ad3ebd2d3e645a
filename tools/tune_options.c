/*
 * tune_options.c - the command line of irr_tune.
 */
#include "tune.h"

#include "cli_options.h"

#define AT(member) IRR_CLI_FIELD(irr_tune_options_t, member)

static const irr_cli_option_t rows[] = {
    { "output", 'o', "FILE", "write the constants to a file, too", IRR_CLI_STRING, AT(output) },
    { "seconds", 's', "N", "how long to measure; default " IRR_CLI_TEXT(IRR_TUNE_SECONDS_DEFAULT), IRR_CLI_NUMBER,
      AT(seconds), 1, IRR_TUNE_SECONDS_MAX },
    { "show", 'S', "FILE", "print a coll_irr_memory_file as a table, and measure nothing", IRR_CLI_STRING, AT(show) },
    { "learn", 'L', NULL, "fill a coll_irr_memory_file: exchange the count matrices of all FILEs", IRR_CLI_FLAG,
      AT(learns) },
    IRR_CLI_ROW_HELP,
    IRR_CLI_ROW_VERSION,
};

static void print_more(void)
{
    irr_cli_list("Constants", irr_machine_name, irr_machine_text);
    printf("\nOf each: the median of all rounds, the least and the most, and the spread: how far the middle 80 %%\n"
           "of them is apart, in %% of the median.  With a spread above 50 %% the default is written instead.\n"
           "There are " IRR_CLI_TEXT(IRR_TUNE_ROUNDS_MIN) " rounds or more, however "
           "long they take.\n"
           "\nExit status: 0 good, 1 the file could not be written in the end, 2 the input was refused.\n");
}

static const irr_cli_table_t table = {
    .usage =
        "Usage: mpirun -np N irr_tune [OPTION...]\n"
        "       mpirun -np N --mca coll_irr_memory_file MEMORY irr_tune --learn FILE...\n"
        "Measures the constants of a machine and prints them as a machine file: for coll_irr_machine_file,\n"
        "and irr_plan simulate and recommend.  Run it as your jobs run, on as many ranks a node, and on\n"
        "several nodes, four or more if you can: a few ranks of each send at once.  What cannot be\n"
        "measured keeps its default.\n",
    .rows = rows, .count = sizeof(rows) / sizeof(rows[0]), .operands = true, .notes = "", .topics = "the constants",
    .more = print_more
};

irr_cli_exit_t irr_tune_options_read(int argc, char **argv, irr_tune_options_t *options)
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
    options->run = options->show == NULL && !options->learns;
    if (options->learns && options->nlearn == 0) {
        return irr_cli_complain("--learn needs the files of count matrices, as coll_irr_matrix_dump writes them");
    }
    return options->learns ? IRR_CLI_GOOD : irr_cli_no_operands(&line);
}
