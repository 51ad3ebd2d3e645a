/*
 * agree_settings.c - checks that all members have the same settings, and finds a setting that differs.
 *
 * Each setting becomes one 64-bit word: a number is its own word, any other value becomes a hash. The digest is a hash
 * of all words. The first agreement of a setup (comm/agree.c) compares the digests, so the check costs no message of
 * its own.
 *
 * If digests differ, the members search for a setting that differs. An all-reduce of all words gives the largest value
 * of each setting, and an all-reduce of their complements the smallest value. The first setting whose two values differ
 * is reported. A third all-reduce finds the lowest rank with the largest value and the lowest rank with the smallest
 * value, which rank 0 includes in the error message.
 */
#include "comm/agree_settings.h"

#include "core/hash.h"
#include "core/log.h"
#include "plan/settings.h"

#include <stdio.h>
#include <string.h>

/* Indexes of words: the algorithm, then the table of settings (plan/settings.h), then params->only_shared. */
enum { ALGORITHM, TABLE };

#define WORDS_MAX (IRR_SETTINGS_MAX + 2)

_Static_assert(2 * WORDS_MAX <= IRR_SETUP_WORDS, "setup->words has room for two lists of words");

static uint64_t topology_word(const irr_topology_t *topology)
{
    uint64_t hash = irr_hash_mix(irr_hash_mix(IRR_HASH_BASIS, (uint64_t)topology->hosts), (uint64_t)topology->vertices);

    for (int i = 0; i < topology->vertices; i++) {
        hash = irr_hash_mix(irr_hash_mix(hash, (uint64_t)topology->parent[i]), topology->speed[i]);
    }
    return hash;
}

static uint64_t schedule_word(const irr_schedule_t *schedule)
{
    uint64_t hash = irr_hash_mix(IRR_HASH_BASIS, (uint64_t)schedule->ranks);

    for (size_t i = 0; i < schedule->count; i++) {
        const irr_transmission_t *t = &schedule->list[i];

        hash = irr_hash_mix(irr_hash_mix(irr_hash_mix(hash, (uint64_t)t->step), (uint64_t)t->from), (uint64_t)t->to);
        hash = irr_hash_mix(irr_hash_mix(irr_hash_mix(hash, t->offset), t->length), (uint64_t)t->more);
    }
    return hash;
}

/* Returns the word of a setting. The word of a file is a hash of its content, so the path may differ between ranks. */
static uint64_t word_of(const irr_setting_t *setting, const irr_settings_t *settings, const irr_comm_files_t *files)
{
    switch (setting->offset) {
    case offsetof(irr_settings_t, schedule_file): return schedule_word(&files->schedule);
    case offsetof(irr_settings_t, topology_file): return topology_word(&files->topology);
    default:                                      return irr_setting_word(setting, settings);
    }
}

/* Sets the words of all settings and returns their number. */
static int list(const irr_comm_params_t *params, const irr_comm_files_t *files, uint64_t words[WORDS_MAX])
{
    int count = TABLE;

    words[ALGORITHM] = (uint64_t)params->settings.algorithm;
    for (; irr_setting_at(count - TABLE) != NULL; count++) {
        words[count] = word_of(irr_setting_at(count - TABLE), &params->settings, files);
    }
    words[count] = params->only_shared;
    return count + 1;
}

uint64_t irr_settings_digest(const irr_comm_params_t *params, const irr_comm_files_t *files)
{
    uint64_t words[WORDS_MAX], hash = IRR_HASH_BASIS;
    const int count = list(params, files, words);

    for (int i = 0; i < count; i++) {
        hash = irr_hash_mix(hash, words[i]);
    }
    return hash;
}

/* ---- the search ---- */

/* Words of the third all-reduce. ROW: the setting that differs; MOST and LEAST: its largest and smallest value. */
enum { MOST_RANK, LEAST_RANK, ROW, MOST, LEAST_COMPLEMENT, NAME_WORDS };

