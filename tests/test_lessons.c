/*
 * test_lessons.c - lessons, which are the results of trials. Lessons are learned, forgotten, agreed on, written to
 * files, and read from files that may be hostile.
 */
#include "choose/choice.h"
#include "choose/lessons_file.h"

#include "irr_test.h"
#include "irr_text.h"

#include <math.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MACHINE "a machine"
#define HEAD    "coll_irr memory 2\nmachine " MACHINE "\n"
#define ONE     "situation MPI_Alltoallv 8 4 0 0 12 1 0\nlived 2 1000\n" \
                "strategy 3 1500 20 direct\nstrategy 1 800 100 node\n"

static const irr_traffic_t traffic = {
    .ranks = 8, .node_ranks = 4, .own_processors = true, .plain = true, .messages = 7, .lesser_messages = 7,
    .bytes = 7 * 4096, .lesser_bytes = 7 * 4096, .longest = 8192
};

static irr_situation_t situation_of(int ranks)
{
    irr_traffic_t other = traffic;

    other.ranks = ranks;
    return irr_situation_of("MPI_Alltoallv", &other);
}

/* Learns this speedup, measured to one percent, from a trial. */
static irr_status_t learn(irr_lessons_t *lessons, const irr_situation_t *situation, const char *strategy, double is)
{
    const irr_speedup_t speedup = { is, is / 1.01, is * 1.01 };

    return irr_lessons_learn(lessons, situation, strategy, &speedup);
}

/* ---- learning ---- */

IRR_TEST(test_situations, "the lessons of the oldest situations are forgotten")
{
    const irr_situation_t one = situation_of(8);
    irr_lessons_t memory = { .list = NULL };

    CU_ASSERT_STRING_EQUAL(one.call, "MPI_Alltoallv");
    CU_ASSERT(one.ranks == 8 && one.node_ranks == 4 && one.crowded == 0 && one.sparse == 0);
    CU_ASSERT(one.block == 12 && one.skew == 1 && one.gaps == 0);
    CU_ASSERT_PTR_NULL(irr_lessons_find(&memory, &one));
    for (int ranks = 2; ranks < 2 + 2 * IRR_LESSONS_SITUATIONS; ranks++) {
        const irr_situation_t situation = situation_of(ranks);

        CU_ASSERT_EQUAL(learn(&memory, &situation, "direct", ranks), IRR_OK);
        CU_ASSERT_PTR_NOT_NULL(irr_lessons_find(&memory, &situation));
    }
    CU_ASSERT_EQUAL(memory.count, IRR_LESSONS_SITUATIONS);
    CU_ASSERT_PTR_NULL(irr_lessons_find(&memory, &one));   /* the oldest lessons are forgotten */
    irr_lessons_fini(&memory);
}

IRR_TEST(test_trials, "old trials count less than new trials")
{
    const irr_situation_t situation = situation_of(8);
    irr_lessons_t memory = { .list = NULL };
    const irr_lesson_t *lesson;

    for (int i = 0; i < 100; i++) {
        CU_ASSERT_EQUAL(learn(&memory, &situation, "direct", i % 2 == 0 ? 1.25 : 1.8), IRR_OK);
    }
    lesson = irr_lessons_find(&memory, &situation);
    CU_ASSERT_DOUBLE_EQUAL(irr_found_speedup(&lesson->found[0]), 1.5, 0.05);
    CU_ASSERT_DOUBLE_EQUAL(irr_found_spread(&lesson->found[0]), log(1.8 / 1.25) / 2, 0.02);
    for (int i = 0; i < 100; i++) {   /* speedups are lower from now on */
        CU_ASSERT_EQUAL(learn(&memory, &situation, "direct", 0.7), IRR_OK);
    }
    lesson = irr_lessons_find(&memory, &situation);
    CU_ASSERT(irr_found_speedup(&lesson->found[0]) < 0.72);
    CU_ASSERT_EQUAL(lesson->strategies, 1);
    CU_ASSERT_EQUAL(irr_lessons_lived(&memory, &situation, 100), IRR_OK);
    CU_ASSERT_EQUAL(irr_lessons_lived(&memory, &situation, 10000), IRR_OK);
    CU_ASSERT_DOUBLE_EQUAL(irr_lesson_calls(irr_lessons_find(&memory, &situation)), 1000, 0.01);
    irr_lessons_fini(&memory);
}

