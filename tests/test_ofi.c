/*
 * test_ofi.c - the conformance suite on each provider of libfabric that this machine has, with several transports in
 * one process. Prints the names of missing providers.
 */
#include "transport_suite.h"

#include <stdlib.h>
#include <string.h>

/* X(setup, provider) */
#define PROVIDERS(X)                 \
    X(tcp_rxm,   "tcp;ofi_rxm")      \
    X(tcp,       "tcp")              \
    X(net,       "net")              \
    X(shm,       "shm")              \
    X(sockets,   "sockets")          \
    X(udp_rxd,   "udp;ofi_rxd")      \
    X(verbs_rxm, "verbs;ofi_rxm")    \
    X(psm3,      "psm3")             \
    X(psm2,      "psm2")             \
    X(efa,       "efa")              \
    X(cxi,       "cxi")              \
    X(opx,       "opx")

#define SETUP(name, provider)                                                         \
    static const irr_opener_t name = {                                                \
        .config = { .transport = "ofi", .ofi_provider = provider, .one_node = true }  \
    };                                                                                \
    IRR_TRANSPORT_SUITE(IRR_SUITE_WRAP, name)                                         \
    IRR_TRANSPORT_SUITE_MORE(IRR_SUITE_WRAP, name)                                    \
                                                                                      \
    static const irr_test_case_t name##_cases[] = {                                   \
        IRR_TRANSPORT_SUITE(IRR_SUITE_ROW, name)                                      \
        IRR_TRANSPORT_SUITE_MORE(IRR_SUITE_ROW, name)                                 \
        { NULL, NULL }                                                                \
    };                                                                                \
                                                                                      \
    static void name##_missing(void)                                                  \
    {                                                                                 \
        irr_test_skip("libfabric has no provider " provider " that serves here");     \
    }

PROVIDERS(SETUP)

static const struct provider {
    const char            *name, *text;
    const irr_test_case_t *cases;
    void                 (*missing)(void);
} providers[] = {
#define ROW(name, provider) { #name, provider, name##_cases, name##_missing },
    PROVIDERS(ROW)
#undef ROW
};

enum { COUNT = IRR_TEST_COUNT(providers), CASES = 40 };

/* sockets takes long, and libfabric advises against it. */
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
    static irr_test_case_t cases[COUNT * CASES + 1];
    const char *only = getenv("IRR_PROVIDER");
    size_t count = 0;

    for (size_t i = 0; i < COUNT; i++) {
        const struct provider *provider = &providers[i];

        if (!is_wanted(provider->text, only)) {
            continue;
        }
        if (!is_here(provider->text)) {
            cases[count++] = (irr_test_case_t){ provider->name, provider->missing };
            continue;
        }
        for (const irr_test_case_t *test = provider->cases; test->name != NULL; test++) {
            cases[count++] = *test;
        }
    }
    return irr_test_main("ofi", cases, 600);
}
