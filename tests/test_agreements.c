/*
 * test_agreements.c - communicators whose ranks agree before each exchange, and share nodes: what that costs, what a
 * member lacks, and what is left open.
 */
#include "irr_memory.h"
#include "irr_test.h"
#include "irr_turns.h"

#include <string.h>

enum { RANKS = IRR_TURNS_RANKS, ROUNDS = 20000, LAYOUTS = 4 };

/* One node of all; nodes of ranks that are not neighbours; one with a rank alone; all alone. */
static int node_of(int layout, int rank)
{
    const int nodes[LAYOUTS] = { 0, rank % 3, rank / 2, rank };

    return nodes[layout];
}

static void prepare(irr_turns_t *turns, const irr_settings_t *settings, int layout, uint64_t *state)
{
    irr_turns_prepare(turns, settings, state);
    for (int r = 0; r < RANKS; r++) {
        turns->team.params[r].agrees_seldom = false;
        turns->team.params[r].node = node_of(layout, r);
    }
}

static void open_turns(irr_turns_t *turns, const irr_settings_t *settings, int layout, uint64_t *state)
{
    prepare(turns, settings, layout, state);
    CU_ASSERT_EQUAL_FATAL(irr_team_create(&turns->team), IRR_OK);
}

static void close_turns(irr_turns_t *turns)
{
    for (int r = 0; r < RANKS; r++) {
        CU_ASSERT_EQUAL(turns->world.engines[r]->boards.waiting, 0);
    }
    irr_turns_close(turns);
}

/* ---- exchanges ---- */

/* Each row that agrees before an exchange, and those with boards where a dump asks for it. */
static void test_rows(void)
{
    static const char *const rows[] = { "lp", "rs_nh", "optimal", "aapc", "board", "node" };
    uint64_t state = irr_test_seed();

    for (size_t i = 0; i < LAYOUTS * sizeof(rows) / sizeof(rows[0]); i++) {
        irr_settings_t settings = irr_turns_with(rows[i / LAYOUTS]);
        irr_turns_t turns;

        settings.board_block = settings.board_bytes = 1 << 20;
        settings.matrix_dump = i / LAYOUTS < 4 ? NULL : "no/such/folder/matrix";
        open_turns(&turns, &settings, (int)(i % LAYOUTS), &state);
        for (int kind = 0; kind < IRR_JOB_KINDS; kind++) {
            irr_turns_add(&turns, kind, (irr_job_kind_t)kind, irr_test_random(&state));
        }
        irr_turns_run(&turns, "AABBCCDDFFGGHHABCDEEFIIGBHCI");
        irr_turns_run(&turns, "IHGFEDCBABABABABABABABABABABABABABABABAB");
        close_turns(&turns);
    }
}

/* A look takes no message within a node, and between nodes one of each who speaks, a round. */
static void test_cost(void)
{
    static const uint64_t speaks[LAYOUTS] = { 0, 2, 2, 3 };   /* ceil(log2 nodes) */
    uint64_t state = irr_test_seed();

    for (int layout = 0; layout < LAYOUTS; layout++) {
        const irr_settings_t settings = irr_turns_with("optimal");
        irr_turns_t turns;

        open_turns(&turns, &settings, layout, &state);
        irr_turns_add_uniform(&turns, 0);
        irr_turns_run(&turns, "AAA");
        for (int r = 0; r < RANKS; r++) {
            const bool first = turns.team.comms[r]->nodes.place[r] == 0;
            irr_counters_t counters;

            irr_exchange_counters(irr_comm_exchange(turns.team.comms[r]), &counters);
            CU_ASSERT_EQUAL(counters.header_bytes, (first ? speaks[layout] : 0) * IRR_LOOK_WORDS * sizeof(uint64_t));
            CU_ASSERT_EQUAL(counters.bytes_boarded, 0);
            irr_engine_counters(turns.world.engines[r], &counters);
            CU_ASSERT_EQUAL(counters.board_memory, layout == 3 ? 0 : 512);
        }
        close_turns(&turns);
    }
}

