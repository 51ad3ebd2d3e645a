/*
 * window.h - a sliding window, which limits the number of messages and of bytes that a rank has in flight.  It applies
 * in addition to any pacing.
 *
 * A send starts as soon as both limits allow it.  A message that is longer than the limit of bytes starts when no other
 * message is in flight.
 */
#ifndef IRR_WINDOW_H
#define IRR_WINDOW_H

#include <stdbool.h>
#include <stddef.h>

typedef struct irr_window {
    size_t messages_max, bytes_max;   /* limits of the number of messages and bytes in flight; 0: no limit */
    size_t messages, bytes;           /* number of messages and bytes in flight */
} irr_window_t;

/* Returns whether a send of this length may start. */
static inline bool irr_window_admits(const irr_window_t *window, size_t bytes)
{
    if (window->messages == 0) {
        return true;
    }
    if (window->messages_max > 0 && window->messages >= window->messages_max) {
        return false;
    }
    return window->bytes_max == 0 ||
           (window->bytes < window->bytes_max && bytes <= window->bytes_max - window->bytes);
}

/* irr_window_begin records the start of a send, and irr_window_end its end. */
static inline void irr_window_begin(irr_window_t *window, size_t bytes)
{
    window->messages++;
    window->bytes += bytes;
}

static inline void irr_window_end(irr_window_t *window, size_t bytes)
{
    window->messages--;
    window->bytes -= bytes;
}

#endif
