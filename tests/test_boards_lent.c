/*
 * test_boards_lent.c - communicators with boards whose ranks lend each other what is long: what is lent, and what where
 * ranks cannot.
 */
#include "irr_onboard.h"
#include "irr_test.h"

/* Where one rank cannot read others, none lends, and long blocks go as messages; else none does within a node. */
static void test_lends(void)
{
    for (int i = 0; i < 2 * IRR_ONBOARD_LAYOUTS; i++) {
        const bool blind = i % 2 == 1;
        bool lends;
        irr_onboard_t scene;

        irr_onboard_open(&scene, i / 2 % 2 == 0 ? "board" : "node", i / 2, 200, 1 << 20);
        irr_onboard_blind(blind ? 2 : -1);
        CU_ASSERT_EQUAL_FATAL(irr_team_create(&scene.team), IRR_OK);
        lends = scene.team.comms[0]->board != NULL && scene.team.comms[0]->board->lends;
        scene.job = irr_job_create(IRR_ONBOARD_RANKS, IRR_JOB_MIXED, irr_test_random(&scene.state));
        irr_onboard_expect(&scene, -1);
        irr_onboard_expect(&scene, -1);
        for (int r = 0; r < IRR_ONBOARD_RANKS; r++) {
            uint64_t lent = 0;
            irr_counters_t counters;

            CU_ASSERT(scene.team.comms[r]->board == NULL || scene.team.comms[r]->board->lends == lends);
            CU_ASSERT(!blind || i / 2 == IRR_ONBOARD_LAYOUTS - 1 || !lends);
            for (int k = 0; k < IRR_ONBOARD_RANKS; k++) {
                const size_t length = irr_job_length(scene.job, k, r);

                lent += k != r && irr_onboard_node(i / 2, k) == irr_onboard_node(i / 2, r) && length > 200 ? length : 0;
            }
            irr_exchange_counters(irr_comm_exchange(scene.team.comms[r]), &counters);
            CU_ASSERT_EQUAL(counters.bytes_lent, lends ? lent : 0);
            CU_ASSERT(i / 2 > 0 || !lends || counters.messages_sent + counters.messages_received == 0);
        }
        irr_job_destroy(scene.job);
        irr_onboard_close(&scene);
    }
    irr_onboard_blind(-1);
}

int main(void)
{
    static const irr_test_case_t cases[] = {
        { "what is lent, and what goes directly", test_lends },
        { NULL, NULL }
    };

    return irr_test_main("boards_lent", cases, 60);
}
