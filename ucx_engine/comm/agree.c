/*
 * agree.c - the agreements of a setup.
 *
 * A problem of one rank, such as missing memory, is not known to the other ranks. If this rank gave up alone, the
 * others would wait forever. The ranks therefore agree on each decision: an all-reduce computes the maxima of a few
 * words, and each rank decides by the maxima only. One step of the setup (comm/setup.h) starts an agreement, and the
 * next step evaluates it. The search for an id takes one more all-reduce each time that members propose different ids.
 *
 * A word is equal on all ranks if and only if its maximum is the complement of the maximum of its complements.
 *
 * A rank is in trouble if it lacks memory, has a bad parameter, or cannot open a transport. It still takes part in the
 * agreements, which then fail on all ranks. The word of a rank in trouble is the number of ranks minus its rank, so
 * that the maximum identifies the lowest rank in trouble.
 *
 * Messages carry the id of their communicator, which must be free on all members. Each member proposes a free id, and
 * marks it as used so that it does not propose this id for another communicator as well. If the proposals differ, all
 * members add the same random number to the largest proposal, and propose the next free id from there on. Without the
 * random number, members that set up several communicators in different orders could block each other's proposals again
 * and again. After DRAWS proposals, each member proposes its first free id from 0 on, and then from the largest
 * proposal on. From then on the proposals only grow, until they are equal or no id is left.
 *
 * Messages of a former communicator with the same id may still arrive, and a transport may need time to discard them. A
 * member therefore proposes only an id without such messages, and checks the first few free ids until it finds one. It
 * gives up after half of the timeout, because the other members wait for it.
 */
#include "comm/agree.h"

#include "comm/agree_settings.h"
#include "core/clock.h"
#include "core/hash.h"
#include "core/log.h"
#include "core/random.h"

#include <stdio.h>
#include <string.h>

/* Local. Returns true if this process needs the address of another process. kind: near (shared memory) or far. */
static bool lacks(const irr_engine_t *engine, uint64_t name, irr_lane_kind_t kind)
{
    const irr_peer_t *peer = irr_peers_find(&engine->peers, name);
    size_t length = 0;
    const void *address;

    if (peer != NULL && !irr_lanes_lacks(peer, kind)) {
        return false;
    }
    address = irr_directories_find(engine->directories, name, &length);
    return address == NULL || !irr_lanes_has(address, length, kind);
}

/* Local. Returns true if this process needs the address of some member and does not have it. */
static bool lacks_address(const irr_setup_t *setup)
{
    const irr_comm_params_t *params = &setup->params;
    const irr_agreement_t *agreement = &setup->agreement;
    irr_engine_t *engine = setup->engine;
    bool lacking = false;

    irr_lock_acquire(&engine->lock);
    for (int i = 0; i < params->ranks && !lacking; i++) {
        const uint64_t name = irr_members_name(&setup->comm->members, i);

        lacking = i != params->rank && ((agreement->shares && lacks(engine, name, IRR_LANE_NEAR)) ||
                                        (agreement->network && lacks(engine, name, IRR_LANE_FAR)));
    }
    irr_lock_release(&engine->lock);
    return lacking;
}

static uint64_t trouble_word(const irr_comm_params_t *params, irr_status_t trouble)
{
    return trouble != IRR_OK ? (uint64_t)(params->ranks - params->rank) : 0;
}

/* Stores the reason. Only the lowest rank in trouble has sent a text, so the maxima are this text. */
static irr_status_t answered(irr_setup_t *setup)
{
    memcpy(setup->why, setup->words, sizeof(setup->why));
    setup->why[sizeof(setup->why) - 1] = '\0';
    setup->next = setup->after;
    return IRR_OK;
}

/*
 * Reports that a rank is in trouble. reduced: the maximum of the trouble words; the lowest rank in trouble logs its
 * reason. One more all-reduce sends the reason to all ranks, which then run setup->after.
 */
static irr_status_t report_trouble(irr_setup_t *setup, uint64_t reduced, const char *reason)
{
    const irr_comm_params_t *params = &setup->params;
    const bool refuses = reason == params->reason && params->otherwise != NULL;

    memset(setup->words, 0, IRR_SETUP_WHY);
    if (reduced == (uint64_t)(params->ranks - params->rank) && reason != NULL) {
        irr_log(IRR_LOG_ERROR, "%s%s%s", reason, refuses ? "; " : "", refuses ? params->otherwise : "");
        const int used = snprintf((char *)setup->words, IRR_SETUP_WHY, "rank %d: ", params->rank);

        irr_log_fit((char *)setup->words + used, IRR_SETUP_WHY - (size_t)used, reason);
    }
    return irr_setup_reduce(setup, IRR_SETUP_WHY / sizeof(setup->words[0]), answered);
}

