/*
 * test_files.c - the readers of matrices, schedules, topologies and machines. Each reader refuses malformed files with
 * line and reason. It accepts a truncated or damaged file, or refuses it with a reason. If a reader fails, its outputs
 * are unchanged.
 */
#include "irr_test.h"
#include "irr_text.h"

#include "order/schedule_file.h"
#include "problem/machine.h"
#include "problem/topology.h"
#include "study/matrices.h"

#include <unistd.h>

#define BAD(line, text, reason) { text, sizeof(text) - 1, line, reason },

/* ---- matrices ---- */

#define MM     "%%MatrixMarket "
#define MATRIX MM "matrix coordinate integer general\n"

static const irr_text_bad_t bad_matrices[] = {
    BAD(0, "", "first word of the header is '', only '%%MatrixMarket' is read")
    BAD(1, "2 2 0\n", "first word of the header is '2', only '%%MatrixMarket' is read")
    BAD(1, "\x1b[2J\xff\n", "first word of the header is '?[2J?', only '%%MatrixMarket' is read")
    BAD(1, MM "vector coordinate integer general\n", "object of the header is 'vector', only 'matrix' is read")
    BAD(1, MM "matrix array integer general\n", "format of the header is 'array', only 'coordinate' is read")
    BAD(1, MM "matrix coordinate real general\n", "field of the header is 'real', only 'integer' is read")
    BAD(1, MM "matrix coordinate integer symmetric\n", "symmetry of the header is 'symmetric', only 'general' is read")
    BAD(1, MM "matrix coordinate integer general more\n", "header has 6 words, 5 are allowed")
    BAD(4, MATRIX "% comment\n\n%\n", "file ends before the line with rows, columns and entries")
    BAD(2, MATRIX "2 2\n", "size line has 2 words, it must have rows, columns and entries")
    BAD(2, MATRIX "2 2 1 1\n", "size line has 4 words, it must have rows, columns and entries")
    BAD(2, MATRIX "2 3 0\n", "matrix is 2 x 3, it must be square")
    BAD(2, MATRIX "0 0 0\n", "number of rows '0' is not an integer from 1 to 16384")
    BAD(2, MATRIX "16385 16385 0\n", "number of rows '16385' is not an integer from 1 to 16384")
    BAD(2, MATRIX "2 x 0\n", "number of columns 'x' is not an integer from 1 to 16384")
    BAD(2, MATRIX "2 2 5\n", "number of entries '5' is not an integer from 0 to 4")
    BAD(3, MATRIX "2 2 1\n0 1 5\n", "row '0' is not an integer from 1 to 2")
    BAD(3, MATRIX "2 2 1\n3 1 5\n", "row '3' is not an integer from 1 to 2")
    BAD(3, MATRIX "2 2 1\n1 18446744073709551618 5\n", "column '18446744073709551618' is not an integer from 1 to 2")
    BAD(3, MATRIX "2 2 1\n1 2 -5\n", "entry '-5' is not an integer from 0 to 9223372036854775807")
    BAD(3, MATRIX "2 2 1\n1 2 1e3\n", "entry '1e3' is not an integer from 0 to 9223372036854775807")
    BAD(3, MATRIX "2 2 1\n1 2 9223372036854775808\n",
        "entry '9223372036854775808' is not an integer from 0 to 9223372036854775807")
    BAD(3, MATRIX "2 2 1\n1 2 100000000000000000000000000000000000000000\n",
        "entry '10000000000000000000000000000000' is not an integer from 0 to 9223372036854775807")
    BAD(3, MATRIX "2 2 1\n% late\n1 2 3\n", "entry has 2 words, it must have row, column and bytes")
    BAD(3, MATRIX "2 2 1\n1 2 3 4\n", "entry has 4 words, it must have row, column and bytes")
    BAD(5, MATRIX "2 2 2\n1 2 0\n\n1 2 3\n", "entry (1, 2) appears twice, once is allowed")
    BAD(3, MATRIX "2 2 2\n1 2 3\n", "file ends after 1 of the 2 entries announced")
    BAD(4, MATRIX "2 2 1\n1 2 3\n2 1 3\n", "the file has more than the 1 entries announced")
    BAD(3, MATRIX "2 2 1\n1 2 \0003\n", "byte 5 of the line is 0, only text is allowed")
    { NULL, 0, 0, NULL }
};

