/*
 * coll_irr_network.c - see coll_irr_network.h.
 *
 * A process opens one transport, and ranks with different ones cannot talk to each other.  So what decides it must be
 * alike on all ranks of a communicator: the parameters, and, where they say auto, what was found on the machine.  Both
 * are in the record that each process publishes in MPI_Init (coll_irr_records.c), before anything is opened.
 *
 * A provider of libfabric that works over sockets listens where anybody may connect.  Where no domain is named it gets
 * the interfaces that the btl tcp was told to use, each process those of its node; where that one was told nothing,
 * libfabric chooses.
 */
#include "coll_irr_engine.h"
#include "coll_irr_interfaces.h"
#include "coll_irr_network.h"
#include "coll_irr_settings.h"

#include "core/hash.h"
#include "transport/auto.h"

#include <stdlib.h>

/* ---- the word ---- */

/* Fields of the word: the transport that was named, 1 + the value, 0 for none that exists; the one that follows. */
#define NAMED_BITS 3
#define TAKEN_BITS 3
#define TEXT_BITS  12

_Static_assert(NAMED_BITS + TAKEN_BITS + 2 * TEXT_BITS == MCA_COLL_IRR_NETWORK_BITS, "the fields fill the word");

typedef struct fields {
    unsigned named, taken, provider, domain;
} fields_t;

static uint64_t pack(const fields_t *fields)
{
    uint64_t word = fields->named;

    word = word << TAKEN_BITS | fields->taken;
    word = word << TEXT_BITS | fields->provider;
    return word << TEXT_BITS | fields->domain;
}

static fields_t unpack(uint64_t word)
{
    return (fields_t){
        .domain = word & ((1u << TEXT_BITS) - 1),
        .provider = word >> TEXT_BITS & ((1u << TEXT_BITS) - 1),
        .taken = word >> 2 * TEXT_BITS & ((1u << TAKEN_BITS) - 1),
        .named = word >> (2 * TEXT_BITS + TAKEN_BITS) & ((1u << NAMED_BITS) - 1)
    };
}

/* 0 for no text; different ones are alike once in 4095 times, and then do not reach each other. */
static unsigned digest(const char *text)
{
    if (text == NULL || text[0] == '\0') {
        return 0;
    }
    return (unsigned)(1 + irr_hash_text(IRR_HASH_BASIS, text) % ((1u << TEXT_BITS) - 1));
}

static const mca_coll_irr_choice_t *const transport = &mca_coll_irr_choices[MCA_COLL_IRR_TRANSPORT];

/* What was found when the component was opened. */
static struct {
    irr_transport_choice_t choice;
    uint64_t               word;
    int                    said;   /* of the texts below, so many; guarded by the component's lock */
} network;

/* What decides alike on all ranks, if parameters are: the first part of a configuration. */
static irr_engine_config_t alike(void)
{
    const mca_coll_irr_params_t *params = &mca_coll_irr_component.params;
    return (irr_engine_config_t){
        .transport = params->transport > 0 ? transport->name(params->transport) : NULL,
        .ucx_tls = params->ucx_tls,
        .ucx_devices = params->ucx_devices,
        .ofi_provider = params->ofi_provider,
        .ofi_domain = params->ofi_domain,
        .one_node = (size_t)mca_coll_irr_process_info.num_local_peers + 1 ==
                    (size_t)mca_coll_irr_process_info.num_procs
    };
}

static unsigned value_of(const char *name)
{
    unsigned value = 0;

    while (transport->name((int)value) != NULL && strcmp(transport->name((int)value), name) != 0) {
        value++;
    }
    return value;
}

void mca_coll_irr_network_open(void)
{
    const irr_engine_config_t config = alike();
    fields_t fields = {
        .named = (unsigned)(mca_coll_irr_component.params.transport + 1),
        .provider = digest(config.ofi_provider),
        .domain = digest(config.ofi_domain)
    };

    irr_transport_choose(&config, &network.choice);
    network.said = 0;
    fields.taken = value_of(network.choice.name);
    network.word = pack(&fields);
}

uint64_t mca_coll_irr_network_word(void)
{
    return network.word;
}

/* ---- what is unlike ---- */

