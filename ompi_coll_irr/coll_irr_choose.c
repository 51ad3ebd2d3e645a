/*
 * coll_irr_choose.c - the mode of a collective, from parameters and info keys: the ranks choose while the program runs,
 * or agree at once, or leave the collective to Open MPI.
 *
 * Without an agreement the ranks do not know whether all of them choose.  The question is part of their first
 * agreement, after some calls.  A rank with different parameters may agree in the first call already.  However, the
 * signatures of both differ (coll_irr_signature.c), so neither waits for the other, and all stay with Open MPI.
 */
#include "coll_irr_choose.h"
#include "coll_irr_settings.h"
#include "coll_irr_team.h"

/* ---- modes ---- */

static bool is_given(ompi_communicator_t *comm, const char *name)
{
    char key[OPAL_MAX_INFO_VAL + 1];

    return mca_coll_irr_setting_text(mca_coll_irr_setting(name), comm, key, NULL)[0] != '\0';
}

/* A schedule file or a dump of the matrices needs the engine.  A topology only states where the ranks are. */
static bool wants_engine(ompi_communicator_t *comm)
{
    return is_given(comm, "schedule_file") || is_given(comm, "matrix_dump");
}

/*
 * Returns the mode on a communicator; comm NULL: on communicators without info keys, from parameters.  Also valid on a
 * rank with a bad value or without memory for settings.
 */
static mca_coll_irr_mode_t mode_of(ompi_communicator_t *comm, int algorithm)
{
    const mca_coll_irr_setting_t *setting =
        mca_coll_irr_setting(mca_coll_irr_algorithm_parameters[algorithm] + strlen(MCA_COLL_IRR_PREFIX));
    char key[OPAL_MAX_INFO_VAL + 1];
    const int place = irr_setting_place(setting->row, mca_coll_irr_setting_text(setting, comm, key, NULL));

    if (mca_coll_irr_component.params.setup_share == 0 || wants_engine(comm) || place < 0) {
        return MCA_COLL_IRR_ASKS;
    }
    switch (mca_coll_irr_algorithm(place)) {
    case MCA_COLL_IRR_AUTO: return MCA_COLL_IRR_CHOOSES;
    case MCA_COLL_IRR_HOST: return MCA_COLL_IRR_LEAVES;
    default:                return MCA_COLL_IRR_ASKS;
    }
}

/*
 * Computed once, because each communicator needs one of these, and reading all parameters is slow relative to creating
 * a communicator.
 */
static mca_coll_irr_mode_t process_modes[MCA_COLL_IRR_ALGORITHMS];

_Static_assert(MCA_COLL_IRR_ALGORITHMS == 3 && 4 * MCA_COLL_IRR_MODES * MCA_COLL_IRR_MODES * MCA_COLL_IRR_MODES <=
               1 << MCA_COLL_IRR_MODES_BITS, "there is room in the record");

void mca_coll_irr_modes_open(void)
{
    for (int i = 0; i < MCA_COLL_IRR_ALGORITHMS; i++) {
        process_modes[i] = mode_of(NULL, i);
    }
}

bool mca_coll_irr_is_given_files(void)
{
    return wants_engine(NULL);
}

uint64_t mca_coll_irr_process_modes(void)
{
    uint64_t modes = mca_coll_irr_teams_are_shared() + 2 * (uint64_t)mca_coll_irr_memory_is_given();

    for (int i = 0; i < MCA_COLL_IRR_ALGORITHMS; i++) {
        modes = modes * MCA_COLL_IRR_MODES + (uint64_t)process_modes[i];
    }
    return modes;
}

bool mca_coll_irr_mode_is_own(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service)
{
    return mca_coll_irr_mode(module, service) != process_modes[mca_coll_irr_collectives[service->which].algorithm];
}

mca_coll_irr_mode_t mca_coll_irr_mode(const mca_coll_irr_module_t *module, const mca_coll_irr_service_t *service)
{
    const int algorithm = mca_coll_irr_collectives[service->which].algorithm;

    return module->keyed == NULL ? process_modes[algorithm] : mode_of(module->keyed, algorithm);
}
