/* test_schedules_odd.c - exchanges without a schedule, or with a schedule from a file. All ranks decide alike. */
#include "irr_text.h"
#include "irr_turns.h"

#include "comm/comm_route.h"
#include "plan/strategy.h"

#include <unistd.h>

enum { RANKS = IRR_TURNS_RANKS };

/* ---- without a schedule ---- */

/* The dense matrix is too large. All ranks run without a schedule, and rank 0 warns once. */
IRR_TEST_SEEDED(test_limit, "no rank has a schedule for a matrix above the limit")
{
    static const size_t dense = RANKS * RANKS * sizeof(uint64_t);
    static const uint64_t built[] = { 0, 2 }, reused[] = { 0, 3 }, matrices[] = { 0, 2 };

    for (size_t i = 0; i < 2; i++) {
        irr_settings_t settings = irr_turns_with("random");
        irr_turns_t scene;

        irr_world_start_log();
        settings.matrix_max_bytes = i == 0 ? dense - 1 : dense;
        irr_turns_open(&scene, &settings, state);
        irr_turns_add(&scene, 0, IRR_JOB_MIXED, 1);
        irr_turns_add(&scene, 1, IRR_JOB_ZERO, 1);
        irr_turns_run(&scene, "AABBA");
        irr_world_stop_log();
        CU_ASSERT_EQUAL(irr_world_log.warnings, i != 1);
        irr_turns_expect(&scene, matrices[i], built[i], reused[i]);
        irr_turns_close(&scene);
    }
}

static unsigned infos;
static uint64_t ticks;

static void count_info(void *context, irr_log_level_t level, const char *text)
{
    (void)context;
    infos += level == IRR_LOG_INFO && strstr(text, "schedule_ms") != NULL;
}

static uint64_t tick(void *context)
{
    (void)context;
    return ticks++ * 300000;
}

/*
 * Rank 0 does not finish the schedule in time. All ranks run without a schedule, one line reports this, and no rank
 * computes a schedule for these counts again.
 */
IRR_TEST_SEEDED(test_late, "no rank has a schedule that rank 0 computes too late")
{
    static const char *const rows[] = { "random", "random-heap", "optimal", "tree" };

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        irr_settings_t settings = irr_turns_with(rows[i]);
        irr_turns_t scene;

        infos = 0;
        ticks = 0;
        settings.schedule_ms = 1;
        irr_turns_open(&scene, &settings, state);
        irr_turns_add_uniform(&scene, 0);
        irr_turns_add(&scene, 1, IRR_JOB_ZERO, 1);
        scene.team.comms[0]->schedules.now_ns = tick;
        irr_log_set(count_info, NULL, IRR_LOG_INFO);
        irr_turns_run(&scene, "AABAAB");
        irr_log_set(NULL, NULL, IRR_LOG_ERROR);
        CU_ASSERT_EQUAL(infos, 1);
        CU_ASSERT_EQUAL(scene.counters[3].matrices, 2);
        CU_ASSERT_EQUAL(scene.counters[3].schedules_built, 1);
        irr_turns_close(&scene);
    }
}

/* ---- files ---- */

/* Opens a communicator with a schedule file. Job A has the counts of the file. */
static void open_by_file(irr_turns_t *scene, const char *algorithm, irr_host_route_t route, uint64_t *state)
{
    static const char text[] = "irr_schedule 1\n7 3 4\n1 0 1 0 5\n1 2 3 0 1\n2 0 4 0 3\n3 0 1 5 2\nend\n";
    irr_settings_t settings = irr_turns_with(algorithm);
    char path[128];

    snprintf(path, sizeof(path), "%s", irr_text_open());
    irr_text_fill(text, strlen(text));
    settings.schedule_file = path, settings.host_route = route;
    if (strcmp(algorithm, "tree") == 0) {
        irr_turns_open_on_tree(scene, &settings, NULL, state);
    } else {
        irr_turns_open(scene, &settings, state);
    }
    unlink(path);
    irr_turns_add_uniform(scene, 0);
    for (int p = 0; p < RANKS * RANKS; p++) {
        size_t length = p == 1 ? 7 : p == 2 * RANKS + 3 ? 1 : p == 4 ? 3 : p % (RANKS + 1) == 0 ? 9 : 0;

        irr_job_shorten(scene->jobs[0], p / RANKS, p % RANKS, length);
    }
}

IRR_TEST_SEEDED(test_file, "every algorithm uses the schedule file, except an algorithm that must forward")
{
    static const char *const rows[] = { "auto", "natural", "grid", "random-heap", "tree", "tree" };
    static const unsigned schedules[] = { 0, 0, 0, 1, 1, 2 };   /* built; the last row forwards all messages */

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        const unsigned built = schedules[i];
        irr_turns_t scene;

        irr_world_start_log();
        open_by_file(&scene, rows[i], built == 2 ? IRR_HOST_ROUTE_NODE : IRR_HOST_ROUTE_AUTO, state);
        irr_world_stop_log();
        CU_ASSERT_EQUAL(irr_world_log.warnings, built == 2);
        irr_turns_add_uniform(&scene, 1);
        irr_turns_run(&scene, "ABAAB");
        irr_turns_expect(&scene, built, built, built < 2 ? 3 + built : 3);
        CU_ASSERT_TRUE(irr_schedules_looks_up(&scene.team.comms[0]->schedules));
        irr_turns_close(&scene);
    }
}