static irr_status_t refused(irr_setup_t *setup)
{
    (void)setup;
    return IRR_ERR_NOT_SUPPORTED;
}

/* Words of the first agreement. */
enum { SETTINGS = 1, SETTINGS_COMPLEMENT, NODE, NODE_COMPLEMENT, UNSHARED, SWITCHES,
       WORDS = SWITCHES + IRR_SWITCHES_WORDS };

/* Words of the later agreements, when the transports are open. The words from ID on belong to the search for an id. */
enum { TROUBLE, ADDRESS_BYTES, ADDRESSES_NEEDED, NETWORK, NETWORK_COMPLEMENT, ADDRESS_WORDS,
       ID = ADDRESS_WORDS, ID_COMPLEMENT, DRAWN, ID_WORDS };

_Static_assert(WORDS <= IRR_SETUP_WORDS && IRR_SETUP_WHY <= IRR_SETUP_WORDS * sizeof(uint64_t),
               "setup->words has room for the words of each agreement");

/* Local. Returns a digest of the name of the open network; 0: the communicator needs none, or this rank has none. */
static uint64_t network_of(const irr_setup_t *setup)
{
    const irr_transport_t *network = setup->engine->lanes->inner[IRR_LANE_FAR];

    return setup->agreement.network && network != NULL ? irr_hash_text(IRR_HASH_BASIS, network->caps.name) : 0;
}

/* Local. Sets the words before ADDRESS_WORDS. */
static void set_address_words(irr_setup_t *setup)
{
    irr_transport_t *transport = setup->engine->transport;
    const void *address;
    size_t length = 0;

    if (setup->params.trouble == IRR_OK) {
        irr_setup_cannot(setup, transport->ops->address(transport, &address, &length), "name its address");
    }
    setup->words[TROUBLE] = trouble_word(&setup->params, setup->params.trouble);
    setup->words[ADDRESS_BYTES] = length;
    setup->words[ADDRESSES_NEEDED] = setup->params.trouble == IRR_OK && lacks_address(setup);
    setup->words[NETWORK] = network_of(setup);
    setup->words[NETWORK_COMPLEMENT] = ~setup->words[NETWORK];
}

/* Returns true if the setup must end: a rank is in trouble, or some ranks have opened UCX and others libfabric. */
static bool is_refused(const irr_setup_t *setup)
{
    return setup->words[TROUBLE] != 0 || setup->words[NETWORK] != ~setup->words[NETWORK_COMPLEMENT];
}

/* Ends the setup if ranks have opened different networks. The ranks with one of the two are then in trouble. */
static irr_status_t refuse_networks(irr_setup_t *setup)
{
    if (network_of(setup) != setup->words[NETWORK]) {
        snprintf(setup->files.reason, sizeof(setup->files.reason), "rank %d of a communicator has opened transport %s, "
                 "and other ranks another, because UCX can be loaded on some ranks only; install UCX on all nodes, or "
                 "set %stransport to ofi", setup->params.rank, setup->engine->lanes->inner[IRR_LANE_FAR]->caps.name,
                 irr_log_prefix());
        irr_setup_note(setup, IRR_ERR_NOT_SUPPORTED, setup->files.reason);
    }
    return irr_agree_no_trouble(setup, refused);
}

static irr_status_t refuse(irr_setup_t *setup)
{
    if (setup->words[TROUBLE] == 0) {
        return refuse_networks(setup);
    }
    setup->after = refused;
    return report_trouble(setup, setup->words[TROUBLE], setup->params.reason);
}

static void take_addresses(irr_setup_t *setup)
{
    setup->agreement.address_bytes = setup->words[ADDRESS_BYTES];
    setup->agreement.addresses_needed = setup->words[ADDRESSES_NEEDED] != 0;
}

static irr_status_t addresses_agreed(irr_setup_t *setup)
{
    if (is_refused(setup)) {
        return refuse(setup);
    }
    take_addresses(setup);
    setup->next = setup->after;
    return IRR_OK;
}

irr_status_t irr_agree_addresses(irr_setup_t *setup, irr_step_fn next)
{
    set_address_words(setup);
    setup->after = next;
    return irr_setup_reduce(setup, ADDRESS_WORDS, addresses_agreed);
}

static bool wants_to_share(const irr_comm_params_t *params)
{
    return params->settings.shm && params->ranks > 1;
}

