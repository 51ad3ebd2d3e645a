/* test_order.c - the rules of orders for all sizes, the pacings, and the names of orders, pacings and algorithms. */
#include "plan_all.h"

#include "order/order.h"
#include "pacing/pacing.h"
#include "plan/strategy.h"
#include "study/plans.h"

#include <limits.h>

#define SIZE_LARGEST 64

static const irr_order_t *const orders[] = {
    &irr_order_rotate, &irr_order_natural, &irr_order_priority, &irr_order_xor, &irr_order_random,
    &irr_order_random_sorted, &irr_order_random_heap, &irr_order_optimal, &irr_order_redistribution, &irr_order_tree
};

enum { ORDERS = IRR_TEST_COUNT(orders) };

/* The schedule of a whole group: the step of each message, 0 for none. */
typedef struct schedule {
    int sends[SIZE_LARGEST][SIZE_LARGEST];   /* by sender and receiver: the sender's step */
    int recvs[SIZE_LARGEST][SIZE_LARGEST];   /* by receiver and sender: the receiver's step */
    int wrong;                               /* messages in a step that does not exist or already has a message */
} schedule_t;

/* Stores the steps of one member, which must all be different. */
static void note(schedule_t *schedule, int *steps, irr_group_t group, int most,
                 int (*step_of)(irr_group_t group, int peer))
{
    bool taken[SIZE_LARGEST + 1] = { false };

    for (int peer = 0; peer < group.size; peer++) {
        const int step = step_of(group, peer);

        if (peer == group.me) {
            continue;
        }
        if (step < 1 || step > most || taken[step]) {
            schedule->wrong++;
            continue;
        }
        taken[step] = true;
        steps[peer] = step;
    }
}

/*
 * Returns how often the steps, listed around the group and including the member itself, change from rising to falling.
 */
static int count_turns(irr_group_t group, int (*step_of)(irr_group_t group, int peer))
{
    int rises = 0;

    for (int peer = 0; peer < group.size; peer++) {
        rises += step_of(group, (peer + 1) % group.size) > step_of(group, peer);
    }
    return rises < group.size - rises ? rises : group.size - rises;
}

static void read_schedule(const irr_order_t *order, int size, schedule_t *schedule)
{
    memset(schedule, 0, sizeof(*schedule));
    for (int me = 0; me < size; me++) {
        const int most = size - order->contention_free;   /* steps */
        irr_group_t group = { size, me };

        note(schedule, schedule->sends[me], group, most, order->send_step);
        note(schedule, schedule->recvs[me], group, most, order->recv_step);
        schedule->wrong += count_turns(group, order->send_step) > 1 || count_turns(group, order->recv_step) > 1;
    }
}

/* Returns the number of messages that are missing at their sender or at their receiver. */
static int count_missing(const schedule_t *schedule, int size)
{
    int missing = 0;

    for (int a = 0; a < size; a++) {
        for (int b = 0; b < size; b++) {
            missing += a != b && (schedule->sends[a][b] == 0 || schedule->recvs[b][a] == 0);
        }
    }
    return missing;
}

/*
 * Returns the number of messages whose send and receive have different steps, plus the number of second messages to a
 * member in one step.
 */
static int count_contention(const schedule_t *schedule, int size)
{
    int found = 0;

    for (int to = 0; to < size; to++) {
        int senders[SIZE_LARGEST + 1] = { 0 };  /* by step */

        for (int from = 0; from < size; from++) {
            int step = schedule->sends[from][to];

            found += from != to && step != schedule->recvs[to][from];
            found += from != to && senders[step]++ > 0;
        }
    }
    return found;
}

/*
 * In the order natural, all members first send to member 0, so that count_contention must find contention. test_plan.c
 * has steps of rotate and natural. The largest group causes no overflow.
 */
IRR_TEST(test_rules, "every order keeps the rules for 1 to 64 members")
{
    const irr_group_t largest = { INT_MAX, INT_MAX - 1 };
    static schedule_t schedule;

    CU_ASSERT_EQUAL(irr_order_rotate.send_step(largest, INT_MAX - 2), INT_MAX - 1);
    CU_ASSERT_EQUAL(irr_order_rotate.recv_step(largest, 0), INT_MAX - 1);
    for (int i = 0; i < ORDERS; i++) {
        for (int size = 1; size <= SIZE_LARGEST && orders[i]->send_step != NULL; size++) {
            read_schedule(orders[i], size, &schedule);
            CU_ASSERT_EQUAL(schedule.wrong, 0);
            CU_ASSERT_EQUAL(count_missing(&schedule, size), 0);
            CU_ASSERT(!orders[i]->contention_free || count_contention(&schedule, size) == 0);
            CU_ASSERT(orders[i] != &irr_order_natural || size < 3 || count_contention(&schedule, size) > 0);
        }
    }
}

/* ---- pacing ---- */

