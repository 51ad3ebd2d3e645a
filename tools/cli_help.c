/*
 * cli_help.c - prints the help of a tool; see cli_options.h.  No line is wider than 100 columns.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "cli_options.h"

#include <string.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unreleased"
#endif

/* Lines end before column LINE_END; continued lines begin at TEXT_COLUMN. */
enum { LINE_END = 100, TEXT_COLUMN = 24 };

const char *irr_cli_version(void)
{
    return PACKAGE_VERSION;
}

/* Prints a text word by word.  The cursor is at column `left`, where all further lines begin. */
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

/* Prints a name with its meaning.  The meaning begins at least two blanks after the name, or below a long name. */
static void print_entry(const char *name, const char *text)
{
    if (strlen(name) > TEXT_COLUMN - 2) {
        printf("%s\n%*s", name, TEXT_COLUMN, "");
    } else {
        printf("%-*s", TEXT_COLUMN, name);
    }
    print_words(text, TEXT_COLUMN);
}

static void print_option(const irr_cli_option_t *row)
{
    const bool letter = row->letter != 0;
    char name[64], text[320];

    snprintf(name, sizeof(name), "  %c%c%c --%s%s%s", letter ? '-' : ' ', letter ? row->letter : ' ',
             letter ? ',' : ' ', row->name, row->argument != NULL ? " " : "",
             row->argument != NULL ? row->argument : "");
    if (row->text == NULL) {
        const irr_setting_t *setting = irr_setting_find(row->setting);

        snprintf(text, sizeof(text), "%s Default: %s.", setting->help, setting->standard);
    }
    print_entry(name, row->text != NULL ? row->text : text);
}

void irr_cli_entry(const char *name, const char *text)
{
    char entry[80];

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

static void print_commands(const irr_cli_command_t *commands)
{
    for (; commands->name != NULL; commands++) {
        char name[64];

        snprintf(name, sizeof(name), "%s%s%s", commands->name, commands->usage[0] != '\0' ? " " : "", commands->usage);
        irr_cli_entry(name, commands->text);
    }
}

/* Prints the options that these commands accept, below a heading if the tool has commands. */
static void print_group(const irr_cli_table_t *table, unsigned commands)
{
    char takers[160];

    if (table->commands != NULL) {
        irr_cli_takers(table, commands, takers, sizeof(takers));
        printf("\nOptions of %s:\n", takers);
    }
    for (int i = 0; i < table->count; i++) {
        if (table->rows[i].commands == commands) {
            print_option(&table->rows[i]);
        }
    }
}

/* Prints the options in groups: one for each set of commands that share options, and last the options of all. */
static void print_options(const irr_cli_table_t *table)
{
    for (int i = 0; i < table->count; i++) {
        bool printed = table->rows[i].commands == 0;

        for (int k = 0; k < i; k++) {
            printed = printed || table->rows[k].commands == table->rows[i].commands;
        }
        if (!printed) {
            print_group(table, table->rows[i].commands);
        }
    }
    print_group(table, 0);
}

void irr_cli_print_help(const irr_cli_table_t *table, bool whole)
{
    printf("%s\n", table->usage);
    if (table->commands != NULL) {
        print_commands(table->commands);
    }
    print_options(table);
    printf("%s", table->notes);
    if (whole) {
        table->more();
    } else {
        printf("\n%s --help all also has %s.\n", irr_cli_program, table->topics);
    }
}
