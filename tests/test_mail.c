/*
 * test_mail.c - what goes from node to node over boards: in turns at random, and in threads at the same time; what does
 * not agree, what is lacked, and what lies.
 */
#include "irr_mails.h"
#include "irr_memory.h"
#include "irr_test.h"

#include <string.h>

/* Every kind of job, each twice; twos of them alternate, too. */
static void test_turns(void)
{
    irr_mails.state = irr_test_seed();
    for (int layout = 0; layout < 5; layout++) {
        for (int ranks = 4; ranks <= RANKS_MAX; ranks += 1 + layout % 2) {
            irr_mails_begin(ranks, layout);
            irr_mails_draw(JOBS, IRR_JOB_KINDS);
            irr_mails_take_turns(60);
            irr_mails_end();
        }
    }
}

static void test_numbers_wrap(void)
{
    irr_mails.state = irr_test_seed();
    irr_mails_begin(7, 3);
    for (int r = 0; r < 7; r++) {
        irr_mails.rank[r].board.number = UINT32_MAX - 9;
    }
    irr_mails_draw(3, IRR_JOB_BLOCKS);
    irr_mails_take_turns(30);
    irr_mails_end();
}

/* Counts that do not change cost no byte but theirs, and no memory; servers have about as many nodes. */
static void test_cost(void)
{
    irr_mails.state = irr_test_seed();
    irr_memory_begin();
    irr_mails_begin(12, 1);
    irr_mails_draw(1, IRR_JOB_UNIFORM);
    irr_mails_take_turns(1);
    for (int r = 0; r < irr_mails.ranks; r++) {
        CU_ASSERT_EQUAL(irr_mails.rank[r].messages, 1);
        CU_ASSERT_EQUAL(irr_mails.rank[r].described, 2 * 3 * 3);
    }
    irr_memory_fail(1, NULL);
    irr_memory_fail_all();
    irr_mails_take_turns(5);
    CU_ASSERT_FALSE(irr_memory_failed());
    irr_memory_fail(0, NULL);
    for (int r = 0; r < irr_mails.ranks; r++) {
        CU_ASSERT_EQUAL(irr_mails.rank[r].described, 0);
    }
    irr_mails_end();
    CU_ASSERT_EQUAL(irr_memory_end(), 0);
}

/* Rank 1 awaits less than rank 0, on another node, sends: it is told, and nobody else; the next exchange is right. */
static void test_truncated(void)
{
    irr_mails.state = irr_test_seed();
    for (int shorter = 0; shorter < 2; shorter++) {
        irr_mails_begin(6, 0);
        irr_mails_draw(1, IRR_JOB_UNIFORM);
        if (irr_job_length(irr_mails.job[0], 0, 1) > LIMIT) {
            for (int i = 0; i < 36; i++) {
                irr_job_shorten(irr_mails.job[0], i / 6, i % 6, LIMIT / 2);
            }
        }
        irr_job_cut(irr_mails.job[0], 1, 0, shorter == 0 ? irr_job_length(irr_mails.job[0], 0, 1) - 1 : 0);
        irr_job_disregard(irr_mails.job[0], 1, 0);
        irr_mails_run_once();
        for (int r = 0; r < irr_mails.ranks; r++) {
            CU_ASSERT_EQUAL(irr_mails.rank[r].result, r == 1 ? IRR_ERR_TRUNCATE : IRR_OK);
            CU_ASSERT_TRUE(irr_job_verify(irr_mails.job[0], r));
        }
        irr_mails_drop();
        irr_mails_draw(4, IRR_JOB_SPARSE);
        irr_mails_take_turns(8);
        irr_mails_end();
    }
}

