/*
 * test_model.c - the model of exchanges: which strategy wins where, as irr_plan simulate finds it.
 *
 * The machines are contrib/machines without `buffer`: 100 Gbit/s, 1.3 us a message and 4 GB/s for copies, and 25 Gbit/s
 * with a third of it between racks and 6 us a message.  A gain is the time of direct messages divided by that of the
 * best grid, for equal blocks.
 */
#include "choose/model.h"
#include "irr_test.h"
#include "study/traffic.h"

#include <math.h>
#include <string.h>

static irr_machine_t infiniband(void)
{
    return IRR_MACHINE_DEFAULT;
}

static irr_machine_t ethernet(void)
{
    irr_machine_t machine = IRR_MACHINE_DEFAULT;

    machine.message = 6000;
    machine.latency = 15000;
    machine.bandwidth = 25000;
    machine.switch_nodes = 16;
    machine.taper = 3;
    return machine;
}

static irr_traffic_t equal(int ranks, int node_ranks, double bytes)
{
    return (irr_traffic_t){
        .ranks = ranks, .node_ranks = node_ranks, .messages = ranks - 1, .even_messages = ranks - 1,
        .bytes = (ranks - 1) * bytes, .even_bytes = (ranks - 1) * bytes, .longest = bytes
    };
}

static double time_of(const irr_machine_t *machine, const irr_traffic_t *traffic, const char *name)
{
    return irr_model_ns(machine, traffic, irr_algorithm_way(irr_algorithm_find(name)));
}

/* Of all grids of two and three dimensions whose sizes are powers of two, and of multistage. */
static double best_grid(const irr_machine_t *machine, const irr_traffic_t *traffic)
{
    irr_way_t way = *irr_algorithm_way(irr_algorithm_find("a3"));
    double best = time_of(machine, traffic, "multistage");

    for (int first = 2; first < traffic->ranks; first *= 2) {
        for (int second = 2; second < traffic->ranks / first; second *= 2) {
            way.dims = (irr_dims_t){ .count = 3, .size = { first, second, traffic->ranks } };
            best = fmin(best, irr_model_ns(machine, traffic, &way));
        }
        way.dims = (irr_dims_t){ .count = 2, .size = { first, traffic->ranks } };
        best = fmin(best, irr_model_ns(machine, traffic, &way));
    }
    return best;
}

static double gain(const irr_machine_t *machine, int ranks, int node_ranks, double bytes)
{
    const irr_traffic_t traffic = equal(ranks, node_ranks, bytes);

    return time_of(machine, &traffic, "a1") / best_grid(machine, &traffic);
}

/* ---- gains ---- */

typedef struct golden {
    int    ranks, node_ranks;
    double bytes, gain;
} golden_t;

/* Each gain is within a factor of 1.3. */
static void check_golden(const irr_machine_t *machine, const golden_t *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const golden_t *row = &rows[i];
        const double found = gain(machine, row->ranks, row->node_ranks, row->bytes) / row->gain;

        if (found < 1 / 1.3 || found > 1.3) {
            CU_FAIL("another gain");
            printf("# %d ranks, %d a node, %.0f bytes: %.2f of the gain %.2f\n", row->ranks, row->node_ranks,
                   row->bytes, found, row->gain);
        }
    }
}

static void test_infiniband(void)
{
    static const golden_t rows[] = {
        { 64, 32, 8, 5.58 }, { 64, 32, 64, 3.53 }, { 64, 32, 512, 1.04 }, { 64, 32, 4096, 0.82 },
        { 256, 32, 8, 10.7 }, { 256, 32, 64, 5.18 }, { 256, 32, 512, 0.92 }, { 256, 32, 4096, 0.90 },
        { 1024, 32, 8, 14.6 }, { 1024, 32, 64, 5.87 }, { 1024, 32, 512, 0.91 }, { 1024, 32, 4096, 0.91 },
        { 4096, 32, 8, 17 }, { 256, 1, 8, 8.84 }, { 256, 1, 512, 1.93 }
    };
    const irr_machine_t machine = infiniband();

    check_golden(&machine, rows, IRR_TEST_COUNT(rows));
}

