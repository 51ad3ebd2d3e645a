/*
 * test_board.c - exchanges through boards: N ranks in one process, each with a segment of its own, mapped by the
 * others; in turns at random, and in threads at the same time.  A rank begins the next exchange when it is done with
 * the one before, as ranks do; every byte is checked.
 */
#include "irr_test.h"

#include "board/board.h"
#include "irr_memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define RANKS_MAX  9
#define BLOCKS_MAX (3 * RANKS_MAX)
#define BUFFER     ((size_t)1 << 16)
#define BLOCK_MAX  2000
#define SEGMENT    ((size_t)1 << 21)
#define ID         77

typedef struct rank {
    irr_segment_t       segment;
    irr_view_t          view;
    irr_board_t         board;
    irr_board_card_t    card;
    irr_board_message_t sent[RANKS_MAX], received[RANKS_MAX];
    irr_block_t         send[BLOCKS_MAX], recv[BLOCKS_MAX];
    irr_problem_t       problem;
    unsigned char       input[BUFFER], output[BUFFER];
    int                 exchanges;      /* that are over */
    bool                open;
    unsigned            told_out;       /* members that it sends messages */
} rank_t;

static struct {
    int      ranks;
    uint64_t seed;
    size_t   length_max;
    rank_t  *rank;
} node;

/* ---- a node ---- */

static void begin(int ranks, size_t length_max, size_t bytes_max)
{
    node.ranks = ranks;
    node.seed = irr_test_seed();
    node.length_max = length_max;
    node.rank = irr_test_array((size_t)ranks, sizeof(*node.rank));
    for (int i = 0; i < ranks; i++) {
        rank_t *rank = &node.rank[i];

        irr_test_must(irr_segment_init(&rank->segment, IRR_BOARD_TABLE, SEGMENT));
        irr_test_must(irr_board_init(&rank->board, &rank->segment, ID, ranks, i, true, &rank->card));
        irr_test_must(irr_view_open(&rank->view, &rank->card.segment));
        rank->board.block_max = BLOCK_MAX;
        rank->board.bytes_max = bytes_max;
    }
    for (int i = 0; i < ranks * ranks; i++) {
        irr_test_must(irr_board_join(&node.rank[i / ranks].board, i % ranks, i % ranks, &node.rank[i % ranks].view,
                                     &node.rank[i % ranks].card));
    }
}

static void end(void)
{
    for (int i = 0; i < node.ranks; i++) {
        irr_board_fini(&node.rank[i].board);
        CU_ASSERT_EQUAL(node.rank[i].segment.taken, 0);
    }
    for (int i = 0; i < node.ranks; i++) {
        if (node.rank[i].view.bytes != node.rank[i].segment.bytes) {
            irr_view_close(&node.rank[i].view);
        }
        irr_segment_fini(&node.rank[i].segment);
    }
    free(node.rank);
}

/* ---- what is exchanged: a function of the exchange and both ranks ---- */

static uint64_t hash(int exchange, int from, int to)
{
    uint64_t state = node.seed ^ (uint64_t)exchange << 40 ^ (uint64_t)from << 20 ^ (uint64_t)to;

    return irr_test_random(&state);
}

/* Many are short, some are empty, some too long for the board; several exchanges are alike. */
static size_t length_of(int exchange, int from, int to)
{
    const uint64_t word = hash(exchange / 3, from, to);

    return word % 4 == 0 ? 0 : (word >> 8) % ((word >> 4) % 4 == 0 ? node.length_max : 200);
}

static unsigned char byte_of(int exchange, int from, int to, size_t i)
{
    return (unsigned char)(hash(exchange, from, to) >> 8 * (i % 8)) ^ (unsigned char)i;
}

/* Cuts a message into one to three blocks, with gaps between; returns how many, none if it is empty. */
static size_t cut(irr_block_t *blocks, int rank, size_t length, int cuts, size_t *at)
{
    size_t count = 0;

    while (length > 0) {
        const size_t part = count + 1 < (size_t)cuts && length > 1 ? length / 2 : length;

        blocks[count++] = (irr_block_t){ .rank = rank, .offset = (ptrdiff_t)*at, .length = part };
        *at += part + 1;
        length -= part;
    }
    return count;
}