static irr_status_t read_matrix(const char *path, irr_file_error_t *error)
{
    irr_matrix_t matrix = { .ranks = 77 };
    irr_status_t status = irr_matrix_read(path, &matrix, error);

    CU_ASSERT(status == IRR_OK ? matrix.entries != NULL : matrix.ranks == 77 && matrix.entries == NULL);
    irr_matrix_fini(&matrix);
    return status;
}

/* ---- schedules ---- */

#define SCHEDULE "irr_schedule 1\n"
#define LARGEST  "9223372036854775807"

static const irr_text_bad_t bad_schedules[] = {
    BAD(0, "", "first line is not 'irr_schedule 1'")
    BAD(1, "# comment\n" SCHEDULE, "first line is not 'irr_schedule 1'")
    BAD(1, "irr_schedule\n2 0 0\nend\n", "first line is not 'irr_schedule 1'")
    BAD(1, "irr_schedule 1 2\n2 0 0\nend\n", "first line is not 'irr_schedule 1'")
    BAD(1, "irr_schedule 2\n2 0 0\nend\n", "version of the file is '2'; only version 1 is read")
    BAD(3, SCHEDULE "# 2 0 0\n\n", "file ends before the line with ranks, steps and transmissions")
    BAD(2, SCHEDULE "2 0\nend\n", "line has 2 words, but must have 3: number of ranks to number of transmissions")
    BAD(2, SCHEDULE "0 0 0\nend\n", "number of ranks '0' is not an integer from 1 to 16384")
    BAD(2, SCHEDULE "16385 0 0\nend\n", "number of ranks '16385' is not an integer from 1 to 16384")
    BAD(2, SCHEDULE "2 2147483648 0\nend\n", "number of steps '2147483648' is not an integer from 0 to 2147483647")
    BAD(2, SCHEDULE "2 0 4294967296\nend\n",
        "number of transmissions '4294967296' is not an integer from 0 to 4294967295")
    BAD(3, SCHEDULE "2 1 2\n1 0 1 0 5\n", "file ends after 1 of the 2 announced transmissions")
    BAD(3, SCHEDULE "2 1 1\n1 0 1 0 5\n", "the line 'end' is missing after the announced transmissions")
    BAD(4, SCHEDULE "2 1 1\n1 0 1 0 5\nending\n", "the line 'end' is missing after the announced transmissions")
    BAD(3, SCHEDULE "2 0 0\nend of it\n", "the line 'end' is missing after the announced transmissions")
    BAD(5, SCHEDULE "2 0 0\nend\n# fine\n1 0 1 0 5\n", "a line follows the line 'end'")

    BAD(4, SCHEDULE "2 1 4294967295\n1 0 1 0 5\nend\n", "line has 1 words, but must have 5: step to length")
    BAD(3, SCHEDULE "2 0 0\nend\0\n", "byte 4 of the line is 0, only text is allowed")
    BAD(3, SCHEDULE "2 1 1\n1 0 1 0 5 1 5\nend\n", "line has 7 words, but must have 5: step to length")
    BAD(3, SCHEDULE "2 1 1\n1 0 1 0 5 0\nend\n", "number of further steps '0' is not an integer from 1 to 1")
    BAD(3, SCHEDULE "2 1 1\n1 0 1 0 5 1\nend\n",
        "a transmission of step 1 lasts 1 further steps, but the last step is 1")
    BAD(3, SCHEDULE "2 1 1\n0 0 1 0 5\nend\n", "step '0' is not an integer from 1 to 1")
    BAD(3, SCHEDULE "2 1 1\n2 0 1 0 5\nend\n", "step '2' is not an integer from 1 to 1")
    BAD(3, SCHEDULE "2 1 1\n1 2 1 0 5\nend\n", "sender '2' is not an integer from 0 to 1")
    BAD(3, SCHEDULE "2 1 1\n1 0 2 0 5\nend\n", "receiver '2' is not an integer from 0 to 1")
    BAD(3, SCHEDULE "2 1 1\n1 0 1 9223372036854775808 5\nend\n",
        "offset '9223372036854775808' is not an integer from 0 to " LARGEST)
    BAD(3, SCHEDULE "2 1 1\n1 0 1 0 0\nend\n", "length '0' is not an integer from 1 to " LARGEST)
    BAD(3, SCHEDULE "2 1 1\n1 0 1 0 9223372036854775808\nend\n",
        "length '9223372036854775808' is not an integer from 1 to " LARGEST)

    BAD(3, SCHEDULE "2 1 1\n1 1 1 0 5\nend\n", "a message from rank 1 to itself, which a schedule must not have")
    BAD(5, SCHEDULE "3 1 2\n1 0 1 0 5\n# next\n1 0 2 0 5\nend\n", "rank 0 sends twice in step 1")
    BAD(4, SCHEDULE "2 2 2\n1 0 1 0 5 1\n2 0 1 5 5\nend\n", "rank 0 sends twice in step 2")
    BAD(4, SCHEDULE "3 1 2\n1 0 2 0 5\n1 1 2 0 5\nend\n", "rank 2 receives twice in step 1")
    BAD(6, SCHEDULE "3 1 2\n1 1 2 0 5\n\n\n1 0 1 0 5\nend\n",
        "step 1 of rank 0 is out of order: sort by step, then by sender")
    BAD(4, SCHEDULE "2 2 2\n2 0 1 0 5\n1 1 0 0 5\nend\n",
        "step 1 of rank 1 is out of order: sort by step, then by sender")
    BAD(3, SCHEDULE "2 1 1\n1 0 1 1 5\nend\n", "byte 0 of the message from rank 0 to rank 1 is not sent")
    BAD(4, SCHEDULE "2 2 2\n1 0 1 0 5\n2 0 1 6 5\nend\n", "byte 5 of the message from rank 0 to rank 1 is not sent")
    BAD(4, SCHEDULE "2 2 2\n1 0 1 0 5\n2 0 1 4 5\nend\n", "byte 4 of the message from rank 0 to rank 1 is sent twice")
    BAD(4, SCHEDULE "2 2 2\n1 0 1 0 5\n2 0 1 0 5\nend\n", "byte 0 of the message from rank 0 to rank 1 is sent twice")
    BAD(4, SCHEDULE "2 2 2\n1 0 1 0 " LARGEST "\n2 0 1 " LARGEST " 1\nend\n",
        "all messages up to here have more than " LARGEST " bytes together")
    { NULL, 0, 0, NULL }
};