static void test_ethernet(void)
{
    static const golden_t rows[] = { { 256, 32, 8, 22.1 }, { 256, 32, 64, 7.25 }, { 256, 32, 512, 1.09 } };
    const irr_machine_t machine = ethernet();

    check_golden(&machine, rows, IRR_TEST_COUNT(rows));
}

/* Bytes of a block from which on direct messages are faster. */
static double crossover(const irr_machine_t *machine, int node_ranks)
{
    double low = 8, high = 65536;

    for (int i = 0; i < 40; i++) {
        const double middle = sqrt(low * high);

        if (gain(machine, 1024, node_ranks, middle) > 1) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static void test_crossover(void)
{
    const irr_machine_t machine = infiniband();

    CU_ASSERT_DOUBLE_EQUAL(crossover(&machine, 32), 384, 96);
    CU_ASSERT_DOUBLE_EQUAL(crossover(&machine, 8), 1024, 256);
    CU_ASSERT_DOUBLE_EQUAL(crossover(&machine, 1), 1536, 768);
}

typedef struct timed {
    const char *name;
    double      us;
} timed_t;

/* Each time is right within so much of it. */
static void check_times(const irr_traffic_t *traffic, double within, const timed_t *rows, size_t count)
{
    const irr_machine_t machine = infiniband();

    for (size_t i = 0; i < count; i++) {
        CU_ASSERT_DOUBLE_EQUAL(time_of(&machine, traffic, rows[i].name) / 1e3 / rows[i].us, 1, within);
    }
}

/* At 1024 ranks, 32 a node. */
static void test_times(void)
{
    static const timed_t of_8[] = { { "a1", 1302 }, { "a3", 100 }, { "multistage", 160 }, { "node", 129 } };
    static const timed_t of_64[] = { { "a1", 1303 }, { "a3", 231 }, { "multistage", 586 }, { "node", 398 } };
    irr_traffic_t traffic = equal(1024, 32, 8);

    check_times(&traffic, 0.22, of_8, 4);
    traffic = equal(1024, 32, 64);
    check_times(&traffic, 0.22, of_64, 4);
}

/* 1023 ranks send 64 bytes each to one, which alone has many messages. */
static void test_many_to_one(void)
{
    static const timed_t rows[] = { { "a1", 652 }, { "a3", 56.3 }, { "multistage", 75.8 }, { "node", 45.6 } };
    irr_traffic_t traffic = equal(1024, 32, 64);

    traffic.even_messages = 1;
    traffic.even_bytes = 64;
    check_times(&traffic, 0.15, rows, 4);
}

/* In us, measured in contrib/lab on single:8; the constants follow from those for 8 bytes. */
static void test_lab(void)
{
    static const struct { const char *way; double bytes, us; } rows[] = {
        { "a1", 8, 267 }, { "a3", 8, 223 }, { "multistage", 8, 228 },
        { "a1", 1024, 555 }, { "a3", 1024, 813 }, { "multistage", 1024, 986 }
    };
    irr_machine_t machine = IRR_MACHINE_DEFAULT;

    machine.message = 31000;
    machine.latency = 49000;
    machine.bandwidth = 100;
    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        const irr_traffic_t traffic = equal(8, 1, rows[i].bytes);

        CU_ASSERT_DOUBLE_EQUAL(time_of(&machine, &traffic, rows[i].way) / 1e3 / rows[i].us, 1, 0.15);
    }
}

/* ---- what follows from how a way works ---- */

static void test_nodes(void)
{
    const irr_machine_t machine = infiniband();
    const irr_traffic_t node = equal(16, 16, 64), nodes = equal(64, 16, 64), large = equal(64, 16, 131072);

    CU_ASSERT_DOUBLE_EQUAL(time_of(&machine, &node, "board"), time_of(&machine, &node, "a1"), 1);
    CU_ASSERT_DOUBLE_EQUAL(time_of(&machine, &node, "node") / time_of(&machine, &node, "a1"), 1, 0.1);
    CU_ASSERT(time_of(&machine, &nodes, "node") < time_of(&machine, &nodes, "a1"));
    CU_ASSERT_DOUBLE_EQUAL(time_of(&machine, &large, "node") / time_of(&machine, &large, "a1"), 1, 0.01);
}

/* Of what is longer than a limit, the model knows the longest message and the mean. */
static void test_some_long(void)
{
    const irr_machine_t machine = infiniband();
    irr_traffic_t traffic = equal(64, 16, 64);
    const double all_short = time_of(&machine, &traffic, "node");

    traffic.longest = 8 * IRR_NODE_DIRECT_DEFAULT;
    traffic.bytes += traffic.longest;
    traffic.even_bytes = traffic.bytes;
    CU_ASSERT(time_of(&machine, &traffic, "node") > all_short);
    CU_ASSERT(time_of(&machine, &traffic, "node") < time_of(&machine, &traffic, "a1"));
}

/* Few neighbours need few messages, but Open MPI sends the empty ones too. */
static void test_sparse(void)
{
    const irr_machine_t machine = infiniband();
    irr_traffic_t traffic = equal(1024, 32, 64);
    double request;

    traffic.messages = traffic.even_messages = 8;
    traffic.bytes = traffic.even_bytes = 8 * 64;
    CU_ASSERT(time_of(&machine, &traffic, "a1") < time_of(&machine, &traffic, "a3"));
    request = time_of(&machine, &traffic, "a3");
    traffic.plain = true;
    CU_ASSERT_DOUBLE_EQUAL(time_of(&machine, &traffic, "a1"), 8 * 1300, 2000);
    CU_ASSERT(time_of(&machine, &traffic, "a3") > 2 * request);
    CU_ASSERT(irr_model_host_ns(&machine, &traffic) > 50 * time_of(&machine, &traffic, "a1"));
    traffic = equal(1024, 32, 64);
    CU_ASSERT_DOUBLE_EQUAL(irr_model_host_ns(&machine, &traffic), time_of(&machine, &traffic, "a1"), 1);
}

/* One rank receives much more than any sends: it does not fill the links of other nodes. */
static void test_hot_rank(void)
{
    const irr_machine_t machine = infiniband();
    irr_traffic_t traffic = equal(256, 32, 4096), hot = traffic;

    hot.even_bytes = hot.bytes / 100;
    CU_ASSERT(time_of(&machine, &hot, "a1") < time_of(&machine, &traffic, "a1") / 5);
    CU_ASSERT(time_of(&machine, &hot, "a1") >= hot.bytes * 8e3 / (double)machine.bandwidth);
    CU_ASSERT(time_of(&machine, &hot, "a3") > time_of(&machine, &hot, "a1"));
    CU_ASSERT(time_of(&machine, &hot, "multistage") > time_of(&machine, &hot, "a1"));
}

static void test_paces(void)
{
    const irr_machine_t machine = ethernet();
    const irr_traffic_t traffic = equal(64, 1, 4096);
    irr_way_t way = *irr_algorithm_way(irr_algorithm_find("a1"));
    const double free_ns = irr_model_ns(&machine, &traffic, &way);
    double grant_ns;

    way.pace = &irr_pace_loose;
    CU_ASSERT(irr_model_ns(&machine, &traffic, &way) > free_ns);
    way.pace = &irr_pace_grant;
    way.grants = 2;
    grant_ns = irr_model_ns(&machine, &traffic, &way);
    CU_ASSERT(grant_ns > free_ns);
    way.grants = 8;
    CU_ASSERT(irr_model_ns(&machine, &traffic, &way) < grant_ns);
}

/* Where switches queue little, Open MPI's order costs what contrib/lab measured for equal messages, and paces pay. */
static void test_shallow(void)
{
    static const struct { double bytes, host_ms, best_ms; } rows[] = { { 65536, 70, 47.5 }, { 262144, 268.9, 170.3 } };
    irr_machine_t machine = ethernet();
    const irr_traffic_t many = equal(64, 1, 65536);
    irr_machine_t lab = IRR_MACHINE_DEFAULT;

    CU_ASSERT(irr_model_host_ns(&machine, &many) < time_of(&machine, &many, "aapc"));
    machine.buffer = 500000;
    CU_ASSERT(irr_model_host_ns(&machine, &many) > (double)machine.timeout);
    CU_ASSERT(time_of(&machine, &many, "aapc") < time_of(&machine, &many, "a1"));
    lab.message = 31000;
    lab.latency = 49000;
    lab.bandwidth = 96;
    lab.buffer = 125000;
    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        const irr_traffic_t traffic = equal(8, 1, rows[i].bytes);

        CU_ASSERT_DOUBLE_EQUAL(irr_model_host_ns(&lab, &traffic) / 1e6 / rows[i].host_ms, 1, 0.3);
        CU_ASSERT_DOUBLE_EQUAL(time_of(&lab, &traffic, "aapc") / 1e6 / rows[i].best_ms, 1, 0.3);
    }
}

