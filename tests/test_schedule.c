/*
 * test_schedule.c - the rules of orders that compute schedules, on random matrices; the algorithms of Ranka, Wang and
 * Kumar: permutations on their random sets, the rules for lambda, and the search.
 */
#include "irr_text.h"
#include "matrix_scene.h"
#include "plan_all.h"
#include "schedule_same.h"

#include "core/deadline.h"
#include "order/lambda.h"
#include "order/order.h"
#include "order/schedule_file.h"
#include "order/whole.h"

#define SMALL_LARGEST 12

static uint64_t state;   /* state of random numbers */

static const irr_scheduled_params_t plain = { .seed = 1, .lambda = { IRR_LAMBDA_FIXED, IRR_LAMBDA_ONE } };

static irr_matrix_t make_small(void)
{
    return matrix_scene_any(1 + (int)irr_test_below(&state, SMALL_LARGEST), &state);
}

static irr_scheduled_params_t make_params(void)
{
    static const char *const lambdas[] = { "incremental", "one", "fixed:0.5", "fixed:0.01", "proportional:0.1" };
    irr_scheduled_params_t params = { .seed = irr_test_random(&state), .latency = irr_test_below(&state, 1000),
                                      .shift = irr_test_below(&state, 2) };

    irr_lambda_parse(lambdas[irr_test_below(&state, 5)], &params.lambda);
    return params;
}

/* Returns a redistribution with a message for each pair of ranks. */
static irr_redistribution_t all_pairs(int ranks)
{
    const uint64_t p = (uint64_t)ranks;

    return (irr_redistribution_t){ .x = 1 + p * irr_test_below(&state, 3), .p = ranks,
                                   .y = 1 + p * irr_test_below(&state, 3), .q = ranks };
}

/* Returns the largest number of messages that one rank sends or receives. */
static int degree_of(const irr_matrix_t *matrix)
{
    int degree = 0;

    for (int i = 0; i < matrix->ranks; i++) {
        int sends = 0, receives = 0;

        for (int j = 0; j < matrix->ranks; j++) {
            sends += i != j && *irr_matrix_at(matrix, i, j) > 0;
            receives += i != j && *irr_matrix_at(matrix, j, i) > 0;
        }
        degree = sends > degree ? sends : degree;
        degree = receives > degree ? receives : degree;
    }
    return degree;
}

/* optimal merges the transmissions of a message in consecutive steps. This does not make the schedule longer. */
static void expect_merged(const irr_schedule_t *schedule)
{
    irr_step_time_t *times = irr_test_array(schedule->count + 1, sizeof(*times));
    uint64_t makespan = 0;

    CU_ASSERT_EQUAL(irr_schedule_times(schedule, times, &makespan), IRR_OK);
    CU_ASSERT(makespan <= irr_schedule_makespan(schedule));
    for (size_t i = 0; i < schedule->count; i++) {
        const irr_transmission_t *t = &schedule->list[i];

        CU_ASSERT(times[i].begin + t->length <= makespan);
        for (size_t k = i + 1; k < schedule->count && schedule->list[k].step <= irr_transmission_last(t) + 1; k++) {
            CU_ASSERT(schedule->list[k].from != t->from || schedule->list[k].to != t->to);
            CU_ASSERT(schedule->list[k].step <= irr_transmission_last(t) ||
                      times[k].begin >= times[i].begin + t->length);
        }
    }
    free(times);
}

/* Asserts the rules of any schedule. */
static void expect_rules(const char *name, const irr_schedule_t *schedule, const irr_matrix_t *matrix)
{
    const size_t splits = irr_schedule_splits(schedule, matrix);
    char reason[160] = "";

    if (irr_schedule_check(schedule, matrix, reason, sizeof(reason)) != IRR_OK) {
        printf("# %s: %s\n", name, reason);
        CU_FAIL("broken schedule");
    }
    CU_ASSERT(irr_schedule_makespan(schedule) >= irr_schedule_bound(matrix));
    CU_ASSERT(schedule->steps >= degree_of(matrix));
    CU_ASSERT(strcmp(name, "random-heap") == 0 || strcmp(name, "optimal") == 0 || strcmp(name, "tree") == 0 ||
              splits == 0);
    CU_ASSERT(strcmp(name, "xor") == 0 || (size_t)schedule->steps <= schedule->count);
    CU_ASSERT(strcmp(name, "random-heap") != 0 || (size_t)schedule->steps <= schedule->count - splits);
    CU_ASSERT(strcmp(name, "optimal") != 0 || irr_schedule_makespan(schedule) == irr_schedule_bound(matrix));
    if (strcmp(name, "optimal") == 0) {
        expect_merged(schedule);
    }
}