/*
 * Reads a schedule. Asserts that a schedule from a file passes irr_schedule_check_alone. The function also makes the
 * matrix of the schedule.
 */
static irr_status_t read_schedule(const char *path, irr_file_error_t *error)
{
    irr_schedule_t schedule = { .ranks = 77 };
    irr_status_t status = irr_schedule_read(path, &schedule, error);
    irr_schedule_fault_t fault;
    irr_matrix_t matrix;

    if (status != IRR_OK) {
        CU_ASSERT(schedule.ranks == 77 && schedule.list == NULL);
        return status;
    }
    status = irr_schedule_check_alone(&schedule, &fault);
    CU_ASSERT(status != IRR_ERR_INVALID_PLAN);
    status = status == IRR_OK ? irr_schedule_matrix(&schedule, &matrix) : status;
    if (status == IRR_OK) {
        irr_matrix_fini(&matrix);
    } else {
        snprintf(error->reason, sizeof(error->reason), "no matrix");
    }
    irr_schedule_fini(&schedule);
    return status;
}

/* ---- topologies ---- */

#define KNOWN "known are SwitchName, Nodes, Switches, LinkSpeed and NodeSpeed"
#define S0    "SwitchName=s0 Nodes=n0"

static const irr_text_bad_t bad_topologies[] = {
    BAD(0, "# SwitchName=s0 Nodes=n0\n\n", "file has no switch")
    BAD(1, "Nodes=n0\n", "SwitchName is missing")
    BAD(2, "\nSwitchName=s0\n", "switch 's0' has neither Nodes nor Switches")
    BAD(1, "SwitchName s0 Nodes=n0\n", "'SwitchName' is not KEYWORD=VALUE")
    BAD(1, "=s0\n", "'=s0' is not KEYWORD=VALUE")
    BAD(1, "BlockName=b0 Nodes=n0\n", "unknown keyword 'BlockName'; " KNOWN)
    BAD(1, S0 " nodes=n1\n", "Nodes is given twice")
    BAD(1, "SwitchName= \n", "value of SwitchName is empty")
    BAD(1, "SwitchName=s0 Nodes=\"\"\n", "value of Nodes is empty")
    BAD(1, "SwitchName=s0 Nodes=\"n0\n", "value of Nodes has only one quote; it must have two")
    BAD(1, "SwitchName=s0 Nodes=\"n0\"LinkSpeed=2\n", "'LinkSpeed=2' follows the value of Nodes without a blank")
    BAD(1, "SwitchName=s[0-1] Nodes=n0\n", "SwitchName 's[0-1]' is not the name of one switch")
    BAD(1, S0 " LinkSpeed=0\n", "LinkSpeed '0' is not an integer from 1 to 4294967295")
    BAD(1, S0 " LinkSpeed=4294967296\n", "LinkSpeed '4294967296' is not an integer from 1 to 4294967295")
    BAD(1, S0 " NodeSpeed=0\n", "NodeSpeed '0' is not an integer from 1 to 4294967295")
    BAD(1, "SwitchName=s0 Switches=s1 NodeSpeed=2\nSwitchName=s1 Nodes=n0\n", "switch 's0' has NodeSpeed, but no Nodes")

    BAD(1, "SwitchName=s0 Nodes=n\\[0]\n", "a backslash is allowed only at the end of a line")
    BAD(1, "SwitchName=s0 Nodes=n\\#0\n", "a backslash is allowed only at the end of a line")
    BAD(1, "SwitchName=s0 \\\n", "file ends behind a backslash")
    BAD(1, "SwitchName=s0 \\\n\\\n# what\nNodes=n0\n", "switch 's0' has neither Nodes nor Switches")
    BAD(1, "SwitchName=s0 Nodes=n[3-1]\n", "Nodes: range '3-1' descends")
    BAD(2, "SwitchName=s0 Nodes=n[0-65535]\nSwitchName=s1 Switches=s[0-65536]\n", "Switches: more than 65536 names")

    BAD(3, S0 "\n\nSwitchName=s0 Nodes=n1\n", "switch 's0' was already given in line 1")
    BAD(1, "SwitchName=s0 Nodes=n[0-3],n2\n", "host 'n2' is given twice")
    BAD(3, "SwitchName=s2 Switches=s[0-1]\nSwitchName=s0 Nodes=n[0-3]\nSwitchName=s1 Nodes=n[3-5]\n",
        "host 'n3' is also connected to switch 's0'")
    BAD(2, S0 "\nSwitchName=s1 Switches=s0,s0\n", "switch 's0' is given twice")
    BAD(4, S0 "\nSwitchName=s1 Switches=s0\n#\nSwitchName=s2 Switches=s0,s1\n",
        "switch 's0' is also connected to switch 's1'")
    BAD(2, S0 "\nSwitchName=s1 Switches=s0,n0\n", "child switch 'n0' has no line of its own")
    BAD(1, S0 " Switches=s0\n", "switch 's0' is below itself")
    BAD(2, "SwitchName=s9 Nodes=n9\nSwitchName=s0 Switches=s1\nSwitchName=s1 \\\nSwitches=s0\n",
        "switch 's0' is below itself")
    BAD(2, S0 "\nSwitchName=s1 Nodes=n1\n", "'s1' and 's0' are at the top; only one switch may be there")
    { NULL, 0, 0, NULL }
};