static void state_problem(int me, int exchange)
{
    rank_t *rank = &node.rank[me];
    size_t sent = 0, received = 0, in = 0, out = 0;

    for (int i = 0; i < node.ranks; i++) {
        const int cuts = 1 + (int)(hash(exchange / 3, i, me) >> 60) % 3;

        sent += cut(rank->send + sent, i, length_of(exchange, me, i), cuts, &in);
        received += cut(rank->recv + received, i, length_of(exchange, i, me), 4 - cuts, &out);
    }
    rank->problem = (irr_problem_t){
        .ranks = node.ranks, .rank = me, .send = { rank->send, sent }, .recv = { rank->recv, received } };
}

static void fill(rank_t *rank, int me, int exchange)
{
    size_t k = 0;

    for (size_t i = 0; i < rank->problem.send.count; i++) {
        const irr_block_t *block = &rank->send[i];

        k = i > 0 && block[-1].rank == block->rank ? k : 0;
        for (size_t n = 0; n < block->length; n++, k++) {
            rank->input[block->offset + (ptrdiff_t)n] = byte_of(exchange, me, block->rank, k);
        }
    }
    memset(rank->output, 0xee, sizeof(rank->output));
}

/* ---- an exchange of a rank ---- */

static void start(int me)
{
    rank_t *rank = &node.rank[me];
    size_t beside = 0;

    state_problem(me, rank->exchanges);
    fill(rank, me, rank->exchanges);
    irr_board_sides_of(&rank->board, &rank->problem, (irr_board_sides_t){ rank->sent, rank->received });
    irr_board_start(&rank->board, &rank->problem, (irr_board_sides_t){ rank->sent, rank->received },
                    (irr_board_buffers_t){ rank->input, rank->output, 0 });
    irr_board_wake_members(&rank->board);
    for (int i = 0; i < node.ranks; i++) {
        beside += i != me && rank->sent[i].bytes > 112 ? rank->sent[i].bytes : 0;
    }
    for (int i = 0; i < rank->board.nout; i++) {
        beside -= rank->sent[rank->board.out[i]].bytes;
        CU_ASSERT(length_of(rank->exchanges, me, rank->board.out[i]) > BLOCK_MAX || rank->board.bytes_max < SEGMENT);
    }
    CU_ASSERT(beside <= rank->board.bytes_max / 2);
    rank->open = true;
}

static bool is_direct(const rank_t *rank, int from)
{
    for (int i = 0; i < rank->board.nin; i++) {
        if (rank->board.in[i] == from) {
            return true;
        }
    }
    return false;
}

/* What came by the board is right, and nothing else was written. */
static bool is_right(const rank_t *rank, int me)
{
    size_t k = 0, at = 0;

    for (size_t i = 0; i < rank->problem.recv.count; i++) {
        const irr_block_t *block = &rank->recv[i];
        const bool written = block->rank != me && !is_direct(rank, block->rank);

        k = i > 0 && block[-1].rank == block->rank ? k : 0;
        for (size_t n = 0; n < block->length; n++, k++, at++) {
            const unsigned char wanted = written ? byte_of(rank->exchanges, block->rank, me, k) : 0xee;

            if (rank->output[at] != wanted) {
                return false;
            }
        }
        if (rank->output[at++] != 0xee) {
            return false;
        }
    }
    return true;
}

/* True when it is over. */
static bool go_on(int me)
{
    rank_t *rank = &node.rank[me];
    const irr_status_t status = irr_board_progress(&rank->board);

    if (status == IRR_IN_PROGRESS) {
        return false;
    }
    CU_ASSERT_EQUAL(status, IRR_OK);
    CU_ASSERT(is_right(rank, me));
    irr_board_end(&rank->board);
    rank->exchanges++;
    rank->open = false;
    return true;
}

/* ---- in turns ---- */

static void take_turns(int exchanges)
{
    uint64_t state = node.seed;
    int left = node.ranks;

    while (left > 0) {
        const int me = (int)irr_test_below(&state, (uint64_t)node.ranks);

        if (node.rank[me].open) {
            left -= go_on(me) && node.rank[me].exchanges == exchanges;
        } else if (node.rank[me].exchanges < exchanges) {
            start(me);
        }
    }
}

static void test_turns(void)
{
    for (int ranks = 1; ranks <= RANKS_MAX; ranks++) {
        begin(ranks, 3000, SEGMENT);
        take_turns(100);
        end();
    }
}

/* Nearly nothing fits beside the cells, so that most goes directly; nothing at all does; and no whole lines do. */
static void test_no_room(void)
{
    static const size_t room[] = { 4096, 0, 1000, 1030, 1090, 1150 };

    for (size_t i = 0; i < sizeof(room) / sizeof(room[0]); i++) {
        begin(5, i < 2 ? 1900 : 600, room[i]);
        take_turns(60);
        end();
    }
}