static uint64_t late(void *context)
{
    (void)context;
    return 1;
}

/*
 * Asserts that a schedule without splits takes at most twice the bound, and the makespan that it reports. If it reaches
 * the bound, optimal uses this schedule.
 */
static void expect_whole(const irr_matrix_t *matrix)
{
    const irr_deadline_t passed = { .now_ns = late };
    const uint64_t bound = irr_schedule_bound(matrix);
    irr_schedule_t whole = { .ranks = matrix->ranks }, optimal = irr_plan_all_schedule("optimal", matrix, &plain);
    irr_messages_t messages;
    bool fits = false;

    CU_ASSERT_EQUAL_FATAL(irr_messages_init(&messages, matrix), IRR_OK);
    CU_ASSERT_EQUAL(irr_whole(&messages, UINT64_MAX, INT32_MAX, NULL, &whole, &fits), IRR_OK);
    CU_ASSERT_TRUE(fits);
    expect_rules("whole", &whole, matrix);
    expect_merged(&whole);
    CU_ASSERT(irr_schedule_makespan(&whole) <= 2 * bound);
    CU_ASSERT(whole.merged > bound || optimal.count == whole.count);
    if (whole.count > 0) {
        const uint64_t makespan = whole.merged;
        const int steps = whole.steps;

        CU_ASSERT_EQUAL(irr_whole(&messages, makespan, steps, NULL, &whole, &fits), IRR_OK);
        CU_ASSERT_TRUE(fits);
        CU_ASSERT_EQUAL(irr_whole(&messages, makespan - 1, steps, NULL, &whole, &fits), IRR_OK);
        CU_ASSERT_FALSE(fits);
        CU_ASSERT_EQUAL(irr_whole(&messages, makespan, steps - 1, NULL, &whole, &fits), IRR_OK);
        CU_ASSERT_FALSE(fits);
        CU_ASSERT_EQUAL(irr_whole(&messages, makespan, steps, &passed, &whole, &fits), IRR_ERR_TIMEOUT);
    }
    irr_messages_fini(&messages);
    irr_schedule_fini(&whole);
    irr_schedule_fini(&optimal);
}

IRR_TEST(test_whole, "a schedule of whole messages")
{
    state = irr_test_seed();
    for (int n = 0; n < 500; n++) {
        irr_matrix_t matrix = make_small();

        expect_whole(&matrix);
        irr_matrix_fini(&matrix);
    }
}

/*
 * Asserts that a schedule does not change if it is written and read again, and that it has the messages of the matrix.
 */
static void expect_written(const irr_schedule_t *schedule, const irr_matrix_t *matrix)
{
    const char *path = irr_text_open();
    FILE *file = fopen(path, "w");
    irr_file_error_t error;
    irr_matrix_t delivered;
    irr_schedule_t again;

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT_EQUAL(irr_schedule_write(schedule, matrix->ranks % 2 == 0 ? "a comment" : NULL, file), IRR_OK);
    fclose(file);
    CU_ASSERT_EQUAL_FATAL(irr_schedule_read(path, &again, &error), IRR_OK);
    CU_ASSERT(irr_schedule_same(schedule, &again));
    irr_test_must(irr_schedule_matrix(&again, &delivered));
    for (int i = 0; i < matrix->ranks; i++) {
        *irr_matrix_at(&delivered, i, i) = *irr_matrix_at(matrix, i, i);
    }
    CU_ASSERT(matrix_scene_same(&delivered, matrix));
    irr_matrix_fini(&delivered);
    irr_schedule_fini(&again);
    irr_text_close();
}

IRR_TEST(test_rules, "every order keeps the rules, and a seed always gives the same schedule")
{
    state = irr_test_seed();
    for (int n = 0; n < irr_test_runs(3000); n++) {
        irr_scheduled_params_t params = make_params();
        irr_matrix_t matrix = make_small();

        params.redistribution = all_pairs(matrix.ranks);
        for (int i = 0; irr_plan_all_order(i) != NULL; i++) {
            const char *name = irr_plan_all_order(i)->name;
            irr_schedule_t schedule = irr_plan_all_schedule(name, &matrix, &params);
            irr_schedule_t again = irr_plan_all_schedule(name, &matrix, &params);

            expect_rules(name, &schedule, &matrix);
            CU_ASSERT(irr_schedule_same(&schedule, &again));
            if (n % 8 == i) {
                expect_written(&schedule, &matrix);
            }
            irr_schedule_fini(&again);
            irr_schedule_fini(&schedule);
        }
        irr_matrix_fini(&matrix);
    }
}

