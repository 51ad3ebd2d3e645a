/*
 * test_candidates.c - the list of strategies worth a trial, and the list of strategies with different pacings: their
 * members, their order, and the settings of each.
 */
#include "irr_test.h"

#include "choose/candidates.h"
#include "choose/paced.h"

#include <math.h>

static irr_settings_t open_settings(void)
{
    return (irr_settings_t){
        .overlap = IRR_OVERLAP_PIPELINED, .slice_min = 256,
        .piece_bytes = IRR_BYTES_AUTO, .lead_bytes = IRR_BYTES_AUTO, .direct_bytes = IRR_BYTES_AUTO
    };
}

/* Returns the traffic of equal messages between all ranks. */
static irr_traffic_t equal(int ranks, int node_ranks, double bytes)
{
    return (irr_traffic_t){
        .ranks = ranks, .node_ranks = node_ranks, .messages = ranks - 1, .lesser_messages = ranks - 1,
        .bytes = (ranks - 1) * bytes, .lesser_bytes = (ranks - 1) * bytes, .longest = bytes, .plain = true
    };
}

/* Returns the traffic of equal(), but one message of each rank is `times` as long. */
static irr_traffic_t uneven(int ranks, int node_ranks, double bytes, double times)
{
    irr_traffic_t traffic = equal(ranks, node_ranks, bytes);

    traffic.longest = times * bytes;
    traffic.bytes += traffic.longest - bytes;
    traffic.lesser_bytes = traffic.bytes;
    return traffic;
}

static int list_of(const irr_traffic_t *traffic, irr_candidate_t list[IRR_CANDIDATES_MAX])
{
    const irr_machine_t machine = IRR_MACHINE_DEFAULT;
    const irr_settings_t settings = open_settings();
    const int count = irr_candidates(&machine, traffic, &settings, list);

    CU_ASSERT_TRUE_FATAL(count >= 0 && count <= IRR_CANDIDATES_MAX);
    return count;
}

static bool is(const irr_candidate_t *candidate, const char *name)
{
    return strcmp(irr_algorithm_name(candidate->row), name) == 0;
}

static const irr_candidate_t *find(const irr_candidate_t *list, int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        if (is(&list[i], name)) {
            return &list[i];
        }
    }
    return NULL;
}

/*
 * Asserts that all of the names, separated by blanks, are among the candidates, or, if `there` is false, that none of
 * the names is.
 */
static void expect_names(const irr_candidate_t *list, int count, const char *names, bool there)
{
    char text[64];

    snprintf(text, sizeof(text), "%s", names);
    for (char *name = strtok(text, " "); name != NULL; name = strtok(NULL, " ")) {
        CU_ASSERT_EQUAL(find(list, count, name) != NULL, there);
    }
}

static bool has_pacing(const irr_candidate_t *list, int count, const irr_pacing_t *pacing)
{
    for (int i = 0; i < count; i++) {
        if (list[i].strategy.pacing == pacing) {
            return true;
        }
    }
    return false;
}

/* ---- the members of the list ---- */

IRR_TEST(test_one_node, "ranks of one node that share processors have only direct candidates")
{
    for (int ranks = 2; ranks <= 256; ranks *= 2) {
        for (double bytes = 1; bytes < 1e8; bytes *= 2) {
            const irr_traffic_t traffic = equal(ranks, ranks, bytes);
            irr_candidate_t list[IRR_CANDIDATES_MAX];

            const bool two = bytes >= 16384 && bytes <= 131072;   /* single copy and two copies may both be fast */

            CU_ASSERT_EQUAL_FATAL(list_of(&traffic, list), 1 + two);
            CU_ASSERT_TRUE(is(&list[0], "direct") && list[0].strategy.compose == IRR_COMPOSE_AUTO);
            CU_ASSERT_TRUE(!two || (is(&list[1], "direct") && list[1].strategy.compose == IRR_COMPOSE_GATHER));
        }
    }
}

