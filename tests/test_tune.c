/*
 * test_tune.c - which ways are tried, in which turn, and which is chosen.
 */
#include "irr_test.h"

#include "comm/tune.h"

static irr_settings_t open_settings(void)
{
    return (irr_settings_t){ .piece_bytes = IRR_BYTES_AUTO, .lead_bytes = IRR_BYTES_AUTO };
}

static void test_ways(void)
{
    irr_settings_t settings = open_settings();
    irr_tune_way_t ways[IRR_TUNE_WAYS_MAX];
    int count = irr_tune_ways(&settings, IRR_PACE_SYNC, true, 512, ways);

    CU_ASSERT(count > 2);
    CU_ASSERT_PTR_EQUAL(ways[0].pace, &irr_pace_sync);
    CU_ASSERT_PTR_EQUAL(ways[count - 1].pace, &irr_pace_free);
    for (int i = 0; i < count; i++) {
        CU_ASSERT(ways[i].grants > 0 && ways[i].piece_max != IRR_BYTES_AUTO && ways[i].lead != IRR_BYTES_AUTO);
    }
}

/* One way, that of the settings. */
static void test_no_trial(void)
{
    irr_settings_t settings = open_settings();
    irr_tune_way_t way[IRR_TUNE_WAYS_MAX];

    CU_ASSERT_EQUAL(irr_tune_ways(&settings, IRR_PACE_LOOSE, false, 512, way), 1);
    CU_ASSERT_PTR_EQUAL(way[0].pace, &irr_pace_loose);
    CU_ASSERT_EQUAL(way[0].piece_max, 0);
    CU_ASSERT_EQUAL(way[0].lead, IRR_LEAD_DEFAULT);
    CU_ASSERT_EQUAL(way[0].grants, IRR_GRANTS_DEFAULT);
    settings.piece_bytes = 1000;
    settings.lead_bytes = 10;
    settings.grants = 5;
    CU_ASSERT_EQUAL(irr_tune_ways(&settings, IRR_PACE_GRANT, false, 512, way), 1);
    CU_ASSERT_EQUAL(way[0].piece_max, 1000);
    CU_ASSERT_EQUAL(way[0].lead, 10);
    CU_ASSERT_EQUAL(way[0].grants, 5);
}

/* What the user has set is what all ways have, and no two of them are alike. */
static void test_set(void)
{
    irr_tune_way_t ways[IRR_TUNE_WAYS_MAX];

    for (int pace = 0; pace < (int)IRR_PACE_COUNT; pace++) {
        for (int bits = 0; bits < 4; bits++) {
            const irr_settings_t settings = {
                .pace = (irr_pacing_t)pace, .grants = 7,
                .piece_bytes = bits & 1 ? 3000 : IRR_BYTES_AUTO, .lead_bytes = bits & 2 ? 0 : IRR_BYTES_AUTO
            };
            irr_pacing_t pacing = pace == IRR_PACE_AUTO ? IRR_PACE_SYNC : (irr_pacing_t)pace;
            int count = irr_tune_ways(&settings, pacing, true, 512, ways);

            CU_ASSERT(count >= 1 && count <= IRR_TUNE_WAYS_MAX);
            for (int i = 0; i < count; i++) {
                CU_ASSERT(pace == IRR_PACE_AUTO || ways[i].pace == irr_pace_of((irr_pacing_t)pace));
                CU_ASSERT(!(bits & 1) || (ways[i].piece_max == 3000 && ways[i].grants == 7));
                CU_ASSERT(!(bits & 2) || ways[i].lead == 0);
            }
            CU_ASSERT(pace != IRR_PACE_LOOSE || count == 1);
            CU_ASSERT(pace != IRR_PACE_SYNC || bits != 3 || count == 1);
        }
    }
}

/* Many ranks: grants, unless the user wants signals. */
static void test_many(void)
{
    irr_settings_t settings = open_settings();
    irr_tune_way_t ways[IRR_TUNE_WAYS_MAX];
    int count = irr_tune_ways(&settings, IRR_PACE_SYNC, true, 513, ways);

    CU_ASSERT_EQUAL(count, 2);
    CU_ASSERT_PTR_EQUAL(ways[0].pace, &irr_pace_grant);
    CU_ASSERT_EQUAL(irr_tune_ways(&settings, IRR_PACE_SYNC, false, 513, ways), 1);
    CU_ASSERT_PTR_EQUAL(ways[0].pace, &irr_pace_grant);
    settings.pace = IRR_PACE_SYNC;
    CU_ASSERT_EQUAL(irr_tune_ways(&settings, IRR_PACE_SYNC, true, 513, ways), 3);
    CU_ASSERT_PTR_EQUAL(ways[1].pace, &irr_pace_sync);
}

