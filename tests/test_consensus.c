/*
 * test_consensus.c - the maximum of a few words over all ranks: right on each of them, in ceil(log2 P) messages, or
 * none where ranks share a node, with ranks that start late, and with messages of a wrong length.
 */
#include "irr_fleet.h"
#include "irr_test.h"

#include "exec/consensus.h"

#include <stdlib.h>
#include <string.h>

#define ALL_EAGER SIZE_MAX

enum { ROUNDS_MAX = 20000 };

/* What a rank shares with others of its node. */
typedef struct share {
    irr_segment_t    segment;
    irr_view_t       view;
    irr_board_t      board;
    irr_board_card_t card;
} share_t;

typedef struct team {
    irr_fleet_t     *fleet;
    irr_consensus_t *consensus;   /* by rank */
    irr_status_t    *result;
    int              started;     /* the first ranks */
    irr_nodes_t      nodes;
    share_t         *share;       /* by rank; NULL: none does */
} team_t;

static void open_team(team_t *team, int ranks, uint64_t seed, size_t eager_max)
{
    *team = (team_t){ .started = 0 };
    team->fleet = irr_fleet_create(ranks, seed, eager_max);
    team->consensus = calloc((size_t)ranks, sizeof(*team->consensus));
    team->result = calloc((size_t)ranks, sizeof(*team->result));
    CU_ASSERT_FATAL(team->consensus != NULL && team->result != NULL);
    for (int r = 0; r < ranks; r++) {
        CU_ASSERT_EQUAL_FATAL(irr_consensus_init(&team->consensus[r], ranks, r), IRR_OK);
    }
}

/* Makes the boards of all ranks; labels as irr_nodes_init has them. */
static void share(team_t *team, const int *labels)
{
    const int ranks = team->fleet->ranks;
    irr_nodes_t *nodes = &team->nodes;

    irr_test_must(irr_nodes_init(nodes, ranks, labels));
    team->share = irr_test_array((size_t)ranks, sizeof(*team->share));
    for (int r = 0; r < ranks; r++) {
        share_t *mine = &team->share[r];

        irr_test_must(irr_segment_init(&mine->segment, IRR_BOARD_TABLE, 2 * IRR_BOARD_TABLE));
        irr_test_must(irr_view_open(&mine->view, &mine->segment.card));
        irr_test_must(irr_board_init(&mine->board, &mine->segment, 5, irr_nodes_size(nodes, nodes->node[r]),
                                     nodes->place[r], false, &mine->card));
    }
    for (int r = 0; r < ranks; r++) {
        for (int i = 0; i < team->share[r].board.count; i++) {
            const int other = nodes->members[nodes->first[nodes->node[r]] + i];

            irr_test_must(irr_board_join(&team->share[r].board, i, other, &team->share[other].view,
                                         &team->share[other].card));
        }
        irr_consensus_share(&team->consensus[r], nodes, &team->share[r].board);
    }
}

static void close_team(team_t *team)
{
    for (int r = 0; team->share != NULL && r < team->fleet->ranks; r++) {
        irr_board_fini(&team->share[r].board);
        irr_view_close(&team->share[r].view);
        irr_segment_fini(&team->share[r].segment);
    }
    irr_nodes_fini(&team->nodes);
    free(team->share);
    irr_fleet_destroy(team->fleet);
    free(team->consensus);
    free(team->result);
}

static irr_exec_env_t env_of(const team_t *team, int r, uint32_t sequence)
{
    irr_fleet_rank_t *rank = &team->fleet->rank[r];

    rank->counters = (irr_counters_t){ 0 };
    return (irr_exec_env_t){
        .channel = rank->channel, .tag_base = irr_tag_base(sequence), .counters = &rank->counters
    };
}

/* Progresses the ranks that were started until none runs; false: they did not come to an end. */
static bool progress(team_t *team, int rounds)
{
    bool busy = true;

    for (int round = 0; round < rounds && busy; round++) {
        busy = false;
        for (int r = 0; r < team->fleet->ranks; r++) {
            irr_transport_t *transport = &team->fleet->rank[r].spy->super;

            transport->ops->progress(transport);
            if (r < team->started) {
                team->result[r] = irr_consensus_progress(&team->consensus[r]);
                busy = busy || team->result[r] == IRR_IN_PROGRESS;
            }
        }
    }
    return !busy;
}

