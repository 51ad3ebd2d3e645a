/*
 * coll_irr_log.c - the log of coll_irr_verbose.  Rank 0 of a communicator logs which strategy serves a collective, and
 * the cause.  A strategy is an algorithm with its settings, or Open MPI's implementation.
 *
 * The cause is a clause that follows "because", also in the report.  If the ranks have decided permanently, the
 * decision stored the cause as a text.  If the ranks choose while the program runs, this file derives the cause from
 * the state of the choice, so it is correct at any time.
 */
#include "coll_irr_engine.h"
#include "coll_irr_statistics.h"
#include "coll_irr_team.h"

#include <stdarg.h>

/* ---- the cause ---- */

/* The end of a text, and the room in bytes from there on. */
typedef struct clause {
    char  *text;
    size_t size;
} clause_t;

__attribute__((format(printf, 2, 3)))
static void add(clause_t *clause, const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(clause->text, clause->size, format, arguments);
    va_end(arguments);
    if (length > 0 && (size_t)length < clause->size) {
        clause->text += length;
        clause->size -= (size_t)length;
    }
}

static const char *plural(int count)
{
    return count == 1 ? "" : "s";
}

/* Adds the number of exchanges, and their time if it is measured. */
static void add_exchanges(clause_t *clause, const mca_coll_irr_service_t *service)
{
    const uint64_t calls = service->choice.calls;

    add(clause, "%llu exchange%s", (unsigned long long)calls, calls == 1 ? "" : "s");
    if (service->record != NULL && service->record->ns > 0) {
        add(clause, " took %s on rank 0", mca_coll_irr_time_text((double)service->record->ns).text);
    }
}

/* Adds that the permitted share of the time is smaller than the cost of the next trial. */
static void add_unpaid(clause_t *clause, const mca_coll_irr_service_t *service, const irr_choice_funds_t *funds)
{
    const double share = service->choice.share;
    const int tried = service->choice.tried;

    if (tried > 0) {   /* the results of these trials are outdated */
        add(clause, "earlier trials tried other strategies %d time%s; ", tried, plural(tried));
    }
    add_exchanges(clause, service);
    add(clause, ", and count as %s; trials may cost %s (coll_irr_setup_share: %.0f %%); they have cost %s; the next "
        "trial takes %s", mca_coll_irr_time_text(funds->cost).text,
        mca_coll_irr_time_text(share * funds->cost).text, 100 * share, mca_coll_irr_time_text(funds->spent).text,
        mca_coll_irr_time_text(funds->wanted).text);
    if (funds->calls > 0) {
        add(clause, ", which about %llu more exchanges pay for", (unsigned long long)funds->calls);
    }
}

/* Adds the cause if Open MPI serves, and no result of a trial is the reason. */
static void add_untried(clause_t *clause, const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service)
{
    const irr_choice_funds_t funds = irr_choice_funds(&service->choice);
    const bool one_node = mca_coll_irr_ranks_on_my_node(&module->ranks) == module->ranks.size;

    if (!service->choice.listed) {
        add_exchanges(clause, service);
        add(clause, "; the ranks first look for a faster algorithm after %d exchanges", irr_choice_first(one_node));
    } else if (funds.wanted > 0) {
        add_unpaid(clause, service, &funds);
    } else if (service->choice.recall.losers > 0) {
        add(clause, "no other algorithm was faster for such messages in earlier trials");
    } else {
        add(clause, "the model expects no other algorithm to be faster for these messages");
    }
}

/* Adds the cause if the ranks choose, and Open MPI serves. */
static void add_host(clause_t *clause, const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service)
{
    const irr_choice_t *choice = &service->choice;

    if (choice->relists && choice->exchanges == service->logged_exchanges) {
        add(clause, "messages have changed, and a new trial of the previous algorithm does not pay yet");
    } else if (irr_choice_has_trial(choice)) {
        add(clause, "a trial of %d algorithm%s is not over yet", choice->trial.count - 1,
            plural(choice->trial.count - 1));
    } else if (choice->tried > 0 && choice->best > 0) {
        add(clause, "the best other algorithm has speedup %.2f%s", choice->best,
            choice->best > 1 ? ", but a gain of 3 % is not certain" : "");
    } else if (choice->lost > 0) {
        add(clause, "the algorithm used before has speedup %.2f now", choice->lost);
    } else if (service->refused) {
        add(clause, "no other algorithm can be opened: %s", service->why);
    } else {
        add_untried(clause, module, service);
    }
}

