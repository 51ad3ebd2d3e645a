/* test_topology.c - topology.conf: files that are read, and reasons for which files are refused. */
#include "irr_memory.h"
#include "irr_test.h"
#include "irr_text.h"
#include "problem/topology.h"

#include <stdlib.h>
#include <string.h>

/* Between irr_text_open and irr_text_close. */
static irr_status_t read_text(const char *text, size_t length, irr_topology_t *topology, irr_file_error_t *error)
{
    return irr_topology_read(irr_text_fill(text, length), topology, error);
}

/* ---- what is refused ---- */

#define KNOWN "known are SwitchName, Nodes, Switches, LinkSpeed and NodeSpeed"

static const irr_text_bad_t bad_files[] = {
    { "", 0, 0, "file has no switch" },
    { "# SwitchName=s0 Nodes=n0\n\n", 0, 0, "file has no switch" },
    { "Nodes=n0\n", 0, 1, "SwitchName is missing" },
    { "\nSwitchName=s0\n", 0, 2, "switch 's0' has neither Nodes nor Switches" },
    { "SwitchName=s0 LinkSpeed=1\n", 0, 1, "switch 's0' has neither Nodes nor Switches" },
    { "SwitchName s0 Nodes=n0\n", 0, 1, "'SwitchName' is not KEYWORD=VALUE" },
    { "=s0\n", 0, 1, "'=s0' is not KEYWORD=VALUE" },
    { "Include other.conf\n", 0, 1, "'Include' is not KEYWORD=VALUE" },
    { "SwitchName=s0 Nodes=n0, n1\n", 0, 1, "'n1' is not KEYWORD=VALUE" },
    { "SwitchName=s0 Nodes+=n0\n", 0, 1, "'Nodes+=n0' is not KEYWORD=VALUE" },
    { "BlockName=b0 Nodes=n0\n", 0, 1, "unknown keyword 'BlockName', " KNOWN },
    { "SwitchName=s0 Nodes=n0 Speed=1\n", 0, 1, "unknown keyword 'Speed', " KNOWN },
    { "SwitchName=s0 Nodes=n0 nodes=n1\n", 0, 1, "Nodes is there twice" },
    { "SwitchName= \n", 0, 1, "value of SwitchName is empty" },
    { "SwitchName=s0 Nodes=\"\"\n", 0, 1, "value of Nodes is empty" },
    { "SwitchName=s0 Nodes=\"n0\n", 0, 1, "value of Nodes has one quote, it must have two" },
    { "SwitchName=s0 Nodes=\"n0\"LinkSpeed=2\n", 0, 1,
      "'LinkSpeed=2' follows the value of Nodes without a blank" },
    { "SwitchName=s[0-1] Nodes=n0\n", 0, 1, "SwitchName 's[0-1]' is not the name of one switch" },
    { "SwitchName=a,b Nodes=n0\n", 0, 1, "SwitchName 'a,b' is not the name of one switch" },
    { "SwitchName=\x1b[2J Nodes=n0\n", 0, 1, "SwitchName '?[2J' is not the name of one switch" },
    { "SwitchName=s0 Nodes=n0 LinkSpeed=0\n", 0, 1, "LinkSpeed '0' is not an integer from 1 to 4294967295" },
    { "SwitchName=s0 Nodes=n0 LinkSpeed=10G\n", 0, 1,
      "LinkSpeed '10G' is not an integer from 1 to 4294967295" },
    { "SwitchName=s0 Nodes=n0 LinkSpeed=4294967296\n", 0, 1,
      "LinkSpeed '4294967296' is not an integer from 1 to 4294967295" },
    { "SwitchName=s0 Nodes=n0 NodeSpeed=0\n", 0, 1, "NodeSpeed '0' is not an integer from 1 to 4294967295" },
    { "SwitchName=s0 Switches=s1 NodeSpeed=2\nSwitchName=s1 Nodes=n0\n", 0, 1,
      "switch 's0' has NodeSpeed, but no Nodes" },

    { "SwitchName=s0 Nodes=n\\[0]\n", 0, 1, "a backslash is allowed at the end of a line alone" },
    { "SwitchName=s0 Nodes=n0 \\\\\n", 0, 1, "a backslash is allowed at the end of a line alone" },
    { "SwitchName=s0 Nodes=n\\#0\n", 0, 1, "a backslash is allowed at the end of a line alone" },
    { "SwitchName=s0 \\\n", 0, 1, "file ends behind a backslash" },
    { "SwitchName=s0 \\\n\\\n# what\nNodes=n0\n", 0, 1, "switch 's0' has neither Nodes nor Switches" },
    { "SwitchName=s0 Nodes=n0\0\n", sizeof("SwitchName=s0 Nodes=n0\0\n") - 1, 1,
      "byte 23 of the line is 0, only text is allowed" },

    { "SwitchName=s0 Nodes=n[3-1]\n", 0, 1, "Nodes: range '3-1' descends" },
    { "SwitchName=s0 Nodes=\xc3\xa4\n", 0, 1, "Nodes: no name has a byte as at '?" "?'" },
    { "SwitchName=s0 Nodes=n[0-65536]\n", 0, 1, "Nodes: more than 65536 names" },
    { "SwitchName=s0 Nodes=n[0-65535]\nSwitchName=s1 Switches=s[0-65536]\n", 0, 2,
      "Switches: more than 65536 names" },

    { "SwitchName=s0 Nodes=n0\n\nSwitchName=s0 Nodes=n1\n", 0, 3, "switch 's0' is there already, in line 1" },
    { "SwitchName=s0 Nodes=n[0-3],n2\n", 0, 1, "host 'n2' is there twice" },
    { "SwitchName=s2 Switches=s[0-1]\nSwitchName=s0 Nodes=n[0-3]\nSwitchName=s1 Nodes=n[3-5]\n", 0, 3,
      "host 'n3' is also connected to switch 's0'" },
    { "SwitchName=s0 Nodes=n0\nSwitchName=s1 Switches=s0,s0\n", 0, 2, "switch 's0' is there twice" },
    { "SwitchName=s0 Nodes=n0\nSwitchName=s1 Switches=s0\n#\nSwitchName=s2 Switches=s0,s1\n", 0, 4,
      "switch 's0' is also connected to switch 's1'" },
    { "SwitchName=s1 Switches=s[0,2]\nSwitchName=s0 Nodes=n0\n", 0, 1,
      "child switch 's2' has no line of its own" },
    { "SwitchName=s0 Nodes=n0\nSwitchName=s1 Switches=s0,n0\n", 0, 2,
      "child switch 'n0' has no line of its own" },
    { "SwitchName=s0 Nodes=n0 Switches=s0\n", 0, 1, "switch 's0' is below itself" },
    { "SwitchName=s9 Nodes=n9\nSwitchName=s0 Switches=s1\nSwitchName=s1 \\\nSwitches=s0\n", 0, 2,
      "switch 's0' is below itself" },
    { "SwitchName=a Nodes=n0 Switches=b\nSwitchName=b Switches=c\nSwitchName=c Switches=a\n", 0, 1,
      "switch 'a' is below itself" },
    { "SwitchName=s0 Nodes=n0\nSwitchName=s1 Nodes=n1\n", 0, 2,
      "switch 's1' is at the top, as 's0' is; only one may be" },
    { NULL, 0, 0, NULL }
};

