/*
 * irr_gathers.c - see irr_gathers.h.
 */
#include "irr_gathers.h"
#include "irr_test.h"

#include "exec/row.h"

#include <stdlib.h>
#include <string.h>

/* ---- life ---- */

irr_gathers_t *irr_gathers_create(int ranks, uint64_t seed, size_t eager_max, size_t max_bytes)
{
    irr_gathers_t *gathers = irr_test_array(1, sizeof(*gathers));
    size_t count = (size_t)ranks;

    gathers->fleet = irr_fleet_create(ranks, seed, eager_max);
    gathers->lengths = irr_test_array(count * count, sizeof(*gathers->lengths));
    gathers->rank = irr_test_array(count, sizeof(*gathers->rank));
    for (int r = 0; r < ranks; r++) {
        irr_test_must(irr_binomial_init(&gathers->rank[r].tree, ranks, r, max_bytes));
        irr_test_must(irr_consensus_init(&gathers->rank[r].consensus, ranks, r));
    }
    return gathers;
}

void irr_gathers_destroy(irr_gathers_t *gathers)
{
    for (int r = 0; r < gathers->fleet->ranks; r++) {
        irr_binomial_fini(&gathers->rank[r].tree);
    }
    irr_fleet_destroy(gathers->fleet);
    free(gathers->lengths);
    free(gathers->rank);
    free(gathers);
}

/* ---- the matrix ---- */

uint64_t *irr_gathers_at(const irr_gathers_t *gathers, int from, int to)
{
    return &gathers->lengths[(size_t)from * (size_t)gathers->fleet->ranks + (size_t)to];
}