static int log2_up(int ranks)
{
    int rounds = 0;

    while (1 << rounds < ranks) {
        rounds++;
    }
    return rounds;
}

/* That a rank sends, and receives. */
static uint64_t messages_of(const team_t *team, int r)
{
    if (team->share == NULL) {
        return (uint64_t)log2_up(team->fleet->ranks);
    }
    return team->nodes.place[r] == 0 ? (uint64_t)log2_up(team->nodes.count) : 0;
}

/* Random words of any magnitude; each rank starts a while after the one before if late. */
static void run(team_t *team, uint32_t sequence, size_t count, bool late, uint64_t *state)
{
    uint64_t most[IRR_CONSENSUS_WORDS_MAX] = { 0 };
    int ranks = team->fleet->ranks;

    for (team->started = 0; team->started < ranks; team->started++) {
        uint64_t words[IRR_CONSENSUS_WORDS_MAX];
        irr_exec_env_t env = env_of(team, team->started, sequence);

        for (size_t i = 0; i < count; i++) {
            words[i] = irr_test_random(state) >> irr_test_below(state, 64);
            most[i] = words[i] > most[i] ? words[i] : most[i];
        }
        irr_consensus_start(&team->consensus[team->started], words, count, &env);
        if (late) {
            progress(team, 2);
        }
    }
    CU_ASSERT_TRUE_FATAL(progress(team, ROUNDS_MAX));
    for (int r = 0; r < ranks; r++) {
        const irr_counters_t *counters = &team->fleet->rank[r].counters;
        const uint64_t messages = messages_of(team, r);

        CU_ASSERT_EQUAL(team->result[r], IRR_OK);
        for (size_t i = 0; i < count; i++) {
            CU_ASSERT_EQUAL(team->consensus[r].words[i], most[i]);
        }
        CU_ASSERT_EQUAL(counters->messages_sent, messages);
        CU_ASSERT_EQUAL(counters->messages_received, messages);
        CU_ASSERT_EQUAL(counters->header_bytes, messages * count * sizeof(uint64_t));
        CU_ASSERT_EQUAL(counters->bytes_sent + counters->bytes_received, 0);
    }
}

static void run_all(int ranks, size_t eager_max, uint64_t *state)
{
    team_t team;

    open_team(&team, ranks, irr_test_random(state) % 4, eager_max);
    for (uint32_t sequence = 0; sequence < 3; sequence++) {
        run(&team, sequence, 1 + irr_test_below(state, IRR_CONSENSUS_WORDS_MAX), sequence == 1, state);
    }
    close_team(&team);
}

static void test_right(void)
{
    static const int more[] = { 100, 127, 128, 129, 255, 256, 257, 300 };
    uint64_t state = irr_test_seed();

    for (int ranks = 1; ranks <= 70; ranks++) {
        run_all(ranks, ALL_EAGER, &state);
        run_all(ranks, 0, &state);
    }
    for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
        run_all(more[i], i % 2 == 0 ? 0 : ALL_EAGER, &state);
    }
}

/* ---- with boards ---- */

#define LAYOUTS 5

/* One node, and nodes of several sizes, of ranks that are neighbours or not. */
static void lay_out(int layout, int ranks, int *labels)
{
    for (int r = 0; r < ranks; r++) {
        const int of[LAYOUTS] = { 0, r % 3, r / 4, r * r % 7, r };

        labels[r] = of[layout];
    }
}

static void test_shared(void)
{
    static const int ranks[] = { 1, 2, 3, 4, 5, 8, 13, 33, 70 };
    uint64_t state = irr_test_seed();
    int labels[70];
    team_t team;

    for (size_t i = 0; i < LAYOUTS * sizeof(ranks) / sizeof(ranks[0]); i++) {
        const int count = ranks[i / LAYOUTS];

        lay_out((int)(i % LAYOUTS), count, labels);
        open_team(&team, count, irr_test_random(&state) % 4, i % 2 == 0 ? 0 : ALL_EAGER);
        share(&team, labels);
        for (uint32_t sequence = 0; sequence < 12; sequence++) {
            run(&team, sequence, 1 + irr_test_below(&state, IRR_CONSENSUS_WORDS_MAX), sequence % 3 == 1, &state);
        }
        close_team(&team);
    }
}

