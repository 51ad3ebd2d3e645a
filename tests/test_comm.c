/*
 * test_comm.c - how ranks agree on a communicator: all the same, whatever goes wrong on one of them.
 */
#include "irr_memory.h"
#include "irr_test.h"
#include "irr_world.h"

#include "exec/tag.h"

#include <string.h>

#define EAGER_MAX 100

/* ---- the crew itself ---- */

static void wait_for_nothing(int rank, void *context)
{
    (void)context;
    while (rank == 1 && irr_crew_yield()) {
    }
}

static void call_differently(int rank, void *context)
{
    irr_oob_t oob = irr_crew_oob(context);
    uint64_t in = 1, out[2];

    if (rank == 0) {
        oob.allgather(oob.context, &in, out, sizeof(in));
    } else {
        oob.allreduce_max(oob.context, &in, 1);
    }
}

static void reduce_and_gather(int rank, void *context)
{
    irr_oob_t oob = irr_crew_oob(context);
    uint64_t values[2] = { (uint64_t)rank, 10 - (uint64_t)rank }, all[6];

    CU_ASSERT_EQUAL(oob.allgather(oob.context, values, all, sizeof(values)), IRR_OK);
    CU_ASSERT_EQUAL(oob.allreduce_max(oob.context, values, 2), IRR_OK);
    CU_ASSERT(values[0] == 2 && values[1] == 10);
    for (uint64_t i = 0; i < 3; i++) {
        CU_ASSERT(all[2 * i] == i && all[2 * i + 1] == 10 - i);
    }
}

/* What the other cases trust: the collectives are right, and a hang or a mismatch is seen. */
static void test_crew(void)
{
    irr_crew_group_t group;

    irr_crew_group_all(&group, 3);
    CU_ASSERT_TRUE(irr_crew_run(3, reduce_and_gather, &group));
    CU_ASSERT_FALSE(group.misused);
    CU_ASSERT_FALSE(irr_crew_run(2, wait_for_nothing, NULL));
    irr_crew_group_all(&group, 2);
    CU_ASSERT_FALSE(irr_crew_run(2, call_differently, &group));
    CU_ASSERT_TRUE(group.misused);
}

/* ---- set-up ---- */

static void test_create(void)
{
    for (int ranks = 1; ranks <= IRR_CREW_MAX; ranks++) {
        irr_world_t world;
        irr_team_t team;

        irr_world_open(&world, ranks, 0, EAGER_MAX);
        irr_team_open(&team, &world, NULL);
        CU_ASSERT_EQUAL(team.group.gathers, ranks > 1 ? 1 : 0);
        CU_ASSERT_EQUAL(team.group.reduces, ranks > 1 ? 4 : 3);
        CU_ASSERT_EQUAL(irr_world_ids(&world), ranks);
        irr_team_destroy(&team);
        CU_ASSERT_EQUAL(irr_world_ids(&world), 0);
        CU_ASSERT_TRUE(irr_world_close(&world));
    }
}

static size_t count_connects(const irr_world_t *world)
{
    size_t connects = 0;

    for (int r = 0; r < world->ranks; r++) {
        connects += world->spies[r]->connects;
    }
    return connects;
}

/* Each pair of processes connects once, whatever communicators they share. */
static void test_addresses_once(void)
{
    static const struct {
        int    first, step;
        size_t gathers, reduces, connects;
    } rows[] = {
        { 0, 2,  1, 4, 6 },    /* 0, 2, 4 */
        { 0, 2,  0, 3, 6 },    /* once more */
        { 0, 1,  1, 5, 20 },   /* all, who propose different ids first */
        { 4, -1, 0, 3, 20 },   /* all, in reverse */
        { 1, 2,  0, 3, 20 }    /* 1, 3 */
    };
    enum { ROWS = IRR_TEST_COUNT(rows) };
    irr_team_t teams[ROWS];
    irr_world_t world;

    irr_world_open(&world, 5, 0, EAGER_MAX);
    for (int i = 0; i < ROWS; i++) {
        irr_team_init(&teams[i], &world, rows[i].first, rows[i].step);
        CU_ASSERT_EQUAL(irr_team_create(&teams[i]), IRR_OK);
        CU_ASSERT_EQUAL(teams[i].group.gathers, rows[i].gathers);
        CU_ASSERT_EQUAL(teams[i].group.reduces, rows[i].reduces);
        CU_ASSERT_EQUAL(count_connects(&world), rows[i].connects);
    }
    for (int i = 0; i < ROWS; i++) {
        irr_team_destroy(&teams[i]);
    }
    CU_ASSERT_TRUE(irr_world_close(&world));
}

/* ---- ids ---- */

