/*
 * topology_text.h - a topology.conf with a given content, for tests.
 */
#ifndef IRR_TOPOLOGY_TEXT_H
#define IRR_TOPOLOGY_TEXT_H

#include "irr_test.h"
#include "problem/topology.h"

#include <stdlib.h>
#include <unistd.h>

/* The file; each case opens it and unlinks it. */
static char path[128];

static inline void open_path(void)
{
    const char *folder = getenv("TMPDIR");
    int file;

    snprintf(path, sizeof(path), "%s/irr_topology.XXXXXX", folder != NULL ? folder : "/tmp");
    file = mkstemp(path);
    CU_ASSERT_FATAL(file >= 0);
    close(file);
}

static inline irr_status_t read_text(const char *text, size_t length, irr_topology_t *topology,
                                     irr_file_error_t *error)
{
    FILE *file = fopen(path, "w");

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT_EQUAL_FATAL(fwrite(text, 1, length, file), length);
    CU_ASSERT_EQUAL_FATAL(fclose(file), 0);
    return irr_topology_read(path, topology, error);
}

#endif