/* Writes a clause that follows "because". */
static void write_cause(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service, char *text,
                        size_t size)
{
    const double speedup = service->choice.speedup.is;
    clause_t clause = { text, size };

    if (service->state == MCA_COLL_IRR_NEW) {
        add(&clause, "the ranks agree on it after the first call");
    } else if (service->state != MCA_COLL_IRR_CHOOSING) {
        add(&clause, "%s", service->why);
    } else if (service->host_strategy != 0) {   /* the ranks choose among strategies of a named algorithm */
        add(&clause, "%s", service->why);
        if (service->choice.strategy != 0) {
            add(&clause, ", and it has speedup %.2f over the strategy used at first", speedup);
        }
    } else if (service->choice.recalled) {
        add(&clause, "it had speedup %.2f at least in earlier trials", speedup);
    } else if (service->choice.strategy != 0) {
        add(&clause, "it has speedup %.2f in trials%s", speedup, service->choice.exchanges > 0 ? "" : " of calls");
    } else {
        add_host(&clause, module, service);
    }
}

void mca_coll_irr_strategy_text(const mca_coll_irr_service_t *service, int strategy, char *text, size_t size)
{
    if (strategy == service->host_strategy) {
        snprintf(text, size, "%s", MCA_COLL_IRR_HOST_TEXT);
    } else {
        irr_candidate_text(&service->candidates->open[strategy], text, size);
    }
}

/* Writes the current strategy; in state SERVING, the name of the algorithm. */
static void write_strategy(const mca_coll_irr_service_t *service, char *text, size_t size)
{
    if (service->state == MCA_COLL_IRR_SERVING) {
        snprintf(text, size, "%s", mca_coll_irr_serving(service));
    } else {
        const bool chooses = service->state == MCA_COLL_IRR_CHOOSING;

        mca_coll_irr_strategy_text(service, chooses ? service->choice.strategy : service->host_strategy, text, size);
    }
}

/* Open MPI gives no name to communicators of MPI_Intercomm_create. */
static const char *name_of(const mca_coll_irr_module_t *module)
{
    return module->comm->c_name[0] != '\0' ? module->comm->c_name : "unnamed communicator";
}

void mca_coll_irr_stats_texts(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service,
                              mca_coll_irr_record_t *record)
{
    const size_t because = (size_t)snprintf(record->why, sizeof(record->why), "because ");

    if (record->name[0] == '\0' || module->number == service->first) {   /* the first communicator names the team */
        snprintf(record->name, sizeof(record->name), "%s", name_of(module));
    }
    snprintf(record->call, sizeof(record->call), "%s", service->call);
    write_strategy(service, record->strategy, sizeof(record->strategy));
    write_cause(module, service, record->why + because, sizeof(record->why) - because);
    record->ranks = module->ranks.size;
}

/* ---- the log ---- */

/* Rank 0 logs from verbosity 1 on, other ranks from 10 on. */
static bool logs(const mca_coll_irr_module_t *module)
{
    return opal_output_get_verbosity(mca_coll_irr_component.output) >= (module->ranks.rank == 0 ? 1 : 10);
}

/*
 * Returns the flag that says whether this communicator has logged the service.  Communicators of a team share a
 * service, but each has a flag.
 */
static bool *logged_of(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service)
{
    return service == mca_coll_irr_service_called(module, service->which) ? &module->logged[service->which]
                                                                          : &service->logged;
}

/* Logs once that messages stay in shared memory, and once which network the engine has opened. */
static void log_transport(void)
{
    static _Atomic bool memory_logged, network_logged;
    const mca_coll_irr_component_t *component = &mca_coll_irr_component;
    irr_transport_choice_t network;
    irr_counters_t counters;
    bool has_network;

    opal_mutex_lock(&mca_coll_irr_component.lock);
    has_network = component->engine_state == MCA_COLL_IRR_ENGINE_OPEN && irr_engine_has_network(component->engine);
    opal_mutex_unlock(&mca_coll_irr_component.lock);
    mca_coll_irr_counters(&counters);
    if (has_network && mca_coll_irr_warns_first(&network_logged)) {
        mca_coll_irr_network(&network);
        opal_output(mca_coll_irr_component.output, "coll:irr: messages go over %s, because %s", network.name,
                    network.why);
    } else if (!has_network && counters.endpoints_open > 0 && mca_coll_irr_warns_first(&memory_logged)) {
        opal_output(mca_coll_irr_component.output, "coll:irr: messages stay in shared memory of the node");
    }
}

