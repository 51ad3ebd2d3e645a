/*
 * coll_irr_interfaces.h - the network interfaces that parameters of Open MPI name.  Independent of Open MPI.
 */
#ifndef MCA_COLL_IRR_INTERFACES_H
#define MCA_COLL_IRR_INTERFACES_H

#include <ifaddrs.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Writes the names of the interfaces of `all` that are up and that the lists admit.  Each name appears once; names are
 * separated by commas, in the order of the system.  Returns false if there is no such interface, or if the names do not
 * fit.  The lists are the values of btl_tcp_if_include and btl_tcp_if_exclude: names and addresses, such as
 * "eth0,192.168.0.0/16".  If `include` is NULL or "", all interfaces that `exclude` does not list are admitted.
 */
bool mca_coll_irr_interfaces(const struct ifaddrs *all, const char *include, const char *exclude, char *names,
                             size_t size);

#endif
