/*
 * test_simulate.c - plans on a simulated fabric. The tests check the time of each constant, of shared links and of
 * pacings.
 *
 * Expected times are computed by hand from simple constants.
 */
#include "matrix_scene.h"
#include "study/cluster.h"
#include "study/simulate.h"

/* 8 Gbit/s and 1000 MB/s are both one byte per ns. */
static const irr_machine_t simple = {
    .message = 100, .latency = 1000, .bandwidth = 8000, .copy = 1000, .node_message = 40, .node_latency = 7,
    .piece = 1, .switch_nodes = 0, .taper = 1
};

/* Consecutive ranks on nodes. */
typedef struct scene {
    irr_machine_t  machine;
    irr_matrix_t   matrix;
    irr_topology_t topology;
    irr_tree_t     tree;
    irr_nodes_t    nodes;
} scene_t;

static void open_scene(scene_t *scene, const irr_machine_t *machine, int ranks, int per_node)
{
    int *node_of = irr_test_array((size_t)ranks, sizeof(*node_of));

    for (int r = 0; r < ranks; r++) {
        node_of[r] = r / per_node;
    }
    memset(scene, 0, sizeof(*scene));
    scene->machine = *machine;
    irr_test_must(irr_matrix_init(&scene->matrix, ranks));
    irr_test_must(irr_nodes_init(&scene->nodes, ranks, node_of));
    irr_test_must(irr_cluster_init(machine, scene->nodes.count, &scene->topology));
    irr_test_must(irr_tree_init(&scene->tree, &scene->topology, node_of, ranks));
    free(node_of);
}

static void close_scene(scene_t *scene)
{
    irr_matrix_fini(&scene->matrix);
    irr_nodes_fini(&scene->nodes);
    irr_tree_fini(&scene->tree);
    irr_topology_fini(&scene->topology);
}

static void set(scene_t *scene, int from, int to, uint64_t bytes)
{
    *irr_matrix_at(&scene->matrix, from, to) = bytes;
}

static irr_timed_config_t config_of(const scene_t *scene)
{
    return (irr_timed_config_t){ .machine = &scene->machine, .tree = &scene->tree };
}

static irr_status_t simulate_with(const scene_t *scene, const irr_timed_config_t *config,
                                  const irr_strategy_t *strategy, irr_simulated_t *simulated)
{
    const irr_plans_known_t known = { .matrix = &scene->matrix, .nodes = &scene->nodes, .tree = &scene->tree };
    irr_simulation_t *simulation = NULL;
    irr_status_t status = irr_simulation_create(scene->matrix.ranks, &simulation);

    if (status == IRR_OK) {
        status = irr_plans_each(strategy, &known, irr_simulation_take, simulation);
    }
    if (status == IRR_OK) {
        status = irr_simulation_run(simulation, config, NULL, simulated);
    }
    irr_simulation_destroy(simulation);
    return status;
}

static irr_status_t simulate(const scene_t *scene, const irr_strategy_t *strategy, irr_simulated_t *simulated)
{
    const irr_timed_config_t config = config_of(scene);

    return simulate_with(scene, &config, strategy, simulated);
}

static irr_strategy_t strategy_of(const char *name)
{
    return *irr_algorithm_strategy(irr_algorithm_find(name));
}

static double time_of(const scene_t *scene, const char *name)
{
    const irr_strategy_t strategy = strategy_of(name);
    irr_simulated_t simulated = { .ns = -1 };

    CU_ASSERT_EQUAL(simulate(scene, &strategy, &simulated), IRR_OK);
    return simulated.ns;
}

static void fill(scene_t *scene, const char *pattern, uint64_t unit, uint64_t seed)
{
    const int ranks = scene->matrix.ranks;

    irr_matrix_fini(&scene->matrix);
    scene->matrix = matrix_scene_pattern(pattern, ranks, unit, seed);
    for (int r = 0; r < ranks; r++) {
        set(scene, r, r, 0);
    }
}

/* ---- one constant after the other ---- */

enum { MESSAGE = 50 + 1000 + 50, INSIDE = 20 + 7 + 20 };   /* both ends plus latency: between nodes, inside a node */
enum { LONG = IRR_NODE_DIRECT_DEFAULT, ANY = 1000000 };

