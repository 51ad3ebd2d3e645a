/*
 * irr_memory.h - the engine's allocator under test: counts live blocks, and fails on request.
 *
 * irr_test_main checks each case: a case fails if it has not freed all memory that it allocated.
 */
#ifndef IRR_MEMORY_H
#define IRR_MEMORY_H

#include "irr.h"

/* Installs the allocator, and cancels all requested failures. irr_test_main calls this function before each case. */
void irr_memory_begin(void);

/*
 * irr_memory_alive returns the number of live blocks. irr_memory_bytes returns the number of bytes of the live blocks.
 */
size_t irr_memory_alive(void);
size_t irr_memory_bytes(void);

/* Stops counting up to `most` live blocks that the engine keeps until the process ends. */
void irr_memory_disown(size_t most);

/*
 * Makes one allocation fail: the nth allocation from now on, counted from 1; 0: no allocation fails. applies: if it is
 * not NULL, only allocations for which it returns true are counted.
 */
void irr_memory_fail(size_t nth, bool (*applies)(void));

/* Called after irr_memory_fail: all counted allocations after the nth allocation fail, too. */
void irr_memory_fail_all(void);

/* Makes allocations of more than `bytes` bytes fail from now on. SIZE_MAX removes the limit. */
void irr_memory_limit(size_t bytes);

/* Returns true if an allocation failed since the last irr_memory_fail. */
bool irr_memory_failed(void);

/*
 * Calls a function repeatedly. In each call a later allocation fails, until a call without a failed allocation. The
 * function must return IRR_ERR_NO_MEMORY if an allocation failed and IRR_OK if not, and must release everything.
 * Returns the number of failed calls.
 */
size_t irr_memory_fail_each(irr_status_t (*run)(void *context), void *context);

#endif
