/*
 * test_ofi_wrong.c - libfabric with errors: every second call returns -FI_EAGAIN, a rank posts too many receives,
 * addresses are hostile, and names are unknown. All tests run over tcp on the loopback.
 */
#include "irr_world.h"
#include "transport_suite.h"

#include "transport/ofi/ofi.h"

#define TAG IRR_NET_TAG

#define TCP { .transport = "ofi", .ofi_provider = "tcp;ofi_rxm", .one_node = true }

static const irr_engine_config_t tcp = TCP;

/* ---- -FI_EAGAIN ---- */

static struct fi_ops_tagged *given, stubborn;
static unsigned calls;

static bool refuses(void)
{
    return calls++ % 2 == 0;
}

static ssize_t send_again(struct fid_ep *ep, const struct fi_msg_tagged *message, uint64_t flags)
{
    return refuses() ? -FI_EAGAIN : given->sendmsg(ep, message, flags);
}

static ssize_t recv_again(struct fid_ep *ep, const struct fi_msg_tagged *message, uint64_t flags)
{
    return refuses() ? -FI_EAGAIN : given->recvmsg(ep, message, flags);
}

static irr_status_t make_stubborn(irr_transport_t *transports[IRR_NET_RANKS])
{
    for (int r = 0; r < IRR_NET_RANKS; r++) {
        struct fid_ep *ep = irr_ofi_of(transports[r])->ep;

        given = ep->tagged;
        stubborn = *given;
        stubborn.sendmsg = send_again;
        stubborn.recvmsg = recv_again;
        ep->tagged = &stubborn;
    }
    return IRR_OK;
}

static const irr_opener_t plain = { .config = TCP }, again = { .config = TCP, .wrap = make_stubborn };

IRR_TRANSPORT_SUITE(again)

enum { WINDOW = 50, ALL = 100000 };

static void post(irr_net_t *net, irr_msg_t *msg, uint64_t seed, uint64_t *random)
{
    const size_t bytes = irr_test_below(random, 8) == 0 ? irr_test_below(random, 40000) : irr_test_below(random, 600);
    const int from = (int)irr_test_below(random, IRR_NET_RANKS), to = (int)irr_test_below(random, IRR_NET_RANKS);
    const uint16_t tag = (uint16_t)irr_test_below(random, 3);

    irr_msg_open(msg, from, to, TAG | tag, seed, bytes, bytes);
    irr_msg_post(net, msg, irr_test_below(random, 2) == 0);
}

/* Messages of one tag have the same order at both ends, so the k-th receive takes the k-th message. */
IRR_NET_TEST(test_again, &again, "every second call returns -FI_EAGAIN")
{
    const int count = irr_test_runs(ALL);
    uint64_t random = irr_test_seed();
    irr_msg_t *msgs = irr_test_array(WINDOW, sizeof(*msgs));

    for (int first = 0; first < count; first += WINDOW) {
        for (int i = 0; i < WINDOW; i++) {
            post(net, &msgs[i], (uint64_t)(first + i), &random);
        }
        for (int i = 0; i < WINDOW; i++) {
            irr_msg_finish(net, &msgs[i]);
        }
    }
    free(msgs);
}

/* ---- many receives ---- */

/* Posts more receives of one tag than the provider accepts. The first message is for a receive that was posted last. */
IRR_NET_TEST(test_receives, &plain, "more receives than the provider accepts")
{
    enum { MANY = 5000 };
    irr_msg_t *msgs = irr_test_array(MANY + 1, sizeof(*msgs));

    for (int i = 0; i <= MANY; i++) {
        irr_msg_open(&msgs[i], 0, 1, (uint16_t)(i < MANY ? TAG : TAG + 1), 1, 8, 8);
        irr_msg_recv(net, &msgs[i]);
    }
    for (int i = MANY; i >= 0; i--) {
        irr_msg_send(net, &msgs[i]);
        irr_net_wait(net, &msgs[i < MANY ? MANY - 1 - i : MANY].recv);
    }
    for (int i = 0; i <= MANY; i++) {
        irr_msg_finish(net, &msgs[i]);
    }
    free(msgs);
}

