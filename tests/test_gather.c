/*
 * test_gather.c - entries that rank 0 gathers and scatters. The checker proves the plans as exchanges. Runs are
 * correct. If the peers of a rank send random bytes, its run ends or fails, and no byte outside its memory changes.
 */
#include "irr_fleet.h"
#include "irr_memory.h"
#include "irr_test.h"

#include "exec/gather.h"
#include "route/binomial.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MAX = 20000, ENTRY_MAX = 300 };

/* ---- plans ---- */

/* Makes problems: rank 0 has one block per rank, in sequence, and each other rank has one block. */
static void make_problems(int ranks, const uint64_t *lengths, bool down, irr_block_t *blocks, irr_problem_t *problems)
{
    ptrdiff_t offset = 0;
    size_t count = 0;

    for (int r = 0; r < ranks; r++) {
        irr_block_t *own = &blocks[(size_t)ranks + (size_t)r];
        const size_t some = lengths[r] > 0;

        *own = (irr_block_t){ .rank = 0, .length = lengths[r] };
        if (some) {
            blocks[count++] = (irr_block_t){ .rank = r, .offset = offset, .length = lengths[r] };
        }
        offset += (ptrdiff_t)lengths[r];
        problems[r] = (irr_problem_t){ .ranks = ranks, .rank = r };
        *(down ? &problems[r].recv : &problems[r].send) = (irr_blocks_t){ .list = own, .count = some };
    }
    *(down ? &problems[0].send : &problems[0].recv) = (irr_blocks_t){ .list = blocks, .count = count };
}

static void prove(int ranks, bool down, uint64_t *state)
{
    uint64_t *lengths = irr_test_array((size_t)ranks, sizeof(*lengths));
    irr_block_t *blocks = irr_test_array(2 * (size_t)ranks, sizeof(*blocks));
    irr_problem_t *problems = irr_test_array((size_t)ranks, sizeof(*problems));
    irr_plan_t *plans = irr_test_array((size_t)ranks, sizeof(*plans));
    char reason[200] = "";

    for (int r = 0; r < ranks; r++) {
        lengths[r] = irr_test_below(state, 3) == 0 ? 0 : irr_test_below(state, 100);
    }
    make_problems(ranks, lengths, down, blocks, problems);
    for (int r = 0; r < ranks; r++) {
        const irr_plan_room_t bounds = irr_binomial_bounds(ranks, r);

        irr_plan_reset(&plans[r], &problems[r]);
        irr_test_must(irr_binomial_add(&plans[r], &lengths[r], down));
        CU_ASSERT(plans[r].nsteps <= bounds.steps && plans[r].npieces <= bounds.pieces);
        CU_ASSERT(plans[r].ndeps <= bounds.deps);
        CU_ASSERT(r > 0 || plans[r].nsteps <= 11);
    }
    CU_ASSERT_EQUAL(irr_plan_check(plans, problems, ranks, reason, sizeof(reason)), IRR_OK);
    CU_ASSERT_STRING_EQUAL(reason, "");
    for (int r = 0; r < ranks; r++) {
        irr_plan_fini(&plans[r]);
    }
    free(plans);
    free(problems);
    free(blocks);
    free(lengths);
}

static void test_proof(void)
{
    uint64_t state = irr_test_seed();

    for (int ranks = 1; ranks <= 300; ranks += ranks < 70 ? 1 : 37) {
        prove(ranks, false, &state);
        prove(ranks, true, &state);
    }
}

/* ---- runs ---- */

typedef struct member {
    irr_gather_t gather;
    unsigned char entry[ENTRY_MAX];   /* entry that the rank sends to rank 0 and expects back */
    size_t       length;
    bool         down, runs;
    irr_status_t status;
} member_t;

typedef struct team {
    irr_fleet_t *fleet;
    member_t    *member;   /* by rank */
    uint16_t     tag_base;
    bool         wild;     /* peers send random bytes */
} team_t;

static void open_team(team_t *team, int ranks, uint64_t seed, size_t eager_max)
{
    team->fleet = irr_fleet_create(ranks, seed % 4, eager_max);
    team->member = irr_test_array((size_t)ranks, sizeof(*team->member));
    team->tag_base = 0;
    team->wild = false;
    for (int r = 0; r < ranks; r++) {
        irr_test_must(irr_gather_init(&team->member[r].gather, ranks, r, ENTRY_MAX + sizeof(uint64_t)));
    }
}

static void close_team(team_t *team)
{
    const int ranks = team->fleet->ranks;

    irr_fleet_destroy(team->fleet);
    for (int r = 0; r < ranks; r++) {
        irr_gather_fini(&team->member[r].gather);
    }
    free(team->member);
}

