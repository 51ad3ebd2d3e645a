/*
 * test_scale.c - measures the heap memory of the engine per rank of a large communicator. Each rank has eight partners.
 *
 * A figure is the growth of the engine's heap divided by the number of ranks.  The loopback transport contributes 24
 * bytes for each pair of ranks.
 * IRR_SCALE=RANKS runs another size, up to 4,096 ranks, and prints its figures without a limit.
 */
#include "irr_memory.h"
#include "irr_test.h"
#include "irr_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTNERS = 8, BYTES = 8, ROUNDS = 1000000 };

typedef struct member {
    int         rank, ranks;
    irr_block_t blocks[2][PARTNERS];       /* blocks to send, blocks to receive */
    char        bytes[2][PARTNERS * BYTES];
} member_t;

static int compare(const void *a, const void *b)
{
    return ((const irr_block_t *)a)->rank - ((const irr_block_t *)b)->rank;
}

/* Starts an exchange of a rank with the four ranks on each side of it. */
static void start(irr_comm_t *comm, member_t *member)
{
    irr_problem_t problem = { .ranks = member->ranks, .rank = member->rank };

    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < PARTNERS; i++) {
            const int distance = i < PARTNERS / 2 ? i + 1 : PARTNERS / 2 - i - 1;

            member->blocks[side][i] = (irr_block_t){
                .rank = (member->rank + distance + member->ranks) % member->ranks, .offset = i * BYTES, .length = BYTES
            };
            memset(member->bytes[0] + i * BYTES, (member->rank * 31 + distance) % 251, BYTES);
        }
        qsort(member->blocks[side], PARTNERS, sizeof(irr_block_t), compare);
    }
    problem.send = (irr_blocks_t){ .list = member->blocks[0], .count = PARTNERS };
    problem.recv = (irr_blocks_t){ .list = member->blocks[1], .count = PARTNERS };
    irr_test_must(irr_exchange_start(irr_comm_exchange(comm), &problem, member->bytes[0], member->bytes[1]));
}

static bool is_right(const member_t *member)
{
    bool right = true;

    for (int i = 0; i < PARTNERS; i++) {
        const irr_block_t *block = &member->blocks[1][i];
        const int ranks = member->ranks, half = ranks / 2;
        const int distance = (member->rank - block->rank + ranks + half) % ranks - half;

        for (int k = 0; k < BYTES; k++) {
            right = right && member->bytes[1][block->offset + k] == (char)((block->rank * 31 + distance) % 251);
        }
    }
    return right;
}

static void exchange(irr_team_t *team)
{
    const size_t ranks = (size_t)team->ranks;
    member_t *members = irr_test_array(ranks, sizeof(*members));
    irr_status_t *result = irr_test_array(ranks, sizeof(*result));

    for (int r = 0; r < team->ranks; r++) {
        members[r] = (member_t){ .rank = r, .ranks = team->ranks };
        start(team->comms[r], &members[r]);
        result[r] = IRR_IN_PROGRESS;
    }
    CU_ASSERT_TRUE_FATAL(irr_team_progress(team, result, ROUNDS));
    for (int r = 0; r < team->ranks; r++) {
        CU_ASSERT_EQUAL(result[r], IRR_OK);
        CU_ASSERT(is_right(&members[r]));
    }
    free(result);
    free(members);
}

/* Returns the number of heap bytes per rank after an exchange. */
static size_t measure(int ranks, const char *algorithm)
{
    size_t before, opened, used;
    irr_team_t team;

    irr_team_begin(&team, ranks, 0, 0);
    for (int r = 0; r < ranks; r++) {
        team.params[r].node = r / 64;
    }
    before = irr_memory_bytes();
    irr_team_create_with(&team, &(irr_settings_t){ .algorithm = irr_algorithm_find(algorithm) });
    opened = (irr_memory_bytes() - before) / (size_t)ranks;
    exchange(&team);
    exchange(&team);
    used = (irr_memory_bytes() - before) / (size_t)ranks;
    printf("# %s, %d ranks: %zu bytes a rank open, %zu after exchanges with %d partners\n", algorithm, ranks, opened,
           used, PARTNERS);
    irr_team_close(&team);
    return used;
}

static void test_memory(void)
{
    static const struct { const char *algorithm; size_t limit; } rows[] = {
        { "direct", 60000 }, { "grid", 128000 }, { "node", 220000 }
    };
    const char *scale = getenv("IRR_SCALE");

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        const size_t used = measure(scale != NULL ? atoi(scale) : 256, rows[i].algorithm);

        CU_ASSERT(scale != NULL || used <= rows[i].limit);
    }
}

IRR_TEST_MAIN("scale", 120,
    { "heap of a rank with eight partners", test_memory })
