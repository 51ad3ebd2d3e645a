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

size_t irr_mail_limit(const irr_nodes_t *nodes, size_t block_max, size_t bytes_max)
{
    size_t limit = bytes_max / 8 / (size_t)nodes->ranks;

    if (nodes->count == 1 || nodes->largest == 1) {
        return 0;
    }
    limit = limit < block_max ? limit : block_max;
    return limit < IRR_MAIL_BLOCK_MAX ? limit : IRR_MAIL_BLOCK_MAX;
}
