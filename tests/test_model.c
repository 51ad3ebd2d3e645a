/*
 * test_model.c - the model of exchanges. The model must find the same fastest strategies as irr_plan simulate.
 *
 * The machines are the files of contrib/machines without `buffer`. The first machine has 100 Gbit/s, 1.3 us per message
 * and 4 GB/s for copies. The second machine has 25 Gbit/s, a third of this between racks, and 6 us per message. A gain
 * is the time of direct messages divided by the time of the best grid, for equal blocks.
 */
#include "choose/model.h"
#include "irr_test.h"
#include "study/traffic.h"

#include <math.h>

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
        .ranks = ranks, .node_ranks = node_ranks, .messages = ranks - 1, .lesser_messages = ranks - 1,
        .bytes = (ranks - 1) * bytes, .lesser_bytes = (ranks - 1) * bytes, .longest = bytes
    };
}

static double time_of(const irr_machine_t *machine, const irr_traffic_t *traffic, const char *name)
{
    return irr_model_ns(machine, traffic, irr_algorithm_strategy(irr_algorithm_find(name)));
}

/* Returns the shortest time of bruck and of all grids of two and three dimensions whose sizes are powers of two. */
static double best_grid(const irr_machine_t *machine, const irr_traffic_t *traffic)
{
    irr_strategy_t strategy = *irr_algorithm_strategy(irr_algorithm_find("grid"));
    double best = time_of(machine, traffic, "bruck");

    for (int first = 2; first < traffic->ranks; first *= 2) {
        for (int second = 2; second < traffic->ranks / first; second *= 2) {
            strategy.dims = (irr_dims_t){ .count = 3, .size = { first, second, traffic->ranks } };
            best = fmin(best, irr_model_ns(machine, traffic, &strategy));
        }
        strategy.dims = (irr_dims_t){ .count = 2, .size = { first, traffic->ranks } };
        best = fmin(best, irr_model_ns(machine, traffic, &strategy));
    }
    return best;
}

static double gain(const irr_machine_t *machine, int ranks, int node_ranks, double bytes)
{
    const irr_traffic_t traffic = equal(ranks, node_ranks, bytes);

    return time_of(machine, &traffic, "direct") / best_grid(machine, &traffic);
}

/* ---- gains ---- */

/* Each gain is within a factor of 1.3. */
IRR_TEST(test_gains, "predicted gains of grids agree with simulated gains")
{
    static const struct { irr_machine_t (*machine)(void); int ranks, node_ranks; double bytes, gain; } rows[] = {
        { infiniband, 64, 32, 8, 5.58 }, { infiniband, 64, 32, 64, 3.53 }, { infiniband, 64, 32, 512, 1.04 },
        { infiniband, 64, 32, 4096, 0.82 }, { infiniband, 256, 32, 8, 10.7 }, { infiniband, 256, 32, 64, 5.18 },
        { infiniband, 256, 32, 512, 0.92 }, { infiniband, 256, 32, 4096, 0.90 }, { infiniband, 1024, 32, 8, 14.6 },
        { infiniband, 1024, 32, 64, 5.87 }, { infiniband, 1024, 32, 512, 0.91 }, { infiniband, 1024, 32, 4096, 0.91 },
        { infiniband, 4096, 32, 8, 17 }, { infiniband, 256, 1, 8, 8.84 }, { infiniband, 256, 1, 512, 1.93 },
        { infiniband, 1024, 8, 1024, 1 }, { infiniband, 1024, 1, 1024, 1 },
        { ethernet, 256, 32, 8, 22.1 }, { ethernet, 256, 32, 64, 7.25 }, { ethernet, 256, 32, 512, 1.09 }
    };

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        const irr_machine_t machine = rows[i].machine();
        const double found = gain(&machine, rows[i].ranks, rows[i].node_ranks, rows[i].bytes) / rows[i].gain;

        if (found < 1 / 1.3 || found > 1.3) {
            CU_FAIL("another gain");
            printf("# %d ranks, %d a node, %.0f bytes: %.2f of the gain %.2f\n", rows[i].ranks, rows[i].node_ranks,
                   rows[i].bytes, found, rows[i].gain);
        }
    }
}

/* The network of contrib/lab; the constants follow from times for 8 bytes. */
static irr_machine_t lab(void)
{
    irr_machine_t machine = IRR_MACHINE_DEFAULT;

    machine.message = 31000;
    machine.latency = 49000;
    machine.bandwidth = 100;
    return machine;
}

