/*
 * coll_irr_choose.c - the way of exchanges where nobody named one: Open MPI's own at first, then what trials find.
 *
 * What to do after which call, and by which way a call goes, is decided by the engine (choose/choice.h) from counts of
 * calls and from maxima of all ranks; here it is done.  A way is an engine communicator that is pinned to a candidate.
 *
 * With nothing agreed yet the ranks do not know whether all of them choose.  They ask each other in their first
 * agreement, after some calls.  A rank that was told otherwise by its parameters asks in the first call already; but
 * the records of both differ (coll_irr_records.c), so neither waits for the other, and all stay with Open MPI.
 */
#include "coll_irr_opening.h"
#include "coll_irr_settings.h"
#include "coll_irr_tell.h"

#include "core/clock.h"

#include <stdlib.h>
#include <unistd.h>

/* What it takes to open the transport, by ranks of a node for each processor, and for several nodes; and a way. */
#define ENGINE_NS  UINT64_C(16000000)
#define NETWORK_NS UINT64_C(20000000)
#define WAY_NS     UINT64_C(300000)

/* ---- who chooses ---- */

/* An info key of the communicator, if there is one; also on a rank that has no memory for settings, or a bad value. */
static const char *info(ompi_communicator_t *comm, const char *key, char value[OPAL_MAX_INFO_VAL + 1])
{
    return mca_coll_irr_info_get(comm, key, value, OPAL_MAX_INFO_VAL + 1) ? value : NULL;
}

/* Is there a topology, a schedule or a dump? */
static bool has_files(ompi_communicator_t *comm)
{
    char value[OPAL_MAX_INFO_VAL + 1];
    bool has = false;

    for (int i = 0; mca_coll_irr_text_at(i) != NULL; i++) {
        const mca_coll_irr_text_t *row = mca_coll_irr_text_at(i);

        if (row->parse == mca_coll_irr_parse_path) {
            const char *given = info(comm, row->parameter, value);
            const char *path = given != NULL ? given : row->value;

            has = has || (path != NULL && path[0] != '\0');
        }
    }
    return has;
}

/* On a communicator; NULL: on those without info keys. */
static mca_coll_irr_mode_t mode_of(ompi_communicator_t *comm, int which)
{
    const mca_coll_irr_choice_t *setting = &mca_coll_irr_choices[which];
    char value[OPAL_MAX_INFO_VAL + 1];
    const char *given = info(comm, setting->parameter, value);
    const int name = given != NULL ? mca_coll_irr_parse_name(given, setting->name) : *setting->storage;

    if (mca_coll_irr_component.params.setup_share <= 0 || has_files(comm) || name == MCA_COLL_IRR_BAD_NAME) {
        return MCA_COLL_IRR_ASKS;
    }
    switch (mca_coll_irr_algorithm(name)) {
    case MCA_COLL_IRR_AUTO: return MCA_COLL_IRR_CHOOSES;
    case MCA_COLL_IRR_HOST: return MCA_COLL_IRR_LEAVES;
    default:                return MCA_COLL_IRR_ASKS;
    }
}

uint64_t mca_coll_irr_process_modes(void)
{
    return (uint64_t)mode_of(NULL, MCA_COLL_IRR_ALLTOALLV) << 2 | (uint64_t)mode_of(NULL, MCA_COLL_IRR_ALLTOALL);
}

/* Which setting names the algorithm of a service. */
static int which_of(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service)
{
    return service == &module->alltoallv ? MCA_COLL_IRR_ALLTOALLV : MCA_COLL_IRR_ALLTOALL;
}

bool mca_coll_irr_mode_is_own(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service)
{
    return mca_coll_irr_mode(module, service) != mode_of(NULL, which_of(module, service));
}

mca_coll_irr_mode_t mca_coll_irr_mode(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service)
{
    return mode_of(module->keyed, which_of(module, service));
}

