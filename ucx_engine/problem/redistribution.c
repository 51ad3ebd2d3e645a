/*
 * redistribution.c - the communication table of a block-cyclic redistribution.
 *
 *     Guo, Pan: Improving communication scheduling for array redistribution, section 2.1, formulas 1 to 3
 *
 * The array changes from blocks of x elements on p ranks to blocks of y elements on q ranks.  An entry of the table is
 * the sum of the overlaps of all blocks of source i with all blocks of target j in a period of L = lcm(xp, yq)
 * elements.  For each pair of such blocks, take the distance between their starts, modulo L.  Let G = gcd(xp, yq).
 * Each number from 0 to L - 1 that is congruent to jy - ix modulo G is the distance of one pair.  Let e be a position
 * in a block of the source, and f a position in a block of the target.  The sum of the overlaps is the number of pairs
 * (e, f), 0 <= e < x, 0 <= f < y, for which e - f is congruent to jy - ix modulo G.  This number is computed without a
 * loop.
 *
 * The elements after the last whole period are called the rest.  They are counted block by block, along the side with
 * the longer blocks.  A cycle of a side is one block on each of its ranks.  A longer block overlaps a number of whole
 * cycles of the other side, and some blocks of one more cycle.  The whole cycles are counted without a loop.
 *
 * Time: O(pq).  If the array is not a whole number of periods, the rest takes O(min(rest / x, p * rest / y)) more,
 * where rest is its number of elements and x <= y.
 */
#include "problem/redistribution.h"

#include "problem/lines.h"

#include <limits.h>
#include <string.h>

/* Largest number of overlaps of blocks in the rest that may be counted one by one, which takes some seconds. */
#define PIECES_MAX (UINT64_C(1) << 30)