/* Writes the name of a setting as the user knows it. row: the index of its word. */
static void write_name(const irr_comm_params_t *params, int row, char *text, size_t size)
{
    const irr_setting_t *setting = irr_setting_at(row - TABLE);

    if (row == ALGORITHM && params->parameter != NULL) {
        snprintf(text, size, "%s", params->parameter);
    } else {
        snprintf(text, size, "%s%s", irr_log_prefix(),
                 row == ALGORITHM ? "algorithm" : setting != NULL ? setting->name : "transport");
    }
}

/* Writes the value of a setting. Returns false if the value means nothing to the user, for example if it is a hash. */
static bool write_value(int row, uint64_t value, char *text, size_t size)
{
    const irr_setting_t *setting = irr_setting_at(row - TABLE);

    if (row == ALGORITHM) {
        const char *algorithm = value <= INT32_MAX ? irr_algorithm_name((int)value) : NULL;

        snprintf(text, size, "%s", algorithm != NULL ? algorithm : "unknown");
        return true;
    }
    return setting != NULL && irr_setting_text(setting, value, text, size);
}

/* Ends the search: rank 0 reports the setting and two ranks with their values, the lower rank first. */
static irr_status_t name(irr_setup_t *setup)
{
    const irr_comm_params_t *params = &setup->params;
    const uint64_t *words = setup->words;
    const bool least_first = words[LEAST_RANK] > words[MOST_RANK];
    const uint64_t values[] = { ~words[LEAST_COMPLEMENT], words[MOST] };
    const int ranks[] = { params->ranks - (int)words[LEAST_RANK], params->ranks - (int)words[MOST_RANK] };
    const int first = least_first ? 0 : 1, row = (int)words[ROW];
    char name[64], one[32], other[32];

    write_name(params, row, name, sizeof(name));
    if (write_value(row, values[first], one, sizeof(one)) &&
        write_value(row, values[1 - first], other, sizeof(other))) {
        snprintf(setup->why, sizeof(setup->why), "%s is '%s' on rank %d of a communicator and '%s' on rank %d", name,
                 one, ranks[first], other, ranks[1 - first]);
    } else {
        snprintf(setup->why, sizeof(setup->why), "%s is not the same on rank %d of a communicator as on rank %d",
                 name, ranks[1 - first], ranks[first]);
    }
    if (params->rank == 0) {
        irr_log(IRR_LOG_ERROR, "%s; it must be the same on all ranks%s%s", setup->why,
                params->otherwise != NULL ? "; " : "", params->otherwise != NULL ? params->otherwise : "");
    }
    return IRR_ERR_NOT_SUPPORTED;
}

/*
 * Finds the first setting whose largest and smallest value differ, and starts the third all-reduce. All ranks find the
 * same setting. It exists, because the digests differ.
 */
static irr_status_t find(irr_setup_t *setup)
{
    const irr_comm_params_t *params = &setup->params;
    const uint64_t rank_word = (uint64_t)(params->ranks - params->rank);
    uint64_t own[WORDS_MAX], named[NAME_WORDS];
    const int count = list(params, &setup->files, own);
    const uint64_t *complements = setup->words, *mosts = setup->words + count;
    int row = 0;

    while (row < count - 1 && mosts[row] == ~complements[row]) {
        row++;
    }
    named[MOST_RANK] = own[row] == mosts[row] ? rank_word : 0;
    named[LEAST_RANK] = own[row] == ~complements[row] ? rank_word : 0;
    named[ROW] = (uint64_t)row;
    named[MOST] = mosts[row];
    named[LEAST_COMPLEMENT] = complements[row];
    memcpy(setup->words, named, sizeof(named));
    return irr_setup_reduce(setup, NAME_WORDS, name);
}

/* Keeps the largest values behind the words of the next all-reduce, which finds the smallest values. */
static irr_status_t find_least(irr_setup_t *setup)
{
    uint64_t own[WORDS_MAX];
    const int count = list(&setup->params, &setup->files, own);

    memcpy(setup->words + count, setup->words, (size_t)count * sizeof(own[0]));
    for (int i = 0; i < count; i++) {
        setup->words[i] = ~own[i];
    }
    return irr_setup_reduce(setup, (size_t)count, find);
}

irr_status_t irr_settings_name(irr_setup_t *setup)
{
    const int count = list(&setup->params, &setup->files, setup->words);

    return irr_setup_reduce(setup, (size_t)count, find_least);
}