static void test_turns(void)
{
    uint64_t times[IRR_TUNE_WAYS_MAX];
    irr_tune_t tune;

    irr_tune_init(&tune, 3);
    for (int i = 0; i < 3 * IRR_TUNE_ROUNDS; i++) {
        CU_ASSERT_FALSE(irr_tune_due(&tune));
        CU_ASSERT_EQUAL(irr_tune_begin(&tune), i % 3);
        CU_ASSERT_EQUAL(tune.running, i % 3);
        irr_tune_end(&tune, (uint64_t)(100 + i));
    }
    CU_ASSERT_TRUE(irr_tune_due(&tune));
    irr_tune_middle(&tune, times);
    for (int i = 0; i < IRR_TUNE_WAYS_MAX; i++) {
        CU_ASSERT_EQUAL(times[i], i < 3 ? (uint64_t)(100 + i + 3 * (IRR_TUNE_ROUNDS / 2)) : UINT64_MAX);
    }
    irr_tune_choose(&tune, (uint64_t[]){ 7, 5, 5 });
    CU_ASSERT_FALSE(irr_tune_due(&tune));
    for (int i = 0; i < 5; i++) {
        CU_ASSERT_EQUAL(irr_tune_begin(&tune), 1);
        irr_tune_end(&tune, 1);   /* what comes after the trial does not count */
    }
    irr_tune_middle(&tune, times);
    CU_ASSERT_EQUAL(times[1], (uint64_t)(101 + 3 * (IRR_TUNE_ROUNDS / 2)));
}

/* A trial of two ways; each row of times is a round.  Which way is chosen? */
static int winner(uint64_t times[IRR_TUNE_ROUNDS][2])
{
    uint64_t middle[IRR_TUNE_WAYS_MAX];
    irr_tune_t tune;

    irr_tune_init(&tune, 2);
    for (int i = 0; i < 2 * IRR_TUNE_ROUNDS; i++) {
        irr_tune_end(&tune, times[i / 2][irr_tune_begin(&tune)]);
    }
    irr_tune_middle(&tune, middle);
    for (int way = 0; way < 2; way++) {
        int below = 0, above = 0;

        for (int i = 0; i < IRR_TUNE_ROUNDS; i++) {
            below += times[i][way] < middle[way];
            above += times[i][way] > middle[way];
        }
        CU_ASSERT(below <= IRR_TUNE_ROUNDS / 2 && above <= IRR_TUNE_ROUNDS / 2);
    }
    irr_tune_choose(&tune, middle);
    return tune.chosen;
}

/* Neither one lucky run of a way nor one unlucky one counts; with any times the middle has half on each side. */
static void test_middle(void)
{
    uint64_t state = irr_test_seed();

    CU_ASSERT_EQUAL(winner((uint64_t[][2]){ { 10, 1 }, { 11, 99 }, { 12, 99 } }), 0);
    CU_ASSERT_EQUAL(winner((uint64_t[][2]){ { 10, 9 }, { 99, 9 }, { 10, 99 } }), 1);
    CU_ASSERT_EQUAL(winner((uint64_t[][2]){ { 7, 5 }, { 5, 7 }, { 6, 6 } }), 0);
    for (int i = 0; i < 200; i++) {
        uint64_t times[IRR_TUNE_ROUNDS][2];

        for (int k = 0; k < 2 * IRR_TUNE_ROUNDS; k++) {
            times[k / 2][k % 2] = irr_test_below(&state, 4);
        }
        (void)winner(times);
    }
}

/* A way that never ended well is worse than all. */
static void test_failed(void)
{
    uint64_t times[IRR_TUNE_WAYS_MAX];
    irr_tune_t tune;

    irr_tune_init(&tune, 2);
    for (int i = 0; i < 2 * IRR_TUNE_ROUNDS; i++) {
        if (irr_tune_begin(&tune) == 1) {
            irr_tune_end(&tune, 9);
        }
    }
    irr_tune_middle(&tune, times);
    CU_ASSERT_EQUAL(times[0], UINT64_MAX);
    irr_tune_choose(&tune, times);
    CU_ASSERT_EQUAL(tune.chosen, 1);
    irr_tune_init(&tune, 1);
    CU_ASSERT_EQUAL(irr_tune_begin(&tune), 0);
    CU_ASSERT_FALSE(irr_tune_due(&tune));
}

int main(void)
{
    static const irr_test_case_t cases[] = {
        { "the ways that are tried",              test_ways },
        { "one way where nothing is tried",       test_no_trial },
        { "what is set is not tried",             test_set },
        { "signals for few ranks alone",          test_many },
        { "each way in turn, then the fastest",   test_turns },
        { "the middle of its times is a way's",   test_middle },
        { "a way that fails is not chosen",       test_failed },
        { NULL, NULL }
    };

    return irr_test_main("tune", cases, 20);
}