/* Asserts that the topology is a tree. */
static void check_tree(const irr_topology_t *topology)
{
    int tops = 0;

    CU_ASSERT(topology->hosts > 0 && topology->vertices > topology->hosts);
    for (int v = 0; v < topology->vertices; v++) {
        int up = v, steps = 0;

        tops += topology->parent[v] < 0;
        CU_ASSERT(topology->speed[v] > 0 && topology->names[v][0] != '\0');
        while (topology->parent[up] >= 0 && steps++ < topology->vertices) {
            up = topology->parent[up];
            CU_ASSERT_FATAL(up >= topology->hosts && up < topology->vertices);
        }
        CU_ASSERT(steps < topology->vertices);
    }
    CU_ASSERT_EQUAL(tops, 1);
}

static irr_status_t read_topology(const char *path, irr_file_error_t *error)
{
    irr_topology_t topology = { .hosts = 77 };
    irr_status_t status = irr_topology_read(path, &topology, error);

    CU_ASSERT(status == IRR_OK || (topology.hosts == 77 && topology.names == NULL));
    if (status == IRR_OK) {
        check_tree(&topology);
        irr_topology_fini(&topology);
    }
    return status;
}

/* ---- machines ---- */

#define MACHINE "message 1\nlatency 2\nbandwidth 3\ncopy 4\n"
#define NAMES   "message, latency, bandwidth, copy, node_message, node_latency, piece, switch_nodes, taper, " \
                "buffer, timeout"

