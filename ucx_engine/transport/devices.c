/*
 * devices.c - finds fast network devices in folders of sysfs, without loading a library.
 *
 * class/infiniband lists the adapters that support verbs, the interface of InfiniBand and RoCE. Two kinds of them still
 * need libfabric: UCX does not support reliable messages of EFA (driver efa), and Omni-Path (driver hfi1) is slow with
 * verbs. class/cxi lists Slingshot adapters.
 */
#include "transport/devices.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Returns true if the kernel driver of a device has this name: the target of the link device/driver. */
static bool is_driven_by(int folder, const char *device, const char *driver)
{
    char path[NAME_MAX + sizeof("/device/driver")], target[PATH_MAX];
    const char *name;
    ssize_t length;

    snprintf(path, sizeof(path), "%.*s/device/driver", NAME_MAX, device);
    length = readlinkat(folder, path, target, sizeof(target) - 1);
    target[length > 0 ? length : 0] = '\0';
    name = strrchr(target, '/');
    return strcmp(name != NULL ? name + 1 : target, driver) == 0;
}

static bool is_for_ofi(int folder, const char *device)
{
    return is_driven_by(folder, device, "efa") || is_driven_by(folder, device, "hfi1");
}

/* Keeps the alphabetically first name, because readdir returns the names in no particular order. */
static void keep_first(char *first, const char *name)
{
    if (first[0] == '\0' || strcmp(name, first) < 0) {
        snprintf(first, IRR_DEVICE_NAME, "%.*s", IRR_DEVICE_NAME - 1, name);
    }
}

static void look_in(const char *root, const char *class, bool has_verbs, irr_devices_t *devices)
{
    char folder[PATH_MAX];
    const struct dirent *entry;
    DIR *stream;

    snprintf(folder, sizeof(folder), "%s/%s", root, class);
    stream = opendir(folder);
    while (stream != NULL && (entry = readdir(stream)) != NULL) {
        if (entry->d_name[0] != '.') {
            keep_first(has_verbs && !is_for_ofi(dirfd(stream), entry->d_name) ? devices->ucx : devices->ofi,
                       entry->d_name);
        }
    }
    if (stream != NULL) {
        closedir(stream);
    }
}

void irr_devices_look(const char *root, irr_devices_t *devices)
{
    *devices = (irr_devices_t){ .ucx = "" };
    look_in(root, "class/infiniband", true, devices);
    look_in(root, "class/cxi", false, devices);
}
