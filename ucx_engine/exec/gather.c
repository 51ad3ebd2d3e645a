/* gather.c - gathers and scatters entries along a binomial tree; see gather.h. */
#include "exec/gather.h"

#include "core/alloc.h"
#include "route/binomial.h"

#include <assert.h>

irr_status_t irr_gather_init(irr_gather_t *gather, int ranks, int rank, size_t entry_max)
{
    irr_status_t status = irr_own_plan_init(&gather->moves, ranks, rank, irr_binomial_bounds(ranks, rank));

    gather->entry_max = entry_max;
    gather->family = irr_binomial_family(ranks, rank);
    gather->lengths = irr_alloc((size_t)gather->family, sizeof(*gather->lengths));
    if (status == IRR_OK && gather->lengths == NULL) {
        status = IRR_ERR_NO_MEMORY;
    }
    if (status != IRR_OK) {
        irr_gather_fini(gather);
    }
    return status;
}

void irr_gather_fini(irr_gather_t *gather)
{
    irr_own_plan_fini(&gather->moves);
    irr_bytes_fini(&gather->entries);
    irr_free(gather->lengths);
    *gather = (irr_gather_t){ .family = 0 };
}

size_t irr_gather_begin(irr_gather_t *gather)
{
    gather->entries.length = 0;
    gather->entries.lacking = false;
    return irr_bytes_begin(&gather->entries);
}

/*
 * Starts to send and receive the entries of this rank's family. If `lengths` is NULL, the ranks exchange the
 * lengths of their entries instead. In memory the entries are contiguous, and this rank's own entry is first. INPUT and
 * OUTPUT of the plan are the own entry, and SCRATCH is the memory behind it.
 */
static void start(irr_gather_t *gather, const uint64_t *lengths, void *bytes)
{
    irr_status_t status;

    irr_own_plan_clear(&gather->moves);
    status = irr_binomial_add(&gather->moves.plan, lengths, gather->down);
    assert(status == IRR_OK);
    (void)status;
    gather->env.input = gather->env.output = bytes;
    gather->env.scratch = (unsigned char *)bytes + (lengths != NULL ? lengths[0] : sizeof(*lengths));
    irr_own_plan_start(&gather->moves, &gather->env);
}

static void start_lengths(irr_gather_t *gather, const irr_exec_env_t *env, bool down)
{
    gather->env = (irr_exec_env_t){
        .channel = env->channel, .tag_base = env->tag_base, .tag_kind = IRR_TAG_SYNC, .counters = env->counters,
        .failure = env->failure };
    gather->down = down;
    gather->moves_entries = false;
    if (gather->status == IRR_OK) {
        start(gather, NULL, gather->lengths);
    }
}

void irr_gather_up(irr_gather_t *gather, const irr_exec_env_t *env)
{
    gather->status = gather->entries.lacking ? IRR_ERR_NO_MEMORY : IRR_OK;
    gather->lengths[0] = gather->entries.length;
    start_lengths(gather, env, false);
}

/* Sets `lengths` from the list of entries. A length includes the word in front of the entry. */
static irr_status_t find_entries(irr_gather_t *gather)
{
    irr_reader_t reader = irr_bytes_read(&gather->entries);

    for (int i = 0; i < gather->family; i++) {
        const size_t begin = reader.at;

        (void)irr_bytes_next(&reader);
        gather->lengths[i] = reader.at - begin;
    }
    return irr_reader_ends(&reader) ? IRR_OK : IRR_ERR_PROTOCOL;
}

void irr_gather_down(irr_gather_t *gather, const irr_exec_env_t *env)
{
    const bool root = gather->moves.plan.rank == 0;

    gather->status = root && gather->entries.lacking ? IRR_ERR_NO_MEMORY : root ? find_entries(gather) : IRR_OK;
    gather->entries.length = root ? gather->entries.length : 0;
    start_lengths(gather, env, true);
}

/*
 * Makes room for the entries that this rank will receive. Before a gather a rank has its own entry. Before a scatter
 * rank 0 has all entries, and other ranks have none.
 */
static irr_status_t make_room(irr_gather_t *gather)
{
    const size_t entry_max = gather->down ? PTRDIFF_MAX : gather->entry_max;
    size_t total = 0;

    for (int i = 0; i < gather->family; i++) {
        if (gather->lengths[i] > entry_max || gather->lengths[i] > PTRDIFF_MAX - total) {
            return IRR_ERR_PROTOCOL;
        }
        total += gather->lengths[i];
    }
    if (total > gather->entries.length &&
        irr_bytes_reserve(&gather->entries, total - gather->entries.length) != IRR_OK) {
        return IRR_ERR_NO_MEMORY;
    }
    gather->entries.length = total;
    return IRR_OK;
}

irr_status_t irr_gather_progress(irr_gather_t *gather)
{
    irr_status_t status = gather->status;

    if (status == IRR_OK) {
        status = irr_exec_progress(&gather->moves.exec);
    }
    if (status == IRR_OK && !gather->moves_entries) {
        gather->moves_entries = true;
        gather->status = status = make_room(gather);
        if (status == IRR_OK) {
            start(gather, gather->lengths, gather->entries.at);
            status = irr_exec_progress(&gather->moves.exec);
        }
    }
    return status == IRR_IN_PROGRESS && gather->moves.exec.result != IRR_OK ? gather->moves.exec.result : status;
}