/* Subtracts the step that starts at `at` from the matrix.  Returns the start of the next step. */
static size_t take_step(const irr_schedule_t *schedule, size_t at, irr_matrix_t *left, bool *idle)
{
    const int step = schedule->list[at].step, ranks = left->ranks;
    uint64_t longest = 0;
    size_t end = at;

    memset(idle, 1, 2 * (size_t)ranks);
    for (; end < schedule->count && schedule->list[end].step == step; end++) {
        const irr_transmission_t *t = &schedule->list[end];

        idle[t->from] = idle[ranks + t->to] = false;
        longest = t->length > longest ? t->length : longest;
    }
    for (int i = 0; i < ranks * ranks; i++) {
        CU_ASSERT(!idle[i / ranks] || !idle[ranks + i % ranks] || left->entries[i] == 0);
    }
    for (; at < end; at++) {
        uint64_t *entry = irr_matrix_at(left, schedule->list[at].from, schedule->list[at].to);

        *entry -= schedule->list[at].length;
        CU_ASSERT(*entry == 0 || schedule->list[at].length == longest);
    }
    return end;
}

/*
 * In a random order, a rank that has a message for an idle rank is not idle, and only messages that are too long are
 * cut.
 */
IRR_TEST(test_greedy, "random orders: a rank is not idle if it can send to an idle rank")
{
    static const char *const names[] = { "random", "random-sorted", "random-heap" };

    state = irr_test_seed() + 1;
    for (int n = 0; n < irr_test_runs(1000); n++) {
        irr_scheduled_params_t params = make_params();
        bool idle[2 * SMALL_LARGEST];
        irr_matrix_t matrix = make_small();
        irr_schedule_t schedule;

        for (int i = 0; i < matrix.ranks; i++) {
            *irr_matrix_at(&matrix, i, i) = 0;
        }
        schedule = irr_plan_all_schedule(names[n % 3], &matrix, &params);
        for (size_t at = 0; at < schedule.count;) {
            at = take_step(&schedule, at, &matrix, idle);
        }
        irr_schedule_fini(&schedule);
        irr_matrix_fini(&matrix);
    }
}

/*
 * Without splits optimal needs as many steps as the busiest port has messages. With more steps the schedule becomes
 * shorter.
 */
IRR_TEST(test_optimal_limit, "optimal: the number of steps is within the limit")
{
    state = irr_test_seed() + 2;
    for (int n = 0; n < 500; n++) {
        irr_scheduled_params_t params = plain;
        irr_matrix_t matrix = make_small();
        const int degree = degree_of(&matrix);
        irr_schedule_t schedule;

        for (params.max_steps = 1; params.max_steps <= 64; params.max_steps *= 4) {
            schedule = irr_plan_all_schedule("optimal", &matrix, &params);
            CU_ASSERT_EQUAL(irr_schedule_check(&schedule, &matrix, NULL, 0), IRR_OK);
            CU_ASSERT(schedule.steps <= (params.max_steps > degree ? params.max_steps : degree));
            CU_ASSERT(irr_schedule_makespan(&schedule) >= irr_schedule_bound(&matrix));
            CU_ASSERT(params.max_steps > 1 || irr_schedule_splits(&schedule, &matrix) == 0);
            irr_schedule_fini(&schedule);
        }
        irr_matrix_fini(&matrix);
    }
}

/* Tests a dense matrix of different lengths, for which most steps complete only one message. */
IRR_TEST(test_optimal_dense, "optimal: a dense schedule is as long as the messages of the busiest port")
{
    irr_matrix_t matrix = matrix_scene_zero(96);
    irr_schedule_t schedule;

    state = irr_test_seed() + 3;
    for (int i = 0; i < 96 * 96; i++) {
        matrix.entries[i] = 1 + irr_test_below(&state, 1000000);
    }
    schedule = irr_plan_all_schedule("optimal", &matrix, &plain);
    expect_rules("optimal", &schedule, &matrix);
    irr_schedule_fini(&schedule);
    irr_matrix_fini(&matrix);
}

/* ---- Ranka, Wang and Kumar ---- */

#define RANKS 32
#define UNIT  1024