/* Where exchanges are planned, or seldom agree, nothing is shared for that. */
static void test_seldom(void)
{
    static const char *const rows[] = { "optimal", "a1", "a3" };
    uint64_t state = irr_test_seed();

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const irr_settings_t settings = irr_turns_with(rows[i]);
        irr_turns_t turns;

        prepare(&turns, &settings, 0, &state);
        for (int r = 0; r < RANKS; r++) {
            turns.team.params[r].agrees_seldom = i == 0;
        }
        CU_ASSERT_EQUAL_FATAL(irr_team_create(&turns.team), IRR_OK);
        CU_ASSERT_EQUAL(turns.team.comms[0]->board, NULL);
        irr_turns_add(&turns, 0, IRR_JOB_MIXED, irr_test_random(&state));
        irr_turns_run(&turns, "AA");
        close_turns(&turns);
    }
}

/* ---- what fails ---- */

static bool victim_runs(void)
{
    return irr_crew_self() == 3;
}

/* Whatever a member has no memory for: all agree on boards, or none, or there is no communicator. */
static void lack_memory(const irr_settings_t *settings, int layout, uint64_t *state)
{
    bool failed = true, without = false;

    for (size_t nth = 1; failed; nth++) {
        irr_turns_t turns;
        irr_status_t status;

        prepare(&turns, settings, layout, state);
        irr_memory_fail(nth, victim_runs);
        status = irr_team_create(&turns.team);
        failed = irr_memory_failed();
        irr_memory_fail(0, NULL);
        CU_ASSERT(status == IRR_OK || (failed && status == IRR_ERR_NOT_SUPPORTED));
        for (int r = 0; status == IRR_OK && r < RANKS; r++) {
            CU_ASSERT_EQUAL(turns.team.comms[r]->board != NULL, turns.team.comms[0]->board != NULL);
            without = without || turns.team.comms[r]->board == NULL;
        }
        if (status == IRR_OK) {
            irr_turns_add(&turns, 0, IRR_JOB_BLOCKS, irr_test_random(state));
            irr_turns_run(&turns, "AA");
            close_turns(&turns);
        } else {
            CU_ASSERT_TRUE(irr_world_close(&turns.world));
            CU_ASSERT_EQUAL(irr_memory_end(), 0);
        }
    }
    CU_ASSERT_TRUE(without);
}

static void test_no_memory(void)
{
    const irr_settings_t settings = irr_turns_with("lp");
    uint64_t state = irr_test_seed();

    lack_memory(&settings, 0, &state);
    lack_memory(&settings, 2, &state);
}

/* Who speaks for its node cannot send: its communicator fails on all ranks, on its own node, too. */
static void test_failure(void)
{
    const irr_settings_t settings = irr_turns_with("optimal");
    uint64_t state = irr_test_seed();

    for (size_t nth = 1; nth <= 2; nth++) {
        irr_status_t result[IRR_CREW_MAX];
        irr_turns_t turns;
        irr_spy_t *spy;

        open_turns(&turns, &settings, 1, &state);
        irr_turns_add_uniform(&turns, 0);
        irr_turns_run(&turns, "A");
        spy = turns.world.spies[0];
        spy->refusal = IRR_ERR_TRANSPORT;
        spy->refuse_send = spy->sends + nth;
        for (int r = 0; r < RANKS; r++) {
            result[r] = irr_team_start_rank(&turns.team, r, turns.jobs[0]);
        }
        CU_ASSERT_TRUE(irr_team_progress(&turns.team, result, ROUNDS));
        for (int r = 0; r < RANKS; r++) {
            CU_ASSERT_NOT_EQUAL(result[r], IRR_OK);
            CU_ASSERT_NOT_EQUAL(turns.team.comms[r]->failed, IRR_OK);
        }
        close_turns(&turns);
    }
}

/* ---- to wait ---- */