void irr_agree_warn(irr_setup_t *setup, uint64_t reduced, const char *reason)
{
    irr_engine_t *engine = setup->engine;

    if (reduced == (uint64_t)(setup->params.ranks - setup->params.rank) && reason[0] != '\0' && !engine->warned) {
        engine->warned = true;
        irr_log(IRR_LOG_WARN, "%s; the ranks of a node therefore use the network", reason);
    }
}

static irr_status_t start_agreed(irr_setup_t *setup)
{
    const uint64_t *words = setup->words;

    if (words[TROUBLE] != 0) {
        return refuse(setup);
    }
    if (words[SETTINGS] != ~words[SETTINGS_COMPLEMENT]) {
        return irr_settings_name(setup);
    }
    irr_agree_warn(setup, words[UNSHARED], setup->engine->reason[IRR_LANE_NEAR]);
    setup->agreement.one_node = words[NODE] == ~words[NODE_COMPLEMENT];
    setup->agreement.shares = wants_to_share(&setup->params) && words[UNSHARED] == 0;
    setup->agreement.network = setup->params.ranks > 1 &&
                                 !(setup->agreement.one_node && setup->agreement.shares);
    setup->agreement.path_bytes = irr_switches_agreed(setup->engine, &setup->params, &setup->files, &words[SWITCHES]);
    setup->next = setup->after;
    return IRR_OK;
}

irr_status_t irr_agree_start(irr_setup_t *setup, irr_step_fn next)
{
    const irr_comm_params_t *params = &setup->params;
    uint64_t *words = setup->words;

    words[TROUBLE] = trouble_word(params, params->trouble);
    words[UNSHARED] = setup->lacks_memory ? (uint64_t)(params->ranks - params->rank) : 0;
    words[SETTINGS] = irr_settings_digest(params, &setup->files);
    words[SETTINGS_COMPLEMENT] = ~words[SETTINGS];
    words[NODE] = (uint64_t)irr_comm_files_label(params, &setup->files);
    words[NODE_COMPLEMENT] = ~words[NODE];
    irr_switches_words(params, &setup->files, &words[SWITCHES]);
    setup->after = next;
    return irr_setup_reduce(setup, WORDS, start_agreed);
}

/* ---- trouble ---- */

static irr_status_t all_agreed(irr_setup_t *setup)
{
    const uint64_t trouble = setup->words[0];

    setup->verdict = trouble != 0 ? IRR_ERR_NOT_SUPPORTED : IRR_OK;
    setup->lowest = setup->words[1];
    if (trouble != 0) {
        return report_trouble(setup, trouble, setup->reason);
    }
    setup->next = setup->after;
    return IRR_OK;
}

irr_status_t irr_agree_all(irr_setup_t *setup, irr_status_t trouble, const char *reason, bool mine, irr_step_fn next)
{
    setup->words[0] = trouble_word(&setup->params, trouble);
    setup->words[1] = mine ? 0 : (uint64_t)(setup->params.ranks - setup->params.rank);
    setup->reason = reason;
    setup->after = next;
    return irr_setup_reduce(setup, 2, all_agreed);
}

irr_status_t irr_agree_no_trouble(irr_setup_t *setup, irr_step_fn next)
{
    return irr_agree_all(setup, setup->params.trouble, setup->params.reason, true, next);
}

/* ---- ids ---- */

/* Value of setup->from: the search starts behind the id that this process marked as used last. */
#define FROM_NEXT UINT32_MAX

/* Number of free ids that a search checks for messages. */
#define IDS_CHECKED 4

/*
 * DRAWS: number of proposals at random distances. A distance has as many random bits as there were proposals before,
 * and at most DRAWN_BITS.
 */
#define DRAWS      64
#define DRAWN_BITS 8

#define NS_PER_S UINT64_C(1000000000)

/*
 * Marks the first free id from `from` on that has no messages as used, and returns it. Returns IRR_IDS_NONE if there is
 * no such id; *busy is then true if a free id has messages, and may have none later. These messages belong to a former
 * communicator, because no rank sends messages with an id before this rank has proposed it.
 */
static uint32_t find_free(irr_engine_t *engine, uint32_t from, bool *busy)
{
    uint32_t id;
    int checked = 0;

    irr_lock_acquire(&engine->lock);
    id = irr_ids_find(&engine->ids, from == FROM_NEXT ? engine->ids.next : from);
    while (id != IRR_IDS_NONE && !irr_unexpected_clear(engine, id)) {
        id = ++checked < IDS_CHECKED ? irr_ids_find(&engine->ids, id + 1) : IRR_IDS_NONE;
    }
    if (id != IRR_IDS_NONE) {
        irr_ids_take(&engine->ids, id);
        irr_unexpected_take_id(&engine->unexpected, id);
    }
    irr_lock_release(&engine->lock);
    *busy = checked > 0;
    return id;
}

