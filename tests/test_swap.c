/*
 * test_swap.c - ranks of a node swap blocks in place (transport/shm/lend.h), and calls of the kernel fail meanwhile.
 */
#include "irr_memory.h"
#include "irr_node.h"
#include "irr_test.h"

#include "core/alloc.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LENT = 5000 };

/* ---- calls of the kernel that fail ---- */

static int calls_left = -1;   /* before one fails, once; negative: none fails */

static bool fails(void)
{
    errno = ENOMEM;
    return calls_left >= 0 && calls_left-- == 0;
}

/* Both come before those of the C library. */
ssize_t process_vm_readv(pid_t process, const struct iovec *to, unsigned long tos, const struct iovec *from,
                         unsigned long froms, unsigned long flags)
{
    return fails() ? -1 : syscall(SYS_process_vm_readv, process, to, tos, from, froms, flags);
}

ssize_t process_vm_writev(pid_t process, const struct iovec *from, unsigned long froms, const struct iovec *to,
                          unsigned long tos, unsigned long flags)
{
    return fails() ? -1 : syscall(SYS_process_vm_writev, process, from, froms, to, tos, flags);
}

/* Two ranks swap LENT bytes in place, and so does rank 0 with a third one; `lenders` of the two have lent. */
static void start_places(int lenders)
{
    for (int me = 0; me < 3; me++) {
        irr_node_rank_t *rank = &irr_node.rank[me];
        const irr_board_sides_t sides = { rank->sent, rank->received };
        size_t count = 0;

        for (int peer = 0; peer < 3; peer++) {
            const bool swaps = peer != me && (peer == 0 || me == 0);

            rank->recv[count] = (irr_block_t){ .rank = peer, .offset = LENT * peer, .length = LENT };
            memset(rank->output + LENT * peer, 3 * me + peer, LENT);
            count += swaps;
        }
        rank->problem = (irr_problem_t){
            .ranks = 3, .rank = me, .send = { rank->recv, count }, .recv = { rank->recv, count }, .in_place = true };
        rank->board.short_max = me == 1 && lenders == 1 ? LENT : 0;
        irr_board_sides_of(&rank->board, &rank->problem, sides);
        irr_board_start(&rank->board, &rank->problem, &rank->board.all, sides, (irr_board_buffers_t){
            .input = rank->output, .output = rank->output, .in_place = true });
    }
}

static bool is_right(int me, int peer)
{
    const unsigned char *bytes = irr_node.rank[me].output + LENT * peer;
    int wrong = 0;

    for (int i = 0; i < LENT; i++) {
        wrong += bytes[i] != 3 * peer + me;
    }
    return wrong == 0;
}

static void end_places(irr_status_t status[3])
{
    bool over = false;

    for (int me = 0; me < 3; me++) {
        status[me] = IRR_IN_PROGRESS;
    }
    for (int turn = 0; turn < 100 && !over; turn++) {
        over = true;
        for (int me = 2; me >= 0; me--) {
            status[me] = status[me] == IRR_IN_PROGRESS ? irr_board_progress(&irr_node.rank[me].board) : status[me];
            over = over && status[me] != IRR_IN_PROGRESS;
        }
    }
    CU_ASSERT_TRUE(over);
    for (int me = 0; me < 3; me++) {
        irr_board_end(&irr_node.rank[me].board);
    }
}

/* The n-th call fails: both ranks of a pair know it, no rank has a wrong byte without an error, the next is right. */
static void expect_places(int lenders, int calls)
{
    irr_status_t status[3];
    int errors = 0;

    start_places(lenders);
    calls_left = calls;
    end_places(status);
    for (int me = 0; me < 3; me++) {
        errors += status[me] != IRR_OK;
        for (int peer = 0; peer < 3 && status[me] == IRR_OK; peer++) {
            CU_ASSERT_TRUE(peer == me || (peer != 0 && me != 0) || is_right(me, peer));
        }
    }
    CU_ASSERT_EQUAL(errors, calls_left < 0 ? 2 : 0);
    CU_ASSERT_TRUE(calls_left >= 0 || status[0] == IRR_ERR_PEER);
}

static void test_fails(void)
{
    for (int variant = 0; variant < 4; variant++) {
        const int lenders = 1 + variant % 2;
        int calls = 0;

        irr_memory_begin();
        irr_node_begin(3, 100, IRR_NODE_SEGMENT, true);
        start_places(lenders);
        end_places((irr_status_t[3]){ IRR_OK });
        if (variant >= 2) {   /* without memory for scratch, so in several pieces */
            for (int me = 0; me < 3; me++) {
                irr_free(irr_node.rank[me].board.scratch);
                irr_node.rank[me].board.scratch = NULL;
                irr_node.rank[me].board.scratch_max = 0;
            }
            irr_memory_fail(1, NULL);
            irr_memory_fail_all();
        }
        do {
            expect_places(lenders, calls++);
        } while (calls_left < 0);
        CU_ASSERT(calls > (variant < 2 ? 4 : 6));
        irr_memory_fail(0, NULL);
        calls_left = -1;
        irr_node_end();
        CU_ASSERT_EQUAL(irr_memory_end(), 0);
    }
}

int main(void)
{
    static const irr_test_case_t cases[] = {
        { "a call of the kernel fails", test_fails },
        { NULL, NULL }
    };

    return irr_test_main("swap", cases, 60);
}