/* Checks names in the list, names not in the list, the first candidate, and the order by predicted time. */
IRR_TEST(test_rows, "candidates are sorted by predicted time, the fastest first")
{
    static const struct {
        int         ranks, node_ranks;
        double      bytes;
        bool        alone;
        const char *first, *with, *without;
    } rows[] = {
        { 128, 128, 8, true, "grid", "", "direct node" }, { 128, 128, 65536, true, "direct", "", "" },
        { 3, 3, 8, true, "direct", "", "grid node" }, { 64, 16, 8, false, NULL, "node grid", "tree direct" }
    };

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        irr_traffic_t traffic = equal(rows[i].ranks, rows[i].node_ranks, rows[i].bytes);
        irr_candidate_t list[IRR_CANDIDATES_MAX];
        int count;

        traffic.own_processors = rows[i].alone;
        count = list_of(&traffic, list);
        CU_ASSERT_FATAL(count > 0);
        CU_ASSERT(rows[i].first == NULL || is(&list[0], rows[i].first));
        CU_ASSERT(rows[i].ranks != 3 || count == 1);
        expect_names(list, count, rows[i].with, true);
        expect_names(list, count, rows[i].without, false);
        for (int k = 1; k < count && !rows[i].alone; k++) {
            CU_ASSERT_TRUE(list[k].ns >= list[k - 1].ns && list[k].ns <= IRR_MODEL_HOPELESS * list[0].ns);
        }
    }
}

/*
 * The list has several pacings for long messages, with one and with several ranks per node, whatever the model
 * predicts. The pacing sync takes long to compute, so the list of many ranks does not have it.
 */
IRR_TEST(test_long, "long messages between nodes have candidates with several pacings")
{
    const irr_traffic_t many = equal(IRR_PACED_SYNC_RANKS + 1, 1, 65536);
    irr_candidate_t list[IRR_CANDIDATES_MAX];
    int count;

    for (int node_ranks = 1; node_ranks <= 8; node_ranks *= 8) {
        for (double bytes = 4096; bytes < 1e7; bytes *= 4) {
            const irr_traffic_t traffic = equal(16, node_ranks, bytes);
            int few;

            count = list_of(&traffic, list);
            few = count < 4 ? count : 4;
            CU_ASSERT_PTR_EQUAL(list[0].strategy.pacing, bytes < 16384 ? &irr_pacing_loose : &irr_pacing_sync);
            CU_ASSERT_TRUE(has_pacing(list, few, &irr_pacing_sync) && has_pacing(list, few, &irr_pacing_free));
            CU_ASSERT_TRUE(has_pacing(list, count, &irr_pacing_loose) && has_pacing(list, count, &irr_pacing_grant));
        }
    }
    count = list_of(&many, list);
    CU_ASSERT_TRUE(!has_pacing(list, count, &irr_pacing_sync) && has_pacing(list, count, &irr_pacing_grant));
}