static const irr_text_bad_t bad_machines[] = {
    BAD(0, "", "has no message, an integer from 1 to 1000000000 (processor time of a message between nodes, half at "
        "each end, in ns)")
    BAD(0, "message 1\nlatency 2\ncopy 4\n",
        "has no bandwidth, an integer from 1 to 100000000 (bandwidth of the link of a node, in each direction, in "
        "Mbit/s)")
    BAD(5, MACHINE "Copy 5\n", "constant 'Copy' is none of " NAMES)
    BAD(1, "a-name-that-is-longer-than-any-other-name-could-be 5\n",
        "constant 'a-name-that-is-longe' is none of " NAMES)
    BAD(3, "\n\nmessage\n", "message has 0 values, it must have one, an integer from 1 to 1000000000")
    BAD(1, "taper # 5\n", "taper has 0 values, it must have one, an integer from 1 to 1000")
    BAD(1, "message 1 ns\n", "message has 2 values, it must have one, an integer from 1 to 1000000000")
    BAD(5, MACHINE "message 1\n", "message '1': line 1 already has this constant")
    BAD(1, "message 0\n", "message '0' is not an integer from 1 to 1000000000")
    BAD(1, "message 1000000001\n", "message '1000000001' is not an integer from 1 to 1000000000")
    BAD(1, "taper 0\n", "taper '0' is not an integer from 1 to 1000")
    BAD(1, "switch_nodes 1000001\n", "switch_nodes '1000001' is not an integer from 0 to 1000000")
    { NULL, 0, 0, NULL }
};

static irr_status_t read_machine(const char *path, irr_file_error_t *error)
{
    irr_machine_t machine = { .copy = 77 };
    const irr_machine_t before = machine;
    irr_status_t status = irr_machine_read(path, &machine, error);

    CU_ASSERT_EQUAL(memcmp(&machine, &before, sizeof(machine)) == 0, status != IRR_OK);
    return status;
}

/* ---- all readers ---- */

static const struct {
    irr_text_read_t      *read;
    const irr_text_bad_t *bad;
    const char           *first, *rest;   /* a good file: its first line, and the other lines */
    int                   comment;
    size_t                longest;        /* bytes of a line */
    bool                  ends;           /* true: a file that is cut before its last newline is refused */
    const char           *alphabet;       /* bytes that test_damaged writes, in addition to 0 */
    size_t                allocations;    /* least number of allocations of one read */
} readers[] = {
    { read_matrix, bad_matrices, MATRIX, "3 3 2\n1 1 7\n2 3 9\n", '%', 1023, false, "0123456789  \n\n\r%-.x", 1 },
    { read_schedule, bad_schedules, SCHEDULE, "3 4 4\n 1 0 1  0 10\n1\t1 2 0 7\r\n\n# half\n2 0 1 10 5\n3 2 0 0 3 1\n"
      "end\n", '#', 1023, true, "0123456789  \n\n\r#-.x", 4 },
    { read_topology, bad_topologies, "SwitchName=s0 Nodes=n[0-2,7],m1 LinkSpeed=2 # why\n",
      "switchname = s1 \\\n Nodes = \"m[0],n03\" NodeSpeed=25\r\n\nSwitchName=s2 Switches=s[0-1]\n", '#', 65535, false,
      "019s n,[]-=\"\\#\n\t\r.xN", 20 },
    { read_machine, bad_machines, "message 1\n", "latency 2 # two\nbandwidth 3\n\ncopy 4\npiece 0\n", '#', 1023, false,
      "0123456789 \n#-.lp", 0 }
};