static void test_numbers_wrap(void)
{
    begin(4, 3000, SEGMENT);
    for (int i = 0; i < node.ranks; i++) {
        node.rank[i].board.number = UINT32_MAX - 10;
    }
    take_turns(50);
    for (int i = 0; i < 16; i++) {
        CU_ASSERT(irr_board_is_read(&node.rank[i / 4].board, i % 4));
    }
    end();
}

/* The second time, with the same lengths, there is nothing to take; and nothing of the heap. */
static void test_memory(void)
{
    size_t taken;

    irr_memory_begin();
    begin(4, 1500, SEGMENT);
    node.seed = 5;
    take_turns(2);
    taken = node.rank[1].segment.taken;
    irr_memory_fail(1, NULL);
    irr_memory_fail_all();
    take_turns(3);
    CU_ASSERT_EQUAL(node.rank[1].segment.taken, taken);
    CU_ASSERT_FALSE(irr_memory_failed());
    irr_memory_fail(0, NULL);
    end();
    CU_ASSERT_EQUAL(irr_memory_end(), 0);
}

static void test_no_memory(void)
{
    irr_segment_t segment;
    irr_board_t board;
    irr_board_card_t card;

    irr_test_must(irr_segment_init(&segment, IRR_BOARD_TABLE, SEGMENT));
    for (size_t nth = 1; nth <= 4; nth++) {
        irr_memory_begin();
        irr_memory_fail(nth, NULL);
        CU_ASSERT_EQUAL(irr_board_init(&board, &segment, ID, 4, 0, true, &card), IRR_ERR_NO_MEMORY);
        CU_ASSERT(irr_memory_failed());
        CU_ASSERT_EQUAL(irr_memory_end(), 0);
        CU_ASSERT_EQUAL(segment.taken, 0);
    }
    CU_ASSERT_EQUAL(irr_board_init(&board, &segment, ID, 1 << 20, 0, true, &card), IRR_ERR_NO_MEMORY);
    irr_segment_fini(&segment);
}

/* ---- wrong counts, and lies ---- */

/* Rank 0 sends so many bytes to rank 1, which awaits so many. */
static irr_status_t exchange_two(size_t sent, size_t awaited, const void *input, void *output, void (*lie)(void))
{
    irr_status_t status;

    for (int me = 0; me < 2; me++) {
        rank_t *rank = &node.rank[me];
        const size_t out = me == 0 ? sent : 0, in = me == 0 ? 0 : awaited;

        rank->send[0] = (irr_block_t){ .rank = 1, .length = out };
        rank->recv[0] = (irr_block_t){ .rank = 0, .length = in };
        rank->problem = (irr_problem_t){
            .ranks = 2, .rank = me, .send = { rank->send, out > 0 }, .recv = { rank->recv, in > 0 } };
        irr_board_sides_of(&rank->board, &rank->problem, (irr_board_sides_t){ rank->sent, rank->received });
        irr_board_start(&rank->board, &rank->problem, (irr_board_sides_t){ rank->sent, rank->received },
                        (irr_board_buffers_t){ input, output, (input == NULL ? IRR_LACKS_INPUT : 0) |
                                                              (output == NULL ? IRR_LACKS_OUTPUT : 0) });
    }
    if (lie != NULL) {
        lie();
    }
    CU_ASSERT_EQUAL(irr_board_progress(&node.rank[0].board), IRR_OK);
    status = irr_board_progress(&node.rank[1].board);
    irr_board_end(&node.rank[0].board);
    irr_board_end(&node.rank[1].board);
    return status;
}

static void test_counts(void)
{
    static const struct { size_t sent, awaited; irr_status_t status; } cases[] = {
        { 10, 10, IRR_OK }, { 10, 9, IRR_ERR_TRUNCATE }, { 1000, 10, IRR_ERR_TRUNCATE }, { 10, 0, IRR_ERR_TRUNCATE },
        { 0, 10, IRR_OK }, { 10, 20, IRR_OK }
    };
    unsigned char output[64];

    begin(2, 100, SEGMENT);
    memset(node.rank[0].input, 5, BUFFER);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const size_t copied = cases[i].sent < cases[i].awaited ? cases[i].sent : cases[i].awaited;

        memset(output, 1, sizeof(output));
        CU_ASSERT_EQUAL(exchange_two(cases[i].sent, cases[i].awaited, node.rank[0].input, output, NULL),
                        cases[i].status);
        for (size_t k = 0; k < sizeof(output); k++) {
            CU_ASSERT_EQUAL(output[k], k < copied ? 5 : 1);
        }
    }
    end();
}