static const char *name_of(unsigned value)
{
    const char *name = transport->name((int)value);

    return name != NULL ? name : "something else";
}

static void text_unlike(const char *parameter, const char *mine, unsigned other_rank, unsigned my_rank, char *text,
                        size_t size)
{
    snprintf(text, size, "%s is '%s' on rank %u of MPI_COMM_WORLD, and not on rank %u", parameter,
             mine != NULL ? mine : "", my_rank, other_rank);
}

void mca_coll_irr_network_unlike(uint64_t other_word, unsigned other_rank, unsigned my_rank, char *text, size_t size)
{
    const mca_coll_irr_params_t *params = &mca_coll_irr_component.params;
    const fields_t mine = unpack(network.word), other = unpack(other_word);

    if (other.named != mine.named) {
        snprintf(text, size, "%s is %s on rank %u of MPI_COMM_WORLD and %s on rank %u", transport->parameter,
                 other.named > 0 ? name_of(other.named - 1) : "no name", other_rank,
                 mine.named > 0 ? name_of(mine.named - 1) : "no name", my_rank);
    } else if (other.provider != mine.provider) {
        text_unlike(MCA_COLL_IRR_PREFIX "ofi_provider", params->ofi_provider, other_rank, my_rank, text, size);
    } else if (other.domain != mine.domain) {
        text_unlike(MCA_COLL_IRR_PREFIX "ofi_domain", params->ofi_domain, other_rank, my_rank, text, size);
    } else {
        snprintf(text, size, "%s is %s, which is %s on rank %u of MPI_COMM_WORLD, and %s on rank %u, where %s: name "
                 "one", transport->parameter, name_of(0), name_of(other.taken), other_rank, network.choice.name,
                 my_rank, network.choice.why);
    }
}

/* ---- interfaces ---- */

/* A list of the btl tcp: as Open MPI has it, or, where that btl was not loaded, as the environment has. */
static const char *btl_list(const char *name, const char *variable)
{
    const int index = mca_base_var_find("ompi", "btl", "tcp", name);
    char *const *value = NULL;

    if (index >= 0 && mca_base_var_get_value(index, &value, NULL, NULL) == OPAL_SUCCESS && value != NULL) {
        return *value;
    }
    return getenv(variable);
}

/* Those that it was told to use here; NULL: it was told nothing. */
static const char *told_interfaces(void)
{
    static const char standard[] = "127.0.0.1/8,sppp";   /* that Open MPI leaves out unless told otherwise */
    static char names[1024];
    const char *include = btl_list("if_include", "OMPI_MCA_btl_tcp_if_include");
    const char *exclude = btl_list("if_exclude", "OMPI_MCA_btl_tcp_if_exclude");
    const bool told = (include != NULL && include[0] != '\0') || (exclude != NULL && strcmp(exclude, standard) != 0);
    struct ifaddrs *all;
    bool found;

    if (!told || getifaddrs(&all) != 0) {
        return NULL;
    }
    found = mca_coll_irr_interfaces(all, include, exclude != NULL ? exclude : standard, names, sizeof(names));
    freeifaddrs(all);
    return found ? names : NULL;
}

void mca_coll_irr_network_config(irr_engine_config_t *config)
{
    *config = alike();
    config->interfaces = told_interfaces();
}

void mca_coll_irr_network_say(void)
{
    enum { NOTHING, MEMORY, NETWORK } stands;
    irr_counters_t counters;
    bool says;

    mca_coll_irr_counters(&counters);
    stands = mca_coll_irr_engine_has_network() ? NETWORK : counters.endpoints_open > 0 ? MEMORY : NOTHING;
    opal_mutex_lock(&mca_coll_irr_component.lock);
    says = (int)stands > network.said;
    network.said = says ? (int)stands : network.said;
    opal_mutex_unlock(&mca_coll_irr_component.lock);
    if (says && stands == MEMORY) {
        opal_output(mca_coll_irr_component.output, "coll:irr: messages stay in shared memory of the node");
    } else if (says) {
        opal_output(mca_coll_irr_component.output, "coll:irr: messages go over %s, because %s", network.choice.name,
                    network.choice.why);
    }
}
