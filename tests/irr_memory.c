/*
 * irr_memory.c - see irr_memory.h.
 */
#include "irr_memory.h"

#include "irr_test.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Maximum number of allocations that irr_memory_fail_each lets fail; no test makes more. */
#define ALLOCATIONS_MAX 100000

static atomic_size_t alive, alive_bytes;
static size_t base;               /* number of live blocks at irr_memory_begin */
static size_t due;                /* number of allocations up to and including the failing one; 0: none fails */
static bool   failed, all;
static size_t bytes_max = SIZE_MAX;
static bool (*counted)(void);

static bool fails_now(size_t size)
{
    if (size > bytes_max) {
        failed = true;
        return true;
    }
    if (due == 0 || (counted != NULL && !counted()) || --due > 0) {
        return false;
    }
    due = all;
    failed = true;
    return true;
}

static void *watched_alloc(size_t size)
{
    void *memory = fails_now(size) ? NULL : malloc(size);

    alive += memory != NULL;
    alive_bytes += malloc_usable_size(memory);
    return memory;
}

static void *watched_resize(void *memory, size_t size)
{
    const size_t before = malloc_usable_size(memory);
    void *larger = fails_now(size) ? NULL : realloc(memory, size);

    alive += memory == NULL && larger != NULL;
    alive_bytes += larger != NULL ? malloc_usable_size(larger) - before : 0;
    return larger;
}

static void watched_free(void *memory)
{
    alive -= memory != NULL;
    alive_bytes -= malloc_usable_size(memory);
    free(memory);
}

void irr_memory_begin(void)
{
    static const irr_allocator_t watched = { watched_alloc, watched_resize, watched_free };

    base = alive;
    irr_memory_fail(0, NULL);
    irr_memory_limit(SIZE_MAX);
    irr_allocator_set(&watched);
}

size_t irr_memory_alive(void)
{
    return alive;
}

size_t irr_memory_bytes(void)
{
    return alive_bytes;
}

void irr_memory_disown(size_t most)
{
    alive -= alive - base < most ? alive - base : most;
}

void irr_memory_fail(size_t nth, bool (*applies)(void))
{
    due = nth;
    counted = applies;
    failed = false;
    all = false;
}

void irr_memory_fail_all(void)
{
    all = true;
}

void irr_memory_limit(size_t bytes)
{
    bytes_max = bytes;
}

bool irr_memory_failed(void)
{
    return failed;
}

size_t irr_memory_fail_each(irr_status_t (*run)(void *context), void *context)
{
    irr_status_t status = IRR_ERR_NO_MEMORY;
    size_t count = 0;

    while (status == IRR_ERR_NO_MEMORY && count < ALLOCATIONS_MAX) {
        const size_t before = alive;

        irr_memory_fail(++count, NULL);
        status = run(context);
        CU_ASSERT_EQUAL(status, irr_memory_failed() ? IRR_ERR_NO_MEMORY : IRR_OK);
        irr_memory_fail(0, NULL);
        CU_ASSERT_EQUAL(alive, before);
    }
    CU_ASSERT_EQUAL(status, IRR_OK);
    return count - 1;
}
