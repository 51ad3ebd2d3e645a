/*
 * coll_irr_messages.c - the output streams of user messages and of the log of coll_irr_verbose, also for the engine.
 */
#include "coll_irr.h"
#include "coll_irr_settings.h"

#include <stdlib.h>

/*
 * Open MPI would aggregate help texts of all ranks over PMIx, which in 4.1 occasionally garbles or loses them.  Open
 * MPI therefore only renders the texts, and they are written here.  A text equal to the previous one is not repeated,
 * however many communicators it concerns.
 */
void mca_coll_irr_warn(const char *topic, const char *text)
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

void mca_coll_irr_warn_once(const char *topic, const char *text, bool *warned, bool warns)
{
    bool before;

    opal_mutex_lock(&mca_coll_irr_component.lock);
    before = *warned;
    *warned = true;
    opal_mutex_unlock(&mca_coll_irr_component.lock);
    if (warns && !before) {
        mca_coll_irr_warn(topic, text);
    }
}

/* Prints the log of the engine: errors and warnings as user messages, the rest depending on the verbosity. */
static void on_log(void *context, irr_log_level_t level, const char *text)
{
    (void)context;
    if (level > IRR_LOG_WARN) {
        opal_output_verbose(level == IRR_LOG_INFO ? 1 : 10, mca_coll_irr_component.output, "coll:irr: %s", text);
        return;
    }
    mca_coll_irr_warn("engine-message", text);
}

static int open_help_output(void)
{
    opal_output_stream_t stream;

    OBJ_CONSTRUCT(&stream, opal_output_stream_t);
    stream.lds_want_stderr = true;
    return opal_output_open(&stream);
}

void mca_coll_irr_messages_open(void)
{
    mca_coll_irr_component.output = opal_output_open(NULL);
    opal_output_set_verbosity(mca_coll_irr_component.output, mca_coll_irr_component.params.verbose);
    mca_coll_irr_component.help_output = open_help_output();
    opal_show_help_add_dir(IRR_HELP_DIR);
    irr_log_set(on_log, NULL, mca_coll_irr_component.params.verbose > 0 ? IRR_LOG_DEBUG : IRR_LOG_WARN);
    irr_log_prefix_set(MCA_COLL_IRR_PREFIX);
}

void mca_coll_irr_messages_close(void)
{
    irr_log_set(NULL, NULL, IRR_LOG_ERROR);
    irr_log_prefix_set("");   /* the prefix is unloaded with the component */
    opal_output_close(mca_coll_irr_component.help_output);
    opal_output_close(mca_coll_irr_component.output);
}
