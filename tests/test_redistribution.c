/*
 * test_redistribution.c - block-cyclic redistributions. The table is compared with a walk over all elements. Other
 * tests check the two examples of the paper, and rules for the schedules of any redistribution.
 */
#include "matrix_scene.h"
#include "schedule_same.h"

#include "order/order.h"
#include "order/redistribution.h"

static const irr_redistribution_order_t orders[] = {
    irr_redistribution_one, irr_redistribution_two, irr_redistribution_rotate, irr_redistribution_order
};

enum { ORDERS = IRR_TEST_COUNT(orders) };

/* ---- the table ---- */

/* Adds each element to the entry of its source and destination (formulas 4 of the paper). */
static void walk(const irr_redistribution_t *r, const irr_matrix_t *matrix)
{
    for (uint64_t g = 0; g < r->elements; g++) {
        *irr_matrix_at(matrix, (int)(g / r->x % (uint64_t)r->p), (int)(g / r->y % (uint64_t)r->q)) += r->unit;
    }
}

static void check_table(const irr_redistribution_t *r)
{
    irr_matrix_t walked, computed;

    CU_ASSERT_EQUAL_FATAL(irr_matrix_init(&walked, r->p > r->q ? r->p : r->q), IRR_OK);
    walk(r, &walked);
    CU_ASSERT_EQUAL_FATAL(irr_redistribution_matrix(r, &computed), IRR_OK);
    if (!matrix_scene_same(&walked, &computed)) {
        CU_FAIL("table");
        printf("# cyclic(%lu) on %d to cyclic(%lu) on %d, %lu elements\n", (unsigned long)r->x, r->p,
               (unsigned long)r->y, r->q, (unsigned long)r->elements);
    }
    irr_matrix_fini(&walked);
    irr_matrix_fini(&computed);
}

/* Draws blocks of at most `block` elements on at most `ranks` ranks. The caller sets the number of elements. */
static irr_redistribution_t draw(uint64_t *state, uint64_t block, uint64_t ranks)
{
    return (irr_redistribution_t){
        .x = 1 + irr_test_below(state, block), .p = (int)(1 + irr_test_below(state, ranks)),
        .y = 1 + irr_test_below(state, block), .q = (int)(1 + irr_test_below(state, ranks)),
        .unit = 1 + irr_test_below(state, 8)
    };
}

IRR_TEST_SEEDED(test_table, "the table equals a count of all elements")
{
    for (int run = 0; run < 400; run++) {
        irr_redistribution_t r = draw(state, run % 2 == 0 ? 12 : 300, 9);
        const uint64_t period = irr_redistribution_period(&r);

        r.elements = period < 40000 ? period * irr_test_below(state, 3) : 0;
        check_table(&r);
        r.elements += irr_test_below(state, period < 40000 ? period : 40000);
        check_table(&r);
    }
}

/* For an array that is too long for a walk, the sums of the table must equal the elements that a rank owns. */
IRR_TEST(test_long_table, "the table of a long array is not computed by a walk over its elements")
{
    irr_redistribution_t r = {
        .x = 10000000, .p = 1000, .y = 10010011, .q = 999, .elements = UINT64_C(10000000000), .unit = 8
    };
    irr_matrix_t matrix;

    CU_ASSERT_EQUAL_FATAL(irr_redistribution_matrix(&r, &matrix), IRR_OK);
    for (int i = 0; i < r.p; i++) {
        uint64_t sum = 0;

        for (int j = 0; j < r.q; j++) {
            sum += *irr_matrix_at(&matrix, i, j);
        }
        CU_ASSERT_EQUAL(sum, r.x * r.unit);
    }
    irr_matrix_fini(&matrix);

    r = (irr_redistribution_t){ .x = 1, .p = 7, .y = UINT64_C(1) << 50, .q = 3, .elements = UINT64_C(7) << 52,
                                .unit = 1 };
    CU_ASSERT_EQUAL_FATAL(irr_redistribution_matrix(&r, &matrix), IRR_OK);
    CU_ASSERT_EQUAL(*irr_matrix_at(&matrix, 0, 0) + *irr_matrix_at(&matrix, 0, 1) + *irr_matrix_at(&matrix, 0, 2),
                    UINT64_C(1) << 52);
    irr_matrix_fini(&matrix);
}

