/*
 * test_tune.c - which ways are tried, in which turn, which stay, and which is chosen.
 */
#include "irr_test.h"

#include "comm/tune.h"

#include <string.h>

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

/* ---- halvings ---- */

/* Of a way, one for each of its runs. */
typedef uint64_t irr_times_t[IRR_TUNE_RUNS];

/* Runs what comes before the next halving; the nth run of way w takes times[w][n], UINT64_MAX: it ends badly. */
static void run_rounds(irr_tune_t *tune, const irr_times_t *times)
{
    const int from = tune->halvings * IRR_TUNE_ROUNDS;

    for (int i = 0; i < IRR_TUNE_ROUNDS * tune->left; i++) {
        const int way = irr_tune_begin(tune, true);
        const uint64_t ns = times[way][from + i % IRR_TUNE_ROUNDS];

        CU_ASSERT_EQUAL(tune->running, way);
        CU_ASSERT_EQUAL(tune->runs, i + 1);
        if (ns != UINT64_MAX) {
            irr_tune_end(tune, ns);
        }
        CU_ASSERT_EQUAL(irr_tune_due(tune), i + 1 == IRR_TUNE_ROUNDS * tune->left);
    }
}

/* A halving of one rank, which is the slowest one. */
static void halve_alone(irr_tune_t *tune)
{
    uint64_t words[IRR_TUNE_WORDS];

    CU_ASSERT_EQUAL(irr_tune_times(tune, words), (size_t)(tune->left * IRR_TUNE_ROUNDS));
    irr_tune_halve(tune, words);
}

/* A halving where all runs of a way, by its number, take as long. */
static void halve_with(irr_tune_t *tune, const uint64_t *ns)
{
    uint64_t words[IRR_TUNE_WORDS];

    for (int i = 0; i < tune->left * IRR_TUNE_ROUNDS; i++) {
        words[i] = ns[tune->in[i / IRR_TUNE_ROUNDS]];
    }
    irr_tune_halve(tune, words);
}

/* A trial on one rank: the way that is chosen. */
static int winner(int ways, const irr_times_t *times)
{
    irr_tune_t tune;

    irr_tune_init(&tune, ways, 0);
    while (tune.chosen < 0) {
        run_rounds(&tune, times);
        halve_alone(&tune);
    }
    return tune.chosen;
}

/* All ways that are in, in the order of the table, each some times; which stay is what the words say. */
static void test_turns(void)
{
    static const struct {
        int ways;
        uint64_t words[5];
        int trial;          /* exchanges before one is chosen */
        const char *turns;
    } rows[] = {
        { 1, { 5 },             0,  "000" },
        { 2, { 5, 4 },          4,  "0011" "111" },
        { 3, { 7, 5, 6 },       10, "001122" "1122" "111" },
        { 4, { 1, 9, 8, 2 },    12, "00112233" "0033" "000" },
        { 5, { 9, 3, 7, 5, 1 }, 20, "0011223344" "113344" "1144" "444" }
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        irr_tune_t tune;

        irr_tune_init(&tune, rows[i].ways, 0);
        for (int k = 0; rows[i].turns[k] != '\0'; k++) {
            const int way = rows[i].turns[k] - '0';

            if (irr_tune_due(&tune)) {
                halve_with(&tune, rows[i].words);
            }
            CU_ASSERT_EQUAL(irr_tune_begin(&tune, true), way);
            CU_ASSERT_EQUAL(tune.running, way);
            CU_ASSERT_EQUAL(tune.chosen, k >= rows[i].trial ? way : -1);
        }
    }
}