/* The sequence number of an exchange wraps. */
static void test_wrap(void)
{
    uint64_t state = irr_test_seed();
    team_t team;

    open_team(&team, 5, irr_test_random(&state), 0);
    for (uint32_t sequence = IRR_TAG_SEQUENCES - 75; sequence < IRR_TAG_SEQUENCES + 75; sequence++) {
        run(&team, sequence, 3, sequence % 2 == 0, &state);
    }
    close_team(&team);
}

static void test_ranks(void)
{
    irr_consensus_t consensus;

    CU_ASSERT_EQUAL(irr_consensus_init(&consensus, IRR_CONSENSUS_RANKS_MAX, 7), IRR_OK);
    CU_ASSERT_EQUAL(irr_consensus_init(&consensus, IRR_CONSENSUS_RANKS_MAX + 1, 7), IRR_ERR_NOT_SUPPORTED);
}

/* One rank has another number of words: as each rank would miss its own, none ends well, and all end. */
static void run_length(int ranks, int odd, size_t count, size_t odd_count, const int *labels, uint64_t seed)
{
    static const uint64_t words[IRR_CONSENSUS_WORDS_MAX] = { 1, 2, 3 };
    team_t team;

    open_team(&team, ranks, seed, seed % 2 == 0 ? 0 : ALL_EAGER);
    if (labels != NULL) {
        share(&team, labels);
    }
    for (int r = 0; r < ranks; r++) {
        irr_exec_env_t env = env_of(&team, r, 0);

        irr_consensus_start(&team.consensus[r], words, r == odd ? odd_count : count, &env);
    }
    team.started = ranks;
    CU_ASSERT_TRUE_FATAL(progress(&team, ROUNDS_MAX));
    if (labels == NULL) {
        CU_ASSERT_EQUAL(team.result[odd], IRR_ERR_PROTOCOL);
        CU_ASSERT_EQUAL(team.result[(odd + 1) % ranks], IRR_ERR_PROTOCOL);
    }
    for (int r = 0; r < ranks; r++) {
        CU_ASSERT(team.result[r] == IRR_ERR_PROTOCOL || team.result[r] == IRR_ERR_PEER);
    }
    close_team(&team);
}

static void test_length(void)
{
    uint64_t state = irr_test_seed();
    int labels[20];

    for (int ranks = 2; ranks < 20; ranks++) {
        run_length(ranks, (int)irr_test_below(&state, (uint64_t)ranks), 3, 2, NULL, irr_test_random(&state));
        run_length(ranks, (int)irr_test_below(&state, (uint64_t)ranks), 3, 8, NULL, irr_test_random(&state));
        lay_out((int)irr_test_below(&state, LAYOUTS), ranks, labels);
        run_length(ranks, (int)irr_test_below(&state, (uint64_t)ranks), 3, 8, labels, irr_test_random(&state));
    }
}

/* The ranks that miss somebody's word if one of them fails in a round, from 1. */
static void find_missing(int ranks, int failed, int round, bool missing[])
{
    memset(missing, 0, (size_t)ranks * sizeof(*missing));
    missing[failed] = true;
    for (int next = round; 1 << next < ranks; next++) {
        bool before[16];

        memcpy(before, missing, (size_t)ranks * sizeof(*missing));
        for (int r = 0; r < ranks; r++) {
            missing[r] = before[r] || before[(r - (1 << next) % ranks + ranks) % ranks];
        }
    }
}

/* All ranks start, and a transport refuses one rank its send, or its receive, of a round. */
static void start_refused(team_t *team, irr_spy_t *spy, int round, bool sends)
{
    spy->refusal = IRR_ERR_TRANSPORT;
    spy->refuse_send = sends ? (size_t)round : 0;
    spy->refuse_recv = sends ? 0 : (size_t)round;
    for (int r = 0; r < team->fleet->ranks; r++) {
        irr_exec_env_t env = env_of(team, r, 0);
        const uint64_t word = 4 + (uint64_t)r;

        irr_consensus_start(&team->consensus[r], &word, 1, &env);
    }
    team->started = team->fleet->ranks;
}

