/*
 * irr_node.c - see irr_node.h.  A rank begins the next exchange when it is done with the one before, as ranks do.
 */
#include "irr_node.h"

#include "irr_test.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

irr_node_t irr_node;

/* ---- a node ---- */

void irr_node_begin(int ranks, size_t length_max, size_t bytes_max, bool lends)
{
    irr_node.ranks = ranks;
    irr_node.seed = irr_test_seed();
    irr_node.length_max = length_max;
    irr_node.rank = irr_test_array((size_t)ranks, sizeof(*irr_node.rank));
    for (int i = 0; i < ranks; i++) {
        irr_node_rank_t *rank = &irr_node.rank[i];

        irr_test_must(irr_segment_init(&rank->segment, IRR_BOARD_TABLE, IRR_NODE_SEGMENT));
        irr_test_must(irr_board_init(&rank->board, &rank->segment, IRR_NODE_ID, ranks, i, &rank->card));
        irr_test_must(irr_view_open(&rank->view, &rank->card.segment));
        rank->board.block_max = rank->board.short_max = IRR_NODE_BLOCK_MAX;
        rank->board.bytes_max = bytes_max;
        rank->board.lends = lends;
    }
    for (int i = 0; i < ranks * ranks; i++) {
        irr_node_rank_t *other = &irr_node.rank[i % ranks];

        irr_test_must(irr_board_join(&irr_node.rank[i / ranks].board, i % ranks, i % ranks, &other->view,
                                     &other->card));
    }
}

void irr_node_end(void)
{
    for (int i = 0; i < irr_node.ranks; i++) {
        irr_board_fini(&irr_node.rank[i].board);
        CU_ASSERT_EQUAL(irr_node.rank[i].segment.taken, 0);
    }
    for (int i = 0; i < irr_node.ranks; i++) {
        if (irr_node.rank[i].view.bytes != irr_node.rank[i].segment.bytes) {
            irr_view_close(&irr_node.rank[i].view);
        }
        irr_segment_fini(&irr_node.rank[i].segment);
    }
    free(irr_node.rank);
}

void irr_node_count_from(uint32_t number)
{
    irr_board_card_t card = irr_node.rank[0].card;

    card.number = number;
    for (int i = 0; i < irr_node.ranks; i++) {
        irr_test_must(irr_board_join(&irr_node.rank[i].board, 0, 0, &irr_node.rank[0].view, &card));
    }
}

/* ---- what is exchanged: a function of the exchange and both ranks ---- */

static uint64_t hash(int exchange, int from, int to)
{
    uint64_t state = irr_node.seed ^ (uint64_t)exchange << 40 ^ (uint64_t)from << 20 ^ (uint64_t)to;

    return irr_test_random(&state);
}

/* About half of all, several in a row. */
bool irr_node_is_sparse(int exchange)
{
    return hash(exchange / 9, 0, 0) % 4 != 0 && hash(exchange, 0, 0) % 4 != 0;
}

/* A rank sends to a few, on a ring or anywhere, for some exchanges. */
static bool are_neighbors(int exchange, int from, int to)
{
    return hash(exchange / 20, 0, 0) % 2 == 0 ? (to - from + irr_node.ranks) % irr_node.ranks == 1
                                              : hash(exchange / 5, from, to) % 3 == 0;
}