/* Who waits for the words of others sleeps on its board, and is woken. */
static void test_sleep(void)
{
    const irr_settings_t settings = irr_turns_with("lp");
    uint64_t state = irr_test_seed();

    for (int layout = 0; layout < 2; layout++) {
        irr_status_t result[IRR_CREW_MAX];
        irr_turns_t turns;
        irr_engine_t *engine;

        open_turns(&turns, &settings, layout, &state);
        irr_turns_add_uniform(&turns, 0);
        irr_turns_run(&turns, "A");
        engine = turns.world.engines[3];
        result[3] = irr_team_start_rank(&turns.team, 3, turns.jobs[0]);
        CU_ASSERT_EQUAL(irr_engine_wait_for_boards(engine, 1), IRR_ERR_TIMEOUT);
        for (int r = 0; r < RANKS; r++) {
            result[r] = r == 3 ? result[3] : irr_team_start_rank(&turns.team, r, turns.jobs[0]);
        }
        CU_ASSERT(layout > 0 || irr_engine_wait_for_boards(engine, 1000000) == IRR_OK);
        CU_ASSERT_TRUE(irr_team_progress(&turns.team, result, ROUNDS));
        CU_ASSERT_EQUAL(irr_engine_wait_for_boards(engine, 1), IRR_ERR_NOT_SUPPORTED);
        close_turns(&turns);
    }
}

/* Agreements that are left open, by those who came and those who did not. */
static void test_left_open(void)
{
    const irr_settings_t settings = irr_turns_with("lp");
    uint64_t state = irr_test_seed();

    for (int layout = 0; layout < 2; layout++) {
        irr_turns_t turns;

        open_turns(&turns, &settings, layout, &state);
        irr_turns_add_uniform(&turns, 0);
        irr_turns_run(&turns, "A");
        for (int r = 1; r < RANKS; r++) {
            (void)irr_team_start_rank(&turns.team, r, turns.jobs[0]);
            CU_ASSERT_EQUAL(turns.world.engines[r]->boards.waiting, 1);
        }
        for (int i = 0; i < 100 * RANKS; i++) {
            irr_engine_progress(turns.world.engines[i % RANKS]);
        }
        irr_team_destroy(&turns.team);
        CU_ASSERT_EQUAL_FATAL(irr_team_create(&turns.team), IRR_OK);
        irr_turns_run(&turns, "AA");
        close_turns(&turns);
    }
}

/* Communicators take turns in the same memory, that of agreements alone and that of others. */
static void test_many(void)
{
    const irr_settings_t settings[] = { irr_turns_with("lp"), irr_turns_with("board") };
    uint64_t state = irr_test_seed();
    size_t most = 0;
    irr_turns_t turns;

    open_turns(&turns, &settings[0], 0, &state);
    irr_turns_add(&turns, 0, IRR_JOB_SPARSE, 1);
    for (int turn = 0; turn < 100; turn++) {
        irr_turns_run(&turns, turn % 3 == 0 ? "AAA" : "AA");
        irr_team_destroy(&turns.team);
        for (int r = 0; r < RANKS; r++) {
            turns.team.params[r].settings = settings[turn % 2];
        }
        CU_ASSERT_EQUAL_FATAL(irr_team_create(&turns.team), IRR_OK);
        most = turn < 20 ? turns.world.engines[0]->boards.segment.end : most;
        CU_ASSERT_EQUAL(turns.world.engines[0]->boards.segment.end, most);
    }
    close_turns(&turns);
}

int main(void)
{
    static const irr_test_case_t cases[] = {
        { "rows that agree, on one node and on several",        test_rows },
        { "no message within a node",                           test_cost },
        { "nothing is shared by those who seldom agree",        test_seldom },
        { "a member has no memory",                             test_no_memory },
        { "who speaks for others cannot send",                  test_failure },
        { "a rank that sleeps",                                 test_sleep },
        { "agreements that are left open",                      test_left_open },
        { "a hundred communicators, one after the other",       test_many },
        { NULL, NULL }
    };

    return irr_test_main("agreements", cases, 120);
}