/* Rank 0 sends so much to rank 1, on another node, which awaits so much. */
static void disagree(size_t sent, size_t awaited, bool told, bool lost)
{
    irr_job_t *job;

    irr_mails_begin(4, 0);
    do {
        irr_mails_drop();
        irr_mails_draw(1, IRR_JOB_MIXED);
        job = irr_mails.job[0];
    } while (irr_job_length(job, 0, 1) <= LIMIT + 2);
    for (int i = 0; i < 16; i++) {
        irr_job_shorten(job, i / 4, i % 4, i == 1 ? LIMIT + 2 : 0);
    }
    job->send[0][0].length = sent;
    job->recv[1][0].length = awaited;
    job->problems[0].send.count = sent > 0;
    job->problems[1].recv.count = awaited > 0;
    irr_mails_run_once();
    CU_ASSERT_EQUAL(irr_mails.rank[1].mail.nin, told);
    CU_ASSERT_EQUAL(irr_mails.rank[1].mail.lost, lost);
    irr_mails_end();
}

/* A rank learns that a message comes directly, or not. */
static void test_directly(void)
{
    irr_mails.state = irr_test_seed();
    disagree(LIMIT + 1, LIMIT, true, false);
    disagree(LIMIT + 1, 0, true, false);
    disagree(LIMIT, LIMIT + 1, false, true);
    disagree(0, LIMIT + 1, false, true);
    disagree(LIMIT + 1, LIMIT + 2, false, false);
    disagree(0, LIMIT, false, false);
}

/* Who has no memory for its input is told of by those that miss something, and only by those. */
static void test_lacking(void)
{
    irr_mails.state = irr_test_seed();
    irr_mails_begin(7, 1);
    irr_mails_draw(1, IRR_JOB_SPARSE);
    irr_mails_take_turns(2);
    irr_mails.rank[3].lacks = true;
    irr_mails_run_once();
    for (int r = 0; r < irr_mails.ranks; r++) {
        const bool misses = r != 3 && irr_job_length(irr_mails.job[0], 3, r) > 0 &&
                            irr_job_length(irr_mails.job[0], 3, r) <= LIMIT;

        if (r != 3 && irr_mails.nodes.node[r] != irr_mails.nodes.node[3]) {
            CU_ASSERT_EQUAL(irr_mails.rank[r].result, misses ? IRR_ERR_PEER : IRR_OK);
        }
    }
    irr_mails.rank[3].lacks = false;
    irr_mails_take_turns(3);
    irr_mails_end();
}

/* What all ranks know alike: room for as many blocks as there are ranks, four times; and none where nobody shares. */
static void test_limit(void)
{
    const int two[] = { 0, 0, 1, 1, 0, 1, 1, 0 }, one[8] = { 0 }, alone[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    irr_nodes_t nodes;

    irr_test_must(irr_nodes_init(&nodes, 8, two));
    CU_ASSERT_EQUAL(irr_mail_limit(&nodes, 1 << 20, 1 << 20), IRR_MAIL_BLOCK_MAX);
    CU_ASSERT_EQUAL(irr_mail_limit(&nodes, 100, 1 << 20), 100);
    CU_ASSERT_EQUAL(irr_mail_limit(&nodes, 1 << 20, 6400), 100);
    CU_ASSERT_EQUAL(irr_mail_limit(&nodes, 1 << 20, 63), 0);
    irr_nodes_fini(&nodes);
    irr_test_must(irr_nodes_init(&nodes, 8, one));
    CU_ASSERT_EQUAL(irr_mail_limit(&nodes, 1 << 20, 1 << 20), 0);
    irr_nodes_fini(&nodes);
    irr_test_must(irr_nodes_init(&nodes, 8, alone));
    CU_ASSERT_EQUAL(irr_mail_limit(&nodes, 1 << 20, 1 << 20), 0);
    irr_nodes_fini(&nodes);
}

static void test_no_memory(void)
{
    irr_mail_t mail;
    const irr_nodes_t *nodes = &irr_mails.nodes;
    irr_board_t *board;
    uint64_t place;

    irr_mails_begin(6, 0);
    board = &irr_mails.rank[0].board;
    for (size_t nth = 1; nth <= 2; nth++) {
        const size_t taken = irr_mails.rank[0].segment.taken;

        irr_memory_begin();
        irr_memory_fail(nth, NULL);
        CU_ASSERT_EQUAL(irr_mail_init(&mail, board, nodes, 0, LIMIT, &place), IRR_ERR_NO_MEMORY);
        CU_ASSERT(irr_memory_failed());
        CU_ASSERT_EQUAL(irr_memory_end(), 0);
        CU_ASSERT_EQUAL(irr_mails.rank[0].segment.taken, taken);
    }
    CU_ASSERT_EQUAL(irr_mail_init(&mail, board, nodes, 0, SEGMENT, &place), IRR_ERR_NO_MEMORY);
    irr_mails_end();
}

/* A place that is outside of the segment, or between lines. */
static void test_bad_places(void)
{
    const uint64_t places[] = { SEGMENT, SEGMENT - 64, UINT64_MAX - 63, 32 };

    irr_mails_begin(6, 0);
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        CU_ASSERT_EQUAL(irr_mail_join(&irr_mails.rank[0].mail, 1, places[i]), IRR_ERR_PROTOCOL);
    }
    irr_mails_end();
}

