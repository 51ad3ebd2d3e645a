/*
 * pattern.c - count matrices with the communication patterns of the papers.
 *
 *     JPDC   Liu, Wang, Prasanna: Portable and Scalable Algorithm for Irregular All-to-All Communication,
 *            figure 14 (one spike, 2D array transpose)
 *     ICDCS  the earlier conference version, section 4 (patterns 1 to 3)
 *     Ranka  Ranka, Wang, Kumar: Irregular Personalized Communication on Distributed Memory Machines,
 *            section 7.2 (test sets 1 and 2)
 *
 * The papers state lengths in elements.  Here one element is `unit` bytes, and the longest message of the first two
 * papers, Mmax or lmax, is LONG units.  If a paper fixes the number of ranks, the pattern is scaled to any number.
 * Random patterns use core/random.h, so a seed gives the same matrix on every machine.  Time O(P * P) for P ranks.
 */
#include "core/alloc.h"
#include "core/random.h"
#include "study/matrices.h"

#include <math.h>
#include <string.h>

#define LONG 64

static int below(uint64_t *state, int limit)
{
    return (int)irr_random_below(state, (size_t)limit);
}

/* Returns the number of columns of the papers' logical grid. */
static int grid_columns(int ranks)
{
    return (int)ceil(sqrt(ranks));
}

static irr_status_t fill_uniform(irr_matrix_t *matrix, uint64_t unit, uint64_t *state)
{
    const size_t cells = (size_t)matrix->ranks * (size_t)matrix->ranks;

    (void)state;
    for (size_t i = 0; i < cells; i++) {
        matrix->entries[i] = unit;
    }
    return IRR_OK;
}

/* Each rank sends its spike, a long message, to a random other rank: one to itself would not use the network. */
static irr_status_t fill_spike(irr_matrix_t *matrix, uint64_t unit, uint64_t *state)
{
    const int others = matrix->ranks - 1;

    fill_uniform(matrix, unit, state);
    for (int i = 0; i < matrix->ranks; i++) {
        int hop = others > 0 ? 1 + below(state, others) : 0;

        *irr_matrix_at(matrix, i, (i + hop) % matrix->ranks) = LONG * unit;
    }
    return IRR_OK;
}

/*
 * The rank in row a, column b of the grid sends a long message to the rank in row b, column a.  If the last row of the
 * grid is incomplete, this rank may not exist; the long message then goes to the sender itself.  Each rank therefore
 * receives exactly one long message, as in the paper, whose grid is complete.
 */
static irr_status_t fill_transpose(irr_matrix_t *matrix, uint64_t unit, uint64_t *state)
{
    const int columns = grid_columns(matrix->ranks);

    fill_uniform(matrix, unit, state);
    for (int i = 0; i < matrix->ranks; i++) {
        int64_t mirror = (int64_t)(i % columns) * columns + i / columns;

        *irr_matrix_at(matrix, i, mirror < matrix->ranks ? (int)mirror : i) = LONG * unit;
    }
    return IRR_OK;
}

static irr_status_t fill_next(irr_matrix_t *matrix, uint64_t unit, uint64_t *state)
{
    fill_uniform(matrix, unit, state);
    for (int i = 0; i < matrix->ranks; i++) {
        *irr_matrix_at(matrix, i, (i + 1) % matrix->ranks) = LONG * unit;
    }
    return IRR_OK;
}

static irr_status_t fill_columns(irr_matrix_t *matrix, uint64_t unit, uint64_t *state)
{
    const int columns = grid_columns(matrix->ranks);

    fill_next(matrix, unit, state);
    for (int i = 0; i < matrix->ranks; i++) {
        for (int j = 0; j < matrix->ranks; j += columns) {
            *irr_matrix_at(matrix, i, j) = LONG * unit;
        }
    }
    return IRR_OK;
}

/* Most data goes to rank 0, as in many applications. */
static irr_status_t fill_hotcol(irr_matrix_t *matrix, uint64_t unit, uint64_t *state)
{
    fill_uniform(matrix, unit, state);
    for (int i = 0; i < matrix->ranks; i++) {
        *irr_matrix_at(matrix, i, 0) = LONG * unit;
    }
    return IRR_OK;
}

static irr_status_t fill_random(irr_matrix_t *matrix, uint64_t unit, uint64_t *state)
{
    for (int i = 0; i < matrix->ranks; i++) {
        for (int j = 0; j < matrix->ranks; j++) {
            *irr_matrix_at(matrix, i, j) = i != j ? (uint64_t)(1 + below(state, LONG)) * unit : 0;
        }
    }
    return IRR_OK;
}