/* As the user counts nodes, or as Open MPI does. */
static int node_ranks(const mca_coll_irr_module_t *module)
{
    const size_t given = module->settings.ranks_per_node, ranks = (size_t)ompi_comm_size(module->comm);

    return given == 0 ? mca_coll_irr_node_ranks(module) : (int)(given < ranks ? given : ranks);
}

void mca_coll_irr_choose_begin(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service)
{
    const uint32_t percent = (uint32_t)mca_coll_irr_component.params.setup_share;

    service->state = MCA_COLL_IRR_CHOOSING;
    irr_choice_init(&service->choice, percent);
    if (module->reason != NULL && OMPI_PROC_MY_NAME->vpid == 0) {   /* an agreement on it may come late, or never */
        mca_coll_irr_tell("engine-message", module->reason);
    }
}

/* ---- ways ---- */

/* All but one; 0: all. */
static void close_ways(mca_coll_irr_service_t *service, int but)
{
    for (int i = 1; i < IRR_TRIAL_WAYS; i++) {
        if (i != but && service->ways[i] != NULL) {
            irr_comm_destroy(service->ways[i]);
            service->ways[i] = NULL;
        }
    }
}

void mca_coll_irr_choose_end(mca_coll_irr_service_t *service)
{
    close_ways(service, 0);
}

/* As part of the host's time.  Paces are for what the model does not know, so it does not tell what they lose. */
static double expected(const irr_candidate_t *candidate, double host_ns)
{
    const double ratio = host_ns > 0 ? candidate->ns / host_ns : 1;

    return candidate->way.pace != &irr_pace_free && ratio > 1 ? 1 : ratio;
}

/* Local, and alike on all ranks: what may be faster than the host's, and than the way gone so far. */
static irr_choice_act_t list_ways(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service)
{
    irr_choice_t *choice = &service->choice;
    const irr_traffic_t traffic = irr_choice_traffic(choice, ompi_comm_size(module->comm));
    const double host_ns = irr_model_host_ns(&module->machine, &traffic);
    irr_candidate_t list[IRR_CANDIDATES_MAX];
    const int all = irr_candidates(&module->machine, &traffic, &module->settings.engine, list);
    double ratios[IRR_CANDIDATES_MAX];
    int count = 0;

    for (int i = 0; i < all; i++) {
        if (choice->way == 0 || !irr_candidate_same(&list[i], &service->candidates->open[choice->way])) {
            ratios[count] = expected(&list[i], host_ns);
            list[count++] = list[i];
        }
    }
    if (service->candidates == NULL) {
        service->candidates = calloc(1, sizeof(*service->candidates));
    }
    if (service->candidates != NULL) {   /* if not, this rank says so when the first one is opened */
        memcpy(service->candidates->list, list, (size_t)count * sizeof(*list));
    }
    return irr_choice_listed(choice, ratios, count);
}

/* Alike on all ranks: on one node what is tried goes over boards, and opens no transport, unless that has failed. */
static bool only_boards(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service)
{
    const irr_choice_t *choice = &service->choice;
    const int ranks = choice->node_ranks > 0 ? choice->node_ranks : choice->own_node_ranks;   /* agreed, or a guess */

    return ranks == ompi_comm_size(module->comm) && !service->needs_transport;
}