/* Number of samples. The paper takes 50; with 400 samples the influence of the seed is small compared with 5 %. */
#define MANY 400

/*
 * The paper's tau / phi in units of messages. Table 2 of the paper has one send of 256 bytes and one send of 4096
 * bytes. This gives a latency of 545 bytes at the receiver and 1090 bytes at the sender. The shortest unit is 16 bytes,
 * so the latency is 34 to 68 units.
 */
#define LATENCY_UNITS 44

/* Test set 1: d messages from and to each rank, of 1 to 32 units; random pairs trade destinations. */
static irr_matrix_t make_set_1(int d, uint64_t *random)
{
    irr_matrix_t matrix = matrix_scene_zero(RANKS);
    int to[RANKS * RANKS];

    for (int m = 0; m < RANKS * d; m++) {
        to[m] = (m / d + 1 + m % d) % RANKS;
        *irr_matrix_at(&matrix, m / d, to[m]) = 1;
    }
    for (int n = 0; n < 8 * RANKS * d; n++) {
        const uint64_t messages = (uint64_t)RANKS * (uint64_t)d;
        int x = (int)irr_test_below(random, messages), y = (int)irr_test_below(random, messages);
        int a = x / d, b = y / d, from_a = to[x], from_b = to[y];

        if (from_b != a && from_a != b && *irr_matrix_at(&matrix, a, from_b) == 0 &&
            *irr_matrix_at(&matrix, b, from_a) == 0) {
            *irr_matrix_at(&matrix, a, from_a) = *irr_matrix_at(&matrix, b, from_b) = 0;
            *irr_matrix_at(&matrix, a, from_b) = *irr_matrix_at(&matrix, b, from_a) = 1;
            to[x] = from_b;
            to[y] = from_a;
        }
    }
    for (int m = 0; m < RANKS * d; m++) {
        *irr_matrix_at(&matrix, m / d, to[m]) = (1 + irr_test_below(random, 32)) * UNIT;
    }
    return matrix;
}

typedef struct mean {
    double steps, makespan;   /* makespan over irr_schedule_bound */
} mean_t;

/* Returns the mean results of an order on test set 1 with d messages per rank, or on test set 2 if d is 0. */
static mean_t measure(const char *name, int d, uint64_t seed)
{
    mean_t mean = { 0, 0 };

    for (int n = 0; n < MANY; n++) {
        irr_scheduled_params_t params = { .lambda = IRR_LAMBDA_DEFAULT, .latency = LATENCY_UNITS * UNIT };
        irr_schedule_t schedule;
        irr_matrix_t matrix;

        if (d > 0) {
            matrix = make_set_1(d, &seed);
        } else {
            matrix = matrix_scene_pattern("skewed", RANKS, UNIT, seed + (uint64_t)n);
        }
        params.seed = irr_test_random(&seed);
        schedule = irr_plan_all_schedule(name, &matrix, &params);
        mean.steps += schedule.steps / (double)MANY;
        mean.makespan += (double)irr_schedule_makespan(&schedule) / (double)irr_schedule_bound(&matrix) / MANY;
        irr_schedule_fini(&schedule);
        irr_matrix_fini(&matrix);
    }
    printf("# %-9s d %2d: %5.2f steps, %.3f times the bound\n", name, d, mean.steps, mean.makespan);
    return mean;
}

/* Table 5. */
IRR_TEST(test_set_1, "set 1: the numbers of steps of table 5, and the order of the makespans")
{
    static const struct { int d; double random, random_sorted, random_heap; } table[] = {
        { 8, 10.1, 10.22, 11.2 }, { 16, 18.56, 18.52, 19.8 }
    };

    for (int i = 0; i < 2; i++) {
        const int d = table[i].d;
        const uint64_t seed = irr_test_seed();
        mean_t xor = measure("xor", d, seed), random = measure("random", d, seed);
        mean_t sort = measure("random-sorted", d, seed), random_heap = measure("random-heap", d, seed);

        CU_ASSERT_DOUBLE_EQUAL(xor.steps, 31, 1e-6);
        CU_ASSERT_DOUBLE_EQUAL(random.steps, table[i].random, 0.05 * table[i].random);
        CU_ASSERT_DOUBLE_EQUAL(sort.steps, table[i].random_sorted, 0.05 * table[i].random_sorted);
        CU_ASSERT_DOUBLE_EQUAL(random_heap.steps, table[i].random_heap, 0.05 * table[i].random_heap);
        CU_ASSERT(random_heap.makespan <= random.makespan && random.makespan <= xor.makespan);
    }
}

