/*
 * test_lend.c - memory that ranks of a node lend each other: who may read whom, lists of blocks, lies; and exchanges
 * through boards of ranks that lend what is long (irr_node.h).
 */
#include "irr_node.h"
#include "irr_test.h"

#include "transport/shm/lend.h"
#include "irr_memory.h"
#include "problem/blocks.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- other processes ---- */

/* What a process that is made for it finds. */
static bool found_by_child(bool (*finds)(const void *context), const void *context)
{
    const pid_t child = fork();
    int status = 1;

    if (child == 0) {
        _exit(finds(context) ? 0 : 1);
    }
    CU_ASSERT_FATAL(child > 0);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool works(const void *context)
{
    return irr_lend_works(context);
}

/* The kernel refuses to read, as a container may. */
static bool works_where_forbidden(const void *context)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
    };
    struct sock_fprog program = { .len = sizeof(filter) / sizeof(filter[0]), .filter = filter };

    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 &&
           irr_lend_works(context);
}

/* A card tells who it is: another word, nobody's memory, or nobody at all is seen. */
static void test_cards(void)
{
    static uint64_t word, other;
    irr_lend_card_t card, wrong;

    irr_lend_offer(&word, &card);
    CU_ASSERT(word != 0 && card.word == word && card.process == (uint64_t)getpid());
    CU_ASSERT_TRUE(irr_lend_works(&card));
    CU_ASSERT_TRUE(found_by_child(works, &card));
    CU_ASSERT_FALSE(found_by_child(works_where_forbidden, &card));
    irr_lend_offer(&other, &wrong);
    CU_ASSERT_NOT_EQUAL(other, word);
    wrong = card;
    wrong.address = (uintptr_t)&other;
    CU_ASSERT_FALSE(irr_lend_works(&wrong));
    wrong.address = 8;
    CU_ASSERT_FALSE(irr_lend_works(&wrong));
    wrong = card;
    wrong.process = UINT64_MAX;
    CU_ASSERT_FALSE(irr_lend_works(&wrong));
    wrong = (irr_lend_card_t){ .process = card.process, .address = card.address };
    CU_ASSERT_FALSE(irr_lend_works(&wrong));
}

/* ---- lists ---- */

#define BYTES      20000
#define BLOCKS_MAX 400

typedef struct scene {
    uint64_t      state;
    unsigned char input[2 * BYTES], output[2 * BYTES], wanted[2 * BYTES];
    irr_block_t   from[BLOCKS_MAX], to[BLOCKS_MAX];
    irr_blocks_t  lent, awaited;
} scene_t;

static scene_t scene;

/* So many bytes in blocks of random lengths with gaps between them, in a random order or not at all. */
static irr_blocks_t cut(irr_block_t *list, size_t bytes, size_t longest)
{
    ptrdiff_t at = 0;
    size_t count = 0;

    while (bytes > 0) {
        size_t length = 1 + irr_test_below(&scene.state, longest);

        length = length < bytes && count + 1 < BLOCKS_MAX ? length : bytes;
        list[count++] = (irr_block_t){ .rank = 1, .offset = at, .length = length };
        at += (ptrdiff_t)(length + irr_test_below(&scene.state, 3));
        bytes -= length;
    }
    for (size_t i = 0; i + 1 < count && irr_test_below(&scene.state, 2) == 0; i++) {
        const size_t other = i + irr_test_below(&scene.state, count - i);
        const irr_block_t block = list[i];

        list[i] = list[other];
        list[other] = block;
    }
    return (irr_blocks_t){ list, count };
}

/* What the first bytes of the message are to become, byte by byte. */
static void copy_wanted(size_t bytes)
{
    irr_blocks_cursor_t from = irr_blocks_at(scene.lent, 0), to = irr_blocks_at(scene.awaited, 0);

    memset(scene.output, 7, sizeof(scene.output));
    memset(scene.wanted, 7, sizeof(scene.wanted));
    for (size_t i = 0; i < bytes; i++) {
        scene.wanted[irr_blocks_next(&to, 1).offset] = scene.input[irr_blocks_next(&from, 1).offset];
    }
}

