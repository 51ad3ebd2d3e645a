/* names.c - the names of compositions, overlaps, pacings and host routes. */
#include "irr.h"

#define TEXT_OF(name, text) text,

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

const char *irr_pacing_name(int i)
{
    static const char *const names[] = { IRR_PACING_MAP(TEXT_OF) };

    return i >= 0 && i < (int)IRR_PACING_COUNT ? names[i] : NULL;
}

const char *irr_host_route_name(int i)
{
    static const char *const names[] = { IRR_HOST_ROUTE_MAP(TEXT_OF) };

    return i >= 0 && i < IRR_HOST_ROUTE_COUNT ? names[i] : NULL;
}