enum { READERS = IRR_TEST_COUNT(readers) };

static void expect(irr_text_read_t *read, const char *path, irr_status_t status, size_t line, const char *reason)
{
    irr_file_error_t error = { .line = 77 };

    CU_ASSERT_EQUAL(read(path, &error), status);
    CU_ASSERT_EQUAL(error.line, line);
    CU_ASSERT_STRING_EQUAL(error.reason, reason);
}

/* A comment line of `longest` bytes is read. A line with one byte more is refused. */
static void expect_longest(int i)
{
    const char *first = readers[i].first;
    char *text = irr_test_array(strlen(first) + readers[i].longest + strlen(readers[i].rest) + 3, 1), reason[80];
    irr_file_error_t error;

    snprintf(reason, sizeof(reason), "line is longer than the %zu bytes allowed", readers[i].longest);
    irr_text_open();
    for (size_t length = readers[i].longest; length <= readers[i].longest + 1; length++) {
        strcpy(text, first);
        memset(text + strlen(first), readers[i].comment, length);
        sprintf(text + strlen(first) + length, "\n%s", readers[i].rest);
        if (length > readers[i].longest) {
            expect(readers[i].read, irr_text_fill(text, strlen(text)), IRR_ERR_FORMAT, 2, reason);
        } else {
            CU_ASSERT_EQUAL(readers[i].read(irr_text_fill(text, strlen(text)), &error), IRR_OK);
        }
    }
    irr_text_close();
    free(text);
}

IRR_TEST(test_refused, "malformed files are refused with line and reason")
{
    for (int i = 0; i < READERS; i++) {
        irr_text_check_bad(readers[i].bad, readers[i].read);
        expect(readers[i].read, "no/such/file", IRR_ERR_IO, 0, "No such file or directory");
        expect_longest(i);
    }
}

/* Cuts each file at each byte, and replaces bytes of it. */
IRR_TEST_SEEDED(test_damaged, "truncated and damaged files are read or refused")
{
    irr_file_error_t error;
    char text[512];

    for (int i = 0; i < READERS; i++) {
        const size_t all = (size_t)snprintf(text, sizeof(text), "%s%s", readers[i].first, readers[i].rest);

        for (size_t length = 0; length < all; length++) {
            irr_status_t status = irr_text_read(readers[i].read, text, length, &error);

            CU_ASSERT(status == IRR_ERR_FORMAT || (status == IRR_OK && (!readers[i].ends || length == all - 1)));
        }
        for (int run = 0; run < 1000; run++) {
            irr_text_check_damaged(text, run % 4 > 0 ? strlen(readers[i].first) : 0, readers[i].alphabet, state,
                                   readers[i].read);
        }
    }
}

/* Inserts a long word before each byte of a file. An error message must not be too long for its buffer. */
IRR_TEST(test_long_words, "error messages about long words are complete")
{
    enum { WORD = 400 };

    for (int i = 0; i < READERS; i++) {
        for (const char *letter = "x0,"; *letter != '\0'; letter++) {
            char good[512], text[sizeof(good) + WORD];
            const size_t length = (size_t)snprintf(good, sizeof(good), "%s%s", readers[i].first, readers[i].rest);

            for (size_t at = 0; at <= length; at++) {
                irr_file_error_t error = { 0 };

                memcpy(text, good, at);
                memset(text + at, *letter, WORD);
                memcpy(text + at + WORD, good + at, length - at);
                (void)irr_text_read(readers[i].read, text, length + WORD, &error);
                CU_ASSERT(strlen(error.reason) < sizeof(error.reason) - 1);
            }
        }
    }
}

typedef struct content {
    const char      *text;
    irr_text_read_t *read;
} content_t;

static irr_status_t read_content(void *context)
{
    const content_t *content = context;
    irr_file_error_t error = { 0 };
    irr_status_t status = irr_text_read(content->read, content->text, strlen(content->text), &error);

    CU_ASSERT_EQUAL(status == IRR_OK, error.reason[0] == '\0');
    return status;
}

