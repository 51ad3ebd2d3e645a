/*
 * agree_settings.h - do all members of a communicator have the same settings, and which one differs if not?
 */
#ifndef IRR_AGREE_SETTINGS_H
#define IRR_AGREE_SETTINGS_H

#include "comm/opening.h"

/* All settings and files in one word; different ones have different words but for a negligible few. */
uint64_t irr_settings_digest(const irr_comm_params_t *params, const irr_comm_files_t *files);

/*
 * A step that all members take whose digests are not equal: rank 0 tells one setting that differs, and two ranks that
 * have different values.  Three all-reduces; then IRR_ERR_NOT_SUPPORTED.
 */
irr_status_t irr_settings_tell(irr_opening_t *opening);

#endif
