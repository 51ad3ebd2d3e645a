/*
 * test_comm.c - the setup of communicators: addresses, ids, settings that differ between ranks, and failures. Either
 * all ranks get the communicator or none does.
 */
#include "irr_world.h"

#include "exec/tag.h"

#define EAGER_MAX 100

/* ---- setup ---- */

static size_t count_connects(const irr_world_t *world)
{
    size_t connects = 0;

    for (int r = 0; r < world->ranks; r++) {
        connects += world->spies[r]->connects;
    }
    return connects;
}

IRR_TEST(test_addresses_once, "a process connects the next rank of each communicator, and connects no process twice")
{
    static const struct {
        int    first, step;
        size_t gathers, reduces, connects;
    } rows[] = {
        { 0, 2,  1, 4, 3 },    /* ranks 0, 2, 4 */
        { 0, 2,  0, 3, 3 },    /* the same ranks once more */
        { 0, 1,  1, 5, 7 },    /* all ranks; they first propose different ids, so one more reduction is needed */
        { 4, -1, 0, 3, 12 },   /* all ranks, in reverse order */
        { 1, 2,  0, 3, 14 }    /* ranks 1, 3 */
    };
    enum { ROWS = IRR_TEST_COUNT(rows) };
    irr_team_t teams[ROWS];
    irr_world_t world;

    irr_world_open(&world, 5, 0, EAGER_MAX);
    for (int i = 0; i < ROWS; i++) {
        irr_team_init(&teams[i], &world, rows[i].first, rows[i].step);
        CU_ASSERT_EQUAL(irr_team_create(&teams[i]), IRR_OK);
        CU_ASSERT_EQUAL(teams[i].gathers, rows[i].gathers);
        CU_ASSERT_EQUAL(teams[i].reduces, rows[i].reduces);
        CU_ASSERT_EQUAL(count_connects(&world), rows[i].connects);
    }
    for (int i = 0; i < ROWS; i++) {
        irr_team_destroy(&teams[i]);
    }
    CU_ASSERT_TRUE(irr_world_close(&world));
}

/* ---- ids ---- */

/* Returns the id of a communicator; IRR_IDS_NONE if its members disagree. */
static uint32_t id_of(const irr_team_t *team)
{
    for (int i = 1; i < team->ranks; i++) {
        if (team->comms[i]->id != team->comms[0]->id) {
            return IRR_IDS_NONE;
        }
    }
    return team->comms[0]->id;
}

/* Begins a team of three ranks. Rank r has taken all ids except free_ids[r]. */
static void begin_with_free_ids(irr_team_t *team, const uint32_t free_ids[3])
{
    irr_team_begin(team, 3, 0, EAGER_MAX);
    for (int r = 0; r < 3; r++) {
        irr_ids_t *ids = &team->world->engines[r]->ids;

        memset(ids->used, 0xff, sizeof(ids->used));
        irr_ids_give(ids, free_ids[r]);
    }
}

static void use_last_id(uint32_t id)
{
    irr_team_t team, another;

    begin_with_free_ids(&team, (const uint32_t[]){ id, id, id });
    for (int r = 0; r < 3; r++) {
        team.world->engines[r]->ids.next = r == 1 ? (id + 1) % IRR_IDS_COUNT : 0;
    }
    irr_team_init(&another, team.world, 0, 1);
    for (int cycle = 0; cycle < 3; cycle++) {
        CU_ASSERT_EQUAL(irr_team_create(&team), IRR_OK);
        CU_ASSERT_EQUAL(id_of(&team), id);
        irr_world_start_log();
        CU_ASSERT_EQUAL(irr_team_create(&another), IRR_ERR_NOT_SUPPORTED);
        irr_world_end_log(1, "each of the 65536 communicator ids is in use on some rank of a communicator");
        irr_team_destroy(&team);
    }
    CU_ASSERT_EQUAL(irr_world_used_ids(team.world), 3 * 65535);
    irr_team_close(&team);
}

IRR_TEST(test_last_id, "the only free id of each member is used repeatedly")
{
    use_last_id(12345);
    use_last_id(IRR_IDS_COUNT - 1);
}

IRR_TEST(test_no_common_id, "every process has a free id, but no id is free on all")
{
    irr_team_t team;

    begin_with_free_ids(&team, (const uint32_t[]){ 0, 100, 200 });
    CU_ASSERT_EQUAL(irr_team_create(&team), IRR_ERR_NOT_SUPPORTED);
    CU_ASSERT_EQUAL(irr_world_used_ids(team.world), 3 * 65535);
    for (int r = 0; r < 3; r++) {
        irr_ids_give(&team.world->engines[r]->ids, 50);
    }
    CU_ASSERT_EQUAL(irr_team_create(&team), IRR_OK);
    CU_ASSERT_EQUAL(id_of(&team), 50);
    irr_team_close(&team);
}

