/*
 * test_board.c - exchanges through boards of ranks that cannot lend (irr_node.h), in turns at random, and in threads at
 * the same time; and lies.
 */
#include "irr_node.h"
#include "irr_test.h"

#include "irr_memory.h"

#include <string.h>

static void test_turns(void)
{
    for (int ranks = 1; ranks <= IRR_NODE_RANKS_MAX; ranks++) {
        irr_node_begin(ranks, 3000, IRR_NODE_SEGMENT, false);
        irr_node_take_turns(100);
        irr_node_end();
    }
}

/* Nearly nothing fits beside the cells, so that most goes directly; nothing at all does; and no whole lines do. */
static void test_no_room(void)
{
    static const size_t room[] = { 4096, 0, 1000, 1030, 1090, 1150 };

    for (size_t i = 0; i < sizeof(room) / sizeof(room[0]); i++) {
        irr_node_begin(5, i < 2 ? 1900 : 600, room[i], false);
        irr_node_take_turns(60);
        irr_node_end();
    }
}

static void test_numbers_wrap(void)
{
    irr_node_begin(4, 3000, IRR_NODE_SEGMENT, false);
    irr_node_count_from(UINT32_MAX - 10);
    irr_node_take_turns(50);
    for (int i = 0; i < 16; i++) {
        CU_ASSERT(irr_board_is_read(&irr_node.rank[i / 4].board, i % 4));
    }
    irr_node_end();
}

/* The second time, with the same lengths among all ranks, there is nothing to take; and nothing of the heap. */
static void test_memory(void)
{
    size_t taken;

    irr_memory_begin();
    irr_node_begin(4, 1500, IRR_NODE_SEGMENT, false);
    irr_node.seed = 5;
    while (irr_node_is_sparse(0) || irr_node_is_sparse(1) || irr_node_is_sparse(2)) {
        irr_node.seed++;
    }
    irr_node_take_turns(2);
    taken = irr_node.rank[1].segment.taken;
    irr_memory_fail(1, NULL);
    irr_memory_fail_all();
    irr_node_take_turns(3);
    CU_ASSERT_EQUAL(irr_node.rank[1].segment.taken, taken);
    CU_ASSERT_FALSE(irr_memory_failed());
    irr_memory_fail(0, NULL);
    irr_node_end();
    CU_ASSERT_EQUAL(irr_memory_end(), 0);
}

static void test_no_memory(void)
{
    irr_segment_t segment;
    irr_board_t board;
    irr_board_card_t card;

    irr_test_must(irr_segment_init(&segment, IRR_BOARD_TABLE, IRR_NODE_SEGMENT));
    irr_memory_begin();
    irr_memory_fail(1, NULL);
    CU_ASSERT_EQUAL(irr_board_init(&board, &segment, IRR_NODE_ID, 4, 0, &card), IRR_ERR_NO_MEMORY);
    CU_ASSERT(irr_memory_failed());
    CU_ASSERT_EQUAL(irr_memory_end(), 0);
    CU_ASSERT_EQUAL(segment.taken, 0);
    CU_ASSERT_EQUAL(irr_board_init(&board, &segment, IRR_NODE_ID, 1 << 20, 0, &card), IRR_ERR_NO_MEMORY);
    irr_segment_fini(&segment);
}

/* ---- wrong counts, and lies ---- */

/* Rank 0 sends so many bytes to rank 1, which awaits so many. */
static irr_status_t exchange_two(size_t sent, size_t awaited, const void *input, void *output, void (*lie)(void))
{
    irr_status_t status;

    for (int me = 0; me < 2; me++) {
        irr_node_rank_t *rank = &irr_node.rank[me];
        const size_t out = me == 0 ? sent : 0, in = me == 0 ? 0 : awaited;

        rank->send[0] = (irr_block_t){ .rank = 1, .length = out };
        rank->recv[0] = (irr_block_t){ .rank = 0, .length = in };
        rank->problem = (irr_problem_t){
            .ranks = 2, .rank = me, .send = { rank->send, out > 0 }, .recv = { rank->recv, in > 0 } };
        irr_board_sides_of(&rank->board, &rank->problem, (irr_board_sides_t){ rank->sent, rank->received });
        irr_board_start(&rank->board, &rank->problem, &rank->board.all,
                        (irr_board_sides_t){ rank->sent, rank->received },
                        (irr_board_buffers_t){ .input = input, .output = output,
                                               .lacks = (input == NULL ? IRR_LACKS_INPUT : 0) |
                                                        (output == NULL ? IRR_LACKS_OUTPUT : 0) });
    }
    if (lie != NULL) {
        lie();
    }
    CU_ASSERT_EQUAL(irr_board_progress(&irr_node.rank[0].board), IRR_OK);
    status = irr_board_progress(&irr_node.rank[1].board);
    irr_board_end(&irr_node.rank[0].board);
    irr_board_end(&irr_node.rank[1].board);
    return status;
}

