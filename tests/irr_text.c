/*
 * irr_text.c - see irr_text.h.
 */
#include "irr_text.h"

#include "irr_test.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static char path[100];

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
    remove(path);
}

const char *irr_text_fill(const char *text, size_t length)
{
    FILE *file = fopen(path, "w");

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT_EQUAL_FATAL(fwrite(text, 1, length, file), length);
    CU_ASSERT_EQUAL_FATAL(fclose(file), 0);
    return path;
}

irr_status_t irr_text_read(irr_text_read_t *read, const char *text, size_t length, irr_file_error_t *error)
{
    irr_status_t status;

    irr_text_open();
    status = read(irr_text_fill(text, length), error);
    irr_text_close();
    return status;
}

static void expect_reason(const irr_file_error_t *error, size_t line, const char *reason)
{
    if (strcmp(error->reason, reason) != 0 || error->line != line) {
        CU_FAIL("another reason");
        printf("# '%s': line %zu, %s\n", reason, error->line, error->reason);
    }
}

static void expect_no_file(const char *name, const char *reason, irr_text_read_t *read)
{
    irr_file_error_t error = { .line = 77 };

    CU_ASSERT_EQUAL(read(name, &error), IRR_ERR_IO);
    expect_reason(&error, 0, reason);
}

static void check_no_files(irr_text_read_t *read)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    const int server = socket(AF_UNIX, SOCK_STREAM, 0);

    irr_text_open();
    irr_text_close();
    CU_ASSERT_EQUAL_FATAL(mkdir(path, 0700), 0);
    expect_no_file(path, "Is a directory", read);
    irr_text_close();
    CU_ASSERT_EQUAL_FATAL(mkfifo(path, 0600), 0);
    expect_no_file(path, "is a pipe; only a regular file is read", read);
    irr_text_close();
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    CU_ASSERT_EQUAL_FATAL(bind(server, (struct sockaddr *)&address, sizeof(address)), 0);
    expect_no_file(path, "is a socket or a device that does not answer; only a regular file is read", read);
    irr_text_close();
    close(server);
    expect_no_file("/dev/zero", "is a device; only a regular file is read", read);
}

void irr_text_check_bad(const irr_text_bad_t *table, irr_text_read_t *read)
{
    for (const irr_text_bad_t *bad = table; bad->text != NULL; bad++) {
        irr_file_error_t error = { 0 };
        const size_t length = bad->length > 0 ? bad->length : strlen(bad->text);

        CU_ASSERT_EQUAL(irr_text_read(read, bad->text, length, &error), IRR_ERR_FORMAT);
        expect_reason(&error, bad->line, bad->reason);
    }
    check_no_files(read);
}

void irr_text_check_damaged(const char *text, size_t kept, const char *alphabet, uint64_t *state,
                            irr_text_read_t *read)
{
    const size_t length = strlen(text);
    char *damaged = strdup(text);
    irr_file_error_t error = { 0 };

    for (uint64_t edits = 1 + irr_test_below(state, 4); edits > 0; edits--) {
        damaged[kept + irr_test_below(state, length - kept)] = alphabet[irr_test_below(state, strlen(alphabet) + 1)];
    }
    CU_ASSERT(irr_text_read(read, damaged, length, &error) == IRR_OK || error.reason[0] != '\0');
    free(damaged);
}
