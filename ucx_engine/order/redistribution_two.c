/*
 * redistribution_two.c - schedules of all redistributions, in large steps.  An array with blocks of x elements on p
 * ranks, the sources, gets blocks of y elements on q ranks, the targets.  In a large step each source sends the same
 * number of bytes.  A large step consists of small steps, in which a rank sends at most one message and receives at
 * most one.
 *
 *     Guo, Pan: Improving communication scheduling for array redistribution,
 *     section 4.2, theorem 2 and algorithm 2
 *
 * The table of lengths has a row for each source and a column for each target.  It is divided into blocks with the same
 * contents.  With s = gcd(y, p) and t = gcd(x, q), entry (i, j) is equal to entry (i + yk mod p, j + xk mod q) for all
 * k.  The two rows differ by a multiple of s, and the two columns by a multiple of t.  The paper takes blocks of s x t
 * entries.  Because k moves row and column together, these blocks are equal only if h = gcd(p / s, q / t) is 1.  Blocks
 * of sh x th entries are always equal.
 *
 * 1. Each source picks a block of its row for the first large step.  Sources with long messages pick first.  A source
 *    tries the block on the diagonal of the table first.  If possible, it picks a block in which no target receives
 *    more than a source sends.
 * 2. The messages of the picked blocks get small steps.  The next message is always the longest one whose source and
 *    target are both free.
 * 3. Large step n is the first large step, with its targets moved by n - 1 blocks.
 *
 * Items 1 and 2 replace steps 3 to 9 of the paper, because the loops that the paper prints do not produce a schedule.
 * Where several choices are equally good, this file chooses as example 2 of the paper does.  The paper assumes p / s <
 * q / t without loss of generality.  This file also computes the schedule with sources and targets swapped, and keeps
 * the shorter of the two schedules.  If both are equally long, it keeps the schedule that satisfies the paper's
 * assumption.
 *
 * There are q / th large steps, or p / sh if sources and targets are swapped.  Time O(pq * (s + t) * h) at most, memory
 * O(pth + q).
 */
#include "order/redistribution.h"

#include "core/alloc.h"

#include <stdlib.h>

typedef struct message {
    uint64_t length;
    int      i, j;
    int      small;
} message_t;

typedef struct two {
    const irr_redistribution_view_t *view;
    int        height, width;     /* numbers of rows and columns of a block: sh, th */
    int        columns;           /* number of blocks in a row */
    uint64_t  *load;              /* elements that each target receives in the first large step */
    int       *sends, *receives;  /* by source, by target: the latest small step in which it was busy */
    message_t *sources;           /* longest message of each source, sorted by falling length */
    message_t *messages;          /* messages of the first large step */
    size_t     count;
} two_t;

static irr_status_t two_init(two_t *two, const irr_redistribution_view_t *view)
{
    const irr_redistribution_t *sides = &view->sides;
    const size_t p = (size_t)sides->p, q = (size_t)sides->q;
    const uint64_t s = irr_gcd(sides->y, p), t = irr_gcd(sides->x, q), h = irr_gcd(p / s, q / t);

    *two = (two_t){ .view = view, .height = (int)(s * h), .width = (int)(t * h), .columns = (int)(q / (t * h)) };
    return IRR_ALLOC_ARRAYS(((irr_array_t[]){
        IRR_ARRAY(two->load, q), IRR_ARRAY(two->sends, p), IRR_ARRAY(two->receives, q), IRR_ARRAY(two->sources, p),
        IRR_ARRAY(two->messages, p * (size_t)two->width) }));
}

/* Compares by falling length, then by source, then by target. */
static int by_length(const void *a, const void *b)
{
    const message_t *x = a, *y = b;

    if (x->length != y->length) {
        return x->length > y->length ? -1 : 1;
    }
    if (x->i != y->i) {
        return x->i < y->i ? -1 : 1;
    }
    return (x->j > y->j) - (x->j < y->j);
}

/* Fills and sorts two->sources.  Returns the number of elements that each source sends in a block. */
static uint64_t sort_sources(two_t *two)
{
    const irr_redistribution_t *sides = &two->view->sides;
    uint64_t sum = 0;

    for (int i = 0; i < sides->p; i++) {
        uint64_t longest = 0;

        sum = 0;
        for (int j = 0; j < two->width; j++) {
            uint64_t length = irr_redistribution_entry(sides, i, j);

            sum += length;
            longest = length > longest ? length : longest;
        }
        two->sources[i] = (message_t){ .length = longest, .i = i };
    }
    qsort(two->sources, (size_t)sides->p, sizeof(*two->sources), by_length);
    return sum;
}

/*
 * Returns the number of elements that the busiest target of a column of blocks would receive if source i picked this
 * column.
 */
