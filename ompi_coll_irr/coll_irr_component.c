/*
 * coll_irr_component.c - the table that Open MPI looks for in mca_coll_irr.so, and its open and close.
 */
#include "coll_irr_choose.h"
#include "coll_irr_engine.h"
#include "coll_irr_memory.h"
#include "coll_irr_network.h"
#include "coll_irr_settings.h"
#include "coll_irr_team.h"
#include "coll_irr_tell.h"

#include <stdlib.h>

static int irr_open(void);
static int irr_close(void);

mca_coll_irr_component_t mca_coll_irr_component = {
    .super = {
        .collm_version = {
            MCA_COLL_IRR_BASE_VERSION,
            .mca_component_name = "irr",
            MCA_BASE_MAKE_VERSION(component, IRR_VERSION_MAJOR, IRR_VERSION_MINOR, IRR_VERSION_RELEASE),
            .mca_open_component = irr_open,
            .mca_close_component = irr_close,
            .mca_register_component_params = mca_coll_irr_params_register
        },
        .collm_data = {
            MCA_BASE_METADATA_PARAM_NONE
        },
        .collm_init_query = mca_coll_irr_init_query,
        .collm_comm_query = mca_coll_irr_comm_query
    },
    .output = -1
};

/*
 * Open MPI would collect help texts of all ranks over PMIx, which in 4.1 now and then garbles or loses them;
 * so they are rendered by Open MPI and written here.  The same text is written once, however many
 * communicators it concerns.
 */
void mca_coll_irr_tell(const char *topic, const char *text)
{
    static char last[1024];
    char *rendered;

    if (strcmp(text, last) == 0) {
        return;
    }
    snprintf(last, sizeof(last), "%s", text);
    rendered = opal_show_help_string("help-coll-irr.txt", topic, true, mca_coll_irr_process_info.nodename,
                                     mca_coll_irr_my_process(), text);
    opal_output(mca_coll_irr_component.help_output, "%s", rendered != NULL ? rendered : text);
    free(rendered);
}

/* Lines of the engine: errors and warnings for the user, the rest where verbosity asks for them. */
static void on_log(void *context, irr_log_level_t level, const char *text)
{
    (void)context;
    if (level > IRR_LOG_WARN) {
        opal_output_verbose(level == IRR_LOG_INFO ? 1 : 10, mca_coll_irr_component.output, "coll:irr: %s", text);
        return;
    }
    mca_coll_irr_tell("engine-message", text);
}

static int open_help_output(void)
{
    opal_output_stream_t stream;

    OBJ_CONSTRUCT(&stream, opal_output_stream_t);
    stream.lds_want_stderr = true;
    return opal_output_open(&stream);
}

static int irr_open(void)
{
    OBJ_CONSTRUCT(&mca_coll_irr_component.lock, opal_mutex_t);
    mca_coll_irr_component.output = opal_output_open(NULL);
    opal_output_set_verbosity(mca_coll_irr_component.output, mca_coll_irr_component.params.verbose);
    mca_coll_irr_component.help_output = open_help_output();
    opal_show_help_add_dir(IRR_HELP_DIR);
    mca_coll_irr_kept_open();
    mca_coll_irr_runs_open();
    mca_coll_irr_requests_open();
    mca_coll_irr_network_open();
    mca_coll_irr_modes_open();
    mca_coll_irr_teams_open();
    mca_coll_irr_records_open();
    mca_coll_irr_check_open();
    mca_coll_irr_report_open();
    irr_log_set(on_log, NULL, mca_coll_irr_component.params.verbose > 0 ? IRR_LOG_DEBUG : IRR_LOG_WARN);
    irr_log_prefix_set(MCA_COLL_IRR_PREFIX);
    return OMPI_SUCCESS;
}

static int irr_close(void)
{
    mca_coll_irr_teardown_local();
    mca_coll_irr_report_close();
    mca_coll_irr_modules_close();
    mca_coll_irr_teams_close();
    mca_coll_irr_memory_close();
    mca_coll_irr_settings_close();
    mca_coll_irr_records_close();
    mca_coll_irr_say_close();
    mca_coll_irr_requests_close();
    mca_coll_irr_runs_close();
    mca_coll_irr_kept_close();
    irr_log_set(NULL, NULL, IRR_LOG_ERROR);
    irr_log_prefix_set("");   /* the text goes with the component */
    opal_output_close(mca_coll_irr_component.help_output);
    opal_output_close(mca_coll_irr_component.output);
    OBJ_DESTRUCT(&mca_coll_irr_component.lock);
    return OMPI_SUCCESS;
}
