/*
 * test_relay_short.c - exchanges one after the other on the same relays, where some ranks are short of memory for a
 * while: all ranks end, those that lacked memory with an error, and with memory again every byte arrives.
 *
 * A run is a string with a letter for each exchange: its counts, and as a capital, that memory may be short in it.
 *
 *     a   the same from each rank to each rank, but the last one sends to rank 0 alone
 *     b   as a, but one message is shorter: most ranks learn of it from a lead, or not at all
 *     c   as a, but the last rank sends nothing: leads on the way to rank 0 become empty
 *     d   all other counts
 */
#include "irr_memory.h"
#include "irr_relays.h"
#include "irr_test.h"
#include "plan_all.h"

#include <ctype.h>
#include <string.h>

#define RANKS_MAX    9
#define JOBS         4

typedef struct scene {
    const char   *row;
    int           ranks, per_node;
    irr_overlap_t overlap;
    size_t        eager_max, zero_copy_min;
} scene_t;

/* Allocations that fail while memory is short, counted for each of these ranks from the beginning of a run. */
static struct {
    const irr_relays_t *relays;
    bool                now;
    unsigned            ranks;                /* a bit each */
    size_t              first, times;
    size_t              count[RANKS_MAX];
    bool                failed[RANKS_MAX];    /* in this exchange */
} shortage;

/* Allocations of loopback for a send are not the engine's. */
static bool fails_now(void)
{
    int rank = shortage.relays->fleet->now;
    size_t count;

    if (!shortage.now || (shortage.ranks >> rank & 1) == 0 || irr_spy_sends_now()) {
        return false;
    }
    count = ++shortage.count[rank];
    if (count < shortage.first || count - shortage.first >= shortage.times) {
        return false;
    }
    shortage.failed[rank] = true;
    return true;
}

/* ---- jobs ---- */

static irr_job_t *make_job(int ranks, size_t length)
{
    irr_job_t *job = irr_job_create(ranks, IRR_JOB_UNIFORM, 0);

    for (uint64_t seed = 1; irr_job_length(job, 0, 0) < length; seed++) {
        irr_job_destroy(job);
        job = irr_job_create(ranks, IRR_JOB_UNIFORM, seed);
    }
    for (int from = 0; from < ranks; from++) {
        for (int to = 0; to < ranks; to++) {
            irr_job_shorten(job, from, to, from < ranks - 1 || to == 0 ? length : 0);
        }
    }
    return job;
}

static void make_jobs(int ranks, irr_job_t **jobs)
{
    for (int i = 0; i < JOBS; i++) {
        jobs[i] = make_job(ranks, i < 3 ? 100 : 120);
    }
    irr_job_shorten(jobs[1], 1, 0, 60);
    irr_job_shorten(jobs[2], ranks - 1, 0, 0);
}

/* ---- a run ---- */

/* Runs an exchange, which must end on all ranks: well, or without memory. */
static void exchange(irr_relays_t *relays, irr_job_t *job, bool is_short)
{
    memset(shortage.failed, 0, sizeof(shortage.failed));
    shortage.now = is_short;
    CU_ASSERT_TRUE_FATAL(irr_relays_exchange(relays, job));
    shortage.now = false;
    for (int r = 0; r < job->ranks; r++) {
        irr_status_t result = relays->rank[r].member->result;

        CU_ASSERT(result == IRR_ERR_NO_MEMORY || (result == IRR_OK && !shortage.failed[r]));
    }
    CU_ASSERT_EQUAL(irr_relays_untrue(relays, job), 0);
}

static bool any_failed(void)
{
    for (int r = 0; r < RANKS_MAX; r++) {
        if (shortage.failed[r]) {
            return true;
        }
    }
    return false;
}

/* The plan that was learned in the end can be frozen. */
static void freeze(irr_relays_t *relays, irr_job_t *job)
{
    CU_ASSERT_EQUAL_FATAL(irr_relays_freeze(relays, job), IRR_OK);
    CU_ASSERT_TRUE_FATAL(irr_relays_exchange_frozen(relays, job));
    CU_ASSERT_EQUAL(irr_relays_wrong(relays, job), 0);
}