static void test_counts(void)
{
    static const struct { size_t sent, awaited; irr_status_t status; } cases[] = {
        { 10, 10, IRR_OK }, { 10, 9, IRR_ERR_TRUNCATE }, { 1000, 10, IRR_ERR_TRUNCATE }, { 10, 0, IRR_ERR_TRUNCATE },
        { 0, 10, IRR_OK }, { 10, 20, IRR_OK }
    };
    unsigned char output[64];

    irr_node_begin(2, 100, IRR_NODE_SEGMENT, false);
    memset(irr_node.rank[0].input, 5, IRR_NODE_BUFFER);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const size_t copied = cases[i].sent < cases[i].awaited ? cases[i].sent : cases[i].awaited;

        memset(output, 1, sizeof(output));
        CU_ASSERT_EQUAL(exchange_two(cases[i].sent, cases[i].awaited, irr_node.rank[0].input, output, NULL),
                        cases[i].status);
        for (size_t k = 0; k < sizeof(output); k++) {
            CU_ASSERT_EQUAL(output[k], k < copied ? 5 : 1);
        }
    }
    irr_node_end();
}

static void test_lacking(void)
{
    unsigned char output[64] = { 1 };

    irr_node_begin(2, 100, IRR_NODE_SEGMENT, false);
    CU_ASSERT_EQUAL(exchange_two(10, 10, NULL, output, NULL), IRR_ERR_PEER);
    CU_ASSERT_EQUAL(exchange_two(0, 10, NULL, output, NULL), IRR_OK);
    CU_ASSERT_EQUAL(exchange_two(10, 10, irr_node.rank[0].input, NULL, NULL), IRR_OK);
    CU_ASSERT_EQUAL(output[0], 1);
    irr_node_end();
}

/* The cell that rank 0 has for rank 1, as words: number and kind, length, offset. */
static uint64_t *own_cell(void)
{
    const irr_node_rank_t *rank = &irr_node.rank[0];

    return (uint64_t *)(void *)(rank->segment.bytes + rank->board.place) + (1 + rank->board.number % 2 * 2 + 1) * 16;
}

static void lie_about_kind(void)
{
    own_cell()[0] |= UINT64_C(99) << 32;
}

static void lie_about_length(void)
{
    own_cell()[1] = UINT64_MAX;
}

static void lie_about_offset(void)
{
    own_cell()[2] = IRR_NODE_SEGMENT - 100;
}

static void test_lies(void)
{
    unsigned char output[512];

    irr_node_begin(2, 100, IRR_NODE_SEGMENT, false);
    CU_ASSERT_EQUAL(exchange_two(10, 10, irr_node.rank[0].input, output, lie_about_kind), IRR_ERR_PROTOCOL);
    CU_ASSERT_EQUAL(exchange_two(10, 10, irr_node.rank[0].input, output, lie_about_length), IRR_ERR_PROTOCOL);
    CU_ASSERT_EQUAL(exchange_two(500, 500, irr_node.rank[0].input, output, lie_about_length), IRR_ERR_PROTOCOL);
    CU_ASSERT_EQUAL(exchange_two(500, 500, irr_node.rank[0].input, output, lie_about_offset), IRR_ERR_PROTOCOL);
    CU_ASSERT_EQUAL(exchange_two(500, 500, irr_node.rank[0].input, output, NULL), IRR_OK);
    irr_node_end();
}