/* The id of a communicator; IRR_IDS_NONE if its members do not have the same. */
static uint32_t id_of(const irr_team_t *team)
{
    for (int i = 1; i < team->group.ranks; i++) {
        if (team->comms[i]->id != team->comms[0]->id) {
            return IRR_IDS_NONE;
        }
    }
    return team->comms[0]->id;
}

/* Communicators that share a process have different ids, also when processes have used different ones. */
static void test_ids(void)
{
    uint64_t state = irr_test_seed();
    irr_team_t teams[12];
    irr_world_t world;

    irr_world_open(&world, 6, 0, EAGER_MAX);
    for (int r = 0; r < 6; r++) {
        for (int i = 0; i < 200; i++) {
            irr_ids_take(&world.engines[r]->ids, (uint32_t)irr_test_below(&state, 400));
        }
    }
    for (int i = 0; i < 12; i++) {
        irr_team_init(&teams[i], &world, i % 3, 1 + i % 4);
        CU_ASSERT_EQUAL(irr_team_create(&teams[i]), IRR_OK);
        CU_ASSERT(id_of(&teams[i]) < IRR_IDS_COUNT);
        for (int k = 0; k < i; k++) {
            bool shared = false;

            for (int m = 0; m < teams[i].group.ranks; m++) {
                for (int n = 0; n < teams[k].group.ranks; n++) {
                    shared = shared || teams[i].group.members[m] == teams[k].group.members[n];
                }
            }
            CU_ASSERT(!shared || id_of(&teams[i]) != id_of(&teams[k]));
        }
    }
    for (int i = 0; i < 12; i++) {
        irr_team_destroy(&teams[i]);
    }
    CU_ASSERT_TRUE(irr_world_close(&world));
}

static void take_all_but(irr_world_t *world, int rank, uint32_t id)
{
    memset(world->engines[rank]->ids.used, 0xff, sizeof(world->engines[rank]->ids.used));
    irr_ids_give(&world->engines[rank]->ids, id);
}

static void test_last_id(void)
{
    irr_team_t team, another;
    irr_world_t world;

    irr_world_open(&world, 3, 0, EAGER_MAX);
    for (int r = 0; r < 3; r++) {
        take_all_but(&world, r, 12345);
        world.engines[r]->ids.next = r == 1 ? 12346 : 0;
    }
    irr_team_init(&team, &world, 0, 1);
    irr_team_init(&another, &world, 0, 1);
    for (int cycle = 0; cycle < 3; cycle++) {
        CU_ASSERT_EQUAL(irr_team_create(&team), IRR_OK);
        CU_ASSERT_EQUAL(id_of(&team), 12345);
        irr_world_start_log();
        CU_ASSERT_EQUAL(irr_team_create(&another), IRR_ERR_NOT_SUPPORTED);
        irr_world_end_log(1, "none of the 65536 communicator ids is free at all ranks of a communicator");
        irr_team_destroy(&team);
    }
    CU_ASSERT_EQUAL(irr_world_ids(&world), 3 * 65535);
    irr_world_close(&world);
}

/* Every process has a free id, but no two have the same. */
static void test_no_common_id(void)
{
    irr_team_t team;
    irr_world_t world;

    irr_world_open(&world, 3, 0, EAGER_MAX);
    for (int r = 0; r < 3; r++) {
        take_all_but(&world, r, 100 * (uint32_t)r);
    }
    irr_team_init(&team, &world, 0, 1);
    CU_ASSERT_EQUAL(irr_team_create(&team), IRR_ERR_NOT_SUPPORTED);
    CU_ASSERT_EQUAL(irr_world_ids(&world), 3 * 65535);
    for (int r = 0; r < 3; r++) {
        irr_ids_give(&world.engines[r]->ids, 50);
    }
    CU_ASSERT_EQUAL(irr_team_create(&team), IRR_OK);
    CU_ASSERT_EQUAL(id_of(&team), 50);
    irr_team_destroy(&team);
    irr_world_close(&world);
}

/* An id that was given back is not the next one. */
static void test_id_rests(void)
{
    irr_team_t team;
    irr_world_t world;
    uint32_t last = IRR_IDS_NONE;

    irr_world_open(&world, 2, 0, EAGER_MAX);
    irr_team_init(&team, &world, 0, 1);
    for (int i = 0; i < 20; i++) {
        CU_ASSERT_EQUAL(irr_team_create(&team), IRR_OK);
        CU_ASSERT_NOT_EQUAL(id_of(&team), last);
        last = id_of(&team);
        irr_team_destroy(&team);
    }
    CU_ASSERT_TRUE(irr_world_close(&world));
}

/* ---- trouble ---- */