/*
 * Table 6 has 20.1 and 31.7 steps. The test set of section 7.2 gives fewer steps, and its busiest rank has 16.6
 * messages on average. The test therefore checks only that the algorithms have the same order as in table 6.
 */
IRR_TEST(test_set_2, "set 2: the order of the makespans")
{
    const uint64_t seed = irr_test_seed();
    mean_t xor = measure("xor", 0, seed), random = measure("random", 0, seed);
    mean_t random_heap = measure("random-heap", 0, seed);

    CU_ASSERT(random.steps > 16 && random.steps < 20.1 * 1.05);
    CU_ASSERT(random_heap.steps > random.steps && random_heap.steps < 31.7 * 1.05);
    CU_ASSERT(random_heap.makespan <= random.makespan && random.makespan <= xor.makespan);
}

/*
 * Returns the threshold of a rule in a step with eight ranks and eight messages of 1, 2, 4, .. 128 bytes. After the
 * step `left` of 64 messages are left.
 */
static uint64_t threshold(const char *text, size_t left, uint64_t latency)
{
    uint64_t lengths[8];
    irr_lambda_step_t step = { .lengths = lengths, .count = 8, .left = left, .total = 64, .ranks = 8,
                               .latency = latency };
    irr_lambda_t lambda;

    for (int i = 0; i < 8; i++) {
        lengths[i] = UINT64_C(1) << (7 - i);
    }
    CU_ASSERT_EQUAL_FATAL(irr_lambda_parse(text, &lambda), IRR_OK);
    return irr_lambda_threshold(lambda, &step);
}

IRR_TEST(test_threshold, "lambda: thresholds computed by hand")
{
    static const struct { const char *rule; size_t left; uint64_t latency, threshold; } rows[] = {
        { "one", 56, 0, 128 }, { "fixed:0.5", 56, 1 << 30, 8 }, { "fixed:0.57", 56, 0, 16 },   /* rounded to nearest */
        { "fixed:0.0001", 56, 0, 1 }, { "fixed:0.5", 17, 0, 8 }, { "fixed:0.5", 16, 0, 128 },   /* the second phase */
        { "proportional:0.1", 40, 0, 8 }, { "proportional:0.8", 17, 0, 128 },   /* 0.1 * 5 of 8 messages */
        { "proportional:100", 56, 0, 128 },
        /*
         * A step of 7 instead of 6 messages saves latency / 6 and costs 32 bytes; a step of 8 instead of 7 messages
         * saves latency / 7 and costs 64 bytes.
         */
        { "incremental", 56, 0, 32 }, { "incremental", 56, 191, 32 }, { "incremental", 56, 193, 64 },
        { "incremental", 56, 449, 128 }, { "incremental", 56, UINT64_MAX, 128 }
    };

    irr_lambda_t lambda;

    CU_ASSERT(irr_lambda_parse("proportional:0.8", &lambda) == IRR_OK && lambda.share == 52429);   /* rounded */
    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        CU_ASSERT_EQUAL(threshold(rows[i].rule, rows[i].left, rows[i].latency), rows[i].threshold);
    }
}

IRR_TEST(test_search, "the search tries 16 shares from 1 down to 3/4, and takes the first share with the shortest time")
{
    irr_scheduled_params_t params = { .seed = 3, .lambda = { .rule = IRR_LAMBDA_SEARCH }, .latency = 3000 };
    uint64_t least = UINT64_MAX, random = irr_test_seed();
    irr_matrix_t matrix = make_set_1(16, &random);
    irr_schedule_t schedule = irr_plan_all_schedule("random-heap", &matrix, &params), tried, best = { .ranks = 0 };

    for (uint32_t i = 0; i < 16; i++) {
        uint64_t time;

        params.lambda = (irr_lambda_t){ IRR_LAMBDA_FIXED, 65536 - 16384 * i / 15 };
        tried = irr_plan_all_schedule("random-heap", &matrix, &params);
        time = irr_schedule_makespan(&tried) + 3000 * (uint64_t)tried.steps;
        if (time < least) {
            irr_schedule_fini(&best);
            best = tried;
            least = time;
        } else {
            irr_schedule_fini(&tried);
        }
    }
    CU_ASSERT_TRUE(irr_schedule_same(&schedule, &best));
    irr_schedule_fini(&best);
    irr_schedule_fini(&schedule);
    irr_matrix_fini(&matrix);
}

IRR_TEST_MAIN("schedule", 600)
