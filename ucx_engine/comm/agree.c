/*
 * agree.c - the agreements of a setup.
 *
 * Counts, memory and parameters are local, so a rank that gave up alone would hang the others. Each agreement here is
 * one all-reduce (the search for an id: one for each time that members propose different ids). Each decision is a
 * function of the reduced words, so it is the same on all ranks. One setup step starts an agreement, the next one
 * evaluates it.
 *
 * The maximum of a value and the maximum of its complement show whether all ranks have the same value.
 *
 * A rank is in trouble if something keeps it from taking part: missing memory, a bad parameter, a transport that does
 * not open. The rank still takes part in the agreements, which then fail on all ranks.
 *
 * Ids: each member proposes a free id and reserves it, so that it proposes another one for another communicator. If the
 * proposals differ, all members continue behind the largest one, at a random distance that is the same on all members.
 * Without randomness, members that set up several communicators in different orders could propose again and again what
 * others have reserved. After DRAWS proposals all members search from id 0 upwards: each proposes its first free id
 * from the largest proposal on. These proposals only grow, so they become equal or the ids run out.
 *
 * A free id may still have messages of a former communicator, and a transport may need time to find or discard them. A
 * member then checks the first few free ids repeatedly before it proposes one, for half of the timeout at most, so that
 * the waiting members do not time out.
 */
#include "comm/agree.h"

#include "comm/agree_settings.h"
#include "core/clock.h"
#include "core/log.h"
#include "core/random.h"

#include <stdio.h>
#include <string.h>

/* Local. Returns true if this process lacks an address of a member. */
static bool lacks_address(const irr_opening_t *opening)
{
    const irr_comm_params_t *params = &opening->params;
    const irr_agreement_t *agreement = &opening->agreement;
    irr_engine_t *engine = opening->engine;
    bool lacks = false;

    irr_lock_acquire(&engine->lock);
    for (int i = 0; i < params->ranks && !lacks; i++) {
        const irr_peer_t *peer = irr_peers_find(&engine->peers, params->oob->process_name(params->oob->context, i));

        lacks = i != params->rank && (peer == NULL || (agreement->shares && irr_lanes_lacks(peer, IRR_LANE_NEAR)) ||
                                      (agreement->network && irr_lanes_lacks(peer, IRR_LANE_FAR)));
    }
    irr_lock_release(&engine->lock);
    return lacks;
}

static uint64_t trouble_word(const irr_comm_params_t *params, irr_status_t trouble)
{
    return trouble != IRR_OK ? (uint64_t)(params->ranks - params->rank) : 0;
}

/* Takes the words of the lowest rank in trouble; those of all other ranks were zero. */
static irr_status_t told(irr_opening_t *opening)
{
    memcpy(opening->why, opening->words, sizeof(opening->why));
    opening->why[sizeof(opening->why) - 1] = '\0';
    opening->next = opening->after;
    return IRR_OK;
}

/*
 * The reduced maximum identifies the lowest rank in trouble, which logs the reason. All ranks get the reason by one
 * more all-reduce and continue with opening->after.
 */
static irr_status_t tell_trouble(irr_opening_t *opening, uint64_t reduced, const char *reason)
{
    const irr_comm_params_t *params = &opening->params;

    const bool refuses = reason == params->reason && params->otherwise != NULL;

    memset(opening->words, 0, IRR_OPENING_WHY);
    if (reduced == (uint64_t)(params->ranks - params->rank) && reason != NULL) {
        irr_log(IRR_LOG_ERROR, "%s%s%s", reason, refuses ? "; " : "", refuses ? params->otherwise : "");
        snprintf((char *)opening->words, IRR_OPENING_WHY, "rank %d: %s", params->rank, reason);
    }
    return irr_opening_reduce(opening, IRR_OPENING_WHY / sizeof(opening->words[0]), told);
}

static irr_status_t refused(irr_opening_t *opening)
{
    (void)opening;
    return IRR_ERR_NOT_SUPPORTED;
}

/* Words of the first agreement. */
enum { SETTINGS = 1, SETTINGS_COMPLEMENT, NODE, NODE_COMPLEMENT, UNSHARED, SWITCHES,
       WORDS = SWITCHES + IRR_SWITCHES_WORDS };

/* Words of the later agreements, when the transports are open: addresses, and for some agreements an id. */
enum { TROUBLE, ADDRESS_BYTES, ADDRESSES_NEEDED, ADDRESS_WORDS, ID = ADDRESS_WORDS, ID_COMPLEMENT, DRAWN, ID_WORDS };

_Static_assert(WORDS <= IRR_OPENING_WORDS && IRR_OPENING_WHY <= IRR_OPENING_WORDS * sizeof(uint64_t),
               "there is room for all words");

