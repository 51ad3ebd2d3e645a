/*
 * coll_irr_choose.c - the way of exchanges: at first Open MPI's own, or the likely best strategy of the algorithm that
 * is named; then what trials find.
 *
 * What to do after which call, and by which way a call goes, is decided by the engine (choose/choice.h) from counts of
 * calls and from maxima of all ranks; here it is done.  A way is an engine communicator that is pinned to a candidate.
 *
 * With nothing agreed yet the ranks do not know whether all of them choose.  They ask each other in their first
 * agreement, after some calls.  A rank that was told otherwise by its parameters asks in the first call already; but
 * the records of both differ (coll_irr_records.c), so neither waits for the other, and all stay with Open MPI.
 */
#include "coll_irr_agreement.h"
#include "coll_irr_choose.h"
#include "coll_irr_engine.h"
#include "coll_irr_memory.h"
#include "coll_irr_settings.h"
#include "coll_irr_team.h"
#include "coll_irr_tell.h"

#include "core/clock.h"

#include <stdlib.h>

/* ---- who chooses ---- */

/* An info key of the communicator, if there is one; also on a rank that has no memory for settings, or a bad value. */
static const char *info(ompi_communicator_t *comm, const char *key, char value[OPAL_MAX_INFO_VAL + 1])
{
    return mca_coll_irr_info_get(comm, key, value, OPAL_MAX_INFO_VAL + 1) ? value : NULL;
}

/* Who gives a schedule, or asks for the matrices, wants the engine; a topology says only where the ranks are. */
static bool wants_engine(ompi_communicator_t *comm)
{
    char value[OPAL_MAX_INFO_VAL + 1];
    bool wants = false;

    for (int i = 0; mca_coll_irr_text_at(i) != NULL; i++) {
        const mca_coll_irr_text_t *row = mca_coll_irr_text_at(i);

        if (row->parse == mca_coll_irr_parse_path && row->offset != offsetof(mca_coll_irr_settings_t, topology_file)) {
            const char *given = info(comm, row->parameter, value);
            const char *path = given != NULL ? given : row->value;

            wants = wants || (path != NULL && path[0] != '\0');
        }
    }
    return wants;
}

/* On a communicator; NULL: on those without info keys, from parameters. */
static mca_coll_irr_mode_t mode_of(ompi_communicator_t *comm, int algorithm)
{
    const mca_coll_irr_choice_t *setting = &mca_coll_irr_choices[algorithm];
    char value[OPAL_MAX_INFO_VAL + 1];
    const char *given = info(comm, setting->parameter, value);
    const int name = given != NULL ? mca_coll_irr_parse_name(given, setting->name) : *setting->storage;

    if (mca_coll_irr_component.params.setup_share == 0 || wants_engine(comm) || name == MCA_COLL_IRR_BAD_NAME) {
        return MCA_COLL_IRR_ASKS;
    }
    switch (mca_coll_irr_algorithm(name)) {
    case MCA_COLL_IRR_AUTO: return MCA_COLL_IRR_CHOOSES;
    case MCA_COLL_IRR_HOST: return MCA_COLL_IRR_LEAVES;
    default:                return MCA_COLL_IRR_ASKS;
    }
}

/* Each communicator asks for one of these, and to look at all parameters takes long beside making one. */
static mca_coll_irr_mode_t process_modes[MCA_COLL_IRR_ALGORITHMS];

_Static_assert(MCA_COLL_IRR_ALGORITHMS == 3 && 4 * MCA_COLL_IRR_MODES * MCA_COLL_IRR_MODES * MCA_COLL_IRR_MODES <=
               1 << MCA_COLL_IRR_MODES_BITS, "there is room in the record");

void mca_coll_irr_modes_open(void)
{
    for (int i = 0; i < MCA_COLL_IRR_ALGORITHMS; i++) {
        process_modes[i] = mode_of(NULL, i);
    }
}

bool mca_coll_irr_is_given_files(void)
{
    return wants_engine(NULL);
}

uint64_t mca_coll_irr_process_modes(void)
{
    uint64_t modes = mca_coll_irr_teams_are_shared() + 2 * (uint64_t)mca_coll_irr_memory_is_given();

    for (int i = 0; i < MCA_COLL_IRR_ALGORITHMS; i++) {
        modes = modes * MCA_COLL_IRR_MODES + (uint64_t)process_modes[i];
    }
    return modes;
}

bool mca_coll_irr_mode_is_own(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service)
{
    return mca_coll_irr_mode(module, service) != process_modes[mca_coll_irr_collectives[service->which].algorithm];
}

mca_coll_irr_mode_t mca_coll_irr_mode(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service)
{
    const int algorithm = mca_coll_irr_collectives[service->which].algorithm;

    return module->keyed == NULL ? process_modes[algorithm] : mode_of(module->keyed, algorithm);
}

/* As the user counts nodes, or as Open MPI does. */
static int node_ranks(const mca_coll_irr_module_t *module)
{
    const size_t given = module->settings->ranks_per_node, ranks = (size_t)module->ranks.size;

    return given == 0 ? mca_coll_irr_node_ranks(module) : (int)(given < ranks ? given : ranks);
}

