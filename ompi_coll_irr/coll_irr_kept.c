/*
 * coll_irr_kept.c - memory for packed bytes, kept from call to call.
 *
 * The first touch of a page costs more than the copy of its bytes.  So the memory of a call goes to the next one that
 * needs no more, on whichever communicator.  If all kept memory is too small, the largest piece is freed: the memory of
 * the call takes its place later.  At most KEPT_MAX bytes are kept.
 *
 * Cost: a lock, and a walk over the kept pieces, of which there are few.
 */
#include "coll_irr_buffer.h"

#include <stdalign.h>

/* Of this process; ranks share the memory of a node. */
#define KEPT_MAX ((size_t)64 << 20)

/* Sizes are this times a power of two; pages that nobody touches cost nothing. */
#define KEPT_UNIT ((size_t)4096)

typedef struct kept {
    struct kept *next;
    size_t       bytes;
    alignas(max_align_t) char memory[];
} kept_t;

static struct {
    opal_mutex_t lock;
    kept_t      *spare;   /* the largest first */
    size_t       bytes;
} pool;

/* Removes the smallest piece of so many bytes; if all are smaller, the largest one.  NULL: there is none. */
static kept_t *remove_spare(size_t bytes)
{
    kept_t **place = &pool.spare, *spare;

    while (*place != NULL && (*place)->next != NULL && (*place)->next->bytes >= bytes) {
        place = &(*place)->next;
    }
    spare = *place;
    if (spare != NULL) {
        *place = spare->next;
        pool.bytes -= spare->bytes;
    }
    return spare;
}

static kept_t *allocate(size_t bytes)
{
    size_t rounded = KEPT_UNIT;
    kept_t *kept;

    while (rounded < bytes && rounded <= SIZE_MAX / 2) {
        rounded *= 2;
    }
    rounded = rounded < bytes ? bytes : rounded;
    kept = rounded <= SIZE_MAX - sizeof(*kept) ? malloc(sizeof(*kept) + rounded) : NULL;
    if (kept != NULL) {
        kept->bytes = rounded;
    }
    return kept;
}

void *mca_coll_irr_kept_take(size_t bytes)
{
    kept_t *kept;

    opal_mutex_lock(&pool.lock);
    kept = remove_spare(bytes);
    opal_mutex_unlock(&pool.lock);
    if (kept == NULL || kept->bytes < bytes) {
        free(kept);
        kept = allocate(bytes);
    }
    return kept != NULL ? kept->memory : NULL;
}

void mca_coll_irr_kept_give(void *memory)
{
    kept_t *kept = (kept_t *)((char *)memory - offsetof(kept_t, memory)), **place = &pool.spare;

    opal_mutex_lock(&pool.lock);
    if (kept->bytes <= KEPT_MAX - pool.bytes) {
        while (*place != NULL && (*place)->bytes > kept->bytes) {
            place = &(*place)->next;
        }
        kept->next = *place;
        *place = kept;
        pool.bytes += kept->bytes;
        kept = NULL;
    }
    opal_mutex_unlock(&pool.lock);
    free(kept);
}

void mca_coll_irr_kept_open(void)
{
    OBJ_CONSTRUCT(&pool.lock, opal_mutex_t);
}

void mca_coll_irr_kept_close(void)
{
    while (pool.spare != NULL) {
        free(remove_spare(0));
    }
    OBJ_DESTRUCT(&pool.lock);
}
