/*
 * overlap.c - the names of the ways in which stages overlap.
 */
#include "irr.h"

const char *irr_overlap_name(int i)
{
#define OVERLAP_TEXT(name, text, meaning) text,
    static const char *const names[] = { IRR_OVERLAP_MAP(OVERLAP_TEXT) };
#undef OVERLAP_TEXT

    return i >= 0 && i < IRR_OVERLAP_COUNT ? names[i] : NULL;
}
