/*
 * ofi.h - private to the ofi transport: its state, shared by the files of this folder.
 */
#ifndef IRR_OFI_H
#define IRR_OFI_H

#include "transport/transport.h"

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>

/* What is asked of libfabric: the oldest version whose providers were tried. */
#define IRR_OFI_VERSION FI_VERSION(1, 17)

/* The functions of libfabric that are symbols; all others are reached through the objects that it makes. */
typedef struct irr_ofi_library {
    int            (*getinfo)(uint32_t version, const char *node, const char *service, uint64_t flags,
                              const struct fi_info *hints, struct fi_info **info);
    void           (*freeinfo)(struct fi_info *info);
    struct fi_info *(*dupinfo)(const struct fi_info *info);
    int            (*fabric)(struct fi_fabric_attr *attr, struct fid_fabric **fabric, void *context);
    const char    *(*strerror)(int error);
    uint32_t       (*version)(void);
} irr_ofi_library_t;

typedef struct irr_ofi {
    irr_transport_t          super;
    const irr_ofi_library_t *library;
    struct fi_info          *info;
    struct fid_fabric       *fabric;
    struct fid_domain       *domain;
    struct fid_av           *av;
    struct fid_cq           *cq;
    struct fid_ep           *ep;
} irr_ofi_t;

static inline irr_ofi_t *irr_ofi_of(irr_transport_t *transport)
{
    return (irr_ofi_t *)transport;
}

/* library.c: loads libfabric, once a process.  IRR_ERR_NOT_SUPPORTED, told to the user, where there is none. */
irr_status_t irr_ofi_load(const irr_ofi_library_t **library_p);

/* provider.c: the provider and domain that the configuration names, or the best; the caller frees it by freeinfo. */
irr_status_t irr_ofi_choose(const irr_ofi_library_t *library, const irr_engine_config_t *config,
                            struct fi_info **info_p);

/* ofi.c: what libfabric's error, of either sign, is here. */
irr_status_t irr_ofi_status(ssize_t error);

#endif
