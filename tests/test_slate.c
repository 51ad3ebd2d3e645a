/*
 * test_slate.c - agreements on slates: N ranks in one process, each with a segment of its own, in turns at random, and
 * in threads at the same time; with exchanges between them, which take numbers of the same row.
 */
#include "irr_test.h"

#include "board/slate.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define RANKS_MAX 9
#define SEGMENT   ((size_t)1 << 20)
#define LENGTH    150   /* of a block: beside the cell */
#define ID        77

typedef enum kind { AGREE_ALL, AGREE_BY_SPEAKER, EXCHANGE, KINDS } kind_t;

typedef struct rank {
    irr_segment_t       segment;
    irr_view_t          view;
    irr_board_t         board;
    irr_board_card_t    card;
    uint64_t            words[IRR_SLATE_WORDS_MAX];
    irr_block_t         blocks[RANKS_MAX];
    irr_board_message_t sent[RANKS_MAX], received[RANKS_MAX];
    irr_problem_t       problem;
    unsigned char       input[RANKS_MAX * LENGTH], output[RANKS_MAX * LENGTH];
    int                 turns;   /* that are over */
    bool                open;
} rank_t;

static struct {
    int      ranks;
    bool     has_cells;
    uint64_t seed;
    rank_t  *rank;
} node;

/* ---- a node ---- */

static void join_all(void)
{
    for (int i = 0; i < node.ranks * node.ranks; i++) {
        rank_t *other = &node.rank[i % node.ranks];

        irr_test_must(irr_board_join(&node.rank[i / node.ranks].board, i % node.ranks, i % node.ranks, &other->view,
                                     &other->card));
    }
}

