/*
 * must_fail.c - a test program with every kind of failure; tests/harness.sh checks the reports.
 */
#include "irr_test.h"

#include <unistd.h>

static void test_assertion(const irr_test_case_t *self)
{
    (void)self;
    CU_ASSERT_EQUAL(1, 2);
}

static void test_skip(const irr_test_case_t *self)
{
    (void)self;
    irr_test_skip("nothing to run it on");
}

static void test_failed_skip(const irr_test_case_t *self)
{
    (void)self;
    irr_test_skip("a failure is not hidden by this");
    CU_ASSERT_TRUE_FATAL(0);   /* later cases must run nevertheless */
}

static void test_success(const irr_test_case_t *self)
{
    (void)self;
    CU_ASSERT_TRUE(1);
}

static void test_hang(const irr_test_case_t *self)
{
    (void)self;
    for (;;) {
        pause();
    }
}

static void test_crash(const irr_test_case_t *self)
{
    (void)self;
    abort();
}

/* Each set of cases runs alone. */
int main(int argc, char **argv)
{
    static irr_test_case_t cases[] = {
        { .name = "assertion", .run = test_assertion }, { .name = "skip", .run = test_skip },
        { .name = "failed skip", .run = test_failed_skip }, { .name = "success", .run = test_success },
        { .name = "hang", .run = test_hang }, { .name = "crash", .run = test_crash }
    };
    const bool hangs = argc == 2 && strcmp(argv[1], "hang") == 0, crashes = argc == 2 && !hangs;

    for (size_t i = hangs ? 4 : crashes ? 5 : 0; i < (hangs ? 5 : crashes ? 6 : 4); i++) {
        irr_test_add(&cases[i]);
    }
    return irr_test_main("must_fail", hangs ? 1 : 10);
}
