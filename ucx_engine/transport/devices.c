/*
 * devices.c - finds fast network devices in folders of sysfs, without loading a library.
 *
 * Adapters of all vendors with verbs are in class/infiniband. Two of these adapters need libfabric's providers: EFA
 * (driver efa) has no reliable messages that UCX supports, and Omni-Path (driver hfi1) is slow with verbs. Slingshot
 * adapters are in class/cxi.
 */
#include "transport/devices.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Returns true if the link device/driver of the device points to this driver. */
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

/* Keeps the alphabetically first name, because the entries of a folder are not sorted. */
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