static void begin(int ranks, bool has_cells)
{
    node.ranks = ranks;
    node.has_cells = has_cells;
    node.seed = irr_test_seed();
    node.rank = irr_test_array((size_t)ranks, sizeof(*node.rank));
    for (int i = 0; i < ranks; i++) {
        rank_t *rank = &node.rank[i];

        irr_test_must(irr_segment_init(&rank->segment, IRR_BOARD_TABLE, SEGMENT));
        irr_test_must(irr_board_init(&rank->board, &rank->segment, ID, ranks, i, has_cells, &rank->card));
        irr_test_must(irr_view_open(&rank->view, &rank->card.segment));
        rank->board.block_max = rank->board.short_max = rank->board.bytes_max = SEGMENT;
    }
    join_all();
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

/* ---- turns: what each of them is, and has, is known to all ---- */

static uint64_t hash(int turn, int rank, size_t i)
{
    uint64_t state = node.seed ^ (uint64_t)turn << 32 ^ (uint64_t)rank << 16 ^ i;

    return irr_test_random(&state);
}

/* Several of a kind in a row, too. */
static kind_t kind_of(int turn)
{
    return (kind_t)(hash(turn / 2, 100, 0) % (node.has_cells ? KINDS : EXCHANGE));
}

static int speaker_of(int turn)
{
    return kind_of(turn) == AGREE_ALL ? IRR_SLATE_ALL : (int)(hash(turn, 101, 0) % (uint64_t)node.ranks);
}

static size_t count_of(int turn)
{
    return 1 + hash(turn, 102, 0) % IRR_SLATE_WORDS_MAX;
}

/* Rank -1 is all others that the speaker speaks to. */
static uint64_t word_of(int turn, int rank, size_t i)
{
    return hash(turn, rank + 1, i) >> hash(turn, rank + 1, i + 100) % 64;
}

static uint64_t most(int turn, size_t i)
{
    uint64_t found = 0;

    for (int r = speaker_of(turn) == IRR_SLATE_ALL ? 0 : -1; r < node.ranks; r++) {
        found = word_of(turn, r, i) > found ? word_of(turn, r, i) : found;
    }
    return found;
}

static void exchange(int me, int turn)
{
    rank_t *rank = &node.rank[me];
    const irr_board_sides_t sides = { rank->sent, rank->received };

    for (int i = 0; i < node.ranks; i++) {
        rank->blocks[i] = (irr_block_t){ .rank = i, .offset = i * LENGTH, .length = LENGTH };
        memset(rank->input + i * LENGTH, (int)hash(turn, me, (size_t)i), LENGTH);
    }
    rank->problem = (irr_problem_t){
        .ranks = node.ranks, .rank = me, .send = { rank->blocks, (size_t)node.ranks },
        .recv = { rank->blocks, (size_t)node.ranks } };
    irr_board_sides_of(&rank->board, &rank->problem, sides);
    irr_board_start(&rank->board, &rank->problem, &rank->board.all, sides,
                    (irr_board_buffers_t){ .input = rank->input, .output = rank->output });
}

static void start(int me)
{
    rank_t *rank = &node.rank[me];
    const int turn = rank->turns;

    rank->open = true;
    if (kind_of(turn) == EXCHANGE) {
        exchange(me, turn);
        return;
    }
    for (size_t i = 0; i < count_of(turn); i++) {
        rank->words[i] = word_of(turn, me, i);
    }
    irr_slate_start(&rank->board, speaker_of(turn), rank->words, count_of(turn));
}

static void check_exchange(int me, int turn)
{
    for (int i = 0; i < node.ranks * LENGTH; i++) {
        CU_ASSERT(i / LENGTH == me ||
                  node.rank[me].output[i] == (unsigned char)hash(turn, i / LENGTH, (size_t)me));
    }
}

static void check_words(int me, int turn)
{
    rank_t *rank = &node.rank[me];

    for (size_t i = 0; i < count_of(turn); i++) {
        if (speaker_of(turn) == me && word_of(turn, -1, i) > rank->words[i]) {
            rank->words[i] = word_of(turn, -1, i);
        }
        CU_ASSERT_EQUAL(rank->words[i], most(turn, i));
    }
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
    if (kind_of(rank->turns) == EXCHANGE) {
        check_exchange(me, rank->turns);
    } else {
        check_words(me, rank->turns);
    }
    if (kind_of(rank->turns) == AGREE_BY_SPEAKER && speaker_of(rank->turns) == me) {
        irr_slate_tell(&rank->board, false);
    }
    irr_board_end(&rank->board);
    rank->turns++;
    rank->open = false;
    return true;
}

static void take_turns(int turns)
{
    uint64_t state = node.seed;
    int left = node.ranks;

    while (left > 0) {
        const int me = (int)irr_test_below(&state, (uint64_t)node.ranks);

        if (node.rank[me].open) {
            left -= go_on(me) && node.rank[me].turns == turns;
        } else if (node.rank[me].turns < turns) {
            start(me);
        }
    }
}

static void test_turns(void)
{
    for (int ranks = 1; ranks <= RANKS_MAX; ranks++) {
        begin(ranks, ranks % 2 == 0);
        take_turns(200);
        end();
        begin(ranks, ranks % 2 != 0);
        take_turns(200);
        end();
    }
}

static void test_numbers_wrap(void)
{
    irr_board_card_t card;

    begin(4, true);
    for (int i = 0; i < node.ranks; i++) {
        card = node.rank[0].card;
        card.number = UINT32_MAX - 10;
        irr_test_must(irr_board_join(&node.rank[i].board, 0, 0, &node.rank[0].view, &card));
    }
    take_turns(50);
    for (int i = 0; i < 16; i++) {
        CU_ASSERT(irr_board_is_read(&node.rank[i / 4].board, i % 4));
    }
    end();
}

/* For agreements alone it takes as little for many ranks as for two; and others must not lie about where it is. */
static void test_place(void)
{
    irr_board_card_t card;

    begin(8, false);
    CU_ASSERT(node.rank[0].segment.taken <= 512);
    card = node.rank[1].card;
    card.place = SEGMENT - 512;
    CU_ASSERT_EQUAL(irr_board_join(&node.rank[0].board, 1, 1, &node.rank[1].view, &card), IRR_OK);
    card.place = SEGMENT - 384;
    CU_ASSERT_EQUAL(irr_board_join(&node.rank[0].board, 1, 1, &node.rank[1].view, &card), IRR_ERR_PROTOCOL);
    end();
}

/* ---- to fail, and to lie ---- */

/* One of three fails, or has another number of words, or says that it has so many; what each comes to. */
static void expect(int speaker, bool fails, size_t odd_count, uint32_t lie, const irr_status_t wanted[3])
{
    uint64_t words[3][IRR_SLATE_WORDS_MAX] = { { 1 }, { 2 }, { 3 } };

    begin(3, false);
    for (int me = 0; me < 3; me++) {
        irr_slate_start(&node.rank[me].board, speaker, words[me], me == 1 ? odd_count : 5);
    }
    if (lie > 0) {
        ((irr_board_slate_t *)(node.rank[1].segment.bytes + node.rank[1].board.place + 128))[1].count = lie;
    }
    for (int i = 1; i < 4; i++) {   /* who speaks is the first */
        const int me = i % 3;
        const irr_status_t status = irr_board_progress(&node.rank[me].board);

        CU_ASSERT_EQUAL(status, wanted[me]);
        if (me == speaker) {
            irr_slate_tell(&node.rank[me].board, fails || status != IRR_OK);
        }
    }
    end();
}

static void test_failed(void)
{
    const irr_status_t fine[] = { IRR_OK, IRR_OK, IRR_OK };
    const irr_status_t told[] = { IRR_ERR_PEER, IRR_OK, IRR_ERR_PEER };

    expect(IRR_SLATE_ALL, false, 5, 0, fine);
    expect(1, false, 5, 0, fine);
    expect(1, true, 5, 0, told);
}

static void test_lies(void)
{
    const irr_status_t odd[] = { IRR_ERR_PROTOCOL, IRR_ERR_PROTOCOL, IRR_ERR_PROTOCOL };
    const irr_status_t speaks[] = { IRR_ERR_PEER, IRR_ERR_PROTOCOL, IRR_ERR_PEER };
    const irr_status_t lied[] = { IRR_ERR_PROTOCOL, IRR_OK, IRR_ERR_PROTOCOL };

    expect(IRR_SLATE_ALL, false, 4, 0, odd);
    expect(1, false, 16, 0, speaks);
    expect(IRR_SLATE_ALL, false, 5, UINT32_MAX, lied);
    expect(IRR_SLATE_ALL, false, 5, 23, lied);
}

/* ---- at the same time ---- */

#define THREADS_TURNS 1000

static void rest(irr_board_t *board)
{
    irr_board_bed_t bed;

    if (irr_board_waits(board) && irr_board_lie_down(board, &bed)) {
        (void)irr_board_sleep(&bed, 1000000);
        irr_board_get_up(board);
    }
}

static void *run_thread(void *argument)
{
    const int me = (int)(intptr_t)argument;

    while (node.rank[me].turns < THREADS_TURNS) {
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

    begin(4, true);
    for (int i = 0; i < 4; i++) {
        irr_view_close(&node.rank[i].view);
        node.rank[i].view = (irr_view_t){ .bytes = node.rank[i].segment.bytes, .length = SEGMENT };
    }
    join_all();
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
        { "ranks in turns, with exchanges between",      test_turns },
        { "numbers wrap",                                test_numbers_wrap },
        { "the place of agreements alone",               test_place },
        { "who speaks has failed",                       test_failed },
        { "numbers of words that make no sense",         test_lies },
        { "ranks in threads, with exchanges between",    test_threads },
        { NULL, NULL }
    };

    return irr_test_main("slate", cases, 60);
}