/*
 * Compares times in us, within a tolerance, with three kinds of results: simulated with 1024 ranks and 32 ranks per
 * node; simulated with 1023 ranks that send to one rank, so that only this rank has many messages; and measured in
 * contrib/lab on single:8.
 */
IRR_TEST(test_times, "predicted times agree with simulated and measured times")
{
    static const struct {
        irr_machine_t (*machine)(void);
        int         ranks, node_ranks;
        double      bytes;
        bool        to_one;
        double      within, direct, grid, bruck, node;
    } rows[] = {
        { infiniband, 1024, 32, 8, false, 0.22, 1302, 100, 160, 129 },
        { infiniband, 1024, 32, 64, false, 0.22, 1303, 231, 586, 398 },
        { infiniband, 1024, 32, 64, true, 0.15, 652, 56.3, 75.8, 45.6 },
        { lab, 8, 1, 8, false, 0.15, 267, 223, 228, 0 },
        { lab, 8, 1, 1024, false, 0.15, 555, 813, 986, 0 }
    };

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        const char *const names[] = { "direct", "grid", "bruck", "node" };
        const double us[] = { rows[i].direct, rows[i].grid, rows[i].bruck, rows[i].node };
        const irr_machine_t machine = rows[i].machine();
        irr_traffic_t traffic = equal(rows[i].ranks, rows[i].node_ranks, rows[i].bytes);

        if (rows[i].to_one) {
            traffic.lesser_messages = 1;
            traffic.lesser_bytes = rows[i].bytes;
        }
        for (int n = 0; n < 4 && us[n] > 0; n++) {
            CU_ASSERT_DOUBLE_EQUAL(time_of(&machine, &traffic, names[n]) / 1e3 / us[n], 1, rows[i].within);
        }
    }
}

/* ---- properties that follow from the algorithm of a strategy ---- */

IRR_TEST(test_nodes, "leaders save time only between nodes of several ranks")
{
    const irr_machine_t machine = infiniband();
    const irr_traffic_t node = equal(16, 16, 64), nodes = equal(64, 16, 64), large = equal(64, 16, 131072);

    CU_ASSERT_DOUBLE_EQUAL(time_of(&machine, &node, "node") / time_of(&machine, &node, "direct"), 1, 0.1);
    CU_ASSERT(time_of(&machine, &nodes, "node") < time_of(&machine, &nodes, "direct"));
    CU_ASSERT_DOUBLE_EQUAL(time_of(&machine, &large, "node") / time_of(&machine, &large, "direct"), 1, 0.01);
}

/* For messages longer than a limit, the model knows the longest message and the mean. */
IRR_TEST(test_some_long, "the time of the node route includes its long direct messages")
{
    const irr_machine_t machine = infiniband();
    irr_traffic_t traffic = equal(64, 16, 64);
    const double all_short = time_of(&machine, &traffic, "node");

    traffic.longest = 8 * IRR_NODE_DIRECT_DEFAULT;
    traffic.bytes += traffic.longest;
    traffic.lesser_bytes = traffic.bytes;
    CU_ASSERT(time_of(&machine, &traffic, "node") > all_short);
    CU_ASSERT(time_of(&machine, &traffic, "node") < time_of(&machine, &traffic, "direct"));
}

/* A rank with few neighbours needs few messages, but Open MPI also sends the empty messages. */
IRR_TEST(test_sparse, "direct messages are fastest for ranks with few neighbours")
{
    const irr_machine_t machine = infiniband();
    irr_traffic_t traffic = equal(1024, 32, 64);
    double request;

    traffic.messages = traffic.lesser_messages = 8;
    traffic.bytes = traffic.lesser_bytes = 8 * 64;
    CU_ASSERT(time_of(&machine, &traffic, "direct") < time_of(&machine, &traffic, "grid"));
    request = time_of(&machine, &traffic, "grid");
    traffic.plain = true;
    CU_ASSERT_DOUBLE_EQUAL(time_of(&machine, &traffic, "direct"), 8 * 1300, 2000);
    CU_ASSERT(time_of(&machine, &traffic, "grid") > 2 * request);
    CU_ASSERT(irr_model_host_ns(&machine, &traffic) > 50 * time_of(&machine, &traffic, "direct"));
    traffic = equal(1024, 32, 64);
    CU_ASSERT_DOUBLE_EQUAL(irr_model_host_ns(&machine, &traffic), time_of(&machine, &traffic, "direct"), 1);
}

