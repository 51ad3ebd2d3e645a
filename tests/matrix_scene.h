/*
 * matrix_scene.h - makes count matrices for tests.  The caller releases them.
 */
#ifndef MATRIX_SCENE_H
#define MATRIX_SCENE_H

#include "irr_test.h"
#include "study/matrices.h"

static inline irr_matrix_t matrix_scene_zero(int ranks)
{
    irr_matrix_t matrix;

    irr_test_must(irr_matrix_init(&matrix, ranks));
    return matrix;
}

static inline irr_matrix_t matrix_scene_pattern(const char *name, int ranks, uint64_t unit, uint64_t seed)
{
    irr_matrix_t matrix;

    irr_test_must(irr_matrix_pattern(name, ranks, unit, seed, &matrix));
    return matrix;
}

/*
 * Returns a matrix in which about a third of the messages are empty, and each other message has fewer bytes than the
 * limit.
 */
static inline irr_matrix_t matrix_scene_mixed(int ranks, uint64_t limit, uint64_t *state)
{
    irr_matrix_t matrix = matrix_scene_zero(ranks);

    for (int i = 0; i < ranks * ranks; i++) {
        matrix.entries[i] = irr_test_below(state, 3) > 0 ? irr_test_below(state, limit) : 0;
    }
    return matrix;
}

/* Returns a random matrix of any density and any range of lengths, with zeros and messages of a rank to itself. */
static inline irr_matrix_t matrix_scene_any(int ranks, uint64_t *state)
{
    static const uint64_t limits[] = { 1, 3, 40, 100000, UINT64_C(1) << 48 };
    const uint64_t limit = limits[irr_test_below(state, IRR_TEST_COUNT(limits))];
    const uint64_t percent = irr_test_below(state, 101);
    irr_matrix_t matrix = matrix_scene_zero(ranks);

    for (int i = 0; i < ranks * ranks; i++) {
        if (irr_test_below(state, 100) < percent) {
            matrix.entries[i] = 1 + irr_test_below(state, limit);
        }
    }
    return matrix;
}

static inline bool matrix_scene_same(const irr_matrix_t *a, const irr_matrix_t *b)
{
    bool same = a->ranks == b->ranks;

    for (int i = 0; same && i < a->ranks * a->ranks; i++) {
        same = a->entries[i] == b->entries[i];
    }
    return same;
}

#endif