IRR_TEST(test_limits, "values above the limits are refused")
{
    static const irr_redistribution_t bad[] = {
        { 0, 1, 1, 1, 1, 1 }, { 1, 0, 1, 1, 1, 1 }, { 1, 1, 0, 1, 1, 1 }, { 1, 1, 1, -1, 1, 1 },
        { 1, 1, 1, 1, 1, 0 }, { INT64_MAX, 2, 1, 1, 1, 1 }, { 1, 1, INT64_MAX, 2, 1, 1 },
        { 1, 1, 1, 1, UINT64_C(1) << 62, 2 }
    };
    const irr_redistribution_t endless = {
        .x = 1000003, .p = 1000, .y = 1000033, .q = 999, .elements = UINT64_C(1) << 58, .unit = 1
    };
    irr_redistribution_t block = {
        .x = 1000000000000, .p = 10, .y = 1000001900001, .q = 9, .elements = 10000000000000, .unit = 1
    };
    irr_matrix_t matrix = { .ranks = 77, .entries = NULL };
    irr_large_t large;

    for (size_t i = 0; i < IRR_TEST_COUNT(bad); i++) {
        CU_ASSERT_EQUAL(irr_redistribution_matrix(&bad[i], &matrix), IRR_ERR_BAD_PARAM);
    }
    CU_ASSERT_EQUAL(irr_redistribution_matrix(&endless, &matrix), IRR_ERR_NOT_SUPPORTED);
    CU_ASSERT_EQUAL(matrix.ranks, 77);

    CU_ASSERT_EQUAL_FATAL(irr_redistribution_matrix(&block, &matrix), IRR_OK);
    CU_ASSERT_EQUAL(irr_redistribution_period(&block), UINT64_MAX);
    CU_ASSERT_EQUAL(irr_redistribution_two(&block, &matrix, &large), IRR_ERR_NOT_SUPPORTED);
    CU_ASSERT_EQUAL_FATAL(irr_redistribution_order(&block, &matrix, &large), IRR_OK);
    CU_ASSERT_EQUAL(irr_schedule_check(&large.schedule, &matrix, NULL, 0), IRR_OK);
    irr_large_fini(&large);
    irr_matrix_fini(&matrix);
}

/* test_settings.c has texts that are refused. */
IRR_TEST(test_parse, "parameters are read")
{
    irr_redistribution_t r = { .unit = 5 };

    CU_ASSERT_EQUAL(irr_redistribution_parse("4,5,3,7", &r), IRR_OK);
    CU_ASSERT(r.x == 4 && r.p == 5 && r.y == 3 && r.q == 7 && r.elements == 420 && r.unit == 5);
    CU_ASSERT_EQUAL(irr_redistribution_parse("4,5,3,7,0", &r), IRR_OK);
    CU_ASSERT_EQUAL(r.elements, 0);
}

/* ---- the paper's examples ---- */

enum { SIDE = 6 };

/*
 * Guo, Pan: Improving communication scheduling for array redistribution. The tables are figures 1(a) and 2(a). The
 * order of a source has its targets as sections 4.1 and 4.2 compute them (figures 1(c) and 2(c)), a word for each large
 * step; commas join the targets of small steps. large, small: units of length with barriers between large steps, and
 * between all steps.
 */
typedef struct example {
    irr_redistribution_t redistribution;
    irr_redistribution_order_t make;
    int                  steps;
    uint64_t             large, small, table[SIDE][SIDE];
    const char          *order[SIDE];
} example_t;

static const example_t examples[] = {
    { { .x = 4, .p = 5, .y = 3, .q = 5, .elements = 60, .unit = 1 }, irr_redistribution_one, 5, 12, 12,
      { { 3, 2, 3, 2, 2 }, { 3, 2, 2, 3, 2 }, { 2, 3, 2, 3, 2 }, { 2, 3, 2, 2, 3 }, { 2, 2, 3, 2, 3 } },
      { "0 1 2 3 4", "3 4 0 1 2", "1 2 3 4 0", "4 0 1 2 3", "2 3 4 0 1" } },
    { { .x = 2, .p = 6, .y = 3, .q = 6, .elements = 36, .unit = 1 }, irr_redistribution_two, 6, 6, 9,
      { { 2, 0, 2, 0, 2, 0 }, { 1, 1, 1, 1, 1, 1 }, { 0, 2, 0, 2, 0, 2 }, { 2, 0, 2, 0, 2, 0 }, { 1, 1, 1, 1, 1, 1 },
        { 0, 2, 0, 2, 0, 2 } },
      { "0 2 4", "4,5 0,1 2,3", "1 3 5", "2 4 0", "5,4 1,0 3,2", "3 5 1" } }
};