/* Can the members still agree, after something went wrong on some of them? */
static void expect_recovery(irr_team_t *team)
{
    for (int i = 0; i < team->group.ranks; i++) {
        team->params[i].trouble = IRR_OK;
        team->params[i].settings = team->params[0].settings;
    }
    CU_ASSERT_EQUAL(irr_world_ids(team->world), 0);
    CU_ASSERT_EQUAL(irr_team_create(team), IRR_OK);
    irr_team_destroy(team);
    CU_ASSERT_TRUE(irr_world_close(team->world));
}

static void test_trouble(void)
{
    for (int rank = 0; rank < 4; rank++) {
        irr_team_t team;
        irr_world_t world;

        irr_world_open(&world, 4, 0, EAGER_MAX);
        irr_team_init(&team, &world, 0, 1);
        team.params[rank].trouble = IRR_ERR_TRANSPORT;
        team.params[rank].reason = "no network here";
        irr_world_start_log();
        CU_ASSERT_EQUAL(irr_team_create(&team), IRR_ERR_NOT_SUPPORTED);
        irr_world_end_log(1, "no network here");
        CU_ASSERT_EQUAL(team.group.reduces, 2);
        expect_recovery(&team);
    }
}

static void test_trouble_of_several(void)
{
    irr_team_t team;
    irr_world_t world;

    irr_world_open(&world, 5, 0, EAGER_MAX);
    irr_team_init(&team, &world, 4, -1);
    for (int i = 1; i < 5; i++) {
        team.params[i].trouble = IRR_ERR_NO_MEMORY;
        team.params[i].reason = i == 1 ? "the lowest" : "another";
    }
    irr_world_start_log();
    CU_ASSERT_EQUAL(irr_team_create(&team), IRR_ERR_NOT_SUPPORTED);
    irr_world_end_log(1, "the lowest");
    expect_recovery(&team);
}

static void test_settings(void)
{
    enum { DIFFERENCES = 26 };
    const irr_settings_t common = {
        .algorithm = 1, .compose = IRR_COMPOSE_AUTO, .window_messages = 4, .window_bytes = 1000,
        .dims = { 2, { 4, 4 } }, .slice_min = 64, .overlap = IRR_OVERLAP_DUAL
    };
    static const char *const logged[DIFFERENCES] = {
        "x_algorithm is natural on rank 0 of a communicator and direct on rank 1",
        "compose is auto on rank 0 of a communicator and split on rank 1",
        "window_messages is 4 on rank 0 of a communicator and 5 on rank 2", "window_bytes",
        "window_messages", "dims is not the same on rank 2 of a communicator as on rank 0", "dims", "slice_min",
        "overlap", "pacing", "grants", "seed", "lambda", "lambda", "latency_bytes", "max_steps", "xor_shift",
        "redistribution", "redistribution", "piece_bytes", "matrix_max_bytes", "cache_bytes", "lead_bytes",
        "host_route", "schedule_ms", "direct_bytes"
    };
    irr_settings_t others[DIFFERENCES];
    char beginning[128];

    for (int i = 0; i < DIFFERENCES; i++) {
        others[i] = common;
    }
    others[0].algorithm = 2;
    others[1].compose = IRR_COMPOSE_SPLIT;
    others[2].window_messages = 5;
    others[3].window_bytes = 0;
    others[4].window_messages = 1000;
    others[4].window_bytes = 4;
    others[5].dims = (irr_dims_t){ 3, { 4, 4 } };
    others[6].dims = (irr_dims_t){ 2, { 2, 8 } };
    others[7].slice_min = 65;
    others[8].overlap = IRR_OVERLAP_SINGLE;
    others[9].pacing = IRR_PACING_GRANT;
    others[10].grants = 3;
    others[11].scheduled.seed = 1; others[12].scheduled.lambda.rule = IRR_LAMBDA_FIXED;
    others[13].scheduled.lambda.share = 1; others[14].scheduled.latency = 1;
    others[15].scheduled.max_steps = 1; others[16].scheduled.shift = true;
    others[17].scheduled.redistribution.x = 1; others[18].scheduled.redistribution.q = 1;
    others[19].piece_bytes = 1; others[20].matrix_max_bytes = 1;
    others[21].cache_bytes = 1; others[22].lead_bytes = 1;
    others[23].host_route = IRR_HOST_ROUTE_NODE; others[24].schedule_ms = 1;
    others[25].direct_bytes = 1;
    for (size_t i = 0; i < DIFFERENCES; i++) {
        irr_team_t team;
        irr_world_t world;

        irr_world_open(&world, 3, 0, EAGER_MAX);
        irr_team_init(&team, &world, 0, 1);
        for (size_t r = 0; r < 3; r++) {
            team.params[r].settings = r == i % 3 ? others[i] : common;
            team.params[r].parameter = "x_algorithm";
        }
        irr_world_start_log();
        CU_ASSERT_EQUAL(irr_team_create(&team), IRR_ERR_NOT_SUPPORTED);
        snprintf(beginning, sizeof(beginning), "%s", logged[i]);
        irr_world_log.last[strlen(beginning)] = '\0';
        irr_world_end_log(1, beginning);
        expect_recovery(&team);
    }
}