/* Cases of up to two messages, or of `uniform` bytes from each rank to each other rank, with one grant. */
static const struct {
    const char *what;
    int         ranks, per_node, switch_nodes, taper;
    struct { int from, to; uint64_t bytes; } messages[2];
    double      ns, most;      /* most: the largest time; 0: exactly ns */
    const char *algorithm;     /* NULL: direct */
    const irr_pacing_t *pacing;
    uint64_t    uniform;
    size_t      count;         /* number of messages between nodes; 0: any */
} rows[] = {
    { "the time of a message has its cost at both ends, the link and the latency", 2, 1, 0, 1, { { 0, 1, 600 } },
      .ns = MESSAGE + 600 },
    { "the time of a long message grows by its bytes", 2, 1, 0, 1, { { 0, 1, 600000 } }, .ns = MESSAGE + 600000 },
    { "within a node each end copies, and no link is used", 2, 2, 0, 1, { { 0, 1, 600 } }, .ns = INSIDE + 2 * 600 },
    { "a rank copies the block that it sends to itself", 2, 1, 0, 1, { { 1, 1, 600 } }, .ns = 600 },
    { "pacing loose: a rank copies its own block", 2, 1, 0, 1, { { 1, 1, 600 } }, .ns = 600,
      .pacing = &irr_pacing_loose },
    { "grid: a rank copies its own block", 4, 1, 0, 1, { { 1, 1, 600 } }, .ns = 600, .algorithm = "grid" },
    { "empty messages take no time", 5, 1, 0, 1, { { 0, 1, 0 } }, .ns = 0 },
    { "ranks of a node share its link", 4, 2, 0, 1, { { 0, 2, 600 }, { 1, 3, 600 } }, .ns = MESSAGE + 2 * 600 },
    { "messages to one node share its link", 3, 1, 0, 1, { { 0, 2, 6000 }, { 1, 2, 6000 } }, .ns = MESSAGE + 2 * 6000 },
    { "nodes of one switch do not share a link", 4, 1, 2, 4, { { 0, 1, 600 } }, .ns = MESSAGE + 600 },
    { "a taper of 4 halves the bandwidth of two nodes", 4, 1, 2, 4, { { 0, 2, 600 }, { 1, 3, 600 } },
      .ns = MESSAGE + 2 * 1200 },
    { "pacing free: messages overlap", 5, 1, 0, 1, { { 0, 1, 0 } }, .ns = 4 * 50 + 10 + 1000 + 50,
      .pacing = &irr_pacing_free, .uniform = 10, .count = 4 },
    { "pacing loose: a rank waits for each message", 5, 1, 0, 1, { { 0, 1, 0 } }, .ns = 4 * (MESSAGE + 10),
      .pacing = &irr_pacing_loose, .uniform = 10, .count = 4 },
    { "pacing grant: one grant at a time", 5, 1, 0, 1, { { 0, 1, 0 } }, .ns = 4 * 2 * MESSAGE, .most = ANY,
      .pacing = &irr_pacing_grant, .uniform = 10, .count = 8 },
    { "node: one message between nodes and one in each node", 4, 2, 0, 1, { { 1, 3, 10 } },
      .ns = 2 * (INSIDE + 2 * 10) + MESSAGE + 10, .algorithm = "node", .count = 1 },
    { "node: long messages are direct", 4, 2, 0, 1, { { 1, 3, LONG } }, .ns = MESSAGE + LONG,
      .algorithm = "node", .count = 1 },
    { "node: messages of a leader overlap, so they take one latency", 14, 2, 0, 1, { { 0, 1, 0 } }, .most = 2 * 1000,
      .algorithm = "node", .uniform = 1, .count = 1 + 3 + 1 }
};

