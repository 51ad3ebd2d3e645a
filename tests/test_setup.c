/*
 * test_setup.c - communicators that are set up in steps, with collectives of the host that never block. One thread
 * simulates all ranks. They advance in any order, and set up several communicators at a time. An abandoned setup
 * releases its memory and ids.
 */
#include "irr_world.h"

#include "core/clock.h"

enum { RANKS = 5, TEAMS = 3, TURNS = 10000 };

static irr_world_t world;
static irr_team_t  teams[TEAMS];

/* Opens the world, and makes teams of all its ranks. */
static void begin(const char *algorithm)
{
    irr_world_open(&world, RANKS, irr_test_seed(), 64);
    for (int t = 0; t < TEAMS; t++) {
        irr_team_init(&teams[t], &world, 0, 1);
        irr_team_set(&teams[t], &(irr_settings_t){ .algorithm = irr_algorithm_find(algorithm) });
        for (int r = 0; r < RANKS; r++) {
            teams[t].params[r].node = r / 3;
        }
    }
}

static void start(void)
{
    for (int t = 0; t < TEAMS; t++) {
        irr_team_start_setup(&teams[t]);
    }
}

/* Lets random ranks test random communicators, `turns` times.  Returns the number of setups that are not complete. */
static int advance(uint64_t *state, int turns)
{
    int open = 1;

    for (int turn = 0; turn < turns && open > 0; turn++) {
        (void)irr_team_test_setup(&teams[irr_test_below(state, TEAMS)], (int)irr_test_below(state, RANKS));
        open = 0;
        for (int i = 0; i < TEAMS * RANKS; i++) {
            open += teams[i / RANKS].statuses[i % RANKS] == IRR_IN_PROGRESS;
        }
    }
    return open;
}

/*
 * Destroys all setups and communicators. Asserts that all ids are then free, except `ids` ids that the case has taken.
 */
static void destroy_holding(int ids)
{
    for (int t = 0; t < TEAMS; t++) {
        irr_team_abandon_setup(&teams[t]);
        irr_team_destroy(&teams[t]);
    }
    CU_ASSERT_EQUAL(irr_world_used_ids(&world), ids);
    CU_ASSERT_TRUE(irr_world_close(&world));
}

static void destroy(void)
{
    destroy_holding(0);
}

/* ---- cases ---- */

static const char *const algorithms[] = { "direct", "node", "grid", "xor" };

enum { ALGORITHMS = IRR_TEST_COUNT(algorithms) };

/*
 * Ranks advance in any order. All ranks get their communicators. A communicator has the same id on all ranks, and
 * different communicators have different ids.
 */
IRR_TEST_SEEDED(test_any_order, "concurrent setups whose ranks advance in any order")
{
    for (int a = 0; a < ALGORITHMS; a++) {
        begin(algorithms[a]);
        start();
        CU_ASSERT_EQUAL(advance(state, TURNS), 0);
        for (int i = 0; i < TEAMS * RANKS; i++) {
            const int t = i / RANKS, r = i % RANKS;

            CU_ASSERT_EQUAL_FATAL(teams[t].statuses[r], IRR_OK);
            CU_ASSERT_EQUAL(teams[t].comms[r]->id, teams[t].comms[0]->id);
            CU_ASSERT(t == 0 || teams[t].comms[r]->id != teams[t - 1].comms[r]->id);
        }
        destroy();
    }
}

/*
 * Ranks test two communicators in different orders, so a rank reserves for one communicator the id that another rank
 * proposes for the other communicator. The ranks nevertheless agree on ids soon.
 */
IRR_TEST(test_crossed, "ranks that propose the same id for different communicators")
{
    int open = TEAMS * RANKS;

    begin("direct");
    start();
    for (int turn = 0; turn < TURNS && open > 0; turn++) {
        open = 0;
        for (int i = 0; i < TEAMS * RANKS; i++) {
            const int r = i / TEAMS, t = r % 2 == 0 ? i % TEAMS : TEAMS - 1 - i % TEAMS;

            open += irr_team_test_setup(&teams[t], r) == IRR_IN_PROGRESS;
        }
    }
    CU_ASSERT_EQUAL(open, 0);
    for (int t = 0; t < TEAMS; t++) {
        CU_ASSERT(teams[t].gathers + teams[t].reduces < 40);
        CU_ASSERT_FATAL(teams[t].comms[0] != NULL);
    }
    destroy();
}

/* Setups are abandoned at any step. No id, no memory and no communicator is left. */
IRR_TEST_SEEDED(test_abandoned, "setups that are abandoned at any step")
{
    for (int turns = 0; turns < 400; turns += 7) {
        begin(algorithms[turns % ALGORITHMS]);
        start();
        advance(state, turns);
        destroy();
    }
}

/*
 * A collective of the host fails on all ranks. The setup of its communicator fails on all ranks, and all other setups
 * succeed.
 */
IRR_TEST_SEEDED(test_fails, "a collective of the host that fails")
{
    int nth = 1;
    bool failed = true;

    for (; failed && nth < 20; nth++) {
        begin("direct");
        teams[1].fail_call = (size_t)nth;
        start();
        CU_ASSERT_EQUAL(advance(state, TURNS), 0);
        failed = teams[1].statuses[0] != IRR_OK;
        for (int i = 0; i < TEAMS * RANKS; i++) {
            CU_ASSERT_EQUAL(teams[i / RANKS].statuses[i % RANKS], i / RANKS == 1 && failed ? IRR_ERR_OOB : IRR_OK);
        }
        destroy();
    }
    CU_ASSERT(nth > 5 && nth < 20);   /* five collectives, and one more for each retry of an id */
}