/*
 * Runs exchanges.  A rank without memory for announced counts may miss them once more in the next exchange.  Returns
 * true if an allocation failed.
 */
static bool run(const irr_relays_params_t *params, irr_job_t **jobs, const char *exchanges)
{
    bool failed = false, missed = false;
    int bad = 1, before = 1;
    irr_relays_t *relays;

    memset(shortage.count, 0, sizeof(shortage.count));
    irr_memory_begin();
    relays = irr_relays_create(params);
    shortage.relays = relays;
    irr_memory_fail(1, fails_now);
    irr_memory_fail_all();
    for (const char *at = exchanges; *at != '\0'; at++) {
        irr_job_t *job = jobs[tolower(*at) - 'a'];

        exchange(relays, job, isupper(*at));
        before = bad;
        bad = irr_relays_wrong(relays, job);
        CU_ASSERT(bad == 0 || any_failed() || missed);
        missed = any_failed() && (before > 0 || at == exchanges || tolower(at[-1]) != tolower(*at));
        failed = failed || any_failed();
    }
    irr_memory_fail(0, NULL);
    CU_ASSERT_EQUAL(bad, 0);
    freeze(relays, jobs[tolower(exchanges[strlen(exchanges) - 1]) - 'a']);
    irr_relays_destroy(relays);
    CU_ASSERT_EQUAL(irr_memory_end(), 0);
    return failed;
}

/* Returns true if an allocation failed in some run; if nothing changes, exchanges allocate nothing. */
static bool sweep(const scene_t *scene, const char *exchanges, unsigned ranks, size_t times)
{
    irr_relays_params_t params = {
        .algorithm = scene->row, .ranks = scene->ranks, .per_node = scene->per_node, .seed = irr_test_seed(),
        .slice_min = 1, .eager_max = scene->eager_max, .overlap = scene->overlap,
        .zero_copy_min = scene->zero_copy_min
    };
    unsigned failures = CU_get_number_of_failures();
    irr_job_t *jobs[JOBS];

    shortage.ranks = ranks;
    shortage.times = times;
    shortage.first = 1;
    make_jobs(scene->ranks, jobs);
    while (run(&params, jobs, exchanges)) {
        if (CU_get_number_of_failures() > failures) {
            printf("# %s, %d ranks, %d a node, %s, ranks %x: the first bad shortage is %zu from %zu on\n", scene->row,
                   scene->ranks, scene->per_node, exchanges, ranks, times, shortage.first);
            break;
        }
        shortage.first += 1 + shortage.first / 10;
    }
    for (int i = 0; i < JOBS; i++) {
        irr_job_destroy(jobs[i]);
    }
    return shortage.first > 1;
}

/* ---- sweeps ---- */

static const scene_t scenes[] = {
    { "node", 4, 2, IRR_OVERLAP_PIPELINED, 0, 40 },
    { "node", 4, 2, IRR_OVERLAP_SINGLE, SIZE_MAX, 0 },
    { "node", 7, 0, IRR_OVERLAP_PIPELINED, 100, 40 },
    { "grid", 9, 0, IRR_OVERLAP_PIPELINED, SIZE_MAX, 0 },
    { "grid", 7, 0, IRR_OVERLAP_BLOCKING, 0, 40 },
    { "balanced-grid", 4, 0, IRR_OVERLAP_PIPELINED, 0, 40 },
    { "balanced-grid", 6, 0, IRR_OVERLAP_PIPELINED, SIZE_MAX, 0 },
    { "bruck", 8, 0, IRR_OVERLAP_PIPELINED, 0, 40 },
    { "bruck", 6, 0, IRR_OVERLAP_DUAL, SIZE_MAX, 0 },
};

/* One rank, any ranks, all ranks. */
static unsigned draw_ranks(int kind, int ranks, uint64_t *state)
{
    unsigned all = (1u << ranks) - 1;

    switch (kind) {
    case 0:  return 1u << irr_test_below(state, (uint64_t)ranks);
    case 1:  return 1 + (unsigned)irr_test_below(state, all);
    default: return all;
    }
}