/* ---- lies ---- */

/* Where a rank writes what it reads there. */
static void *written(int rank, const void *read)
{
    return irr_mails.rank[rank].segment.bytes + ((const unsigned char *)read - irr_mails.rank[rank].view.bytes);
}

/* All but one of the messages of a rank's server are in; that one is this. */
static irr_status_t receive_lie(int me, const void *bytes, size_t length)
{
    irr_mails_rank_t *rank = &irr_mails.rank[me];
    irr_mail_served_t *served = &rank->mail.served[0];
    const irr_piece_t room = irr_mail_room(&rank->mail, served);

    memcpy((void *)(uintptr_t)room.offset, bytes, length);
    return irr_mail_received(&rank->mail, served, length);
}

/* Two nodes of two: 0 and 2, 1 and 3, of which 0 and 1 serve. */
static void test_bad_messages(void)
{
    const uint16_t too_long[4] = { LIMIT + 1, 0, 0, 0 }, too_many[4] = { 1, 1, 1, 1 };
    unsigned char bytes[64] = { 0 };

    irr_mails.state = irr_test_seed();
    for (int lie = 0; lie < 4; lie++) {
        irr_mails_begin(4, 0);
        irr_mails_draw(1, IRR_JOB_ZERO);
        irr_mails_start(0);
        memcpy(bytes, lie == 2 ? too_long : too_many, sizeof(too_many));
        CU_ASSERT_EQUAL(receive_lie(0, bytes, lie == 0 ? 7 : lie == 1 ? 11 : lie == 2 ? 8 : 64), IRR_ERR_PROTOCOL);
        irr_mails_end();
    }
}

/* What rank 2 reads on the board of rank 0, where rank 0 lies. */
static void read_lie(uint32_t base, uint32_t offset, uint32_t length, irr_status_t status)
{
    irr_mails_rank_t *rank;
    uint32_t *arrival;

    irr_mails_begin(4, 0);
    irr_mails_draw(1, IRR_JOB_UNIFORM);
    for (int i = 0; i < 16; i++) {
        irr_job_shorten(irr_mails.job[0], i / 4, i % 4, 1);
    }
    rank = &irr_mails.rank[2];
    irr_mails_start(0);
    irr_mails_start(2);
    CU_ASSERT_EQUAL(irr_board_progress(&rank->board), IRR_OK);
    arrival = written(0, irr_mails.rank[0].mail.others[0].arrival[1]);
    arrival[1] = base;
    for (int i = 0; i < 4; i++) {
        arrival[16 + 2 * i] = offset;
        arrival[17 + 2 * i] = length;
    }
    arrival[0] = rank->mail.number;
    CU_ASSERT_EQUAL(irr_mail_progress(&rank->mail), status);
    irr_mails_end();
}

static void test_bad_slots(void)
{
    irr_mails.state = irr_test_seed();
    read_lie(0, 0, 1, IRR_OK);
    read_lie(UINT32_MAX, 0, 1, IRR_ERR_PROTOCOL);
    read_lie(0, UINT32_MAX, 1, IRR_ERR_PROTOCOL);
    read_lie(800, 9, 1, IRR_ERR_PROTOCOL);
    read_lie(0, 0, LIMIT + 1, IRR_ERR_PROTOCOL);
    read_lie(0, 0, UINT32_MAX, IRR_ERR_PROTOCOL);
}

