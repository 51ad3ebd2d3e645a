/*
 * test_paced.c - strategies with different pacing: which there are, and in which order.
 */
#include "irr_test.h"

#include "choose/paced.h"

static irr_settings_t open_settings(void)
{
    return (irr_settings_t){ .piece_bytes = IRR_BYTES_AUTO, .lead_bytes = IRR_BYTES_AUTO };
}

/* Of aapc with a pace, which the settings may leave open. */
static int find_ways(const irr_settings_t *settings, irr_pacing_t pacing, unsigned routes, int ranks,
                     irr_way_t ways[IRR_PACED_WAYS_MAX])
{
    irr_settings_t wanted = *settings;
    irr_way_t base;

    wanted.algorithm = irr_algorithm_find("aapc");
    wanted.pace = pacing;
    base = irr_way_of(&wanted, 1);
    return irr_paced_ways(settings, &base, routes, ranks, ways);
}

static bool is_alone(const irr_way_t *way)
{
    return !irr_way_is_scheduled(way);
}

static void test_ways(void)
{
    irr_settings_t settings = open_settings();
    irr_way_t ways[IRR_PACED_WAYS_MAX];
    int count = find_ways(&settings, IRR_PACE_SYNC, IRR_PACED_DIRECT, 512, ways);

    CU_ASSERT(count > 2);
    CU_ASSERT_PTR_EQUAL(ways[0].pace, &irr_pace_sync);
    CU_ASSERT_PTR_EQUAL(ways[count - 1].pace, &irr_pace_free);
    for (int i = 0; i < count; i++) {
        CU_ASSERT(ways[i].grants > 0 && ways[i].piece_max != IRR_BYTES_AUTO && ways[i].lead != IRR_BYTES_AUTO);
        CU_ASSERT_EQUAL(is_alone(&ways[i]), ways[i].pace == &irr_pace_loose || ways[i].pace == &irr_pace_free);
        CU_ASSERT(!is_alone(&ways[i]) || ways[i].piece_max == 0);
    }
}

/* One way, that of the settings. */
static void test_no_trial(void)
{
    irr_settings_t settings = open_settings();
    irr_way_t way[IRR_PACED_WAYS_MAX];

    CU_ASSERT_EQUAL(find_ways(&settings, IRR_PACE_LOOSE, 0, 512, way), 1);
    CU_ASSERT_PTR_EQUAL(way[0].pace, &irr_pace_loose);
    CU_ASSERT_EQUAL(way[0].piece_max, 0);
    CU_ASSERT_EQUAL(way[0].lead, IRR_LEAD_DEFAULT);
    CU_ASSERT_EQUAL(way[0].grants, IRR_GRANTS_DEFAULT);
    settings.piece_bytes = 1000;
    settings.lead_bytes = 10;
    settings.grants = 5;
    CU_ASSERT_EQUAL(find_ways(&settings, IRR_PACE_GRANT, 0, 512, way), 1);
    CU_ASSERT_EQUAL(way[0].piece_max, 1000);
    CU_ASSERT_EQUAL(way[0].lead, 10);
    CU_ASSERT_EQUAL(way[0].grants, 5);
}

