/*
 * test_paced.c - the list of strategies with different pacings, and its order.
 */
#include "irr_test.h"

#include "choose/paced.h"

static irr_settings_t open_settings(void)
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

static void test_strategies(void)
{
    irr_settings_t settings = open_settings();
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

/* Without a trial there is one strategy, the strategy of the settings. */
static void test_no_trial(void)
{
    irr_settings_t settings = open_settings();
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

/* All strategies have the settings of the user, and no two strategies are alike. */
static void test_set(void)
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
static void test_routes(void)
{
    irr_settings_t settings = open_settings();
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

/* Many ranks use grants, unless the user asks for signals. */
static void test_many(void)
{
    irr_settings_t settings = open_settings();
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

IRR_TEST_MAIN("paced", 20,
    { "the strategies that are tried",              test_strategies },
    { "one strategy if nothing is tried",           test_no_trial },
    { "settings of the user are not tried",         test_set },
    { "strategies that the ranks of hosts forward", test_routes },
    { "signals for few ranks only",                 test_many })