void mca_coll_irr_choose_begin(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service)
{
    const uint32_t percent = (uint32_t)mca_coll_irr_component.params.setup_share;

    service->state = MCA_COLL_IRR_CHOOSING;
    irr_choice_init(&service->choice, percent, mca_coll_irr_memory_is_given());
    if (module->bad != NULL && module->bad->keyed && OMPI_PROC_MY_NAME->vpid == 0) {
        mca_coll_irr_tell_bad(module->bad);   /* an agreement on it may come late, or never */
    }
}

/* ---- an algorithm that is named ---- */

bool mca_coll_irr_choose_prepare(mca_coll_irr_service_t *service)
{
    if (service->candidates == NULL) {
        service->candidates = calloc(1, sizeof(*service->candidates));
    }
    return service->candidates != NULL;
}

void mca_coll_irr_choose_from(mca_coll_irr_service_t *service)
{
    irr_candidate_t list[IRR_CANDIDATES_MAX];

    if (irr_comm_strategies(service->irr_comm, list) < 2) {
        return;
    }
    service->host_way = -1;
    service->asked = service->grouped = true;
    service->candidates->open[0] = list[0];
    service->ways[0] = service->irr_comm;
    service->irr_comm = NULL;
    irr_choice_init(&service->choice, (uint32_t)mca_coll_irr_component.params.setup_share, false);
}

/* ---- agreements ---- */

bool mca_coll_irr_choose_is_due(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service)
{
    if (service->choice.own_node_ranks > 0) {
        return true;
    }
    /* Where processes are is alike for all ranks; what parameters say of it is not agreed yet. */
    return irr_choice_place(&service->choice, mca_coll_irr_node_ranks(module) == module->ranks.size,
                            node_ranks(module), mca_coll_irr_is_crowded());
}

int mca_coll_irr_choose_ask(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service)
{
    if (service->asked) {
        return OMPI_SUCCESS;
    }
    service->asked = true;
    return mca_coll_irr_ask(module, service);
}

static int agree(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service)
{
    const mca_coll_irr_purpose_t purpose = { .plans = false };
    mca_coll_irr_agreement_t own, *agreement;
    irr_status_t status;
    int result;

    if (!mca_coll_irr_choose_is_due(module, service)) {
        return OMPI_SUCCESS;
    }
    result = mca_coll_irr_choose_ask(module, service);
    if (result != OMPI_SUCCESS || service->state != MCA_COLL_IRR_CHOOSING) {
        return result;
    }
    agreement = mca_coll_irr_rounds_room(&module->ranks, &own, sizeof(own));
    mca_coll_irr_agreement_start(agreement, module, service, MCA_COLL_IRR_TAG_BLOCKING, &purpose);
    status = mca_coll_irr_agreement_wait(agreement);
    mca_coll_irr_rounds_leave(&module->ranks, &own, agreement);
    if (status != IRR_OK) {
        mca_coll_irr_team_retire(module->team);
        return mca_coll_irr_fail(service, status);
    }
    return OMPI_SUCCESS;
}

/* ---- calls ---- */

/* Slots come by rank, and those of one rank are one message. */
uint64_t mca_coll_irr_side_load(const mca_coll_irr_side_t *side, int me, uint64_t *bytes_p, uint64_t *longest)
{
    uint64_t total = 0, messages = 0, length = 0;
    int last = me;

    for (int k = 0; k < side->slots; k++) {
        int rank;
        const uint64_t bytes = mca_coll_irr_side_bytes(side, k, &rank);

        if (rank != me && bytes > 0) {
            length = rank == last ? length + bytes : bytes;
            messages += rank != last;
            last = rank;
            total += bytes;
            *longest = length > *longest ? length : *longest;
        }
    }
    *bytes_p = total;
    return messages;
}

irr_choice_load_t mca_coll_irr_load(const mca_coll_irr_call_t *call, int me)
{
    irr_choice_load_t load = { .longest = 0 };

    load.sends = mca_coll_irr_side_load(&call->send, me, &load.sent, &load.longest);
    load.receives = mca_coll_irr_side_load(&call->recv, me, &load.received, &load.longest);
    return load;
}

static int go(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service, const mca_coll_irr_call_t *call)
{
    irr_comm_t *way = service->ways[irr_choice_way(&service->choice)];

    return way == NULL ? mca_coll_irr_host(module, service->which, call) : mca_coll_irr_exchange(module, way, call);
}

int mca_coll_irr_choose(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service,
                        const mca_coll_irr_call_t *call)
{
    irr_choice_load_t load = { .longest = 0 };
    uint64_t ns = 0;
    int result, agreed = OMPI_SUCCESS;

    if (irr_choice_goes_on(&service->choice)) {
        return go(module, service, call);
    }
    if (!irr_choice_times(&service->choice)) {
        result = go(module, service, call);
    } else {
        ns = irr_clock_ns();
        result = go(module, service, call);
        ns = irr_clock_ns() - ns;
        load = mca_coll_irr_load(call, module->ranks.rank);
    }
    if (irr_choice_took(&service->choice, ns, &load)) {
        ns = irr_clock_ns();
        agreed = agree(module, service);
        mca_coll_irr_tally_agreed(service, ns);
    }
    return result != OMPI_SUCCESS ? result : agreed;
}
