/*
 * agree.c - the one place where ranks agree.
 *
 * Counts, memory and parameters are local, so a rank that left alone would hang the others.  Each function
 * here is one all-reduce (the search for an id: one for each time that members propose different ids), and
 * each result is a function of what was reduced, so it is alike on all ranks.
 *
 * The maximum of a value and of its complement tell whether all ranks have the same value.
 *
 * Ids: each member proposes a free id, which it holds meanwhile, so that another thread of the process that
 * agrees for another communicator proposes another one.  The largest proposal wins the round; who has that
 * id in use proposes its next free one.  Proposals only grow, so all meet or one runs out; then all start
 * once more from 0.
 */
#include "comm/agree.h"

#include "comm/switches.h"

#include "core/log.h"

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 29;
}

/* All settings and files in one word; different ones have different words but for a negligible few. */
static uint64_t digest(const irr_comm_params_t *params, const irr_comm_files_t *files)
{
    const irr_settings_t *settings = &params->settings;
    const irr_topology_t *topology = &files->topology;
    const irr_scheduled_params_t *scheduled = &settings->scheduled;
    const irr_redistribution_t *redistribution = &scheduled->redistribution;
    const uint64_t words[] = {
        (uint64_t)settings->algorithm, (uint64_t)settings->compose,
        settings->window_messages, settings->window_bytes,
        settings->slice_min, (uint64_t)settings->overlap, (uint64_t)settings->pace, settings->grants,
        scheduled->seed, (uint64_t)scheduled->lambda.rule, scheduled->lambda.share, scheduled->latency,
        (uint64_t)scheduled->max_steps, scheduled->shift, redistribution->x, (uint64_t)redistribution->p,
        redistribution->y, (uint64_t)redistribution->q, settings->matrix_max_bytes, settings->cache_bytes,
        settings->schedule_ms,
        settings->piece_bytes, settings->lead_bytes, (uint64_t)settings->host_route,
        settings->board_block, settings->board_bytes, settings->timeout,
        settings->matrix_dump != NULL && settings->matrix_dump[0] != '\0',
        (uint64_t)files->schedule.ranks,
        (uint64_t)topology->hosts, (uint64_t)topology->vertices,
        params->only_boards,
        (uint64_t)settings->dims.count
    };
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        hash = mix(hash, words[i]);
    }
    for (int i = 0; i < settings->dims.count; i++) {
        hash = mix(hash, (uint64_t)settings->dims.size[i]);
    }
    for (int i = 0; i < topology->vertices; i++) {
        hash = mix(mix(hash, (uint64_t)topology->parent[i]), topology->speed[i]);
    }
    for (size_t i = 0; i < files->schedule.count; i++) {
        const irr_transmission_t *t = &files->schedule.list[i];

        hash = mix(mix(mix(hash, (uint64_t)t->step), (uint64_t)t->from), (uint64_t)t->to);
        hash = mix(mix(mix(hash, t->offset), t->length), (uint64_t)t->more);
    }
    return hash;
}

/* Local: does this process lack the address of a member? */
static bool lacks_address(irr_engine_t *engine, const irr_comm_params_t *params)
{
    bool lacks = false;

    irr_lock_acquire(&engine->lock);
    for (int i = 0; i < params->ranks && !lacks; i++) {
        uint64_t name = params->oob->process_name(params->oob->context, i);

        lacks = i != params->rank && irr_peers_find(&engine->peers, name) == NULL;
    }
    irr_lock_release(&engine->lock);
    return lacks;
}

static uint64_t trouble_word(const irr_comm_params_t *params, irr_status_t trouble)
{
    return trouble != IRR_OK ? (uint64_t)(params->ranks - params->rank) : 0;
}

/* The maximum that was reduced belongs to the lowest rank in trouble, which speaks for all. */
static void tell_trouble(const irr_comm_params_t *params, uint64_t reduced)
{
    if (reduced == (uint64_t)(params->ranks - params->rank) && params->reason != NULL) {
        irr_log(IRR_LOG_ERROR, "%s", params->reason);
    }
}

/* What the ranks agree on; the first of them whenever they have, or have got, transports. */
enum { TROUBLE, ADDRESS_BYTES, ADDRESSES_NEEDED, ADDRESS_WORDS,
       SETTINGS = ADDRESS_WORDS, SETTINGS_COMPLEMENT, NODE, NODE_COMPLEMENT, SWITCHES,
       WORDS = SWITCHES + IRR_SWITCHES_WORDS };

/* Local.  Without a transport there is no address, and nobody's is needed. */
static void look_at_addresses(irr_engine_t *engine, const irr_comm_params_t *params, uint64_t *words)
{
    const bool has_none = params->trouble == IRR_OK && engine->transport == irr_transport_none();
    irr_status_t status = params->trouble;
    const void *address;
    size_t length = 0;

    if (status == IRR_OK && !has_none) {
        status = engine->transport->ops->address(engine->transport, &address, &length);
    }
    words[TROUBLE] = trouble_word(params, status);
    words[ADDRESS_BYTES] = length;
    words[ADDRESSES_NEEDED] = status == IRR_OK && !has_none && lacks_address(engine, params);
}