/* fails: some allocation must fail. */
static void sweep_all(const char *exchanges, bool fails)
{
    static const size_t times[] = { 1, 4, SIZE_MAX };
    uint64_t state = irr_test_seed();
    bool failed = false;

    for (size_t i = 0; i < IRR_TEST_COUNT(scenes); i++) {
        for (size_t t = 0; t < IRR_TEST_COUNT(times); t++) {
            for (int kind = 0; kind < 3; kind++) {
                const unsigned ranks = draw_ranks(kind, scenes[i].ranks, &state);

                if (irr_test_picks(&state)) {
                    failed = sweep(&scenes[i], exchanges, ranks, times[t]) || failed;
                }
            }
        }
    }
    CU_ASSERT(failed || !fails);
}

/* Memory is short in the first exchange; where nothing, some messages, some leads or all change; and several times. */
static void test_exchanges(void)
{
    static const struct { const char *exchanges; bool fails; } rows[] = {
        { "Aaaabb", true }, { "Abbaa", true }, { "aaAaaabb", false }, { "aAcc", false },
        { "aaBbbbaa", true }, { "aBaaa", true }, { "aBddd", true },
        { "aaCcccaa", true }, { "cAaacc", true }, { "aCaaa", true }, { "aaDdddaa", true }, { "aDaaa", true },
        { "aBCBbbb", true }, { "AADDaaa", true }, { "aDAaaa", true }
    };

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        sweep_all(rows[i].exchanges, rows[i].fails);
    }
}

/* ---- memory of init and freeze ---- */

typedef struct row {
    const char   *name;
    irr_overlap_t overlap;
    irr_nodes_t   nodes;
} row_t;

static irr_status_t init_and_fini(void *context)
{
    const row_t *row = context;
    const irr_relays_t relays = { .params = { .algorithm = row->name, .ranks = 7 }, .nodes = row->nodes };
    const irr_grid_t grid = irr_relays_grid(&relays);
    irr_relay_t relay;
    const irr_status_t status = irr_relay_init(&relay, &grid, 7, 3, 1, row->overlap);

    if (status == IRR_OK) {
        irr_relay_fini(&relay);
    }
    return status;
}

static void test_init_short(void)
{
    row_t rows[] = { { .name = "spread" }, { .name = "balanced-grid", .overlap = IRR_OVERLAP_BLOCKING },
                     { .name = "node", .overlap = IRR_OVERLAP_BLOCKING } };

    for (size_t i = 0; i < IRR_TEST_COUNT(rows); i++) {
        CU_ASSERT_EQUAL_FATAL(irr_plan_all_nodes(7, &rows[i].nodes), IRR_OK);
        CU_ASSERT(irr_memory_fail_each(init_and_fini, &rows[i]) > 9);
        irr_nodes_fini(&rows[i].nodes);
    }
}

static void test_freeze_short(void)
{
    irr_job_t *job = irr_job_create(6, IRR_JOB_UNIFORM, 1);

    for (int overlap = 0; overlap < IRR_OVERLAP_COUNT; overlap++) {
        irr_relays_params_t params = {
            .algorithm = "balanced-grid", .ranks = 6, .slice_min = 1, .overlap = (irr_overlap_t)overlap
        };
        irr_status_t status = IRR_ERR_NO_MEMORY;
        irr_relays_t *relays;
        size_t nth = 0;

        irr_memory_begin();
        relays = irr_relays_create(&params);
        CU_ASSERT_TRUE_FATAL(irr_relays_exchange(relays, job));
        while (status != IRR_OK) {
            irr_memory_fail(++nth, NULL);
            status = irr_relays_freeze(relays, job);
            CU_ASSERT_EQUAL(status, irr_memory_failed() ? IRR_ERR_NO_MEMORY : IRR_OK);
        }
        irr_memory_fail(0, NULL);
        CU_ASSERT(nth > 10);
        CU_ASSERT_TRUE_FATAL(irr_relays_exchange(relays, job));
        CU_ASSERT_EQUAL(irr_relays_wrong(relays, job), 0);
        irr_relays_destroy(relays);
        CU_ASSERT_EQUAL(irr_memory_end(), 0);
    }
    irr_job_destroy(job);
}

IRR_TEST_MAIN("relay short of memory", 600,
    { "memory is short in exchanges",         test_exchanges },
    { "memory is short in init",              test_init_short },
    { "memory is short while a plan freezes", test_freeze_short })