/* ---- addresses ---- */

/*
 * An address with a wrong byte or length is refused, or makes a peer that is never reached. No byte beyond the address
 * is read.
 */
IRR_TEST(test_addresses, "addresses with a wrong byte or length")
{
    irr_engine_config_t config = tcp;
    irr_transport_t *transport;
    irr_peer_t *peer;
    const void *address;
    size_t length;

    config.job_ranks = config.node_ranks = 1;
    irr_test_must(irr_transport_open(&config, &transport));
    irr_test_must(transport->ops->address(transport, &address, &length));
    for (size_t bytes = 0; bytes <= length; bytes++) {
        char *copy = malloc(bytes > 0 ? bytes : 1);   /* an exact copy, so that sanitizers detect reads beyond it */

        memcpy(copy, address, bytes);
        CU_ASSERT_EQUAL(transport->ops->connect(transport, copy, bytes, &peer) == IRR_OK, bytes == length);
        free(copy);
    }
    for (size_t i = 0; i < 8 + strlen("tcp;ofi_rxm"); i++) {
        const bool counts = i != 3;
        char *copy = malloc(length);

        memcpy(copy, address, length);
        copy[i] = (char)(copy[i] ^ 0x55);
        CU_ASSERT(!counts || transport->ops->connect(transport, copy, length, &peer) != IRR_OK);
        free(copy);
    }
    transport->ops->free(transport);
}

/* ---- parameters ---- */

IRR_TEST(test_names, "names of providers and domains that do not exist")
{
    static const struct { const char *provider, *domain, *word; } cases[] = {
        { "pigeon", NULL, "pigeon" }, { "tcp;ofi_rxm", "eth99", "eth99" }, { NULL, "eth99,,", "ofi_domain" },
        { ";;", NULL, "ofi_provider" }
    };
    irr_transport_t *transport;

    for (size_t i = 0; i < IRR_TEST_COUNT(cases); i++) {
        irr_engine_config_t config = { .transport = "ofi", .job_ranks = 1, .node_ranks = 1 };

        config.ofi_provider = cases[i].provider;
        config.ofi_domain = cases[i].domain;
        irr_world_start_log();
        CU_ASSERT_EQUAL(irr_transport_open(&config, &transport), IRR_ERR_NOT_SUPPORTED);
        irr_world_stop_log();
        CU_ASSERT_EQUAL(irr_world_log.lines, 1);
        CU_ASSERT_PTR_NOT_NULL(strstr(irr_world_log.last, cases[i].word));
    }
}

static int (*getinfo)(uint32_t version, const char *node, const char *service, uint64_t flags,
                      const struct fi_info *hints, struct fi_info **info);

/* Acts like libfabric if every provider requires registered memory. */
static int getinfo_strict(uint32_t version, const char *node, const char *service, uint64_t flags,
                          const struct fi_info *hints, struct fi_info **info)
{
    if (hints != NULL && (hints->domain_attr->mr_mode & FI_MR_LOCAL) == 0) {
        return -FI_ENODATA;
    }
    return getinfo(version, node, service, flags, hints, info);
}

IRR_TEST(test_registration, "a provider that requires registered memory is refused, and one error message names it")
{
    const irr_ofi_library_t *library;
    irr_ofi_library_t strict;
    struct fi_info *info = NULL;

    if (irr_ofi_load(&tcp, &library) != IRR_OK) {
        irr_test_skip("no libfabric");
        return;
    }
    strict = *library;
    getinfo = strict.getinfo;
    strict.getinfo = getinfo_strict;
    irr_world_start_log();
    CU_ASSERT_EQUAL(irr_ofi_choose(&strict, &tcp, &info), IRR_ERR_NOT_SUPPORTED);
    irr_world_stop_log();
    CU_ASSERT_PTR_NULL(info);
    CU_ASSERT_EQUAL(irr_world_log.lines, 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(irr_world_log.last, "tcp;ofi_rxm"));
    CU_ASSERT_PTR_NOT_NULL(strstr(irr_world_log.last, "ofi_provider"));
}

IRR_TEST_MAIN("ofi_wrong", 600)
