/*
 * coll_irr_say.c - lines of coll_irr_verbose: what serves a collective of a communicator, and why, from its rank 0.
 *
 * They count nodes, which nothing else needs.  Open MPI knows the node of each process without asking anybody; nodes
 * are looked up once a process of the job, and only by a rank that tells of a communicator with that process.
 */
#include "coll_irr_network.h"
#include "coll_irr_team.h"
#include "coll_irr_tell.h"

#include <stdlib.h>

/* Of the processes of the job: 1 + the number of its node, 0: not looked up yet.  Guarded by the component's lock. */
static uint64_t *node_of;

void mca_coll_irr_say_close(void)
{
    free(node_of);
    node_of = NULL;
}

/* 0: not known. */
static uint64_t look_up(const opal_process_name_t *name)
{
    const size_t processes = (size_t)mca_coll_irr_process_info.num_procs;
    uint64_t node = 0;

    if (node_of == NULL) {
        node_of = calloc(processes, sizeof(*node_of));
    }
    if (node_of == NULL || name->vpid >= processes) {
        return 0;
    }
    if (node_of[name->vpid] == 0 && mca_coll_irr_modex_node(name, &node) == OMPI_SUCCESS) {
        node_of[name->vpid] = 1 + node;
    }
    return node_of[name->vpid];
}

static int compare(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

    return (left > right) - (left < right);
}

/* Nodes of the communicator; 0: some are not known, or there is no memory. */
static int count_nodes(const mca_coll_irr_ranks_t *ranks)
{
    uint64_t *nodes = malloc((size_t)ranks->size * sizeof(*nodes));
    int count = 0;

    if (nodes == NULL) {
        return 0;
    }
    opal_mutex_lock(&mca_coll_irr_component.lock);
    for (int i = 0; i < ranks->size; i++) {
        const opal_process_name_t name = mca_coll_irr_process(ranks, i);

        nodes[i] = look_up(&name);
    }
    opal_mutex_unlock(&mca_coll_irr_component.lock);
    qsort(nodes, (size_t)ranks->size, sizeof(*nodes), compare);
    for (int i = 0; i < ranks->size && nodes[0] > 0; i++) {
        count += i == 0 || nodes[i] != nodes[i - 1];
    }
    free(nodes);
    return count;
}

int mca_coll_irr_nodes(const mca_coll_irr_module_t *module)
{
    const size_t ranks = (size_t)module->ranks.size, given = module->settings->ranks_per_node;
    const size_t node_ranks = given > 0 ? given : (size_t)mca_coll_irr_node_ranks(module);
    const int counted = given > 0 ? 0 : count_nodes(&module->ranks);

    return counted > 0 ? counted : (int)((ranks - 1) / node_ranks + 1);
}

const char *mca_coll_irr_name(const mca_coll_irr_module_t *module)
{
    return module->comm->c_name[0] != '\0' ? module->comm->c_name : "unnamed communicator";
}

/* Does this rank say so? */
static bool says(const mca_coll_irr_module_t *module)
{
    return opal_output_get_verbosity(mca_coll_irr_component.output) >= (module->ranks.rank == 0 ? 1 : 10);
}

/* Of a collective that was tried: what it sends, and how much was tried. */
static void trial_texts(const mca_coll_irr_service_t *service, char each[48], char tried[80])
{
    const irr_choice_t *choice = &service->choice;
    char bytes[MCA_COLL_IRR_UNITS];
    mca_coll_irr_row_t record;

    mca_coll_irr_tally_record(service, &record);
    each[0] = tried[0] = '\0';
    if (record.tried > 0) {
        mca_coll_irr_bytes_text(choice->load.sends > 0 ? choice->load.sent / choice->load.sends : 0, bytes);
        snprintf(each, 48, ", about %s to each", bytes);
        snprintf(tried, 80, "; tried %llu algorithm%s in %llu exchanges", (unsigned long long)record.tried,
                 record.tried == 1 ? "" : "s", (unsigned long long)record.trial_exchanges);
    }
}

/* Has a line told of the service?  Of one of a team, on this communicator. */
static bool *said_of(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service)
{
    return service == mca_coll_irr_service_called(module, service->which) ? &module->said[service->which]
                                                                          : &service->said;
}

void mca_coll_irr_say(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service)
{
    char by[IRR_CANDIDATE_TEXT], cause[MCA_COLL_IRR_CAUSE], each[48], tried[80];
    int nodes;

    *said_of(module, service) = true;
    if (!says(module)) {
        return;
    }
    nodes = mca_coll_irr_nodes(module);
    mca_coll_irr_served_by(service, by, sizeof(by));
    mca_coll_irr_cause(module, service, cause, sizeof(cause));
    trial_texts(service, each, tried);
    opal_output(mca_coll_irr_component.output, "coll:irr: %s, %s, %d ranks on %d node%s%s: %s, because %s%s",
                mca_coll_irr_name(module), service->call, module->ranks.size, nodes, nodes > 1 ? "s" : "", each, by,
                cause, tried);
    mca_coll_irr_network_say();
}

void mca_coll_irr_say_end(mca_coll_irr_module_t *module, mca_coll_irr_service_t *service)
{
    if (service->state == MCA_COLL_IRR_CHOOSING && service->choice.calls > 0 && !*said_of(module, service)) {
        mca_coll_irr_say(module, service);
    }
}

/* ---- components of a higher priority ---- */

/*
 * The last module of the list that offers a collective serves it.  NULL: that is ours, or it hands calls on to ours.
 * When a communicator is freed its modules leave the list one by one, and those above ours are still in it.
 */
static const mca_coll_base_avail_coll_t *above(const mca_coll_irr_module_t *module, const opal_list_t *modules,
                                               int which)
{
    const mca_coll_base_avail_coll_t *one, *last = NULL;

    OPAL_LIST_FOREACH(one, modules, mca_coll_base_avail_coll_t) {
        if (mca_coll_irr_offers(one->ac_module, which)) {
            last = one;
        }
    }
    return last == NULL || last->ac_module == &module->super || module->called[which] ||
           last->ac_priority < mca_coll_irr_component.params.priority ||
           strcmp(last->ac_component_name, "monitoring") == 0 ? NULL : last;
}

void mca_coll_irr_say_above(mca_coll_irr_module_t *module)
{
    const mca_coll_base_avail_coll_t *found[MCA_COLL_IRR_COLLECTIVES];
    const opal_list_t *modules = says(module) && !module->said_above ? mca_coll_irr_modules(module->comm) : NULL;
    char calls[192] = "";
    int first = -1;

    if (modules == NULL) {
        return;
    }
    for (int i = 0; i < MCA_COLL_IRR_COLLECTIVES; i++) {
        found[i] = above(module, modules, i);
        first = first < 0 && found[i] != NULL ? i : first;
        if (first >= 0 && found[i] == found[first]) {
            const size_t length = strlen(calls);

            snprintf(calls + length, sizeof(calls) - length, "%s%s", length > 0 ? ", " : "",
                     mca_coll_irr_collectives[i].forms[MCA_COLL_IRR_BLOCKING].call);
        }
    }
    if (first >= 0) {
        module->said_above = true;
        opal_output(mca_coll_irr_component.output, "coll:irr: %s, %s, %d ranks: component %s of Open MPI, because its "
                    "priority %d is above coll_irr_priority, which is %d", mca_coll_irr_name(module), calls,
                    module->ranks.size, found[first]->ac_component_name, found[first]->ac_priority,
                    mca_coll_irr_component.params.priority);
    }
}