/* ---- ranks that cannot take part ---- */

/* Asserts that the members agree again after a failure on some of them, and closes their world. */
static void expect_recovery(irr_team_t *team)
{
    for (int i = 0; i < team->ranks; i++) {
        team->params[i].trouble = IRR_OK;
        team->params[i].settings = team->params[0].settings;
    }
    CU_ASSERT_EQUAL(irr_world_used_ids(team->world), 0);
    CU_ASSERT_EQUAL(irr_team_create(team), IRR_OK);
    irr_team_close(team);
}

/* If ranks report a failure (`trouble`), no rank gets a communicator, and the lowest of these ranks logs its reason. */
IRR_TEST(test_trouble, "a failure on one rank or on several ranks")
{
    static const struct { int ranks, first, step, from, to; } rows[] = {
        { 4, 0, 1, 0, 0 }, { 4, 0, 1, 1, 1 }, { 4, 0, 1, 2, 2 }, { 4, 0, 1, 3, 3 }, { 5, 4, -1, 1, 4 }
    };

    for (size_t k = 0; k < IRR_TEST_COUNT(rows); k++) {
        irr_team_t team;
        irr_world_t world;

        irr_world_open(&world, rows[k].ranks, 0, EAGER_MAX);
        irr_team_init(&team, &world, rows[k].first, rows[k].step);
        for (int i = rows[k].from; i <= rows[k].to; i++) {
            team.params[i].trouble = IRR_ERR_TRANSPORT;
            team.params[i].reason = i == rows[k].from ? "no network here" : "another";
        }
        irr_world_start_log();
        CU_ASSERT_EQUAL(irr_team_create(&team), IRR_ERR_NOT_SUPPORTED);
        irr_world_end_log(1, "no network here");
        CU_ASSERT_EQUAL(team.reduces, 2);
        expect_recovery(&team);
    }
}

/* The agreement has little room for a reason. All ranks get the beginning and the end of a long reason. */
IRR_TEST(test_long_reason, "the beginning and the end of a long reason")
{
    static const char end[] = "/schedule: only version 1 is read";
    char reason[320] = "file /";
    irr_team_t team;

    irr_team_begin(&team, 3, 0, EAGER_MAX);
    memset(reason + strlen(reason), 'a', 260);
    strcat(reason, end);
    team.params[1].trouble = IRR_ERR_FORMAT;
    team.params[1].reason = reason;
    irr_world_start_log();
    CU_ASSERT_EQUAL(irr_team_create(&team), IRR_ERR_NOT_SUPPORTED);
    irr_world_end_log(1, reason);
    for (int r = 0; r < 3; r++) {
        const char *why = irr_team_why(&team, r);

        CU_ASSERT(strncmp(why, "rank 1: file /a", 15) == 0 && strstr(why, "a...a") != NULL);
        CU_ASSERT(strlen(why) > sizeof(end) && strcmp(why + strlen(why) - strlen(end), end) == 0);
    }
    expect_recovery(&team);
}

/* A change of settings, and the beginning of the error message, which names the first setting that differs. */
#define DIFFERENCES(ROW) \
    ROW(algorithm = 2, "x_algorithm is 'natural' on rank 0 of a communicator and 'direct' on rank 1") \
    ROW(compose = IRR_COMPOSE_SPLIT, "compose is 'auto' on rank 0 of a communicator and 'split' on rank 1") \
    ROW(window_messages = 5, "window_messages is '4' on rank 0 of a communicator and '5' on rank 2") \
    ROW(window_bytes = 0, "window_bytes") \
    ROW(window_messages = settings->window_bytes; settings->window_bytes = 4, "window_messages") \
    ROW(dims.count = 3, "dims is not the same on rank 2 of a communicator as on rank 0") \
    ROW(dims.size[0] = 2; settings->dims.size[1] = 8, "dims") \
    ROW(slice_min = 65, "slice_min") \
    ROW(overlap = IRR_OVERLAP_SINGLE, "overlap") \
    ROW(pacing = IRR_PACING_GRANT, "pacing") \
    ROW(grants = 3, "grants") \
    ROW(scheduled.seed = 1, "seed") \
    ROW(scheduled.lambda.rule = IRR_LAMBDA_FIXED, "lambda") \
    ROW(scheduled.lambda.share = 1, "lambda") \
    ROW(scheduled.latency = 1, "latency_bytes") \
    ROW(scheduled.max_steps = 1, "max_steps") \
    ROW(scheduled.shift = true, "xor_shift") \
    ROW(scheduled.redistribution.x = 1, "redistribution") \
    ROW(scheduled.redistribution.q = 1, "redistribution") \
    ROW(piece_bytes = 1, "piece_bytes") \
    ROW(matrix_max_bytes = 1, "matrix_max_bytes") \
    ROW(cache_bytes = 1, "cache_bytes") \
    ROW(lead_bytes = 1, "lead_bytes") \
    ROW(host_route = IRR_HOST_ROUTE_NODE, "host_route") \
    ROW(schedule_ms = 1, "schedule_ms") \
    ROW(direct_bytes = 1, "direct_bytes")

