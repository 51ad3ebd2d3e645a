/*
 * provider.c - selects provider and domain of libfabric.
 *
 * libfabric lists combinations of provider and domain (entries) that have reliable, tagged messages. The configuration
 * can limit the list, like the options -p and -d of fi_info. The table `rows` has the order of preference. The domain
 * determines the network device; with a provider on sockets, a job on one node uses only the loopback device.
 */
#include "transport/ofi/ofi.h"

#include "core/log.h"
#include "core/text.h"

#include <string.h>

/* Smallest sufficient number of bits of a key: channel, tag, mark of later fragments, and 16 bits for a rank. */
#define TAG_BITS_MIN (IRR_CHANNEL_ID_BITS + IRR_OFI_TAG_BITS + 16)

/* How a provider reaches other nodes. */
typedef enum reach {
    FABRIC,   /* by a network adapter */
    SOCKETS   /* by sockets on a network interface */
} reach_t;

/* Providers, the best first. Other providers are used only if the configuration names them. */
static const struct row {
    const char *name;
    reach_t     reach;
} rows[] = {
    { "cxi", FABRIC },
    { "efa", FABRIC },
    { "opx", FABRIC },
    { "psm2", FABRIC },
    { "psm3", FABRIC },
    { "verbs;ofi_rxm", FABRIC },
    { "tcp;ofi_rxm", SOCKETS },
    { "sockets", SOCKETS }
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

/* Providers that fail our tests with libfabric before version `before`; `text` completes a sentence for the user. */
static const struct flaw {
    const char *name;
    uint32_t    before;
    const char *text;
} flaws[] = {
    { "net", FI_VERSION(2, 0), "ends a connection when a message is longer than its receive" },
    { "net;ofi_rxm", FI_VERSION(2, 0), "ends a connection when a message is longer than its receive" },
    { "tcp", FI_VERSION(99, 0), "delays later messages while a message has no receive" },
    { "shm", FI_VERSION(99, 0), "hangs, or crashes, when a message is longer than its receive" },
    { "udp;ofi_rxd", FI_VERSION(99, 0), "reports completions without naming their operations" }
};

static const struct flaw *flaw_of(const irr_ofi_library_t *library, const struct fi_info *info)
{
    for (size_t i = 0; i < sizeof(flaws) / sizeof(flaws[0]); i++) {
        if (strcmp(flaws[i].name, info->fabric_attr->prov_name) == 0 &&
            FI_VERSION_LT(library->version(), flaws[i].before)) {
            return &flaws[i];
        }
    }
    return NULL;
}

static const char *provider_of(const struct fi_info *info)
{
    return info->fabric_attr->prov_name;
}

static const char *domain_of(const struct fi_info *info)
{
    return info->domain_attr->name;
}

static int row_of(const char *provider)
{
    int i = 0;

    while (i < ROWS && strcmp(rows[i].name, provider) != 0) {
        i++;
    }
    return i;
}

/* Returns the index of a name in a comma-separated list, or -1. */
static int index_in(const char *list, const char *name)
{
    return irr_text_find(list, name, strlen(name), strncmp);
}

int irr_ofi_tag_bits(const struct fi_info *info)
{
    const uint64_t format = info->ep_attr->mem_tag_format;

    return format != 0 ? 64 - __builtin_clzll(format) : 0;
}

/* Returns the list of allowed domains, the best first; NULL: any domain. */
static const char *domains_for(reach_t reach, const irr_engine_config_t *config)
{
    if (irr_given(config->ofi_domain)) {
        return config->ofi_domain;
    }
    return reach == SOCKETS && !config->one_node && irr_given(config->interfaces) ? config->interfaces : NULL;
}

/* Returns the place of an entry in the order of preference, lowest first, or -1 if the entry must not be used. */
static int preference(const irr_ofi_library_t *library, const struct fi_info *info, const irr_engine_config_t *config)
{
    const int row = row_of(provider_of(info));
    const reach_t reach = row < ROWS ? rows[row].reach : FABRIC;
    const char *domains = domains_for(reach, config);
    const int index = domains != NULL ? index_in(domains, domain_of(info)) : 0;
    const bool loopback = strcmp(domain_of(info), "lo") == 0;

    if (index < 0 || flaw_of(library, info) != NULL || (row == ROWS && !irr_given(config->ofi_provider)) ||
        irr_ofi_tag_bits(info) < TAG_BITS_MIN) {
        return -1;
    }
    if (domains == NULL && reach == SOCKETS && loopback != config->one_node) {
        return -1;
    }
    return row * 256 + index;
}

static const struct fi_info *best_of(const irr_ofi_library_t *library, const struct fi_info *list,
                                     const irr_engine_config_t *config)
{
    const struct fi_info *best = NULL;

    for (const struct fi_info *info = list; info != NULL; info = info->next) {
        const int its = preference(library, info, config);

        if (its >= 0 && (best == NULL || its < preference(library, best, config))) {
            best = info;
        }
    }
    return best;
}

/* ---- error messages ---- */

/* Appends a name to a comma-separated list, unless the list has the name already or is full. */
static void append(char *text, size_t size, const char *name)
{
    const size_t used = strlen(text);

    if (index_in(text, name) < 0 && used + strlen(name) + 2 < size) {
        snprintf(text + used, size - used, "%s%s", used > 0 ? "," : "", name);
    }
}

/* Reports to the user why no entry of the list is suitable. */
static void refuse(const irr_ofi_library_t *library, const struct fi_info *list, const irr_engine_config_t *config)
{
    char providers[256] = "", domains[256] = "";
    const struct fi_info *narrow = NULL;
    const struct flaw *flaw = NULL;

    for (const struct fi_info *info = list; info != NULL; info = info->next) {
        narrow = irr_ofi_tag_bits(info) < TAG_BITS_MIN ? info : narrow;
        flaw = flaw == NULL ? flaw_of(library, info) : flaw;
        append(providers, sizeof(providers), provider_of(info));
        append(domains, sizeof(domains), domain_of(info));
    }
    if (narrow != NULL && irr_given(config->ofi_provider)) {
        irr_log(IRR_LOG_ERROR, "provider %s of libfabric (%sofi_provider) has %d bits for tags, but %d are needed; "
                "select another provider that fi_info lists", provider_of(narrow), irr_log_prefix(),
                irr_ofi_tag_bits(narrow), TAG_BITS_MIN);
        return;
    }
    if (flaw != NULL && irr_given(config->ofi_provider) && strcmp(config->ofi_provider, flaw->name) == 0) {
        irr_log(IRR_LOG_ERROR, "provider %s of libfabric %u.%u (%sofi_provider) %s; select another provider that "
                "fi_info lists", flaw->name, FI_MAJOR(library->version()), FI_MINOR(library->version()),
                irr_log_prefix(), flaw->text);
        return;
    }
    irr_log(IRR_LOG_ERROR, "libfabric has no suitable provider: %sofi_provider is %s, and %sofi_domain is %s; this "
            "host has providers %s with domains %s", irr_log_prefix(),
            irr_given(config->ofi_provider) ? config->ofi_provider : "unset", irr_log_prefix(),
            irr_given(config->ofi_domain) ? config->ofi_domain : config->one_node ? "unset (lo)" : "unset (a network)",
            providers[0] != '\0' ? providers : "none", domains[0] != '\0' ? domains : "none");
}

/* ---- search ---- */

static struct fi_info *hints_for(const irr_ofi_library_t *library)
{
    struct fi_info *hints = library->dupinfo(NULL);

    if (hints != NULL) {
        /* FI_SOURCE is not needed, but without it rxm of libfabric 2.0 to 2.4 may crash when an address is added */
        hints->caps = FI_TAGGED | FI_SOURCE;
        hints->mode = FI_CONTEXT | FI_CONTEXT2;
        hints->ep_attr->type = FI_EP_RDM;
        hints->domain_attr->threading = FI_THREAD_DOMAIN;
        hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
        hints->domain_attr->av_type = FI_AV_TABLE;
        hints->domain_attr->mr_mode = FI_MR_ENDPOINT | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
        hints->tx_attr->msg_order = FI_ORDER_SAS;
        hints->rx_attr->msg_order = FI_ORDER_SAS;
    }
    return hints;
}

/* Sets *list_p to the entries of a provider (NULL: of all) that have the needed features; NULL: no entry. */
static irr_status_t find_all(const irr_ofi_library_t *library, const char *provider, struct fi_info **list_p)
{
    struct fi_info *hints = hints_for(library);
    int error;

    *list_p = NULL;
    if (hints == NULL) {
        return IRR_ERR_NO_MEMORY;
    }
    if (irr_given(provider)) {
        hints->fabric_attr->prov_name = strdup(provider);   /* libfabric frees it */
        if (hints->fabric_attr->prov_name == NULL) {
            library->freeinfo(hints);
            return IRR_ERR_NO_MEMORY;
        }
    }
    error = library->getinfo(IRR_OFI_VERSION, NULL, NULL, 0, hints, list_p);
    library->freeinfo(hints);
    if (error != 0) {
        *list_p = NULL;
    }
    return error == -FI_ENOMEM ? IRR_ERR_NO_MEMORY : IRR_OK;
}

irr_status_t irr_ofi_choose(const irr_ofi_library_t *library, const irr_engine_config_t *config,
                            struct fi_info **info_p)
{
    struct fi_info *list, *info = NULL;
    const struct fi_info *best;
    irr_status_t status = find_all(library, config->ofi_provider, &list);

    if (status == IRR_OK && list == NULL && irr_given(config->ofi_provider)) {
        status = find_all(library, NULL, &list);
        if (status == IRR_OK) {
            refuse(library, list, config);
            status = IRR_ERR_NOT_SUPPORTED;
        }
    }
    if (status != IRR_OK) {
        goto out;
    }
    best = best_of(library, list, config);
    if (best == NULL) {
        refuse(library, list, config);
        status = IRR_ERR_NOT_SUPPORTED;
        goto out;
    }
    info = library->dupinfo(best);
    status = info != NULL ? IRR_OK : IRR_ERR_NO_MEMORY;
out:
    if (list != NULL) {
        library->freeinfo(list);
    }
    if (status == IRR_OK) {
        *info_p = info;
    }
    return status;
}