/* With any number of ways and any words one way is left in time, none better than it, and no way comes back. */
static void test_halves(void)
{
    uint64_t state = irr_test_seed();

    for (int i = 0; i < 300; i++) {
        const int ways = 1 + i % IRR_PACED_WAYS_MAX;
        uint64_t words[IRR_PACED_WAYS_MAX];
        irr_tune_t tune;

        irr_tune_init(&tune, ways, 0);
        for (int w = 0; w < ways; w++) {
            words[w] = irr_test_below(&state, 6) - 1;   /* with ties, and with ways that have failed */
        }
        while (tune.chosen < 0) {
            const irr_tune_t before = tune;

            halve_with(&tune, words);
            CU_ASSERT_EQUAL(tune.left, (before.left + 1) / 2);
            for (int w = 0; w < IRR_PACED_WAYS_MAX; w++) {
                CU_ASSERT(!irr_tune_has(&tune, w) || irr_tune_has(&before, w));
            }
        }
        CU_ASSERT(tune.halvings <= IRR_TUNE_HALVINGS && tune.left == 1 && irr_tune_has(&tune, tune.chosen));
        for (int w = 0; w < ways; w++) {
            CU_ASSERT(words[w] > words[tune.chosen] || (words[w] == words[tune.chosen] && w >= tune.chosen));
        }
    }
}

/* Those that stay are a table still. */
static void test_ties(void)
{
    irr_tune_t tune;

    irr_tune_init(&tune, 5, 0);
    halve_with(&tune, (uint64_t[]){ 8, 8, 9, 8, 8 });
    CU_ASSERT(irr_tune_has(&tune, 0) && irr_tune_has(&tune, 1) && irr_tune_has(&tune, 3));
    CU_ASSERT(!irr_tune_has(&tune, 2) && !irr_tune_has(&tune, 4) && !irr_tune_has(&tune, 5));
    halve_with(&tune, (uint64_t[]){ 9, 9, 1, 7, 1 });
    CU_ASSERT(irr_tune_has(&tune, 0) && irr_tune_has(&tune, 3) && tune.left == 2);
    halve_with(&tune, (uint64_t[]){ 1, 1, 1, 8, 1 });
    CU_ASSERT_EQUAL(tune.chosen, 0);
    irr_tune_init(&tune, 2, 0);
    halve_with(&tune, (uint64_t[]){ UINT64_MAX, UINT64_MAX });
    CU_ASSERT_EQUAL(tune.chosen, 0);
}

/* ---- middles ---- */

/* With any times half of them are on each side, the lower one counts of two, and all so far are among them. */
static void test_middle(void)
{
    uint64_t state = irr_test_seed();

    for (int i = 0; i < 200; i++) {
        irr_times_t times[IRR_PACED_WAYS_MAX];
        irr_tune_t tune;

        for (int k = 0; k < IRR_PACED_WAYS_MAX * IRR_TUNE_RUNS; k++) {
            times[k / IRR_TUNE_RUNS][k % IRR_TUNE_RUNS] = irr_test_below(&state, 6) - 1;
        }
        irr_tune_init(&tune, IRR_PACED_WAYS_MAX, 0);
        while (tune.chosen < 0) {
            const irr_tune_t before = tune;

            run_rounds(&tune, times);
            halve_alone(&tune);
            for (int w = 0; w < before.left; w++) {
                const int way = before.in[w], count = tune.halvings * IRR_TUNE_ROUNDS;
                const uint64_t middle = irr_tune_middle(&tune, way);
                int below = 0, above = 0;

                for (int k = 0; k < count; k++) {
                    below += times[way][k] < middle;
                    above += times[way][k] > middle;
                }
                CU_ASSERT(below <= (count - 1) / 2 && above <= count / 2);
            }
        }
    }
}

