/*
 * cli_options.c - see cli_options.h.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "cli_options.h"

#include <getopt.h>
#include <string.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unreleased"
#endif

const char *irr_cli_version(void)
{
    return PACKAGE_VERSION;
}

void irr_cli_options_print(const irr_cli_options_t *options)
{
    for (int i = 0; i < options->count; i++) {
        const irr_cli_option_t *row = &options->rows[i];
        bool letter = row->id < IRR_CLI_LETTERS_END;
        char name[32];

        snprintf(name, sizeof(name), "%s%s%s", row->name, row->argument != NULL ? " " : "",
                 row->argument != NULL ? row->argument : "");
        printf("  %c%c%c --%-15s %s\n", letter ? '-' : ' ', letter ? row->id : ' ', letter ? ',' : ' ', name,
               row->text);
    }
}

void irr_cli_list(const char *title, const char *(*name)(int i), const char *(*text)(int i))
{
    printf("\n%s:\n", title);
    for (int i = 0; name(i) != NULL; i++) {
        printf("  %-10s %s\n", name(i), text(i));
    }
}

/* getopt's tables from ours; shorts has room for two signs an option and the leading colon. */
static void getopt_tables(const irr_cli_options_t *options, struct option *longs, char *shorts)
{
    *shorts++ = ':';
    for (int i = 0; i < options->count; i++) {
        const irr_cli_option_t *row = &options->rows[i];

        longs[i] = (struct option){ row->name, row->argument != NULL, NULL, row->id };
        if (row->id < IRR_CLI_LETTERS_END) {
            *shorts++ = (char)row->id;
            if (row->argument != NULL) {
                *shorts++ = ':';
            }
        }
    }
    longs[options->count] = (struct option){ NULL, 0, NULL, 0 };
    *shorts = '\0';
}

static irr_cli_exit_t refuse_option(int id, char **argv)
{
    char letter[3] = { '-', (char)optopt, '\0' };
    const char *name = optopt > 0 && optopt < IRR_CLI_LETTERS_END ? letter : argv[optind - 1];

    irr_cli_complain(id == ':' ? "option '%.64s' needs a value; %s --help lists the options"
                               : "unknown option '%.64s'; %s --help lists the options", name, irr_cli_program);
    return IRR_CLI_REFUSED;
}

static irr_cli_exit_t read_option(const irr_cli_options_t *options, int id, void *context)
{
    switch (id) {
    case 'h':
        options->help();
        return IRR_CLI_GOOD;
    case IRR_CLI_VERSION:
        printf("%s %s\n", irr_cli_program, irr_cli_version());
        return IRR_CLI_GOOD;
    default:
        return options->read(id, optarg, context);
    }
}

irr_cli_exit_t irr_cli_options_read(const irr_cli_options_t *options, int argc, char **argv, void *context,
                                    bool *seen, bool *done_p)
{
    struct option longs[IRR_CLI_OPTIONS_MAX + 1];
    char shorts[2 * IRR_CLI_OPTIONS_MAX + 2];
    irr_cli_exit_t code;
    int id;

    getopt_tables(options, longs, shorts);
    opterr = 0;
    while ((id = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        code = id == '?' || id == ':' ? refuse_option(id, argv) : read_option(options, id, context);
        if (code != IRR_CLI_GOOD) {
            return code;
        }
        if (id == 'h' || id == IRR_CLI_VERSION) {
            *done_p = true;
            return IRR_CLI_GOOD;
        }
        for (int i = 0; i < options->count; i++) {
            seen[i] = seen[i] || options->rows[i].id == id;
        }
    }
    *done_p = false;
    return IRR_CLI_GOOD;
}
