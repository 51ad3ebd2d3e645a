/*
 * library.h - loads the library of a transport when that is opened, so that a job that uses another transport, or opens
 * none, never has it, and the component starts where it is missing.  It stays until the process ends.
 */
#ifndef IRR_LIBRARY_H
#define IRR_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Loads the library of this name, and finds as many functions as there are names.  functions is a struct that has
 * nothing but a pointer for each of them, in the same order.  If one is missing, why_not, of so many bytes, says what.
 */
bool irr_library_load(const char *file, const char *const *names, size_t count, void *functions, char *why_not,
                      size_t bytes);

#endif
