/*
 * test_boards_lent.c - communicators with boards whose ranks lend each other what is long: what is copied, what is
 * lent, and what where ranks cannot.
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

/*
 * Messages of short blocks to all members, each as long as what need not be packed, go over the board; of longer ones
 * only long blocks are read from each other's memory.
 */
static void expect_copies(const irr_onboard_t *scene)
{
    const irr_comm_t *comm = scene->team.comms[0];
    const irr_board_t *board = comm->board;
    const size_t most = board != NULL ? irr_board_copies(board) : 0;
    size_t left = board != NULL ? irr_board_room(board->bytes_max) : 0;

    CU_ASSERT_EQUAL(irr_comm_block_min(comm, 0, SIZE_MAX), IRR_BLOCK_MIN);
    for (int r = 1; r < IRR_ONBOARD_RANKS; r++) {
        const bool near = board != NULL && comm->nodes.node[r] == comm->nodes.node[0];

        CU_ASSERT_EQUAL(irr_comm_block_min(comm, r, most), IRR_BLOCK_MIN);
        CU_ASSERT_EQUAL(irr_comm_block_min(comm, r, most + 1),
                        near && board->lends ? IRR_LEND_BLOCK_MIN : IRR_BLOCK_MIN);
        CU_ASSERT_TRUE(!near || irr_board_kind(most, board->short_max, true, &left) <= IRR_BOARD_BESIDE);
    }
}

static void test_copies(void)
{
    static const struct { size_t block, bytes; } sizes[] = { { 0, 0 }, { 300, 2000 }, { 4096, 1 << 20 } };

    for (int i = 0; i < 2 * IRR_ONBOARD_LAYOUTS * 3; i++) {
        irr_onboard_t scene;

        irr_onboard_open(&scene, i % 2 == 0 ? "board" : "node", i / 2 % IRR_ONBOARD_LAYOUTS, sizes[i % 3].block,
                         sizes[i % 3].bytes);
        CU_ASSERT_EQUAL_FATAL(irr_team_create(&scene.team), IRR_OK);
        expect_copies(&scene);
        irr_onboard_close(&scene);
    }
}

/* ---- without a network ---- */

/* Opens the job so that ranks of a node send to each other through shared memory. */
static void open_sharing(irr_onboard_t *scene, const char *name, int layout)
{
    irr_onboard_open(scene, name, layout, 200, 1 << 20);
    irr_world_share(&scene->world);
    for (int r = 0; r < IRR_ONBOARD_RANKS; r++) {
        scene->team.params[r].settings.shm = true;
    }
}

static size_t network_calls(const irr_onboard_t *scene)
{
    size_t calls = 0;

    for (int r = 0; r < IRR_ONBOARD_RANKS; r++) {
        calls += scene->world.spies[r]->sends + scene->world.spies[r]->recvs;
    }
    return calls;
}

/* On one node nothing goes over the network, also where ranks cannot lend. */
static void test_stays(void)
{
    for (int i = 0; i < 2 * IRR_ONBOARD_LAYOUTS; i++) {
        const bool blind = i == IRR_ONBOARD_LAYOUTS, stays = i < 2 || blind;
        irr_onboard_t scene;

        open_sharing(&scene, i % 2 == 0 || blind ? "board" : "node", blind ? 0 : i / 2);
        irr_onboard_blind(blind ? 3 : -1);
        CU_ASSERT_EQUAL_FATAL(irr_team_create(&scene.team), IRR_OK);
        if (stays) {
            CU_ASSERT_EQUAL(scene.team.group.gathers, i % 2 == 0 || blind ? 2 : 1);   /* node has no boards */
        }
        for (int kind = 0; kind < IRR_JOB_KINDS; kind++) {
            irr_onboard_expect_kind(&scene, (irr_job_kind_t)kind, 3);
        }
        CU_ASSERT_EQUAL(network_calls(&scene) == 0, stays);
        irr_onboard_close(&scene);
    }
    irr_onboard_blind(-1);
}

static int lines;

static void count_line(void *context, irr_log_level_t level, const char *text)
{
    (void)context;
    (void)level;
    (void)text;
    lines++;
}