static void test_lists(void)
{
    scene.state = irr_test_seed();
    for (size_t i = 0; i < sizeof(scene.input); i++) {
        scene.input[i] = (unsigned char)irr_test_random(&scene.state);
    }
    for (int turn = 0; turn < irr_test_runs(2000); turn++) {
        const size_t longest = irr_test_below(&scene.state, 3) == 0 ? BYTES : 200;
        const size_t sent = 1 + irr_test_below(&scene.state, BYTES);
        const size_t bytes = 1 + irr_test_below(&scene.state, sent);

        scene.lent = cut(scene.from, sent, longest);
        scene.awaited = cut(scene.to, bytes, irr_test_below(&scene.state, 2) == 0 ? BYTES : 300);
        copy_wanted(bytes);
        CU_ASSERT_EQUAL(irr_lend_take((uint64_t)getpid(), irr_lent_of(scene.lent, scene.input), scene.awaited,
                                      scene.output, bytes), IRR_OK);
        CU_ASSERT_EQUAL(memcmp(scene.output, scene.wanted, sizeof(scene.output)), 0);
    }
}

/* Two lists that are swapped from one byte on to another one, and what is before and behind them is as it was. */
static void test_swap(void)
{
    const uint64_t me = (uint64_t)getpid();

    scene.state = irr_test_seed();
    for (int turn = 0; turn < irr_test_runs(500); turn++) {
        const size_t sent = 1 + irr_test_below(&scene.state, BYTES), end = 1 + irr_test_below(&scene.state, sent);
        const size_t skip = irr_test_below(&scene.state, end + 1);
        static unsigned char lent[2 * BYTES], scratch[BYTES];
        const irr_lend_part_t part = { skip, end - skip, scratch, 1 + irr_test_below(&scene.state, BYTES) };
        irr_blocks_cursor_t here, there;

        for (size_t i = 0; i < sizeof(scene.input); i++) {
            lent[i] = scene.input[i] = (unsigned char)irr_test_random(&scene.state);
            scene.wanted[i] = scene.output[i] = (unsigned char)irr_test_random(&scene.state);
        }
        scene.lent = cut(scene.from, sent, irr_test_below(&scene.state, 3) == 0 ? BYTES : 200);
        scene.awaited = cut(scene.to, end, irr_test_below(&scene.state, 2) == 0 ? BYTES : 300);
        there = irr_blocks_at(scene.lent, skip);
        here = irr_blocks_at(scene.awaited, skip);
        for (size_t i = skip; i < end; i++) {
            unsigned char *one = &lent[irr_blocks_next(&there, 1).offset];
            unsigned char *other = &scene.wanted[irr_blocks_next(&here, 1).offset];
            const unsigned char kept = *one;

            *one = *other;
            *other = kept;
        }
        CU_ASSERT_EQUAL(irr_lend_swap(me, irr_lent_of(scene.lent, scene.input), scene.awaited, scene.output, &part),
                        IRR_OK);
        CU_ASSERT_EQUAL(memcmp(scene.output, scene.wanted, sizeof(scene.output)), 0);
        CU_ASSERT_EQUAL(memcmp(scene.input, lent, sizeof(scene.input)), 0);
    }
}