/* Local. Sets the words about addresses. */
static void look_at_addresses(irr_opening_t *opening)
{
    irr_transport_t *transport = opening->engine->transport;
    const void *address;
    size_t length = 0;

    if (opening->params.trouble == IRR_OK) {
        irr_opening_cannot(opening, transport->ops->address(transport, &address, &length), "name its address");
    }
    opening->words[TROUBLE] = trouble_word(&opening->params, opening->params.trouble);
    opening->words[ADDRESS_BYTES] = length;
    opening->words[ADDRESSES_NEEDED] = opening->params.trouble == IRR_OK && lacks_address(opening);
}

static irr_status_t refuse(irr_opening_t *opening)
{
    opening->after = refused;
    return tell_trouble(opening, opening->words[TROUBLE], opening->params.reason);
}

/* Stores the reduced words about addresses. */
static void take_addresses(irr_opening_t *opening)
{
    opening->agreement.address_bytes = opening->words[ADDRESS_BYTES];
    opening->agreement.addresses_needed = opening->words[ADDRESSES_NEEDED] != 0;
}

static irr_status_t addresses_agreed(irr_opening_t *opening)
{
    if (opening->words[TROUBLE] != 0) {
        return refuse(opening);
    }
    take_addresses(opening);
    opening->next = opening->after;
    return IRR_OK;
}

irr_status_t irr_agree_addresses(irr_opening_t *opening, irr_step_fn next)
{
    look_at_addresses(opening);
    opening->after = next;
    return irr_opening_reduce(opening, ADDRESS_WORDS, addresses_agreed);
}

static bool wants_to_share(const irr_comm_params_t *params)
{
    return params->settings.shm && params->ranks > 1;
}

void irr_agree_warn(irr_opening_t *opening, uint64_t reduced, const char *reason)
{
    irr_engine_t *engine = opening->engine;

    if (reduced == (uint64_t)(opening->params.ranks - opening->params.rank) && reason[0] != '\0' && !engine->warned) {
        engine->warned = true;
        irr_log(IRR_LOG_WARN, "%s; so the ranks of a node exchange by the network", reason);
    }
}

static irr_status_t start_agreed(irr_opening_t *opening)
{
    const uint64_t *words = opening->words;

    if (words[TROUBLE] != 0) {
        return refuse(opening);
    }
    if (words[SETTINGS] != ~words[SETTINGS_COMPLEMENT]) {
        return irr_settings_tell(opening);
    }
    irr_agree_warn(opening, words[UNSHARED], opening->engine->reason[IRR_LANE_NEAR]);
    opening->agreement.one_node = words[NODE] == ~words[NODE_COMPLEMENT];
    opening->agreement.shares = wants_to_share(&opening->params) && words[UNSHARED] == 0;
    opening->agreement.network = opening->params.ranks > 1 &&
                                 !(opening->agreement.one_node && opening->agreement.shares);
    opening->agreement.path_bytes = irr_switches_agreed(opening->engine, &opening->params, &opening->files,
                                                        &words[SWITCHES]);
    opening->next = opening->after;
    return IRR_OK;
}

irr_status_t irr_agree_start(irr_opening_t *opening, irr_step_fn next)
{
    const irr_comm_params_t *params = &opening->params;
    uint64_t *words = opening->words;

    words[TROUBLE] = trouble_word(params, params->trouble);
    words[UNSHARED] = opening->lacks_memory ? (uint64_t)(params->ranks - params->rank) : 0;
    words[SETTINGS] = irr_settings_digest(params, &opening->files);
    words[SETTINGS_COMPLEMENT] = ~words[SETTINGS];
    words[NODE] = (uint64_t)irr_comm_files_label(params, &opening->files);
    words[NODE_COMPLEMENT] = ~words[NODE];
    irr_switches_words(params, &opening->files, &words[SWITCHES]);
    opening->after = next;
    return irr_opening_reduce(opening, WORDS, start_agreed);
}

/* ---- trouble ---- */

static irr_status_t all_agreed(irr_opening_t *opening)
{
    const uint64_t trouble = opening->words[0];

    opening->verdict = trouble != 0 ? IRR_ERR_NOT_SUPPORTED : IRR_OK;
    opening->lowest = opening->words[1];
    if (trouble != 0) {
        return tell_trouble(opening, trouble, opening->reason);
    }
    opening->next = opening->after;
    return IRR_OK;
}

irr_status_t irr_agree_all(irr_opening_t *opening, irr_status_t trouble, const char *reason, bool mine,
                           irr_step_fn next)
{
    opening->words[0] = trouble_word(&opening->params, trouble);
    opening->words[1] = mine ? 0 : (uint64_t)(opening->params.ranks - opening->params.rank);
    opening->reason = reason;
    opening->after = next;
    return irr_opening_reduce(opening, 2, all_agreed);
}

irr_status_t irr_agree_no_trouble(irr_opening_t *opening, irr_step_fn next)
{
    return irr_agree_all(opening, opening->params.trouble, opening->params.reason, true, next);
}

/* ---- ids ---- */

/* The search starts behind the id that this process took last. */
#define FROM_NEXT UINT32_MAX

/* Number of free ids that are checked repeatedly until one has no messages left. */
#define LOOKS 4

/* Number of random proposals; largest number of random bits, which grows by one with each proposal. */
#define DRAWS      64
#define DRAWN_BITS 8