/* Collective: engine communicators for the next of the list; the number of those that all ranks have. */
static int open_next(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service)
{
    const irr_choice_t *choice = &service->choice;
    const mca_coll_irr_purpose_t purpose = { .only_boards = only_boards(module, service) };
    mca_coll_irr_opening_t opening;
    mca_coll_irr_group_t *group = NULL;
    irr_status_t status = module->trouble == IRR_OK ? mca_coll_irr_prepare(module, &group) : module->trouble;
    int open = 0;

    status = service->candidates == NULL ? IRR_ERR_NO_MEMORY : status;
    while (open < choice->opens) {
        const int slot = irr_choice_slot(choice, open);
        irr_settings_t settings = module->settings.engine;

        if (service->candidates != NULL) {
            service->candidates->open[slot] = service->candidates->list[choice->next + open];
            irr_candidate_settings(&service->candidates->open[slot], &settings);
        }
        mca_coll_irr_opening_start(&opening, module, MCA_COLL_BASE_TAG_BARRIER, &settings, &purpose, status,
                                   module->reason);
        if (mca_coll_irr_opening_wait(&opening, &service->ways[slot]) != IRR_OK) {
            service->ways[slot] = NULL;
            service->needs_transport = true;   /* at the next time, when it may pay for that, too */
            break;   /* what keeps one from being served keeps the others, too */
        }
        open++;
    }
    if (open > 0 && !service->grouped) {
        mca_coll_irr_teardown_add(group);
        service->grouped = true;
    } else {
        free(group);
    }
    return open;
}

static irr_choice_act_t open_ways(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service)
{
    const uint64_t begin_ns = irr_clock_ns();
    const int open = open_next(module, service);

    irr_choice_spent(&service->choice, irr_clock_ns() - begin_ns);
    return irr_choice_opened(&service->choice, open);
}

/* What this rank thinks that opening ways costs. */
static irr_choice_opening_t opening(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service)
{
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    const int ranks = mca_coll_irr_node_ranks(module);
    const uint64_t turns = cpus > 0 ? ((uint64_t)ranks + (uint64_t)cpus - 1) / (uint64_t)cpus : 1;
    const bool one_node = ranks == ompi_comm_size(module->comm);
    irr_counters_t counters;

    mca_coll_irr_counters(&counters);
    return (irr_choice_opening_t){
        .first = counters.endpoints_open > 0 || only_boards(module, service) ? 0
                     : turns * ENGINE_NS + (one_node ? 0 : NETWORK_NS),
        .way = turns * WAY_NS };
}

/* ---- agreements ---- */

void mca_coll_irr_way_text(const mca_coll_irr_service_t *service, int way, char *text, size_t size)
{
    if (way == 0) {
        snprintf(text, size, "Open MPI's own");
    } else {
        irr_candidate_text(&service->candidates->open[way], text, size);
    }
}

/* What was found, as a time by that of Open MPI's own: of the way that is gone now, or of the best other. */
static void found_text(const mca_coll_irr_service_t *service, char *text, size_t size)
{
    const irr_choice_t *choice = &service->choice;
    const bool check = choice->slots[1] == 0;
    const double other = check && choice->trial.ratio > 0 ? 1 / choice->trial.ratio : choice->best;

    if (choice->exchanges == service->told_exchanges) {
        snprintf(text, size, "because messages have changed and nothing pays for a trial yet");
    } else if (choice->way != 0) {
        snprintf(text, size, "%.2f of the time of Open MPI's own", choice->ratio);
    } else {
        snprintf(text, size, "as the best other took %.2f of its time%s", other,
                 other < 1 ? ", but not each time" : "");
    }
}

/* One rank says what was found. */
static void say(const mca_coll_irr_module_t *module, mca_coll_irr_service_t *service)
{
    const irr_choice_t *choice = &service->choice;
    char bytes[MCA_COLL_IRR_UNITS], way[IRR_CANDIDATE_TEXT], found[96], what[320];

    mca_coll_irr_bytes_text(choice->load.messages > 0 ? choice->load.sent / choice->load.messages : 0, bytes);
    mca_coll_irr_way_text(service, choice->way, way, sizeof(way));
    found_text(service, found, sizeof(found));
    snprintf(what, sizeof(what), ", about %s to each: %s, %s; tried %d way%s in %llu exchanges", bytes, way, found,
             choice->tried, choice->tried == 1 ? "" : "s", (unsigned long long)choice->exchanges);
    mca_coll_irr_say(module, service, what);
    mca_coll_irr_tally_found(service, way, found);
    service->told_exchanges = choice->exchanges;
}