/* A lender whose list is too short, or has a block of nothing, or is nowhere, or whose bytes are nowhere. */
static void test_bad_lists(void)
{
    const uint64_t me = (uint64_t)getpid();
    const irr_block_t whole = { .rank = 1, .length = 600 };
    const irr_blocks_t to = { &whole, 1 };
    irr_lent_t lent;

    for (size_t i = 0; i < 200; i++) {
        scene.from[i] = (irr_block_t){ .rank = 1, .offset = (ptrdiff_t)(4 * i), .length = 3 };
    }
    lent = irr_lent_of((irr_blocks_t){ scene.from, 200 }, scene.input);
    CU_ASSERT_EQUAL(irr_lend_take(me, lent, to, scene.output, 600), IRR_OK);
    lent.count = 199;
    CU_ASSERT_EQUAL(irr_lend_take(me, lent, to, scene.output, 600), IRR_ERR_PROTOCOL);
    lent.count = 0;
    CU_ASSERT_EQUAL(irr_lend_take(me, lent, to, scene.output, 600), IRR_ERR_PROTOCOL);
    lent.count = UINT64_MAX;
    scene.from[150].length = 0;
    CU_ASSERT_EQUAL(irr_lend_take(me, lent, to, scene.output, 600), IRR_ERR_PROTOCOL);
    scene.from[150] = (irr_block_t){ .rank = 1, .offset = PTRDIFF_MAX, .length = SIZE_MAX };
    CU_ASSERT_EQUAL(irr_lend_take(me, lent, to, scene.output, 600), IRR_ERR_PEER);
    lent.address = 4096;
    CU_ASSERT_EQUAL(irr_lend_take(me, lent, to, scene.output, 600), IRR_ERR_PEER);
    lent = (irr_lent_t){ .address = 4096, .count = 1 };
    CU_ASSERT_EQUAL(irr_lend_take(me, lent, to, scene.output, 600), IRR_ERR_PEER);
    CU_ASSERT_EQUAL(irr_lend_take(UINT64_MAX, irr_lent_of(to, scene.input), to, scene.output, 600), IRR_ERR_PEER);
}

static bool reads_right(const void *context)
{
    const uint64_t *parent = context;
    irr_lent_t lent = irr_lent_of(scene.lent, scene.input);
    const irr_block_t whole = { .rank = 1, .length = 5000 };

    memset(scene.input, 0, sizeof(scene.input));   /* of the child, */
    memset(scene.from, 0, sizeof(scene.from));
    return irr_lend_take(*parent, lent, (irr_blocks_t){ &whole, 1 }, scene.output, 5000) == IRR_OK &&
           memcmp(scene.output, scene.wanted + BYTES, 5000) == 0;   /* not of its parent */
}

/* From the memory of another process, list and all. */
static void test_other_process(void)
{
    const uint64_t me = (uint64_t)getpid();
    irr_blocks_cursor_t from;

    scene.state = irr_test_seed();
    scene.lent = cut(scene.from, 5000, 50);
    from = irr_blocks_at(scene.lent, 0);
    memset(scene.wanted, 7, sizeof(scene.wanted));
    for (size_t i = 0; i < 5000; i++) {
        scene.wanted[BYTES + i] = scene.input[irr_blocks_next(&from, 1).offset] = (unsigned char)(i % 251);
    }
    CU_ASSERT_TRUE(found_by_child(reads_right, &me));
}

/* ---- exchanges ---- */

static void test_turns(void)
{
    for (int ranks = 1; ranks <= IRR_NODE_RANKS_MAX; ranks++) {
        irr_node_begin(ranks, 5000, IRR_NODE_SEGMENT, true);
        irr_node_take_turns(100);
        irr_node_end();
    }
}

/* What has no room beside the cells is lent, too. */
static void test_no_room(void)
{
    static const size_t room[] = { 4096, 0, 1000, 1150 };

    for (size_t i = 0; i < sizeof(room) / sizeof(room[0]); i++) {
        irr_node_begin(5, 1900, room[i], true);
        irr_node_take_turns(60);
        irr_node_end();
    }
}

static void test_numbers_wrap(void)
{
    irr_node_begin(4, 3000, 0, true);
    irr_node_count_from(UINT32_MAX - 10);
    irr_node_take_turns(50);
    irr_node_end();
}

static void test_threads(void)
{
    irr_node_begin(4, 5000, IRR_NODE_SEGMENT, true);
    irr_node_run_threads(400);
    irr_node_end();
}