/* Of two times the shorter, of four the second. */
static void test_even(void)
{
    static const irr_times_t times[] = { { 30, 10, 40, 20 }, { 7, 8, 1, 9 }, { 50, 60 } };
    irr_tune_t tune;

    irr_tune_init(&tune, 3, 0);
    run_rounds(&tune, times);
    halve_alone(&tune);
    CU_ASSERT_EQUAL(irr_tune_middle(&tune, 0), 10);
    CU_ASSERT_EQUAL(irr_tune_middle(&tune, 1), 7);
    CU_ASSERT_EQUAL(irr_tune_middle(&tune, 2), 50);
    run_rounds(&tune, times);
    halve_alone(&tune);
    CU_ASSERT(irr_tune_middle(&tune, 0) == 20 && irr_tune_middle(&tune, 1) == 7);
    CU_ASSERT_EQUAL(irr_tune_begin(&tune, true), 1);
    irr_tune_end(&tune, 1000);   /* what comes after the trial does not count */
    CU_ASSERT_EQUAL(memcmp(tune.times[1], times[1], 4 * sizeof(**times)), 0);
    CU_ASSERT_EQUAL(tune.times[1][4], UINT64_MAX);
}

/*
 * A way that keeps another rank waiting in each run is slow, though each rank has it fast in one of two: what counts is
 * how long runs take, not ranks.
 */
static void test_slowest(void)
{
    const uint64_t words[] = { 10, 10, 40, 40 };   /* of way 1 one rank has 5 and 40, the other one 40 and 5 */
    irr_tune_t tune;

    irr_tune_init(&tune, 2, 0);
    irr_tune_begin(&tune, true);
    irr_tune_end(&tune, 10);
    irr_tune_begin(&tune, true);
    irr_tune_end(&tune, 5);
    irr_tune_halve(&tune, words);
    CU_ASSERT_EQUAL(tune.chosen, 0);
    CU_ASSERT_EQUAL(irr_tune_middle(&tune, 1), 40);
}

/* ---- noise ---- */

/*
 * The middle of three times would choose wrongly in both trials.  In the first the best way is disturbed in its
 * second and third run; in the second another one is lucky in two of its first three, and found out later.
 */
static void test_noise(void)
{
    static const irr_times_t disturbed[] = {
        { 13, 12, 14, 13, 13, 12 }, { 10, 90, 80, 10, 10, 11 }, { 12, 13, 12, 13, 14, 12 },
        { 20, 21, 20, 21, 20, 21 }, { 400, 11, 300, 400, 11, 400 }
    };
    static const irr_times_t lucky[] = {
        { 8, 8, 15, 15, 16, 15 }, { 11, 10, 10, 11, 10, 10 }, { 12, 13, 12, 13, 14, 12 },
        { 20, 21, 20, 21, 20, 21 }, { 400, 11, 300, 400, 11, 400 }
    };

    CU_ASSERT_EQUAL(winner(5, disturbed), 1);
    CU_ASSERT_EQUAL(winner(5, lucky), 1);
}

/* A way that never ends well is worse than all; one that does so now and then has the times that it has. */
static void test_failed(void)
{
    const uint64_t bad = UINT64_MAX;
    const irr_times_t never[] = { { bad, bad, bad, bad }, { 90, 90, 90, 90 }, { 95, 95, 95, 95 } };
    const irr_times_t once[] = { { 5, bad, bad, bad }, { 90, bad, 90, 90 }, { bad, 95, 95, 95 } };
    const irr_times_t all[] = { { bad, bad }, { bad, bad } };

    CU_ASSERT_EQUAL(winner(3, never), 1);
    CU_ASSERT_EQUAL(winner(3, once), 1);
    CU_ASSERT_EQUAL(winner(2, all), 0);
}

int main(void)
{
    static const irr_test_case_t cases[] = {
        { "the ways that are tried",              test_ways },
        { "one way where nothing is tried",       test_no_trial },
        { "what is set is not tried",             test_set },
        { "ways by way of the hosts' ranks",      test_routes },
        { "signals for few ranks alone",          test_many },
        { "each way that is in has its turn",     test_turns },
        { "the better half stays",                test_halves },
        { "of ways as good the first stays",      test_ties },
        { "the middle of its times is a way's",   test_middle },
        { "of two in the middle the lower one",   test_even },
        { "what the slowest rank takes counts",   test_slowest },
        { "noise in a few runs is seen through",  test_noise },
        { "a way that fails is not chosen",       test_failed },
        { NULL, NULL }
    };

    return irr_test_main("tune", cases, 20);
}
