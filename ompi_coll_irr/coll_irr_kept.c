/*
 * coll_irr_kept.c - memory for packed bytes, kept from call to call.
 *
 * The first touch of a page costs more than the copy of its bytes.  So what a call took goes to the next one that needs
 * no more, on whichever communicator.  A call that finds only what is too small puts its own in place of the largest of
 * that: so what is kept is what calls took at the same time, up to KEPT_MAX bytes, and the rest goes back at once.
 *
 * Cost: a lock, and a look at what is kept, of which there are few.
 */
#include "coll_irr_buffer.h"

#include <stdalign.h>

/* Of this process; ranks share the memory of a node. */
#define KEPT_MAX ((size_t)64 << 20)

/* What is asked for is rounded up to this times a power of two; pages that nobody touches cost nothing. */
#define KEPT_UNIT ((size_t)4096)

typedef struct kept {
    struct kept *next;
    size_t       bytes;
    alignas(max_align_t) char memory[];
} kept_t;

static struct {
    opal_mutex_t lock;
    kept_t      *spare;
    size_t       bytes;
} pool;

/* Off the list; the lock is held. */
static kept_t *unlink_spare(kept_t **place)
{
    kept_t *spare = *place;

    *place = spare->next;
    pool.bytes -= spare->bytes;
    return spare;
}

/* The smallest one of so many bytes; NULL if there is none, and in *too_small_p the largest, which is taken off. */
static kept_t *find(size_t bytes, kept_t **too_small_p)
{
    kept_t **fits = NULL, **largest = NULL;

    *too_small_p = NULL;
    for (kept_t **place = &pool.spare; *place != NULL; place = &(*place)->next) {
        if ((*place)->bytes >= bytes) {
            fits = fits == NULL || (*place)->bytes < (*fits)->bytes ? place : fits;
        } else {
            largest = largest == NULL || (*place)->bytes > (*largest)->bytes ? place : largest;
        }
    }
    if (fits != NULL) {
        return unlink_spare(fits);
    }
    *too_small_p = largest != NULL ? unlink_spare(largest) : NULL;
    return NULL;
}

static size_t rounded(size_t bytes)
{
    size_t round = KEPT_UNIT;

    while (round < bytes && round <= SIZE_MAX / 2) {
        round *= 2;
    }
    return round < bytes ? bytes : round;
}

void *mca_coll_irr_kept_take(size_t bytes)
{
    kept_t *too_small, *kept;

    opal_mutex_lock(&pool.lock);
    kept = find(bytes, &too_small);
    opal_mutex_unlock(&pool.lock);
    free(too_small);
    if (kept == NULL) {
        const size_t round = rounded(bytes);

        kept = round <= SIZE_MAX - sizeof(*kept) ? malloc(sizeof(*kept) + round) : NULL;
        if (kept == NULL) {
            return NULL;
        }
        kept->bytes = round;
    }
    return kept->memory;
}

void mca_coll_irr_kept_give(void *memory)
{
    kept_t *kept = (kept_t *)((char *)memory - offsetof(kept_t, memory));

    opal_mutex_lock(&pool.lock);
    if (kept->bytes <= KEPT_MAX - pool.bytes) {
        kept->next = pool.spare;
        pool.spare = kept;
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
        free(unlink_spare(&pool.spare));
    }
    OBJ_DESTRUCT(&pool.lock);
}
