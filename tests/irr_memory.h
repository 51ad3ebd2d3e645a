/*
 * irr_memory.h - the engine's allocator under test: counts live blocks, and fails on request.
 *
 * irr_test_main watches each case: a case fails if it has not freed all it allocated.
 */
#ifndef IRR_MEMORY_H
#define IRR_MEMORY_H

#include "irr.h"

/* Installs the allocator, and ends all failures that were requested. */
void irr_memory_begin(void);

/* Ends all failures.  Returns the number of blocks that were allocated since irr_memory_begin and not freed. */
size_t irr_memory_end(void);

/* Return the number of live blocks, and of the bytes that they use. */
size_t irr_memory_alive(void);
size_t irr_memory_bytes(void);

/* Stops counting up to `most` blocks that live, which the engine keeps until the process ends. */
void irr_memory_disown(size_t most);

/*
 * Makes the nth allocation from now on fail, once; 1 is the next one, 0 is none.  If applies is not NULL, only
 * allocations for which it returns true are counted.
 */
void irr_memory_fail(size_t nth, bool (*applies)(void));

/* Makes all counted allocations after that one fail, too. */
void irr_memory_fail_all(void);

/* Makes allocations of more bytes fail from now on; SIZE_MAX removes the limit. */
void irr_memory_limit(size_t bytes);

/* Returns true if an allocation failed since the last irr_memory_fail. */
bool irr_memory_failed(void);

/*
 * Calls a function repeatedly, each time with a later allocation failing, until none fails.  The function must return
 * IRR_ERR_NO_MEMORY if an allocation failed and IRR_OK if not, and must release everything.  Returns the number of
 * failed calls.
 */
size_t irr_memory_fail_each(irr_status_t (*run)(void *context), void *context);

#endif
