/*
 * settings_value.c - settings: converts texts to values, and values to the 64-bit words that ranks compare; see
 * settings.h.
 *
 * The texts are untrusted.  If a text is not valid, the value is unchanged.
 */
#include "plan/settings.h"

#include "core/hash.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

_Static_assert(sizeof(irr_compose_t) == sizeof(int) && sizeof(irr_overlap_t) == sizeof(int) &&
               sizeof(irr_pacing_kind_t) == sizeof(int) && sizeof(irr_host_route_t) == sizeof(int),
               "a name becomes an int");
_Static_assert(sizeof(size_t) == sizeof(uint64_t), "a size becomes a word");

/* ---- texts ---- */

int irr_setting_index(const irr_setting_t *setting, const char *name)
{
    name = irr_algorithm_newer(name);
    for (int i = 0; setting->value(i) != NULL; i++) {
        if (strcasecmp(setting->value(i), name) == 0) {
            return i;
        }
    }
    return -1;
}

static bool parse_name(const irr_setting_t *setting, const char *text, int *index)
{
    const int found = irr_setting_index(setting, text);

    *index = found >= 0 ? found : *index;
    return found >= 0;
}

static bool parse_size(const irr_setting_t *setting, const char *text, uint64_t *size)
{
    static const char suffixes[] = "kmg";
    const uint64_t most = setting->max > 0 ? (uint64_t)setting->max : UINT64_MAX;
    unsigned long long number;
    const char *suffix;
    int shift = 0;
    char *end;

    if (!isdigit((unsigned char)text[0])) {
        return false;
    }
    errno = 0;
    number = strtoull(text, &end, 10);
    if (*end != '\0') {
        suffix = strchr(suffixes, tolower((unsigned char)*end));
        if (suffix == NULL || end[1] != '\0') {
            return false;
        }
        shift = 10 * (int)(suffix - suffixes + 1);
    }
    if (errno != 0 || number > most >> shift) {
        return false;
    }
    *size = (uint64_t)number << shift;
    return true;
}

static bool parse_whole(const irr_setting_t *setting, const char *text, int *number)
{
    long long value;
    char *end;

    errno = 0;
    value = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || value < setting->min || value > setting->max) {
        return false;
    }
    *number = (int)value;
    return true;
}

static bool parse_redistribution(const char *text, irr_redistribution_t *redistribution)
{
    irr_redistribution_t read = { .unit = 1 };

    if (strcasecmp(text, "none") != 0 && irr_redistribution_parse(text, &read) != IRR_OK) {
        return false;
    }
    *redistribution = read;
    return true;
}

bool irr_setting_parse(const irr_setting_t *setting, const char *text, void *values)
{
    void *member = (char *)values + setting->offset;

    switch (setting->type) {
    case IRR_SETTING_NAME:
        return parse_name(setting, text, member);
    case IRR_SETTING_AUTO_SIZE:
        if (strcmp(text, "auto") == 0) {
            *(size_t *)member = IRR_BYTES_AUTO;
            return true;
        }
        return parse_size(setting, text, member);
    case IRR_SETTING_SIZE:
        return parse_size(setting, text, member);
    case IRR_SETTING_WHOLE:
        return parse_whole(setting, text, member);
    case IRR_SETTING_SWITCH:
        if ((text[0] != '0' && text[0] != '1') || text[1] != '\0') {
            return false;
        }
        *(bool *)member = text[0] == '1';
        return true;
    case IRR_SETTING_DIMS:
        return irr_dims_parse(text, member) == IRR_OK;
    case IRR_SETTING_LAMBDA:
        return irr_lambda_parse(text, member) == IRR_OK;
    case IRR_SETTING_REDISTRIBUTION:
        return parse_redistribution(text, member);
    case IRR_SETTING_TEXT:
        *(const char **)member = text;
        return true;
    }
    return false;
}

void irr_setting_allowed(const irr_setting_t *setting, char *text, size_t size)
{
    size_t length = (size_t)snprintf(text, size, "%s", setting->value == NULL ? setting->allowed : "one of");

    for (int i = 0; setting->value != NULL && setting->value(i) != NULL && length < size; i++) {
        length += (size_t)snprintf(text + length, size - length, "%s %s", i > 0 ? "," : "", setting->value(i));
    }
}

/* ---- words ---- */

static uint64_t dims_word(const irr_dims_t *dims)
{
    uint64_t hash = irr_hash_mix(IRR_HASH_BASIS, (uint64_t)dims->count);

    for (int i = 0; i < dims->count; i++) {
        hash = irr_hash_mix(hash, (uint64_t)dims->size[i]);
    }
    return hash;
}

static uint64_t lambda_word(const irr_lambda_t *lambda)
{
    return irr_hash_mix(irr_hash_mix(IRR_HASH_BASIS, (uint64_t)lambda->rule), lambda->share);
}

static uint64_t redistribution_word(const irr_redistribution_t *redistribution)
{
    uint64_t hash = irr_hash_mix(irr_hash_mix(IRR_HASH_BASIS, redistribution->x), (uint64_t)redistribution->p);

    hash = irr_hash_mix(hash, redistribution->y);
    return irr_hash_mix(hash, (uint64_t)redistribution->q);
}

uint64_t irr_setting_word(const irr_setting_t *setting, const void *values)
{
    const void *member = (const char *)values + setting->offset;
    const char *text;

    switch (setting->type) {
    case IRR_SETTING_NAME:
    case IRR_SETTING_WHOLE:
        return (uint64_t)*(const int *)member;
    case IRR_SETTING_SIZE:
    case IRR_SETTING_AUTO_SIZE:
        return *(const uint64_t *)member;
    case IRR_SETTING_SWITCH:
        return *(const bool *)member;
    case IRR_SETTING_DIMS:
        return dims_word(member);
    case IRR_SETTING_LAMBDA:
        return lambda_word(member);
    case IRR_SETTING_REDISTRIBUTION:
        return redistribution_word(member);
    case IRR_SETTING_TEXT:
        text = *(const char *const *)member;
        return text != NULL && text[0] != '\0';
    }
    return 0;
}

bool irr_setting_text(const irr_setting_t *setting, uint64_t word, char *text, size_t size)
{
    const char *name = setting->type == IRR_SETTING_NAME && word <= INT_MAX ? setting->value((int)word) : NULL;

    switch (setting->type) {
    case IRR_SETTING_NAME:
        snprintf(text, size, "%s", name != NULL ? name : "unknown");
        return true;
    case IRR_SETTING_AUTO_SIZE:
    case IRR_SETTING_SIZE:
    case IRR_SETTING_WHOLE:
    case IRR_SETTING_SWITCH:
        if (setting->type == IRR_SETTING_AUTO_SIZE && word == IRR_BYTES_AUTO) {
            snprintf(text, size, "auto");
        } else {
            snprintf(text, size, "%" PRIu64, word);
        }
        return true;
    default:
        return false;
    }
}
