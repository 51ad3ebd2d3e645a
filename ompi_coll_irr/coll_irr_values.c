/*
 * coll_irr_values.c - texts of parameters and info keys to values, and what the user reads of a bad one.
 *
 * The texts come from outside: a value is written only if all of its text was understood.
 */
#include "coll_irr_settings.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

int mca_coll_irr_parse_name(const char *text, const char *(*name)(int i))
{
    for (int i = 0; name(i) != NULL; i++) {
        if (strcasecmp(name(i), text) == 0) {
            return i;
        }
    }
    return MCA_COLL_IRR_BAD_NAME;
}

bool mca_coll_irr_parse_size(const char *text, void *size)
{
    static const char suffixes[] = "kmg";
    unsigned long long number;
    const char *suffix;
    int shift = 0;
    char *end;

    if (!isdigit((unsigned char)text[0])) {
        return false;
    }
    errno = 0;
    number = strtoull(text, &end, 10);
    if (errno != 0) {
        return false;
    }
    if (*end != '\0') {
        suffix = strchr(suffixes, tolower((unsigned char)*end));
        if (suffix == NULL || end[1] != '\0') {
            return false;
        }
        shift = 10 * (int)(suffix - suffixes + 1);
    }
    if (number > SIZE_MAX >> shift) {
        return false;
    }
    *(size_t *)size = (size_t)number << shift;
    return true;
}

bool mca_coll_irr_parse_dims(const char *text, void *dims)
{
    return irr_dims_parse(text, dims) == IRR_OK;
}

bool mca_coll_irr_parse_auto_size(const char *text, void *size)
{
    if (strcmp(text, "auto") == 0) {
        *(size_t *)size = IRR_BYTES_AUTO;
        return true;
    }
    return mca_coll_irr_parse_size(text, size);
}

bool mca_coll_irr_parse_steps(const char *text, void *steps)
{
    size_t count;

    if (!mca_coll_irr_parse_size(text, &count) || count > INT_MAX) {
        return false;
    }
    *(int *)steps = (int)count;
    return true;
}

bool mca_coll_irr_parse_switch(const char *text, void *on)
{
    if ((text[0] != '0' && text[0] != '1') || text[1] != '\0') {
        return false;
    }
    *(bool *)on = text[0] == '1';
    return true;
}

bool mca_coll_irr_parse_lambda(const char *text, void *lambda)
{
    return irr_lambda_parse(text, lambda) == IRR_OK;
}

bool mca_coll_irr_parse_redistribution(const char *text, void *redistribution)
{
    irr_redistribution_t read = { .unit = 1 };

    if (strcasecmp(text, "none") != 0 && irr_redistribution_parse(text, &read) != IRR_OK) {
        return false;
    }
    *(irr_redistribution_t *)redistribution = read;
    return true;
}

bool mca_coll_irr_parse_path(const char *text, void *path)
{
    *(char **)path = strdup(text);
    return *(char **)path != NULL;
}

irr_status_t mca_coll_irr_bad_value(const char *parameter, const char *value, bool keyed, const char *allowed,
                                    mca_coll_irr_bad_t *bad)
{
    snprintf(bad->parameter, sizeof(bad->parameter), "%s", parameter);
    snprintf(bad->value, sizeof(bad->value), "%s", value);
    snprintf(bad->allowed, sizeof(bad->allowed), "%s", allowed);
    bad->keyed = keyed;
    return IRR_ERR_BAD_PARAM;
}

irr_status_t mca_coll_irr_bad_name(const char *parameter, const char *value, bool keyed, const char *(*name)(int i),
                                   mca_coll_irr_bad_t *bad)
{
    char allowed[256] = "one of";
    size_t length = strlen(allowed);

    for (int i = 0; name(i) != NULL && length < sizeof(allowed); i++) {
        length += (size_t)snprintf(allowed + length, sizeof(allowed) - length, "%s %s", i > 0 ? "," : "",
                                   name(i));
    }
    return mca_coll_irr_bad_value(parameter, value, keyed, allowed, bad);
}

void mca_coll_irr_tell_bad(const mca_coll_irr_bad_t *bad)
{
    char *text = opal_show_help_string("help-coll-irr.txt", "bad-value", false, bad->parameter, bad->value,
                                       bad->allowed);

    for (size_t end = text != NULL ? strlen(text) : 0; end > 0 && text[end - 1] == '\n'; end--) {
        text[end - 1] = '\0';
    }
    mca_coll_irr_tell("engine-message", text != NULL ? text : bad->parameter);
    free(text);
}
