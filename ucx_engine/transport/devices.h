/*
 * devices.h - the fast network devices of this machine, as the kernel shows them.
 */
#ifndef IRR_DEVICES_H
#define IRR_DEVICES_H

#define IRR_DEVICE_NAME 32

/* The first of each kind by name; "": there is none. */
typedef struct irr_devices {
    char ucx[IRR_DEVICE_NAME];   /* that UCX drives: InfiniBand, RoCE and what else has verbs */
    char ofi[IRR_DEVICE_NAME];   /* that libfabric alone drives well: Slingshot, EFA, Omni-Path */
} irr_devices_t;

/* root: a folder laid out as /sys.  What cannot be read is not there.  Some system calls a device. */
void irr_devices_look(const char *root, irr_devices_t *devices);

#endif