/* Reduces them. */
static irr_status_t agree_on(const irr_comm_params_t *params, uint64_t *words, size_t count,
                             irr_agreement_t *agreement)
{
    if (params->oob->allreduce_max(params->oob->context, words, count) != IRR_OK) {
        return IRR_ERR_OOB;
    }
    if (words[TROUBLE] != 0) {
        tell_trouble(params, words[TROUBLE]);
        return IRR_ERR_NOT_SUPPORTED;
    }
    agreement->address_bytes = words[ADDRESS_BYTES];
    agreement->addresses_needed = words[ADDRESSES_NEEDED] != 0;
    return IRR_OK;
}

irr_status_t irr_agree_addresses(irr_engine_t *engine, const irr_comm_params_t *params, irr_agreement_t *agreement)
{
    uint64_t words[ADDRESS_WORDS];

    look_at_addresses(engine, params, words);
    return agree_on(params, words, ADDRESS_WORDS, agreement);
}

irr_status_t irr_agree_start(irr_engine_t *engine, const irr_comm_params_t *params, const irr_comm_files_t *files,
                             irr_agreement_t *agreement)
{
    uint64_t words[WORDS];
    irr_status_t status;

    look_at_addresses(engine, params, words);
    words[SETTINGS] = digest(params, files);
    words[SETTINGS_COMPLEMENT] = ~words[SETTINGS];
    words[NODE] = (uint64_t)irr_comm_files_label(params, files);
    words[NODE_COMPLEMENT] = ~words[NODE];
    irr_switches_words(params, files, &words[SWITCHES]);
    status = agree_on(params, words, WORDS, agreement);
    if (status != IRR_OK) {
        return status;
    }
    if (words[SETTINGS] != ~words[SETTINGS_COMPLEMENT]) {
        if (params->rank == 0) {
            irr_log(IRR_LOG_ERROR, "ranks of a communicator have different settings of algorithm, dims, slice_min, "
                    "overlap, composition, window, pace, schedule, board or topology; they must be the same on all "
                    "ranks");
        }
        return IRR_ERR_NOT_SUPPORTED;
    }
    agreement->one_node = words[NODE] == ~words[NODE_COMPLEMENT];
    agreement->path_bytes = irr_switches_agreed(engine, params, files, &words[SWITCHES]);
    return IRR_OK;
}

irr_status_t irr_agree_all(const irr_comm_params_t *params, bool mine, bool *all_p)
{
    uint64_t words[2] = { trouble_word(params, params->trouble), !mine };

    if (params->oob->allreduce_max(params->oob->context, words, 2) != IRR_OK) {
        return IRR_ERR_OOB;
    }
    if (words[0] != 0) {
        tell_trouble(params, words[0]);
        return IRR_ERR_NOT_SUPPORTED;
    }
    *all_p = words[1] == 0;
    return IRR_OK;
}

irr_status_t irr_agree_no_trouble(const irr_comm_params_t *params)
{
    bool all;

    return irr_agree_all(params, true, &all);
}

/* Stands for the place after the id that this process took last. */
#define FROM_NEXT UINT32_MAX

/*
 * Takes the first free id from `from` on.  No rank sends with it before this one has proposed it, so what is here by
 * then is left from a communicator that had it before.
 */
static uint32_t propose(irr_engine_t *engine, uint32_t from)
{
    uint32_t id;

    irr_lock_acquire(&engine->lock);
    id = irr_ids_find(&engine->ids, from == FROM_NEXT ? engine->ids.next : from);
    while (id != IRR_IDS_NONE && !irr_strays_clear(engine, id)) {
        id = irr_ids_find(&engine->ids, id + 1);
    }
    if (id != IRR_IDS_NONE) {
        irr_ids_take(&engine->ids, id);
        irr_strays_take_id(&engine->strays, id);
    }
    irr_lock_release(&engine->lock);
    return id;
}

static void release(irr_engine_t *engine, uint32_t id)
{
    if (id != IRR_IDS_NONE) {
        irr_lock_acquire(&engine->lock);
        irr_ids_give(&engine->ids, id);
        irr_lock_release(&engine->lock);
    }
}

/* Searches upwards from `from`; IRR_IDS_NONE, alike on all members, if they do not meet. */
static irr_status_t search(irr_engine_t *engine, const irr_oob_t *oob, uint32_t from, uint32_t *id_p)
{
    for (;;) {
        uint32_t mine = propose(engine, from);
        uint64_t words[2] = { mine, ~(uint64_t)mine };

        if (oob->allreduce_max(oob->context, words, 2) != IRR_OK) {
            release(engine, mine);
            return IRR_ERR_OOB;
        }
        if (words[0] == ~words[1]) {
            *id_p = mine;
            return IRR_OK;
        }
        release(engine, mine);
        if (words[0] == IRR_IDS_NONE) {
            *id_p = IRR_IDS_NONE;
            return IRR_OK;
        }
        from = (uint32_t)words[0];
    }
}

irr_status_t irr_agree_id(irr_engine_t *engine, const irr_oob_t *oob, uint32_t *id_p)
{
    uint32_t id;
    irr_status_t status = search(engine, oob, FROM_NEXT, &id);

    if (status == IRR_OK && id == IRR_IDS_NONE) {
        status = search(engine, oob, 0, &id);
    }
    if (status != IRR_OK) {
        return status;
    }
    if (id == IRR_IDS_NONE) {
        return IRR_ERR_NOT_SUPPORTED;
    }
    *id_p = id;
    return IRR_OK;
}