/* ---- ids whose old messages may still arrive ---- */

enum { FREE_ID = 12345, FREE_IDS = 8 * TEAMS, BUSY = 1000 };

/*
 * Starts setups in which all ranks have the same few free ids. The first `looks` calls of
 * discard() report that messages with these ids may be left.
 */
static void start_busy(const char *algorithm, size_t looks, size_t timeout)
{
    begin(algorithm);
    for (int r = 0; r < RANKS; r++) {
        memset(world.engines[r]->ids.used, 0xff, sizeof(world.engines[r]->ids.used));
        world.spies[r]->busy_discards = looks;
        for (uint32_t i = 0; i < FREE_IDS; i++) {
            irr_ids_give(&world.engines[r]->ids, FREE_ID + i);
        }
        for (int t = 0; t < TEAMS; t++) {
            teams[t].params[r].settings.timeout = timeout;
        }
    }
    start();
}

static void destroy_busy(void)
{
    for (int r = 0; r < RANKS; r++) {
        world.spies[r]->busy_discards = 0;
    }
    destroy_holding(RANKS * (int)(IRR_IDS_COUNT - FREE_IDS));
}

/* A transport that discards messages delays the setup. The setup then uses the free ids. */
IRR_TEST_SEEDED(test_busy, "a setup waits while the transport discards messages")
{
    for (int a = 0; a < ALGORITHMS; a++) {
        start_busy(algorithms[a], BUSY, 0);
        CU_ASSERT_EQUAL(advance(state, 10 * TURNS), 0);
        for (int i = 0; i < TEAMS * RANKS; i++) {
            CU_ASSERT_EQUAL_FATAL(teams[i / RANKS].statuses[i % RANKS], IRR_OK);
            CU_ASSERT(teams[i / RANKS].comms[i % RANKS]->id - FREE_ID < FREE_IDS);
        }
        destroy_busy();
    }
}

/* On one rank discarding never ends. After half of the timeout the setup fails on all ranks. */
IRR_TEST_SEEDED(test_busy_for_ever, "a setup fails if the transport does not stop discarding messages")
{
    const uint64_t begin_ns = irr_clock_ns();

    start_busy("direct", 0, 1);
    world.spies[2]->busy_discards = SIZE_MAX;
    while (advance(state, TURNS) > 0 && irr_clock_ns() - begin_ns < UINT64_C(30000000000)) {
    }
    for (int i = 0; i < TEAMS * RANKS; i++) {
        CU_ASSERT_EQUAL(teams[i / RANKS].statuses[i % RANKS], IRR_ERR_NOT_SUPPORTED);
    }
    destroy_busy();
}

/* ---- ranks that cannot connect ---- */

/* The error message names memory only if an allocation failed. */
IRR_TEST(test_no_connection, "ranks that cannot connect to each other")
{
#define TAIL "; each rank must reach all others with x_transport '', x_ucx_tls '' and x_ucx_devices ''"
    static const struct {
        bool         unreachable;
        irr_status_t connects_end;
        const char  *text;
    } cases[] = {
        { true, IRR_OK, "rank 2 of a communicator cannot reach rank 3: peer cannot be reached" TAIL },
        { false, IRR_ERR_NO_MEMORY, "a rank has no memory for a communicator" },
        { false, IRR_ERR_UNREACHABLE, "rank 2 of a communicator cannot reach rank 3: peer cannot be "
          "reached" TAIL },
        { false, IRR_ERR_BAD_PARAM, "rank 2 of a communicator cannot reach rank 3: argument or setting "
          "is not valid" TAIL }
    };
#undef TAIL

    irr_log_prefix_set("x_");
    for (size_t i = 0; i < IRR_TEST_COUNT(cases); i++) {
        irr_team_t team;

        irr_team_begin(&team, 4, 0, 64);
        team.world->spies[2]->unreachable = team.world->spies[3]->unreachable = cases[i].unreachable;
        team.world->spies[2]->connects_end = cases[i].connects_end;
        irr_world_start_log();
        CU_ASSERT_EQUAL(irr_team_create(&team), IRR_ERR_NOT_SUPPORTED);
        irr_world_end_log(1, cases[i].text);
        CU_ASSERT_EQUAL(irr_world_used_ids(team.world), 0);
        irr_team_close(&team);
    }
    irr_log_prefix_set("");
}

IRR_TEST(test_blocking, "irr_comm_create() waits for collectives of the host, and sets its output only on success")
{
    for (int fails = 0; fails <= 1; fails++) {
        irr_team_t team;
        irr_comm_t *comm = NULL;

        irr_team_begin(&team, 1, 0, 64);
        irr_team_set_host(&team);
        team.fail_call = (size_t)fails;
        CU_ASSERT_EQUAL(irr_comm_create(team.world->engines[0], &team.params[0], &comm), fails ? IRR_ERR_OOB : IRR_OK);
        CU_ASSERT_EQUAL(comm == NULL, fails);
        if (comm != NULL) {
            irr_comm_destroy(comm);
        }
        CU_ASSERT_EQUAL(irr_world_used_ids(team.world), 0);
        irr_team_close(&team);
    }
}

IRR_TEST_MAIN("setup", 60)