/* A hybrid is in the list if few messages are long. The user may set the length from which messages are long. */
IRR_TEST(test_hybrid, "a hybrid is a candidate if few messages are long")
{
    const irr_machine_t machine = IRR_MACHINE_DEFAULT;
    irr_settings_t settings = open_settings();
    irr_candidate_t list[IRR_CANDIDATES_MAX];
    irr_traffic_t traffic = uneven(64, 1, 256, 64);
    const size_t from = irr_model_direct_from(&machine, &traffic);
    const irr_candidate_t *hybrid = find(list, list_of(&traffic, list), "hybrid");

    CU_ASSERT_PTR_NOT_NULL_FATAL(hybrid);
    CU_ASSERT_TRUE(hybrid->strategy.direct_from == from && from > 1000 && from < 3000);
    settings.direct_bytes = 5000;
    hybrid = find(list, irr_candidates(&machine, &traffic, &settings, list), "hybrid");
    CU_ASSERT_PTR_NOT_NULL_FATAL(hybrid);
    CU_ASSERT_EQUAL(hybrid->strategy.direct_from, 5000);
    traffic = equal(64, 32, 64);   /* 9 long messages from each rank, most of them to a few ranks */
    traffic.longest = 4096;
    traffic.lesser_bytes += 9 * 4032;
    traffic.bytes = 63 * 4096;
    expect_names(list, list_of(&traffic, list), "hybrid", true);
    for (double bytes = 8; bytes < 1e6; bytes *= 4) {
        traffic = equal(64, 1, bytes);
        expect_names(list, list_of(&traffic, list), "hybrid", false);
    }
    traffic = uneven(64, 1, 1e5, 64);
    expect_names(list, list_of(&traffic, list), "hybrid", false);
    traffic = uneven(16, 16, 256, 64);
    expect_names(list, list_of(&traffic, list), "hybrid", false);
}

IRR_TEST(test_dims_of_user, "grid dimensions that the user sets are not varied")
{
    const irr_machine_t machine = IRR_MACHINE_DEFAULT;
    const irr_traffic_t traffic = equal(64, 1, 8);
    irr_settings_t settings = open_settings();
    irr_candidate_t list[IRR_CANDIDATES_MAX];
    int count, grids = 0;

    settings.dims = (irr_dims_t){ .count = 2, .size = { 16, 4 } };
    count = irr_candidates(&machine, &traffic, &settings, list);
    for (int i = 0; i < count; i++) {
        grids += is(&list[i], "grid");
        CU_ASSERT_TRUE(list[i].strategy.dims.count == 2 && list[i].strategy.dims.size[0] == 16);
    }
    CU_ASSERT_EQUAL(grids, 1);
}

/* ---- pinned ---- */

/* A communicator with the settings of a candidate runs the strategy of the candidate, and tries no other strategy. */
static void check_pinned(const irr_candidate_t *candidate, const irr_settings_t *given)
{
    const irr_strategy_t *strategy = &candidate->strategy;
    irr_settings_t settings = *given;
    irr_strategy_t base, strategies[IRR_PACED_STRATEGIES_MAX];

    irr_candidate_settings(candidate, &settings);
    CU_ASSERT_EQUAL(settings.algorithm, candidate->row);
    base = irr_strategy_of(&settings, 2);
    CU_ASSERT_EQUAL(irr_paced_strategies(&settings, &base,
                                         irr_strategy_forwards(strategy) ? IRR_PACED_NODE : IRR_PACED_DIRECT, 64,
                                             strategies), 1);
    if (!irr_strategy_is_scheduled(strategy)) {
        strategies[0] = base;
    }
    CU_ASSERT_TRUE(strategies[0].route == strategy->route && strategies[0].order == strategy->order &&
                   strategies[0].pacing == strategy->pacing);
    CU_ASSERT_TRUE(strategies[0].piece_max == strategy->piece_max);
    CU_ASSERT_TRUE(!strategy->pacing->syncs || strategies[0].lead == strategy->lead);
    CU_ASSERT_TRUE(strategy->pacing != &irr_pacing_grant || strategies[0].grants == strategy->grants);
    CU_ASSERT_EQUAL(memcmp(&strategies[0].dims, &strategy->dims, sizeof(strategy->dims)), 0);
    CU_ASSERT_EQUAL(strategies[0].direct_from, strategy->direct_from);
}

static irr_settings_t random_settings(uint64_t *random)
{
    irr_settings_t settings = open_settings();

    settings.pacing = (irr_pacing_kind_t)irr_test_below(random, IRR_PACING_COUNT);
    settings.grants = (size_t)irr_test_below(random, 4);
    settings.piece_bytes = irr_test_below(random, 2) ? IRR_BYTES_AUTO : (size_t)irr_test_below(random, 100000);
    settings.lead_bytes = irr_test_below(random, 2) ? IRR_BYTES_AUTO : (size_t)irr_test_below(random, 100000);
    settings.host_route = (irr_host_route_t)irr_test_below(random, IRR_HOST_ROUTE_COUNT);
    return settings;
}