IRR_TEST(test_constants, "the effect of each constant, of shared links, pacings and leaders")
{
    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        irr_strategy_t strategy = strategy_of(rows[i].algorithm != NULL ? rows[i].algorithm : "direct");
        const double most = rows[i].most > 0 ? rows[i].most : rows[i].ns;
        irr_simulated_t simulated = { .ns = -1 };
        irr_machine_t machine = simple;
        scene_t scene;

        machine.switch_nodes = (uint64_t)rows[i].switch_nodes;
        machine.taper = (uint64_t)rows[i].taper;
        open_scene(&scene, &machine, rows[i].ranks, rows[i].per_node);
        if (rows[i].uniform > 0) {
            fill(&scene, "uniform", rows[i].uniform, 1);
        }
        for (int m = 0; m < 2 && rows[i].uniform == 0; m++) {
            set(&scene, rows[i].messages[m].from, rows[i].messages[m].to, rows[i].messages[m].bytes);
        }
        strategy.pacing = rows[i].pacing != NULL ? rows[i].pacing : strategy.pacing;
        strategy.grants = 1;
        CU_ASSERT_EQUAL(simulate(&scene, &strategy, &simulated), IRR_OK);
        CU_ASSERT(rows[i].count == 0 || simulated.messages == rows[i].count);
        if (simulated.ns < rows[i].ns || simulated.ns > most) {
            CU_FAIL("another time");
            printf("# %s: %.0f ns, not %.0f to %.0f\n", rows[i].what, simulated.ns, rows[i].ns, most);
        }
        close_scene(&scene);
    }
}

/* ---- strategies ---- */

/* Compares with the times of the study of the model, with a quarter of its 1024 ranks. */
IRR_TEST(test_study, "times agree with the study of the model")
{
    const irr_machine_t machine = IRR_MACHINE_DEFAULT;
    scene_t scene;

    open_scene(&scene, &machine, 256, 32);
    fill(&scene, "uniform", 8, 1);
    CU_ASSERT_DOUBLE_EQUAL(time_of(&scene, "direct"), 304e3, 5e3);
    CU_ASSERT_DOUBLE_EQUAL(time_of(&scene, "direct") / time_of(&scene, "grid"), 13, 5);
    close_scene(&scene);
}

IRR_TEST(test_all_strategies, "all algorithms without a schedule end, and take the same time in each run")
{
    uint64_t state = irr_test_seed();
    irr_simulated_t one = { .ns = 0 }, other = { .ns = 0 };

    for (int run = 0; run < 20; run++) {
        scene_t scene;

        open_scene(&scene, &simple, 1 + (int)irr_test_below(&state, 40), 1 + (int)irr_test_below(&state, 8));
        fill(&scene, irr_pattern_name((int)irr_test_below(&state, 9)), 1 + irr_test_below(&state, 3000), state);
        for (int row = 0; irr_algorithm_name(row) != NULL; row++) {
            const irr_strategy_t *strategy = irr_algorithm_strategy(row);

            if (!irr_strategy_is_scheduled(strategy)) {
                CU_ASSERT_EQUAL(simulate(&scene, strategy, &one), IRR_OK);
                CU_ASSERT_EQUAL(simulate(&scene, strategy, &other), IRR_OK);
                CU_ASSERT(one.ns == other.ns && one.messages == other.messages);
            }
        }
        close_scene(&scene);
    }
}

/* ---- packets ---- */

static irr_status_t simulate_packets(const scene_t *scene, size_t ask_from, irr_simulated_t *simulated)
{
    irr_timed_config_t config = config_of(scene);
    const irr_strategy_t strategy = strategy_of("direct");
    irr_status_t status = irr_packets_create(config.machine, config.tree, &config.packets);

    config.ask_from = ask_from;
    status = status == IRR_OK ? simulate_with(scene, &config, &strategy, simulated) : status;
    irr_packets_destroy(config.packets);
    return status;
}

static double packets_time(const scene_t *scene, size_t ask_from)
{
    irr_simulated_t simulated = { .ns = -1 };

    CU_ASSERT_EQUAL(simulate_packets(scene, ask_from, &simulated), IRR_OK);
    return simulated.ns;
}

/*
 * A switch stores a whole segment before it forwards the segment. A rendezvous takes a request and an answer before the
 * message.
 */
