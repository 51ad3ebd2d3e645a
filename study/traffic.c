/*
 * traffic.c - see traffic.h.
 */
#include "study/traffic.h"

#include <math.h>

irr_traffic_t irr_traffic_of(const irr_matrix_t *matrix, int node_ranks)
{
    double messages[2] = { 0, 0 }, bytes[2] = { 0, 0 }, longest = 0;   /* maxima of sends and of receives */

    for (int i = 0; i < matrix->ranks; i++) {
        double own_messages[2] = { 0, 0 }, own_bytes[2] = { 0, 0 };

        for (int j = 0; j < matrix->ranks; j++) {
            const uint64_t lengths[2] = { *irr_matrix_at(matrix, i, j), *irr_matrix_at(matrix, j, i) };

            for (int side = 0; side < 2 && i != j; side++) {
                own_messages[side] += lengths[side] > 0;
                own_bytes[side] += (double)lengths[side];
                longest = fmax(longest, (double)lengths[side]);
            }
        }
        for (int side = 0; side < 2; side++) {
            messages[side] = fmax(messages[side], own_messages[side]);
            bytes[side] = fmax(bytes[side], own_bytes[side]);
        }
    }
    return (irr_traffic_t){
        .ranks = matrix->ranks, .node_ranks = node_ranks < matrix->ranks ? node_ranks : matrix->ranks, .alone = true,
        .messages = fmax(messages[0], messages[1]), .even_messages = fmin(messages[0], messages[1]),
        .bytes = fmax(bytes[0], bytes[1]), .even_bytes = fmin(bytes[0], bytes[1]), .longest = longest
    };
}
