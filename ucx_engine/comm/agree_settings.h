/*
 * agree_settings.h - checks that all members of a communicator have equal settings, and finds a setting that differs.
 */
#ifndef IRR_AGREE_SETTINGS_H
#define IRR_AGREE_SETTINGS_H

#include "comm/setup.h"

/* Returns a 64-bit hash of all settings and of the contents of their files. */
uint64_t irr_settings_digest(const irr_comm_params_t *params, const irr_comm_files_t *files);

/*
 * A step of the setup (comm/setup.h), which all members run if their hashes differ. It starts three all-reduces, one
 * after another. Rank 0 then reports one setting that differs, and two ranks with different values. The setup ends in
 * IRR_ERR_NOT_SUPPORTED.
 */
irr_status_t irr_settings_name(irr_setup_t *setup);

#endif