static irr_status_t read_any(const char *path, irr_file_error_t *error)
{
    irr_topology_t topology = { .hosts = 77 };
    irr_status_t status = irr_topology_read(path, &topology, error);

    CU_ASSERT(status == IRR_OK ? topology.names != NULL : topology.hosts == 77 && topology.names == NULL);
    if (status == IRR_OK) {
        irr_topology_fini(&topology);
    }
    return status;
}

static void test_bad_files(void)
{
    irr_text_check_bad(bad_files, read_any);
    irr_text_check_missing(read_any);
}

/* ---- what is read ---- */

/* Writes a topology as one line of text: each vertex with its parent and its speed. */
static void describe(const irr_topology_t *topology, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (int v = 0; v < topology->vertices && used < size; v++) {
        used += (size_t)snprintf(text + used, size - used, "%s%s%s:%d",
                                 v == 0 ? "" : v == topology->hosts ? " | " : " ", topology->names[v],
                                 topology->parent[v] < 0 ? "" : "<", topology->parent[v]);
        if (topology->speed[v] != 1 && used < size) {
            used += (size_t)snprintf(text + used, size - used, "*%d", (int)topology->speed[v]);
        }
    }
}

/* Files that users have, and files that Slurm's reader accepts. */
static const struct { const char *text, *expected; } good_files[] = {
    { "SwitchName=s0 Nodes=n0", "n0<:1 | s0:-1" },
    { "##################################################################\n"
      "# Slurm's network topology configuration file for use with the\n"
      "# topology/tree plugin\n"
      "##################################################################\n"
      "SwitchName=s0 Nodes=dev[0-1]\nSwitchName=s1 Nodes=dev[2-3]\nSwitchName=s2 Nodes=dev[4,5]\n"
      "SwitchName=s3 Switches=s[0-2]\n",
      "dev0<:6 dev1<:6 dev2<:7 dev3<:7 dev4<:8 dev5<:8 | s0<:9 s1<:9 s2<:9 s3:-1" },
    { "\t SWITCHNAME = top \t switches = \"a, b\"  # both\r\n\r\nswitchname=a nodes=\"x y\"\r\n"
      "SwitchName=b Nodes=z LinkSpeed=40\r\n", "x<:4 y<:4 z<:5 | top:-1 a<:3 b<:3*40" },
    { "SwitchName=s0 Nodes=n[8-10],m[08-010]\n", "n8<:6 n9<:6 n10<:6 m08<:6 m09<:6 m10<:6 | s0:-1" },
    { "SwitchName=s0 Nodes=[1-2],a[1]b\n", "1<:3 2<:3 a1b<:3 | s0:-1" },
    { "SwitchName=s0 \\\n  Nodes=n0,\\  \nn1 # no more \\\nSwitchName=s1 Nodes=n2 Swit\\\nches=s0\n",
      "n0<:3 n1<:3 n2<:4 | s0<:4 s1:-1" },
    { "Nodes=n0 LinkSpeed=2 SwitchName=s0\nSwitches=s0 SwitchName=s1\n", "n0<:1 | s0<:2*2 s1:-1" },
    { "SwitchName=a Nodes=a,b Switches=b LinkSpeed=9\nSwitchName=b Nodes=c\n",
      "a<:3 b<:3 c<:4 | a:-1*9 b<:3" },
    { "SwitchName=a Nodes=a,b Switches=b NodeSpeed=10\nSwitchName=b Nodes=c LinkSpeed=40 nodespeed=25\n",
      "a<:3*10 b<:3*10 c<:4*25 | a:-1 b<:3*40" },
};