/* Returns the step of a message; 0: the message is in no step. */
static int step_of(const irr_large_t *large, int from, int to)
{
    for (size_t i = 0; i < large->schedule.count; i++) {
        if (large->schedule.list[i].from == from && large->schedule.list[i].to == to) {
            return large->schedule.list[i].step;
        }
    }
    return 0;
}

/* A source sends to its targets in the large steps and in the order of its line.  Returns the number of targets. */
static size_t check_source(const irr_large_t *large, int i, const char *line)
{
    size_t count = 0, n = 0;
    int before = 0;

    while (*line != '\0') {
        char *end;
        int to = (int)strtol(line, &end, 10), step = step_of(large, i, to);

        CU_ASSERT_FATAL(end > line);
        if (to != i) {
            CU_ASSERT_FATAL(n < large->count);
            CU_ASSERT(step > before && step <= large->last[n] && (n == 0 || step > large->last[n - 1]));
            before = step;
            count++;
        }
        n += *end == ' ';
        line = end + (*end != '\0');
    }
    return count;
}

/* Example 1 takes 5 steps of equal lengths. Example 2 takes 6 units of time instead of 9. */
IRR_TEST(test_examples, "the two examples of the paper")
{
    for (size_t e = 0; e < IRR_TEST_COUNT(examples); e++) {
        const example_t *example = &examples[e];
        irr_matrix_t matrix;
        irr_large_t large;
        size_t count = 0;
        uint64_t length = 0;

        CU_ASSERT_EQUAL_FATAL(irr_redistribution_matrix(&example->redistribution, &matrix), IRR_OK);
        CU_ASSERT_EQUAL_FATAL(example->make(&example->redistribution, &matrix, &large), IRR_OK);
        CU_ASSERT_EQUAL(irr_schedule_check(&large.schedule, &matrix, NULL, 0), IRR_OK);
        for (int i = 0; i < matrix.ranks; i++) {
            for (int j = 0; j < matrix.ranks; j++) {
                CU_ASSERT_EQUAL(*irr_matrix_at(&matrix, i, j), example->table[i][j]);
            }
            count += check_source(&large, i, example->order[i]);
        }
        CU_ASSERT(large.schedule.count == count && large.schedule.steps == example->steps);
        CU_ASSERT_EQUAL(irr_large_makespan(&large, NULL, &length), IRR_OK);
        CU_ASSERT(length == example->large && irr_schedule_makespan(&large.schedule) == example->small);
        irr_large_fini(&large);
        irr_matrix_fini(&matrix);
    }
}

/* ---- the order ---- */

static irr_status_t try_redistribution(const irr_redistribution_t *structure, const irr_matrix_t *matrix)
{
    const irr_scheduled_params_t params = { .redistribution = *structure };
    irr_schedule_t schedule = { .ranks = -7 };
    irr_status_t status = irr_order_schedule(&irr_order_redistribution, matrix, &params, &schedule);

    if (status == IRR_OK) {
        CU_ASSERT_EQUAL(irr_schedule_check(&schedule, matrix, NULL, 0), IRR_OK);
        irr_schedule_fini(&schedule);
    } else {
        CU_ASSERT_EQUAL(schedule.ranks, -7);
    }
    return status;
}

/*
 * The redistribution determines the messages and their steps, and the matrix determines the lengths. Example 2 of the
 * paper has no message from 0 to 1. Ranks outside of the redistribution have no messages. A communicator must have at
 * least as many ranks as the redistribution.
 */
