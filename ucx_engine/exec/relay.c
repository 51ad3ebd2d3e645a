/*
 * relay.c - the life of a relay, and the stages of an exchange; see relay.h.
 */
#include "exec/relay.h"

#include "core/alloc.h"
#include "route/barrier.h"

#include <assert.h>
#include <string.h>

/* Least bytes of scratch that are asked for at once. */
#define SEGMENT_MIN 65536

/* ---- scratch ---- */

/* More scratch: what is needed, and an eighth of what there is, so that segments stay few. */
static irr_status_t grow_scratch(void *context, size_t length, irr_hole_t *hole)
{
    irr_relay_t *relay = context;
    void *segments = relay->segments;
    size_t bytes = relay->scratch_bytes / 8 > SEGMENT_MIN ? relay->scratch_bytes / 8 : SEGMENT_MIN;
    irr_status_t status = irr_grow(&segments, &relay->segments_max, relay->nsegments + 1, sizeof(irr_segment_t));
    unsigned char *memory;

    relay->segments = segments;
    bytes = length > bytes ? length : bytes;
    /* One byte more than is given away: so two segments never touch, and no place crosses into another one. */
    memory = status == IRR_OK && bytes < SIZE_MAX ? irr_alloc(bytes + 1, 1) : NULL;
    if (memory == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    relay->segments[relay->nsegments++] = (irr_segment_t){ memory, bytes };
    relay->scratch_bytes += bytes;
    *hole = (irr_hole_t){ (size_t)(uintptr_t)memory, bytes };
    return IRR_OK;
}

/* ---- life ---- */

static irr_status_t prepare_barrier(irr_relay_t *relay, int rank)
{
    irr_problem_t nobody = { .ranks = relay->stages.ranks, .rank = rank };
    irr_status_t status;
    size_t done;

    irr_plan_reset(&relay->barrier_plan, &nobody);
    status = irr_barrier_add(&relay->barrier_plan, 1, 1, NULL, 0, &done);
    if (status == IRR_OK) {
        status = irr_exec_reserve(&relay->barrier, (irr_plan_bounds_t){
            .steps = relay->barrier_plan.nsteps, .pieces = relay->barrier_plan.npieces });
    }
    return status;
}

static irr_status_t allocate(irr_relay_t *relay)
{
    const irr_stages_t *stages = &relay->stages;
    irr_status_t status = IRR_OK;
    int slots = 0;

    for (int s = 0; s < stages->count; s++) {
        slots = stages->stage[s].slots > slots ? stages->stage[s].slots : slots;
    }
    relay->sent_known = irr_alloc_zero((size_t)stages->slots, sizeof(*relay->sent_known));
    relay->received_known = irr_alloc_zero((size_t)stages->senders, sizeof(*relay->received_known));
    relay->spares = irr_alloc_zero((size_t)slots, sizeof(*relay->spares));
    relay->sender_number = irr_alloc((size_t)stages->ranks, sizeof(*relay->sender_number));
    relay->blocks = irr_alloc_zero(2 * (size_t)stages->ranks, sizeof(*relay->blocks));
    if (relay->sent_known == NULL || relay->received_known == NULL || relay->spares == NULL ||
        relay->sender_number == NULL || relay->blocks == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    for (int r = 0; r < stages->ranks; r++) {
        relay->sender_number[r] = -1;
    }
    for (int i = 0; i < 2 && status == IRR_OK; i++) {
        status = irr_grid_plan_init(&relay->plans[i], stages);
        relay->plans[i].scratch.grow = grow_scratch;
        relay->plans[i].scratch.context = relay;
    }
    return status;
}

irr_status_t irr_relay_init(irr_relay_t *relay, const irr_grid_t *grid, int ranks, int rank, size_t slice_min,
                            irr_overlap_t overlap)
{
    irr_status_t status;

    memset(relay, 0, sizeof(*relay));
    irr_exec_init(&relay->barrier);
    irr_plan_init(&relay->barrier_plan);
    relay->slice_min = slice_min;
    relay->overlap = overlap;
    relay->plan = &relay->plans[0];
    relay->last = &relay->plans[1];
    status = irr_stages_init(&relay->stages, grid, ranks, rank);
    if (status == IRR_OK) {
        status = allocate(relay);
    }
    if (status == IRR_OK && overlap == IRR_OVERLAP_BLOCKING) {
        status = prepare_barrier(relay, rank);
    }
    if (status != IRR_OK) {
        irr_relay_fini(relay);
    }
    return status;
}

void irr_relay_fini(irr_relay_t *relay)
{
    irr_exec_fini(&relay->barrier);
    irr_plan_fini(&relay->barrier_plan);
    irr_free(relay->inbox.slices);
    irr_free(relay->inbox.bytes);
    for (size_t i = 0; i < relay->nsegments; i++) {
        irr_free(relay->segments[i].memory);
    }
    irr_free(relay->segments);
    irr_grid_plan_fini(&relay->plans[1]);
    irr_grid_plan_fini(&relay->plans[0]);
    irr_free(relay->blocks);
    irr_free(relay->sender_number);
    irr_free(relay->spares);
    irr_free(relay->received_known);
    irr_free(relay->sent_known);
    irr_stages_fini(&relay->stages);
    memset(relay, 0, sizeof(*relay));
}

/* ---- what goes wrong ---- */

void irr_relay_keep(irr_relay_t *relay, irr_status_t status)
{
    if (status != IRR_OK && relay->status == IRR_OK) {
        relay->status = status;
    }
}

void irr_relay_break(irr_relay_t *relay, irr_status_t status)
{
    irr_relay_keep(relay, status);
    relay->broken = relay->broken || status != IRR_OK;
}

/* ---- messages ---- */

irr_flight_t *irr_relay_flight(irr_relay_t *relay, size_t pieces, size_t header)
{
    size_t each = sizeof(irr_iov_t) + sizeof(irr_part_t), fixed = sizeof(irr_flight_t) + each + header;
    irr_flight_t *flight = pieces < (SIZE_MAX - fixed) / each ? irr_alloc(1, fixed + pieces * each) : NULL;

    if (flight != NULL) {
        flight->relay = relay;
        flight->spare = false;
        flight->parts = (irr_part_t *)(flight + 1);
        flight->iov = (irr_iov_t *)(flight->parts + pieces + 1);
        flight->header = (unsigned char *)(flight->iov + pieces + 1);
    }
    return flight;
}

void irr_relay_take_off(irr_relay_t *relay, irr_flight_t *flight, void (*over)(irr_transfer_t *transfer))
{
    flight->relay = relay;
    flight->stage = relay->stage;
    irr_transfer_begin(&flight->transfer, relay->env.channel, relay->env.counters, over);
}

void irr_relay_land(irr_flight_t *flight)
{
    irr_relay_keep(flight->relay, flight->transfer.status);
    if (!flight->spare) {
        irr_free(flight);
    }
}

/* ---- stages ---- */

static void begin_stage(irr_relay_t *relay, int number)
{
    const irr_stage_t *stage;

    relay->stage = number;
    stage = irr_relay_stage(relay);
    relay->next = 1;
    relay->heard = 0;
    relay->earlier_sends = relay->open_sends;
    /* The senders of the stage before were all heard, so nobody is awaited but these. */
    for (int i = 0; i < stage->senders; i++) {
        relay->sender_number[stage->sender[i]] = i;
    }
    if (!relay->broken && !irr_relay_following(relay)) {
        irr_relay_break(relay, irr_grid_plan_sends(relay->plan, number));
    }
}

/* A broken rank sends with its spares, and there is one set of them. */
static bool waits_for_sends(const irr_relay_t *relay)
{
    return relay->overlap == IRR_OVERLAP_SINGLE || relay->overlap == IRR_OVERLAP_BLOCKING || relay->broken ||
           relay->stage == relay->stages.count;
}

static bool stage_is_over(const irr_relay_t *relay)
{
    const irr_stage_t *stage = irr_relay_stage(relay);

    return relay->next == stage->slots && relay->heard == stage->senders && relay->open_receives == 0 &&
           relay->inbox.state == IRR_INBOX_FREE && (relay->open_sends == 0 || !waits_for_sends(relay));
}

/*
 * The barrier after a stage: true when it is over.  All stages have the same one, whose messages cannot overtake each
 * other, because each has the same sender and tag in all of them.
 */
static bool pass_barrier(irr_relay_t *relay)
{
    irr_status_t status;

    if (relay->overlap != IRR_OVERLAP_BLOCKING) {
        return true;
    }
    if (!relay->barrier_open) {
        irr_exec_env_t env = relay->env;

        env.tag_kind = IRR_TAG_SYNC;
        irr_exec_start(&relay->barrier, &relay->barrier_plan, &env);
        relay->barrier_open = true;
    }
    status = irr_exec_progress(&relay->barrier);
    if (status == IRR_IN_PROGRESS) {
        return false;
    }
    relay->barrier_open = false;
    irr_relay_keep(relay, status);
    return true;
}

/* Goes on to the next stage if this one is over; true if so.  After the last one, stage is beyond them. */
static bool end_stage(irr_relay_t *relay)
{
    const irr_stage_t *stage = irr_relay_stage(relay);

    if (!(relay->barrier_open || stage_is_over(relay)) || !pass_barrier(relay)) {
        return false;
    }
    if (!relay->broken && !irr_relay_following(relay)) {
        irr_relay_break(relay, irr_grid_plan_end_stage(relay->plan, relay->stage));
    }
    relay->slot_base += (size_t)stage->slots;
    relay->sender_base += (size_t)stage->senders;
    if (relay->stage == relay->stages.count) {
        relay->stage++;
    } else {
        begin_stage(relay, relay->stage + 1);
    }
    return true;
}

/* ---- the exchange ---- */

static irr_status_t copy_self(irr_relay_t *relay)
{
    const irr_problem_t *problem = relay->problem;
    const irr_block_t *from = &problem->send[problem->rank], *to = &problem->recv[problem->rank];
    size_t bytes = from->length < to->length ? from->length : to->length;

    if (bytes > 0) {
        memmove((char *)relay->env.output + to->offset, (const char *)relay->env.input + from->offset, bytes);
    }
    relay->env.counters->bytes_staged += bytes;
    return from->length > to->length ? IRR_ERR_TRUNCATE : IRR_OK;
}

/* Who has heard that layouts were lost tells all of them again; who has lost some says so. */
static void recover(irr_relay_t *relay)
{
    if (relay->lost) {
        memset(relay->sent_known, 0, (size_t)relay->stages.slots * sizeof(*relay->sent_known));
    }
    relay->lost = relay->broken;
    relay->broken = false;
    relay->status = IRR_OK;
}

void irr_relay_start(irr_relay_t *relay, const irr_problem_t *problem, const irr_exec_env_t *env)
{
    assert(relay->open_sends == 0 && relay->open_receives == 0);
    relay->last = relay->plan;
    relay->problem = problem;
    relay->env = *env;
    relay->window = (irr_window_t){
        .messages_max = env->window_messages, .bytes_max = env->window_bytes
    };
    if (relay->overlap == IRR_OVERLAP_BLOCKING) {
        relay->window.messages_max = 1;
    }
    recover(relay);
    relay->slot_base = 0;
    relay->sender_base = 0;
    irr_relay_break(relay, env->lacks != 0 ? IRR_ERR_NO_MEMORY : IRR_OK);
    if (!irr_relay_may_follow(relay, problem) && !relay->broken) {
        irr_relay_break(relay, irr_relay_begin(relay));
    }
    relay->ended_well = false;
    begin_stage(relay, 1);
    irr_relay_send(relay);
    relay->copied = env->lacks == 0 ? copy_self(relay) : IRR_OK;
}

int irr_relay_awaited(const irr_relay_t *relay)
{
    for (int r = 0; r < relay->stages.ranks; r++) {
        if (relay->sender_number[r] >= 0) {
            return r;
        }
    }
    return -1;
}

irr_status_t irr_relay_progress(irr_relay_t *relay)
{
    bool moved = true;

    while (moved && relay->stage <= relay->stages.count) {
        moved = irr_relay_send(relay);
        moved = irr_relay_receive(relay) || moved;
        moved = end_stage(relay) || moved;
    }
    if (relay->stage <= relay->stages.count) {
        return IRR_IN_PROGRESS;
    }
    if (relay->status != IRR_OK) {
        /* One that failed has thrown away what it was told of layouts.  All it would send to hear of it by then. */
        memset(relay->sent_known, 0, (size_t)relay->stages.slots * sizeof(*relay->sent_known));
        return relay->status;
    }
    relay->ended_well = !relay->plan->truncated;
    return relay->plan->truncated ? IRR_ERR_TRUNCATE : relay->copied;
}
