/*
 * test_unexpected.c - unexpected messages. Their receiver is notified, the messages are discarded, and no later receive
 * takes an unexpected message.
 */
#include "irr_world.h"

#include "plan/strategy.h"

enum { RANKS = 3, FROM = 0, TO = 1, ROUNDS = 20000, HALF = IRR_TAG_SEQUENCES / 2 };

typedef struct scene {
    irr_world_t  world;
    irr_team_t   team;
    irr_job_t   *wrong;     /* FROM sends to TO, whose block for the message is empty */
    irr_job_t   *nothing;
    irr_job_t   *all;
    irr_job_t   *back;      /* the message of `wrong` with other bytes, which TO expects */
    irr_status_t result[IRR_WORLD_MAX];
} scene_t;

enum { SHORT = 8 };

static void open_team(scene_t *scene, const char *algorithm)
{
    const irr_settings_t settings = { .algorithm = irr_algorithm_find(algorithm), .direct_bytes = SHORT };

    irr_team_open(&scene->team, &scene->world, &settings);
}

/* Returns a job of one message of this length, from FROM to TO. */
static irr_job_t *one_message(size_t length)
{
    irr_job_t *job = irr_job_create_equal(RANKS, SHORT + 1);

    for (int i = 0; i < RANKS * RANKS; i++) {
        irr_job_shorten(job, i / RANKS, i % RANKS, i == FROM * RANKS + TO ? length : 0);
    }
    return job;
}

static void open_scene(scene_t *scene, const char *algorithm, size_t eager_max)
{
    memset(scene, 0, sizeof(*scene));
    irr_world_open(&scene->world, RANKS, 0, eager_max);
    open_team(scene, algorithm);
    scene->all = irr_job_create_equal(RANKS, SHORT + 1);
    scene->wrong = one_message(SHORT);
    irr_job_cut(scene->wrong, TO, FROM, 0);
    scene->back = one_message(SHORT);
    scene->nothing = one_message(0);
    irr_job_fill(scene->wrong);
    irr_job_fill(scene->nothing);
    irr_job_fill(scene->all);
    scene->back->salt = 77;
    irr_job_fill(scene->back);
}

static void close_scene(scene_t *scene)
{
    irr_team_close(&scene->team);
    irr_job_destroy(scene->wrong);
    irr_job_destroy(scene->nothing);
    irr_job_destroy(scene->all);
    irr_job_destroy(scene->back);
}

static void start(scene_t *scene, int rank, irr_job_t *job)
{
    scene->result[rank] = irr_team_start(&scene->team, rank, job);
}

static void progress(scene_t *scene)
{
    CU_ASSERT_TRUE_FATAL(irr_team_progress(&scene->team, scene->result, ROUNDS));
}

/*
 * Exchanges a job on all ranks. Returns true if TO is notified of an unexpected message. Asserts that all other results
 * are right.
 */
static bool run(scene_t *scene, irr_job_t *job)
{
    irr_team_run(&scene->team, job, scene->result);
    for (int r = 0; r < RANKS; r++) {
        CU_ASSERT(scene->result[r] == IRR_OK || (r == TO && scene->result[r] == IRR_ERR_TRUNCATE));
        CU_ASSERT_TRUE(irr_job_verify(job, r));
    }
    return scene->result[TO] != IRR_OK;
}

/* Completes the job `wrong` on the receivers, and then starts it on FROM. The receivers must still end its send. */
static void run_late(scene_t *scene)
{
    for (int r = FROM + 1; r < RANKS; r++) {
        start(scene, r, scene->wrong);
    }
    progress(scene);
    CU_ASSERT_EQUAL(scene->result[TO], IRR_OK);
    start(scene, FROM, scene->wrong);
    progress(scene);
    CU_ASSERT_EQUAL(scene->result[FROM], IRR_OK);
}

static void use(scene_t *scene, uint64_t user)
{
    for (int r = 0; r < RANKS; r++) {
        irr_comm_use(scene->team.comms[r], user);
    }
}

/*
 * The receivers complete the job `wrong` and start the first exchange of the next user. FROM starts `wrong` only then,
 * and the receivers search for its message while they wait for FROM.
 */
static void run_into_next(scene_t *scene, uint64_t user)
{
    for (int r = FROM + 1; r < RANKS; r++) {
        start(scene, r, scene->wrong);
    }
    progress(scene);
    for (int r = FROM + 1; r < RANKS; r++) {
        irr_comm_use(scene->team.comms[r], user);
        start(scene, r, scene->all);
    }
    start(scene, FROM, scene->wrong);
    CU_ASSERT_FALSE(irr_team_progress(&scene->team, scene->result, ROUNDS));
    CU_ASSERT_EQUAL_FATAL(scene->result[FROM], IRR_OK);
    irr_comm_use(scene->team.comms[FROM], user);
    start(scene, FROM, scene->all);
    progress(scene);
    for (int r = 0; r < RANKS; r++) {
        CU_ASSERT_EQUAL(scene->result[r], IRR_OK);
        CU_ASSERT_TRUE(irr_job_verify(scene->all, r));
    }
}