/*
 * For any traffic and settings: no candidate occurs twice, the settings of each candidate fix its strategy, and each
 * has its own text.
 */
IRR_TEST_SEEDED(test_pinned, "the settings of each candidate fix its strategy, and no two candidates are equal")
{
    const irr_machine_t machine = IRR_MACHINE_DEFAULT;
    char texts[IRR_CANDIDATES_MAX][IRR_CANDIDATE_TEXT];
    irr_candidate_t list[IRR_CANDIDATES_MAX];

    for (int run = 0; run < 2000; run++) {
        const int ranks = 2 + (int)irr_test_below(state, 600);
        const int node_ranks = 1 + (int)irr_test_below(state, (uint64_t)ranks);
        const double bytes = pow(2, (double)irr_test_below(state, 24));
        const irr_traffic_t traffic = uneven(ranks, node_ranks, bytes, 1 + (double)irr_test_below(state, 100));
        const irr_settings_t settings = run % 2 ? open_settings() : random_settings(state);
        const int count = irr_candidates(&machine, &traffic, &settings, list);

        CU_ASSERT_TRUE_FATAL(count >= 0 && count <= IRR_CANDIDATES_MAX);
        for (int i = 0; i < count; i++) {
            CU_ASSERT_TRUE(isfinite(list[i].ns) && list[i].ns > 0);
            check_pinned(&list[i], &settings);
            irr_candidate_text(&list[i], texts[i], sizeof(texts[i]));
            CU_ASSERT_TRUE(strlen(texts[i]) < sizeof(texts[i]) - 1);
            for (int j = 0; j < i; j++) {
                CU_ASSERT_STRING_NOT_EQUAL(texts[i], texts[j]);
            }
        }
    }
}

IRR_TEST(test_text, "texts that describe candidates")
{
    static const struct { const char *row; irr_dims_t dims; size_t size; const char *text; } rows[] = {
        { "grid", { 0 }, IRR_CANDIDATE_TEXT, "grid" },
        { "grid", { .count = 3, .size = { 8, 2, 4 } }, IRR_CANDIDATE_TEXT, "grid, dims 8x2x4" },
        { "hybrid", { 0 }, IRR_CANDIDATE_TEXT, "hybrid, direct from 1536 bytes" }, { "hybrid", { 0 }, 10, "hybrid, d" }
    };
    irr_candidate_t list[IRR_CANDIDATES_MAX];
    const irr_traffic_t traffic = equal(16, 1, 65536);
    char text[IRR_CANDIDATE_TEXT];

    CU_ASSERT_TRUE_FATAL(list_of(&traffic, list) > 0);
    irr_candidate_text(&list[0], text, sizeof(text));
    CU_ASSERT_STRING_EQUAL(text, "tree, pacing sync, pieces of 32768 bytes, lead of 49152");
    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        irr_candidate_t candidate = { .row = irr_algorithm_find(rows[i].row) };

        candidate.strategy = *irr_algorithm_strategy(candidate.row);
        candidate.strategy.dims = rows[i].dims;
        irr_candidate_text(&candidate, text, rows[i].size);
        CU_ASSERT_STRING_EQUAL(text, rows[i].text);
    }
}

/* ---- pacings ---- */

static irr_settings_t any_pacing(void)
{
    return (irr_settings_t){ .piece_bytes = IRR_BYTES_AUTO, .lead_bytes = IRR_BYTES_AUTO };
}

