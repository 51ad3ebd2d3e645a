/*
 * library.h - loads the library of a transport (UCX or libfabric) when the transport is opened. A job that does not use
 * the transport does not need the library. A loaded library stays loaded until the process ends.
 */
#ifndef IRR_LIBRARY_H
#define IRR_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Loads the library `file` and looks up `count` functions by their names. functions: a struct that consists of one
 * function pointer per name, in the order of `names`. If the library or a function is missing, returns false and writes
 * the reason to why_not, an array of `bytes` bytes.
 */
bool irr_library_load(const char *file, const char *const *names, size_t count, void *functions, char *why_not,
                      size_t bytes);

#endif