/* One rank receives much more than any rank sends. This does not fill the links of other nodes. */
IRR_TEST(test_hot_rank, "traffic to one rank does not slow other nodes")
{
    const irr_machine_t machine = infiniband();
    irr_traffic_t traffic = equal(256, 32, 4096), hot = traffic;

    hot.lesser_bytes = hot.bytes / 100;
    CU_ASSERT(time_of(&machine, &hot, "direct") < time_of(&machine, &traffic, "direct") / 5);
    CU_ASSERT(time_of(&machine, &hot, "direct") >= hot.bytes * 8e3 / (double)machine.bandwidth);
    CU_ASSERT(time_of(&machine, &hot, "grid") > time_of(&machine, &hot, "direct"));
    CU_ASSERT(time_of(&machine, &hot, "bruck") > time_of(&machine, &hot, "direct"));
}

IRR_TEST(test_pacings, "signals and waits of a pacing take time")
{
    const irr_machine_t machine = ethernet();
    const irr_traffic_t traffic = equal(64, 1, 4096);
    irr_strategy_t strategy = *irr_algorithm_strategy(irr_algorithm_find("direct"));
    const double free_ns = irr_model_ns(&machine, &traffic, &strategy);
    double grant_ns;

    strategy.pacing = &irr_pacing_loose;
    CU_ASSERT(irr_model_ns(&machine, &traffic, &strategy) > free_ns);
    strategy.pacing = &irr_pacing_grant;
    strategy.grants = 2;
    grant_ns = irr_model_ns(&machine, &traffic, &strategy);
    CU_ASSERT(grant_ns > free_ns);
    strategy.grants = 8;
    CU_ASSERT(irr_model_ns(&machine, &traffic, &strategy) < grant_ns);
}

/*
 * If switches have short queues, Open MPI's order takes the time that contrib/lab measured for equal messages, and
 * pacings are faster.
 */
IRR_TEST(test_shallow, "short queues of switches cost time without a pacing")
{
    static const struct { double bytes, host_ms, best_ms; } rows[] = { { 65536, 70, 47.5 }, { 262144, 268.9, 170.3 } };
    irr_machine_t machine = ethernet();
    const irr_traffic_t many = equal(64, 1, 65536);
    irr_machine_t shallow = lab();

    CU_ASSERT(irr_model_host_ns(&machine, &many) < time_of(&machine, &many, "tree"));
    machine.buffer = 500000;
    CU_ASSERT(irr_model_host_ns(&machine, &many) > (double)machine.timeout);
    CU_ASSERT(time_of(&machine, &many, "tree") < time_of(&machine, &many, "direct"));
    shallow.bandwidth = 96;
    shallow.buffer = 125000;
    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        const irr_traffic_t traffic = equal(8, 1, rows[i].bytes);

        CU_ASSERT_DOUBLE_EQUAL(irr_model_host_ns(&shallow, &traffic) / 1e6 / rows[i].host_ms, 1, 0.3);
        CU_ASSERT_DOUBLE_EQUAL(time_of(&shallow, &traffic, "tree") / 1e6 / rows[i].best_ms, 1, 0.3);
    }
}

/*
 * Compares with the times in ms of direct/loose by irr_plan simulate, for the patterns equal, random, skewed and spike
 * on single:8 of contrib/lab.
 */
IRR_TEST(test_loose, "loose steps take longer if messages differ in length")
{
    static const struct { double bytes, even, messages, longest, ms; } rows[] = {
        { 458752, 458752, 7, 65536, 39.8 }, { 610584, 569088, 7, 124488, 65.9 }, { 405504, 180224, 5, 180224, 41.6 },
        { 871682, 458780, 7, 419456, 144.6 }
    };
    irr_machine_t machine = lab();
    irr_strategy_t strategy = *irr_algorithm_strategy(irr_algorithm_find("direct"));

    machine.bandwidth = 96;
    strategy.pacing = &irr_pacing_loose;
    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        const irr_traffic_t traffic = {
            .ranks = 8, .node_ranks = 1, .messages = rows[i].messages, .lesser_messages = rows[i].messages,
            .bytes = rows[i].bytes, .lesser_bytes = rows[i].even, .longest = rows[i].longest
        };

        CU_ASSERT_DOUBLE_EQUAL(irr_model_ns(&machine, &traffic, &strategy) / 1e6 / rows[i].ms, 1, 0.3);
        CU_ASSERT(i == 0 || irr_model_ns(&machine, &traffic, &strategy) > time_of(&machine, &traffic, "tree"));
    }
}