IRR_TEST(test_order, "redistributions and matrices that match, and some that do not")
{
    enum { EXAMPLE = -1 };
    static const struct {
        int                   ranks;      /* EXAMPLE: the matrix of the example, changed as follows */
        irr_redistribution_t structure;
        struct { int from, to; uint64_t bytes; } entries[4];
        irr_status_t         status;
    } rows[] = {
        { EXAMPLE, { .x = 2, .p = 6, .y = 3, .q = 6 }, { { 0, 0, 0 } }, IRR_OK },
        { EXAMPLE, { .x = 2, .p = 6, .y = 3, .q = 6 }, { { 0, 2, 0 }, { 1, 2, 1000000 }, { 3, 3, 9 } }, IRR_OK },
        { EXAMPLE, { .x = 2, .p = 6, .y = 3, .q = 6 }, { { 0, 1, 1 } }, IRR_ERR_NOT_SUPPORTED },
        { 6, { .x = 4, .p = 5, .y = 3, .q = 7 }, { { 0, 0, 0 } }, IRR_ERR_NOT_SUPPORTED },
        { 8, { .x = 4, .p = 5, .y = 3, .q = 7 }, { { 1, 6, 5 } }, IRR_OK },
        { 8, { .x = 4, .p = 5, .y = 3, .q = 7 }, { { 1, 6, 5 }, { 1, 7, 5 } }, IRR_ERR_NOT_SUPPORTED },
        { 2, { .x = 1, .p = 0, .y = 1, .q = 1 }, { { 0, 0, 0 } }, IRR_ERR_BAD_PARAM }
    };

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        irr_matrix_t matrix;

        if (rows[i].ranks == EXAMPLE) {
            irr_test_must(irr_redistribution_matrix(&examples[1].redistribution, &matrix));
        } else {
            matrix = matrix_scene_zero(rows[i].ranks);
        }
        for (int e = 0; e < 4 && rows[i].entries[e].to > 0; e++) {
            *irr_matrix_at(&matrix, rows[i].entries[e].from, rows[i].entries[e].to) = rows[i].entries[e].bytes;
        }
        CU_ASSERT_EQUAL(try_redistribution(&rows[i].structure, &matrix), rows[i].status);
        irr_matrix_fini(&matrix);
    }
}

/* Asserts that the schedule of the order is the schedule of its large steps. */
static void check_order(const irr_redistribution_t *r, const irr_matrix_t *matrix, const irr_large_t *large)
{
    const irr_scheduled_params_t params = { .redistribution = *r };
    irr_schedule_t schedule;

    CU_ASSERT_EQUAL_FATAL(irr_order_schedule(&irr_order_redistribution, matrix, &params, &schedule), IRR_OK);
    CU_ASSERT(irr_schedule_same(&schedule, &large->schedule));
    irr_schedule_fini(&schedule);
}

/* ---- all redistributions ---- */

/* A port never has two messages at a time, and without large steps no message ends later. */
static void check_times(const irr_large_t *large, uint64_t length)
{
    const irr_schedule_t *schedule = &large->schedule;
    uint64_t *begins = irr_test_array(schedule->count, sizeof(*begins)), async = 0, end = 0;
    uint64_t *busy = irr_test_array(2 * (size_t)schedule->ranks, sizeof(*busy));

    CU_ASSERT_EQUAL(irr_large_makespan_async(schedule, begins, &async), IRR_OK);
    for (size_t i = 0; i < schedule->count; i++) {
        const irr_transmission_t *t = &schedule->list[i];
        uint64_t *sender = &busy[t->from], *receiver = &busy[schedule->ranks + t->to];

        CU_ASSERT_EQUAL(begins[i], *sender > *receiver ? *sender : *receiver);
        *sender = *receiver = begins[i] + t->length;
        end = *sender > end ? *sender : end;
    }
    CU_ASSERT_EQUAL(async, end);
    CU_ASSERT(async <= length);
    free(busy);
    free(begins);
}

static void check_large(const irr_large_t *large, const irr_matrix_t *matrix)
{
    uint64_t length = 0;
    char reason[200] = "";

    CU_ASSERT_EQUAL(irr_schedule_check(&large->schedule, matrix, reason, sizeof(reason)), IRR_OK);
    CU_ASSERT_STRING_EQUAL(reason, "");
    CU_ASSERT_EQUAL(irr_schedule_splits(&large->schedule, matrix), 0);
    for (size_t n = 1; n < large->count; n++) {
        CU_ASSERT(large->last[n] > large->last[n - 1]);
    }
    CU_ASSERT_EQUAL(large->count > 0 ? large->last[large->count - 1] : 0, large->schedule.steps);
    CU_ASSERT_EQUAL(irr_large_makespan(large, NULL, &length), IRR_OK);
    CU_ASSERT(length >= irr_schedule_bound(matrix) && length <= irr_schedule_makespan(&large->schedule));
    check_times(large, length);
}

/*
 * Algorithm 1 for whole periods: a step is a large step, the messages of a step have equal lengths, and the number of
 * steps is small.
 */
