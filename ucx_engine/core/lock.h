/*
 * lock.h - the lock that serialises the calls of an engine. If only one thread calls the engine, the lock is a flag
 * instead of a mutex.
 *
 * irr_lock_try fails while the lock is held, even if the calling thread itself holds it. A callback that progress has
 * called therefore cannot run progress again.
 */
#ifndef IRR_LOCK_H
#define IRR_LOCK_H

#include <pthread.h>
#include <stdbool.h>

typedef struct irr_lock {
    bool            threads;  /* true if several threads may use the lock */
    bool            held;     /* true while locked; used only if `threads` is false */
    pthread_mutex_t mutex;
} irr_lock_t;

static inline int irr_lock_init(irr_lock_t *lock, bool threads)
{
    lock->threads = threads;
    lock->held = false;
    return pthread_mutex_init(&lock->mutex, NULL);
}

static inline void irr_lock_fini(irr_lock_t *lock)
{
    pthread_mutex_destroy(&lock->mutex);
}

static inline bool irr_lock_try(irr_lock_t *lock)
{
    if (lock->threads) {
        return pthread_mutex_trylock(&lock->mutex) == 0;
    }
    if (lock->held) {
        return false;
    }
    lock->held = true;
    return true;
}

static inline void irr_lock_acquire(irr_lock_t *lock)
{
    if (lock->threads) {
        pthread_mutex_lock(&lock->mutex);
    } else {
        lock->held = true;
    }
}

static inline void irr_lock_release(irr_lock_t *lock)
{
    if (lock->threads) {
        pthread_mutex_unlock(&lock->mutex);
    } else {
        lock->held = false;
    }
}

#endif
