/*
 * irr_memory.h - the engine's allocator under test: counts what is alive, and fails where a test wants it.
 */
#ifndef IRR_MEMORY_H
#define IRR_MEMORY_H

#include "irr.h"

/* Installs the allocator; nothing of the engine may be allocated. */
void irr_memory_begin(void);

/* Restores the standard allocator.  Returns the number of blocks that were never freed. */
size_t irr_memory_end(void);

/*
 * The nth allocation from now on fails, once; 1 is the next one, 0 is none.  With applies, only the
 * allocations for which it returns true are counted.
 */
void irr_memory_fail(size_t nth, bool (*applies)(void));

/* After that one all others fail too, as far as they count. */
void irr_memory_fail_all(void);

/* Allocations of more bytes fail from now on; SIZE_MAX: none for its length. */
void irr_memory_limit(size_t bytes);

/* Did an allocation fail since the last irr_memory_fail? */
bool irr_memory_failed(void);

/*
 * Calls a function again and again, with the next allocation of it failing each time, until none does.  It must return
 * IRR_ERR_NO_MEMORY if one failed and IRR_OK if not, and leave nothing behind.  Returns how many have failed.
 */
size_t irr_memory_fail_each(irr_status_t (*run)(void *context), void *context);

#endif