/* In ms, the times of a1/loose by irr_plan simulate for equal, random, skewed and spike on single:8 of contrib/lab. */
static void test_loose(void)
{
    static const struct { double bytes, even, messages, longest, ms; } rows[] = {
        { 458752, 458752, 7, 65536, 39.8 }, { 610584, 569088, 7, 124488, 65.9 }, { 405504, 180224, 5, 180224, 41.6 },
        { 871682, 458780, 7, 419456, 144.6 }
    };
    irr_machine_t lab = IRR_MACHINE_DEFAULT;
    irr_way_t way = *irr_algorithm_way(irr_algorithm_find("a1"));

    lab.message = 31000;
    lab.latency = 49000;
    lab.bandwidth = 96;
    way.pace = &irr_pace_loose;
    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        const irr_traffic_t traffic = {
            .ranks = 8, .node_ranks = 1, .messages = rows[i].messages, .even_messages = rows[i].messages,
            .bytes = rows[i].bytes, .even_bytes = rows[i].even, .longest = rows[i].longest
        };

        CU_ASSERT_DOUBLE_EQUAL(irr_model_ns(&lab, &traffic, &way) / 1e6 / rows[i].ms, 1, 0.3);
        CU_ASSERT(i == 0 || irr_model_ns(&lab, &traffic, &way) > time_of(&lab, &traffic, "aapc"));
    }
}