void irr_agree_release(irr_setup_t *setup)
{
    irr_engine_t *engine = setup->engine;

    if (setup->id != IRR_IDS_NONE) {
        irr_lock_acquire(&engine->lock);
        irr_ids_give(&engine->ids, setup->id);
        irr_lock_release(&engine->lock);
        setup->id = IRR_IDS_NONE;
    }
}

/* Returns true if the search may wait longer until a free id has no messages. Without a timeout it may wait forever. */
static bool may_search_again(irr_setup_t *setup)
{
    const uint64_t now_ns = irr_clock_ns(), limit_ns = setup->params.settings.timeout * NS_PER_S / 2;

    if (setup->busy_ns == 0) {
        setup->busy_ns = now_ns;
    }
    return limit_ns == 0 || now_ns - setup->busy_ns < limit_ns;
}

static irr_status_t propose_id(irr_setup_t *setup)
{
    uint64_t own = (uintptr_t)setup + setup->draws;
    bool busy = false;

    setup->id = setup->params.trouble == IRR_OK ? find_free(setup->engine, setup->from, &busy) : IRR_IDS_NONE;
    if (setup->id == IRR_IDS_NONE && busy && may_search_again(setup)) {
        (void)irr_engine_progress(setup->engine);
        return IRR_IN_PROGRESS;
    }
    set_address_words(setup);
    setup->words[ID] = setup->id;
    setup->words[ID_COMPLEMENT] = ~(uint64_t)setup->id;
    setup->words[DRAWN] = irr_random(&own);     /* the maximum becomes the random number of all ranks */
    return irr_setup_reduce(setup, ID_WORDS, setup->then);
}

static irr_status_t propose(irr_setup_t *setup, uint32_t from, irr_step_fn next)
{
    setup->from = from;
    setup->then = next;
    setup->next = propose_id;
    return IRR_OK;
}

/*
 * Returns true if all ranks have proposed the same id, which ends the search. Otherwise marks the id that this rank
 * proposed as free, unless all ranks found no id.
 */
static bool is_agreed(irr_setup_t *setup)
{
    const uint64_t largest = setup->words[ID];

    take_addresses(setup);
    if (largest != ~setup->words[ID_COMPLEMENT]) {
        irr_agree_release(setup);
    } else if (largest != IRR_IDS_NONE) {
        setup->next = setup->after;
        return true;
    }
    return false;
}

static irr_status_t no_id(irr_setup_t *setup)
{
    snprintf(setup->why, sizeof(setup->why), "each of the %u communicator ids is in use on some rank of a "
             "communicator", (unsigned)IRR_IDS_COUNT);
    if (setup->params.rank == 0) {
        const char *otherwise = setup->params.otherwise;

        irr_log(IRR_LOG_WARN, "%s%s%s", setup->why, otherwise != NULL ? "; " : "", otherwise != NULL ? otherwise : "");
    }
    return IRR_ERR_NOT_SUPPORTED;
}

static irr_status_t searched(irr_setup_t *setup)
{
    const uint64_t largest = setup->words[ID];

    if (is_refused(setup)) {
        return refuse(setup);
    }
    if (is_agreed(setup)) {
        return IRR_OK;
    }
    if (largest == IRR_IDS_NONE) {
        setup->next = no_id;
        return IRR_OK;
    }
    return propose(setup, (uint32_t)largest, searched);
}

/*
 * Returns where all ranks start the next search: the largest proposal plus a random number. If a rank found no free id,
 * this is the random number alone.
 */
static uint32_t draw(const irr_setup_t *setup)
{
    const uint64_t largest = setup->words[ID], begin = largest == IRR_IDS_NONE ? 0 : largest;
    const unsigned bits = setup->draws < DRAWN_BITS ? setup->draws : DRAWN_BITS;

    return (uint32_t)((begin + (setup->words[DRAWN] & ((UINT64_C(1) << bits) - 1))) % IRR_IDS_COUNT);
}

static irr_status_t drawn(irr_setup_t *setup)
{
    if (is_refused(setup)) {
        return refuse(setup);
    }
    if (is_agreed(setup)) {
        return IRR_OK;
    }
    return ++setup->draws < DRAWS ? propose(setup, draw(setup), drawn) : propose(setup, 0, searched);
}

irr_status_t irr_agree_id(irr_setup_t *setup, irr_step_fn next)
{
    setup->after = next;
    return propose(setup, FROM_NEXT, drawn);
}
