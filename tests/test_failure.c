/*
 * test_failure.c - a rank that does not start an exchange, a failure notice that is lost, and exchanges that are left
 * open. If a communicator fails on one rank, notices make it fail on all ranks. test_world.c has failures of messages.
 */
#include "irr_turns.h"

enum { RANKS = IRR_TURNS_RANKS, ROUNDS = 20000 };

/*
 * A rank does not start. The other ranks give up, one error message names the rank, and the exchange of the rank fails
 * if it starts late.
 */
IRR_TEST_SEEDED(test_timeout, "the error message of a timeout names the rank that does not start")
{
    static const char *const rows[] = { "direct", "grid", "random" };

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        irr_settings_t settings = irr_turns_with(rows[i]);
        irr_status_t result[IRR_WORLD_MAX] = { IRR_OK };
        irr_turns_t turns;

        settings.timeout = 1;
        irr_turns_open(&turns, &settings, state);
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
        irr_team_expect_failed(&turns.team);
        irr_turns_close(&turns);
    }
}

/*
 * The nth notice of a rank fails for lack of memory after the transport has accepted the notice. The engine repeats the
 * notice.
 */
IRR_TEST(test_notice, "a notice of a failure is repeated if memory for it was missing")
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

IRR_TEST_SEEDED(test_left_open, "communicators are destroyed after only some ranks have started an exchange")
{
    static const char *const rows[] = { "direct", "grid", "node", "optimal" };

    for (size_t i = 0; i < 2 * IRR_TEST_COUNT(rows); i++) {
        irr_settings_t settings = irr_turns_with(rows[i / 2]);
        irr_turns_t turns;

        irr_turns_open_on_tree(&turns, &settings, NULL, state);
        irr_turns_add_uniform(&turns, 0);
        irr_job_fill(turns.jobs[0]);
        irr_turns_run(&turns, i % 2 == 0 ? "" : "A");
        for (int r = 0; r < RANKS - 2; r++) {
            CU_ASSERT_EQUAL(irr_team_start(&turns.team, r, turns.jobs[0]), IRR_IN_PROGRESS);
        }
        irr_world_progress(turns.team.world, 1);
        irr_turns_close(&turns);
    }
}

IRR_TEST_MAIN("failure", 60)