static void test_memory(void)
{
    irr_memory_begin();
    irr_node_begin(4, 3000, 0, true);
    irr_node_take_turns(2);
    irr_memory_fail(1, NULL);
    irr_memory_fail_all();
    irr_node_take_turns(5);
    CU_ASSERT_FALSE(irr_memory_failed());
    irr_memory_fail(0, NULL);
    irr_node_end();
    CU_ASSERT_EQUAL(irr_memory_end(), 0);
}

/* ---- two ranks ---- */

enum { LENT = 5000 };

/* Rank 0 lends rank 1 so many bytes in two blocks, of which that one awaits so many in one. */
static void start_two(size_t sent, size_t awaited, const void *input, void *output)
{
    for (int me = 0; me < 2; me++) {
        irr_node_rank_t *rank = &irr_node.rank[me];
        const irr_board_sides_t sides = { rank->sent, rank->received };

        rank->send[0] = (irr_block_t){ .rank = 1, .length = sent - 1 };
        rank->send[1] = (irr_block_t){ .rank = 1, .offset = (ptrdiff_t)sent, .length = 1 };
        rank->recv[0] = (irr_block_t){ .rank = 0, .length = awaited };
        rank->problem = (irr_problem_t){
            .ranks = 2, .rank = me, .send = { rank->send, me == 0 ? 2 : 0 },
            .recv = { rank->recv, me == 1 && awaited > 0 } };
        irr_board_sides_of(&rank->board, &rank->problem, sides);
        irr_board_start(&rank->board, &rank->problem, &rank->board.all, sides, (irr_board_buffers_t){
            .input = input, .output = output,
            .lacks = (input == NULL ? IRR_LACKS_INPUT : 0) | (output == NULL ? IRR_LACKS_OUTPUT : 0) });
    }
}

/* The lender waits until the other one has read; the result of that one. */
static irr_status_t end_two(void)
{
    irr_board_t *lender = &irr_node.rank[0].board, *reader = &irr_node.rank[1].board;
    irr_board_bed_t bed;
    irr_status_t status;

    if (lender->nlent > 0) {
        CU_ASSERT_EQUAL(irr_board_progress(lender), IRR_IN_PROGRESS);
        CU_ASSERT_TRUE(irr_board_waits(lender));
        CU_ASSERT_TRUE(irr_board_lie_down(lender, &bed));
        CU_ASSERT_FALSE(irr_board_sleep(&bed, 1));
    }
    status = irr_board_progress(reader);
    CU_ASSERT_FALSE(irr_board_waits(reader));
    if (lender->nlent > 0) {
        CU_ASSERT_TRUE(irr_board_sleep(&bed, 10000000));   /* the number is another one */
        CU_ASSERT_FALSE(irr_board_lie_down(lender, &bed));
        irr_board_get_up(lender);
    }
    CU_ASSERT_EQUAL(irr_board_progress(lender), IRR_OK);
    CU_ASSERT_FALSE(irr_board_waits(lender));
    irr_board_end(lender);
    irr_board_end(reader);
    return status;
}

static irr_status_t exchange_two(size_t sent, size_t awaited, const void *input, void *output)
{
    start_two(sent, awaited, input, output);
    return end_two();
}

static void test_counts(void)
{
    static const struct { size_t awaited; irr_status_t status; } cases[] = {
        { LENT, IRR_OK }, { LENT - 1, IRR_ERR_TRUNCATE }, { 10, IRR_ERR_TRUNCATE }, { 0, IRR_ERR_TRUNCATE },
        { LENT + 10, IRR_OK }
    };
    static unsigned char output[LENT + 100];

    irr_node_begin(2, 100, IRR_NODE_SEGMENT, true);
    memset(irr_node.rank[0].input, 5, IRR_NODE_BUFFER);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const size_t copied = cases[i].awaited < LENT ? cases[i].awaited : LENT;
        size_t wrong = 0;

        memset(output, 1, sizeof(output));
        CU_ASSERT_EQUAL(exchange_two(LENT, cases[i].awaited, irr_node.rank[0].input, output), cases[i].status);
        for (size_t k = 0; k < sizeof(output); k++) {
            wrong += output[k] != (k < copied ? 5 : 1);
        }
        CU_ASSERT_EQUAL(wrong, 0);
        CU_ASSERT_EQUAL(irr_node.rank[1].board.bytes_lent, copied);
    }
    CU_ASSERT_EQUAL(exchange_two(LENT, LENT, NULL, output), IRR_ERR_PEER);
    CU_ASSERT_EQUAL(exchange_two(LENT, LENT, irr_node.rank[0].input, NULL), IRR_OK);
    irr_node_end();
}