/* Many are short, some are empty, some too long for the board; several exchanges are alike. */
static size_t length_of(int exchange, int from, int to)
{
    const uint64_t word = hash(exchange / 3, from, to);

    if (irr_node_is_sparse(exchange) && !are_neighbors(exchange, from, to)) {
        return 0;
    }
    return word % 4 == 0 ? 0 : (word >> 8) % ((word >> 4) % 4 == 0 ? irr_node.length_max : 200);
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

static void state_neighbors(irr_node_rank_t *rank, int me, int exchange)
{
    rank->neighbors = (irr_neighbors_t){ .to = rank->neighbors_to, .from = rank->neighbors_from };
    for (int i = 0; i < irr_node.ranks; i++) {
        if (are_neighbors(exchange, me, i)) {
            rank->neighbors_to[rank->neighbors.nto++] = i;
        }
        if (are_neighbors(exchange, i, me)) {
            rank->neighbors_from[rank->neighbors.nfrom++] = i;
        }
    }
}

static void state_problem(int me, int exchange)
{
    irr_node_rank_t *rank = &irr_node.rank[me];
    size_t sent = 0, received = 0, in = 0, out = 0;

    for (int i = 0; i < irr_node.ranks; i++) {
        const int cuts = 1 + (int)(hash(exchange / 3, i, me) >> 60) % 3;

        sent += cut(rank->send + sent, i, length_of(exchange, me, i), cuts, &in);
        received += cut(rank->recv + received, i, length_of(exchange, i, me), 4 - cuts, &out);
    }
    rank->problem = (irr_problem_t){
        .ranks = irr_node.ranks, .rank = me, .send = { rank->send, sent }, .recv = { rank->recv, received } };
    if (irr_node_is_sparse(exchange)) {
        state_neighbors(rank, me, exchange);
        rank->problem.neighbors = &rank->neighbors;
    }
}

static void fill(irr_node_rank_t *rank, int me, int exchange)
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

/* What was just written is where it may be. */
static void check_written(const irr_node_rank_t *rank, int me)
{
    size_t beside = 0;

    for (int i = 0; i < irr_node.ranks; i++) {
        beside += i != me && rank->sent[i].bytes > 112 ? rank->sent[i].bytes : 0;
    }
    CU_ASSERT_EQUAL(rank->board.lends ? rank->board.nout : rank->board.nlent, 0);
    for (int i = 0; i < rank->board.nout + rank->board.nlent; i++) {
        const int to = i < rank->board.nout ? rank->board.out[i] : rank->board.lent[i - rank->board.nout];

        beside -= rank->sent[to].bytes;
        CU_ASSERT(rank->sent[to].bytes > IRR_NODE_BLOCK_MAX || rank->board.bytes_max < IRR_NODE_SEGMENT);
    }
    CU_ASSERT(beside <= rank->board.bytes_max / 2);
}

void irr_node_start(int me)
{
    irr_node_rank_t *rank = &irr_node.rank[me];
    irr_board_partners_t partners;

    state_problem(me, rank->exchanges);
    fill(rank, me, rank->exchanges);
    irr_board_sides_of(&rank->board, &rank->problem, (irr_board_sides_t){ rank->sent, rank->received });
    partners = irr_board_partners_of(&rank->board, &rank->problem, rank->to, rank->from);
    irr_board_start(&rank->board, &rank->problem, &partners, (irr_board_sides_t){ rank->sent, rank->received },
                    (irr_board_buffers_t){ .input = rank->input, .output = rank->output });
    if ((rank->board.left & IRR_BOARD_WRITE) == 0) {
        check_written(rank, me);
    }
    rank->open = true;
}

static bool is_direct(const irr_node_rank_t *rank, int from)
{
    for (int i = 0; i < rank->board.nin; i++) {
        if (rank->board.in[i] == from) {
            return true;
        }
    }
    return false;
}

/* What came by the board is right, and nothing else was written. */
static bool is_right(const irr_node_rank_t *rank, int me)
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
bool irr_node_go_on(int me)
{
    irr_node_rank_t *rank = &irr_node.rank[me];
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

void irr_node_take_turns(int exchanges)
{
    uint64_t state = irr_node.seed;
    int left = irr_node.ranks;

    while (left > 0) {
        const int me = (int)irr_test_below(&state, (uint64_t)irr_node.ranks);

        if (irr_node.rank[me].open) {
            left -= irr_node_go_on(me) && irr_node.rank[me].exchanges == exchanges;
        } else if (irr_node.rank[me].exchanges < exchanges) {
            irr_node_start(me);
        }
    }
}

/* ---- at the same time ---- */

static void rest(irr_board_t *board)
{
    irr_board_bed_t bed;

    if (irr_board_lie_down(board, &bed)) {
        (void)irr_board_sleep(&bed, 1000000);
        irr_board_get_up(board);
    }
}

static int thread_exchanges;

static void *run_thread(void *argument)
{
    const int me = (int)(intptr_t)argument;

    while (irr_node.rank[me].exchanges < thread_exchanges) {
        if (!irr_node.rank[me].open) {
            irr_node_start(me);
        } else if (!irr_node_go_on(me)) {
            rest(&irr_node.rank[me].board);
        }
    }
    return NULL;
}

void irr_node_run_threads(int exchanges)
{
    const int ranks = irr_node.ranks;
    pthread_t threads[IRR_NODE_RANKS_MAX];

    thread_exchanges = exchanges;
    for (int i = 0; i < ranks * ranks; i++) {
        irr_node_rank_t *rank = &irr_node.rank[i % ranks];
        const irr_view_t own = { .bytes = rank->segment.bytes, .length = IRR_NODE_SEGMENT };

        if (rank->view.bytes != own.bytes) {
            irr_view_close(&rank->view);
            rank->view = own;
        }
        irr_test_must(irr_board_join(&irr_node.rank[i / ranks].board, i % ranks, i % ranks, &rank->view,
                                     &rank->card));
    }
    for (int i = 0; i < ranks; i++) {
        CU_ASSERT_EQUAL_FATAL(pthread_create(&threads[i], NULL, run_thread, (void *)(intptr_t)i), 0);
    }
    for (int i = 0; i < ranks; i++) {
        pthread_join(threads[i], NULL);
    }
}