/*
 * Runs a script of letters. W, A, N and B exchange the jobs `wrong`, `all`, `nothing` and `back`. L calls run_late, and
 * I calls run_into_next with user 9. A digit sets the user of the communicator. Returns how often TO was notified.
 */
static int play(scene_t *scene, const char *script)
{
    int errors = 0;

    for (; *script != '\0'; script++) {
        if (*script == 'L') {
            run_late(scene);
        } else if (*script == 'I') {
            run_into_next(scene, 9);
        } else if (*script >= '0' && *script <= '9') {
            use(scene, (uint64_t)(*script - '0'));
        } else {
            errors += run(scene, *script == 'W'   ? scene->wrong
                                 : *script == 'A' ? scene->all
                                 : *script == 'N' ? scene->nothing : scene->back);
        }
    }
    return errors;
}

/*
 * TO is notified once, in the exchange or in the next exchange, even if the sender waits for a receive or is late. The
 * next user of the communicator is not notified of messages to the previous user.
 */
IRR_TEST(test_notified, "the receiver is notified once, and other messages arrive")
{
    static const struct { const char *algorithm, *first, *then; } rows[] = {
        { "direct", "", "WA" }, { "natural", "", "WA" }, { "auto", "", "WA" }, { "hybrid", "", "WA" },
        { "direct", "", "LNA" }, { "direct", "1L2A", "WA" }, { "direct", "1I", "WA" }
    };

    for (size_t i = 0; i < 2 * IRR_TEST_COUNT(rows); i++) {
        scene_t scene;

        open_scene(&scene, rows[i / 2].algorithm, i % 2 == 0 ? SIZE_MAX : 0);
        CU_ASSERT_EQUAL(play(&scene, rows[i / 2].first), 0);
        CU_ASSERT_EQUAL(play(&scene, rows[i / 2].then), 1);
        for (int k = 0; k < 70; k++) {
            CU_ASSERT_EQUAL(play(&scene, "ABB"), 0);
        }
        close_scene(&scene);
    }
}

/* A receive from the same sender after any number of exchanges never takes the old bytes; TO is notified once. */
IRR_TEST(test_later, "later exchanges do not receive the unexpected message")
{
    for (int between = 0; between < 3 * HALF; between += between < 5 ? 1 : 7) {
        scene_t scene;
        int errors;

        open_scene(&scene, "direct", SIZE_MAX);
        errors = play(&scene, "W");
        for (int k = 0; k < between; k++) {
            errors += play(&scene, "N");
        }
        CU_ASSERT_EQUAL(errors + play(&scene, "BB"), 1);
        close_scene(&scene);
    }
}

IRR_TEST(test_mutual, "all ranks send unexpected messages to each other")
{
    for (int rendezvous = 0; rendezvous < 2; rendezvous++) {
        irr_job_t *job = irr_job_create_equal(RANKS, SHORT + 1);
        scene_t scene;

        for (int i = 0; i < RANKS * RANKS; i++) {
            if (i / RANKS != i % RANKS) {
                irr_job_cut(job, i / RANKS, i % RANKS, 0);
            }
        }
        irr_job_fill(job);
        open_scene(&scene, "direct", rendezvous ? 0 : SIZE_MAX);
        for (int turn = 0; turn < 2; turn++) {
            irr_job_t *const turn_job = turn == 0 ? job : scene.all;

            irr_team_run(&scene.team, turn_job, scene.result);
            for (int r = 0; r < RANKS; r++) {
                CU_ASSERT(turn == 1 || scene.result[r] == IRR_ERR_TRUNCATE ||
                          (scene.result[r] == IRR_OK && !rendezvous));
                CU_ASSERT_TRUE(irr_job_verify(turn_job, r));
            }
        }
        CU_ASSERT_FALSE(run(&scene, scene.all));
        close_scene(&scene);
        irr_job_destroy(job);
    }
}

/*
 * When the sender starts, the receivers are already in the next exchange. The next exchange is one of the last
 * exchanges before the epoch barrier, or begins with the barrier.
 */
