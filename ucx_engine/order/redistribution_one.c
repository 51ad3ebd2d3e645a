/*
 * redistribution_one.c - a redistribution where gcd(x, q) = gcd(y, p) = 1, in steps of equal lengths.
 *
 *     Guo, Pan: Improving communication scheduling for array redistribution,
 *     section 4.1, theorem 1 and algorithm 1
 *
 * The entries (i + yk mod p, j + xk mod q) of the table are equal for all k, because xy elements further on lie
 * the next y blocks of the sources and x blocks of the targets.  For p <= q, k from 0 to p - 1 gives each source
 * once, and p different targets: a step.  A step for each j, with i = 0, has all messages once.  The paper's
 * algorithm gives two sources one target where p > q; there sources and targets change places.
 *
 * max(p, q) steps at most, fewer where a rank has nothing for some others; O(pq) time.
 */
#include "order/redistribution.h"

irr_status_t irr_redistribution_one(const irr_redistribution_t *redistribution, const irr_matrix_t *matrix,
                                    irr_large_t *large)
{
    const bool turned = redistribution->p > redistribution->q;
    const irr_redistribution_view_t view = irr_redistribution_view(redistribution, turned, matrix, large);
    const int p = view.sides.p, q = view.sides.q;
    const int hop_i = (int)(view.sides.y % (uint64_t)p), hop_j = (int)(view.sides.x % (uint64_t)q);
    irr_status_t status = IRR_OK;

    if (!irr_redistribution_aligns(redistribution)) {
        return IRR_ERR_NOT_SUPPORTED;
    }
    for (int first = 0; first < q; first++) {
        for (int k = 0, i = 0, j = first; status == IRR_OK && k < p; k++) {
            status = irr_redistribution_send(&view, first + 1, 1, i, j);
            i = (int)(((int64_t)i + hop_i) % p);
            j = (int)(((int64_t)j + hop_j) % q);
        }
    }
    return irr_redistribution_end(large, status);
}
