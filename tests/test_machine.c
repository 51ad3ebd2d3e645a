/*
 * test_machine.c - files with the constants of a machine: files that are read, and the reasons for refusals.
 */
#include "problem/machine.h"
#include "irr_test.h"
#include "irr_text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOUR "message 1\nlatency 2\nbandwidth 3\ncopy 4\n"
#define NAMES "message, latency, bandwidth, copy, node_message, node_latency, piece, switch_nodes, taper, " \
              "buffer, timeout"

static irr_status_t read_text(const char *text, irr_machine_t *machine, irr_file_error_t *error)
{
    irr_status_t status;

    irr_text_open();
    status = irr_machine_read(irr_text_fill(text, strlen(text)), machine, error);
    irr_text_close();
    return status;
}

/* ---- files that are read ---- */

static void test_all_constants(void)
{
    const irr_machine_t wanted = {
        .message = 1, .latency = 2, .bandwidth = 100000000, .copy = 4, .node_message = 5, .node_latency = 6,
        .piece = 0, .switch_nodes = 9, .taper = 10, .buffer = 11, .timeout = 12
    };
    irr_machine_t machine;
    irr_file_error_t error;

    CU_ASSERT_EQUAL(read_text("# a comment\n\n  copy 4  # and another one\nmessage\t1\r\nlatency 2\n"
                              "bandwidth 100000000\ntaper 10\nflag 7\nnode_message 5\nnode_latency 6\npiece 0\n"
                              "timeout 12\nbuffer 11\nswitch_nodes 9", &machine, &error), IRR_OK);
    CU_ASSERT_EQUAL(memcmp(&machine, &wanted, sizeof(machine)), 0);
}

/* Constants that a file lacks have their defaults. */
static void test_presets(void)
{
    irr_machine_t wanted = IRR_MACHINE_DEFAULT, machine;
    irr_file_error_t error;

    wanted.message = 1;
    wanted.latency = 2;
    wanted.bandwidth = 3;
    wanted.copy = 4;
    CU_ASSERT_EQUAL(read_text(FOUR, &machine, &error), IRR_OK);
    CU_ASSERT_EQUAL(memcmp(&machine, &wanted, sizeof(machine)), 0);
}

static void check_shipped(const char *name, irr_machine_t *machine)
{
    const char *source = getenv("srcdir");
    irr_file_error_t error = { 0 };
    char path[4096];

    snprintf(path, sizeof(path), "%s/contrib/machines/%s.conf", source != NULL ? source : ".", name);
    CU_ASSERT_EQUAL_FATAL(irr_machine_read(path, machine, &error), IRR_OK);
}

static void test_shipped(void)
{
    const irr_machine_t preset = IRR_MACHINE_DEFAULT;
    irr_machine_t machine;

    check_shipped("infiniband-100g", &machine);
    CU_ASSERT_EQUAL(memcmp(&machine, &preset, sizeof(machine)), 0);
    check_shipped("ethernet-25g", &machine);
    CU_ASSERT_EQUAL(machine.taper, 3);
    check_shipped("lab-100m", &machine);
    CU_ASSERT_EQUAL(machine.bandwidth, 96);
    CU_ASSERT_EQUAL(machine.buffer, 125000);
}

static void test_names(void)
{
    int i = 0;

    for (; irr_machine_name(i) != NULL; i++) {
        CU_ASSERT_NOT_EQUAL(strlen(irr_machine_text(i)), 0);
    }
    CU_ASSERT_EQUAL(i * sizeof(uint64_t), sizeof(irr_machine_t));
    CU_ASSERT_PTR_NULL(irr_machine_text(i));
    CU_ASSERT_PTR_NULL(irr_machine_name(-1));
}

/* ---- files that are refused ---- */

static const irr_text_bad_t bad_files[] = {
    { "", 0, 0, "has no message (ns, processor time of a message between nodes, half at each end)" },
    { "message 1\nlatency 2\ncopy 4\n", 0, 0, "has no bandwidth (Mbit/s, of the link of a node, in each direction)" },
    { FOUR "speed 5\n", 0, 5, "'speed' is none of " NAMES },
    { FOUR "Copy 5\n", 0, 5, "'Copy' is none of " NAMES },
    { FOUR "\x1b[2J 5\n", 0, 5, "'?[2J' is none of " NAMES },
    { "a-name-that-is-longer-than-any-other-name-could-be 5\n", 0, 1, "'a-name-that-is-longe' is none of " NAMES },
    { "\n\nmessage\n", 0, 3, "line has 1 words, it must have a name and a value" },
    { "message # 5\n", 0, 1, "line has 1 words, it must have a name and a value" },
    { "message 1 ns\n", 0, 1, "line has 3 words, it must have a name and a value" },
    { "message = 1\n", 0, 1, "line has 3 words, it must have a name and a value" },
    { FOUR "message 1\n", 0, 5, "message is there already, in line 1" },
    { "message 0\n", 0, 1, "message '0' is not an integer from 1 to 1000000000" },
    { "message 1000000001\n", 0, 1, "message '1000000001' is not an integer from 1 to 1000000000" },
    { "copy 18446744073709551617\n", 0, 1, "copy '18446744073709551617' is not an integer from 1 to 100000000" },
    { "bandwidth nan\n", 0, 1, "bandwidth 'nan' is not an integer from 1 to 100000000" },
    { "taper 0\n", 0, 1, "taper '0' is not an integer from 1 to 1000" },
    { "switch_nodes 1000001\n", 0, 1, "switch_nodes '1000001' is not an integer from 0 to 1000000" },
    { "copy 1\0 2\n", 10, 1, "byte 7 of the line is 0, only text is allowed" },
    { NULL, 0, 0, NULL }
};

static irr_status_t read_bad(const char *path, irr_file_error_t *error)
{
    irr_machine_t machine = { .copy = 77 };
    const irr_machine_t before = machine;
    irr_status_t status = irr_machine_read(path, &machine, error);

    CU_ASSERT_EQUAL(memcmp(&machine, &before, sizeof(machine)), 0);
    return status;
}

static void test_refused(void)
{
    irr_text_check_bad(bad_files, read_bad);
    irr_text_check_missing(read_bad);
}

/* A parameter may name any file. */
static void test_long_file(void)
{
    const char *path = irr_text_open();
    irr_file_error_t error = { .line = 7 };
    irr_machine_t machine;

    CU_ASSERT_EQUAL_FATAL(truncate(path, INT64_C(1) << 30), 0);
    CU_ASSERT_EQUAL(irr_machine_read(path, &machine, &error), IRR_ERR_FORMAT);
    CU_ASSERT_EQUAL(error.line, 0);
    CU_ASSERT_STRING_EQUAL(error.reason, "is 1073741824 bytes long, at most 65536 are allowed");
    irr_text_close();
}

IRR_TEST_MAIN("machine", 60,
    { "all constants of a file are read", test_all_constants },
    { "constants that a file lacks have their defaults", test_presets },
    { "the files that come with coll/irr are read", test_shipped },
    { "each constant has a name and a text", test_names },
    { "bad files are refused, with the line and the allowed values", test_refused },
    { "a file of 1 GiB is refused without being read", test_long_file })