/* Finds the strategies of tree with a pacing. The settings may leave the pacing open. */
static int find_strategies(const irr_settings_t *settings, irr_pacing_kind_t pacing, unsigned routes, int ranks,
                           irr_strategy_t strategies[IRR_PACED_STRATEGIES_MAX])
{
    irr_settings_t wanted = *settings;
    irr_strategy_t base;

    wanted.algorithm = irr_algorithm_find("tree");
    wanted.pacing = pacing;
    base = irr_strategy_of(&wanted, 1);
    return irr_paced_strategies(settings, &base, routes, ranks, strategies);
}

static bool is_alone(const irr_strategy_t *strategy)
{
    return !irr_strategy_is_scheduled(strategy);
}

IRR_TEST(test_strategies, "strategies in a trial of pacings")
{
    irr_settings_t settings = any_pacing();
    irr_strategy_t strategies[IRR_PACED_STRATEGIES_MAX];
    int count = find_strategies(&settings, IRR_PACING_SYNC, IRR_PACED_DIRECT, 512, strategies);

    CU_ASSERT(count > 2);
    CU_ASSERT_PTR_EQUAL(strategies[0].pacing, &irr_pacing_sync);
    CU_ASSERT_PTR_EQUAL(strategies[count - 1].pacing, &irr_pacing_free);
    for (int i = 0; i < count; i++) {
        CU_ASSERT(strategies[i].grants > 0 && strategies[i].piece_max != IRR_BYTES_AUTO &&
                  strategies[i].lead != IRR_BYTES_AUTO);
        CU_ASSERT_EQUAL(is_alone(&strategies[i]),
                        strategies[i].pacing == &irr_pacing_loose || strategies[i].pacing == &irr_pacing_free);
        CU_ASSERT(!is_alone(&strategies[i]) || strategies[i].piece_max == 0);
    }
}

IRR_TEST(test_no_trial, "without a trial the only strategy is that of the settings")
{
    irr_settings_t settings = any_pacing();
    irr_strategy_t strategy[IRR_PACED_STRATEGIES_MAX];

    CU_ASSERT_EQUAL(find_strategies(&settings, IRR_PACING_LOOSE, 0, 512, strategy), 1);
    CU_ASSERT_PTR_EQUAL(strategy[0].pacing, &irr_pacing_loose);
    CU_ASSERT_EQUAL(strategy[0].piece_max, 0);
    CU_ASSERT_EQUAL(strategy[0].lead, IRR_LEAD_DEFAULT);
    CU_ASSERT_EQUAL(strategy[0].grants, IRR_GRANTS_DEFAULT);
    settings.piece_bytes = 1000;
    settings.lead_bytes = 10;
    settings.grants = 5;
    CU_ASSERT_EQUAL(find_strategies(&settings, IRR_PACING_GRANT, 0, 512, strategy), 1);
    CU_ASSERT_EQUAL(strategy[0].piece_max, 1000);
    CU_ASSERT_EQUAL(strategy[0].lead, 10);
    CU_ASSERT_EQUAL(strategy[0].grants, 5);
}

IRR_TEST(test_settings_of_user, "all strategies have the settings of the user, and no two are equal")
{
    irr_strategy_t strategies[IRR_PACED_STRATEGIES_MAX];

    for (int pacing = 0; pacing < (int)IRR_PACING_COUNT; pacing++) {
        for (int bits = 0; bits < 4; bits++) {
            const irr_settings_t settings = {
                .pacing = (irr_pacing_kind_t)pacing, .grants = 7,
                .piece_bytes = bits & 1 ? 3000 : IRR_BYTES_AUTO, .lead_bytes = bits & 2 ? 0 : IRR_BYTES_AUTO
            };
            const irr_pacing_kind_t kind = pacing == IRR_PACING_AUTO ? IRR_PACING_SYNC : (irr_pacing_kind_t)pacing;
            int count = find_strategies(&settings, kind, IRR_PACED_DIRECT | IRR_PACED_NODE, 512, strategies);

            CU_ASSERT(count >= 1 && count <= IRR_PACED_STRATEGIES_MAX);
            for (int i = 0; i < count; i++) {
                CU_ASSERT(pacing == IRR_PACING_AUTO ||
                          strategies[i].pacing == irr_pacing_of((irr_pacing_kind_t)pacing));
                CU_ASSERT_EQUAL(strategies[i].grants, 7);
                CU_ASSERT(!(bits & 1) || strategies[i].piece_max == 3000);
                CU_ASSERT(!(bits & 2) || strategies[i].lead == 0);
                CU_ASSERT(!is_alone(&strategies[i]) || (pacing == IRR_PACING_AUTO && !(bits & 1)));
            }
            CU_ASSERT(pacing != IRR_PACING_LOOSE || count == 1);
            CU_ASSERT(pacing != IRR_PACING_SYNC || bits != 3 || count == 2);   /* one strategy per route */
        }
    }
}