static irr_candidate_t candidate_of(const char *name)
{
    const int row = irr_algorithm_find(name);

    return (irr_candidate_t){ .row = row, .strategy = *irr_algorithm_strategy(row) };
}

IRR_TEST(test_one_trial, "one trial of noisy exchanges proves neither a gain nor a loss")
{
    const irr_situation_t situation = situation_of(8);
    const irr_speedup_t gain = { 1.3, 0.8, 2.1 }, loss = { 0.3, 0.2, 0.5 };
    irr_candidate_t list[2] = { candidate_of("direct"), candidate_of("node") };
    double ratios[2] = { 0.5, 0.6 };
    uint64_t words[IRR_LESSONS_WORDS];
    irr_lessons_t memory = { .list = NULL };
    int count = 2;

    CU_ASSERT_EQUAL(irr_lessons_learn(&memory, &situation, "direct", &gain), IRR_OK);
    CU_ASSERT_EQUAL(irr_lessons_learn(&memory, &situation, "node", &loss), IRR_OK);
    irr_lessons_words(irr_lessons_find(&memory, &situation), list, count, words);
    CU_ASSERT_EQUAL(irr_lessons_agreed(words, true, list, ratios, &count).losers, 0);
    CU_ASSERT_EQUAL(count, 2);
    for (int i = 0; i < 9; i++) {
        CU_ASSERT_EQUAL(irr_lessons_learn(&memory, &situation, "direct", &gain), IRR_OK);
        CU_ASSERT_EQUAL(irr_lessons_learn(&memory, &situation, "node", &loss), IRR_OK);
    }
    irr_lessons_words(irr_lessons_find(&memory, &situation), list, count, words);
    CU_ASSERT_DOUBLE_EQUAL(irr_lessons_agreed(words, true, list, ratios, &count).speedup, 1.2, 0.05);
    CU_ASSERT_EQUAL(count, 1);
    irr_lessons_fini(&memory);
}

/* ---- agreement ---- */

enum { RANKS = 3 };

/* Returns the agreement of ranks that remember these speedups of three algorithms; speedup 0: not remembered. */
static irr_recall_t agree(double speedups[RANKS][3], bool drops, irr_candidate_t *list, int *count)
{
    uint64_t words[IRR_LESSONS_WORDS] = { 0 }, own[IRR_LESSONS_WORDS];
    double ratios[3] = { 0.5, 0.6, 0.7 };
    const irr_situation_t situation = situation_of(8);
    static const char *const names[] = { "direct", "node", "grid" };

    *count = 3;
    for (int i = 0; i < 3; i++) {
        list[i] = candidate_of(names[i]);
    }
    for (int r = 0; r < RANKS; r++) {
        irr_lessons_t memory = { .list = NULL };

        for (int i = 0; i < 3; i++) {
            for (int n = 0; n < 4 && speedups[r][i] > 0; n++) {
                CU_ASSERT_EQUAL(learn(&memory, &situation, names[i], speedups[r][i]), IRR_OK);
            }
        }
        irr_lessons_words(irr_lessons_find(&memory, &situation), list, 3, own);
        for (int i = 0; i < IRR_LESSONS_WORDS; i++) {
            words[i] = own[i] > words[i] ? own[i] : words[i];
        }
        irr_lessons_fini(&memory);
    }
    return irr_lessons_agreed(words, drops, list, ratios, count);
}

