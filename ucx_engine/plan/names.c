/*
 * names.c - the names of compositions and of overlaps.
 */
#include "irr.h"

#define TEXT_OF(name, text, ...) text,

const char *irr_compose_name(int i)
{
    static const char *const names[] = { IRR_COMPOSE_MAP(TEXT_OF) };

    return i >= 0 && i < IRR_COMPOSE_COUNT ? names[i] : NULL;
}

const char *irr_overlap_name(int i)
{
    static const char *const names[] = { IRR_OVERLAP_MAP(TEXT_OF) };

    return i >= 0 && i < IRR_OVERLAP_COUNT ? names[i] : NULL;
}