/*
 * A send or receive that fails: who would have a maximum without somebody's word from then on has an error, and all
 * others have heard from all.  What was refused goes out later.
 */
static void run_failure(int ranks, int failed, int round, bool sends)
{
    bool missing[16];
    team_t team;
    irr_spy_t *spy;

    open_team(&team, ranks, 0, ALL_EAGER);
    find_missing(ranks, failed, round, missing);
    spy = team.fleet->rank[failed].spy;
    start_refused(&team, spy, round, sends);
    progress(&team, 50);
    irr_spy_repair(spy);
    CU_ASSERT_TRUE_FATAL(progress(&team, ROUNDS_MAX));
    for (int r = 0; r < ranks; r++) {
        CU_ASSERT_EQUAL(team.result[r], r == failed ? IRR_ERR_TRANSPORT : missing[r] ? IRR_ERR_PEER : IRR_OK);
        CU_ASSERT(missing[r] || team.consensus[r].words[0] == 4 + (uint64_t)ranks - 1);
    }
    close_team(&team);
}

/* Who speaks cannot send: those whose node misses a word are told so, on boards and by messages. */
static void run_shared_failure(int layout, int round, bool sends)
{
    const int ranks = 13;
    int labels[13];
    bool missing[16];
    team_t team;
    irr_spy_t *spy;

    lay_out(layout, ranks, labels);
    open_team(&team, ranks, 0, ALL_EAGER);
    share(&team, labels);
    find_missing(team.nodes.count, 1, round, missing);
    spy = team.fleet->rank[team.nodes.members[team.nodes.first[1]]].spy;
    start_refused(&team, spy, round, sends);
    progress(&team, 50);
    irr_spy_repair(spy);
    CU_ASSERT_TRUE_FATAL(progress(&team, ROUNDS_MAX));
    for (int r = 0; r < ranks; r++) {
        const int node = team.nodes.node[r];
        const irr_status_t missed = node == 1 && team.nodes.place[r] == 0 ? IRR_ERR_TRANSPORT : IRR_ERR_PEER;

        CU_ASSERT_EQUAL(team.result[r], missing[node] ? missed : IRR_OK);
        CU_ASSERT(missing[node] || team.consensus[r].words[0] == 4 + (uint64_t)ranks - 1);
    }
    close_team(&team);
}

static void test_shared_failure(void)
{
    for (int layout = 1; layout < LAYOUTS; layout++) {
        for (int round = 1; round <= 2; round++) {
            run_shared_failure(layout, round, true);
            run_shared_failure(layout, round, false);
        }
    }
}

static void test_failure(void)
{
    for (int ranks = 2; ranks <= 16; ranks++) {
        for (int round = 1; round <= log2_up(ranks); round++) {
            run_failure(ranks, ranks - 1, round, false);
            run_failure(ranks, ranks - 1, round, true);
            run_failure(ranks, ranks / 3, round, false);
        }
    }
}

/* Among three each waits for the one before: who was refused says so all the same, and does not wait for ever. */
static void test_stuck(void)
{
    team_t team;
    irr_spy_t *spy;

    open_team(&team, 3, 0, ALL_EAGER);
    spy = team.fleet->rank[0].spy;
    start_refused(&team, spy, 1, true);
    CU_ASSERT_FALSE(progress(&team, 50));
    CU_ASSERT_EQUAL(team.result[0], IRR_ERR_TRANSPORT);
    irr_spy_repair(spy);
    CU_ASSERT_TRUE_FATAL(progress(&team, ROUNDS_MAX));
    close_team(&team);
}

int main(void)
{
    static const irr_test_case_t cases[] = {
        { "right for each number of ranks", test_right },
        { "right where ranks share nodes", test_shared },
        { "more consensuses than sequence numbers", test_wrap },
        { "too many ranks", test_ranks },
        { "messages of a wrong length", test_length },
        { "sends and receives that fail", test_failure },
        { "the same of who speaks for others", test_shared_failure },
        { "who is refused a send does not wait for who misses it", test_stuck },
        { NULL, NULL }
    };

    return irr_test_main("consensus", cases, 60);
}
