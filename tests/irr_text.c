/*
 * irr_text.c - see irr_text.h.
 */
#include "irr_text.h"

#include "irr_test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[128];

const char *irr_text_open(void)
{
    const char *folder = getenv("TMPDIR");
    int file;

    snprintf(path, sizeof(path), "%s/irr_text.XXXXXX", folder != NULL ? folder : "/tmp");
    file = mkstemp(path);
    CU_ASSERT_FATAL(file >= 0);
    close(file);
    return path;
}

void irr_text_close(void)
{
    unlink(path);
}

const char *irr_text_fill(const char *text, size_t length)
{
    FILE *file = fopen(path, "w");

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT_EQUAL_FATAL(fwrite(text, 1, length, file), length);
    CU_ASSERT_EQUAL_FATAL(fclose(file), 0);
    return path;
}

void irr_text_check_bad(const irr_text_bad_t *table, irr_status_t (*read)(const char *path, irr_file_error_t *error))
{
    irr_text_open();
    for (const irr_text_bad_t *bad = table; bad->text != NULL; bad++) {
        irr_file_error_t error = { 0 };
        size_t length = bad->length > 0 ? bad->length : strlen(bad->text);

        CU_ASSERT_EQUAL(read(irr_text_fill(bad->text, length), &error), IRR_ERR_FORMAT);
        if (strcmp(error.reason, bad->reason) != 0 || error.line != bad->line) {
            CU_FAIL("another reason");
            printf("# '%s': line %zu, %s\n", bad->reason, error.line, error.reason);
        }
    }
    irr_text_close();
}
