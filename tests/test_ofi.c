/*
 * test_ofi.c - the conformance suite on each provider of libfabric that this machine has, with several transports in
 * one process. Prints the names of missing providers.
 */
#include "transport_suite.h"

static const char *const providers[] = {
    "tcp;ofi_rxm", "tcp", "net", "shm", "sockets", "udp;ofi_rxd", "verbs;ofi_rxm", "psm3", "psm2", "efa", "cxi", "opx"
};

enum { COUNT = IRR_TEST_COUNT(providers) };

static void skip(const irr_test_case_t *self)
{
    (void)self;
    irr_test_skip("the provider is missing in libfabric, or has no network here");
}

/* The suite takes long on the provider sockets, so it runs there only on request. */
static bool is_wanted(const char *provider, const char *only)
{
    const char *all = getenv("IRR_CHECK_ALL");

    if (only != NULL) {
        return strcmp(only, provider) == 0;
    }
    return strcmp(provider, "sockets") != 0 || (all != NULL && strcmp(all, "1") == 0);
}

static bool is_here(const char *provider)
{
    const irr_engine_config_t config = { .ofi_provider = provider, .one_node = true, .job_ranks = 1, .node_ranks = 1 };
    irr_transport_t *transport;

    if (irr_ofi_open(&config, &transport) != IRR_OK) {
        return false;
    }
    transport->ops->free(transport);
    return true;
}

/* Tests all providers, or only the provider that IRR_PROVIDER in the environment names. */
int main(void)
{
    static irr_test_case_t missing[COUNT];
    static irr_opener_t openers[COUNT];
    const char *only = getenv("IRR_PROVIDER");

    for (size_t i = 0; i < COUNT; i++) {
        openers[i].config = (irr_engine_config_t){
            .transport = "ofi", .ofi_provider = providers[i], .one_node = true };
        missing[i] = (irr_test_case_t){ .name = providers[i], .run = skip };
        if (is_wanted(providers[i], only) && is_here(providers[i])) {
            irr_suite_add(providers[i], &openers[i], 0);
        } else if (is_wanted(providers[i], only)) {
            irr_test_add(&missing[i]);
        }
    }
    return irr_test_main("ofi", 600);
}