/* What no rank can do, all of them decline. */
static void test_not_served(void)
{
    irr_team_t team;
    irr_world_t world;

    irr_world_open(&world, 3, 0, EAGER_MAX);
    irr_team_init(&team, &world, 0, 1);
    team.params[1].settings.algorithm = 1000;
    CU_ASSERT_EQUAL(irr_team_create(&team), IRR_ERR_NOT_SUPPORTED);
    for (int r = 0; r < 3; r++) {
        team.params[r].settings.algorithm = 0;
        team.params[r].ranks = IRR_CHANNEL_RANKS_MAX + 1;
    }
    CU_ASSERT_EQUAL(irr_team_create(&team), IRR_ERR_NOT_SUPPORTED);
    for (int r = 0; r < 3; r++) {
        team.params[r].ranks = 3;
    }
    expect_recovery(&team);
}

/* ---- what fails on the way ---- */

static void test_oob_fails(void)
{
    irr_status_t status = IRR_ERR_OOB;
    size_t nth = 0;

    while (status != IRR_OK && nth < 10) {
        irr_team_t team;
        irr_world_t world;

        irr_memory_begin();
        irr_world_open(&world, 3, 0, EAGER_MAX);
        irr_team_init(&team, &world, 0, 1);
        team.group.fail_call = ++nth;
        status = irr_team_create(&team);
        CU_ASSERT_EQUAL(status, nth <= 5 ? IRR_ERR_OOB : IRR_OK);
        irr_team_destroy(&team);
        team.group.fail_call = 0;
        expect_recovery(&team);
        CU_ASSERT_EQUAL(irr_memory_end(), 0);
    }
    CU_ASSERT_EQUAL(nth, 6);
}

static int victim;

static bool victim_runs(void)
{
    return irr_crew_self() == victim;
}

/* One allocation fails on one rank: all ranks decline alike, nothing is lost, and the next try succeeds. */
static bool survives_failure(const irr_settings_t *settings, size_t nth)
{
    irr_team_t team;
    irr_world_t world;
    bool failed;

    irr_memory_begin();
    irr_world_open(&world, 3, 0, EAGER_MAX);
    irr_team_init(&team, &world, 0, 1);
    for (int r = 0; r < 3; r++) {
        team.params[r].settings = *settings;
    }
    irr_memory_fail(nth, victim_runs);
    CU_ASSERT_EQUAL(irr_team_create(&team), irr_memory_failed() ? IRR_ERR_NOT_SUPPORTED : IRR_OK);
    failed = irr_memory_failed();
    irr_memory_fail(0, NULL);
    irr_team_destroy(&team);
    expect_recovery(&team);
    CU_ASSERT_EQUAL(irr_memory_end(), 0);
    return failed;
}

static void test_no_memory(void)
{
    const irr_settings_t rows[] = {
        { .algorithm = 0 },
        { .algorithm = irr_algorithm_find("direct"), .pacing = IRR_PACING_GRANT },
        { .algorithm = irr_algorithm_find("balanced-grid"), .overlap = IRR_OVERLAP_BLOCKING },
        { .algorithm = irr_algorithm_find("hybrid") },
        { .algorithm = irr_algorithm_find("optimal") }
    };

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        for (victim = 0; victim < 3; victim++) {
            size_t nth = 1;

            while (nth < 200 && survives_failure(&rows[i], nth)) {
                nth++;
            }
            CU_ASSERT(nth > 9 && nth < 200);
        }
    }
}

IRR_TEST_MAIN("comm", 60,
    { "the crew sees hangs and mismatches",                 test_crew },
    { "created and destroyed with 1 to 18 ranks",           test_create },
    { "addresses are exchanged once",                       test_addresses_once },
    { "ids are equal on all members, and differ",           test_ids },
    { "the last id, used again and again",                  test_last_id },
    { "no id that all have free",                           test_no_common_id },
    { "an id that was given back rests",                    test_id_rests },
    { "trouble on one rank",                                test_trouble },
    { "trouble on several ranks",                           test_trouble_of_several },
    { "different settings",                                 test_settings },
    { "what is not served",                                 test_not_served },
    { "an out-of-band collective fails",                    test_oob_fails },
    { "want of memory on one rank",                         test_no_memory })