/* Collective, as far as ways are opened. */
static irr_choice_act_t act(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service, irr_choice_act_t what)
{
    switch (what) {
    case IRR_CHOICE_LISTS:
        return list_ways(module, service);
    case IRR_CHOICE_OPENS:
        return open_ways(module, service);
    case IRR_CHOICE_SETTLES:
        say(module, service);
        close_ways(service, service->choice.way);
        return irr_choice_settled(&service->choice);
    default:
        return IRR_CHOICE_GOES_ON;
    }
}

static int agree(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service)
{
    irr_choice_t *choice = &service->choice;
    uint64_t words[IRR_CHOICE_WORDS], waited_ns;
    irr_choice_opening_t costs;
    irr_choice_act_t what;
    int result = OMPI_SUCCESS;

    /* Where processes are is alike for all ranks; what parameters say of it is not agreed yet. */
    if (!service->asked && !irr_choice_place(choice, mca_coll_irr_node_ranks(module) == ompi_comm_size(module->comm),
                                             node_ranks(module))) {
        return OMPI_SUCCESS;
    }
    if (!service->asked) {
        result = mca_coll_irr_ask(module, service);
        service->asked = true;
    }
    if (result != OMPI_SUCCESS || service->state != MCA_COLL_IRR_CHOOSING) {
        return result;
    }
    costs = opening(module, service);
    irr_choice_words(choice, &costs, words);
    waited_ns = irr_clock_ns();
    if (mca_coll_irr_maxima(module, words, IRR_CHOICE_WORDS) != IRR_OK) {
        return mca_coll_irr_error(IRR_ERR_OOB);
    }
    waited_ns = irr_clock_ns() - waited_ns;
    what = irr_choice_agreed(choice, words);
    irr_choice_waited(choice, waited_ns);
    while (what != IRR_CHOICE_GOES_ON) {
        what = act(module, service, what);
    }
    return OMPI_SUCCESS;
}

/* ---- calls ---- */

uint64_t mca_coll_irr_add_side(const mca_coll_irr_side_t *side, int me, irr_choice_load_t *load)
{
    uint64_t total = 0, messages = 0;

    for (int k = 0; k < side->slots; k++) {
        int rank;
        const uint64_t bytes = mca_coll_irr_side_bytes(side, k, &rank);

        if (rank != me && bytes > 0) {
            messages++;
            total += bytes;
            load->longest = bytes > load->longest ? bytes : load->longest;
        }
    }
    load->messages = messages > load->messages ? messages : load->messages;
    return total;
}

static int go(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service, mca_coll_irr_call_t *call, bool in_place)
{
    irr_comm_t *way = service->ways[irr_choice_way(&service->choice)];

    return way == NULL ? service->host(module, call, in_place) : mca_coll_irr_exchange(module, way, call, in_place);
}

int mca_coll_irr_choose(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service, mca_coll_irr_call_t *call,
                        bool in_place)
{
    irr_choice_load_t load = { .messages = 0 };
    uint64_t ns = 0;
    int result, agreed = OMPI_SUCCESS;

    if (!irr_choice_times(&service->choice)) {
        result = go(module, service, call, in_place);
    } else {
        ns = irr_clock_ns();
        result = go(module, service, call, in_place);
        ns = irr_clock_ns() - ns;
        load.sent = mca_coll_irr_add_side(&call->send, ompi_comm_rank(module->comm), &load);
        load.received = mca_coll_irr_add_side(&call->recv, ompi_comm_rank(module->comm), &load);
    }
    if (irr_choice_took(&service->choice, ns, &load)) {
        ns = mca_coll_irr_tally_begin(service);
        agreed = agree(module, service);
        mca_coll_irr_tally_agreed(service, ns);
    }
    return result != OMPI_SUCCESS ? result : agreed;
}
