/*
 * coll_irr_paths.c - checks in MPI_Init that this process can use the files that parameters name.
 *
 * The component reads these files, or opens them for writing, only when a communicator needs them: with auto after many
 * exchanges, or never.  A user whose job is too short would not learn that a file is missing on a node.
 *
 * Cost: one system call for each parameter that names a file.
 */
#include "coll_irr_settings.h"

#include <errno.h>
#include <unistd.h>

#define FOR_COMMUNICATORS "Open MPI's own algorithms serve the communicators that need the file"

static const struct {
    const char *name;      /* of the parameter */
    bool        written;   /* the parameter is a prefix of files that the process writes */
    const char *outcome;
} paths[] = {
    { "topology_file", false, FOR_COMMUNICATORS },
    { "schedule_file", false, FOR_COMMUNICATORS },
    { "machine_file",  false, "all ranks take the default constants" },
    { "trace",         true,  "the folder must exist, and permit writing; Open MPI's own algorithms serve" }
};

enum { PATHS = sizeof(paths) / sizeof(paths[0]) };

/* Returns 0, or the error of a path that this process cannot use. */
static int error_of(int i, const char *path)
{
    char folder[1024];
    const char *slash = strrchr(path, '/');

    if (path[0] == '\0') {
        return 0;
    }
    if (!paths[i].written) {
        return access(path, R_OK) == 0 ? 0 : errno;
    }
    snprintf(folder, sizeof(folder), "%.*s", slash != NULL ? (int)(slash - path) + 1 : 1, slash != NULL ? path : ".");
    return access(folder, W_OK | X_OK) == 0 ? 0 : errno;
}

bool mca_coll_irr_bad_path(int i, char *text, size_t size)
{
    const mca_coll_irr_setting_t *setting = mca_coll_irr_setting(paths[i].name);
    const char *path = mca_coll_irr_parameter_text(setting);
    const int error = error_of(i, path);

    if (error != 0) {
        snprintf(text, size, "%s %.300s: %s; %s", setting->parameter, path, strerror(error), paths[i].outcome);
    }
    return error != 0;
}

int mca_coll_irr_paths(void)
{
    return PATHS;
}

bool mca_coll_irr_is_told(const char *text)
{
    bool told = false;

    for (int i = 0; i < PATHS && !told; i++) {
        const mca_coll_irr_setting_t *setting = mca_coll_irr_setting(paths[i].name);
        const char *path = mca_coll_irr_parameter_text(setting);

        told = strncmp(text, setting->parameter, strlen(setting->parameter)) == 0 && error_of(i, path) != 0 &&
               strstr(text, path) != NULL;
    }
    return told;
}