/* The cell that rank 0 has for rank 1, as words: number and kind, length, address, count, base. */
static uint64_t *own_cell(void)
{
    const irr_node_rank_t *rank = &irr_node.rank[0];

    return (uint64_t *)(void *)(rank->segment.bytes + rank->board.place) + (1 + rank->board.number % 2 * 2 + 1) * 16;
}

/* Whatever a cell says, nothing else is written than what is awaited, and the lender may go on. */
static void test_lies(void)
{
    static const struct { int word; uint64_t value; irr_status_t status; } lies[] = {
        { 1, UINT64_MAX, IRR_ERR_TRUNCATE }, { 1, 1, IRR_OK },
        { 2, 0, IRR_ERR_PEER }, { 2, UINT64_MAX, IRR_ERR_PEER },
        { 3, 0, IRR_ERR_PROTOCOL }, { 3, UINT64_MAX, IRR_OK },
        { 4, 0, IRR_ERR_PEER }, { 4, UINT64_MAX / 2, IRR_ERR_PEER }
    };
    static unsigned char output[LENT + 1];

    irr_node_begin(2, 100, IRR_NODE_SEGMENT, true);
    for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
        output[LENT] = 1;
        start_two(LENT, LENT, irr_node.rank[0].input, output);
        own_cell()[lies[i].word] = lies[i].value;
        CU_ASSERT_EQUAL(end_two(), lies[i].status);
        CU_ASSERT_EQUAL(output[LENT], 1);
    }
    irr_node_end();
}

/* Who gives up is seen by those that have joined it, and by others not yet. */
static void test_given_up(void)
{
    irr_segment_t segment;
    irr_board_t board;
    irr_board_card_t card;

    irr_test_must(irr_segment_init(&segment, IRR_BOARD_TABLE, IRR_NODE_SEGMENT));
    irr_test_must(irr_board_init(&board, &segment, IRR_NODE_ID, 3, 1, &card));
    CU_ASSERT_FALSE(irr_board_is_given_up(&board));
    irr_board_fini(&board);
    irr_segment_fini(&segment);
    irr_node_begin(3, 100, IRR_NODE_SEGMENT, true);
    for (int i = 0; i < 3; i++) {
        CU_ASSERT_FALSE(irr_board_is_given_up(&irr_node.rank[i].board));
    }
    irr_board_give_up(&irr_node.rank[2].board);
    for (int i = 0; i < 3; i++) {
        CU_ASSERT_TRUE(irr_board_is_given_up(&irr_node.rank[i].board));
    }
    irr_node_end();
}

int main(void)
{
    static const irr_test_case_t cases[] = {
        { "who may read whom", test_cards },
        { "random lists", test_lists },
        { "bytes that are swapped", test_swap },
        { "lists that lie", test_bad_lists },
        { "from another process", test_other_process },
        { "exchanges in turns, 1 to 9 ranks", test_turns },
        { "no room beside the cells", test_no_room },
        { "numbers wrap", test_numbers_wrap },
        { "in threads at the same time", test_threads },
        { "the second time takes no memory", test_memory },
        { "counts that do not agree, and ranks without buffers", test_counts },
        { "cells that lie", test_lies },
        { "a rank that gives up", test_given_up },
        { NULL, NULL }
    };

    return irr_test_main("lend", cases, 120);
}