/* What the user has set is what all ways have, and no two of them are alike. */
static void test_set(void)
{
    irr_way_t ways[IRR_PACED_WAYS_MAX];

    for (int pace = 0; pace < (int)IRR_PACE_COUNT; pace++) {
        for (int bits = 0; bits < 4; bits++) {
            const irr_settings_t settings = {
                .pace = (irr_pacing_t)pace, .grants = 7,
                .piece_bytes = bits & 1 ? 3000 : IRR_BYTES_AUTO, .lead_bytes = bits & 2 ? 0 : IRR_BYTES_AUTO
            };
            irr_pacing_t pacing = pace == IRR_PACE_AUTO ? IRR_PACE_SYNC : (irr_pacing_t)pace;
            int count = find_ways(&settings, pacing, IRR_PACED_DIRECT | IRR_PACED_NODE, 512, ways);

            CU_ASSERT(count >= 1 && count <= IRR_PACED_WAYS_MAX);
            for (int i = 0; i < count; i++) {
                CU_ASSERT(pace == IRR_PACE_AUTO || ways[i].pace == irr_pace_of((irr_pacing_t)pace));
                CU_ASSERT_EQUAL(ways[i].grants, 7);
                CU_ASSERT(!(bits & 1) || ways[i].piece_max == 3000);
                CU_ASSERT(!(bits & 2) || ways[i].lead == 0);
                CU_ASSERT(!is_alone(&ways[i]) || (pace == IRR_PACE_AUTO && !(bits & 1)));
            }
            CU_ASSERT(pace != IRR_PACE_LOOSE || count == 1);
            CU_ASSERT(pace != IRR_PACE_SYNC || bits != 3 || count == 2);   /* one a route */
        }
    }
}

/* Where hosts have several ranks, ways by their route come first, and with what it goes with alone. */
static void test_routes(void)
{
    irr_settings_t settings = open_settings();
    irr_way_t ways[IRR_PACED_WAYS_MAX];
    const int direct = find_ways(&settings, IRR_PACE_SYNC, IRR_PACED_DIRECT, 512, ways);
    const int node = find_ways(&settings, IRR_PACE_SYNC, IRR_PACED_NODE, 512, ways);
    int count;

    for (int i = 0; i < node; i++) {
        CU_ASSERT(irr_way_forwards(&ways[i]) && (ways[i].pace == &irr_pace_sync || ways[i].pace == &irr_pace_free));
    }
    count = find_ways(&settings, IRR_PACE_SYNC, IRR_PACED_DIRECT | IRR_PACED_NODE, 512, ways);
    CU_ASSERT_EQUAL(count, direct + node);
    CU_ASSERT(irr_way_forwards(&ways[0]) && !irr_way_forwards(&ways[node - 1]));
    CU_ASSERT(ways[count - 2].pace == &irr_pace_free && !irr_way_forwards(&ways[count - 2]));
    CU_ASSERT(ways[count - 1].pace == &irr_pace_free && irr_way_forwards(&ways[count - 1]));
    settings.pace = IRR_PACE_GRANT;
    CU_ASSERT_EQUAL(find_ways(&settings, IRR_PACE_GRANT, IRR_PACED_NODE, 512, ways), 1);
    CU_ASSERT(!irr_way_forwards(&ways[0]) && ways[0].pace == &irr_pace_grant);
}

/* Many ranks: grants, unless the user wants signals. */
static void test_many(void)
{
    irr_settings_t settings = open_settings();
    irr_way_t ways[IRR_PACED_WAYS_MAX];
    int count = find_ways(&settings, IRR_PACE_SYNC, IRR_PACED_DIRECT, 513, ways);

    CU_ASSERT_EQUAL(count, 3);
    CU_ASSERT_PTR_EQUAL(ways[0].pace, &irr_pace_grant);
    CU_ASSERT(is_alone(&ways[1]) && is_alone(&ways[2]));
    CU_ASSERT_EQUAL(find_ways(&settings, IRR_PACE_SYNC, 0, 513, ways), 1);
    CU_ASSERT_PTR_EQUAL(ways[0].pace, &irr_pace_grant);
    settings.pace = IRR_PACE_SYNC;
    CU_ASSERT_EQUAL(find_ways(&settings, IRR_PACE_SYNC, IRR_PACED_DIRECT, 513, ways), 3);
    CU_ASSERT_PTR_EQUAL(ways[1].pace, &irr_pace_sync);
}

IRR_TEST_MAIN("paced", 20,
    { "the ways that are tried",              test_ways },
    { "one way where nothing is tried",       test_no_trial },
    { "what is set is not tried",             test_set },
    { "ways by way of the hosts' ranks",      test_routes },
    { "signals for few ranks alone",          test_many })