IRR_TEST(test_memory, "each failed allocation is an error and leaks no memory")
{
    char text[512];

    for (int i = 0; i < READERS; i++) {
        content_t content = { text, readers[i].read };

        snprintf(text, sizeof(text), "%s%s", readers[i].first, readers[i].rest);
        CU_ASSERT(irr_memory_fail_each(read_content, &content) >= readers[i].allocations);
    }
}

IRR_TEST(test_announced, "a short schedule needs little memory even if it announces many transmissions")
{
    static const char text[] = SCHEDULE "16384 2147483647 4294967295\n2147483647 0 1 0 5\n";
    irr_file_error_t error;

    irr_memory_limit(4096);
    CU_ASSERT_EQUAL(irr_text_read(read_schedule, text, strlen(text), &error), IRR_ERR_FORMAT);
}

/* A parameter may name any file as a machine file. A file of 1 GiB is refused without being read. */
IRR_TEST(test_long_file, "a machine file of 1 GiB is refused without being read")
{
    const char *path = irr_text_open();

    CU_ASSERT_EQUAL_FATAL(truncate(path, INT64_C(1) << 30), 0);
    expect(read_machine, path, IRR_ERR_FORMAT, 0, "is 1073741824 bytes long, at most 65536 are allowed");
    irr_text_close();
}

/* ---- the constants of machines ---- */

static const char *const contents[] = {
    "# a comment\n\n  copy 4  # and another one\nmessage\t1\r\nlatency 2\nbandwidth 100000000\ntaper 10\nflag 7\n"
    "node_message 5\nnode_latency 6\npiece 0\ntimeout 12\nbuffer 11\nswitch_nodes 9", MACHINE
};

IRR_TEST(test_machines, "constants that are missing in a file have their defaults")
{
    irr_machine_t wanted[] = {
        { .message = 1, .latency = 2, .bandwidth = 100000000, .copy = 4, .node_message = 5, .node_latency = 6,
          .piece = 0, .switch_nodes = 9, .taper = 10, .buffer = 11, .timeout = 12 }, IRR_MACHINE_DEFAULT
    }, machine;
    irr_file_error_t error;
    int names = 0;

    wanted[1].message = 1;
    wanted[1].latency = 2;
    wanted[1].bandwidth = 3;
    wanted[1].copy = 4;
    irr_text_open();
    for (int i = 0; i < 2; i++) {
        CU_ASSERT_EQUAL(irr_machine_read(irr_text_fill(contents[i], strlen(contents[i])), &machine, &error), IRR_OK);
        CU_ASSERT_EQUAL(memcmp(&machine, &wanted[i], sizeof(machine)), 0);
    }
    irr_text_close();
    for (; irr_machine_name(names) != NULL; names++) {
        CU_ASSERT_NOT_EQUAL(strlen(irr_machine_text(names)), 0);
    }
    CU_ASSERT_EQUAL(names * sizeof(uint64_t), sizeof(irr_machine_t));
    CU_ASSERT_PTR_NULL(irr_machine_text(names));
    CU_ASSERT_PTR_NULL(irr_machine_name(-1));
}

static irr_machine_t read_shipped(const char *name)
{
    const char *source = getenv("srcdir");
    irr_machine_t machine = { 0 };
    irr_file_error_t error;
    char path[4096];

    snprintf(path, sizeof(path), "%s/contrib/machines/%s.conf", source != NULL ? source : ".", name);
    CU_ASSERT_EQUAL(irr_machine_read(path, &machine, &error), IRR_OK);
    return machine;
}

IRR_TEST(test_shipped, "the machine files that coll/irr ships are valid")
{
    const irr_machine_t preset = IRR_MACHINE_DEFAULT, infiniband = read_shipped("infiniband-100g");
    const irr_machine_t lab = read_shipped("lab-100m");

    CU_ASSERT_EQUAL(memcmp(&infiniband, &preset, sizeof(preset)), 0);
    CU_ASSERT_EQUAL(read_shipped("ethernet-25g").taper, 3);
    CU_ASSERT(lab.bandwidth == 96 && lab.buffer == 125000);
}

IRR_TEST_MAIN("files", 120)