static void test_no_such_grid(void)
{
    const irr_machine_t machine = infiniband();
    const irr_traffic_t traffic = equal(1024, 1, 8);
    irr_way_t way = *irr_algorithm_way(irr_algorithm_find("a4"));

    way.dims = (irr_dims_t){ .count = 8, .size = { 2, 2, 2, 2, 2, 2, 2, 2 } };
    CU_ASSERT_EQUAL(irr_model_ns(&machine, &traffic, &way), INFINITY);
}

/* In us, with 64 ranks, one a node, and one message of each 64 times as long as the others, as simulated. */
static void test_hybrid(void)
{
    static const struct { double bytes, ethernet, infiniband; } rows[] = { { 256, 115, 38 }, { 512, 129, 52 } };
    irr_way_t way = *irr_algorithm_way(irr_algorithm_find("hybrid"));

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        const irr_machine_t machines[] = { ethernet(), infiniband() };
        irr_traffic_t traffic = equal(64, 1, rows[i].bytes);

        traffic.longest *= 64;
        traffic.bytes = traffic.even_bytes = (62 + 64) * rows[i].bytes;
        for (int m = 0; m < 2; m++) {
            const double us = m == 0 ? rows[i].ethernet : rows[i].infiniband;

            way.direct_from = irr_model_direct_from(&machines[m], &traffic);
            CU_ASSERT_DOUBLE_EQUAL(irr_model_ns(&machines[m], &traffic, &way) / 1e3 / us, 1, 0.3);
            CU_ASSERT(irr_model_ns(&machines[m], &traffic, &way) < time_of(&machines[m], &traffic, "a3"));
            CU_ASSERT(irr_model_ns(&machines[m], &traffic, &way) < time_of(&machines[m], &traffic, "a1"));
            way.direct_from = (size_t)traffic.longest + 1;
            CU_ASSERT_DOUBLE_EQUAL(irr_model_ns(&machines[m], &traffic, &way),
                                   time_of(&machines[m], &traffic, "a3"), 1);
        }
    }
}

