/*
 * tune_show.c - prints a memory file (coll_irr_memory_file) as a table.
 *
 * The file has lessons.  A lesson is the result of trials of strategies in a situation: a collective, the numbers of
 * ranks, and the sizes of messages.  The table has a row for each strategy of each lesson.
 */
#include "tune.h"

#include "choose/lessons_file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Writes 2^exponent as text, such as 4K for exponent 12. */
static void power_text(uint64_t exponent, char text[16])
{
    static const char units[] = " KMGTPE";
    const uint64_t unit = exponent / 10 < sizeof(units) - 2 ? exponent / 10 : sizeof(units) - 2;

    snprintf(text, 16, "%.0f%.*s", ldexp(1, (int)(exponent - 10 * unit)), unit > 0, &units[unit]);
}

static void print_strategy(const irr_lesson_t *lesson, const irr_found_t *found)
{
    const irr_situation_t *situation = &lesson->situation;
    const double doubt = exp(irr_found_spread(found) / sqrt(found->trials));
    const char *network = situation->crowded ? "crowded" : "";
    char block[16], longest[16], of[16];

    power_text(situation->block, block);
    power_text(situation->skew, longest);
    power_text(situation->gaps, of);
    printf("%-24s %6llu %6llu %-8s %6s %7s %5s%s %9.0f  %6.0f %7.2f %6.2f %6.2f  %s\n", situation->call,
           (unsigned long long)situation->ranks, (unsigned long long)situation->node_ranks, network, block, longest,
           of, situation->sparse ? "n" : " ", irr_lesson_calls(lesson), found->trials, irr_found_speedup(found),
           irr_found_speedup(found) / doubt, irr_found_speedup(found) * doubt, found->strategy);
}

/* Orders lessons by collective, and then by the numbers of their situations. */
static int compare(const void *a, const void *b)
{
    const irr_lesson_t *one = a, *other = b;
    const int call = strcmp(one->situation.call, other->situation.call);

    for (const uint64_t *x = &one->situation.ranks, *y = &other->situation.ranks;
         call == 0 && x <= &one->situation.gaps; x++, y++) {
        if (*x != *y) {
            return *x < *y ? -1 : 1;
        }
    }
    return call;
}

irr_cli_exit_t irr_tune_show(const char *path)
{
    irr_lessons_t lessons = { .list = NULL };
    irr_file_error_t error = { .line = 0 };
    char machine[IRR_LESSONS_MACHINE];
    irr_cli_exit_t code;

    if (access(path, R_OK) != 0) {
        return irr_cli_complain("%s: %s", path, strerror(errno));
    }
    code = irr_cli_file_read(path, irr_lessons_read(path, NULL, &lessons, machine, &error), &error);
    if (code != IRR_CLI_GOOD) {
        return code;
    }
    printf("%s: %s, %zu situation%s\n", path, machine[0] != '\0' ? machine : "empty", lessons.count,
           lessons.count == 1 ? "" : "s");
    if (lessons.count > 0) {
        qsort(lessons.list, lessons.count, sizeof(*lessons.list), compare);
        printf("%-24s %6s %6s %-8s %6s %7s %6s %9s  %6s %7s %6s %6s  %s\n", "collective", "ranks", "a node", "",
               "bytes", "longest", "one of", "exchanges", "trials", "speedup", "from", "to", "algorithm");
    }
    for (size_t i = 0; i < lessons.count; i++) {
        for (int k = 0; k < lessons.list[i].strategies; k++) {
            print_strategy(&lessons.list[i], &lessons.list[i].found[k]);
        }
    }
    irr_lessons_fini(&lessons);
    return IRR_CLI_GOOD;
}