uint64_t irr_gcd(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

uint64_t irr_redistribution_period(const irr_redistribution_t *redistribution)
{
    uint64_t before, after, period;

    if (__builtin_mul_overflow(redistribution->x, (uint64_t)redistribution->p, &before) ||
        __builtin_mul_overflow(redistribution->y, (uint64_t)redistribution->q, &after) ||
        __builtin_mul_overflow(before / irr_gcd(before, after), after, &period)) {
        return UINT64_MAX;
    }
    return period;
}

/* Returns the number of elements that [0, x) and [distance, distance + y) share. */
static uint64_t overlap(int64_t x, int64_t y, int64_t distance)
{
    int64_t first = distance > 0 ? distance : 0;
    int64_t end = distance + y < x ? distance + y : x;

    return end > first ? (uint64_t)(end - first) : 0;
}

uint64_t irr_redistribution_entry(const irr_redistribution_t *redistribution, int i, int j)
{
    const uint64_t x = redistribution->x, y = redistribution->y;
    const uint64_t g = irr_gcd(x * (uint64_t)redistribution->p, y * (uint64_t)redistribution->q);
    const uint64_t source = x * (uint64_t)i % g, target = y * (uint64_t)j % g;
    const int64_t distance = (int64_t)(target >= source ? target - source : target + g - source);
    const int64_t rest_x = (int64_t)(x % g), rest_y = (int64_t)(y % g);

    return x / g * y + y / g * (x % g) + overlap(rest_x, rest_y, distance) +
           overlap(rest_x, rest_y, distance - (int64_t)g);
}

/* ---- the matrix ---- */

/* One side of the redistribution. */
typedef struct side {
    uint64_t block;
    uint64_t ranks;
    bool     sends;
} side_t;

static uint64_t *entry_of(const irr_matrix_t *matrix, const side_t *side, uint64_t here, uint64_t there)
{
    return irr_matrix_at(matrix, (int)(side->sends ? here : there), (int)(side->sends ? there : here));
}

/*
 * Adds the elements [first, end), which are on rank `there` of the other side, to the entries of the ranks of this
 * side.
 */
static void count_block(const irr_matrix_t *matrix, const side_t *side, uint64_t there, uint64_t first,
                        uint64_t end)
{
    const uint64_t cycle = side->block * side->ranks, cycles = (end - first) / cycle;

    for (uint64_t r = 0; cycles > 0 && r < side->ranks; r++) {
        *entry_of(matrix, side, r, there) += cycles * side->block;
    }
    first += cycles * cycle;
    while (first < end) {
        uint64_t block = first / side->block, left = end - first, piece = (block + 1) * side->block - first;

        piece = piece < left ? piece : left;
        *entry_of(matrix, side, block % side->ranks, there) += piece;
        first += piece;
    }
}

static irr_status_t count_rest(const irr_matrix_t *matrix, const side_t *longer, const side_t *shorter,
                               uint64_t rest)
{
    const uint64_t cut = longer->block / shorter->block;
    const uint64_t pieces = (cut < shorter->ranks ? cut : 2 * shorter->ranks) + 2;

    if (rest / longer->block > PIECES_MAX / pieces) {
        return IRR_ERR_NOT_SUPPORTED;
    }
    for (uint64_t first = 0, block = 0; first < rest; block++) {
        uint64_t end = longer->block < rest - first ? first + longer->block : rest;

        count_block(matrix, shorter, block % longer->ranks, first, end);
        first = end;
    }
    return IRR_OK;
}

bool irr_redistribution_has_sides(const irr_redistribution_t *redistribution)
{
    const uint64_t limit = INT64_MAX;

    return redistribution->p > 0 && redistribution->q > 0 && redistribution->x > 0 && redistribution->y > 0 &&
           redistribution->x <= limit / (uint64_t)redistribution->p &&
           redistribution->y <= limit / (uint64_t)redistribution->q;
}

irr_status_t irr_redistribution_matrix(const irr_redistribution_t *redistribution, irr_matrix_t *matrix)
{
    const side_t source = { redistribution->x, (uint64_t)redistribution->p, true };
    const side_t target = { redistribution->y, (uint64_t)redistribution->q, false };
    const bool target_longer = target.block >= source.block;
    const int p = redistribution->p, q = redistribution->q;
    irr_matrix_t result;
    irr_status_t status;
    uint64_t period, periods;

    if (!irr_redistribution_has_sides(redistribution) || redistribution->unit == 0 ||
        redistribution->elements > INT64_MAX / redistribution->unit) {
        return IRR_ERR_BAD_PARAM;
    }
    status = irr_matrix_init(&result, p > q ? p : q);
    if (status != IRR_OK) {
        return status;
    }
    period = irr_redistribution_period(redistribution);
    periods = redistribution->elements / period;
    for (int i = 0; periods > 0 && i < p; i++) {
        for (int j = 0; j < q; j++) {
            *irr_matrix_at(&result, i, j) = periods * irr_redistribution_entry(redistribution, i, j);
        }
    }
    status = count_rest(&result, target_longer ? &target : &source, target_longer ? &source : &target,
                        redistribution->elements - periods * period);
    if (status != IRR_OK) {
        irr_matrix_fini(&result);
        return status;
    }
    for (size_t k = 0; k < (size_t)result.ranks * (size_t)result.ranks; k++) {
        result.entries[k] *= redistribution->unit;
    }
    *matrix = result;
    return IRR_OK;
}

/* ---- text ---- */

/*
 * Reads digits, and the comma after them if there is one.  Returns the rest of the text, or NULL if there is no number.
 */
static const char *read_field(const char *text, uint64_t *value_p)
{
    const size_t length = text != NULL ? strcspn(text, ",") : 0;

    if (!irr_lines_digits(text, length, 0, UINT64_MAX, value_p) || (text[length] == ',' && text[length + 1] == '\0')) {
        return NULL;
    }
    return text + length + (text[length] == ',');
}

irr_status_t irr_redistribution_parse(const char *text, irr_redistribution_t *redistribution)
{
    enum { FIELDS = 5 };
    uint64_t fields[FIELDS] = { 0 };
    irr_redistribution_t result = *redistribution;
    int count = 0;

    do {
        text = read_field(text, &fields[count++]);
    } while (text != NULL && *text != '\0' && count < FIELDS);
    if (text == NULL || *text != '\0' || count < FIELDS - 1 || fields[1] > INT_MAX || fields[3] > INT_MAX) {
        return IRR_ERR_BAD_PARAM;
    }
    for (int i = 0; i < FIELDS - 1; i++) {
        if (fields[i] == 0) {
            return IRR_ERR_BAD_PARAM;
        }
    }
    result.x = fields[0];
    result.p = (int)fields[1];
    result.y = fields[2];
    result.q = (int)fields[3];
    result.elements = count == FIELDS ? fields[FIELDS - 1] : irr_redistribution_period(&result);
    if (count < FIELDS && result.elements == UINT64_MAX) {
        return IRR_ERR_BAD_PARAM;
    }
    *redistribution = result;
    return IRR_OK;
}
