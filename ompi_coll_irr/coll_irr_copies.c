/*
 * coll_irr_copies.c - finds copies of coll/irr that Open MPI does not load.
 *
 * Open MPI searches the folders of mca_base_component_path in their order, and loads the first copy that it finds.  The
 * default value has two folders, of Open MPI and of the user, which also have names: SYS_DEFAULT and USER_DEFAULT.  If
 * the path also names a folder explicitly, the user wants the copy in this folder.
 *
 * Cost: one stat for each folder in the path, in MPI_Init.
 */
#include "coll_irr_settings.h"

#include <strings.h>
#include <sys/stat.h>

#define NAME "mca_coll_irr.so"

static bool is_default(const char *folder)
{
    return strcasecmp(folder, "SYS_DEFAULT") == 0 || strcasecmp(folder, "USER_DEFAULT") == 0;
}

/* Finds the file of this component.  Returns false if the component is no file of its own, such as in a program. */
static bool find_loaded(const char **path, struct stat *file)
{
    Dl_info info;

    if (dladdr(&mca_coll_irr_component, &info) == 0 || info.dli_fname == NULL ||
        strstr(info.dli_fname, NAME) == NULL || stat(info.dli_fname, file) != 0) {
        return false;
    }
    *path = info.dli_fname;
    return true;
}

static bool is_another(const char *path, const struct stat *loaded)
{
    struct stat file;

    return stat(path, &file) == 0 && (file.st_ino != loaded->st_ino || file.st_dev != loaded->st_dev);
}

bool mca_coll_irr_find_copy(char *text, size_t size)
{
    const char *loaded = NULL;
    char *folders = mca_coll_irr_base_parameter("component_path"), *rest = NULL, path[1024];
    bool found = false;
    struct stat file;

    if (folders != NULL && find_loaded(&loaded, &file)) {
        for (char *folder = strtok_r(folders, ":", &rest); folder != NULL && !found;
             folder = strtok_r(NULL, ":", &rest)) {
            snprintf(path, sizeof(path), "%s/" NAME, folder);
            found = !is_default(folder) && is_another(path, &file);
        }
    }
    if (found) {
        snprintf(text, size, "there are several copies of coll/irr: Open MPI has loaded %.300s (version %d.%d.%d), "
                 "which comes first in mca_base_component_path, and ignores %.300s; remove one of them",
                 loaded, IRR_VERSION_MAJOR, IRR_VERSION_MINOR, IRR_VERSION_RELEASE, path);
    }
    free(folders);
    return found;
}