#define NS_PER_S UINT64_C(1000000000)

/*
 * Takes the first free id from `from` on that has no messages left. Returns IRR_IDS_NONE if there is none; *busy tells
 * that one may become available. No rank sends with an id before this rank has proposed it, so messages that are
 * present belong to a former communicator.
 */
static uint32_t find_free(irr_engine_t *engine, uint32_t from, bool *busy)
{
    uint32_t id;
    int looks = 0;

    irr_lock_acquire(&engine->lock);
    id = irr_ids_find(&engine->ids, from == FROM_NEXT ? engine->ids.next : from);
    while (id != IRR_IDS_NONE && !irr_strays_clear(engine, id)) {
        id = ++looks < LOOKS ? irr_ids_find(&engine->ids, id + 1) : IRR_IDS_NONE;
    }
    if (id != IRR_IDS_NONE) {
        irr_ids_take(&engine->ids, id);
        irr_strays_take_id(&engine->strays, id);
    }
    irr_lock_release(&engine->lock);
    *busy = looks > 0;
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

/* Returns true while the search may wait for messages to drain; without a timeout always. */
static bool may_look_again(irr_opening_t *opening)
{
    const uint64_t now_ns = irr_clock_ns(), limit_ns = opening->params.settings.timeout * NS_PER_S / 2;

    if (opening->busy_ns == 0) {
        opening->busy_ns = now_ns;
    }
    return limit_ns == 0 || now_ns - opening->busy_ns < limit_ns;
}

static irr_status_t look_for_id(irr_opening_t *opening)
{
    uint64_t own = (uintptr_t)opening + opening->draws;
    bool busy = false;

    opening->id = opening->params.trouble == IRR_OK ? find_free(opening->engine, opening->from, &busy) : IRR_IDS_NONE;
    if (opening->id == IRR_IDS_NONE && busy && may_look_again(opening)) {
        (void)irr_engine_progress(opening->engine);
        return IRR_IN_PROGRESS;
    }
    look_at_addresses(opening);
    opening->words[ID] = opening->id;
    opening->words[ID_COMPLEMENT] = ~(uint64_t)opening->id;
    opening->words[DRAWN] = irr_random(&own);   /* the maximum is used, which is the same on all ranks */
    return irr_opening_reduce(opening, ID_WORDS, opening->then);
}

static irr_status_t propose(irr_opening_t *opening, uint32_t from, irr_step_fn next)
{
    opening->from = from;
    opening->then = next;
    opening->next = look_for_id;
    return IRR_OK;
}

/* Returns true if all proposals are equal and valid: the search ends. If they differ, frees the own proposal. */
static bool have_met(irr_opening_t *opening)
{
    const uint64_t largest = opening->words[ID];

    take_addresses(opening);
    if (largest != ~opening->words[ID_COMPLEMENT]) {
        irr_agree_release(opening);
    } else if (largest != IRR_IDS_NONE) {
        opening->next = opening->after;
        return true;
    }
    return false;
}

static irr_status_t no_id(irr_opening_t *opening)
{
    snprintf(opening->why, sizeof(opening->why), "none of the %u communicator ids is free at all ranks of a "
             "communicator", (unsigned)IRR_IDS_COUNT);
    if (opening->params.rank == 0) {
        const char *otherwise = opening->params.otherwise;

        irr_log(IRR_LOG_WARN, "%s%s%s", opening->why, otherwise != NULL ? "; " : "",
                otherwise != NULL ? otherwise : "");
    }
    return IRR_ERR_NOT_SUPPORTED;
}

static irr_status_t searched(irr_opening_t *opening)
{
    const uint64_t largest = opening->words[ID];

    if (opening->words[TROUBLE] != 0) {
        return refuse(opening);
    }
    if (have_met(opening)) {
        return IRR_OK;
    }
    if (largest == IRR_IDS_NONE) {
        opening->next = no_id;
        return IRR_OK;
    }
    return propose(opening, (uint32_t)largest, searched);
}

/* Returns where to search next, the same on all ranks: from the largest proposal, or from 0 if a member found no id. */
static uint32_t draw(const irr_opening_t *opening)
{
    const uint64_t largest = opening->words[ID], begin = largest == IRR_IDS_NONE ? 0 : largest;
    const unsigned bits = opening->draws < DRAWN_BITS ? opening->draws : DRAWN_BITS;

    return (uint32_t)((begin + (opening->words[DRAWN] & ((UINT64_C(1) << bits) - 1))) % IRR_IDS_COUNT);
}

static irr_status_t drawn(irr_opening_t *opening)
{
    if (opening->words[TROUBLE] != 0) {
        return refuse(opening);
    }
    if (have_met(opening)) {
        return IRR_OK;
    }
    return ++opening->draws < DRAWS ? propose(opening, draw(opening), drawn) : propose(opening, 0, searched);
}

irr_status_t irr_agree_id(irr_opening_t *opening, irr_step_fn next)
{
    opening->after = next;
    return propose(opening, FROM_NEXT, drawn);
}
