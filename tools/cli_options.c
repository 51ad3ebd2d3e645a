/*
 * cli_options.c - see cli_options.h.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "cli_options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unreleased"
#endif

const char *irr_cli_version(void)
{
    return PACKAGE_VERSION;
}

bool irr_cli_is_launched(void)
{
    static const char *const launchers[] = { "OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK" };

    for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++) {
        if (getenv(launchers[i]) != NULL) {
            return true;
        }
    }
    return false;
}

bool irr_cli_asks_only(int argc, char **argv)
{
    static const char *const questions[] = { "-h", "--help", "--version", "--list-algorithms" };
    bool asks = false;

    for (size_t i = 0; argc > 1 && i < sizeof(questions) / sizeof(questions[0]); i++) {
        asks = asks || strcmp(argv[1], questions[i]) == 0;
    }
    return asks && !irr_cli_is_launched();
}

/* A line ends before that column, and the next one begins at TEXT_COLUMN. */
enum { LINE_END = 100, TEXT_COLUMN = 24 };

/* The words of a text; lines begin at column `left`, where the first one has begun. */
static void print_words(const char *text, int left)
{
    int column = left;
    const char *const blanks = " \n";

    for (const char *word = text + strspn(text, blanks); *word != '\0'; word += strspn(word, blanks)) {
        const int length = (int)strcspn(word, blanks);

        if (column + 1 + length > LINE_END && column > left) {
            printf("\n%*s", left, "");
            column = left;
        }
        printf("%s%.*s", column > left ? " " : "", length, word);
        column += length + (column > left);
        word += length;
    }
    printf("\n");
}

/* A name, and what it means: two blanks or more beside it, or below where the name is long. */
static void print_entry(const char *name, const char *text)
{
    if (strlen(name) > TEXT_COLUMN - 2) {
        printf("%s\n%*s", name, TEXT_COLUMN, "");
    } else {
        printf("%-*s", TEXT_COLUMN, name);
    }
    print_words(text, TEXT_COLUMN);
}

void irr_cli_options_print(const irr_cli_options_t *options)
{
    for (int i = 0; i < options->count; i++) {
        const irr_cli_option_t *row = &options->rows[i];
        const bool letter = row->id < IRR_CLI_LETTERS_END;
        char name[64];

        snprintf(name, sizeof(name), "  %c%c%c --%s%s%s", letter ? '-' : ' ', letter ? row->id : ' ',
                 letter ? ',' : ' ', row->name, row->argument != NULL ? " " : "",
                 row->argument != NULL ? row->argument : "");
        print_entry(name, row->text);
    }
}

void irr_cli_more(const char *topics)
{
    printf("\n%s --help all also has %s.\n", irr_cli_program, topics);
}

void irr_cli_entry(const char *name, const char *text)
{
    char entry[64];

    snprintf(entry, sizeof(entry), "  %s", name);
    print_entry(entry, text);
}

void irr_cli_paragraph(const char *text)
{
    printf("\n");
    print_words(text, 0);
}

void irr_cli_list(const char *title, const char *(*name)(int i), const char *(*text)(int i))
{
    if (title != NULL) {
        printf("\n%s:\n", title);
    }
    for (int i = 0; name(i) != NULL; i++) {
        irr_cli_entry(name(i), text(i));
    }
}

/* getopt's tables from ours; shorts has room for two signs an option and the leading colon. */
static void getopt_tables(const irr_cli_options_t *options, struct option *longs, char *shorts)
{
    *shorts++ = ':';
    for (int i = 0; i < options->count; i++) {
        const irr_cli_option_t *row = &options->rows[i];

        const bool takes = row->argument != NULL && row->argument[0] != '[';

        longs[i] = (struct option){ row->name, takes, NULL, row->id };
        if (row->id < IRR_CLI_LETTERS_END) {
            *shorts++ = (char)row->id;
            if (takes) {
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

/* next: the argument behind the option; NULL: there is none. */
static irr_cli_exit_t read_option(const irr_cli_options_t *options, int id, const char *next, void *context)
{
    switch (id) {
    case 'h':
        options->help(next != NULL && strcmp(next, "all") == 0);
        return IRR_CLI_GOOD;
    case IRR_CLI_LIST:
        irr_cli_list(NULL, options->listed, options->listed_text);
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
        code = id == '?' || id == ':' ? refuse_option(id, argv)
                                    : read_option(options, id, optind < argc ? argv[optind] : NULL, context);
        if (code != IRR_CLI_GOOD) {
            return code;
        }
        if (id == 'h' || id == IRR_CLI_LIST || id == IRR_CLI_VERSION) {
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