static void test_lacking(void)
{
    unsigned char output[64] = { 1 };

    begin(2, 100, SEGMENT);
    CU_ASSERT_EQUAL(exchange_two(10, 10, NULL, output, NULL), IRR_ERR_PEER);
    CU_ASSERT_EQUAL(exchange_two(0, 10, NULL, output, NULL), IRR_OK);
    CU_ASSERT_EQUAL(exchange_two(10, 10, node.rank[0].input, NULL, NULL), IRR_OK);
    CU_ASSERT_EQUAL(output[0], 1);
    end();
}

/* The cell that rank 0 has for rank 1, as words: number and kind, length, offset. */
static uint64_t *own_cell(void)
{
    const rank_t *rank = &node.rank[0];

    return (uint64_t *)(void *)(rank->segment.bytes + rank->board.place) + (4 + rank->board.number % 2 * 2 + 1) * 16;
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
    own_cell()[2] = SEGMENT - 100;
}

static void test_lies(void)
{
    unsigned char output[512];

    begin(2, 100, SEGMENT);
    CU_ASSERT_EQUAL(exchange_two(10, 10, node.rank[0].input, output, lie_about_kind), IRR_ERR_PROTOCOL);
    CU_ASSERT_EQUAL(exchange_two(10, 10, node.rank[0].input, output, lie_about_length), IRR_ERR_PROTOCOL);
    CU_ASSERT_EQUAL(exchange_two(500, 500, node.rank[0].input, output, lie_about_length), IRR_ERR_PROTOCOL);
    CU_ASSERT_EQUAL(exchange_two(500, 500, node.rank[0].input, output, lie_about_offset), IRR_ERR_PROTOCOL);
    CU_ASSERT_EQUAL(exchange_two(500, 500, node.rank[0].input, output, NULL), IRR_OK);
    end();
}

static void test_bad_cards(void)
{
    irr_board_card_t card;

    begin(2, 100, SEGMENT);
    for (int wrong = 0; wrong < 4; wrong++) {
        card = node.rank[1].card;
        *(wrong < 3 ? &card.place : &card.number) = wrong == 0 ? SEGMENT - 128 : wrong == 1 ? UINT64_MAX - 127
                                                    : wrong == 2 ? card.place + 1 : UINT64_C(1) << 32;
        CU_ASSERT_EQUAL(irr_board_join(&node.rank[0].board, 1, 1, &node.rank[1].view, &card), IRR_ERR_PROTOCOL);
    }
    end();
}

/* ---- at the same time ---- */

#define THREADS_EXCHANGES 400

static void rest(irr_board_t *board)
{
    irr_board_bed_t bed;

    if (irr_board_lie_down(board, &bed)) {
        (void)irr_board_sleep(&bed, 1000000);
        irr_board_get_up(board);
    }
}

static void *run_thread(void *argument)
{
    const int me = (int)(intptr_t)argument;

    while (node.rank[me].exchanges < THREADS_EXCHANGES) {
        if (!node.rank[me].open) {
            start(me);
        } else if (!go_on(me)) {
            rest(&node.rank[me].board);
        }
    }
    return NULL;
}

/* The threads read the very addresses that are written, so that a sanitizer of threads sees both. */
static void test_threads(void)
{
    pthread_t threads[4];

    begin(4, 3000, SEGMENT);
    for (int i = 0; i < 16; i++) {
        rank_t *rank = &node.rank[i % 4];
        const irr_view_t own = { .bytes = rank->segment.bytes, .length = SEGMENT };

        if (rank->view.bytes != own.bytes) {
            irr_view_close(&rank->view);
            rank->view = own;
        }
        irr_test_must(irr_board_join(&node.rank[i / 4].board, i % 4, i % 4, &rank->view, &rank->card));
    }
    for (int i = 0; i < 4; i++) {
        CU_ASSERT_EQUAL_FATAL(pthread_create(&threads[i], NULL, run_thread, (void *)(intptr_t)i), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    end();
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
        { "in threads at the same time", test_threads },
        { NULL, NULL }
    };

    return irr_test_main("board", cases, 120);
}
