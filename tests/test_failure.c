/*
 * test_failure.c - a communicator that fails on one rank fails on all ranks, and no rank waits forever. The
 * communicator fails if an agreement fails, if a rank does not start an exchange, or if an exchange is left open.
 */
#include "irr_test.h"
#include "irr_text.h"
#include "irr_turns.h"

#include <string.h>

enum { RANKS = IRR_TURNS_RANKS, ROUNDS = 20000 };

/* ---- agreements ---- */

/* Runs job A once.  A refused operation is not repeated. */
static void run(irr_turns_t *turns, irr_status_t result[IRR_WORLD_MAX])
{
    irr_team_run(&turns->team, turns->jobs[0], result);
    for (int r = 0; r < RANKS; r++) {
        CU_ASSERT(result[r] != IRR_OK || irr_job_verify(turns->jobs[0], r));
    }
}

static bool has_failed(const irr_turns_t *turns, int rank)
{
    return turns->team.comms[rank]->failed != IRR_OK;
}

/*
 * Asserts after a failure of one rank that all ranks fail, and that later exchanges fail at once and send no message.
 */
static void expect_all_fail(irr_turns_t *turns)
{
    irr_status_t result[IRR_WORLD_MAX];
    size_t sends = 0;

    irr_world_progress(turns->team.world, ROUNDS);
    run(turns, result);
    for (int r = 0; r < RANKS; r++) {
        CU_ASSERT_NOT_EQUAL(result[r], IRR_OK);
        CU_ASSERT_TRUE(has_failed(turns, r));
        sends += turns->team.world->spies[r]->sends;
    }
    run(turns, result);
    for (int r = 0; r < RANKS; r++) {
        CU_ASSERT_NOT_EQUAL(result[r], IRR_OK);
        sends -= turns->team.world->spies[r]->sends;
    }
    CU_ASSERT_EQUAL(sends, 0);
}

/* Makes the nth send or receive of a rank from now on fail. */
static void refuse(irr_turns_t *turns, int rank, bool sends, size_t nth)
{
    irr_spy_t *spy = turns->team.world->spies[rank];

    spy->refusal = IRR_ERR_TRANSPORT;
    spy->refuse_send = sends ? spy->sends + nth : 0;
    spy->refuse_recv = sends ? 0 : spy->recvs + nth;
}

/*
 * Opens the scene. In job A the rank exchanges no data, so that no rank waits for it in the exchange itself; -1: all
 * ranks exchange data.
 */
static void open_isolated(irr_turns_t *turns, const irr_settings_t *settings, int rank, uint64_t *state)
{
    irr_turns_open_on_tree(turns, settings, NULL, state);
    irr_turns_add_uniform(turns, 0);
    if (rank >= 0) {
        irr_turns_isolate(turns, 0, rank);
    }
    irr_job_fill(turns->jobs[0]);
}

/* Returns the number of messages of a rank in an agreement, which goes through one rank of each host. */
static size_t agreement_of(const irr_turns_t *turns, int rank, bool sends)
{
    const irr_plan_t *plan = &turns->team.comms[rank]->agreement.moves.plan;

    return sends ? plan->nsends : plan->nrecvs;
}

/* Makes each send and each receive fail in the agreement, or in the epoch barrier, that begins the second exchange. */
static void run_agreement(const char *row, bool wraps)
{
    uint64_t state = irr_test_seed();
    irr_settings_t settings = irr_turns_with(row);

    for (size_t i = 0; i < 4 * IRR_TURNS_AGREEMENT; i++) {
        const int rank = (int)irr_test_below(&state, RANKS);
        irr_status_t result[IRR_WORLD_MAX];
        irr_turns_t turns;

        open_isolated(&turns, &settings, i % 4 < 2 ? rank : -1, &state);
        irr_turns_run(&turns, "A");
        for (int r = 0; r < RANKS && wraps; r++) {
            turns.team.comms[r]->sequence = IRR_TAG_SEQUENCES - 1;
        }
        refuse(&turns, rank, i % 2 == 0, 1 + i / 4 % agreement_of(&turns, rank, i % 2 == 0));
        run(&turns, result);
        CU_ASSERT_NOT_EQUAL(result[rank], IRR_OK);
        CU_ASSERT_TRUE(has_failed(&turns, rank));
        expect_all_fail(&turns);
        irr_turns_close(&turns);
    }
}

static void test_agreement(void)
{
    run_agreement("random", false);
    run_agreement("direct", true);
}

/*
 * A receive fails in the first exchange, which gathers the counts. The exchange ends on every rank. The communicator
 * fails on all ranks, unless the rank needed no such receive.
 */