IRR_TEST(test_agreed, "ranks agree on the lessons that all ranks remember")
{
    double all[RANKS][3] = { { 1.2, 2, 0.7 }, { 1.2, 1.6, 0.6 }, { 1.2, 1.9, 0.8 } };
    double some[RANKS][3] = { { 1.2, 2, 0.7 }, { 0, 0, 0 }, { 1.2, 1.9, 0.8 } };
    double doubt[RANKS][3] = { { 1.01, 0.9, 1.3 }, { 1.01, 2, 1.3 }, { 1.01, 0.9, 1.3 } };
    irr_candidate_t list[3];
    irr_recall_t recall;
    int count;

    recall = agree(all, true, list, &count);
    CU_ASSERT_DOUBLE_EQUAL(recall.speedup, 1.6, 0.05);
    CU_ASSERT(count == 2 && list[0].row == irr_algorithm_find("node") && list[1].row == irr_algorithm_find("direct"));
    CU_ASSERT_EQUAL(recall.losers, 1);
    recall = agree(all, false, list, &count);
    CU_ASSERT(count == 3 && recall.losers == 0 && list[0].row == irr_algorithm_find("node"));
    recall = agree(some, true, list, &count);
    CU_ASSERT(recall.speedup == 0 && count == 3 && recall.losers == 0 && list[0].row == irr_algorithm_find("direct"));
    recall = agree(doubt, true, list, &count);
    CU_ASSERT_DOUBLE_EQUAL(recall.speedup, 1.3, 0.05);
    CU_ASSERT(count == 2 && list[0].row == irr_algorithm_find("grid") && list[1].row == irr_algorithm_find("node"));
}

/* ---- files ---- */

/* The lessons of the last file that was read. */
static irr_lessons_t memory_read;

static irr_status_t read_any(const char *path, irr_file_error_t *error)
{
    irr_status_t status;

    irr_lessons_fini(&memory_read);
    status = irr_lessons_read(path, MACHINE, &memory_read, NULL, error);
    CU_ASSERT(status == IRR_OK || memory_read.count == 0);
    for (size_t i = 0; i < memory_read.count; i++) {
        for (int k = 0; k < memory_read.list[i].strategies; k++) {
            CU_ASSERT_TRUE(isfinite(irr_found_speedup(&memory_read.list[i].found[k])));
        }
    }
    return status;
}

