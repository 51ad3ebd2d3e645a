/*
 * schedules_learn.c - gather, scatter and commit of a new schedule; schedules.h explains the terms.
 *
 * If a message fails, or rank 0 lacks memory to compute, the communicator fails. If a rank lacks memory for its
 * assignment, it reports this in the commit, and all ranks run the exchange without a schedule.
 */
#include "comm/schedules_learn.h"

#include "core/alloc.h"
#include "exec/row.h"

#include <string.h>

/* Words of the agreement of a commit. */
enum { FAILED, BYTES, COMMIT_WORDS };

void irr_schedules_clean(irr_schedules_t *schedules)
{
    if (schedules->learning != NULL) {
        irr_bytes_fini(&schedules->learning->gather.entries);
        irr_cache_entry_fini(&schedules->learning->made);
    }
}

/* ---- gather ---- */

/* Starts to gather the rows. They include the message of each rank to itself, which files with matrices show. */
void irr_schedules_begin_gather(irr_schedules_t *schedules)
{
    irr_gather_t *gather = &schedules->learning->gather;
    size_t begin;

    schedules->state = IRR_SCHEDULES_GATHERS;
    schedules->learning->since = irr_clock_ns();
    begin = irr_gather_begin(gather);
    irr_row_write(&gather->entries, schedules->lengths, schedules->ranks);
    irr_bytes_end(&gather->entries, begin);
    irr_gather_up(gather, &schedules->env);
}

/* Reads the rows of all ranks into the matrix. */
static irr_status_t read_rows(const irr_bytes_t *rows, irr_matrix_t *matrix)
{
    irr_reader_t reader = irr_bytes_read(rows);
    uint64_t total = 0;

    for (int r = 0; r < matrix->ranks; r++) {
        irr_reader_t row = irr_bytes_next(&reader);

        irr_row_read(&row, matrix->ranks, &total, irr_matrix_at(matrix, r, 0));
        reader.bad = reader.bad || !irr_reader_ends(&row);
    }
    return irr_reader_ends(&reader) ? IRR_OK : IRR_ERR_PROTOCOL;
}

/* Runs on rank 0 when it has the rows of all ranks: replaces them by the assignments. */
static irr_status_t answer(irr_schedules_t *schedules)
{
    irr_bytes_t *entries = &schedules->learning->gather.entries;
    const uint64_t bytes = entries->length;
    uint64_t since;
    irr_matrix_t matrix;
    irr_status_t status = irr_matrix_init(&matrix, schedules->ranks);

    if (status != IRR_OK) {
        return status;
    }
    status = read_rows(entries, &matrix);
    irr_bytes_fini(entries);
    if (status == IRR_OK) {
        schedules->matrix = irr_dump_matrix(&schedules->dump, &matrix);
        since = irr_clock_ns();
        status = irr_schedules_compute(schedules, &matrix, bytes, entries);
        irr_schedules_charge(since, &schedules->env.counters->schedule_ns);
    }
    irr_matrix_fini(&matrix);
    return status;
}

irr_status_t irr_schedules_end_gather(irr_schedules_t *schedules)
{
    irr_status_t status;

    irr_schedules_charge(schedules->learning->since, &schedules->env.counters->matrix_ns);
    status = schedules->rank == 0 ? answer(schedules) : IRR_OK;
    if (status != IRR_OK) {
        return status;
    }
    schedules->state = IRR_SCHEDULES_SCATTERS;
    irr_gather_down(&schedules->learning->gather, &schedules->env);
    return IRR_IN_PROGRESS;
}

/* ---- scatter ---- */

irr_status_t irr_schedules_keep(irr_schedules_t *schedules, irr_assignment_t *assignment, irr_cache_entry_t *entry)
{
    const irr_strategy_t *strategy = &schedules->strategy;
    irr_status_t status = irr_share_init(&entry->share, strategy, &assignment->local, schedules->rank);

    entry->forward = assignment->forward;
    assignment->forward = (irr_forward_t){ .step = NULL };
    if (status == IRR_OK && irr_strategy_forwards(strategy)) {
        status = irr_grow(&schedules->scratch, &schedules->scratch_max, irr_forward_scratch(&entry->forward), 1);
    }
    return status;
}

/* Makes this rank's entry for the cache. */
static irr_status_t make_entry(irr_schedules_t *schedules, irr_assignment_t *assignment)
{
    irr_counters_t *counters = schedules->env.counters;
    irr_cache_entry_t *made = &schedules->learning->made;
    const uint64_t since = irr_clock_ns();
    irr_status_t status = irr_cache_entry_init(made, &schedules->own);

    made->declined = assignment->declined;
    if (status == IRR_OK && !made->declined) {
        counters->schedules_built++;
        status = irr_schedules_keep(schedules, assignment, made);
        irr_schedules_charge(since, &counters->schedule_ns);
    }
    return status;
}

static irr_status_t take_assignment(irr_schedules_t *schedules)
{
    irr_reader_t entries = irr_bytes_read(&schedules->learning->gather.entries);
    irr_counters_t *counters = schedules->env.counters;
    irr_assignment_t assignment = { .declined = true };
    irr_status_t status = irr_assignment_read(irr_bytes_next(&entries), schedules->ranks, schedules->rank,
                                              irr_schedules_nodes(schedules), schedules->problem->send, &assignment);

    if (status == IRR_OK) {
        counters->matrices++;
        counters->matrix_bytes += assignment.matrix_bytes;
        status = make_entry(schedules, &assignment);
    }
    irr_assignment_fini(&assignment);
    return status;
}

void irr_schedules_end_scatter(irr_schedules_t *schedules)
{
    uint64_t words[COMMIT_WORDS] = { 0 };

    words[FAILED] = take_assignment(schedules) != IRR_OK;
    irr_bytes_fini(&schedules->learning->gather.entries);
    words[BYTES] = irr_cache_entry_bytes(&schedules->learning->made);
    schedules->state = IRR_SCHEDULES_COMMITS;
    irr_allreduce_start(schedules->agreement, words, COMMIT_WORDS, &schedules->env);
}

/* ---- commit ---- */

irr_cache_entry_t *irr_schedules_end_commit(irr_schedules_t *schedules)
{
    irr_cache_entry_t *entry = NULL;

    if (schedules->agreement->words[FAILED] == 0) {
        schedules->learning->made.matrix = schedules->matrix;
        schedules->learning->made.bytes = schedules->agreement->words[BYTES];
        entry = irr_cache_insert(&schedules->cache, &schedules->learning->made);
    }
    return entry;
}
