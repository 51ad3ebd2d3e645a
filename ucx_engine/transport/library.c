/* library.c - loads a library and its functions by dlopen and dlsym; see library.h. */
#include "transport/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

bool irr_library_load(const char *file, const char *const *names, size_t count, void *functions, char *why_not,
                      size_t bytes)
{
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);

    if (handle == NULL) {
        snprintf(why_not, bytes, "%s", dlerror());
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        void *function = dlsym(handle, names[i]);

        if (function == NULL) {
            snprintf(why_not, bytes, "%s has no %s", file, names[i]);
            return false;
        }
        memcpy((char *)functions + i * sizeof(function), &function, sizeof(function));
    }
    return true;
}