static irr_status_t fill_ring(irr_matrix_t *matrix, uint64_t unit, uint64_t *state)
{
    const int ranks = matrix->ranks;

    (void)state;
    for (int i = 0; i < ranks && ranks > 1; i++) {
        *irr_matrix_at(matrix, i, (i + 1) % ranks) = unit;
        *irr_matrix_at(matrix, i, (i + ranks - 1) % ranks) = unit;
    }
    return IRR_OK;
}

static irr_status_t fill_halves(irr_matrix_t *matrix, uint64_t unit, uint64_t *state)
{
    const int half = matrix->ranks / 2;

    (void)state;
    for (int i = 0; i < half; i++) {
        *irr_matrix_at(matrix, i, i + half) = unit;
    }
    return IRR_OK;
}

/* ---- Ranka's test set 1 ---- */

#define SPARSE_LONGEST  32  /* table 5: messages are 1 to 32 units long */
#define SPARSE_SWITCHES 4   /* number of attempted swaps for each message: enough to move nearly all messages */

/* Swaps the destinations of two random messages, unless a rank would then send two messages to a rank, or to itself. */
static void switch_destinations(irr_matrix_t *matrix, int *to, int degree, uint64_t *state)
{
    const int a = below(state, matrix->ranks), b = below(state, matrix->ranks);
    int *x = &to[(size_t)a * (size_t)degree + (size_t)below(state, degree)];
    int *y = &to[(size_t)b * (size_t)degree + (size_t)below(state, degree)];
    const int from_a = *x, from_b = *y;

    if (from_b == a || from_a == b || *irr_matrix_at(matrix, a, from_b) || *irr_matrix_at(matrix, b, from_a)) {
        return;
    }
    *irr_matrix_at(matrix, a, from_a) = 0;
    *irr_matrix_at(matrix, b, from_b) = 0;
    *irr_matrix_at(matrix, a, from_b) = 1;
    *irr_matrix_at(matrix, b, from_a) = 1;
    *x = from_b;
    *y = from_a;
}

/*
 * Each rank sends d messages and receives d messages.  At first each rank sends to the d ranks after it.  Then random
 * pairs of messages swap destinations, which does not change the number of messages of a row or column.  d is P / 4,
 * because the paper has d = 8 for 32 ranks.
 */
