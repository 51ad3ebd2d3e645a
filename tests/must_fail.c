/*
 * must_fail.c - a test program with every kind of failure; tests/harness.sh checks the reports.
 */
#include "irr_test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void test_assertion(void)
{
    CU_ASSERT_EQUAL(1, 2);
}

static void test_skip(void)
{
    irr_test_skip("nothing to run it on");
}

static void test_failed_skip(void)
{
    irr_test_skip("a failure is not hidden by this");
    CU_ASSERT_TRUE(0);
}

static void test_success(void)
{
    CU_ASSERT_TRUE(1);
}

static void test_hang(void)
{
    for (;;) {
        pause();
    }
}

static void test_crash(void)
{
    abort();
}

int main(int argc, char **argv)
{
    static const irr_test_case_t assertions[] = {
        { "assertion", test_assertion }, { "skip", test_skip }, { "failed skip", test_failed_skip },
        { "success", test_success }, { NULL, NULL }
    };
    static const irr_test_case_t hang[] = { { "hang", test_hang }, { NULL, NULL } };
    static const irr_test_case_t crash[] = { { "crash", test_crash }, { NULL, NULL } };

    if (argc == 2 && strcmp(argv[1], "hang") == 0) {
        return irr_test_main("must_fail", hang, 1);
    }
    if (argc == 2 && strcmp(argv[1], "crash") == 0) {
        return irr_test_main("must_fail", crash, 10);
    }
    return irr_test_main("must_fail", assertions, 10);
}