static void check_equal_lengths(const irr_large_t *large)
{
    const irr_transmission_t *list = large->schedule.list;

    for (size_t i = 1; i < large->schedule.count; i++) {
        CU_ASSERT(list[i].step != list[i - 1].step || list[i].length == list[i - 1].length);
    }
    CU_ASSERT_EQUAL(large->count, (size_t)large->schedule.steps);
    CU_ASSERT(large->schedule.steps <= large->schedule.ranks);
}

/* Tests random numbers of elements, and whole periods. */
IRR_TEST_SEEDED(test_schedules, "schedules are valid and complete")
{
    int aligned = 0;

    for (int run = 0; run < 800; run++) {
        irr_redistribution_t r = draw(state, run % 2 == 0 ? 12 : 60, run % 4 < 2 ? 9 : 24);
        const uint64_t period = irr_redistribution_period(&r);
        const bool whole = run % 8 < 4;
        irr_matrix_t matrix;
        irr_large_t large;

        r.elements = whole ? period * (1 + irr_test_below(state, 3)) : irr_test_below(state, 3 * period);
        CU_ASSERT_EQUAL_FATAL(irr_redistribution_matrix(&r, &matrix), IRR_OK);
        for (int k = 0; k < ORDERS; k++) {
            irr_status_t status = orders[k](&r, &matrix, &large);

            CU_ASSERT_EQUAL(status, k > 0 || irr_redistribution_aligns(&r) ? IRR_OK : IRR_ERR_NOT_SUPPORTED);
            if (status == IRR_OK) {
                check_large(&large, &matrix);
                if (k == ORDERS - 1) {
                    check_order(&r, &matrix, &large);
                } else if (k == 0 && whole) {
                    check_equal_lengths(&large);
                    aligned++;
                }
                irr_large_fini(&large);
            }
        }
        irr_matrix_fini(&matrix);
    }
    CU_ASSERT(aligned > 50);
}

/* For schemes of the paper, and for a scheme whose blocks are not all equal, no schedule can be shorter. */
IRR_TEST(test_large_steps_pay, "schedules of algorithm 2 are as short as the bound")
{
    static const char *const better[] = {
        "2,6,3,6", "3,6,2,6", "20,12,30,12", "8,20,6,20", "8,60,6,5", "4,30,3,30"
    };

    for (size_t i = 0; i < IRR_TEST_COUNT(better); i++) {
        irr_redistribution_t r = { .unit = 1 };
        irr_matrix_t matrix;
        irr_large_t large;
        uint64_t length = 0;

        CU_ASSERT_EQUAL_FATAL(irr_redistribution_parse(better[i], &r), IRR_OK);
        CU_ASSERT_EQUAL_FATAL(irr_redistribution_matrix(&r, &matrix), IRR_OK);
        CU_ASSERT_EQUAL_FATAL(irr_redistribution_two(&r, &matrix, &large), IRR_OK);
        CU_ASSERT_EQUAL(irr_large_makespan(&large, NULL, &length), IRR_OK);
        CU_ASSERT_EQUAL(length, irr_schedule_bound(&matrix));
        irr_large_fini(&large);
        CU_ASSERT_EQUAL_FATAL(irr_redistribution_rotate(&r, &matrix, &large), IRR_OK);
        CU_ASSERT(irr_schedule_makespan(&large.schedule) > length);
        irr_large_fini(&large);
        irr_matrix_fini(&matrix);
    }
}

/* ---- memory ---- */

typedef struct run {
    irr_redistribution_t       redistribution;
    irr_redistribution_order_t order;
} run_t;

static irr_status_t make_all(void *context)
{
    const run_t *run = context;
    irr_matrix_t matrix;
    irr_large_t large;
    uint64_t length;
    irr_status_t status = irr_redistribution_matrix(&run->redistribution, &matrix);

    if (status != IRR_OK) {
        return status;
    }
    status = run->order(&run->redistribution, &matrix, &large);
    if (status == IRR_OK) {
        status = irr_large_makespan(&large, NULL, &length);
        irr_large_fini(&large);
    }
    irr_matrix_fini(&matrix);
    return status;
}

IRR_TEST(test_no_memory, "each failed allocation is an error and leaks no memory")
{
    run_t run = { .redistribution = { .unit = 1 } };

    CU_ASSERT_EQUAL_FATAL(irr_redistribution_parse("4,5,3,7", &run.redistribution), IRR_OK);
    for (int k = 0; k < ORDERS; k++) {
        run.order = orders[k];
        CU_ASSERT(irr_memory_fail_each(make_all, &run) > 1);
    }
}

IRR_TEST_MAIN("redistribution", 60)