/* A communicator that must not use the network stays without it, or is not made; the user hears nothing of it. */
static void test_only_shared(void)
{
    static const struct { const char *name; int layout, blind; irr_status_t status; } cases[] = {
        { "board", 0, -1, IRR_OK }, { "node", 0, -1, IRR_OK }, { "board", 0, 4, IRR_OK },
        { "board", 1, -1, IRR_ERR_NOT_SUPPORTED }, { "board", 4, -1, IRR_ERR_NOT_SUPPORTED },
        { "a1", 0, -1, IRR_OK }, { "optimal", 0, -1, IRR_OK }, { "a1", 3, -1, IRR_ERR_NOT_SUPPORTED }
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        irr_onboard_t scene;

        open_sharing(&scene, cases[i].name, cases[i].layout);
        for (int r = 0; r < IRR_ONBOARD_RANKS; r++) {
            scene.team.params[r].only_shared = true;
        }
        irr_onboard_blind(cases[i].blind);
        lines = 0;
        irr_log_set(count_line, NULL, IRR_LOG_WARN);
        CU_ASSERT_EQUAL(irr_team_create(&scene.team), cases[i].status);
        irr_log_set(NULL, NULL, IRR_LOG_ERROR);
        CU_ASSERT_EQUAL(lines, 0);
        CU_ASSERT_EQUAL(network_calls(&scene), 0);
        CU_ASSERT_EQUAL(irr_world_ids(&scene.world), cases[i].status == IRR_OK ? IRR_ONBOARD_RANKS : 0);
        if (cases[i].status == IRR_OK) {
            irr_onboard_expect_kind(&scene, IRR_JOB_MIXED, 2);
        }
        irr_onboard_close(&scene);
    }
    irr_onboard_blind(-1);
}

/* One that fails on a rank has failed on all, by their boards, also for those that begin later; and so it stays. */
static void test_fails(void)
{
    irr_status_t result[IRR_CREW_MAX];
    irr_exchange_t *given_up;
    irr_onboard_t scene;

    open_sharing(&scene, "board", 0);
    CU_ASSERT_EQUAL_FATAL(irr_team_create(&scene.team), IRR_OK);
    scene.job = irr_job_create(IRR_ONBOARD_RANKS, IRR_JOB_MIXED, irr_test_random(&scene.state));
    irr_onboard_expect(&scene, -1);
    irr_job_fill(scene.job);
    for (int r = 0; r < IRR_ONBOARD_RANKS - 1; r++) {
        result[r] = irr_team_start_rank(&scene.team, r, scene.job);
    }
    result[IRR_ONBOARD_RANKS - 1] = IRR_OK;
    irr_test_must(irr_exchange_take(scene.team.comms[IRR_ONBOARD_RANKS - 1], &given_up));
    irr_test_must(irr_exchange_start(given_up, &scene.job->problems[IRR_ONBOARD_RANKS - 1],
                                     irr_job_input(scene.job, IRR_ONBOARD_RANKS - 1),
                                     irr_job_output(scene.job, IRR_ONBOARD_RANKS - 1)));
    irr_exchange_give(given_up);
    CU_ASSERT_TRUE(irr_team_progress(&scene.team, result, 20000));
    for (int i = 0; i < 20000; i++) {
        irr_engine_progress(scene.world.engines[i % IRR_ONBOARD_RANKS]);
    }
    for (int r = 0; r < IRR_ONBOARD_RANKS; r++) {
        CU_ASSERT(r == IRR_ONBOARD_RANKS - 1 || result[r] == IRR_OK || result[r] == IRR_ERR_PEER);
        CU_ASSERT_NOT_EQUAL(irr_team_start_rank(&scene.team, r, scene.job), IRR_IN_PROGRESS);
        CU_ASSERT_NOT_EQUAL(scene.team.comms[r]->failed, IRR_OK);
    }
    CU_ASSERT_EQUAL(network_calls(&scene), 0);
    irr_job_destroy(scene.job);
    irr_team_destroy(&scene.team);
    CU_ASSERT_EQUAL(irr_team_create(&scene.team), IRR_OK);
    irr_onboard_expect_kind(&scene, IRR_JOB_MIXED, 2);
    irr_onboard_close(&scene);
}

int main(void)
{
    static const irr_test_case_t cases[] = {
        { "what is lent, and what goes directly", test_lends },
        { "what is copied in any case", test_copies },
        { "one node needs no network", test_stays },
        { "shared memory only, or nothing", test_only_shared },
        { "a rank that fails tells by its board", test_fails },
        { NULL, NULL }
    };

    return irr_test_main("boards_lent", cases, 60);
}
