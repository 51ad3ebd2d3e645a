/*
 * library.h - loads the library of a transport when the transport is opened. A job that does not use the transport
 * never loads its library, so the component works even if the library is missing. A loaded library stays until the
 * process ends.
 */
#ifndef IRR_LIBRARY_H
#define IRR_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Loads the library `file` and finds the `count` functions in names. functions: a struct of one pointer per name, in
 * the same order. If the library or a function is missing, returns false and writes the reason to why_not, which has
 * `bytes` bytes.
 */
bool irr_library_load(const char *file, const char *const *names, size_t count, void *functions, char *why_not,
                      size_t bytes);

#endif
