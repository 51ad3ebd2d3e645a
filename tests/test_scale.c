/*
 * test_scale.c - measures the heap memory of the engine per rank of a large communicator. Each rank has eight partners.
 *
 * A figure is the growth of the engine's heap divided by the number of ranks. With a store of addresses a rank connects
 * its partners only. If addresses are gathered, the loopback transport contributes 24 bytes for each pair of ranks.
 * IRR_SCALE=RANKS runs another size, up to 4,096 ranks, and prints its figures without a limit.
 */
#include "irr_memory.h"
#include "irr_test.h"
#include "irr_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTNERS = 8, BYTES = 8, ROUNDS = 1000000, FEW = 2 * PARTNERS };

typedef struct member {
    int         rank, ranks;
    irr_block_t blocks[2][PARTNERS];       /* blocks to send, blocks to receive */
    char        bytes[2][PARTNERS * BYTES];
} member_t;

/* ---- the store of addresses ---- */

/* Addresses by rank, and the store of each rank. */
typedef struct host {
    irr_store_t *stores;
    struct address {
        char   bytes[64];
        size_t length;
    } *addresses;
    int fetches;
    int fails;   /* number of the fetch that fails, from 1; 0: none */
} host_t;

static host_t host;

static irr_status_t publish(void *context, const void *address, size_t bytes)
{
    struct address *own = context;

    CU_ASSERT_FATAL(bytes <= sizeof(own->bytes));
    memcpy(own->bytes, address, bytes);
    own->length = bytes;
    return IRR_OK;
}

static irr_status_t fetch(void *context, uint64_t name, void *address, size_t room, size_t *bytes_p)
{
    const struct address *found = &host.addresses[name >> 32];

    CU_ASSERT(found != context && found->length > 0 && found->length <= room);
    memcpy(address, found->bytes, found->length);
    *bytes_p = found->length;
    return ++host.fetches == host.fails ? IRR_ERR_UNREACHABLE : IRR_OK;
}

/* Opens a world, and gives a store to its engines. */
static void open_stored(irr_team_t *team, int ranks)
{
    irr_team_begin(team, ranks, 0, 0);
    host = (host_t){ .stores = irr_world_array(team->world, ranks, sizeof(*host.stores)),
                     .addresses = irr_world_array(team->world, ranks, sizeof(*host.addresses)) };
    for (int r = 0; r < ranks; r++) {
        host.stores[r] = (irr_store_t){ .context = &host.addresses[r], .publish = publish, .fetch = fetch };
        team->world->engines[r]->config.store = &host.stores[r];
    }
}

static void open_gathered(irr_team_t *team, int ranks)
{
    irr_team_begin(team, ranks, 0, 0);
}

/* ---- exchanges ---- */

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

/* Runs an exchange, and stores its results. Asserts that no rank hangs, and that ranks with IRR_OK have all bytes. */
static void run(irr_team_t *team, irr_status_t *result)
{
    member_t *members = irr_test_array((size_t)team->ranks, sizeof(*members));

    for (int r = 0; r < team->ranks; r++) {
        members[r] = (member_t){ .rank = r, .ranks = team->ranks };
        start(team->comms[r], &members[r]);
        result[r] = IRR_IN_PROGRESS;
    }
    CU_ASSERT_TRUE_FATAL(irr_team_progress(team, result, ROUNDS));
    for (int r = 0; r < team->ranks; r++) {
        CU_ASSERT(result[r] != IRR_OK || is_right(&members[r]));
    }
    free(members);
}

static void exchange(irr_team_t *team)
{
    irr_status_t *result = irr_test_array((size_t)team->ranks, sizeof(*result));

    run(team, result);
    for (int r = 0; r < team->ranks; r++) {
        CU_ASSERT_EQUAL(result[r], IRR_OK);
    }
    free(result);
}

/* ---- cases ---- */

/* Returns the number of heap bytes per rank after an exchange. */
static size_t measure(int ranks, const char *algorithm, bool stores)
{
    size_t before, opened, used;
    irr_team_t team;

    (stores ? open_stored : open_gathered)(&team, ranks);
    for (int r = 0; r < ranks; r++) {
        team.params[r].node = r / 64;
    }
    before = irr_memory_bytes();
    irr_team_create_with(&team, &(irr_settings_t){ .algorithm = irr_algorithm_find(algorithm) });
    opened = (irr_memory_bytes() - before) / (size_t)ranks;
    exchange(&team);
    exchange(&team);
    used = (irr_memory_bytes() - before) / (size_t)ranks;
    printf("# %s, %d ranks%s: %zu bytes a rank open, %zu after exchanges with %d partners\n", algorithm, ranks,
           stores ? "" : ", addresses gathered", opened, used, PARTNERS);
    irr_team_close(&team);
    return used;
}

static void test_memory(void)
{
    static const struct { const char *algorithm; bool stores; size_t limit; } rows[] = {
        { "direct", true, 18000 }, { "direct", false, 46000 }, { "grid", true, 40000 }, { "node", true, 65000 }
    };
    const char *scale = getenv("IRR_SCALE");

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        const size_t used = measure(scale != NULL ? atoi(scale) : 256, rows[i].algorithm, rows[i].stores);

        CU_ASSERT(scale != NULL || used <= rows[i].limit);
    }
}

/* A fetch that fails fails the exchange of one rank, and the exchange ends on all ranks. */
static void test_fetch_fails(void)
{
    for (int nth = 1; nth <= FEW * PARTNERS / 2; nth += PARTNERS - 1) {
        irr_status_t result[FEW];
        irr_team_t team;
        int failed = 0;

        open_stored(&team, FEW);
        irr_team_create_with(&team, &(irr_settings_t){ .algorithm = irr_algorithm_find("direct") });
        host.fails = host.fetches + nth;
        run(&team, result);
        for (int r = 0; r < FEW; r++) {
            failed += result[r] == IRR_ERR_UNREACHABLE;
        }
        CU_ASSERT_EQUAL(failed, 1);
        irr_team_close(&team);
    }
}

/* An exchange that first sends to its partners ends on all ranks if an allocation fails. */
static void test_no_memory(void)
{
    bool fails = true;

    for (size_t nth = 1; fails; nth++) {
        irr_status_t result[FEW];
        irr_team_t team;

        open_stored(&team, FEW);
        irr_team_create_with(&team, &(irr_settings_t){ .algorithm = irr_algorithm_find("direct") });
        irr_memory_fail(nth, NULL);
        run(&team, result);
        fails = irr_memory_failed();
        irr_memory_fail(0, NULL);
        irr_team_close(&team);
    }
}

IRR_TEST_MAIN("scale", 120,
    { "heap of a rank with eight partners", test_memory },
    { "an address that cannot be fetched", test_fetch_fails },
    { "first sends without memory", test_no_memory })