/* A length in a row that is none: who would get the block is told, and the message has a length that is one. */
static void test_bad_row(void)
{
    uint16_t *row;

    irr_mails.state = irr_test_seed();
    irr_mails_begin(4, 0);
    irr_mails_draw(1, IRR_JOB_UNIFORM);
    for (int i = 0; i < 16; i++) {
        irr_job_shorten(irr_mails.job[0], i / 4, i % 4, 9);
    }
    for (int r = 0; r < 4; r++) {
        irr_mails_start(r);
    }
    row = written(2, irr_mails.rank[2].mail.sources[1].row[1]);
    row[0] = LIMIT + 1;
    for (int i = 0; i < 100; i++) {
        for (int r = 0; r < 4; r++) {
            if (irr_mails.rank[r].open && irr_mails_go_on(r)) {
                CU_ASSERT_EQUAL(irr_mails.rank[r].result, r == 1 ? IRR_ERR_PEER : IRR_OK);
            }
        }
    }
    irr_mails_end();
}

/* ---- at the same time ---- */

#define THREADS_EXCHANGES 300

static void rest(irr_board_t *board)
{
    irr_board_bed_t bed;

    if (irr_board_waits(board) && irr_board_lie_down(board, &bed)) {
        (void)irr_board_sleep(&bed, 1000);
        irr_board_get_up(board);
    }
}

static void *run_thread(void *argument)
{
    const int me = (int)(intptr_t)argument;
    irr_mails_rank_t *rank = &irr_mails.rank[me];

    while (rank->exchanges < THREADS_EXCHANGES) {
        if (!rank->open) {
            irr_mails_start(me);
        } else if (irr_mails_go_on(me)) {
            const bool right = rank->result == IRR_OK && irr_job_verify(irr_mails_job(rank), me);

            rank->exchanges += right ? 1 : THREADS_EXCHANGES + 1;
        } else {
            rest(&rank->board);
        }
    }
    return NULL;
}

/* The threads read the very addresses that are written, so that a sanitizer of threads sees both. */
static void test_threads(void)
{
    pthread_t threads[6];

    irr_mails.state = irr_test_seed();
    irr_mails_begin(6, 1);
    irr_mails_draw(JOBS, IRR_JOB_BLOCKS);
    for (int r = 0; r < 6; r++) {
        irr_view_close(&irr_mails.rank[r].view);
        irr_mails.rank[r].view = (irr_view_t){ .bytes = irr_mails.rank[r].segment.bytes, .length = SEGMENT };
    }
    for (int r = 0; r < 6; r++) {
        irr_mails_join(r);
    }
    for (int r = 0; r < 6; r++) {
        CU_ASSERT_EQUAL_FATAL(pthread_create(&threads[r], NULL, run_thread, (void *)(intptr_t)r), 0);
    }
    for (int r = 0; r < 6; r++) {
        pthread_join(threads[r], NULL);
        CU_ASSERT_EQUAL(irr_mails.rank[r].exchanges, THREADS_EXCHANGES);
    }
    irr_mails_end();
}

int main(void)
{
    static const irr_test_case_t cases[] = {
        { "in turns, every kind of job on every layout",      test_turns },
        { "numbers wrap",                                     test_numbers_wrap },
        { "what does not change costs nothing",               test_cost },
        { "a block that is too short is told to its rank",    test_truncated },
        { "a long block at one end alone",                    test_directly },
        { "a rank without input",                             test_lacking },
        { "how long a block may be",                           test_limit },
        { "without memory there is none",                     test_no_memory },
        { "places that lie",                                  test_bad_places },
        { "messages that lie",                                test_bad_messages },
        { "boards that lie",                                  test_bad_slots },
        { "a row that lies",                                  test_bad_row },
        { "in threads at the same time",                      test_threads },
        { NULL, NULL }
    };

    return irr_test_main("mail", cases, 120);
}
