/*
 * window.c - see window.h.
 */
#include "pace/window.h"

bool irr_window_admits(const irr_window_t *window, size_t bytes)
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

void irr_window_begin(irr_window_t *window, size_t bytes)
{
    window->messages++;
    window->bytes += bytes;
}

void irr_window_end(irr_window_t *window, size_t bytes)
{
    window->messages--;
    window->bytes -= bytes;
}