/* If hosts have several ranks, strategies of the node route come first, with the pacings that it supports. */
IRR_TEST(test_routes, "on hosts with several ranks, strategies of the node route come first")
{
    irr_settings_t settings = any_pacing();
    irr_strategy_t strategies[IRR_PACED_STRATEGIES_MAX];
    const int direct = find_strategies(&settings, IRR_PACING_SYNC, IRR_PACED_DIRECT, 512, strategies);
    const int node = find_strategies(&settings, IRR_PACING_SYNC, IRR_PACED_NODE, 512, strategies);
    int count;

    for (int i = 0; i < node; i++) {
        CU_ASSERT(irr_strategy_forwards(&strategies[i]) && (strategies[i].pacing == &irr_pacing_sync ||
                                                            strategies[i].pacing == &irr_pacing_free));
    }
    count = find_strategies(&settings, IRR_PACING_SYNC, IRR_PACED_DIRECT | IRR_PACED_NODE, 512, strategies);
    CU_ASSERT_EQUAL(count, direct + node);
    CU_ASSERT(irr_strategy_forwards(&strategies[0]) && !irr_strategy_forwards(&strategies[node - 1]));
    CU_ASSERT(strategies[count - 2].pacing == &irr_pacing_free && !irr_strategy_forwards(&strategies[count - 2]));
    CU_ASSERT(strategies[count - 1].pacing == &irr_pacing_free && irr_strategy_forwards(&strategies[count - 1]));
    settings.pacing = IRR_PACING_GRANT;
    CU_ASSERT_EQUAL(find_strategies(&settings, IRR_PACING_GRANT, IRR_PACED_NODE, 512, strategies), 1);
    CU_ASSERT(!irr_strategy_forwards(&strategies[0]) && strategies[0].pacing == &irr_pacing_grant);
}

IRR_TEST(test_many, "many ranks use grants, unless the user asks for signals")
{
    irr_settings_t settings = any_pacing();
    irr_strategy_t strategies[IRR_PACED_STRATEGIES_MAX];
    int count = find_strategies(&settings, IRR_PACING_SYNC, IRR_PACED_DIRECT, 513, strategies);

    CU_ASSERT_EQUAL(count, 3);
    CU_ASSERT_PTR_EQUAL(strategies[0].pacing, &irr_pacing_grant);
    CU_ASSERT(is_alone(&strategies[1]) && is_alone(&strategies[2]));
    CU_ASSERT_EQUAL(find_strategies(&settings, IRR_PACING_SYNC, 0, 513, strategies), 1);
    CU_ASSERT_PTR_EQUAL(strategies[0].pacing, &irr_pacing_grant);
    settings.pacing = IRR_PACING_SYNC;
    CU_ASSERT_EQUAL(find_strategies(&settings, IRR_PACING_SYNC, IRR_PACED_DIRECT, 513, strategies), 3);
    CU_ASSERT_PTR_EQUAL(strategies[1].pacing, &irr_pacing_sync);
}

IRR_TEST_MAIN("candidates", 60)
