/*
 * test_calm.c - which exchanges go without a look: after some looks that found the same, so many, then one look.
 */
#include "irr_test.h"

#include "comm/calm.h"

/* So many exchanges that look and find this schedule; 0: they find none. */
static void look(irr_calm_t *calm, int times, uint64_t serial)
{
    for (int i = 0; i < times; i++) {
        CU_ASSERT_FALSE(irr_calm_skip(calm));
        if (serial != 0) {
            irr_calm_hit(calm, serial);
        } else {
            irr_calm_miss(calm);
        }
    }
}

static void skip(irr_calm_t *calm)
{
    for (int i = 0; i < IRR_CALM_SKIPS; i++) {
        CU_ASSERT_TRUE(irr_calm_skip(calm));
    }
}

/* One look is enough when it finds what was there before the skips. */
static void test_same(void)
{
    irr_calm_t calm;

    irr_calm_init(&calm);
    look(&calm, IRR_CALM_LOOKS, 2);
    for (int i = 0; i < 5; i++) {
        skip(&calm);
        look(&calm, 1, 2);
    }
}

/* Anything else counts from zero; another schedule counts itself. */
static void test_other(void)
{
    irr_calm_t calm;

    irr_calm_init(&calm);
    look(&calm, 2 * IRR_CALM_LOOKS, 0);
    look(&calm, IRR_CALM_LOOKS - 1, 2);
    look(&calm, 1, 0);
    look(&calm, IRR_CALM_LOOKS - 1, 2);
    look(&calm, IRR_CALM_LOOKS, 3);
    skip(&calm);
    look(&calm, 1, 0);
    look(&calm, IRR_CALM_LOOKS, 3);
    skip(&calm);
    look(&calm, IRR_CALM_LOOKS, 2);
    skip(&calm);
    for (int i = 0; i < 3 * IRR_CALM_LOOKS; i++) {
        look(&calm, 1, i % 2 == 0 ? 3 : 2);
    }
}

/* So many exchanges go without until the next look. */
static unsigned count_skips(irr_calm_t *calm)
{
    unsigned skips = 0;

    while (irr_calm_skip(calm)) {
        skips++;
    }
    return skips;
}

/* Counts that are new each time are looked at less and less, down to some rate, until a look knows them. */
static void test_new(void)
{
    unsigned expected = IRR_CALM_SKIPS;
    irr_calm_t calm;

    irr_calm_init(&calm);
    look(&calm, IRR_CALM_LOOKS - 1, IRR_CALM_NEW);
    for (int i = 0; i < 10; i++) {
        look(&calm, 1, IRR_CALM_NEW);
        CU_ASSERT_EQUAL(count_skips(&calm), expected);
        expected = expected < IRR_CALM_SKIPS_MAX ? 2 * expected + 1 : IRR_CALM_SKIPS_MAX;
    }
    CU_ASSERT_EQUAL(expected, IRR_CALM_SKIPS_MAX);
    look(&calm, 1, 0);
    look(&calm, IRR_CALM_LOOKS, IRR_CALM_NEW);
    CU_ASSERT_EQUAL(count_skips(&calm), IRR_CALM_SKIPS);
    look(&calm, IRR_CALM_LOOKS, 2);
    CU_ASSERT_EQUAL(count_skips(&calm), IRR_CALM_SKIPS);
    look(&calm, 1, 2);
    CU_ASSERT_EQUAL(count_skips(&calm), IRR_CALM_SKIPS);
}

/* Any finds: the skips are those that the last finds say, counted anew each time. */
static void test_random(void)
{
    enum { FINDS = 2000 };
    uint64_t state = irr_test_seed(), found[FINDS];
    irr_calm_t calm;

    irr_calm_init(&calm);
    for (int i = 0; i < FINDS; i++) {
        int same = 0, skips = 0;

        found[i] = i > 0 && irr_test_below(&state, 5) > 0 ? found[i - 1] : irr_test_below(&state, 3);
        look(&calm, 1, found[i]);
        for (int k = i; k >= 0 && found[k] == found[i] && found[i] != 0; k--) {
            same++;
        }
        while (skips <= IRR_CALM_SKIPS && irr_calm_skip(&calm)) {
            skips++;
        }
        CU_ASSERT_EQUAL(skips, same >= IRR_CALM_LOOKS ? IRR_CALM_SKIPS : 0);
    }
}

int main(void)
{
    static const irr_test_case_t cases[] = {
        { "looks that find the same are left out",        test_same },
        { "anything else counts from zero",               test_other },
        { "counts that are new each time are left out",   test_new },
        { "skips follow from the last looks",             test_random },
        { NULL, NULL }
    };

    return irr_test_main("calm", cases, 20);
}
