/*
 * test_scale.c - measures the heap, the time of opening and the exchanges of the engine per rank of a large
 * communicator, all of whose ranks run in this process.
 *
 * In a sparse exchange each rank has eight partners; in a dense exchange all ranks are its partners. The heap of a row
 * is the growth of the engine's heap divided by the number of ranks. With a store of addresses a rank connects its
 * partners only. If addresses are gathered, the loopback transport contributes 24 bytes for each pair of ranks.
 *
 * IRR_SCALE=RANKS runs another size, up to 4,096 ranks, and prints its figures without a limit. IRR_SCALE_ROW=NAME runs
 * one row. tests/scale.sh counts the instructions of the exchanges in the function `counted`.
 */
#include "irr_world.h"

#include <time.h>

enum { PARTNERS = 8, BYTES = 8, ROUNDS = 1000000, FEW = 2 * PARTNERS };

typedef struct member {
    int          rank, ranks, partners;
    irr_block_t *blocks[2];   /* blocks to send, blocks to receive */
    char        *bytes[2];
} member_t;

/* Closes a world that has no unexpected messages, without the progress in which engines discard them. */
static void close_team(irr_team_t *team)
{
    irr_team_destroy(team);
    for (int r = 0; r < team->ranks; r++) {
        irr_engine_close(team->world->engines[r]);
    }
    CU_ASSERT_TRUE(irr_world_drain(team->world));
}

/* ---- exchanges ---- */

static int compare(const void *a, const void *b)
{
    return ((const irr_block_t *)a)->rank - ((const irr_block_t *)b)->rank;
}

/* Returns the distance to a partner. A rank that is not its own partner skips the distance 0. */
static int distance(const member_t *member, int i)
{
    const int steps = i - member->partners / 2;

    return member->partners == member->ranks || steps < 0 ? steps : steps + 1;
}

/* Fills the blocks and the input of a rank. */
static void fill(member_t *member)
{
    for (int side = 0; side < 2; side++) {
        member->blocks[side] = irr_test_array((size_t)member->partners, sizeof(irr_block_t));
        member->bytes[side] = irr_test_array((size_t)member->partners, BYTES);
        for (int i = 0; i < member->partners; i++) {
            const int steps = distance(member, i);

            member->blocks[side][i] = (irr_block_t){
                .rank = (member->rank + steps + member->ranks) % member->ranks, .offset = i * BYTES, .length = BYTES
            };
            memset(member->bytes[0] + i * BYTES, (member->rank * 31 + steps) % 251, BYTES);
        }
        qsort(member->blocks[side], (size_t)member->partners, sizeof(irr_block_t), compare);
    }
}

static irr_problem_t problem_of(const member_t *member)
{
    return (irr_problem_t){
        .ranks = member->ranks, .rank = member->rank,
        .send = { .list = member->blocks[0], .count = (size_t)member->partners },
        .recv = { .list = member->blocks[1], .count = (size_t)member->partners }
    };
}

static bool is_right(const member_t *member)
{
    bool right = true;

    for (int i = 0; i < member->partners; i++) {
        const irr_block_t *block = &member->blocks[1][i];
        const int ranks = member->ranks, half = ranks / 2;
        const int steps = (member->rank - block->rank + ranks + half) % ranks - half;

        for (int k = 0; k < BYTES; k++) {
            right = right && member->bytes[1][block->offset + k] == (char)((block->rank * 31 + steps) % 251);
        }
    }
    return right;
}

static member_t *make_members(int ranks, int partners)
{
    member_t *members = irr_test_array((size_t)ranks, sizeof(*members));

    for (int r = 0; r < ranks; r++) {
        members[r] = (member_t){ .rank = r, .ranks = ranks, .partners = partners };
        fill(&members[r]);
    }
    return members;
}

static void free_members(member_t *members, int ranks)
{
    for (int r = 0; r < ranks; r++) {
        for (int side = 0; side < 2; side++) {
            free(members[r].blocks[side]);
            free(members[r].bytes[side]);
        }
    }
    free(members);
}

/* Starts an exchange on all ranks, or the planned exchange, and runs it until it is over. */
static void run(irr_team_t *team, const member_t *members, bool planned, irr_status_t *result)
{
    for (int r = 0; r < team->ranks; r++) {
        irr_exchange_t *exchange = irr_comm_exchange(team->comms[r]);
        const irr_problem_t problem = problem_of(&members[r]);

        irr_test_must(planned ? irr_exchange_restart(exchange, members[r].bytes[0], members[r].bytes[1])
                              : irr_exchange_start(exchange, &problem, members[r].bytes[0], members[r].bytes[1]));
        result[r] = IRR_IN_PROGRESS;
    }
    CU_ASSERT_TRUE_FATAL(irr_team_progress(team, result, ROUNDS));
}

/* The exchange whose instructions tests/scale.sh counts. */
__attribute__((noinline, noclone))
static void counted(irr_team_t *team, const member_t *members, bool planned, irr_status_t *result)
{
    run(team, members, planned, result);
}

