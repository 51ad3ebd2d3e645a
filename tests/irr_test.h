/*
 * irr_test.h - the frame of a test program: its cases, run by CUnit, reported as TAP.
 *
 * Each program is a process with a time limit. After the limit SIGALRM ends the process, and the harness counts a
 * failure. Cases use CUnit's assertions. A case also fails if it has not freed all memory of the engine
 * (irr_memory.h). IRR_SEED in the environment repeats a random run.
 */
#ifndef IRR_TEST_H
#define IRR_TEST_H

#include "irr_memory.h"

#include <CUnit/CUnit.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct irr_test_case irr_test_case_t;

struct irr_test_case {
    const char      *name;
    void           (*run)(const irr_test_case_t *self);
    const void      *context;
    int              number;    /* cases run in the order of their numbers */
    irr_test_case_t *next;
};

/* Inserts a case behind the cases with the same or a lower number. The list refers to *added, without a copy. */
void irr_test_add(irr_test_case_t *added);

/* Runs all cases.  Returns the exit status of the program. */
int irr_test_main(const char *suite, unsigned limit_seconds);

/* Calls a function before main, to add cases. */
#define IRR_TEST_BEFORE_MAIN __attribute__((constructor))

/* Adds a case with the name `text`, which `call` runs. function: prefix of the names that the macro defines. */
#define IRR_TEST_CALL(function, text, call)                                                           \
    static void function##_run(const irr_test_case_t *self)                                           \
    {                                                                                                 \
        (void)self;                                                                                   \
        call;                                                                                         \
    }                                                                                                 \
                                                                                                      \
    IRR_TEST_BEFORE_MAIN static void function##_add(void)                                             \
    {                                                                                                 \
        static irr_test_case_t added = { .name = text, .run = function##_run, .number = __COUNTER__ };\
                                                                                                      \
        irr_test_add(&added);                                                                         \
    }

/* Begins the function of a case: IRR_TEST(test_this, "what the case shows") { ... } */
#define IRR_TEST(function, text)                 \
    static void function(void);                  \
    IRR_TEST_CALL(function, text, function())    \
    static void function(void)

/* Begins a case with the parameter `state`, the state of random numbers. It starts with irr_test_seed(). */
#define IRR_TEST_SEEDED(function, text)                                         \
    static void function(uint64_t *state);                                      \
    IRR_TEST_CALL(function, text, function(&(uint64_t){ irr_test_seed() }))     \
    static void function(uint64_t *state)

/* The main function of a test program. */
#define IRR_TEST_MAIN(suite, limit_seconds)         \
    int main(void)                                  \
    {                                               \
        return irr_test_main(suite, limit_seconds); \
    }

/* The number of elements of an array. */
#define IRR_TEST_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Marks the running case as skipped. reason: a text that tells the user what is missing. */
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
