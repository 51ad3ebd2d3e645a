/*
 * irr_test.c - CUnit with TAP output; see irr_test.h.
 */
#include "irr_test.h"

#include "core/random.h"

#include <time.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
/*
 * UCX has thread-local memory, and is loaded while a test runs. libasan of gcc 12 guesses the position of such memory
 * from the bytes before it. In about one of fifty runs the guess is wrong, and libasan searches for leaks in memory
 * that is not mapped.
 */
__attribute__((visibility("default"))) const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "intercept_tls_get_addr=0";
}
#endif

static const char *skip_reason;
static unsigned    done;
static irr_test_case_t *first, *next;   /* the list of cases, and the next case to run */

void irr_test_add(irr_test_case_t *added)
{
    irr_test_case_t **at = &first;

    while (*at != NULL && (*at)->number <= added->number) {
        at = &(*at)->next;
    }
    added->next = *at;
    *at = added;
}

static void print_failures(const CU_pFailureRecord failure)
{
    for (CU_pFailureRecord f = failure; f != NULL; f = f->pNext) {
        printf("# %s:%u: %s\n", f->strFileName, f->uiLineNumber, f->strCondition);
    }
}

static void on_start(const CU_pTest test, const CU_pSuite suite)
{
    (void)test;
    (void)suite;
    skip_reason = NULL;
}

static void on_complete(const CU_pTest test, const CU_pSuite suite, const CU_pFailureRecord failure)
{
    done++;
    print_failures(failure);
    printf("%s %u - %s: %s", failure == NULL ? "ok" : "not ok", done, suite->pName, test->pName);
    if (failure == NULL && skip_reason != NULL) {
        printf(" # SKIP %s", skip_reason);
    }
    printf("\n");
    fflush(stdout);
}

/* Runs the next case. Asserts that the case has freed all memory that it allocated. */
static void run_case(void)
{
    const size_t before = irr_memory_alive();
    const irr_test_case_t *test = next;

    next = test->next;   /* stored before the case runs, because a fatal assertion leaves this function */
    irr_memory_begin();
    test->run(test);
    CU_ASSERT_EQUAL(irr_memory_alive(), before);
}

int irr_test_main(const char *suite_name, unsigned limit_seconds)
{
    CU_pSuite suite;
    unsigned total = 0, failed;

    alarm(limit_seconds);
    if (CU_initialize_registry() != CUE_SUCCESS) {
        return EXIT_FAILURE;
    }
    suite = CU_add_suite(suite_name, NULL, NULL);
    for (const irr_test_case_t *test = first; suite != NULL && test != NULL; test = test->next, total++) {
        if (CU_add_test(suite, test->name, run_case) == NULL) {
            suite = NULL;
        }
    }
    if (suite == NULL) {
        CU_cleanup_registry();
        return EXIT_FAILURE;
    }
    printf("1..%u\n", total);
    fflush(stdout);
    CU_set_test_start_handler(on_start);
    CU_set_test_complete_handler(on_complete);
    next = first;
    CU_run_all_tests();
    failed = CU_get_number_of_tests_failed();
    CU_cleanup_registry();
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

void irr_test_skip(const char *reason)
{
    skip_reason = reason;
}

uint64_t irr_test_seed(void)
{
    static uint64_t seed;
    const char *text = getenv("IRR_SEED");

    if (seed == 0) {
        seed = text != NULL ? strtoull(text, NULL, 0) : (uint64_t)time(NULL) * 1000003 + (uint64_t)getpid();
        seed = seed != 0 ? seed : 1;
        printf("# IRR_SEED=%llu\n", (unsigned long long)seed);
        fflush(stdout);
    }
    return seed;
}

static bool all(void)
{
    const char *text = getenv("IRR_CHECK_ALL");

    return text != NULL && strcmp(text, "1") == 0;
}

bool irr_test_picks(uint64_t *state)
{
    return irr_test_below(state, 4) == 0 || all();
}

int irr_test_runs(int runs)
{
    return all() ? runs : (runs + 3) / 4;
}

uint64_t irr_test_random(uint64_t *state)
{
    return irr_random(state);
}

uint64_t irr_test_below(uint64_t *state, uint64_t limit)
{
    return irr_test_random(state) % limit;
}

void *irr_test_array(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);

    if (memory == NULL) {
        abort();
    }
    return memory;
}

void irr_test_must(irr_status_t status)
{
    if (status != IRR_OK) {
        abort();
    }
}