/* ---- any traffic ---- */

static double any(uint64_t *state, int bits)
{
    return (double)(irr_test_random(state) >> (64 - 1 - irr_test_below(state, (uint64_t)bits)));
}

static irr_traffic_t any_traffic(uint64_t *state)
{
    const int ranks = 1 + (int)irr_test_below(state, 5000);
    const double messages = (double)irr_test_below(state, (uint64_t)ranks);
    const double mean = messages > 0 ? 1 + any(state, 20) : 0, bytes = messages * mean;

    return (irr_traffic_t){
        .ranks = ranks, .node_ranks = 1 + (int)irr_test_below(state, (uint64_t)ranks), .messages = messages,
        .even_messages = floor(messages / (1 + any(state, 2))), .bytes = bytes,
        .even_bytes = bytes / (1 + any(state, 2)),
        .longest = messages > 0 ? mean * (1 + any(state, 3) * (messages - 1) / 8) : 0
    };
}

/* Every row has a time, which more bytes do not shorten, unless they go another way then. */
static void test_any(void)
{
    const irr_machine_t machines[] = { infiniband(), ethernet() };
    uint64_t state = irr_test_seed();

    for (int run = 0; run < irr_test_runs(20000); run++) {
        const irr_machine_t *machine = &machines[irr_test_below(&state, 2)];
        irr_traffic_t traffic = any_traffic(&state);

        for (int row = 0; irr_algorithm_name(row) != NULL; row++) {
            const irr_way_t *way = irr_algorithm_way(row);
            irr_traffic_t more = traffic;
            const double ns = irr_model_ns(machine, &traffic, way);

            CU_ASSERT(ns >= 0 && isfinite(ns));
            if (!way->balanced && !irr_way_is_split(way)) {
                more.bytes *= 2;
                more.even_bytes *= 2;
                more.longest *= 2;
                CU_ASSERT(irr_model_ns(machine, &more, way) >= ns);
            }
        }
    }
}

static void test_traffic_of(void)
{
    uint64_t entries[] = { 100, 5, 0,  7, 100, 0,  9, 20, 100 };
    const irr_matrix_t matrix = { .ranks = 3, .entries = entries };
    const irr_traffic_t traffic = irr_traffic_of(&matrix, 8);

    CU_ASSERT_EQUAL(traffic.ranks, 3);
    CU_ASSERT_EQUAL(traffic.node_ranks, 3);
    CU_ASSERT_EQUAL(traffic.messages, 2);
    CU_ASSERT_EQUAL(traffic.even_messages, 2);
    CU_ASSERT_EQUAL(traffic.bytes, 29);
    CU_ASSERT_EQUAL(traffic.even_bytes, 25);
    CU_ASSERT_EQUAL(traffic.longest, 20);
}

IRR_TEST_MAIN("model", 120,
    { "grids gain on InfiniBand what the simulation has", test_infiniband },
    { "grids gain on tapered Ethernet what the simulation has", test_ethernet },
    { "direct messages win from some block length on", test_crossover },
    { "times at 1024 ranks are those of the simulation", test_times },
    { "what many send to one is forwarded", test_many_to_one },
    { "times of the lab are those measured", test_lab },
    { "steps that wait for both directions take longer where messages differ", test_loose },
    { "leaders pay between nodes of several ranks", test_nodes },
    { "some long messages go directly", test_some_long },
    { "with few neighbours direct messages win", test_sparse },
    { "a hot rank is no hot node", test_hot_rank },
    { "a pace costs signals and waits", test_paces },
    { "shallow switches cost what nothing paces", test_shallow },
    { "a grid of too many stages takes for ever", test_no_such_grid },
    { "a grid gains where long messages go beside it", test_hybrid },
    { "each row has a time for any traffic, which more bytes do not shorten", test_any },
    { "the traffic of a matrix is that of its busiest rank", test_traffic_of })