/* Makes change `number`. Returns the expected beginning of the message, or NULL if there is no such change. */
static const char *change(irr_settings_t *settings, int number)
{
    const char *beginning = NULL;

#define CHANGE_ROW(change, text) \
    if (number-- == 0) {         \
        settings->change;        \
        beginning = text;        \
    }
    DIFFERENCES(CHANGE_ROW)
#undef CHANGE_ROW
    return beginning;
}

IRR_TEST(test_settings, "settings that differ between ranks")
{
    const irr_settings_t common = {
        .algorithm = 1, .compose = IRR_COMPOSE_AUTO, .window_messages = 4, .window_bytes = 1000,
        .dims = { 2, { 4, 4 } }, .slice_min = 64, .overlap = IRR_OVERLAP_DUAL
    };
    irr_settings_t other = common;
    const char *beginning;
    irr_team_t team;

    for (int i = 0; (beginning = change(&other, i)) != NULL; i++, other = common) {
        irr_team_begin(&team, 3, 0, EAGER_MAX);
        irr_team_set(&team, &common);
        team.params[i % 3].settings = other;
        for (int r = 0; r < 3; r++) {
            team.params[r].parameter = "x_algorithm";
        }
        irr_world_start_log();
        CU_ASSERT_EQUAL(irr_team_create(&team), IRR_ERR_NOT_SUPPORTED);
        irr_world_log.last[strlen(beginning)] = '\0';
        irr_world_end_log(1, beginning);
        expect_recovery(&team);
    }
}

/*
 * All ranks decline a communicator if one rank has an algorithm that does not exist, or if all ranks have a pacing that
 * does not exist or too many ranks.
 */
IRR_TEST(test_not_served, "settings and sizes that are not supported")
{
    irr_team_t team;

    irr_team_begin(&team, 3, 0, EAGER_MAX);
    team.params[1].settings.algorithm = 1000;
    CU_ASSERT_EQUAL(irr_team_create(&team), IRR_ERR_NOT_SUPPORTED);
    for (int r = 0; r < 3; r++) {
        team.params[r].settings.algorithm = 0;
        team.params[r].settings.pacing = IRR_PACING_COUNT;
    }
    CU_ASSERT_EQUAL(irr_team_create(&team), IRR_ERR_NOT_SUPPORTED);
    for (int r = 0; r < 3; r++) {
        team.params[r].settings.pacing = IRR_PACING_AUTO;
        team.params[r].ranks = IRR_CHANNEL_RANKS_MAX + 1;
    }
    CU_ASSERT_EQUAL(irr_team_create(&team), IRR_ERR_NOT_SUPPORTED);
    for (int r = 0; r < 3; r++) {
        team.params[r].ranks = 3;
    }
    expect_recovery(&team);
}

/* ---- failures during the setup ---- */

static int victim;

static bool victim_runs(void)
{
    return irr_world_self() == victim;
}

/*
 * One allocation fails on one rank. All ranks decline, and the next setup succeeds. Returns false if no allocation
 * failed.
 */
static bool survives_failure(const irr_settings_t *settings, size_t nth)
{
    irr_team_t team;
    bool failed;

    irr_team_begin(&team, 3, 0, EAGER_MAX);
    irr_team_set(&team, settings);
    team.params[2].node = 1;
    irr_memory_fail(nth, victim_runs);
    CU_ASSERT_EQUAL(irr_team_create(&team), irr_memory_failed() ? IRR_ERR_NOT_SUPPORTED : IRR_OK);
    failed = irr_memory_failed();
    irr_memory_fail(0, NULL);
    irr_team_destroy(&team);
    expect_recovery(&team);
    return failed;
}

IRR_TEST(test_no_memory, "an allocation that fails on one rank")
{
    const irr_settings_t rows[] = {
        { .algorithm = 0 },
        { .algorithm = irr_algorithm_find("direct"), .pacing = IRR_PACING_GRANT },
        { .algorithm = irr_algorithm_find("balanced-grid"), .overlap = IRR_OVERLAP_BLOCKING },
        { .algorithm = irr_algorithm_find("hybrid") },
        { .algorithm = irr_algorithm_find("node") },
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

IRR_TEST_MAIN("comm", 60)
