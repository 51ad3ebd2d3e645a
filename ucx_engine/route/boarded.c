/*
 * boarded.c - see boarded.h.
 */
#include "route/boarded.h"

irr_board_kind_t irr_board_kind(size_t bytes, size_t block_max, bool lends, size_t *left)
{
    if (bytes <= IRR_BOARD_INSIDE_MAX) {
        return IRR_BOARD_INSIDE;
    }
    if (bytes > block_max || irr_board_line_up(bytes) > *left) {
        return lends ? IRR_BOARD_LENT : IRR_BOARD_DIRECT;
    }
    *left -= irr_board_line_up(bytes);
    return IRR_BOARD_BESIDE;
}
