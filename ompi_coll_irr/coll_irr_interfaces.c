/*
 * coll_irr_interfaces.c - see coll_irr_interfaces.h.
 *
 * An entry of an include or exclude list is the name of an interface, or an address and the number of its significant
 * bits, such as 192.168.0.0/16.  Any other entry matches no interface; Open MPI's btl tcp prints a warning for it.
 */
#include "coll_irr_interfaces.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENTRY_SIZE 64

/* Returns the bytes of an IPv4 or IPv6 address, and sets *count to their number.  Returns NULL for other addresses. */
static const unsigned char *bytes_of(const struct sockaddr *address, size_t *count)
{
    if (address == NULL) {
        return NULL;
    }
    switch (address->sa_family) {
    case AF_INET:
        *count = sizeof(struct in_addr);
        return (const unsigned char *)&((const struct sockaddr_in *)address)->sin_addr;
    case AF_INET6:
        *count = sizeof(struct in6_addr);
        return (const unsigned char *)&((const struct sockaddr_in6 *)address)->sin6_addr;
    default:
        return NULL;
    }
}

static bool same_bits(const unsigned char *a, const unsigned char *b, size_t bits)
{
    const size_t whole = bits / 8, rest = bits % 8;

    return memcmp(a, b, whole) == 0 && (rest == 0 || (a[whole] ^ b[whole]) >> (8 - rest) == 0);
}

/* Returns true if an address is in the network that `text`, such as "192.168.0.0/16", names.  Modifies the text. */
static bool in_network(const struct sockaddr *address, char *text)
{
    unsigned char network[sizeof(struct in6_addr)];
    char *slash = strchr(text, '/'), *end;
    unsigned long bits;
    size_t count;
    const unsigned char *bytes = bytes_of(address, &count);

    if (bytes == NULL || slash == NULL) {
        return false;
    }
    *slash = '\0';
    bits = strtoul(slash + 1, &end, 10);
    return end != slash + 1 && *end == '\0' && bits <= 8 * count &&
           inet_pton(address->sa_family, text, network) == 1 && same_bits(bytes, network, bits);
}

static bool is_listed(const struct ifaddrs *one, const char *list)
{
    while (list != NULL && *list != '\0') {
        const size_t length = strcspn(list, ",");
        char entry[ENTRY_SIZE];

        if (length < sizeof(entry)) {
            memcpy(entry, list, length);
            entry[length] = '\0';
            if (strcmp(entry, one->ifa_name) == 0 || in_network(one->ifa_addr, entry)) {
                return true;
            }
        }
        list += length + (list[length] == ',');
    }
    return false;
}

bool mca_coll_irr_interfaces(const struct ifaddrs *all, const char *include, const char *exclude, char *names,
                             size_t size)
{
    const bool has_include = include != NULL && include[0] != '\0';
    size_t used = 0;

    names[0] = '\0';
    for (const struct ifaddrs *one = all; one != NULL; one = one->ifa_next) {
        const bool admitted = has_include ? is_listed(one, include) : !is_listed(one, exclude);
        size_t count;

        if (admitted && (one->ifa_flags & IFF_UP) != 0 && bytes_of(one->ifa_addr, &count) != NULL &&
            !is_listed(one, names)) {
            used += (size_t)snprintf(names + used, size - used, "%s%s", used > 0 ? "," : "", one->ifa_name);
            if (used >= size) {
                return false;
            }
        }
    }
    return used > 0;
}