IRR_TEST(test_no_such_grid, "a grid with too many stages has the time INFINITY")
{
    const irr_machine_t machine = infiniband();
    const irr_traffic_t traffic = equal(1024, 1, 8);
    irr_strategy_t strategy = *irr_algorithm_strategy(irr_algorithm_find("balanced-grid"));

    strategy.dims = (irr_dims_t){ .count = 8, .size = { 2, 2, 2, 2, 2, 2, 2, 2 } };
    CU_ASSERT_EQUAL(irr_model_ns(&machine, &traffic, &strategy), INFINITY);
}

/*
 * Compares with simulated times in us, for 64 ranks on 64 nodes. One message of each rank is 64 times as long as the
 * other messages.
 */
IRR_TEST(test_hybrid, "hybrid is faster than a grid if few messages are long")
{
    static const struct { double bytes, ethernet, infiniband; } rows[] = { { 256, 115, 38 }, { 512, 129, 52 } };
    irr_strategy_t strategy = *irr_algorithm_strategy(irr_algorithm_find("hybrid"));

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        const irr_machine_t machines[] = { ethernet(), infiniband() };
        irr_traffic_t traffic = equal(64, 1, rows[i].bytes);

        traffic.longest *= 64;
        traffic.bytes = traffic.lesser_bytes = (62 + 64) * rows[i].bytes;
        for (int m = 0; m < 2; m++) {
            const double us = m == 0 ? rows[i].ethernet : rows[i].infiniband;

            strategy.direct_from = irr_model_direct_from(&machines[m], &traffic);
            CU_ASSERT_DOUBLE_EQUAL(irr_model_ns(&machines[m], &traffic, &strategy) / 1e3 / us, 1, 0.3);
            CU_ASSERT(irr_model_ns(&machines[m], &traffic, &strategy) < time_of(&machines[m], &traffic, "grid"));
            CU_ASSERT(irr_model_ns(&machines[m], &traffic, &strategy) < time_of(&machines[m], &traffic, "direct"));
            strategy.direct_from = (size_t)traffic.longest + 1;
            CU_ASSERT_DOUBLE_EQUAL(irr_model_ns(&machines[m], &traffic, &strategy),
                                   time_of(&machines[m], &traffic, "grid"), 1);
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
        .lesser_messages = floor(messages / (1 + any(state, 2))), .bytes = bytes,
        .lesser_bytes = bytes / (1 + any(state, 2)),
        .longest = messages > 0 ? mean * (1 + any(state, 3) * (messages - 1) / 8) : 0
    };
}

/* Every row has a time. More bytes do not shorten the time, unless messages then take another route. */
IRR_TEST_SEEDED(test_any, "any traffic has a time, which does not decrease with more bytes")
{
    const irr_machine_t machines[] = { infiniband(), ethernet() };

    for (int run = 0; run < irr_test_runs(20000); run++) {
        const irr_machine_t *machine = &machines[irr_test_below(state, 2)];
        irr_traffic_t traffic = any_traffic(state);

        for (int row = 0; irr_algorithm_name(row) != NULL; row++) {
            const irr_strategy_t *strategy = irr_algorithm_strategy(row);
            irr_traffic_t more = traffic;
            const double ns = irr_model_ns(machine, &traffic, strategy);

            CU_ASSERT(ns >= 0 && isfinite(ns));
            if (!strategy->balanced && !irr_strategy_is_split(strategy)) {
                more.bytes *= 2;
                more.lesser_bytes *= 2;
                more.longest *= 2;
                CU_ASSERT(irr_model_ns(machine, &more, strategy) >= ns);
            }
        }
    }
}

IRR_TEST(test_traffic_of, "the traffic of a matrix is the traffic of its busiest rank")
{
    uint64_t entries[] = { 100, 5, 0,  7, 100, 0,  9, 20, 100 };
    const irr_matrix_t matrix = { .ranks = 3, .entries = entries };
    const irr_traffic_t traffic = irr_traffic_of(&matrix, 8);

    CU_ASSERT_EQUAL(traffic.ranks, 3);
    CU_ASSERT_EQUAL(traffic.node_ranks, 3);
    CU_ASSERT_EQUAL(traffic.messages, 2);
    CU_ASSERT_EQUAL(traffic.lesser_messages, 2);
    CU_ASSERT_EQUAL(traffic.bytes, 29);
    CU_ASSERT_EQUAL(traffic.lesser_bytes, 25);
    CU_ASSERT_EQUAL(traffic.longest, 20);
}

IRR_TEST_MAIN("model", 120)
