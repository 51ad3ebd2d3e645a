/*
 * agree_settings.c - do all members of a communicator have the same settings, and which one differs if not?
 *
 * Each setting is one word: its number, or a hash of what is no number.  All of them make one word more, the digest,
 * by which the members learn that they are equal (comm/agree.c), so that costs no message of its own.
 *
 * Only where digests differ the members look for what it is.  The maximum of a word and of its complement are its most
 * and its least value: two all-reduces of all words, and the first that differs is known.  A third one finds the lowest
 * ranks that have these two, beside what rank 0 needs to tell of them.
 */
#include "comm/agree_settings.h"

#include "core/hash.h"
#include "core/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct setting {
    const char   *name;             /* of the parameter, without what Open MPI puts before it */
    uint64_t      word;
    const char *(*text)(int i);     /* its values have names; NULL: they have not */
    bool          hashed;           /* the word says nothing to a reader */
} setting_t;

enum { SETTINGS = 28 };

_Static_assert(2 * SETTINGS <= IRR_OPENING_WORDS, "there is room for all words");

/* High bits of a word count in all bits of the hash. */
static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = irr_hash_word(hash, word);
    return hash ^ hash >> 29;
}

static uint64_t dims_word(const irr_dims_t *dims)
{
    uint64_t hash = mix(IRR_HASH_BASIS, (uint64_t)dims->count);

    for (int i = 0; i < dims->count; i++) {
        hash = mix(hash, (uint64_t)dims->size[i]);
    }
    return hash;
}

static uint64_t redistribution_word(const irr_redistribution_t *redistribution)
{
    return mix(mix(mix(mix(IRR_HASH_BASIS, redistribution->x), (uint64_t)redistribution->p), redistribution->y),
               (uint64_t)redistribution->q);
}

static uint64_t topology_word(const irr_topology_t *topology)
{
    uint64_t hash = mix(mix(IRR_HASH_BASIS, (uint64_t)topology->hosts), (uint64_t)topology->vertices);

    for (int i = 0; i < topology->vertices; i++) {
        hash = mix(mix(hash, (uint64_t)topology->parent[i]), topology->speed[i]);
    }
    return hash;
}

static uint64_t schedule_word(const irr_schedule_t *schedule)
{
    uint64_t hash = mix(IRR_HASH_BASIS, (uint64_t)schedule->ranks);

    for (size_t i = 0; i < schedule->count; i++) {
        const irr_transmission_t *t = &schedule->list[i];

        hash = mix(mix(mix(hash, (uint64_t)t->step), (uint64_t)t->from), (uint64_t)t->to);
        hash = mix(mix(mix(hash, t->offset), t->length), (uint64_t)t->more);
    }
    return hash;
}

static void list(const irr_comm_params_t *params, const irr_comm_files_t *files, setting_t rows[SETTINGS])
{
    const irr_settings_t *its = &params->settings;
    const irr_scheduled_params_t *scheduled = &its->scheduled;
    const uint64_t lambda = mix(mix(IRR_HASH_BASIS, (uint64_t)scheduled->lambda.rule), scheduled->lambda.share);
    const char *parameter = params->parameter != NULL ? params->parameter : "algorithm";
    const setting_t all[] = {
        { parameter,          (uint64_t)its->algorithm, irr_algorithm_name, false },
        { "compose",          (uint64_t)its->compose, irr_compose_name, false },
        { "window_messages",  its->window_messages, NULL, false },
        { "window_bytes",     its->window_bytes, NULL, false },
        { "dims",             dims_word(&its->dims), NULL, true },
        { "slice_min",        its->slice_min, NULL, false },
        { "direct_bytes",     its->direct_bytes, NULL, false },
        { "overlap",          (uint64_t)its->overlap, irr_overlap_name, false },
        { "pace",             (uint64_t)its->pace, irr_pacing_name, false },
        { "grants",           its->grants, NULL, false },
        { "seed",             scheduled->seed, NULL, false },
        { "lambda",           lambda, NULL, true },
        { "latency_bytes",    scheduled->latency, NULL, false },
        { "max_steps",        (uint64_t)scheduled->max_steps, NULL, false },
        { "lp_shift",         scheduled->shift, NULL, false },
        { "redistribution",   redistribution_word(&scheduled->redistribution), NULL, true },
        { "matrix_max_bytes", its->matrix_max_bytes, NULL, false },
        { "cache_bytes",      its->cache_bytes, NULL, false },
        { "schedule_ms",      its->schedule_ms, NULL, false },
        { "piece_bytes",      its->piece_bytes, NULL, false },
        { "lead_bytes",       its->lead_bytes, NULL, false },
        { "host_route",       (uint64_t)its->host_route, irr_host_route_name, false },
        { "shm",              its->shm, NULL, false },
        { "timeout",          its->timeout, NULL, false },
        { "matrix_dump",      its->matrix_dump != NULL && its->matrix_dump[0] != '\0', NULL, true },
        { "schedule_file",    schedule_word(&files->schedule), NULL, true },
        { "topology_file",    topology_word(&files->topology), NULL, true },
        { "transport",        params->only_shared, NULL, true }
    };

    _Static_assert(sizeof(all) / sizeof(all[0]) == SETTINGS, "each row has its place");
    for (int i = 0; i < SETTINGS; i++) {
        rows[i] = all[i];
    }
}