IRR_TEST(test_in_barrier, "a late sender is served in an epoch barrier")
{
    for (uint32_t left = 1; left < 20; left++) {
        scene_t scene;
        bool errors;

        open_scene(&scene, "direct", 0);
        for (int r = 0; r < RANKS; r++) {
            scene.team.comms[r]->sequence = HALF - left;
            scene.team.comms[r]->over = HALF - left;
        }
        do {
            CU_ASSERT_FALSE(run(&scene, scene.nothing));
        } while (irr_unexpected_needs_barrier(scene.team.comms[0]->sequence));
        for (int r = FROM + 1; r < RANKS; r++) {
            start(&scene, r, scene.wrong);
        }
        progress(&scene);
        for (int r = FROM + 1; r < RANKS; r++) {
            start(&scene, r, scene.nothing);
        }
        start(&scene, FROM, scene.wrong);
        for (int i = 0; i < ROUNDS && scene.result[FROM] == IRR_IN_PROGRESS; i++) {
            irr_team_progress(&scene.team, scene.result, 1);
        }
        CU_ASSERT_EQUAL_FATAL(scene.result[FROM], IRR_OK);
        errors = scene.result[TO] == IRR_ERR_TRUNCATE;
        start(&scene, FROM, scene.nothing);
        progress(&scene);
        errors = errors || scene.result[TO] == IRR_ERR_TRUNCATE;
        CU_ASSERT_TRUE(errors || run(&scene, scene.all));
        CU_ASSERT_FALSE(run(&scene, scene.all));
        close_scene(&scene);
    }
}

/* The receiver has freed its communicator when the message arrives; the next communicator gets the same id. */
IRR_TEST(test_next_communicator, "a later communicator does not receive the unexpected message")
{
    for (int i = 0; i < 4; i++) {
        const bool rendezvous = i % 2 == 1, freed = i / 2 == 1;
        irr_comm_t *sender;
        scene_t scene;
        uint32_t id;

        open_scene(&scene, "direct", rendezvous ? 0 : SIZE_MAX);
        id = scene.team.comms[0]->id;
        for (int r = RANKS - 1; r >= 0; r--) {
            start(&scene, r, scene.wrong);
            if (freed && r > 0) {
                irr_engine_progress(scene.world.engines[r]);
                CU_ASSERT_EQUAL(irr_exchange_test(irr_comm_exchange(scene.team.comms[r])), IRR_OK);
                irr_comm_destroy(scene.team.comms[r]);
                scene.team.comms[r] = NULL;
                scene.result[r] = IRR_OK;
            }
        }
        progress(&scene);
        sender = scene.team.comms[FROM];
        CU_ASSERT_EQUAL(scene.result[FROM], IRR_OK);
        CU_ASSERT_PTR_NOT_NULL(sender);
        irr_team_destroy(&scene.team);
        for (int r = 0; r < RANKS; r++) {
            scene.world.engines[r]->ids.next = id;
        }
        open_team(&scene, "direct");
        CU_ASSERT_EQUAL(scene.team.comms[0]->id, id);
        CU_ASSERT_EQUAL(play(&scene, "BBBBB"), 0);
        close_scene(&scene);
    }
}

/* A sender runs far ahead of its receiver. No expected message is discarded, even if sequence numbers wrap. */
IRR_TEST(test_ahead, "expected messages are kept even if a sender is many exchanges ahead")
{
    enum { AHEAD = 300 };

    for (uint32_t before = 0; before < HALF; before += 19) {
        scene_t scene;
        int done[RANKS] = { 0 };

        open_scene(&scene, "direct", SIZE_MAX);
        for (int r = 0; r < RANKS; r++) {
            scene.team.comms[r]->sequence = HALF * (1 + before % 2) - 1 - before;
            scene.team.comms[r]->over = scene.team.comms[r]->sequence;
        }
        CU_ASSERT_EQUAL(run(&scene, scene.wrong) + run(&scene, scene.all), 1);
        memset(scene.result, 0, sizeof(scene.result));
        for (int round = 0; round < 300 * AHEAD; round++) {
            const int r = round % 20 == 0 ? TO : round % 3 == 1 ? FROM : 2;

            /* TO runs more slowly than the other ranks. */
            irr_engine_progress(scene.world.engines[r]);
            if (done[r] < AHEAD && scene.result[r] != IRR_IN_PROGRESS) {
                start(&scene, r, scene.back);
            }
            if (scene.result[r] == IRR_IN_PROGRESS) {
                scene.result[r] = irr_exchange_test(irr_comm_exchange(scene.team.comms[r]));
                done[r] += scene.result[r] != IRR_IN_PROGRESS;
                CU_ASSERT(scene.result[r] == IRR_IN_PROGRESS || scene.result[r] == IRR_OK);
                CU_ASSERT(r != TO || scene.result[r] != IRR_OK || irr_job_verify(scene.back, TO));
            }
        }
        CU_ASSERT(done[FROM] == AHEAD && done[TO] == AHEAD && done[2] == AHEAD);
        close_scene(&scene);
    }
}

IRR_TEST_MAIN("unexpected", 60)
