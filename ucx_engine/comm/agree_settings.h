/*
 * agree_settings.h - checks that all members of a communicator have equal settings, and finds a setting that differs.
 */
#ifndef IRR_AGREE_SETTINGS_H
#define IRR_AGREE_SETTINGS_H

#include "comm/setup.h"

/* Returns a hash of all settings and files. The risk that different settings have equal hashes is negligible. */
uint64_t irr_settings_digest(const irr_comm_params_t *params, const irr_comm_files_t *files);

/*
 * A setup step, taken by all members when their digests differ: rank 0 reports one setting that differs, and two ranks
 * with different values. Takes three all-reduces. Returns IRR_ERR_NOT_SUPPORTED.
 */
irr_status_t irr_settings_name(irr_setup_t *setup);

#endif