static irr_exec_env_t env_of(team_t *team, int r)
{
    return (irr_exec_env_t){
        .channel = team->fleet->rank[r].channel, .tag_base = team->tag_base,
        .counters = &team->fleet->rank[r].counters };
}

static void start(team_t *team, int r, uint64_t *state)
{
    member_t *member = &team->member[r];
    const irr_exec_env_t env = env_of(team, r);
    const size_t begin = irr_gather_begin(&member->gather);

    member->length = irr_test_below(state, ENTRY_MAX + 1);
    irr_test_must(irr_bytes_reserve(&member->gather.entries, member->length));
    for (size_t i = 0; i < member->length; i++) {
        member->entry[i] = (unsigned char)irr_test_random(state);
        member->gather.entries.at[begin + i] = member->entry[i];
    }
    member->gather.entries.length += member->length;
    irr_bytes_end(&member->gather.entries, begin);
    irr_gather_up(&member->gather, &env);
    member->down = false;
    member->runs = true;
}

static bool is_entry(const member_t *member, irr_reader_t entry)
{
    return !entry.bad && entry.length == member->length && memcmp(entry.in, member->entry, entry.length) == 0;
}

/* Starts the scatter on a rank after the gather. Asserts on rank 0 that it has the entry of each rank. */
static void turn(team_t *team, int r)
{
    member_t *member = &team->member[r];
    const irr_exec_env_t env = env_of(team, r);
    irr_reader_t entries = irr_bytes_read(&member->gather.entries);

    for (int i = 0; i < team->fleet->ranks && r == 0 && !team->wild; i++) {
        CU_ASSERT_TRUE(is_entry(&team->member[i], irr_bytes_next(&entries)));
    }
    CU_ASSERT(r > 0 || team->wild || irr_reader_ends(&entries));
    irr_gather_down(&member->gather, &env);
    member->down = true;
}

static bool progress(team_t *team, int rounds)
{
    bool busy = true;

    for (int round = 0; round < rounds && busy; round++) {
        busy = false;
        for (int r = 0; r < team->fleet->ranks; r++) {
            irr_transport_t *transport = &team->fleet->rank[r].spy->super;
            member_t *member = &team->member[r];

            transport->ops->progress(transport);
            member->status = member->runs ? irr_gather_progress(&member->gather) : member->status;
            if (member->runs && member->status == IRR_OK && !member->down) {
                turn(team, r);
                member->status = IRR_IN_PROGRESS;
            }
            member->runs = member->runs && member->status == IRR_IN_PROGRESS;
            busy = busy || member->runs;
        }
    }
    return !busy;
}

static void run(int ranks, size_t eager_max, int runs, uint64_t *state)
{
    team_t team;

    open_team(&team, ranks, irr_test_random(state), eager_max);
    for (int i = 0; i < runs; i++) {
        team.tag_base = irr_tag_base((uint32_t)i);
        for (int r = 0; r < ranks; r++) {
            start(&team, r, state);
            (void)progress(&team, i % 3 == 2 ? 2 : 0);
        }
        CU_ASSERT_TRUE_FATAL(progress(&team, ROUNDS_MAX));
        for (int r = 0; r < ranks; r++) {
            irr_reader_t entries = irr_bytes_read(&team.member[r].gather.entries);

            CU_ASSERT_EQUAL(team.member[r].status, IRR_OK);
            CU_ASSERT_TRUE(is_entry(&team.member[r], irr_bytes_next(&entries)));
            CU_ASSERT_EQUAL(team.fleet->rank[r].counters.bytes_sent, 0);
        }
    }
    for (int r = 1; r < ranks; r++) {   /* gather and scatter each take two messages: lengths and entries */
        CU_ASSERT_EQUAL(team.fleet->rank[r].counters.messages_sent + team.fleet->rank[r].counters.messages_received,
                        (uint64_t)runs * 4 * (team.member[r].gather.moves.plan.nsends + 1));
    }
    close_team(&team);
}

static void test_runs(void)
{
    static const size_t eager_max[] = { 0, 30, SIZE_MAX };
    uint64_t state = irr_test_seed();

    for (int ranks = 1; ranks <= 300; ranks += ranks < 34 ? 1 : 59) {
        run(ranks, eager_max[ranks % 3], 3, &state);
    }
    run(7, SIZE_MAX, (int)IRR_TAG_SEQUENCES + 20, &state);
}

/* ---- memory, and hostile peers ---- */

static bool not_of_transport(void)
{
    return !irr_spy_sends_now();
}

/*
 * The nth allocation fails. Its rank has an error, and the other ranks end or wait. Returns false if no allocation
 * failed.
 */
