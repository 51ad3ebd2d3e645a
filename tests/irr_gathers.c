/*
 * irr_gathers.c - see irr_gathers.h.
 */
#include "irr_gathers.h"
#include "irr_test.h"

#include <stdlib.h>

/* ---- life ---- */

irr_gathers_t *irr_gathers_create(int ranks, uint64_t seed, size_t eager_max, size_t max_bytes)
{
    irr_gathers_t *gathers = irr_test_array(1, sizeof(*gathers));
    size_t count = (size_t)ranks;

    gathers->fleet = irr_fleet_create(ranks, seed, eager_max);
    gathers->blocks = irr_test_array(count * count, sizeof(*gathers->blocks));
    gathers->gather = irr_test_array(count, sizeof(*gathers->gather));
    gathers->started = irr_test_array(count, sizeof(*gathers->started));
    gathers->trouble = irr_test_array(count, sizeof(*gathers->trouble));
    gathers->result = irr_test_array(count, sizeof(*gathers->result));
    for (int r = 0; r < ranks; r++) {
        if (irr_gather_init(&gathers->gather[r], ranks, r, max_bytes) != IRR_OK) {
            abort();
        }
    }
    return gathers;
}

void irr_gathers_destroy(irr_gathers_t *gathers)
{
    for (int r = 0; r < gathers->fleet->ranks; r++) {
        irr_gather_fini(&gathers->gather[r]);
    }
    irr_fleet_destroy(gathers->fleet);
    free(gathers->blocks);
    free(gathers->gather);
    free(gathers->started);
    free(gathers->trouble);
    free(gathers->result);
    free(gathers);
}

/* ---- the matrix ---- */

size_t *irr_gathers_at(const irr_gathers_t *gathers, int from, int to)
{
    return &gathers->blocks[(size_t)from * (size_t)gathers->fleet->ranks + (size_t)to].length;
}

void irr_gathers_fill(irr_gathers_t *gathers, uint64_t *state)
{
    static const uint64_t percents[] = { 0, 3, 10, 10, 30, 100 };
    int ranks = gathers->fleet->ranks;

    for (int from = 0; from < ranks; from++) {
        uint64_t percent = percents[irr_test_below(state, sizeof(percents) / sizeof(percents[0]))];
        size_t length = 100;

        for (int to = 0; to < ranks; to++) {
            if (irr_test_below(state, 2) == 0) {
                /* Lengths of any magnitude, whose sum is below 2^63 for up to 2^9 ranks. */
                length = irr_test_random(state) >> (20 + irr_test_below(state, 44));
            }
            *irr_gathers_at(gathers, from, to) = irr_test_below(state, 100) < percent ? length : 0;
        }
    }
}

size_t irr_gathers_bytes(const irr_gathers_t *gathers)
{
    int ranks = gathers->fleet->ranks;
    size_t bytes = 0;

    for (int r = 0; r < ranks; r++) {
        bytes += irr_row_encode(&gathers->blocks[(size_t)r * (size_t)ranks], ranks, NULL);
    }
    return bytes;
}

/* ---- gathers ---- */

void irr_gathers_start(irr_gathers_t *gathers, int r)
{
    irr_fleet_rank_t *rank = &gathers->fleet->rank[r];
    irr_exec_env_t env = {
        .channel = rank->channel, .tag_base = irr_tag_base(gathers->sequence), .counters = &rank->counters
    };

    rank->counters = (irr_counters_t){ 0 };
    irr_gather_start(&gathers->gather[r], &gathers->blocks[(size_t)r * (size_t)gathers->fleet->ranks],
                     gathers->trouble[r], &env);
    gathers->started[r] = true;
}

bool irr_gathers_progress(irr_gathers_t *gathers, int rounds)
{
    bool busy = true;

    for (int round = 0; round < rounds && busy; round++) {
        busy = false;
        for (int r = 0; r < gathers->fleet->ranks; r++) {
            irr_transport_t *transport = &gathers->fleet->rank[r].spy->super;

            transport->ops->progress(transport);
            if (gathers->started[r]) {
                gathers->result[r] = irr_gather_progress(&gathers->gather[r]);
                busy = busy || gathers->result[r] == IRR_IN_PROGRESS;
            }
        }
    }
    return !busy;
}

bool irr_gathers_run(irr_gathers_t *gathers, int first, int between)
{
    int ranks = gathers->fleet->ranks;

    for (int r = 0; r < ranks; r++) {
        gathers->started[r] = false;
    }
    for (int i = 0; i < ranks; i++) {
        irr_gathers_start(gathers, (first + i) % ranks);
        irr_gathers_progress(gathers, between);
    }
    gathers->sequence++;
    return irr_gathers_progress(gathers, IRR_GATHERS_ROUNDS);
}

/* ---- results ---- */

static bool reads_right(const irr_gathers_t *gathers, const irr_gather_t *gather, int from)
{
    int ranks = gathers->fleet->ranks, to = 0;
    irr_row_t row;
    bool right = true;

    irr_gather_row(gather, from, &row);
    while (right && irr_row_next(&row)) {
        for (; to < row.to; to++) {
            right = right && *irr_gathers_at(gathers, from, to) == 0;
        }
        right = right && *irr_gathers_at(gathers, from, to) == row.bytes;
        to++;
    }
    for (; to < ranks; to++) {
        right = right && *irr_gathers_at(gathers, from, to) == 0;
    }
    return right && row.left == 0;
}

bool irr_gathers_right(const irr_gathers_t *gathers, int rank)
{
    const irr_gather_t *gather = &gathers->gather[rank];
    size_t ranks = (size_t)gathers->fleet->ranks;
    irr_matrix_t matrix = { (int)ranks, irr_test_array(ranks * ranks, sizeof(uint64_t)) };
    bool right = true;

    irr_gather_matrix(gather, &matrix);
    for (size_t i = 0; i < ranks * ranks; i++) {
        right = right && matrix.entries[i] == gathers->blocks[i].length;
    }
    for (int from = 0; from < (int)ranks; from++) {
        right = right && reads_right(gathers, gather, from);
    }
    free(matrix.entries);
    return right;
}

int irr_gathers_wrong(const irr_gathers_t *gathers, irr_status_t result)
{
    int wrong = 0;

    for (int r = 0; r < gathers->fleet->ranks; r++) {
        wrong += gathers->result[r] != result || (result == IRR_OK && !irr_gathers_right(gathers, r));
    }
    return wrong;
}

int irr_gathers_rounds(int ranks)
{
    int rounds = 0;

    while (1 << rounds < ranks) {
        rounds++;
    }
    return rounds;
}