static void test_good_files(void)
{
    irr_text_open();
    for (size_t i = 0; i < IRR_TEST_COUNT(good_files); i++) {
        irr_topology_t topology;
        irr_file_error_t error;
        char text[1024];
        irr_status_t status = read_text(good_files[i].text, strlen(good_files[i].text), &topology, &error);

        CU_ASSERT_EQUAL_FATAL(status, IRR_OK);
        describe(&topology, text, sizeof(text));
        CU_ASSERT_STRING_EQUAL(text, good_files[i].expected);
        irr_topology_fini(&topology);
        CU_ASSERT_PTR_NULL(topology.names);
    }
    irr_text_close();
}

#define ADVICE "; leave LinkSpeed out, or add NodeSpeed in its unit"

/*
 * Values of LinkSpeed that most likely have another unit. The warning names the first switch with such a value, or is
 * empty.
 */
static const struct { const char *text, *doubt; } speeds[] = {
    { "SwitchName=a Nodes=n[0-1]\nSwitchName=b Switches=a\n", "" },
    { "SwitchName=a Nodes=n[0-1] LinkSpeed=2\nSwitchName=b Switches=a LinkSpeed=9\n", "" },
    { "SwitchName=a Nodes=n[0-1] LinkSpeed=3\nSwitchName=b Switches=a\n",
      "LinkSpeed 3 of switch 'a' without NodeSpeed counts as 3 times a host's link"
      ADVICE },
    { "SwitchName=a Nodes=n[0-1] LinkSpeed=3\nSwitchName=b Switches=a Nodes=m NodeSpeed=1\n", "" },
    { "SwitchName=t Switches=a\nSwitchName=a Switches=b,c LinkSpeed=4\nSwitchName=c Nodes=n[0-1] LinkSpeed=2\n"
      "SwitchName=b Nodes=m[0-1] LinkSpeed=10000\n",
      "LinkSpeed 10000 of switch 'b' without NodeSpeed counts as 10000 times a host's link"
      ADVICE },
    { "SwitchName=a Nodes=n LinkSpeed=1\nSwitchName=c Switches=a LinkSpeed=2\nSwitchName=t Switches=c\n",
      "LinkSpeed 2 of switch 'c' without NodeSpeed counts as 2 times a host's link"
      ADVICE },
};

