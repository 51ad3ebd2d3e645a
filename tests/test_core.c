/*
 * test_core.c - status texts, the allocator, log lines and the lock.
 */
#include "irr_test.h"

#include "core/alloc.h"
#include "core/lock.h"
#include "core/log.h"

#include <pthread.h>

/* ---- status ---- */

IRR_TEST(test_status, "each status has a value and a text of its own")
{
    static const struct { int value; const char *text; } rows[] = {
#define STATUS_ROW(name, value, text) { value, text },
        IRR_STATUS_MAP(STATUS_ROW)
#undef STATUS_ROW
    };

    CU_ASSERT(IRR_OK == 0 && IRR_IN_PROGRESS == 1);
    for (int i = 0; i < (int)IRR_TEST_COUNT(rows); i++) {
        CU_ASSERT_STRING_EQUAL(irr_status_text((irr_status_t)rows[i].value), rows[i].text);
        CU_ASSERT(strlen(rows[i].text) > 0 && (i < 2 || rows[i].value < 0));
        for (int j = 0; j < i; j++) {
            CU_ASSERT_STRING_NOT_EQUAL(rows[i].text, rows[j].text);
            CU_ASSERT_NOT_EQUAL(rows[i].value, rows[j].value);
        }
    }
    CU_ASSERT_STRING_EQUAL(irr_status_text((irr_status_t)-1000), "unknown status");
}

/* ---- memory ---- */

static struct {
    size_t calls, bytes;
    void  *freed;
} asked;

/* New memory is not zeroed. */
static void *dirty_alloc(size_t size)
{
    void *memory = malloc(size);

    asked.calls++;
    asked.bytes = size;
    return memory != NULL ? memset(memory, 0xff, size) : NULL;
}

static void *noting_resize(void *memory, size_t size)
{
    asked.calls++;
    asked.bytes = size;
    return realloc(memory, size);
}

static void noting_free(void *memory)
{
    asked.freed = memory;
    free(memory);
}

static const irr_allocator_t noting = { dirty_alloc, noting_resize, noting_free };

IRR_TEST(test_allocator, "the allocator is replaced and restored")
{
    unsigned char *memory, *larger;
    size_t calls;

    irr_allocator_set(&noting);
    memory = irr_alloc(3, 5);
    CU_ASSERT_PTR_NOT_NULL_FATAL(memory);
    CU_ASSERT_EQUAL(asked.bytes, 15);
    CU_ASSERT_EQUAL(memory[14], 0xff);
    larger = irr_resize(memory, 4, 50);
    CU_ASSERT_PTR_NOT_NULL_FATAL(larger);
    CU_ASSERT_EQUAL(asked.bytes, 200);
    CU_ASSERT_EQUAL(larger[14], 0xff);
    irr_free(larger);
    CU_ASSERT_PTR_EQUAL(asked.freed, larger);
    memory = irr_alloc_zero(8, 2);
    CU_ASSERT_PTR_NOT_NULL_FATAL(memory);
    for (int i = 0; i < 16; i++) {
        CU_ASSERT_EQUAL(memory[i], 0);
    }
    irr_free(memory);
    irr_free(NULL);
    calls = asked.calls;
    CU_ASSERT_PTR_NULL(irr_alloc(SIZE_MAX / 2 + 1, 2));   /* the product would overflow */
    CU_ASSERT_PTR_NULL(irr_alloc(2, SIZE_MAX / 2 + 1));
    CU_ASSERT_PTR_NULL(irr_alloc_zero(SIZE_MAX, SIZE_MAX));
    CU_ASSERT_PTR_NULL(irr_resize(NULL, SIZE_MAX / 8, 16));
    irr_allocator_set(NULL);
    irr_free(irr_alloc(1, 1));
    CU_ASSERT_EQUAL(asked.calls, calls);
}

IRR_TEST(test_arrays, "several arrays are one block of memory, aligned, zeroed and disjoint")
{
    char *letters, *others, *kept = NULL;
    uint64_t *numbers;
    long double *none, *wide;
    const irr_array_t arrays[] = {
        IRR_ARRAY(letters, 3), IRR_ARRAY(numbers, 5), IRR_ARRAY(none, 0), IRR_ARRAY(others, 1), IRR_ARRAY(wide, 2)
    };
    const irr_array_t huge[] = { IRR_ARRAY(kept, SIZE_MAX / 2), IRR_ARRAY(kept, SIZE_MAX / 2) };
    const size_t calls = asked.calls;

    irr_allocator_set(&noting);
    CU_ASSERT_EQUAL_FATAL(IRR_ALLOC_ARRAYS(arrays), IRR_OK);
    CU_ASSERT_EQUAL(asked.calls, calls + 1);
    CU_ASSERT(letters[0] == 0 && letters[2] == 0 && numbers[0] == 0 && numbers[4] == 0 && *others == 0 && wide[1] == 0);
    CU_ASSERT(letters + 3 <= (char *)numbers && (char *)(numbers + 5) <= others && others + 1 <= (char *)wide);
    CU_ASSERT((char *)none >= letters && (uintptr_t)numbers % sizeof(*numbers) == 0);
    CU_ASSERT((uintptr_t)wide % _Alignof(long double) == 0);
    irr_free(letters);
    CU_ASSERT_PTR_EQUAL(asked.freed, letters);
    CU_ASSERT_EQUAL(IRR_ALLOC_ARRAYS(huge), IRR_ERR_NO_MEMORY);
    CU_ASSERT_PTR_NULL(kept);
    irr_allocator_set(NULL);
}