uint64_t irr_settings_digest(const irr_comm_params_t *params, const irr_comm_files_t *files)
{
    setting_t rows[SETTINGS];
    uint64_t hash = IRR_HASH_BASIS;

    list(params, files, rows);
    for (int i = 0; i < SETTINGS; i++) {
        hash = mix(hash, rows[i].word);
    }
    return hash;
}

/* ---- which one ---- */

enum { MOST_RANK, LEAST_RANK, ROW, MOST, LEAST_COMPLEMENT, TELL_WORDS };

static void write_value(const setting_t *row, uint64_t value, char *text, size_t size)
{
    const char *name = row->text != NULL && value <= INT32_MAX ? row->text((int)value) : NULL;

    if (name != NULL) {
        snprintf(text, size, "%s", name);
    } else if (value == IRR_BYTES_AUTO) {
        snprintf(text, size, "auto");
    } else {
        snprintf(text, size, "%" PRIu64, value);
    }
}

/* The two ranks, the lower one first. */
static irr_status_t tell(irr_opening_t *opening)
{
    const irr_comm_params_t *params = &opening->params;
    const uint64_t *words = opening->words;
    const bool least_first = words[LEAST_RANK] > words[MOST_RANK];
    const uint64_t values[] = { ~words[LEAST_COMPLEMENT], words[MOST] };
    const int ranks[] = { params->ranks - (int)words[LEAST_RANK], params->ranks - (int)words[MOST_RANK] };
    const int first = least_first ? 0 : 1;
    const char *prefix = words[ROW] == 0 ? "" : irr_log_prefix();   /* row 0 has the whole name */
    setting_t rows[SETTINGS];
    const setting_t *row;
    char one[32], other[32];

    list(params, &opening->files, rows);
    row = &rows[words[ROW]];
    write_value(row, values[first], one, sizeof(one));
    write_value(row, values[1 - first], other, sizeof(other));
    if (row->hashed) {
        snprintf(opening->why, sizeof(opening->why), "%s%s is not the same on rank %d of a communicator as on "
                 "rank %d", prefix, row->name, ranks[1 - first], ranks[first]);
    } else {
        snprintf(opening->why, sizeof(opening->why), "%s%s is %s on rank %d of a communicator and %s on rank "
                 "%d", prefix, row->name, one, ranks[first], other, ranks[1 - first]);
    }
    if (params->rank == 0) {
        irr_log(IRR_LOG_ERROR, "%s; it must be the same on all ranks%s%s", opening->why,
                params->otherwise != NULL ? "; " : "", params->otherwise != NULL ? params->otherwise : "");
    }
    return IRR_ERR_NOT_SUPPORTED;
}

/* Alike on all ranks: the first row whose most and least value differ.  Digests that differ come from one. */
static irr_status_t find(irr_opening_t *opening)
{
    const irr_comm_params_t *params = &opening->params;
    const uint64_t *complements = opening->words, *mosts = opening->words + SETTINGS;
    const uint64_t place = (uint64_t)(params->ranks - params->rank);
    setting_t rows[SETTINGS];
    int row = 0;

    while (row < SETTINGS - 1 && mosts[row] == ~complements[row]) {
        row++;
    }
    list(params, &opening->files, rows);

    const uint64_t told[TELL_WORDS] = {
        [MOST_RANK] = rows[row].word == mosts[row] ? place : 0,
        [LEAST_RANK] = rows[row].word == ~complements[row] ? place : 0,
        [ROW] = (uint64_t)row, [MOST] = mosts[row], [LEAST_COMPLEMENT] = complements[row]
    };

    memcpy(opening->words, told, sizeof(told));
    return irr_opening_reduce(opening, TELL_WORDS, tell);
}

/* The most values are known, and stay behind the words of the next all-reduce. */
static irr_status_t look_for_least(irr_opening_t *opening)
{
    setting_t rows[SETTINGS];

    memcpy(opening->words + SETTINGS, opening->words, SETTINGS * sizeof(opening->words[0]));
    list(&opening->params, &opening->files, rows);
    for (int i = 0; i < SETTINGS; i++) {
        opening->words[i] = ~rows[i].word;
    }
    return irr_opening_reduce(opening, SETTINGS, find);
}

irr_status_t irr_settings_tell(irr_opening_t *opening)
{
    setting_t rows[SETTINGS];

    list(&opening->params, &opening->files, rows);
    for (int i = 0; i < SETTINGS; i++) {
        opening->words[i] = rows[i].word;
    }
    return irr_opening_reduce(opening, SETTINGS, look_for_least);
}