void mca_coll_irr_log(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service)
{
    const irr_choice_load_t *load = &service->choice.load;
    char trials[MCA_COLL_IRR_TRIALS], each[48] = "";
    mca_coll_irr_record_t record;
    int nodes;

    *logged_of(module, service) = true;
    if (!logs(module)) {
        return;
    }
    nodes = mca_coll_irr_nodes(module);
    mca_coll_irr_stats_record(service, &record);
    mca_coll_irr_stats_texts(module, service, &record);
    mca_coll_irr_record_trials(&record, trials);
    if (record.tried > 0) {
        snprintf(each, sizeof(each), ", about %s to each",
                 mca_coll_irr_bytes_text(load->sends > 0 ? (double)(load->sent / load->sends) : 0).text);
    }
    opal_output(mca_coll_irr_component.output, "coll:irr: %s, %s, %d ranks on %d node%s%s: %s, %s%s%s",
                name_of(module), record.call, record.ranks, nodes, plural(nodes), each, record.strategy,
                record.why, record.tried > 0 ? "; " : "", trials);
    log_transport();
}

void mca_coll_irr_log_end(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service)
{
    if (service->state == MCA_COLL_IRR_CHOOSING && service->choice.calls > 0 && !*logged_of(module, service)) {
        mca_coll_irr_log(module, service);
    }
}

/* ---- components of a higher priority ---- */

static bool offers(const mca_coll_base_module_t *module, int which)
{
    const size_t offset = mca_coll_irr_collectives[which].forms[MCA_COLL_IRR_BLOCKING].in_module;
    mca_coll_irr_function_t function;

    memcpy(&function, (const char *)module + offset, sizeof(function));
    return function != NULL;
}

/*
 * Returns the entry of the component that serves a collective instead of this module.  `modules` is sorted by ascending
 * priority, so this is the last entry that offers the collective.  Returns NULL if the last entry is ours, or passes
 * calls on to ours.
 *
 * When a communicator is freed, Open MPI removes and destroys the first module, again and again, so modules with a
 * higher priority are still in the list when ours is destroyed.  Open MPI 6.0 removes the last first: the log then
 * names only components of MPI_COMM_WORLD (log_world).
 */
static const mca_coll_base_avail_coll_t *above(const mca_coll_irr_module_t *module, const opal_list_t *modules,
                                               int which)
{
    const mca_coll_base_avail_coll_t *one, *last = NULL;

    OPAL_LIST_FOREACH(one, modules, mca_coll_base_avail_coll_t) {
        if (offers(one->ac_module, which)) {
            last = one;
        }
    }
    return last == NULL || last->ac_module == &module->super || module->called[which] ||
           last->ac_priority < mca_coll_irr_component.params.priority ||
           strcmp(last->ac_component_name, "monitoring") == 0 ? NULL : last;
}

void mca_coll_irr_log_above(mca_coll_irr_module_t *module)
{
    const mca_coll_base_avail_coll_t *found[MCA_COLL_IRR_COLLECTIVES];
    const opal_list_t *modules = logs(module) && !module->logged_above ? mca_coll_irr_modules(module->comm) : NULL;
    char calls[192] = "";
    clause_t names = { calls, sizeof(calls) };
    int first = -1;

    if (modules == NULL) {
        return;
    }
    for (int i = 0; i < MCA_COLL_IRR_COLLECTIVES; i++) {
        found[i] = above(module, modules, i);
        first = first < 0 && found[i] != NULL ? i : first;
        if (first >= 0 && found[i] == found[first]) {
            add(&names, "%s%s", calls[0] != '\0' ? ", " : "",
                mca_coll_irr_collectives[i].forms[MCA_COLL_IRR_BLOCKING].call);
        }
    }
    if (first >= 0) {
        module->logged_above = true;
        opal_output(mca_coll_irr_component.output, "coll:irr: %s, %s, %d ranks: component %s of Open MPI, because its "
                    "priority %d is above coll_irr_priority, which is %d", name_of(module), calls,
                    module->ranks.size, found[first]->ac_component_name, found[first]->ac_priority,
                    mca_coll_irr_component.params.priority);
    }
}
