/*
 * test_trace.c - the conformance suite on the transport that records messages, over loopback and over UCX. Other tests
 * check the file, and runs without memory or without a file.
 */
#include "transport_suite.h"

#include "exec/tag.h"
#include "study/fabric.h"
#include "transport/trace.h"

#include <unistd.h>

enum { EAGER_MAX = 1024, LARGE = 5000 };

/* The prefix of the trace files, in the folder that main() creates. */
static char folder[] = "trace.XXXXXX";

static const char *file_of(int rank)
{
    static char file[64];

    snprintf(file, sizeof(file), "%s/%d.trace", folder, rank);
    return file;
}

static irr_status_t wrap(irr_transport_t *transports[IRR_NET_RANKS])
{
    irr_status_t status = IRR_OK;

    for (int r = 0; status == IRR_OK && r < IRR_NET_RANKS; r++) {
        status = irr_trace_open(transports[r], file_of(r), &transports[r]);
    }
    return status;
}

static const irr_opener_t loopback = { .loopback = true, .shuffled = true, .eager_max = EAGER_MAX, .wrap = wrap };
static const irr_opener_t ucx = { .config = { .one_node = true }, .wrap = wrap };   /* by the table of transports */

IRR_TRANSPORT_SUITE(loopback)
IRR_TRANSPORT_SUITE(ucx)

/* ---- the file ---- */

/* Returns the number of lines of a file with a text. */
static int lines_with(int rank, const char *text)
{
    FILE *file = fopen(file_of(rank), "r");
    char line[512];
    int count = 0;

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    while (fgets(line, sizeof(line), file) != NULL) {
        count += strstr(line, text) != NULL;
    }
    fclose(file);
    return count;
}

/* Sends a message of `bytes` bytes from rank 0 to rank 1, which has room for `room` bytes. */
static void pass_one(irr_net_t *net, uint16_t tag, size_t bytes, size_t room)
{
    irr_msg_t msg;

    irr_msg_open(&msg, 0, 1, tag, bytes, bytes, room);
    irr_msg_post(net, &msg, true);
    irr_msg_finish(net, &msg);
}

IRR_TEST(test_lines, "the lines of a trace file")
{
    const uint16_t exchange = irr_tag_base(7);
    irr_net_t net;

    if (!irr_net_open(&net, &loopback)) {
        return;
    }
    pass_one(&net, irr_tag(exchange, IRR_TAG_DATA, 1), 8, 8);
    pass_one(&net, irr_tag(exchange, IRR_TAG_SYNC, 2), 0, 0);
    pass_one(&net, irr_tag(exchange, IRR_TAG_BODY, 1), LARGE, LARGE);
    pass_one(&net, irr_tag(exchange, IRR_TAG_HEADER, 1), 100, 10);
    irr_net_close(&net);
    CU_ASSERT_EQUAL(lines_with(0, "\"messages\": 4, \"dropped\": 0}"), 1);
    CU_ASSERT_EQUAL(lines_with(1, "\"messages\": 4, \"dropped\": 0}"), 1);
    CU_ASSERT_EQUAL(lines_with(2, "\"messages\": 0, \"dropped\": 0}"), 1);
    CU_ASSERT_EQUAL(lines_with(0, "\"op\": \"send\""), 4);
    CU_ASSERT_EQUAL(lines_with(1, "\"op\": \"recv\""), 4);
    CU_ASSERT_EQUAL(lines_with(1, "\"rank\": 1, \"peer\": 0, \"exchange\": 7, \"kind\": \"data\", \"stage\": 1, "
                                  "\"bytes\": 8,"), 1);
    CU_ASSERT_EQUAL(lines_with(0, "\"rank\": 0, \"peer\": 1, \"exchange\": 7, \"kind\": \"signal\", \"stage\": 2, "
                                  "\"bytes\": 0,"), 1);
    CU_ASSERT_EQUAL(lines_with(1, "\"kind\": \"body\", \"stage\": 1, \"bytes\": 5000,"), 1);
    CU_ASSERT_EQUAL(lines_with(1, "\"status\": \"ok\""), 3);
    CU_ASSERT_EQUAL(lines_with(0, "\"kind\": \"header\""), 1);
}

/* ---- missing memory and files ---- */

static irr_transport_t *first;

/* Wraps a transport when all transports are open, so that a failing allocation belongs to the wrapper. */
static irr_status_t wrap_first(irr_transport_t *transports[IRR_NET_RANKS])
{
    first = transports[0];
    return irr_trace_open(transports[0], file_of(0), &transports[0]);
}

static const irr_opener_t alone = { .loopback = true, .eager_max = EAGER_MAX, .wrap = wrap_first };

/* Memory for records is allocated in blocks of some thousand bytes, other memory in shorter blocks. */
IRR_TEST(test_no_memory, "a failed allocation of a record")
{
    irr_net_t net;

    if (irr_net_open(&net, &alone)) {
        irr_memory_limit(1000);
        pass_one(&net, IRR_NET_TAG, 8, 8);
        irr_memory_limit(SIZE_MAX);
        pass_one(&net, IRR_NET_TAG, 16, 16);
        irr_net_close(&net);
        CU_ASSERT_EQUAL(lines_with(0, "\"messages\": 1, \"dropped\": 1}"), 1);
        CU_ASSERT_EQUAL(lines_with(0, "\"bytes\": 16,"), 1);
    }
}

IRR_NET_TEST(test_no_file, &alone, "a trace file that cannot be written")
{
    irr_transport_t *transport = NULL;

    CU_ASSERT_EQUAL(irr_trace_open(first, "no/such/folder/0.trace", &transport), IRR_ERR_BAD_PARAM);
    CU_ASSERT_PTR_NULL(transport);
    pass_one(net, IRR_NET_TAG, 8, 8);
}

int main(void)
{
    int result;

    if (mkdtemp(folder) == NULL) {
        perror(folder);
        return 1;
    }
    result = irr_test_main("trace", 240);
    for (int r = 0; r < IRR_NET_RANKS; r++) {
        unlink(file_of(r));
    }
    rmdir(folder);
    return result;
}
