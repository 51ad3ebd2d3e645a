/*
 * check_reduction.c - last phase of the plan checker for a reduction: in the end word w of each rank is the maximum of
 * the words w of all ranks.
 *
 * The check stores for each word the set of the input words of which it is the maximum: bit w + W * r stands for word w
 * of rank r.  It visits the steps in an order in which they can start.  A message copies the sets of its words, and a
 * reduction step forms the unions of two sets.  In the end the set of word w of each rank must contain exactly the
 * words w of all ranks.
 *
 * Cost: O(P W / 64) time and memory for each word of a message, for P ranks and W words.
 */
#include "study/check.h"

#include "core/alloc.h"

#include <string.h>

enum { WORD = sizeof(uint64_t), BITS = 64 };

typedef struct reduction {
    irr_check_t *check;
    size_t       words, set;   /* number of words of a rank; number of 64-bit words of a set */
    uint64_t   **sets;         /* by id of a send or local step: the sets of its words */
} reduction_t;

/* Adds to a set the set of the word at an offset of a list of a rank. */
static void add_word(const reduction_t *reduction, int rank, const irr_segments_t *list, ptrdiff_t offset,
                     uint64_t *set)
{
    const irr_check_t *check = reduction->check;
    const irr_segment_t *segment = &list->items[irr_segments_find(list, offset)];
    const size_t at = (size_t)(segment->at + offset - segment->offset) / WORD;
    size_t id, bit;

    if (segment->origin == IRR_CHECK_OWN) {
        bit = (size_t)rank * reduction->words + at;
        set[bit / BITS] |= UINT64_C(1) << bit % BITS;
        return;
    }
    id = irr_check_id(check, rank, segment->origin);
    id = check->steps[id].partner != IRR_CHECK_NONE ? check->steps[id].partner : id;
    for (size_t i = 0; i < reduction->set; i++) {
        set[i] |= reduction->sets[id][at * reduction->set + i];
    }
}

/* Computes the sets of the words of a send, copy or reduction. */
static irr_status_t find_sets(reduction_t *reduction, size_t id)
{
    const irr_check_step_t *at = &reduction->check->steps[id];
    const irr_segments_t *recipe = &reduction->check->recipes[id];
    const size_t words = at->step->bytes / WORD;
    uint64_t *sets = irr_alloc_zero(words * reduction->set, sizeof(*sets));

    if (sets == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    reduction->sets[id] = sets;
    for (size_t w = 0; w < words; w++) {
        add_word(reduction, at->rank, recipe, (ptrdiff_t)(w * WORD), sets + w * reduction->set);
        if (at->step->kind == IRR_STEP_REDUCE) {
            add_word(reduction, at->rank, recipe, (ptrdiff_t)((words + w) * WORD), sets + w * reduction->set);
        }
    }
    return IRR_OK;
}

static irr_status_t check_word(const reduction_t *reduction, int rank, size_t word, uint64_t *set)
{
    irr_check_t *check = reduction->check;

    memset(set, 0, reduction->set * sizeof(*set));
    add_word(reduction, rank, &check->rank[rank].output, (ptrdiff_t)(word * WORD), set);
    for (size_t bit = 0; bit < (size_t)check->ranks * reduction->words; bit++) {
        const bool has = (set[bit / BITS] >> bit % BITS & 1) != 0, wants = bit % reduction->words == word;

        if (has != wants) {
            return irr_check_fail(check, "word %zu of rank %d %s word %zu of rank %zu", word, rank,
                                  has ? "must not depend on" : "does not depend on", bit % reduction->words,
                                  bit / reduction->words);
        }
    }
    return IRR_OK;
}

irr_status_t irr_check_reduction(irr_check_t *check)
{
    const size_t total = check->base[check->ranks], bits = (size_t)check->ranks * check->words;
    reduction_t reduction = { .check = check, .words = check->words, .set = (bits + BITS - 1) / BITS };
    uint64_t *set = irr_alloc(reduction.set, sizeof(*set));
    irr_status_t status;

    reduction.sets = irr_alloc_zero(total, sizeof(*reduction.sets));
    status = set != NULL && reduction.sets != NULL ? IRR_OK : IRR_ERR_NO_MEMORY;
    for (size_t i = 0; i < check->nstarted && status == IRR_OK; i++) {
        status = find_sets(&reduction, check->started[i]);
    }
    for (int r = 0; r < check->ranks && status == IRR_OK; r++) {
        for (size_t w = 0; w < check->words && status == IRR_OK; w++) {
            status = check_word(&reduction, r, w, set);
        }
    }
    for (size_t id = 0; reduction.sets != NULL && id < total; id++) {
        irr_free(reduction.sets[id]);
    }
    irr_free(reduction.sets);
    irr_free(set);
    return status;
}