static uint64_t load_with(const two_t *two, int i, int column)
{
    uint64_t most = 0;

    for (int j = column * two->width; j < (column + 1) * two->width; j++) {
        uint64_t length = irr_redistribution_entry(&two->view->sides, i, j);
        uint64_t load = length > 0 ? two->load[j] + length : 0;

        most = load > most ? load : most;
    }
    return most;
}

/* Returns the column of blocks that source i picks: the first one within the limit, or else the least loaded one. */
static int pick_column(const two_t *two, int i, uint64_t limit)
{
    uint64_t least = UINT64_MAX;
    int best = 0;

    for (int n = 0; n < two->columns && least > limit; n++) {
        int column = (i / two->height + n) % two->columns;
        uint64_t load = load_with(two, i, column);

        if (load < least) {
            least = load;
            best = column;
        }
    }
    return best;
}

static void fill_first_step(two_t *two)
{
    const irr_redistribution_t *sides = &two->view->sides;
    const uint64_t limit = sort_sources(two);

    for (int k = 0; k < sides->p; k++) {
        const int i = two->sources[k].i, column = pick_column(two, i, limit);

        for (int j = column * two->width; j < (column + 1) * two->width; j++) {
            uint64_t length = irr_redistribution_entry(sides, i, j);

            if (length > 0) {
                two->load[j] += length;
                two->messages[two->count++] = (message_t){ .length = length, .i = i, .j = j };
            }
        }
    }
}

static int by_small_step(const void *a, const void *b)
{
    const message_t *x = a, *y = b;

    return x->small != y->small ? (x->small > y->small) - (x->small < y->small) : (x->i > y->i) - (x->i < y->i);
}

static void order_first_step(two_t *two)
{
    size_t left = two->count;

    qsort(two->messages, two->count, sizeof(*two->messages), by_length);
    for (int small = 1; left > 0; small++) {
        for (size_t k = 0; k < two->count; k++) {
            message_t *message = &two->messages[k];

            if (message->small == 0 && two->sends[message->i] != small && two->receives[message->j] != small) {
                message->small = two->sends[message->i] = two->receives[message->j] = small;
                left--;
            }
        }
    }
    qsort(two->messages, two->count, sizeof(*two->messages), by_small_step);
}

static irr_status_t send_all(const two_t *two)
{
    const int64_t q = two->view->sides.q;
    irr_status_t status = IRR_OK;

    for (int n = 0; n < two->columns; n++) {
        for (size_t k = 0; status == IRR_OK && k < two->count; k++) {
            const message_t *message = &two->messages[k];
            const int j = (int)((message->j + (int64_t)two->width * n) % q);

            status = irr_redistribution_send(two->view, n + 1, message->small, message->i, j);
        }
    }
    return status;
}

static irr_status_t build(const irr_redistribution_t *redistribution, bool turned, const irr_matrix_t *matrix,
                          irr_large_t *large)
{
    const irr_redistribution_view_t view = irr_redistribution_view(redistribution, turned, matrix, large);
    two_t two;
    irr_status_t status = two_init(&two, &view);

    if (status != IRR_OK) {
        return status;
    }
    fill_first_step(&two);
    order_first_step(&two);
    status = send_all(&two);
    irr_free(two.load);   /* frees the other arrays too */
    return irr_redistribution_end(large, status);
}

/* Returns true if a column has more blocks than a row, p / s > q / t.  The paper then swaps sources and targets. */
static bool is_turned(const irr_redistribution_t *redistribution)
{
    const uint64_t common = irr_gcd(redistribution->x, redistribution->y);
    const uint64_t p = (uint64_t)redistribution->p, q = (uint64_t)redistribution->q;

    return p / irr_gcd(redistribution->y / common, p) > q / irr_gcd(redistribution->x / common, q);
}

irr_status_t irr_redistribution_two(const irr_redistribution_t *redistribution, const irr_matrix_t *matrix,
                                    irr_large_t *large)
{
    irr_large_t first, second;
    uint64_t first_length = 0, second_length = 0;
    irr_status_t status;

    if (irr_redistribution_period(redistribution) > INT64_MAX) {
        return IRR_ERR_NOT_SUPPORTED;
    }
    status = build(redistribution, is_turned(redistribution), matrix, &first);
    if (status != IRR_OK) {
        return status;
    }
    status = build(redistribution, !is_turned(redistribution), matrix, &second);
    if (status != IRR_OK) {
        goto fini_first;
    }
    if ((status = irr_large_makespan(&first, NULL, &first_length)) != IRR_OK ||
        (status = irr_large_makespan(&second, NULL, &second_length)) != IRR_OK) {
        goto fini_second;
    }
    if (second_length < first_length) {
        irr_large_fini(&first);
        *large = second;
    } else {
        irr_large_fini(&second);
        *large = first;
    }
    return IRR_OK;
fini_second:
    irr_large_fini(&second);
fini_first:
    irr_large_fini(&first);
    return status;
}
