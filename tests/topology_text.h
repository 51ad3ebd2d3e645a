/*
 * topology_text.h - a topology.conf with a given content, for tests.
 */
#ifndef IRR_TOPOLOGY_TEXT_H
#define IRR_TOPOLOGY_TEXT_H

#include "irr_test.h"
#include "irr_text.h"
#include "problem/topology.h"

/* Between irr_text_open and irr_text_close. */
static inline irr_status_t read_text(const char *text, size_t length, irr_topology_t *topology,
                                     irr_file_error_t *error)
{
    return irr_topology_read(irr_text_fill(text, length), topology, error);
}

#endif