static void test_bad_cards(void)
{
    irr_board_card_t card;

    irr_node_begin(2, 100, IRR_NODE_SEGMENT, false);
    for (int wrong = 0; wrong < 4; wrong++) {
        card = irr_node.rank[1].card;
        *(wrong < 3 ? &card.place : &card.number) = wrong == 0 ? IRR_NODE_SEGMENT - 128 : wrong == 1 ? UINT64_MAX - 127
                                                    : wrong == 2 ? card.place + 1 : UINT64_C(1) << 32;
        CU_ASSERT_EQUAL(irr_board_join(&irr_node.rank[0].board, 1, 1, &irr_node.rank[1].view, &card), IRR_ERR_PROTOCOL);
    }
    irr_node_end();
}

/* ---- neighbours ---- */

/* Rank 0 sends a byte to rank 1, which does not send to it. */
static void start_one_way(int me, unsigned char *byte)
{
    static const int other[] = { 1, 0 };
    irr_node_rank_t *rank = &irr_node.rank[me];
    const irr_board_sides_t sides = { rank->sent, rank->received };
    irr_board_partners_t partners;

    rank->send[0] = (irr_block_t){ .rank = other[me], .length = 1 };
    rank->neighbors = (irr_neighbors_t){ .to = &other[me], .from = &other[me], .nto = me == 0, .nfrom = me == 1 };
    rank->problem = (irr_problem_t){
        .ranks = 2, .rank = me, .send = { rank->send, me == 0 }, .recv = { rank->send, me == 1 },
        .neighbors = &rank->neighbors };
    irr_board_sides_of(&rank->board, &rank->problem, sides);
    partners = irr_board_partners_of(&rank->board, &rank->problem, rank->to, rank->from);
    irr_board_start(&rank->board, &rank->problem, &partners, sides,
                    (irr_board_buffers_t){ .input = byte, .output = byte });
}

static void end_one_way(int me)
{
    CU_ASSERT_EQUAL(irr_board_progress(&irr_node.rank[me].board), IRR_OK);
    irr_board_end(&irr_node.rank[me].board);
}

/* Who is not waited for may be two exchanges ahead, and then waits until what it writes over is read. */
static void test_ahead(void)
{
    irr_board_t *ahead;
    irr_board_bed_t bed;
    unsigned char sent, came = 0;

    irr_node_begin(2, 100, IRR_NODE_SEGMENT, false);
    ahead = &irr_node.rank[0].board;
    for (unsigned char i = 0; i < 20; i++) {
        sent = i;
        start_one_way(0, &sent);
        if (i >= 2) {
            CU_ASSERT_EQUAL(irr_board_progress(ahead), IRR_IN_PROGRESS);
            CU_ASSERT_TRUE(irr_board_lie_down(ahead, &bed));
            CU_ASSERT_FALSE(irr_board_sleep(&bed, 1));
            start_one_way(1, &came);
            end_one_way(1);
            CU_ASSERT_EQUAL(came, i - 2);
            CU_ASSERT_TRUE(irr_board_sleep(&bed, 10000000));   /* the number is another one */
            CU_ASSERT_FALSE(irr_board_lie_down(ahead, &bed));
            irr_board_get_up(ahead);
        }
        end_one_way(0);
    }
    irr_node_end();
}

/* ---- at the same time ---- */

static void test_threads(void)
{
    irr_node_begin(4, 3000, IRR_NODE_SEGMENT, false);
    irr_node_run_threads(400);
    irr_node_end();
}

int main(void)
{
    static const irr_test_case_t cases[] = {
        { "in turns, 1 to 9 ranks", test_turns },
        { "little room, and none", test_no_room },
        { "numbers wrap", test_numbers_wrap },
        { "the second time takes no memory", test_memory },
        { "without memory there is no board", test_no_memory },
        { "counts that do not agree", test_counts },
        { "ranks without buffers", test_lacking },
        { "cells that lie", test_lies },
        { "cards that lie", test_bad_cards },
        { "neighbours, of whom one is ahead", test_ahead },
        { "in threads at the same time", test_threads },
        { NULL, NULL }
    };

    return irr_test_main("board", cases, 120);
}