static void test_doubt(void)
{
    irr_text_open();
    for (size_t i = 0; i < IRR_TEST_COUNT(speeds); i++) {
        irr_topology_t topology;
        irr_file_error_t error;
        char text[256] = "nothing was said";

        CU_ASSERT_EQUAL_FATAL(read_text(speeds[i].text, strlen(speeds[i].text), &topology, &error), IRR_OK);
        irr_memory_begin();
        irr_memory_fail(1, NULL);
        CU_ASSERT_EQUAL(irr_topology_doubt(&topology, text, sizeof(text)),
                        topology.node_speeds ? IRR_OK : IRR_ERR_NO_MEMORY);
        CU_ASSERT_EQUAL(irr_memory_end(), 0);
        CU_ASSERT_EQUAL(irr_topology_doubt(&topology, text, sizeof(text)), IRR_OK);
        CU_ASSERT_STRING_EQUAL(text, speeds[i].doubt);
        irr_topology_fini(&topology);
    }
    irr_text_close();
}

/* Reads the maximum number of hosts, in lines of the maximum length. */
static void test_large_file(void)
{
    enum { NAMES = 65536, NAME_BYTES = 12 };
    char *text = irr_test_array(NAMES + 1, NAME_BYTES);
    irr_topology_t topology;
    irr_file_error_t error;
    size_t used = (size_t)sprintf(text, "SwitchName=s Nodes=");

    for (int i = 0; i < NAMES; i++) {
        used += (size_t)sprintf(text + used, "%s%d%s", i > 0 ? "," : "", i, i % 1000 == 999 ? "\\\n" : "");
    }
    irr_text_open();
    CU_ASSERT_EQUAL_FATAL(read_text(text, used, &topology, &error), IRR_OK);
    CU_ASSERT_EQUAL(topology.hosts, NAMES);
    CU_ASSERT_STRING_EQUAL(topology.names[NAMES - 1], "65535");
    irr_topology_fini(&topology);
    used += (size_t)sprintf(text + used, ",x");
    CU_ASSERT_EQUAL(read_text(text, used, &topology, &error), IRR_ERR_FORMAT);
    CU_ASSERT_STRING_EQUAL(error.reason, "Nodes: more than 65536 names");
    memset(text, 'x', 65536);
    CU_ASSERT_EQUAL(read_text(text, 65536, &topology, &error), IRR_ERR_FORMAT);
    CU_ASSERT_STRING_EQUAL(error.reason, "line is longer than the 65535 bytes allowed");
    irr_text_close();
    free(text);
}

/* ---- memory ---- */

static void test_memory(void)
{
    CU_ASSERT(irr_text_check_memory("SwitchName=s0 Nodes=n[0-20]\nSwitchName=s1 Nodes=m[0-3] LinkSpeed=2\n"
                                    "SwitchName=s2 Switches=s[0-1]\n", read_any) > 29);
}

IRR_TEST_MAIN("topology", 60,
    { "malformed files are refused with line and reason", test_bad_files },
    { "files as Slurm has them are read", test_good_files },
    { "a speed in another unit is doubted", test_doubt },
    { "files of many hosts are read, and more are refused", test_large_file },
    { "memory that runs out leaves nothing behind", test_memory })
