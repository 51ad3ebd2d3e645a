/*
 * coll_irr_component.c - the component structure that Open MPI looks up in mca_coll_irr.so, and its open and close.
 */
#include "coll_irr_choose.h"
#include "coll_irr_engine.h"
#include "coll_irr_settings.h"
#include "coll_irr_team.h"
#include "coll_irr_statistics.h"

static int irr_open(void);
static int irr_close(void);
static int irr_register(void);

mca_coll_irr_component_t mca_coll_irr_component = {
    .super = {
        .collm_version = {
            MCA_COLL_IRR_BASE_VERSION,
            .mca_component_name = "irr",
            MCA_BASE_MAKE_VERSION(component, IRR_VERSION_MAJOR, IRR_VERSION_MINOR, IRR_VERSION_RELEASE),
            .mca_open_component = irr_open,
            .mca_close_component = irr_close,
            .mca_register_component_params = irr_register
        },
        .collm_data = {
            MCA_BASE_METADATA_PARAM_NONE
        },
        .collm_init_query = mca_coll_irr_init_query,
        .collm_comm_query = mca_coll_irr_comm_query
    },
    .output = -1
};

static int irr_register(void)
{
    const int result = mca_coll_irr_settings_register();

    return result < 0 ? result : mca_coll_irr_pvars_register();
}

static int irr_open(void)
{
    OBJ_CONSTRUCT(&mca_coll_irr_component.lock, opal_mutex_t);
    mca_coll_irr_messages_open();
    mca_coll_irr_runs_open();
    mca_coll_irr_requests_open();
    mca_coll_irr_network_open();
    mca_coll_irr_modes_open();
    mca_coll_irr_teams_open(!mca_coll_irr_is_given_files());
    mca_coll_irr_signature_open();
    mca_coll_irr_check_open();
    mca_coll_irr_report_open();
    return OMPI_SUCCESS;
}

static int irr_close(void)
{
    mca_coll_irr_modules_strand();
    mca_coll_irr_report_close();
    mca_coll_irr_modules_close();
    mca_coll_irr_teams_close();
    mca_coll_irr_memory_close();
    mca_coll_irr_settings_close();
    mca_coll_irr_signature_close();
    mca_coll_irr_ranks_close();
    mca_coll_irr_requests_close();
    mca_coll_irr_runs_close();
    mca_coll_irr_messages_close();
    OBJ_DESTRUCT(&mca_coll_irr_component.lock);
    return OMPI_SUCCESS;
}