/* A planned exchange runs the schedule that irr_exchange_plan found, even if the algorithm is a grid. */
IRR_TEST_SEEDED(test_file_planned, "a planned exchange keeps the schedule of a file")
{
    irr_turns_t scene;

    open_by_file(&scene, "hybrid", IRR_HOST_ROUTE_AUTO, state);
    irr_turns_run(&scene, "a+");
    for (int r = 0; r < RANKS; r++) {
        CU_ASSERT_EQUAL(scene.team.comms[r]->exchange->view, IRR_VIEW_ALL);
    }
    irr_turns_close(&scene);
}

static void count_refusal(void *context, irr_log_level_t level, const char *text)
{
    *(int *)context += level == IRR_LOG_ERROR && strstr(text, "_file ") != NULL && strstr(text, "irr_text") != NULL;
}

/*
 * Creates a communicator, and asserts success or failure. texts: expected number of error messages that name the file.
 */
static void expect_creation(const irr_comm_params_t *params, bool good, int texts, uint64_t *state)
{
    int errors = 0;
    irr_team_t team;
    irr_world_t world;

    irr_log_set(count_refusal, &errors, IRR_LOG_ERROR);
    irr_world_open(&world, RANKS, irr_test_random(state), 0);
    irr_team_init(&team, &world, 0, 1);
    for (int r = 0; r < RANKS; r++) {
        team.params[r].settings = params[r].settings;
        team.params[r].host = params[r].host;
    }
    CU_ASSERT_EQUAL(irr_team_create(&team), good ? IRR_OK : IRR_ERR_NOT_SUPPORTED);
    irr_log_set(NULL, NULL, IRR_LOG_ERROR);
    CU_ASSERT_EQUAL(errors, texts);
    irr_team_close(&team);
}

/*
 * A file is malformed or missing on one rank or on all ranks. No rank gets a communicator, and one error message states
 * the reason.
 */
IRR_TEST_SEEDED(test_bad_file, "a malformed or missing schedule file causes one error message and no communicator")
{
    static const char good[] = "irr_schedule 1\n7 1 1\n1 0 6 0 5\nend\n";
    static const char wrong[] = "irr_schedule 1\n7 1 1\n1 0 9 0 5\nend\n";

    for (int bad = 0; bad < 4; bad++) {
        const char *text = bad == 1 ? wrong : good, *path = irr_text_open();
        irr_comm_params_t params[RANKS] = { 0 };

        irr_text_fill(text, strlen(text));
        if (bad == 2) {
            irr_text_close();
        }
        for (int r = 0; r < RANKS; r++) {
            params[r].settings = irr_turns_with("random-heap");
            params[r].settings.schedule_file = bad == 3 && r == 5 ? NULL : path;
        }
        expect_creation(params, bad == 0, bad == 1 || bad == 2, state);
        irr_text_close();
    }
}

/* ---- topologies ---- */

static void place(irr_comm_params_t *params, const char *path, const char *row)
{
    for (int r = 0; r < RANKS; r++) {
        params[r].settings = irr_turns_with(row);
        params[r].settings.topology_file = path;
        params[r].host = irr_turns_hosts[r];
    }
}

/* Tests a missing host, a different file on one rank, and a malformed file. The algorithm random needs no topology. */
IRR_TEST_SEEDED(test_topology, "topology files that lack a host, differ between ranks, or are malformed")
{
    enum { GOOD, NO_HOST, OTHER_FILE, MALFORMED, NOT_ASKED, KINDS };
    static const char *const rows[] = { "tree", "auto" };

    for (int i = 0; i < 2 * KINDS; i++) {
        const int kind = i / 2;
        const char *path = irr_text_open();
        irr_comm_params_t params[RANKS] = { 0 };

        irr_text_fill(irr_turns_tree, strlen(irr_turns_tree) - (kind == MALFORMED ? 4 : 0));
        place(params, path, rows[i % 2]);
        if (kind == NO_HOST) {
            params[4].host = "d";
        } else if (kind == OTHER_FILE) {
            params[4].settings.topology_file = "";
        }
        for (int r = 0; r < RANKS && kind == NOT_ASKED; r++) {
            params[r].host = NULL;
            params[r].settings.algorithm = irr_algorithm_find("random");
        }
        expect_creation(params, kind == GOOD || kind == NOT_ASKED, kind == NO_HOST || kind == MALFORMED, state);
        irr_text_close();
    }
}

/*
 * auto uses the tree if ranks are on several hosts of the tree. Otherwise auto selects the same strategy as without a
 * file.
 */
IRR_TEST_SEEDED(test_auto, "auto selects the tree if ranks are on several hosts")
{
    const irr_settings_t settings = irr_turns_with("auto");

    for (int spread = 0; spread < 2; spread++) {
        const uint64_t wanted = spread ? 2 : 0;
        irr_turns_t scene;

        irr_turns_open_on_tree(&scene, &settings, spread ? NULL : "c7", state);
        irr_turns_add(&scene, 0, IRR_JOB_UNIFORM, 1);
        irr_turns_add(&scene, 1, IRR_JOB_MIXED, 2);
        irr_turns_run(&scene, "ABAB");
        irr_turns_expect(&scene, wanted, wanted, wanted);
        CU_ASSERT_EQUAL(scene.team.comms[0]->exchange->view, spread ? IRR_VIEW_ALL : IRR_VIEW_OWN);
        CU_ASSERT_STRING_EQUAL(irr_comm_algorithm(scene.team.comms[0]), spread ? "tree" : "direct");
        irr_turns_close(&scene);
    }
}

IRR_TEST_MAIN("schedules_odd", 60)