static irr_status_t fill_sparse(irr_matrix_t *matrix, uint64_t unit, uint64_t *state)
{
    const int ranks = matrix->ranks;
    const int degree = ranks >= 4 ? ranks / 4 : ranks > 1;
    const size_t messages = (size_t)ranks * (size_t)degree;
    int *to = irr_alloc(messages, sizeof(*to));

    if (to == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    for (size_t m = 0; m < messages; m++) {
        int from = (int)(m / (size_t)degree);

        to[m] = (from + 1 + (int)(m % (size_t)degree)) % ranks;
        *irr_matrix_at(matrix, from, to[m]) = 1;
    }
    for (size_t n = 0; n < SPARSE_SWITCHES * messages; n++) {
        switch_destinations(matrix, to, degree, state);
    }
    for (size_t m = 0; m < messages; m++) {
        uint64_t units = (uint64_t)(1 + below(state, SPARSE_LONGEST));

        *irr_matrix_at(matrix, (int)(m / (size_t)degree), to[m]) = units * unit;
    }
    irr_free(to);
    return IRR_OK;
}

/* ---- Ranka's test set 2 ---- */

/* The paper has 32 ranks in five sets.  The ranks of a set send the same number of messages. */
#define SKEWED_RANKS 32
#define SKEWED_SETS  5

/* The number of ranks of each set, and of messages of each of its ranks: the paper's arrays dist and dense. */
static const struct { int rows, messages; } skewed[SKEWED_SETS] = {
    { 1, 1 }, { 2, 2 }, { 4, 4 }, { 8, 8 }, { 17, 16 }
};

/* Scales a number for the paper's 32 ranks to `ranks` ranks, rounded to the nearest integer. */
static int in_proportion(int number, int ranks)
{
    return (int)(((int64_t)number * ranks * 2 + SKEWED_RANKS) / (2 * SKEWED_RANKS));
}

static int set_messages(int set, int ranks)
{
    int messages = in_proportion(skewed[set].messages, ranks);

    messages = messages > 1 ? messages : 1;
    return messages < ranks ? messages : ranks - 1;
}

/* Sends `total` units from one rank to `messages` random others, as evenly as whole units allow. */
static void fill_skewed_row(irr_matrix_t *matrix, int from, int messages, int total, uint64_t unit,
                            uint64_t *state)
{
    int chosen = 0, left = matrix->ranks - 1;

    for (int to = 0; to < matrix->ranks && chosen < messages; to++) {
        if (to == from) {
            continue;
        }
        /* selection sampling: each remaining rank is chosen with equal probability */
        if (below(state, left--) < messages - chosen) {
            *irr_matrix_at(matrix, from, to) = (uint64_t)(total / messages + (chosen < total % messages)) * unit;
            chosen++;
        }
    }
}

/* All ranks send the same number of units: the number of messages of a rank in the last set, as in the paper. */
static irr_status_t fill_skewed(irr_matrix_t *matrix, uint64_t unit, uint64_t *state)
{
    const int ranks = matrix->ranks, total = set_messages(SKEWED_SETS - 1, ranks);
    int row = 0, rows_32 = 0;

    for (int set = 0; set < SKEWED_SETS; set++) {
        rows_32 += skewed[set].rows;
        for (; row < in_proportion(rows_32, ranks); row++) {
            fill_skewed_row(matrix, row, set_messages(set, ranks), total, unit, state);
        }
    }
    return IRR_OK;
}

/* ---- the table ---- */

typedef struct pattern {
    const char   *name;
    uint64_t      longest;  /* longest entry, in units */
    irr_status_t (*fill)(irr_matrix_t *matrix, uint64_t unit, uint64_t *state);
    const char   *text;
} pattern_t;

static const pattern_t patterns[] = {
    { "uniform", 1, fill_uniform,
      "each rank sends one unit to each rank, also to itself" },
    { "spike", LONG, fill_spike,
      "each rank sends 64 units to one random rank, and one unit to all others (pattern 1 of Liu, JPDC 2002)" },
    { "transpose", LONG, fill_transpose, "transposition of a grid with ceil(sqrt P) columns: the rank in row a, "
      "column b sends 64 units to the rank in row b, column a, or to itself if there is no such rank, and one unit "
      "to all others (pattern 2 of Liu, JPDC 2002)" },
    { "next", LONG, fill_next,
      "rank i sends 64 units to rank i + 1, and one unit to all others (pattern 1 of Liu, ICDCS 1996)" },
    { "columns", LONG, fill_columns,
      "rank i sends 64 units to rank i + 1 and to the ranks 0, c, 2c and so on with c = ceil(sqrt P), and one unit "
      "to all others (pattern 2 of Liu, ICDCS 1996)" },
    { "random", LONG, fill_random,
      "each rank sends 1 to 64 units, at random, to each other rank (pattern 3 of Liu, ICDCS 1996)" },
    { "sparse", SPARSE_LONGEST, fill_sparse,
      "each rank sends P/4 messages to random ranks and receives P/4 messages; a message has 1 to 32 units, at random "
      "(test set 1 of Ranka, 1995)" },
    { "skewed", SKEWED_RANKS, fill_skewed, "each rank sends P/2 units to random ranks: half of the ranks send P/2 "
      "messages of one unit, the others send fewer and longer messages (test set 2 of Ranka, 1995)" },
    { "hotcol", LONG, fill_hotcol,
      "each rank sends 64 units to rank 0, and one unit to all others" },
    { "ring", 1, fill_ring,
      "each rank sends one unit to the rank before it and one unit to the rank after it, and nothing to others" },
    { "halves", 1, fill_halves,
      "each rank of the first half sends one unit to one rank of the second half; no other rank sends" },
};

#define PATTERNS ((int)(sizeof(patterns) / sizeof(patterns[0])))

const char *irr_pattern_name(int i)
{
    return i >= 0 && i < PATTERNS ? patterns[i].name : NULL;
}

const char *irr_pattern_text(int i)
{
    return i >= 0 && i < PATTERNS ? patterns[i].text : NULL;
}

irr_status_t irr_matrix_pattern(const char *name, int ranks, uint64_t unit, uint64_t seed, irr_matrix_t *matrix)
{
    const pattern_t *pattern = NULL;
    irr_matrix_t result;
    irr_status_t status;

    for (int i = 0; i < PATTERNS; i++) {
        if (strcmp(patterns[i].name, name) == 0) {
            pattern = &patterns[i];
        }
    }
    if (pattern == NULL || unit > (uint64_t)INT64_MAX / pattern->longest) {
        return IRR_ERR_BAD_PARAM;
    }
    status = irr_matrix_init(&result, ranks);
    if (status != IRR_OK) {
        return status;
    }
    status = pattern->fill(&result, unit, &seed);
    if (status != IRR_OK) {
        irr_matrix_fini(&result);
        return status;
    }
    *matrix = result;
    return IRR_OK;
}