/* Asserts that ranks with IRR_OK have all bytes. Returns the number of ranks with another result. */
static int verify(const irr_team_t *team, const member_t *members, const irr_status_t *result)
{
    int failed = 0;

    for (int r = 0; r < team->ranks; r++) {
        CU_ASSERT(result[r] != IRR_OK || is_right(&members[r]));
        failed += result[r] != IRR_OK;
    }
    return failed;
}

/* Plans the exchange of all ranks. */
static void plan(irr_team_t *team, const member_t *members)
{
    irr_status_t *result = irr_test_array((size_t)team->ranks, sizeof(*result));

    for (int r = 0; r < team->ranks; r++) {
        const irr_problem_t problem = problem_of(&members[r]);

        irr_test_must(irr_exchange_plan(irr_comm_exchange(team->comms[r]), &problem));
        result[r] = IRR_IN_PROGRESS;
    }
    CU_ASSERT_TRUE_FATAL(irr_team_progress(team, result, ROUNDS));
    free(result);
}

/* Runs two exchanges, which learn their plans, then the counted exchange. */
static void exchange(irr_team_t *team, const member_t *members, bool planned)
{
    irr_status_t *result = irr_test_array((size_t)team->ranks, sizeof(*result));

    if (planned) {
        plan(team, members);
    }
    run(team, members, planned, result);
    run(team, members, planned, result);
    counted(team, members, planned, result);
    CU_ASSERT_EQUAL(verify(team, members, result), 0);
    free(result);
}

/* ---- rows ---- */

typedef struct row {
    const char *name, *algorithm;
    bool        dense, planned;
    size_t      limit;   /* largest number of heap bytes of each of 256 ranks after exchanges */
} row_t;

static const row_t rows[] = {
    { .name = "sparse-direct", .algorithm = "direct", .limit = 15000 },
    { .name = "sparse-grid", .algorithm = "grid", .limit = 37500 },
    { .name = "sparse-node", .algorithm = "node", .limit = 58500 },
    { .name = "dense-direct", .algorithm = "direct", .dense = true, .limit = 162000 },
    { .name = "dense-grid", .algorithm = "grid", .dense = true, .limit = 112500 },
    { .name = "dense-node", .algorithm = "node", .dense = true, .limit = 156000 },
    { .name = "planned-grid", .algorithm = "grid", .dense = true, .planned = true, .limit = 63500 }
};

/* Returns the number of heap bytes per rank after exchanges. */
static size_t measure(const row_t *row, int ranks)
{
    member_t *members = make_members(ranks, row->dense ? ranks : PARTNERS);
    size_t before, opened, used;
    irr_team_t team;
    clock_t began;
    double open_us;

    irr_team_begin(&team, ranks, 0, 0);
    for (int r = 0; r < ranks; r++) {
        team.params[r].node = r / 64;
    }
    before = irr_memory_bytes();
    began = clock();
    irr_team_create_with(&team, &(irr_settings_t){ .algorithm = irr_algorithm_find(row->algorithm), .shm = true });
    open_us = (double)(clock() - began) * 1e6 / CLOCKS_PER_SEC / ranks;
    opened = (irr_memory_bytes() - before) / (size_t)ranks;
    exchange(&team, members, row->planned);
    used = (irr_memory_bytes() - before) / (size_t)ranks;
    printf("# %s, %d ranks: opening %.0f us and %zu bytes a rank, %zu bytes after exchanges\n", row->name, ranks,
           open_us, opened, used);
    close_team(&team);
    free_members(members, ranks);
    return used;
}

IRR_TEST(test_rows, "heap and time per rank")
{
    const char *scale = getenv("IRR_SCALE"), *name = getenv("IRR_SCALE_ROW");

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        if (name == NULL || strcmp(name, rows[i].name) == 0) {
            const size_t used = measure(&rows[i], scale != NULL ? atoi(scale) : 256);

            CU_ASSERT(scale != NULL || used <= rows[i].limit);
        }
    }
}

/* ---- first sends that fail ---- */

/* Returns true if IRR_SCALE_ROW selects a row of measurements. The other cases are then skipped. */
static bool only_measures(void)
{
    const bool only = getenv("IRR_SCALE_ROW") != NULL;

    if (only) {
        irr_test_skip("IRR_SCALE_ROW is set: unset it");
    }
    return only;
}

IRR_TEST(test_no_memory, "an exchange ends on all ranks if an allocation of a first send fails")
{
    member_t *members = make_members(FEW, PARTNERS);
    bool fails = !only_measures();

    for (size_t nth = 1; fails; nth++) {
        irr_status_t result[FEW];
        irr_team_t team;

        irr_team_begin(&team, FEW, 0, 0);
        irr_team_create_with(&team, &(irr_settings_t){ .algorithm = irr_algorithm_find("direct") });
        irr_memory_fail(nth, NULL);
        run(&team, members, false, result);
        fails = irr_memory_failed();
        irr_memory_fail(0, NULL);
        (void)verify(&team, members, result);
        irr_team_close(&team);
    }
    free_members(members, FEW);
}

IRR_TEST_MAIN("scale", 120)
