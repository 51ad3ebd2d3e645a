/* devices.h - finds the fast network devices of this machine, as the kernel lists them. */
#ifndef IRR_DEVICES_H
#define IRR_DEVICES_H

#define IRR_DEVICE_NAME 32

/* The first device of each kind in alphabetical order; "": none. */
typedef struct irr_devices {
    char ucx[IRR_DEVICE_NAME];   /* a device for UCX: InfiniBand, RoCE or another device with verbs */
    char ofi[IRR_DEVICE_NAME];   /* a device that only libfabric drives well: Slingshot, EFA, Omni-Path */
} irr_devices_t;

/*
 * Finds the devices in `root`, a folder with the layout of /sys. A folder that cannot be read counts as empty. Makes
 * some system calls per device.
 */
void irr_devices_look(const char *root, irr_devices_t *devices);

#endif