static void test_first(void)
{
    uint64_t state = irr_test_seed();
    irr_settings_t settings = irr_turns_with("optimal");

    for (size_t nth = 1; nth <= 3 * IRR_TURNS_AGREEMENT; nth++) {
        const int rank = (int)irr_test_below(&state, RANKS);
        irr_status_t result[IRR_WORLD_MAX];
        irr_turns_t turns;

        open_isolated(&turns, &settings, rank, &state);
        refuse(&turns, rank, false, nth);
        run(&turns, result);
        CU_ASSERT(nth > agreement_of(&turns, rank, false) || result[rank] != IRR_OK);
        CU_ASSERT_EQUAL(has_failed(&turns, rank), result[rank] != IRR_OK);
        if (result[rank] != IRR_OK) {
            expect_all_fail(&turns);
        }
        for (int r = 0; r < RANKS && result[rank] == IRR_OK; r++) {
            CU_ASSERT_EQUAL(result[r], IRR_OK);
        }
        irr_turns_close(&turns);
    }
}

/* ---- a rank that does not start ---- */

/*
 * A rank does not start. The other ranks give up, one error message names the rank, and the exchange of the rank fails
 * if it starts late.
 */
static void test_timeout(void)
{
    static const char *const rows[] = { "direct", "grid", "random" };
    uint64_t state = irr_test_seed();

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        irr_settings_t settings = irr_turns_with(rows[i]);
        irr_status_t result[IRR_WORLD_MAX] = { IRR_OK };
        irr_turns_t turns;

        settings.timeout = 1;
        irr_turns_open(&turns, &settings, &state);
        irr_turns_add_uniform(&turns, 0);
        irr_job_fill(turns.jobs[0]);
        irr_world_start_log_at(IRR_LOG_ERROR);
        for (int r = 0; r < RANKS - 1; r++) {
            result[r] = irr_team_start(&turns.team, r, turns.jobs[0]);
        }
        while (!irr_team_progress(&turns.team, result, ROUNDS)) {
        }
        irr_world_stop_log();
        CU_ASSERT_EQUAL(irr_world_log.lines, 1);
        CU_ASSERT_PTR_NOT_NULL(strstr(irr_world_log.last, "timeout"));
        CU_ASSERT(strcmp(rows[i], "direct") != 0 || strstr(irr_world_log.last, "for rank 6") != NULL);
        for (int r = 0; r < RANKS - 1; r++) {
            CU_ASSERT(result[r] == IRR_ERR_TIMEOUT || result[r] == IRR_ERR_PEER);
        }
        result[RANKS - 1] = irr_team_start(&turns.team, RANKS - 1, turns.jobs[0]);
        CU_ASSERT_TRUE(irr_team_progress(&turns.team, result, ROUNDS));
        expect_all_fail(&turns);
        irr_turns_close(&turns);
    }
}

/* ---- a notice ---- */

/*
 * The nth notice of a rank fails for lack of memory after the transport has accepted the notice. The engine repeats the
 * notice.
 */
static void test_notice(void)
{
    for (size_t nth = 1; nth < RANKS; nth++) {
        const irr_fault_t faults[RANKS] = {
            { .delay_send = nth, .delay_rounds = 5, .fail_send = nth, .failure = IRR_ERR_NO_MEMORY }
        };
        irr_world_t world;
        irr_team_t team;

        irr_world_open_faulty(&world, RANKS, 0, 0, faults);
        irr_team_open(&team, &world, NULL);
        CU_ASSERT_EQUAL_FATAL(world.spies[0]->sends, 0);
        irr_comm_give_up(team.comms[0], IRR_ERR_NO_MEMORY, NULL);
        irr_team_expect_failed(&team);
        CU_ASSERT_EQUAL(world.spies[0]->sends, RANKS);
        irr_team_close(&team);
    }
}

/* ---- an exchange that is left open ---- */

/* Some ranks start an exchange, all destroy their communicators, and the engines close. */
static void test_left_open(void)
{
    static const char *const rows[] = { "direct", "grid", "node", "optimal" };
    uint64_t state = irr_test_seed();

    for (size_t i = 0; i < 2 * IRR_TEST_COUNT(rows); i++) {
        irr_settings_t settings = irr_turns_with(rows[i / 2]);
        irr_turns_t turns;

        open_isolated(&turns, &settings, -1, &state);
        irr_turns_run(&turns, i % 2 == 0 ? "" : "A");
        for (int r = 0; r < RANKS - 2; r++) {
            CU_ASSERT_EQUAL(irr_team_start(&turns.team, r, turns.jobs[0]), IRR_IN_PROGRESS);
        }
        irr_world_progress(turns.team.world, 1);
        irr_turns_close(&turns);
    }
}

IRR_TEST_MAIN("failure", 60,
    { "an agreement that fails on one rank fails on all",       test_agreement },
    { "the first exchange that fails on one rank fails on all", test_first },
    { "a rank that does not start is named in the timeout",     test_timeout },
    { "a notice that is lost for lack of memory is repeated",   test_notice },
    { "exchanges may be left open",                             test_left_open })