void irr_gathers_fill(irr_gathers_t *gathers, uint64_t *state)
{
    static const uint64_t percents[] = { 0, 3, 10, 10, 30, 100 };
    int ranks = gathers->fleet->ranks;

    for (int from = 0; from < ranks; from++) {
        uint64_t percent = percents[irr_test_below(state, sizeof(percents) / sizeof(percents[0]))];
        uint64_t length = 100;

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
    irr_bytes_t bytes = { .at = NULL };
    size_t length;

    for (int r = 0; r < ranks; r++) {
        const size_t begin = irr_bytes_begin(&bytes);

        irr_row_write(&bytes, irr_gathers_at(gathers, r, 0), ranks);
        irr_bytes_end(&bytes, begin);
    }
    length = bytes.length;
    irr_bytes_fini(&bytes);
    return length;
}

/* ---- gathers ---- */

void irr_gathers_start(irr_gathers_t *gathers, int r)
{
    irr_gathers_rank_t *member = &gathers->rank[r];
    irr_fleet_rank_t *rank = &gathers->fleet->rank[r];
    size_t begin;

    rank->counters = (irr_counters_t){ 0 };
    member->env = (irr_exec_env_t){
        .channel = rank->channel, .tag_base = irr_tag_base(gathers->sequence), .counters = &rank->counters
    };
    begin = irr_binomial_begin(&member->tree);
    irr_row_write(&member->tree.parts, irr_gathers_at(gathers, r, 0), gathers->fleet->ranks);
    irr_bytes_end(&member->tree.parts, begin);
    member->tree.parts.lacking = member->tree.parts.lacking || member->trouble;
    irr_binomial_up(&member->tree, &member->env);
    member->status = IRR_OK;
    member->right = false;
    member->phase = IRR_GATHERS_UP;
}

/* Each rank is told its own row, twice. */
static bool answer(const irr_gathers_t *gathers, const irr_bytes_t *rows, irr_bytes_t *parts)
{
    const int ranks = gathers->fleet->ranks;
    uint64_t *lengths = irr_test_array((size_t)ranks, sizeof(*lengths)), total = 0;
    irr_reader_t reader = irr_bytes_read(rows);

    for (int r = 0; r < ranks; r++) {
        irr_reader_t row = irr_bytes_next(&reader);
        const size_t begin = irr_bytes_begin(parts);

        irr_row_read(&row, ranks, &total, lengths);
        irr_row_write(parts, lengths, ranks);
        irr_row_write(parts, lengths, ranks);
        irr_bytes_end(parts, begin);
        reader.bad = reader.bad || !irr_reader_ends(&row);
    }
    free(lengths);
    return irr_reader_ends(&reader) && !parts->lacking;
}

static void end_gather(irr_gathers_t *gathers, int r, irr_status_t status)
{
    irr_gathers_rank_t *member = &gathers->rank[r];
    unsigned mark = member->tree.mark;
    irr_bytes_t parts = { .at = NULL };

    member->status = status;
    if (r == 0 && mark == 0) {
        mark = answer(gathers, &member->tree.parts, &parts) ? 0 : IRR_MARK_FAILED;
        irr_bytes_fini(&member->tree.parts);
        member->tree.parts = parts;
    }
    member->phase = IRR_GATHERS_DOWN;
    irr_binomial_down(&member->tree, mark);
}

/* Was it told its row, twice? */
static bool is_right(const irr_gathers_t *gathers, int r)
{
    const size_t ranks = (size_t)gathers->fleet->ranks;
    uint64_t *lengths = irr_test_array(ranks, sizeof(*lengths));
    irr_reader_t own = gathers->rank[r].tree.own;
    bool right = true;

    for (int i = 0; i < 2; i++) {
        uint64_t total = 0;

        irr_row_read(&own, (int)ranks, &total, lengths);
        right = right && memcmp(lengths, irr_gathers_at(gathers, r, 0), ranks * sizeof(*lengths)) == 0;
    }
    free(lengths);
    return right && irr_reader_ends(&own);
}

static void end_scatter(irr_gathers_t *gathers, int r, irr_status_t status)
{
    irr_gathers_rank_t *member = &gathers->rank[r];
    uint64_t mark = status == IRR_OK ? member->tree.mark : IRR_MARK_FAILED;

    if (member->status == IRR_OK) {
        member->status = status;
    }
    if (member->status != IRR_OK && member->status != IRR_ERR_NOT_SUPPORTED) {
        mark = IRR_MARK_FAILED;
    }
    member->right = mark == 0 && is_right(gathers, r);
    member->phase = IRR_GATHERS_AGREES;
    irr_consensus_start(&member->consensus, &mark, 1, &member->env);
}

static void progress(irr_gathers_t *gathers, int r)
{
    irr_gathers_rank_t *member = &gathers->rank[r];
    irr_status_t status;

    if (member->phase == IRR_GATHERS_UP) {
        status = irr_binomial_progress(&member->tree);
        if (status != IRR_IN_PROGRESS) {
            end_gather(gathers, r, status);
        }
    }
    if (member->phase == IRR_GATHERS_DOWN) {
        status = irr_binomial_progress(&member->tree);
        if (status != IRR_IN_PROGRESS) {
            end_scatter(gathers, r, status);
        }
    }
    if (member->phase == IRR_GATHERS_AGREES) {
        status = irr_consensus_progress(&member->consensus);
        if (status != IRR_IN_PROGRESS) {
            member->mark = status == IRR_OK ? (unsigned)member->consensus.words[0] : IRR_MARK_FAILED;
            member->phase = IRR_GATHERS_IDLE;
        }
    }
}

bool irr_gathers_progress(irr_gathers_t *gathers, int rounds)
{
    bool busy = true;

    for (int round = 0; round < rounds && busy; round++) {
        busy = false;
        for (int r = 0; r < gathers->fleet->ranks; r++) {
            irr_transport_t *transport = &gathers->fleet->rank[r].spy->super;

            transport->ops->progress(transport);
            progress(gathers, r);
            busy = busy || gathers->rank[r].phase != IRR_GATHERS_IDLE;
        }
    }
    return !busy;
}

bool irr_gathers_run(irr_gathers_t *gathers, int first, int between)
{
    int ranks = gathers->fleet->ranks;

    for (int i = 0; i < ranks; i++) {
        irr_gathers_start(gathers, (first + i) % ranks);
        irr_gathers_progress(gathers, between);
    }
    gathers->sequence++;
    return irr_gathers_progress(gathers, IRR_GATHERS_ROUNDS);
}

/* ---- results ---- */

int irr_gathers_wrong(const irr_gathers_t *gathers, unsigned mark)
{
    int wrong = 0;

    for (int r = 0; r < gathers->fleet->ranks; r++) {
        wrong += gathers->rank[r].mark != mark || (mark == 0 && !gathers->rank[r].right);
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