static bool starve(int ranks, size_t nth, uint64_t *state)
{
    team_t team;
    bool failed;
    int without = 0;

    open_team(&team, ranks, irr_test_random(state), SIZE_MAX);
    for (int r = 0; r < ranks; r++) {
        start(&team, r, state);
    }
    irr_memory_fail(nth, not_of_transport);
    (void)progress(&team, 300);
    failed = irr_memory_failed();
    for (int r = 0; r < ranks; r++) {
        without += team.member[r].status == IRR_ERR_NO_MEMORY;
        CU_ASSERT(team.member[r].status == IRR_OK || (failed && team.member[r].status != IRR_ERR_PROTOCOL));
    }
    CU_ASSERT_EQUAL(without, failed);
    irr_memory_fail(0, NULL);
    close_team(&team);
    return failed;
}

static irr_status_t init(void *context)
{
    irr_gather_t gather = { .family = 0 };
    irr_status_t status = irr_gather_init(&gather, 8, *(int *)context, 100);

    irr_gather_fini(&gather);
    return status;
}

static void test_memory(void)
{
    uint64_t state = irr_test_seed();
    int rank = 4;
    size_t nth = 1;

    while (starve(8, nth, &state)) {
        nth++;
    }
    CU_ASSERT(nth > 4);
    CU_ASSERT(irr_memory_fail_each(init, &rank) > 3);
}

static void never(irr_request_t *request, irr_status_t status)
{
    (void)request;
    CU_ASSERT_EQUAL(status, IRR_IN_PROGRESS);   /* all messages are eager */
}

static void post(team_t *team, int from, int to, void *bytes, size_t length)
{
    irr_channel_t *channel = team->fleet->rank[from].channel;
    irr_iov_t iov = { bytes, length };
    irr_request_t request = { .done = never };

    irr_request_set(&request, to, irr_tag(team->tag_base, IRR_TAG_SYNC, 1), &iov, 1, IRR_FORM_IOVEC);
    CU_ASSERT_EQUAL(irr_channel_send(channel, &request), IRR_OK);
}

/* Sends lengths and entries of a family, correct or wrong. */
static void send_anything(team_t *team, int from, int to, int family, uint64_t *state)
{
    static unsigned char bytes[64 * ENTRY_MAX];
    uint64_t lengths[64], total = 0;
    const uint64_t kind = irr_test_below(state, 6);
    size_t said = (size_t)family * sizeof(*lengths);

    for (int i = 0; i < family; i++) {
        lengths[i] = sizeof(uint64_t) + irr_test_below(state, ENTRY_MAX);
        total += lengths[i];
    }
    for (size_t i = 0; i < total; i++) {
        bytes[i] = (unsigned char)(irr_test_below(state, 4) == 0 ? irr_test_random(state) : 0);
    }
    if (kind == 1) {
        lengths[irr_test_below(state, (uint64_t)family)] = irr_test_random(state) >> irr_test_below(state, 64);
    } else if (kind == 2) {
        said = irr_test_below(state, said + 1);
    } else if (kind == 3) {
        total = irr_test_below(state, total + 1);
    } else if (kind == 4) {
        memset(lengths, 0xff, said);
    }
    post(team, from, to, lengths, said);
    post(team, from, to, bytes, total);
}

static void attack(int ranks, int victim, uint64_t *state)
{
    team_t team;
    const int family = irr_binomial_family(ranks, victim);

    open_team(&team, ranks, 0, SIZE_MAX);
    irr_memory_limit(100000);
    team.wild = true;
    start(&team, victim, state);
    for (int d = 1; d < family; d *= 2) {
        send_anything(&team, victim + d, victim, irr_binomial_family(ranks, victim + d), state);
    }
    if (victim > 0) {
        send_anything(&team, victim & (victim - 1), victim, family, state);
    }
    CU_ASSERT_TRUE(progress(&team, 300) || team.member[victim].status == IRR_IN_PROGRESS);
    irr_memory_limit(SIZE_MAX);
    close_team(&team);
}

static void test_hostile(void)
{
    static const int ranks[] = { 2, 3, 4, 7, 16, 21, 64 };
    uint64_t state = irr_test_seed();

    for (int i = 0; i < 7 * 300; i++) {
        attack(ranks[i % 7], (int)irr_test_below(&state, (uint64_t)ranks[i % 7]), &state);
    }
}

IRR_TEST_MAIN("gather", 60,
    { "the plans are proven as exchanges", test_proof },
    { "every entry arrives", test_runs },
    { "no memory", test_memory },
    { "peers that send random bytes", test_hostile })
