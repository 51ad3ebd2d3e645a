/*
 * agree.c - the one place where ranks agree.
 *
 * Counts, memory and parameters are local, so a rank that left alone would hang the others.  Each agreement here is
 * one all-reduce (the search for an id: one for each time that members propose different ids), and each result is a
 * function of what was reduced, so it is alike on all ranks.  One step starts it, and the next one looks at the result.
 *
 * The maximum of a value and of its complement tell whether all ranks have the same value.
 *
 * Ids: each member proposes a free id, which it holds meanwhile, so that another thread of the process that
 * agrees for another communicator proposes another one.  The largest proposal wins the round; who has that
 * id in use proposes its next free one.  Proposals only grow, so all meet or one runs out; then all start
 * once more from 0.
 */
#include "comm/agree.h"

#include "comm/agree_settings.h"
#include "core/log.h"

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
static void tell_trouble(const irr_comm_params_t *params, uint64_t reduced, const char *reason)
{
    if (reduced == (uint64_t)(params->ranks - params->rank) && reason != NULL) {
        irr_log(IRR_LOG_ERROR, "%s", reason);
    }
}

/* What the ranks agree on; the first of them whenever they have, or have got, transports. */
enum { TROUBLE, ADDRESS_BYTES, ADDRESSES_NEEDED, ADDRESS_WORDS,
       SETTINGS = ADDRESS_WORDS, SETTINGS_COMPLEMENT, NODE, NODE_COMPLEMENT, SWITCHES,
       WORDS = SWITCHES + IRR_SWITCHES_WORDS };

_Static_assert(WORDS <= IRR_OPENING_WORDS, "there is room for all words");

/* Local.  Without a transport there is no address, and nobody's is needed. */
static void look_at_addresses(irr_opening_t *opening)
{
    const irr_comm_params_t *params = &opening->params;
    irr_engine_t *engine = opening->engine;
    const bool has_none = params->trouble == IRR_OK && engine->transport == irr_transport_none();
    irr_status_t status = params->trouble;
    const void *address;
    size_t length = 0;

    if (status == IRR_OK && !has_none) {
        status = engine->transport->ops->address(engine->transport, &address, &length);
    }
    opening->words[TROUBLE] = trouble_word(params, status);
    opening->words[ADDRESS_BYTES] = length;
    opening->words[ADDRESSES_NEEDED] = status == IRR_OK && !has_none && lacks_address(engine, params);
}

/* The maxima of those words. */
static irr_status_t take_addresses(irr_opening_t *opening)
{
    const uint64_t *words = opening->words;

    if (words[TROUBLE] != 0) {
        tell_trouble(&opening->params, words[TROUBLE], opening->params.reason);
        return IRR_ERR_NOT_SUPPORTED;
    }
    opening->agreement.address_bytes = words[ADDRESS_BYTES];
    opening->agreement.addresses_needed = words[ADDRESSES_NEEDED] != 0;
    return IRR_OK;
}

static irr_status_t addresses_agreed(irr_opening_t *opening)
{
    opening->next = opening->after;
    return take_addresses(opening);
}

irr_status_t irr_agree_addresses(irr_opening_t *opening, irr_step_fn next)
{
    look_at_addresses(opening);
    opening->after = next;
    return irr_opening_reduce(opening, ADDRESS_WORDS, addresses_agreed);
}

static irr_status_t start_agreed(irr_opening_t *opening)
{
    const uint64_t *words = opening->words;
    irr_status_t status = take_addresses(opening);

    if (status != IRR_OK) {
        return status;
    }
    if (words[SETTINGS] != ~words[SETTINGS_COMPLEMENT]) {
        return irr_settings_tell(opening);
    }
    opening->agreement.one_node = words[NODE] == ~words[NODE_COMPLEMENT];
    opening->agreement.path_bytes = irr_switches_agreed(opening->engine, &opening->params, &opening->files,
                                                        &words[SWITCHES]);
    opening->next = opening->after;
    return IRR_OK;
}