IRR_TEST(test_pacing_table, "the table of pacings")
{
    CU_ASSERT_PTR_EQUAL(irr_pacing_of(IRR_PACING_FREE), &irr_pacing_free);
    CU_ASSERT_PTR_EQUAL(irr_pacing_of(IRR_PACING_LOOSE), &irr_pacing_loose);
    CU_ASSERT_PTR_EQUAL(irr_pacing_of(IRR_PACING_GRANT), &irr_pacing_grant);
    for (int i = IRR_PACING_AUTO + 1; i < (int)IRR_PACING_COUNT; i++) {
        CU_ASSERT_STRING_EQUAL(irr_pacing_of((irr_pacing_kind_t)i)->name, irr_pacing_name(i));
    }
    CU_ASSERT_PTR_NULL(irr_pacing_of(IRR_PACING_AUTO));
    CU_ASSERT_PTR_NULL(irr_pacing_of(IRR_PACING_COUNT));
    CU_ASSERT_PTR_NULL(irr_pacing_of((irr_pacing_kind_t)-1));
}

/* ---- algorithms ---- */

/* Names that no row has. */
static const char *const unknown[] = { "", "DIRECTLY", "direct ", "a1 ", "rs" };

IRR_TEST(test_algorithm_names, "algorithms are found by their names")
{
    int rows = 0;

    CU_ASSERT_STRING_EQUAL(irr_algorithm_name(0), "auto");
    CU_ASSERT_STRING_EQUAL(irr_algorithm_name(1), "direct");
    CU_ASSERT_STRING_EQUAL(irr_algorithm_name(2), "natural");
    for (; irr_algorithm_name(rows) != NULL; rows++) {
        CU_ASSERT_EQUAL(irr_algorithm_find(irr_algorithm_name(rows)), rows);
        CU_ASSERT(strlen(irr_algorithm_text(rows)) > 0);
    }
    for (int none = -1; none <= rows; none += rows + 1) {
        CU_ASSERT_PTR_NULL(irr_algorithm_name(none));
        CU_ASSERT_PTR_NULL(irr_algorithm_text(none));
        CU_ASSERT_PTR_NULL(irr_algorithm_strategy(none));
    }
    CU_ASSERT_EQUAL(irr_algorithm_find("Direct"), irr_algorithm_find("direct"));
    CU_ASSERT_EQUAL(irr_algorithm_find("a1"), irr_algorithm_find("direct"));
    CU_ASSERT_EQUAL(irr_algorithm_find("Multistage"), irr_algorithm_find("bruck"));
    CU_ASSERT_EQUAL(irr_algorithm_find("aapc"), irr_algorithm_find("tree"));
    for (size_t i = 0; i < IRR_TEST_COUNT(unknown); i++) {
        CU_ASSERT_EQUAL(irr_algorithm_find(unknown[i]), -1);
    }
}

/* Returns the pacing of a row if the settings name no pacing. */
static irr_pacing_kind_t own_pacing(const irr_strategy_t *strategy, const char *name)
{
    if (!irr_strategy_is_scheduled(strategy)) {
        return IRR_PACING_FREE;
    }
    return strcmp(name, "optimal") == 0 ? IRR_PACING_GRANT : strcmp(name, "tree") == 0 ? IRR_PACING_SYNC
        : IRR_PACING_LOOSE;
}

/*
 * Each row has a route, an order that fits the route, and a pacing. A grid has only one pacing. Exchanges without a
 * schedule use the direct route without signals.
 */
IRR_TEST(test_algorithm_rows, "every algorithm has a route, an order and a pacing")
{
    for (int i = 0; irr_algorithm_name(i) != NULL; i++) {
        const irr_strategy_t *row = irr_algorithm_strategy(i);
        const bool direct = row->route == &irr_route_direct, scheduled = irr_strategy_is_scheduled(row);

        CU_ASSERT_EQUAL(irr_strategy_is_local(row) || scheduled, direct);
        CU_ASSERT_EQUAL(row->order == &irr_order_priority, !direct);
        CU_ASSERT(!scheduled || strcmp(row->order->name, irr_algorithm_name(i)) == 0);
        CU_ASSERT_EQUAL(irr_algorithm_resolve(i, 1), i > 0 ? i : irr_algorithm_find("direct"));
        CU_ASSERT_EQUAL(irr_algorithm_resolve(i, 2), i > 0 ? i : irr_algorithm_find("tree"));
        for (int pacing = 0; pacing < (int)IRR_PACING_COUNT; pacing++) {
            const irr_settings_t settings = { .algorithm = i, .pacing = (irr_pacing_kind_t)pacing };
            const irr_strategy_t strategy = irr_strategy_of(&settings, 1);
            const irr_strategy_t unscheduled = irr_strategy_unscheduled(&strategy);
            const irr_pacing_kind_t own = own_pacing(row, irr_algorithm_name(i));
            const irr_pacing_kind_t expected = !direct ? IRR_PACING_FREE : pacing == IRR_PACING_AUTO ? own
                : (irr_pacing_kind_t)pacing;

            CU_ASSERT_PTR_EQUAL(strategy.pacing, irr_pacing_of(expected));
            CU_ASSERT_FALSE(irr_strategy_is_scheduled(&unscheduled));
            CU_ASSERT_PTR_EQUAL(unscheduled.route, strategy.route);
            CU_ASSERT_PTR_EQUAL(unscheduled.order,
                                irr_strategy_is_scheduled(&strategy) ? &irr_order_rotate : strategy.order);
            CU_ASSERT_PTR_EQUAL(unscheduled.pacing, strategy.pacing == &irr_pacing_sync ? &irr_pacing_loose
                                : strategy.pacing);
        }
    }
}

IRR_TEST_MAIN("order", 60)
