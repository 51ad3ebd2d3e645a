/*
 * test_lanes.c - lanes: shared memory within nodes and a network between nodes. The tests are the conformance suite on
 * a transport that combines both, and communicators on nodes of several layouts. In some tests a rank has no memory to
 * share, or cannot map the memory of another rank.
 */
#include "irr_world.h"
#include "open_files.h"
#include "transport_suite.h"

#include "transport/lanes.h"
#include "transport/shm/shm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- failures of a rank ---- */

static int poor = -1, blind = -1;   /* the rank that cannot make shared memory, and the rank that cannot map shared
                                       memory; -1: none */
static int limited = -1;            /* the rank whose files may have one section; -1: none */

/* memfd_create and the next two functions replace functions of the C library. */
int memfd_create(const char *name, unsigned flags)
{
    if (poor >= 0 && irr_world_self() == poor) {
        errno = ENOSYS;
        return -1;
    }
    return (int)syscall(SYS_memfd_create, name, flags);
}

int ftruncate(int file, off_t bytes)
{
    if (limited >= 0 && irr_world_self() == limited && bytes > (off_t)IRR_SHM_SECTION) {
        errno = EFBIG;
        return -1;
    }
    return (int)syscall(SYS_ftruncate, file, bytes);
}

int open(const char *path, int flags, ...)
{
    mode_t mode = 0;

    if ((flags & O_CREAT) != 0) {
        va_list list;

        va_start(list, flags);
        mode = va_arg(list, mode_t);
        va_end(list);
    }
    if (blind >= 0 && irr_world_self() == blind && strncmp(path, "/proc/", 6) == 0) {
        errno = EACCES;
        return -1;
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

/* ---- the conformance suite ---- */

/* Puts each loopback transport behind lanes, as the transport to other nodes. */
static irr_status_t put_far(irr_transport_t *transports[IRR_NET_RANKS])
{
    for (int r = 0; r < IRR_NET_RANKS; r++) {
        irr_lanes_t *lanes;

        irr_test_must(irr_lanes_create(&lanes));
        irr_lanes_put(lanes, IRR_LANE_FAR, transports[r]);
        transports[r] = &lanes->super;
    }
    return IRR_OK;
}

/* Opens shared memory on the first `ranks` ranks. */
static irr_status_t share(irr_transport_t *transports[IRR_NET_RANKS], int ranks)
{
    const irr_engine_config_t config = { .node_ranks = IRR_NET_RANKS };
    irr_status_t status = IRR_OK;

    for (int r = 0; r < ranks && status == IRR_OK; r++) {
        status = irr_lanes_open((irr_lanes_t *)transports[r], IRR_LANE_NEAR, &config);
    }
    return status;
}

static irr_status_t open_near(irr_transport_t *transports[IRR_NET_RANKS])
{
    for (int r = 0; r < IRR_NET_RANKS; r++) {
        irr_lanes_t *lanes;

        irr_test_must(irr_lanes_create(&lanes));
        transports[r] = &lanes->super;
    }
    return share(transports, IRR_NET_RANKS);
}

/* The last rank is alone on its node. */
static irr_status_t put_mixed(irr_transport_t *transports[IRR_NET_RANKS])
{
    const irr_status_t status = put_far(transports);

    return status == IRR_OK ? share(transports, IRR_NET_RANKS - 1) : status;
}

static const irr_opener_t near = { .open = open_near };
static const irr_opener_t far = { .loopback = true, .shuffled = true, .eager_max = 1024, .wrap = put_far };
static const irr_opener_t mixed = { .loopback = true, .shuffled = true, .eager_max = 1024, .wrap = put_mixed };

IRR_TRANSPORT_SUITE(near)
IRR_TRANSPORT_SUITE(far)
IRR_TRANSPORT_SUITE(mixed)

IRR_TEST(test_bad_addresses, "truncated addresses, and addresses with wrong lengths")
{
    unsigned char bytes[1024];
    const void *address;
    irr_peer_t *peer;
    uint64_t word;
    size_t length;
    irr_net_t net;

    if (!irr_net_open(&net, &mixed)) {
        return;
    }
    irr_test_must(net.transports[0]->ops->address(net.transports[0], &address, &length));
    for (size_t i = 0; i < length; i++) {
        CU_ASSERT_EQUAL(net.transports[1]->ops->connect(net.transports[1], address, i, &peer), IRR_ERR_BAD_PARAM);
    }
    for (int k = 0; k < IRR_LANE_KINDS; k++) {
        for (int shift = 0; shift < 64; shift++) {
            memcpy(bytes, address, length);
            memcpy(&word, bytes + 8 * k, sizeof(word));
            word ^= UINT64_C(1) << shift;
            memcpy(bytes + 8 * k, &word, sizeof(word));
            CU_ASSERT_EQUAL(net.transports[1]->ops->connect(net.transports[1], bytes, length, &peer),
                            IRR_ERR_BAD_PARAM);
        }
    }
    irr_net_close(&net);
}

/* ---- communicators ---- */

enum { RANKS = 6, LAYOUTS = 4 };

static int node_of(int layout, int rank)
{
    const int nodes[LAYOUTS] = { 0, rank % 2, rank / 4, rank };

    return nodes[layout];
}

static void settle(irr_team_t *team, const char *algorithm, int layout, bool shm)
{
    irr_settings_t settings = irr_settings_default();

    settings.algorithm = irr_algorithm_find(algorithm);
    settings.shm = shm;
    irr_team_set(team, &settings);
    for (int r = 0; r < team->ranks; r++) {
        team->params[r].node = node_of(layout, r);
    }
}

/* Opens a world whose ranks may share memory, as in a job, and makes the team of all its ranks. */
static void begin(irr_team_t *team, int ranks, const char *algorithm, int layout, uint64_t *state)
{
    irr_team_begin(team, ranks, irr_test_random(state), 100);
    for (int r = 0; r < ranks; r++) {
        team->world->engines[r]->refused[IRR_LANE_NEAR] = IRR_OK;   /* otherwise engines use only their transport */
    }
    settle(team, algorithm, layout, true);
}

static void expect_kinds(irr_team_t *team, uint64_t *state)
{
    for (int kind = 0; kind < IRR_JOB_KINDS; kind++) {
        irr_job_t *job = irr_job_create(team->ranks, (irr_job_kind_t)kind, irr_test_random(state));

        irr_team_expect(team, job, -1);
        irr_team_expect(team, job, -1);
        irr_job_destroy(job);
    }
}

/* True if messages between these ranks go through shared memory. */
static bool is_near(const irr_team_t *team, int from, int to)
{
    const irr_lanes_t *lanes = team->comms[from]->engine->lanes;

    return irr_channel_lane(team->comms[from]->channel, to)->transport == lanes->inner[IRR_LANE_NEAR];
}

static void expect_lanes(const irr_team_t *team, int layout, bool shares)
{
    for (int i = 0; i < team->ranks * team->ranks; i++) {
        const int from = i / team->ranks, to = i % team->ranks;

        CU_ASSERT(from == to ||
                  is_near(team, from, to) == (shares && node_of(layout, from) == node_of(layout, to)));
    }
}

static size_t network_sends(const irr_world_t *world)
{
    size_t sends = 0;

    for (int r = 0; r < world->ranks; r++) {
        sends += world->spies[r]->sends;
    }
    return sends;
}

IRR_TEST_SEEDED(test_layouts, "every byte arrives by the lane of its peer, and no descriptor leaks")
{
    static const char *const algorithms[] = {
        "direct", "natural", "spread", "grid", "balanced-grid", "bruck", "hybrid", "random-heap", "optimal", "tree",
        "node"
    };
    enum { ALGORITHMS = IRR_TEST_COUNT(algorithms) };
    const int files = test_open_files();

    for (int i = 0; i < LAYOUTS * ALGORITHMS; i++) {
        const int layout = i % LAYOUTS;
        irr_team_t team;

        begin(&team, RANKS, algorithms[i / LAYOUTS], layout, state);
        irr_team_create_with(&team, NULL);
        expect_lanes(&team, layout, true);
        expect_kinds(&team, state);
        CU_ASSERT_EQUAL(network_sends(team.world) > 0, layout > 0);
        irr_team_close(&team);
        CU_ASSERT_EQUAL(test_open_files(), files);
    }
}

/* Counts the collectives of the host, for the first communicator and for another communicator of the same processes. */
IRR_TEST_SEEDED(test_set_up, "number of collectives of the host per setup")
{
    for (int layout = 0; layout < LAYOUTS; layout++) {
        irr_team_t first, second;

        begin(&first, RANKS, "direct", layout, state);
        irr_team_create_with(&first, NULL);
        CU_ASSERT(first.reduces == 4 && first.gathers == 1);
        irr_team_init(&second, first.world, 0, 1);
        settle(&second, "direct", layout, true);
        irr_team_create_with(&second, NULL);
        CU_ASSERT_EQUAL(second.reduces, 3);
        CU_ASSERT_EQUAL(second.gathers, layout > 0);
        irr_team_destroy(&second);
        irr_team_close(&first);
    }
}

/*
 * Three communicators of the same processes run side by side: one shares memory, one does not share memory, and one has
 * only some of the ranks.
 */
IRR_TEST_SEEDED(test_side_by_side, "concurrent communicators with and without shared memory")
{
    irr_team_t shares, network, some;

    begin(&shares, RANKS, "direct", 2, state);
    irr_team_init(&network, shares.world, 0, 1);
    irr_team_init(&some, shares.world, 0, 2);
    settle(&some, "direct", 0, true);
    settle(&network, "direct", 0, false);
    irr_team_create_with(&some, NULL);
    irr_team_create_with(&network, NULL);
    irr_team_create_with(&shares, NULL);
    expect_lanes(&some, 0, true);
    expect_lanes(&network, 0, false);
    expect_lanes(&shares, 2, true);
    for (int i = 0; i < 3; i++) {
        expect_kinds(&network, state);
        expect_kinds(&shares, state);
    }
    irr_team_destroy(&network);
    irr_team_destroy(&some);
    irr_team_close(&shares);
}

/* A process that is alone on its node maps no memory. The other processes still share memory. */
IRR_TEST_SEEDED(test_alone, "a rank that is alone on its node")
{
    irr_team_t team;

    begin(&team, RANKS - 1, "direct", 2, state);   /* the last rank is alone */
    team.world->engines[RANKS - 2]->config.node_ranks = 1;
    irr_team_create_with(&team, NULL);
    expect_lanes(&team, 2, true);
    CU_ASSERT_PTR_NULL(team.world->engines[RANKS - 2]->lanes->inner[IRR_LANE_NEAR]);
    expect_kinds(&team, state);
    irr_team_close(&team);
}

/* No rank has memory of another rank mapped. */
static void expect_nothing_mapped(const irr_team_t *team)
{
    for (int r = 0; r < team->ranks; r++) {
        irr_transport_t *near = team->world->engines[r]->lanes->shm;

        for (const irr_peer_t *peer = near != NULL ? irr_shm_of(near)->peers : NULL; peer != NULL; peer = peer->next) {
            CU_ASSERT_PTR_NULL(peer->view.bytes);
        }
    }
}

/*
 * If one rank cannot share memory, no rank of the communicator shares memory, what was mapped is given back, and one
 * rank warns once.
 */
static void expect_far(const char *algorithm, int layout, const char *warning)
{
    uint64_t state = irr_test_seed();
    irr_team_t team;

    begin(&team, RANKS, algorithm, layout, &state);
    irr_world_start_log_at(IRR_LOG_WARN);
    for (int i = 0; i < 2; i++) {
        irr_team_destroy(&team);
        irr_team_create_with(&team, NULL);
        CU_ASSERT_EQUAL(irr_world_log.lines, 1);
        CU_ASSERT_PTR_NOT_NULL(strstr(irr_world_log.last, warning));
        expect_lanes(&team, layout, false);
        expect_nothing_mapped(&team);
        expect_kinds(&team, &state);
        expect_nothing_mapped(&team);
    }
    irr_world_stop_log();
    irr_team_close(&team);
}

/*
 * Rank 2 cannot make memory to share, cannot map the memory of other ranks, or has too little room for its own. The
 * last two have an effect only if another rank is on its node.
 */
IRR_TEST(test_cannot_share, "a rank that cannot create or map shared memory")
{
    for (int layout = 0; layout < LAYOUTS; layout++) {
        const char *algorithm = layout % 2 == 0 ? "direct" : "grid";

        poor = 2;
        expect_far(algorithm, layout, "memfd_create");
        poor = -1;
        if (layout < LAYOUTS - 1) {
            blind = 2;
            expect_far(algorithm, layout, "rank 2 of a communicator cannot share memory");
            blind = -1;
            limited = 2;
            expect_far(algorithm, layout, "this process cannot share more memory: File too large");
            limited = -1;
        }
    }
}

/* ---- engines that open their transports, as in a job ---- */

/* Creates engines for a network that does not exist. A communicator that needs the network is not created. */
static void open_world_alone(irr_world_t *world)
{
    irr_world_open_config(world, RANKS, &(irr_engine_config_t){
        .transport = "pigeon", .job_ranks = RANKS, .node_ranks = RANKS });
}

/*
 * Ranks of a node need no network. Without shared memory, or with a rank on another node, the ranks need the network,
 * and warn.
 */
IRR_TEST_SEEDED(test_no_network, "ranks of one node open no network")
{
    static const struct { int layout; bool shm; int poor, blind; bool works; } cases[] = {
        { 0, true, -1, -1, true }, { 0, false, -1, -1, false }, { 0, true, 1, -1, false }, { 0, true, -1, 1, false },
        { 1, true, -1, -1, false }
    };

    for (size_t i = 0; i < IRR_TEST_COUNT(cases); i++) {
        irr_world_t world;
        irr_team_t team;

        open_world_alone(&world);
        irr_team_init(&team, &world, 0, 1);
        settle(&team, "direct", cases[i].layout, cases[i].shm);
        poor = cases[i].poor;
        blind = cases[i].blind;
        irr_world_start_log_at(IRR_LOG_WARN);
        CU_ASSERT_EQUAL(irr_team_create(&team), cases[i].works ? IRR_OK : IRR_ERR_NOT_SUPPORTED);
        irr_world_stop_log();
        poor = blind = -1;
        CU_ASSERT_EQUAL(irr_world_log.lines, cases[i].works ? 0 : cases[i].poor + cases[i].blind > -2 ? 2 : 1);
        CU_ASSERT(cases[i].works || strstr(irr_world_log.last, "transport is 'pigeon'; allowed are") != NULL);
        for (int r = 0; r < RANKS; r++) {
            CU_ASSERT_PTR_NULL(world.engines[r]->lanes->inner[IRR_LANE_FAR]);
        }
        if (cases[i].works) {
            expect_kinds(&team, state);
        }
        irr_team_destroy(&team);
        CU_ASSERT_EQUAL(irr_world_used_ids(&world), 0);
        CU_ASSERT_TRUE(irr_world_close(&world));
    }
}

/*
 * The MPI that hosts the engine calls irr_engine_progress in all of its waits. An engine with nothing in progress must
 * cost next to nothing there, but it still discards messages that no receive matches (comm/unexpected.h).
 */
IRR_TEST(test_idle, "an idle engine has one round in 1,024 calls of progress")
{
    const irr_block_t blocks[2][2] = { { { 1, 0, 100 }, { 1, 0, 100 } }, { { 0, 0, 100 }, { 0, 0, 100 } } };
    static char input[100], output[2][100];
    unsigned rounds[2];
    irr_world_t world;
    irr_team_t team;

    open_world_alone(&world);
    irr_team_init(&team, &world, 0, 1);
    settle(&team, "direct", 0, true);
    irr_team_create_with(&team, NULL);
    for (int r = 0; r < 2; r++) {
        const irr_problem_t problem = { .ranks = RANKS, .rank = r, .send = { &blocks[r][0], 1 },
                                        .recv = { &blocks[r][1], 1 } };

        CU_ASSERT_NOT_EQUAL(irr_exchange_start(irr_comm_exchange(team.comms[r]), &problem, input, output[r]),
                            IRR_ERR_PEER);
    }
    irr_world_progress(&world, 100);
    for (int r = 0; r < 2; r++) {
        CU_ASSERT_EQUAL(irr_exchange_test(irr_comm_exchange(team.comms[r])), IRR_OK);
        rounds[r] = world.engines[r]->rounds;
    }
    irr_world_progress(&world, 10 * 1024);
    for (int r = 0; r < 2; r++) {
        CU_ASSERT_EQUAL(world.engines[r]->rounds - rounds[r], 10);
    }
    irr_team_destroy(&team);
    CU_ASSERT_TRUE(irr_world_close(&world));
}

/* Each allocation of a setup fails once. Either all ranks or no ranks have the communicator, and no memory leaks. */
IRR_TEST_SEEDED(test_lacking, "each allocation of a setup fails once")
{
    for (int layout = 0; layout < 2; layout++) {
        bool failed = true;
        size_t nth;

        for (nth = 0; failed; nth++) {
            irr_team_t team;
            irr_status_t status;

            begin(&team, RANKS, "direct", layout, state);
            irr_log_set(NULL, NULL, IRR_LOG_ERROR);
            irr_memory_fail(nth + 1, NULL);
            status = irr_team_create(&team);
            failed = irr_memory_failed();
            irr_memory_fail(0, NULL);
            CU_ASSERT(status == IRR_OK || (failed && status == IRR_ERR_NOT_SUPPORTED));
            irr_team_close(&team);
        }
        CU_ASSERT(nth > 50);
    }
}

IRR_TEST_MAIN("lanes", 240)