irr_status_t irr_agree_start(irr_opening_t *opening, irr_step_fn next)
{
    uint64_t *words = opening->words;

    look_at_addresses(opening);
    words[SETTINGS] = irr_settings_digest(&opening->params, &opening->files);
    words[SETTINGS_COMPLEMENT] = ~words[SETTINGS];
    words[NODE] = (uint64_t)irr_comm_files_label(&opening->params, &opening->files);
    words[NODE_COMPLEMENT] = ~words[NODE];
    irr_switches_words(&opening->params, &opening->files, &words[SWITCHES]);
    opening->after = next;
    return irr_opening_reduce(opening, WORDS, start_agreed);
}

/* ---- trouble ---- */

static irr_status_t all_agreed(irr_opening_t *opening)
{
    const uint64_t trouble = opening->words[0];

    if (trouble != 0) {
        tell_trouble(&opening->params, trouble, opening->reason);
    }
    opening->verdict = trouble != 0 ? IRR_ERR_NOT_SUPPORTED : IRR_OK;
    opening->all = opening->words[1] == 0;
    opening->next = opening->after;
    return IRR_OK;
}

irr_status_t irr_agree_all(irr_opening_t *opening, irr_status_t trouble, const char *reason, bool mine,
                           irr_step_fn next)
{
    opening->words[0] = trouble_word(&opening->params, trouble);
    opening->words[1] = !mine;
    opening->reason = reason;
    opening->after = next;
    return irr_opening_reduce(opening, 2, all_agreed);
}

irr_status_t irr_agree_no_trouble(irr_opening_t *opening, irr_step_fn next)
{
    return irr_agree_all(opening, opening->params.trouble, opening->params.reason, true, next);
}

/* ---- ids ---- */

/* Stands for the place after the id that this process took last. */
#define FROM_NEXT UINT32_MAX

/*
 * Takes the first free id from `from` on.  No rank sends with it before this one has proposed it, so what is here by
 * then is left from a communicator that had it before.
 */
static uint32_t find_free(irr_engine_t *engine, uint32_t from)
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

void irr_agree_release(irr_opening_t *opening)
{
    irr_engine_t *engine = opening->engine;

    if (opening->id != IRR_IDS_NONE) {
        irr_lock_acquire(&engine->lock);
        irr_ids_give(&engine->ids, opening->id);
        irr_lock_release(&engine->lock);
        opening->id = IRR_IDS_NONE;
    }
}

static irr_status_t first_proposed(irr_opening_t *opening);
static irr_status_t again_proposed(irr_opening_t *opening);

static irr_status_t propose(irr_opening_t *opening, uint32_t from, irr_step_fn next)
{
    opening->id = find_free(opening->engine, from);
    opening->words[0] = opening->id;
    opening->words[1] = ~(uint64_t)opening->id;
    return irr_opening_reduce(opening, 2, next);
}

/* All have proposed the same, or it is searched upwards from the largest; `none` follows if they do not meet. */
static irr_status_t proposed(irr_opening_t *opening, irr_step_fn search, irr_step_fn none)
{
    const uint64_t largest = opening->words[0];

    if (largest == ~opening->words[1]) {
        opening->next = largest == IRR_IDS_NONE ? none : opening->after;
        return IRR_OK;
    }
    irr_agree_release(opening);
    if (largest == IRR_IDS_NONE) {
        opening->next = none;
        return IRR_OK;
    }
    return propose(opening, (uint32_t)largest, search);
}

static irr_status_t no_id(irr_opening_t *opening)
{
    if (opening->params.rank == 0) {
        irr_log(IRR_LOG_WARN, "none of the %u communicator ids is free at all ranks of a communicator",
                (unsigned)IRR_IDS_COUNT);
    }
    return IRR_ERR_NOT_SUPPORTED;
}

static irr_status_t propose_again(irr_opening_t *opening)
{
    return propose(opening, 0, again_proposed);
}

static irr_status_t first_proposed(irr_opening_t *opening)
{
    return proposed(opening, first_proposed, propose_again);
}

static irr_status_t again_proposed(irr_opening_t *opening)
{
    return proposed(opening, again_proposed, no_id);
}

irr_status_t irr_agree_id(irr_opening_t *opening, irr_step_fn next)
{
    opening->after = next;
    return propose(opening, FROM_NEXT, first_proposed);
}