/* ---- log ---- */

static struct {
    void           *context;
    int             lines;
    irr_log_level_t level;
    char            text[2000];
} logged;

static void note_line(void *context, irr_log_level_t level, const char *text)
{
    logged.context = context;
    logged.level = level;
    logged.lines++;
    snprintf(logged.text, sizeof(logged.text), "%s", text);
}

IRR_TEST(test_log_levels, "lines above the level are not written")
{
    int context;

    for (int max = IRR_LOG_ERROR; max <= IRR_LOG_DEBUG; max++) {
        irr_log_set(note_line, &context, (irr_log_level_t)max);
        for (int level = IRR_LOG_ERROR; level <= IRR_LOG_DEBUG; level++) {
            logged.lines = 0;
            irr_log((irr_log_level_t)level, "line");
            CU_ASSERT_EQUAL(logged.lines, level <= max ? 1 : 0);
            CU_ASSERT(level > max || (int)logged.level == level);
        }
    }
    CU_ASSERT_PTR_EQUAL(logged.context, &context);
    irr_log_set(NULL, NULL, IRR_LOG_DEBUG);
    logged.lines = 0;
    irr_log(IRR_LOG_ERROR, "no sink");
    CU_ASSERT_EQUAL(logged.lines, 0);
}

IRR_TEST(test_log_format, "lines are formatted, long ones truncated")
{
    char longer[3000];

    irr_log_set(note_line, NULL, IRR_LOG_INFO);
    irr_log(IRR_LOG_INFO, "%s has the value %d; allowed are %zu to %#x", "window", -7, (size_t)3, 255u);
    CU_ASSERT_STRING_EQUAL(logged.text, "window has the value -7; allowed are 3 to 0xff");
    irr_log(IRR_LOG_INFO, "%s", "");
    CU_ASSERT_STRING_EQUAL(logged.text, "");
    memset(longer, 'x', sizeof(longer));
    longer[sizeof(longer) - 1] = '\0';
    irr_log(IRR_LOG_INFO, "%s", longer);
    CU_ASSERT_EQUAL(strlen(logged.text), 1023);
    CU_ASSERT_EQUAL(strspn(logged.text, "x"), 1023);
    irr_log_set(NULL, NULL, IRR_LOG_ERROR);
}

IRR_TEST(test_log_fit, "a text that is too long keeps its beginning and its end")
{
    static const char text[] = "file /a/long/path: only version 1 is read";

    for (size_t size = 16; size < sizeof(text) + 3; size++) {
        const size_t head = size / 3;
        char fitted[64];

        memset(fitted, '?', sizeof(fitted));
        irr_log_fit(fitted, size, text);
        CU_ASSERT(fitted[size] == '?' && memchr(fitted, '\0', size) != NULL);
        if (size >= sizeof(text)) {
            CU_ASSERT_STRING_EQUAL(fitted, text);
            continue;
        }
        CU_ASSERT_EQUAL(strlen(fitted), size - 1);
        CU_ASSERT(memcmp(fitted, text, head) == 0 && memcmp(fitted + head, "...", 3) == 0);
        CU_ASSERT_STRING_EQUAL(fitted + head + 3, text + sizeof(text) - (size - head - 3));
    }
}

/* ---- lock ---- */

static void *try_elsewhere(void *lock)
{
    bool taken = irr_lock_try(lock);

    if (taken) {
        irr_lock_release(lock);
    }
    return taken ? lock : NULL;
}

/* Returns true if another thread can acquire the lock. */
static bool free_for_others(irr_lock_t *lock)
{
    pthread_t thread;
    void *taken = NULL;

    CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, try_elsewhere, lock), 0);
    pthread_join(thread, &taken);
    return taken != NULL;
}

IRR_TEST(test_lock, "the lock has at most one holder, with and without support for threads")
{
    for (int threads = 0; threads <= 1; threads++) {
        irr_lock_t lock;

        CU_ASSERT_EQUAL_FATAL(irr_lock_init(&lock, threads == 1), 0);
        for (int turn = 0; turn < 2; turn++) {
            CU_ASSERT_TRUE(free_for_others(&lock));
            if (turn == 0) {
                CU_ASSERT_TRUE(irr_lock_try(&lock));
            } else {
                irr_lock_acquire(&lock);
            }
            CU_ASSERT_FALSE(irr_lock_try(&lock));
            CU_ASSERT_FALSE(free_for_others(&lock));
            irr_lock_release(&lock);
        }
        irr_lock_fini(&lock);
    }
}

/* A counter that the lock protects. */
typedef struct shared {
    irr_lock_t lock;
    int        count;
} shared_t;

enum { THREADS = 4, TURNS = 2000 };

static void *take_turns(void *argument)
{
    shared_t *shared = argument;

    for (int i = 0; i < TURNS; i++) {
        irr_lock_acquire(&shared->lock);
        shared->count++;
        irr_lock_release(&shared->lock);
    }
    return NULL;
}

IRR_TEST(test_lock_threads, "the lock serialises threads")
{
    pthread_t threads[THREADS];
    shared_t shared = { .count = 0 };

    CU_ASSERT_EQUAL_FATAL(irr_lock_init(&shared.lock, true), 0);
    for (int i = 0; i < THREADS; i++) {
        CU_ASSERT_EQUAL_FATAL(pthread_create(&threads[i], NULL, take_turns, &shared), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    CU_ASSERT_EQUAL(shared.count, THREADS * TURNS);
    irr_lock_fini(&shared.lock);
}

IRR_TEST_MAIN("core", 60)
