/* limit.c - texts of errors that limits of the process cause; see limit.h. */
#include "core/limit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

/* The limits by the errors that they cause. `text` has one number: the limit, in bytes or files. */
static const struct row {
    int         error;
    int         resource;
    const char *text;
} rows[] = {
    { EFBIG, RLIMIT_FSIZE, "a file may have at most %llu bytes (ulimit -f)" },
    { ENOMEM, RLIMIT_AS, "a process may have at most %llu bytes of address space (ulimit -v)" },
    { EAGAIN, RLIMIT_MEMLOCK, "a process may lock at most %llu bytes of memory (ulimit -l)" },
    { EMFILE, RLIMIT_NOFILE, "a process may have at most %llu open files (ulimit -n)" }
};

irr_cause_t irr_limit_cause(int error)
{
    irr_cause_t cause;
    struct rlimit limit;

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].error == error && getrlimit((__rlimit_resource_t)rows[i].resource, &limit) == 0 &&
            limit.rlim_cur != RLIM_INFINITY) {
            snprintf(cause.text, sizeof(cause.text), rows[i].text, (unsigned long long)limit.rlim_cur);
            return cause;
        }
    }
    snprintf(cause.text, sizeof(cause.text), "%s", strerror(error));
    return cause;
}