IRR_TEST(test_segments, "packets: a switch stores segments, and a rendezvous precedes a message")
{
    scene_t scene;

    open_scene(&scene, &simple, 2, 1);
    scene.machine.buffer = scene.machine.timeout = 1000000;
    set(&scene, 0, 1, 1446);
    CU_ASSERT_EQUAL(packets_time(&scene, 0), 50 + 1446 + 1000 + 1446 + 50);
    set(&scene, 0, 1, 2 * 1446);
    CU_ASSERT_EQUAL(packets_time(&scene, 0), 50 + 1446 + 1000 + 2 * 1446 + 50);
    CU_ASSERT_EQUAL(packets_time(&scene, 2892), 50 + 2 * (64 + 1000 + 64) + 1446 + 1000 + 2 * 1446 + 50);
    close_scene(&scene);
}

/*
 * Two nodes send to one node. The port of the node drops segments that it cannot queue. All messages arrive
 * nevertheless.
 */
IRR_TEST(test_overflow, "packets: a port that drops segments costs time")
{
    const double bytes = 2 * 20 * 1446;
    double deep;
    scene_t scene;

    open_scene(&scene, &simple, 3, 1);
    scene.machine.timeout = 100000000;
    scene.machine.buffer = 1000000;
    set(&scene, 0, 2, 20 * 1446);
    set(&scene, 1, 2, 20 * 1446);
    deep = packets_time(&scene, 0);
    CU_ASSERT(deep >= bytes && deep < 1.2 * bytes);
    scene.machine.buffer = 3 * 1446;
    CU_ASSERT(packets_time(&scene, 0) > 1.05 * deep);
    close_scene(&scene);
}

/* ---- errors ---- */

/* Rank 1 waits for a message that no rank sends. */
IRR_TEST(test_no_end, "plans that do not end are an error")
{
    irr_plan_t plans[2];
    irr_problem_t problems[2] = { { .ranks = 2, .rank = 0 }, { .ranks = 2, .rank = 1 } };
    const irr_piece_t piece = { .buffer = IRR_BUFFER_OUTPUT, .length = 8 };
    irr_simulated_t simulated = { .ns = -1 };
    irr_simulation_t *simulation;
    irr_timed_config_t config;
    scene_t scene;

    irr_test_must(irr_simulation_create(2, &simulation));
    open_scene(&scene, &simple, 2, 1);
    config = config_of(&scene);
    for (int r = 0; r < 2; r++) {
        irr_plan_init(&plans[r]);
        irr_plan_reset(&plans[r], &problems[r]);
    }
    irr_test_must(irr_plan_add(&plans[1], &(irr_step_params_t){
        .kind = IRR_STEP_RECV, .peer = 0, .stage = 1, .number = 1, .pieces = &piece, .npieces = 1 }));
    for (int r = 0; r < 2; r++) {
        irr_test_must(irr_simulation_take(simulation, &plans[r], 0, true));
        irr_plan_fini(&plans[r]);
    }
    CU_ASSERT_EQUAL(irr_simulation_run(simulation, &config, NULL, &simulated), IRR_ERR_TIMEOUT);
    CU_ASSERT_EQUAL(simulated.ns, -1);
    irr_simulation_destroy(simulation);
    close_scene(&scene);
}

typedef struct simulation {
    scene_t    *scene;
    const char *strategy;   /* NULL: packets */
} simulation_t;

static irr_status_t simulate_any(void *context)
{
    const simulation_t *simulation = context;
    irr_simulated_t simulated;
    irr_strategy_t strategy;

    if (simulation->strategy == NULL) {
        return simulate_packets(simulation->scene, 1000, &simulated);
    }
    strategy = strategy_of(simulation->strategy);
    return simulate(simulation->scene, &strategy, &simulated);
}

IRR_TEST(test_no_memory, "each failed allocation is an error and leaks no memory")
{
    static const char *const strategies[] = { "bruck", "node", NULL };
    scene_t scene;

    open_scene(&scene, &simple, 6, 2);
    scene.machine.buffer = 4000;
    scene.machine.timeout = 1000000;
    for (size_t i = 0; i < IRR_TEST_COUNT(strategies); i++) {
        simulation_t simulation = { &scene, strategies[i] };

        fill(&scene, "random", strategies[i] != NULL ? 1 : 30, 1);
        CU_ASSERT(irr_memory_fail_each(simulate_any, &simulation) > 9);
    }
    close_scene(&scene);
}

IRR_TEST_MAIN("simulate", 120)