IRR_TEST(test_read, "a valid file is read")
{
    static const char text[] = "# by hand\n" HEAD ONE "end 1\n";
    const irr_situation_t one = situation_of(8);
    irr_file_error_t error = { 0 };
    const irr_lesson_t *lesson;

    CU_ASSERT_EQUAL(irr_text_read(read_any, "", 0, &error), IRR_OK);
    CU_ASSERT_EQUAL(memory_read.count, 0);
    CU_ASSERT_EQUAL_FATAL(irr_text_read(read_any, text, strlen(text), &error), IRR_OK);
    lesson = irr_lessons_find(&memory_read, &one);
    CU_ASSERT_PTR_NOT_NULL_FATAL(lesson);
    CU_ASSERT(lesson->strategies == 2 && strcmp(lesson->found[0].strategy, "direct") == 0);
    CU_ASSERT_DOUBLE_EQUAL(irr_found_speedup(&lesson->found[0]), 1.5, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(irr_found_spread(&lesson->found[0]), 0.02, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(irr_lesson_calls(lesson), 1000, 1e-6);
    irr_lessons_fini(&memory_read);
}

/* Reads a file of a release before 0.3.0. The reader converts old names to the present names. */
IRR_TEST(test_older, "a file of an older release is read")
{
    static const char text[] = "coll_irr memory 1\nmachine " MACHINE "\nsituation MPI_Alltoallv 8 4 0 0 12 1 0\n"
                               "lived 2 1000\nway 3 1500 20 aapc, pace sync, lead of 0\n"
                               "way 1 800 9 board, compose gather\n"
                               "way 2 900 1 node\nend 1\n";
    static const char *const names[] = { "tree, pacing sync, lead of 0", "direct, compose gather", "node" };
    const irr_situation_t one = situation_of(8);
    irr_file_error_t error = { 0 };
    const irr_lesson_t *lesson;

    CU_ASSERT_EQUAL_FATAL(irr_text_read(read_any, text, strlen(text), &error), IRR_OK);
    lesson = irr_lessons_find(&memory_read, &one);
    CU_ASSERT_FATAL(lesson != NULL && lesson->strategies == 3);
    for (int i = 0; i < 3; i++) {
        CU_ASSERT_STRING_EQUAL(lesson->found[i].strategy, names[i]);
    }
    irr_lessons_fini(&memory_read);
}

#define EXPECTED "expected situation, lived, strategy or end; lived and strategy follow a situation, " \
                 "nothing follows end"
#define NEEDS    "a strategy needs a trial, a speedup and a name, and there are at most 8 of a situation"

static const irr_text_bad_t bad_files[] = {
    { "coll_irr memory 3\nmachine a\nend 0\n", 0, 1, "the first line is not 'coll_irr memory 2'" },
    { "coll_irr memory 2\n", 0, 1, "the second line is not that of the machine" },
    { "coll_irr memory 2\nmachine another\nend 0\n", 0, 2, "it is for another machine: 'another'" },
    { HEAD ONE, 0, 6, "it has no end" },
    { HEAD ONE "end 2\n", 0, 7, "situations are missing" },
    { HEAD ONE "end 1\nstrategy 1 1 1 direct\n", 0, 8, EXPECTED },
    { HEAD "strategy 1 1000 1 direct\nend 0\n", 0, 3, EXPECTED },
    { HEAD "situation\nend 1\n", 0, 3, "a situation begins with the name of a collective" },
    { HEAD "situation MPI_Alltoallv 8 4 0 0 12 1\nend 1\n", 0, 3,
      "a number of a situation '' is not an integer from 0 to 1000000000" },
    { HEAD "situation MPI_Alltoallv 8 4 0 0 12 1 -1\nend 1\n", 0, 3,
      "a number of a situation '-1' is not an integer from 0 to 1000000000" },
    { HEAD ONE "strategy 0 1000 1 direct\nend 1\n", 0, 7, NEEDS },
    { HEAD ONE "strategy 1 0 1 direct\nend 1\n", 0, 7, NEEDS },
    { HEAD ONE "strategy 1 1000 1\nend 1\n", 0, 7, NEEDS },
    { HEAD ONE "strategy 17 1000 1 direct\nend 1\n", 0, 7, "trials '17' is not an integer from 0 to 16" },
    { HEAD ONE "strategy 1 99999999999 1 direct\nend 1\n", 0, 7,
      "the speedup '99999999999' is not an integer from 0 to 1000000" },
    { HEAD ONE "strategy 1 1000 1 a\001\nend 1\n", 0, 7, NEEDS },
    { "#!/bin/sh\nrm -rf x\n", 0, 2, "the first line is not 'coll_irr memory 2'" },
    { NULL, 0, 0, NULL }
};

IRR_TEST(test_refused, "malformed files are refused")
{
    irr_text_check_bad(bad_files, read_any);
}

IRR_TEST_SEEDED(test_hostile, "a damaged or truncated file is read or refused")
{
    static const char text[] = HEAD ONE "end 1\n";
    char any[256];

    for (int i = 0; i < 256; i++) {
        any[i] = (char)(i + 1);
    }
    for (int run = 0; run < irr_test_runs(8000); run++) {
        char start[sizeof(text)] = HEAD ONE "end 1\n";

        start[run % 3 == 0 ? irr_test_below(state, sizeof(text) - 2) + 1 : sizeof(text) - 1] = '\0';
        irr_text_check_damaged(start, 0, any, state, read_any);
    }
    irr_lessons_fini(&memory_read);
}

static void path_of(char path[64])
{
    static int number;

    snprintf(path, 64, "test_lessons.%ld.%d", (long)getpid(), number++);
}

/* Eight processes add their lessons at the same time. The file then has all lessons. */
IRR_TEST(test_together, "jobs that end at the same time lose no lessons")
{
    enum { PROCESSES = 8 };
    irr_lessons_t all = { .list = NULL };
    irr_file_error_t error = { 0 };
    char path[64];
    int status;

    path_of(path);
    for (int i = 0; i < PROCESSES; i++) {
        if (fork() == 0) {
            irr_lessons_t memory = { .list = NULL };
            const irr_situation_t own = situation_of(100 + i), one = situation_of(8);

            irr_test_must(learn(&memory, &own, "node", 2));
            irr_test_must(learn(&memory, &one, "direct", 1.5));
            while ((status = (int)irr_lessons_add(path, MACHINE, &memory, &error)) == IRR_IN_PROGRESS) {
                sched_yield();
            }
            irr_lessons_fini(&memory);
            _exit(status != IRR_OK);
        }
    }
    for (int i = 0; i < PROCESSES; i++) {
        CU_ASSERT(wait(&status) > 0 && status == 0);
    }
    CU_ASSERT_EQUAL(irr_lessons_read(path, MACHINE, &all, NULL, &error), IRR_OK);
    CU_ASSERT_EQUAL(all.count, PROCESSES + 1);
    for (size_t i = 0; i < all.count; i++) {
        CU_ASSERT(all.list[i].situation.ranks != 8 || all.list[i].found[0].trials == PROCESSES);
    }
    irr_lessons_fini(&all);
    unlink(path);
}

/* A file of another machine is not changed.  A file that cannot be written is an error. */
IRR_TEST(test_not_written, "files that must not or cannot be written")
{
    const irr_situation_t one = situation_of(8);
    irr_lessons_t memory = { .list = NULL }, read = { .list = NULL };
    irr_file_error_t error = { 0 };
    char path[64], found[IRR_LESSONS_MACHINE];
    struct stat mode;

    path_of(path);
    CU_ASSERT_EQUAL(learn(&memory, &one, "direct", 1.5), IRR_OK);
    CU_ASSERT_EQUAL(irr_lessons_add(path, MACHINE, &memory, &error), IRR_OK);
    CU_ASSERT_EQUAL(chmod(path, 0640), 0);
    CU_ASSERT_EQUAL(irr_lessons_add(path, "another", &memory, &error), IRR_ERR_FORMAT);
    CU_ASSERT_EQUAL(irr_lessons_add(path, MACHINE, &memory, &error), IRR_OK);
    CU_ASSERT(stat(path, &mode) == 0 && (mode.st_mode & 0777) == 0640);
    CU_ASSERT_EQUAL(irr_lessons_read(path, NULL, &read, found, &error), IRR_OK);
    CU_ASSERT_STRING_EQUAL(found, MACHINE);
    CU_ASSERT_EQUAL(read.list[0].found[0].trials, 2);
    irr_lessons_fini(&read);
    CU_ASSERT_EQUAL(irr_lessons_add("/nowhere/at/all", MACHINE, &memory, &error), IRR_ERR_IO);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.reason, "No such file"));
    irr_lessons_fini(&memory);
    unlink(path);
}

static irr_status_t learn_and_add(void *context)
{
    const irr_situation_t one = situation_of(8);
    irr_lessons_t memory = { .list = NULL };
    irr_file_error_t error = { 0 };
    irr_status_t status = learn(&memory, &one, "direct", 1.5);

    if (status == IRR_OK) {
        status = irr_lessons_add(context, MACHINE, &memory, &error);
    }
    irr_lessons_fini(&memory);
    return status;
}

IRR_TEST(test_no_memory, "each failed allocation is an error and leaks no memory")
{
    char path[64];

    path_of(path);
    CU_ASSERT(irr_memory_fail_each(learn_and_add, path) >= 2);
    unlink(path);
}

IRR_TEST_MAIN("lessons", 120)
