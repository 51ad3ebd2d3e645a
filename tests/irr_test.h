/*
 * irr_test.h - the frame of a test program: a table of cases, run by CUnit, reported as TAP.
 *
 * Each program is a process with a time limit. After the limit SIGALRM ends the process, and the harness counts a
 * failure. Cases use CUnit's assertions. IRR_SEED in the environment repeats a random run.
 */
#ifndef IRR_TEST_H
#define IRR_TEST_H

#include "irr.h"

#include <CUnit/CUnit.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct irr_test_case {
    const char *name;
    void (*run)(void);
} irr_test_case_t;

/* Runs the cases; the table ends with a row without a name.  Returns the exit status of the program. */
int irr_test_main(const char *suite, const irr_test_case_t *cases, unsigned limit_seconds);

/* The main function of a test program whose cases are the remaining arguments. */
#define IRR_TEST_MAIN(suite, limit_seconds, ...)                                \
    int main(void)                                                              \
    {                                                                           \
        static const irr_test_case_t cases[] = { __VA_ARGS__, { NULL, NULL } }; \
                                                                                \
        return irr_test_main(suite, cases, limit_seconds);                      \
    }

/* The number of elements of an array. */
#define IRR_TEST_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Marks the running case as skipped. reason: a text by which a user can act. */
void irr_test_skip(const char *reason);

/* Returns the seed of this run: IRR_SEED, or a seed that differs from run to run. Prints the seed once. */
uint64_t irr_test_seed(void);

/*
 * For long sweeps: returns true if the next case is to run. With IRR_CHECK_ALL=1 in the environment, which
 * contrib/check --all sets, all cases run. Otherwise one of four cases runs; the selection differs from run to run.
 */
bool irr_test_picks(uint64_t *state);

/* Returns the number of random runs: `all`, or a quarter of `all` without IRR_CHECK_ALL=1. */
int irr_test_runs(int all);

/* Returns a random number (splitmix64), the same everywhere for the same seed. */
uint64_t irr_test_random(uint64_t *state);

/* Returns a random number from 0 to limit - 1; limit > 0. */
uint64_t irr_test_below(uint64_t *state, uint64_t limit);

/* Returns a zeroed array, which the caller frees.  Aborts if memory runs out. */
void *irr_test_array(size_t count, size_t size);

/* Aborts unless status is IRR_OK; for the setup of a test. */
void irr_test_must(irr_status_t status);

#endif
